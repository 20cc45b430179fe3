// Redirects of the online store: schemas and operations.

import { ExpectedVersion, IdempotencyKey, Instant, RedirectId, Version } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { redirectCauses } from '../words.ts'
import { AdminSubjectChange } from './changes.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

// Per shop.
export const redirectsMax = 50_000

const From = Type.String({
  minLength: 2,
  maxLength: 500,
  description:
    'An old path of the shop, such as /products/old-name. Case, doubled slashes and one at the end do not matter.',
})
const To = nullable(Type.String({ minLength: 1, maxLength: 500 }), {
  description:
    'A path of the same shop, with a query or without one. null: what was there is gone, and is answered with 410.',
})

export const AdminRedirect = object({
  id: RedirectId,
  version: Version,
  from: From,
  to: To,
  cause: oneOf(redirectCauses, { description: 'What made it.' }),
  createdAt: Instant,
  updatedAt: Instant,
})
export const AdminRedirectResponse = object({ data: AdminRedirect })
export const AdminRedirectListQuery = object({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A part of either path.' })),
  cause: Type.Optional(oneOf(redirectCauses)),
})
export const AdminRedirectListResponse = listOf(AdminRedirect, 'By path.')
export const AdminRedirectChangeResponse = object({
  data: AdminRedirect,
  changes: Type.Array(AdminSubjectChange, { description: 'What changed.' }),
})

const idempotencyKey = Type.Optional(IdempotencyKey)
export const CreateAdminRedirectRequest = object({ idempotencyKey, from: From, to: To })
export const ReplaceAdminRedirectRequest = object({ idempotencyKey, expectedVersion: ExpectedVersion, to: To })
export const RemoveAdminRedirectRequest = object({
  idempotencyKey,
  expectedVersion: withDescription('The version that is removed.', ExpectedVersion),
})

// biome-ignore format: a row reads best as a few lines
export const redirectOperationRows = {
  listAdminRedirects: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/site/redirects',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Site', paged: true,
    summary: 'List redirects',
    description: 'Old paths of the shop and where they lead. Renames, removals and imports make them, and so does the merchant.',
    query: AdminRedirectListQuery, body: null, reply: okReply(AdminRedirectListResponse),
    refusals: [],
  },
  getAdminRedirect: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/site/redirects/{redirectId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Site',
    summary: 'Get a redirect',
    description: 'One old path.',
    body: null, reply: okReply(AdminRedirectResponse),
    refusals: ['redirect_not_found'],
  },
  createAdminRedirect: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/site/redirects',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Create a redirect',
    description: 'It counts where the shop shows nothing else. If its target leads on, it leads there at once; redirects to its path follow it.',
    body: CreateAdminRedirectRequest, reply: okReply(AdminRedirectChangeResponse),
    refusals: ['redirect_exists', 'redirect_limit'],
  },
  replaceAdminRedirect: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/site/redirects/{redirectId}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Replace a redirect',
    description: 'It leads to another path. Its own path stays.',
    body: ReplaceAdminRedirectRequest, reply: okReply(AdminRedirectChangeResponse),
    refusals: ['redirect_not_found', 'version_conflict'],
  },
  removeAdminRedirect: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/site/redirects/{redirectId}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Site',
    summary: 'Remove a redirect',
    description: 'Its path is not found from now on.',
    body: RemoveAdminRedirectRequest, reply: okReply(AdminRedirectChangeResponse),
    refusals: ['redirect_not_found', 'version_conflict'],
  },
} as const satisfies AdminOperationRows

export type AdminRedirectListQuery = Static<typeof AdminRedirectListQuery>
export type AdminRedirect = Static<typeof AdminRedirect>
