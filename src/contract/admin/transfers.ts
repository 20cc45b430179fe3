// Imports and exports of files: schemas and operations.

import type { AnyIssueValues } from '../issues.ts'
import { limits } from '../limits.ts'
import { Count, IdempotencyKey, Instant, ListMeta } from '../parts.ts'
import { idPattern } from '../patterns.ts'
import { remarkCodes } from '../remarks.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { changeKinds, columnMeanings, exportKinds, idPrefixes, importKinds, transferStates } from '../words.ts'
import { AdminMemberChange } from './changes.ts'
import { AdminOrderListQuery } from './orders.ts'
import { AdminReturnListQuery } from './returns.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

// Maximum numbers of changes, refused rows and notes in the response for a plan. The counts of the plan cover all of them.
export const plannedChangesMax = 100
export const refusedRowsMax = 1_000
export const transferNotesMax = 100
// Columns that are shown, counted from the first, if a file is from an unknown system.
export const fileColumnsMax = 200

export const TransferId = Type.String({
  pattern: idPattern(idPrefixes.transfer).source,
  description: 'Id of an import.',
})

export const AdminRemarkCode = oneOf(remarkCodes, {
  description: 'What is said. Stable, for programs. earlier: a sentence of an earlier version of the server.',
})

export const AdminRemarkValues = Type.Unsafe<AnyIssueValues>({
  type: 'object',
  description: 'The values of the sentence, such as max.',
  additionalProperties: {
    anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'string' } }],
  },
  maxProperties: 10,
})

export const AdminRemark = object({
  line: nullable(Count, { description: 'Of the file. Null: it is about the whole of it.' }),
  code: AdminRemarkCode,
  values: AdminRemarkValues,
  message: Type.String({ description: 'For people; may change.' }),
})

export const AdminTransferSummary = object({
  id: TransferId,
  kind: oneOf(importKinds),
  name: Type.String({ description: 'Of the file.' }),
  state: oneOf(transferStates, {
    description:
      'receiving: pieces are missing. planning: the file is compared with the shop. columns: the file is of no system that is known, so what its columns hold has to be assigned. ready: the plan waits for its confirmation. writing: it was confirmed. done: everything was written. failed: the file cannot be read, `problem` says why.',
  }),
  pieces: withDescription('How many pieces the file has.', Count),
  received: withDescription('How many of them were sent.', Count),
  created: withDescription('Products that are new.', Count),
  changed: withDescription('Products, or SKUs of a stock file, that differ from the file.', Count),
  unchanged: withDescription('Products or SKUs that already are what the file says.', Count),
  refused: withDescription(
    'Rows that cannot be taken. While it is written, rows that were overtaken are added.',
    Count,
  ),
  written: withDescription('How many of the created and changed ones are written.', Count),
  problem: nullable(AdminRemark, { description: 'Why the file could not be read.' }),
  createdAt: Instant,
  updatedAt: Instant,
})

export const AdminPlannedChange = object({
  line: withDescription('Of the file.', Count),
  kind: oneOf(changeKinds),
  type: oneOf(['category', 'product', 'sku', 'stock'] as const),
  name: Type.String({ description: 'A slug or a code.' }),
  members: Type.Array(AdminMemberChange, { description: 'Long values are cut.' }),
})

export const AdminRefusedRow = object({
  line: withDescription('Of the file.', Count),
  name: Type.String({ description: 'The handle or the code, where the row has one.' }),
  reason: Type.String({ description: 'For people; may change.' }),
  code: AdminRemarkCode,
  values: AdminRemarkValues,
  moreRows: withDescription('Further rows of the same product that are refused too.', Count),
  leavesOut: Type.Boolean({ description: 'Whether the whole product is left out, not only the row.' }),
})

export const AdminColumnMeaning = oneOf(columnMeanings, {
  description:
    'What a column holds. Rows with the same product, or without such a column with the same title, are variants of one product. An option is named as its column; up to three columns may be options, and 50 pictures.',
})

