// Makers of products: schemas and operations.

import { MakerEntry } from '../entries.ts'
import { limits } from '../limits.ts'
import { Count, ExpectedVersion, IdempotencyKey, Instant, lineSchema, MakerId, Version } from '../parts.ts'
import { object, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { type AdminOperationRows, adminRow, bulkListLimit, listOf } from './row.ts'

export const AdminMaker = object({
  id: MakerId,
  version: Version,
  maker: withDescription('What the merchant wrote. It can be changed and sent back.', MakerEntry),
  productCount: withDescription('Products that name it, archived ones too.', Count),
  updatedAt: Instant,
})
export const AdminMakerListQuery = object({
  q: Type.Optional(withDescription('In the name or the slug.', lineSchema(1, 100))),
  limit: bulkListLimit('updateAdminProducts'),
})
export const AdminMakerListResponse = listOf(AdminMaker, 'By slug.', limits.bulkItemsMax)
export const AdminMakerResponse = object({ data: AdminMaker })

const idempotencyKey = Type.Optional(IdempotencyKey)
export const CreateAdminMakerRequest = object({ idempotencyKey, maker: MakerEntry })
export const ReplaceAdminMakerRequest = object({
  idempotencyKey,
  expectedVersion: ExpectedVersion,
  maker: withDescription('The slug cannot change.', MakerEntry),
})
export const RemoveAdminMakerRequest = object({ idempotencyKey, expectedVersion: ExpectedVersion })

// biome-ignore format: a row reads best as a few lines
export const makerOperationRows = {
  listAdminMakers: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/makers',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List makers',
    description: 'Who makes the products, with the addresses that shoppers are shown.',
    query: AdminMakerListQuery, body: null, reply: okReply(AdminMakerListResponse),
    refusals: [],
  },
  createAdminMaker: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/makers',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Create a maker',
    description: 'Products name it by its slug.',
    body: CreateAdminMakerRequest, reply: okReply(AdminMakerResponse),
    refusals: ['maker_exists', 'maker_limit'],
  },
  replaceAdminMaker: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/makers/{makerId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Replace a maker',
    description: 'Every product that names it shows the new addresses.',
    body: ReplaceAdminMakerRequest, reply: okReply(AdminMakerResponse),
    refusals: ['maker_not_found', 'version_conflict', 'slug_not_changeable'],
  },
  removeAdminMaker: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/makers/{makerId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Remove a maker',
    description: 'Only one that no product names.',
    body: RemoveAdminMakerRequest, reply: okReply(AdminMakerResponse),
    refusals: ['maker_not_found', 'version_conflict', 'maker_in_use'],
  },
} as const satisfies AdminOperationRows

export type AdminMaker = Static<typeof AdminMaker>
