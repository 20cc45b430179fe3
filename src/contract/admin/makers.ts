// Makers of products: schemas and rows.

import { MakerEntry } from '../entries.ts'
import { limits } from '../limits.ts'
import { Count, ExpectedVersion, IdempotencyKey, Instant, line, MakerId, Version } from '../parts.ts'
import { described, object, type Static, Type } from '../schema.ts'
import { ok } from '../surface.ts'
import { type AdminOperationRows, adminRow, listOf, rowLimit } from './row.ts'

export const AdminMaker = object({
  id: MakerId,
  version: Version,
  maker: described('What the merchant wrote. It can be changed and sent back.', MakerEntry),
  productCount: described('Products that name it, archived ones too.', Count),
  updatedAt: Instant,
})
export const AdminMakerListQuery = object({
  q: Type.Optional(described('In the name or the slug.', line(1, 100))),
  limit: rowLimit('updateAdminProducts'),
})
export const AdminMakerListResponse = listOf(AdminMaker, 'By slug.', limits.bulkItemsMax)
export const AdminMakerResponse = object({ data: AdminMaker })

const idempotencyKey = Type.Optional(IdempotencyKey)
export const CreateAdminMakerRequest = object({ idempotencyKey, maker: MakerEntry })
export const ReplaceAdminMakerRequest = object({
  idempotencyKey,
  expectedVersion: ExpectedVersion,
  maker: described('The slug cannot change.', MakerEntry),
})
export const RemoveAdminMakerRequest = object({ idempotencyKey, expectedVersion: ExpectedVersion })

// biome-ignore format: a row reads best as a few lines
export const makerRows = {
  listAdminMakers: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/makers',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List makers',
    description: 'Who makes the products, with the addresses that shoppers are shown.',
    query: AdminMakerListQuery, body: null, reply: ok(AdminMakerListResponse),
    refusals: [],
  },
  createAdminMaker: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/makers',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Create a maker',
    description: 'Products name it by its slug.',
    body: CreateAdminMakerRequest, reply: ok(AdminMakerResponse),
    refusals: ['maker_exists', 'maker_limit'],
  },
  replaceAdminMaker: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/makers/{makerId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Replace a maker',
    description: 'Every product that names it shows the new addresses.',
    body: ReplaceAdminMakerRequest, reply: ok(AdminMakerResponse),
    refusals: ['maker_not_found', 'version_conflict', 'slug_not_changeable'],
  },
  removeAdminMaker: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/makers/{makerId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Remove a maker',
    description: 'Only one that no product names.',
    body: RemoveAdminMakerRequest, reply: ok(AdminMakerResponse),
    refusals: ['maker_not_found', 'version_conflict', 'maker_in_use'],
  },
} as const satisfies AdminOperationRows

export type AdminMaker = Static<typeof AdminMaker>