export const AdminFileColumn = object({
  name: Type.String({ description: 'As the first row of the file names it.' }),
  samples: Type.Array(Type.String(), { maxItems: 3, description: 'What the first rows hold. Long texts are cut.' }),
  as: nullable(AdminColumnMeaning, {
    description:
      'What it holds, as it was assigned; in the state `columns`, as its name suggests. Null: it is not read.',
  }),
})
export type AdminFileColumn = Static<typeof AdminFileColumn>

export const AdminAssignedColumn = object({
  column: Type.String({ minLength: 1, maxLength: 200, description: 'As the first row of the file names it.' }),
  as: AdminColumnMeaning,
})

export const AdminTransfer = object({
  ...AdminTransferSummary.properties,
  columns: nullable(Type.Array(AdminFileColumn, { maxItems: fileColumnsMax }), {
    description: 'Null: the file says itself what its columns hold.',
  }),
  changesCount: Count,
  changes: Type.Array(AdminPlannedChange, {
    maxItems: plannedChangesMax,
    description: 'What would change, in the order of the file: the first 100.',
  }),
  refusedRows: Type.Array(AdminRefusedRow, { maxItems: refusedRowsMax, description: 'The first 1,000.' }),
  notes: Type.Array(AdminRemark, {
    maxItems: transferNotesMax,
    description: 'What of the file is taken otherwise than it is written there: the first 100.',
  }),
})

export const AdminTransferListResponse = listOf(AdminTransferSummary, 'Newest first.')
export const AdminTransferResponse = object({ data: AdminTransfer })

export const AdminTransferRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  kind: oneOf(importKinds, {
    description:
      'products: a product file of Shopify, WooCommerce, Wix or Medusa as CSV, a Google feed as CSV or XML, or any CSV whose columns are assigned. stock: CSV with the columns `SKU`, `On hand (new)` and, better, `On hand (current)`.',
  }),
  name: Type.String({ minLength: 1, maxLength: 200, description: 'Of the file, for people.' }),
  pieces: Type.Integer({ minimum: 1, maximum: limits.transferPiecesMax, description: 'How many pieces will be sent.' }),
})

export const AdminPieceRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  text: Type.String({
    minLength: 1,
    maxLength: limits.transferPieceBytesMax,
    description:
      'The next part of the file, of at most 256 KiB in UTF-8. It may end anywhere. A file in another encoding is decoded by the caller.',
  }),
})

export const AdminColumnsRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  columns: Type.Array(AdminAssignedColumn, {
    minItems: 1,
    maxItems: fileColumnsMax,
    description: 'With one column for `title` and one for `price`. Columns that are not named are not read.',
  }),
})

export const AdminTransferConfirmation = object({ idempotencyKey: Type.Optional(IdempotencyKey) })

export const AdminDiscardedResponse = object({ data: object({ id: TransferId, removed: Type.Boolean() }) })

// The filters of listAdminOrders.
const { status, payment, fulfillment, toSend, attention, channel, from, to } = AdminOrderListQuery.properties

export const AdminCustomerExportQuery = object({ status, payment, fulfillment, toSend, attention, channel, from, to })
export const AdminExportQuery = object({
  of: oneOf(exportKinds, {
    description:
      'What the file lists. google: the published products as a feed for Google Merchant Center. acp: the same as a feed of the Agentic Commerce Protocol, one product a line. `link` is for both, `open` for returns, and the other parameters are for orders; `from` and `to` also for returns, by when they were requested.',
  }),
  link: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        'The page of a product in your shop, such as `https://shop.example/products/{slug}`. The feed of a shop that this server shows needs none.',
    }),
  ),
  open: AdminReturnListQuery.properties.open,
  ...AdminCustomerExportQuery.properties,
})

export const AdminExportResponse = object({
  data: object({
    text: Type.String({
      description:
        'A part of the file in UTF-8: lines of CSV, the first with the names of the columns, XML of a Google feed, or lines of JSON.',
    }),
  }),
  meta: ListMeta,
})

