import type { AdminRedirect, redirectOperationRows } from '../redirects.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '4f0d1a52-6a0e-4c0f-8b2e-1d3a5c7e9f10'
const redirectId = 'rdr_01kjpg4h2sfwrb0vd6n4t8mz3q'

const redirect: AdminRedirect = {
  id: redirectId,
  version: 1,
  from: '/collections/spring',
  to: '/categories/bouquets',
  cause: 'merchant',
  createdAt: '2026-03-02T11:02:45.118Z',
  updatedAt: '2026-03-02T11:02:45.118Z',
}
const subject = { type: 'redirect', id: redirectId, name: redirect.from } as const
const members = [{ member: 'target', from: '/categories/bouquets', to: null }]

export const redirectExamples: AdminExamples<typeof redirectOperationRows> = {
  listAdminRedirects: {
    path: {},
    query: { q: 'spring' },
    body: undefined,
    reply: { data: [redirect], meta: { count: 1, next: null } },
  },
  getAdminRedirect: { path: { redirectId }, body: undefined, reply: { data: redirect } },
  createAdminRedirect: {
    path: {},
    body: { idempotencyKey, from: '/collections/spring', to: '/categories/bouquets' },
    reply: { data: redirect, changes: [{ kind: 'create', subject, members: [] }] },
  },
  replaceAdminRedirect: {
    path: { redirectId },
    body: { idempotencyKey, expectedVersion: 1, to: null },
    reply: { data: { ...redirect, version: 2, to: null }, changes: [{ kind: 'change', subject, members }] },
  },
  removeAdminRedirect: {
    path: { redirectId },
    body: { idempotencyKey, expectedVersion: 1 },
    reply: { data: redirect, changes: [{ kind: 'retire', subject, members }] },
  },
}
