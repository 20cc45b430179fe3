// Parts that the operations of the admin surface share.

import { limits } from '../limits.ts'
import { ListMeta } from '../parts.ts'
import { object, type TSchema, Type } from '../schema.ts'
import type { Audit, BodyOf, Operation, PathOf, QueryOf, Reply, ReplyOf } from '../surface.ts'
import type { AdminScope } from '../words.ts'

export interface AdminOperation extends Operation {
  path: `/api/v1/admin/${string}`
  // An API key or an access token. The dashboard calls operations for signed-in people without HTTP.
  caller: 'key'
  scope: AdminScope
  stability: 'extension'
  tag: AdminTag
  audit: Audit
  reply: Reply & { status: 200; schema: TSchema }
}

export type AdminOperationRows = Readonly<Record<string, AdminOperation>>

export type AdminTag = (typeof adminTags)[number]['name']

export const adminTags = [
  { name: 'Home', description: 'What there is to do, search and reports.' },
  {
    name: 'Orders',
    description: 'Orders of the merchant, whichever installation sold them: payments, parcels, refunds.',
  },
  { name: 'Returns', description: 'Goods that shoppers send back, and the money for them.' },
  { name: 'Drafts', description: 'Orders that the merchant makes for a shopper, who pays by a link.' },
  { name: 'Customers', description: 'Shoppers who ordered: sums, notes, their data as a file, and erasing it.' },
  { name: 'Catalog', description: 'Products, SKUs, stock, categories, pictures and promotions.' },
  { name: 'Shop', description: 'The merchant, taxes, shipping and payment providers.' },
  { name: 'Site', description: 'The online store that this server shows.' },
  { name: 'Developers', description: 'Installations, keys and webhooks.' },
  { name: 'People', description: 'The people who run the shop.' },
  { name: 'Transfers', description: 'Files in and out: CSV of products, stock, orders and promotions.' },
  { name: 'Changes', description: 'Who changed what, and taking it back.' },
] as const

// Members that all operations have in common.
export const adminRow = { caller: 'key', stability: 'extension', paged: false } as const

// The response of a list: `{ data: […], meta: { count, next } }`.
export function listOf<const Row extends TSchema>(
  row: Row,
  description: string,
  maxItems: number = limits.adminListRowsMax,
) {
  return object({ data: Type.Array(row, { maxItems, description }), meta: ListMeta })
}

// The parameter `limit` of a list whose rows the caller may then send together to a bulk operation.
export function bulkListLimit(operationId: string) {
  const description = `How many rows to answer (default: ${limits.adminListRowsMax}). At most as many as ${operationId} takes.`
  return Type.Optional(Type.Integer({ minimum: 1, maximum: limits.bulkItemsMax, description }))
}

// One example for each operation, typed by its schemas. The reference shows the examples, and the tests that are derived from the
// operations send them.
export type AdminExamples<Rows extends AdminOperationRows> = {
  readonly [Id in keyof Rows]: {
    path: PathOf<Rows[Id]['path']>
    query?: QueryOf<Rows[Id]>
    body: BodyOf<Rows[Id]>
    reply: ReplyOf<Rows[Id]>
  }
}