// JSON may escape a non-ASCII character, which then takes up to three times its UTF-8 bytes.
const pieceBodyBytesMax = 3 * limits.transferPieceBytesMax + 4_096

// biome-ignore format: rows are read one below the other
export const transferOperationRows = {
  listAdminTransfers: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/transfers',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Transfers', paged: true,
    summary: 'List imports',
    description: 'Imports of the last 7 days, in the mode of the caller.',
    body: null, reply: okReply(AdminTransferListResponse), refusals: [],
  },
  createAdminTransfer: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/transfers',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Transfers',
    summary: 'Begin an import',
    description: 'Announces a file of at most 64 pieces. When the last one has come, the server compares the file with the shop. Nothing changes before the plan is confirmed.',
    body: AdminTransferRequest, reply: okReply(AdminTransferResponse), refusals: ['transfer_limit'],
  },
  getAdminTransfer: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/transfers/{transferId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Transfers',
    summary: 'Show an import',
    description: 'How far it is, what it would change, and which rows cannot be taken and why.',
    body: null, reply: okReply(AdminTransferResponse), refusals: ['transfer_not_found'],
  },
  appendAdminTransfer: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/transfers/{transferId}/pieces/{piece}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Transfers',
    summary: 'Send a piece of a file',
    description: 'The first piece is 1. Pieces may come in any order; one that comes again replaces what was sent.',
    body: AdminPieceRequest, bodyBytesMax: pieceBodyBytesMax, reply: okReply(AdminTransferResponse),
    refusals: ['transfer_not_found', 'transfer_not_receiving'],
  },
  assignAdminTransferColumns: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/transfers/{transferId}/columns',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Transfers',
    summary: 'Assign columns',
    description: 'Says what the columns of a file hold that no known system wrote, and compares the file with the shop. It may be said anew until the import is confirmed. The next file with the same first row is read alike.',
    body: AdminColumnsRequest, reply: okReply(AdminTransferResponse),
    refusals: ['transfer_not_found', 'transfer_not_ready'],
  },
  confirmAdminTransfer: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/transfers/{transferId}/confirmations',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Transfers',
    summary: 'Write an import',
    description: 'Writes the plan in batches. Each is written whole or not at all, with its entry in the list of changes. What was changed since the plan was made is refused.',
    body: AdminTransferConfirmation, reply: okReply(AdminTransferResponse),
    refusals: ['transfer_not_found', 'transfer_not_ready'],
  },
  discardAdminTransfer: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/transfers/{transferId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Transfers',
    summary: 'Discard an import',
    description: 'Deletes the file and its plan. Not while it is written.',
    body: AdminTransferConfirmation, reply: okReply(AdminDiscardedResponse),
    refusals: ['transfer_not_found', 'transfer_not_ready'],
  },
  listAdminExport: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/exports',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Transfers', paged: true,
    summary: 'Export',
    description: 'Products in the format of Shopify, stock, orders, returns, drafts or promotions as CSV, or a Google feed as XML, some rows an answer. The file is the texts of all answers, one behind the other. Orders, returns and drafts have no data of customers. A cell that begins with `=`, `+`, `-` or `@` gets an apostrophe before it, which an import takes off.',
    query: AdminExportQuery, body: null, reply: okReply(AdminExportResponse), refusals: [],
  },
  listAdminCustomerExport: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/exports/customers',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Transfers', paged: true,
    summary: 'Export orders with their customers',
    description: 'The orders of listAdminExport with name, e-mail, phone and address. Each answer is a look at the data of its orders, and is written down.',
    query: AdminCustomerExportQuery, body: null, reply: okReply(AdminExportResponse), refusals: [],
  },
} as const satisfies AdminOperationRows

export type AdminTransfer = Static<typeof AdminTransfer>
export type AdminTransferSummary = Static<typeof AdminTransferSummary>
export type AdminPlannedChange = Static<typeof AdminPlannedChange>
export type AdminRefusedRow = Static<typeof AdminRefusedRow>
export type AdminRemark = Static<typeof AdminRemark>
