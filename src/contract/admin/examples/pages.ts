import type { AdminPage, pageOperationRows } from '../pages.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '8c2f9c1e-3b44-4d63-9a0c-54a1b6f0c2d7'

const page: AdminPage = {
  version: 1,
  updatedAt: '2026-03-02T11:02:45.118Z',
  page: {
    slug: 'about',
    title: 'About us',
    bodyHtml: '<p>We cut in the morning and deliver before noon.</p>',
    description: 'Who cuts the flowers.',
    menu: 'foot',
    position: 1,
    published: true,
  },
}
const { slug, ...rest } = page.page
const subject = { type: 'site_page', id: slug, name: page.page.title } as const

export const pageExamples: AdminExamples<typeof pageOperationRows> = {
  getAdminPages: {
    path: {},
    body: undefined,
    reply: { data: [{ ...page, page: { ...page.page, bodyHtml: '' } }] },
  },
  getAdminPage: { path: { slug }, body: undefined, reply: { data: page } },
  createAdminPage: {
    path: {},
    body: { idempotencyKey, ...page.page },
    reply: { data: page, changes: [{ kind: 'create', subject, members: [] }] },
  },
  replaceAdminPage: {
    path: { slug },
    body: { idempotencyKey, expectedVersion: 1, ...rest, menu: 'head' },
    reply: {
      data: { ...page, version: 2, page: { ...page.page, menu: 'head' } },
      changes: [{ kind: 'change', subject, members: [{ member: 'menu', from: 'foot', to: 'head' }] }],
    },
  },
  removeAdminPage: {
    path: { slug },
    body: { idempotencyKey, expectedVersion: 1 },
    reply: { data: page, changes: [{ kind: 'retire', subject, members: [] }] },
  },
}
