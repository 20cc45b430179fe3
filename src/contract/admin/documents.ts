// Invoices, credit notes and the tax report: schemas and operations.

import { LegalEntry } from '../entries.ts'
import { Amount, Country, Currency, DocumentId, ListMeta, lineSchema, Mode, OrderId } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { documentCauses, documentKinds, taxReasons } from '../words.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A day, such as `2026-06-01`.' })

const sums = { net: Amount, tax: Amount, total: Amount }

const headMembers = {
  id: DocumentId,
  kind: oneOf(documentKinds),
  cause: oneOf(documentCauses, {
    description:
      'Why it was made. An invoice by `refund_failed` reverses the credit note of a refund that failed later.',
  }),
  number: Type.String(),
  mode: Mode,
  orderId: OrderId,
  day: withDescription('Its date, in the time zone of the shop.', Day),
  supplyDay: withDescription('The date of supply.', Day),
  currency: Currency,
  ...sums,
  country: withDescription('Where it is taxed.', Country),
}

export const AdminDocumentSummary = object(headMembers)

const Rate = Type.Integer({ minimum: 0, description: 'In basis points: 1900 is 19 %.' })
const Reason = nullable(oneOf(taxReasons), { description: 'Why no tax is charged; null where it is.' })

export const AdminDocumentLine = object({
  code: Type.String({ description: 'Of the SKU; empty for the shipping.' }),
  name: Type.String(),
  options: Type.Array(Type.String(), { description: 'Values of the options, such as a size.' }),
  isShipping: Type.Boolean(),
  quantity: nullable(Type.Integer(), { description: 'null where a part of the price was refunded.' }),
  unitPrice: nullable(Amount, { description: 'As the order has it, with or without tax. null on credit notes.' }),
  discount: withDescription('Off the line, as the order has it.', Amount),
  rate: Rate,
  reason: Reason,
  ...sums,
})

export const AdminDocumentRate = object({ rate: Rate, reason: Reason, ...sums })

export const AdminDocumentBuyer = object({
  name: Type.String(),
  company: nullable(Type.String()),
  vatId: nullable(Type.String()),
  address: Type.Array(Type.String(), { description: 'The address as lines to print.' }),
  country: nullable(Country),
  street: nullable(Type.String()),
  postalCode: nullable(Type.String()),
  city: nullable(Type.String()),
})

const Reference = object({ id: DocumentId, number: Type.String(), day: Day })

export const AdminDocument = object({
  ...headMembers,
  seller: object({
    ...LegalEntry.properties,
    country: Country,
    email: nullable(Type.String(), { description: 'For questions.' }),
  }),
  buyer: nullable(AdminDocumentBuyer, { description: 'null where none is known.' }),
  lines: Type.Array(AdminDocumentLine),
  rates: Type.Array(AdminDocumentRate, { description: 'Sums by rate, the highest rate first.' }),
  pricesIncludeTax: Type.Boolean(),
  order: object({ number: Type.String(), day: Day }),
  corrects: nullable(Reference, {
    description: 'The invoice that a credit note corrects, or the credit note that an invoice reverses.',
  }),
  alsoCorrects: Type.Array(Reference, {
    description:
      'Further invoices of the same order that a credit note corrects: an edit that adds to an order has its own.',
  }),
  payments: Type.Array(
    object({
      method: Type.String(),
      brand: nullable(Type.String()),
      last4: nullable(Type.String()),
      day: Day,
      amount: Amount,
    }),
  ),
  locale: Type.String({ description: 'In which the order was placed.' }),
})

export const AdminDocumentListQuery = object({
  kind: Type.Optional(oneOf(documentKinds, { description: 'Only invoices, or only credit notes.' })),
  orderId: Type.Optional(withDescription('Only documents of this order.', OrderId)),
  number: Type.Optional(withDescription('Only the document with this number.', lineSchema(1, 60))),
  from: Type.Optional(withDescription('The first day.', Day)),
  to: Type.Optional(withDescription('The last day.', Day)),
})

export const AdminDocumentListResponse = listOf(AdminDocumentSummary, 'Newest first.')
export const AdminDocumentResponse = object({ data: AdminDocument })
export const AdminDocumentExportResponse = listOf(AdminDocument, 'In the order in which they were made.')

export const AdminTaxQuery = object({
  from: Type.Optional(withDescription('The first day. Default: the first of the month of the last day.', Day)),
  to: Type.Optional(withDescription('The last day. Default: today.', Day)),
})

export const ledgerFormats = ['plain', 'datev'] as const

export const AdminLedgerQuery = object({
  ...AdminTaxQuery.properties,
  format: Type.Optional(
    oneOf(ledgerFormats, {
      description:
        'plain (default): CSV with a line for each rate of a document. datev: a batch of postings for DATEV, with accounts of the chart SKR 03.',
    }),
  ),
})

export const AdminLedgerResponse = object({
  data: object({ text: Type.String({ description: 'A part of the file; the first has the names of the columns.' }) }),
  meta: ListMeta,
})

// Negative if credit notes exceed invoices.
const Signed = Type.Integer({ description: 'In minor units; negative where more was credited than invoiced.' })

const taxSums = {
  invoices: Type.Integer({ minimum: 0, description: 'Invoices with this rate.' }),
  creditNotes: Type.Integer({ minimum: 0, description: 'Credit notes with this rate.' }),
  net: Signed,
  tax: Signed,
  total: Signed,
}

export const AdminTaxRow = object({ country: Country, rate: Rate, reason: Reason, ...taxSums })

export const AdminTaxReport = object({
  from: Day,
  to: Day,
  timeZone: Type.String(),
  currency: Currency,
  documents: Type.Integer({ minimum: 0, description: 'Invoices and credit notes of these days, in all currencies.' }),
  rows: Type.Array(AdminTaxRow, {
    description: 'By country and rate. Invoices without credit notes, by the date of the document.',
  }),
  sum: object({ net: Signed, tax: Signed, total: Signed }),
})

export const AdminTaxResponse = object({ data: AdminTaxReport })

// biome-ignore format: a row reads best as a few lines
export const documentOperationRows = {
  listAdminDocuments: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/documents',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Orders', paged: true,
    summary: 'List invoices and credit notes',
    description: 'An invoice is made seconds after an order was paid, a credit note seconds after a refund. They never change.',
    query: AdminDocumentListQuery, body: null, reply: okReply(AdminDocumentListResponse),
    refusals: [],
  },
  getAdminDocument: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/documents/{documentId}',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Orders',
    summary: 'Get an invoice or a credit note',
    description: 'With its lines and with the buyer, so each look is written down.',
    body: null, reply: okReply(AdminDocumentResponse),
    refusals: ['document_not_found'],
  },
  getAdminTaxReport: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/reports/taxes',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Home',
    summary: 'Taxes of some days',
    description: 'Net, tax and total of the documents of these days, by country and rate: what a VAT return is made from. At most 1,000 days.',
    query: AdminTaxQuery, body: null, reply: okReply(AdminTaxResponse), refusals: [],
  },
  listAdminLedger: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/exports/ledger',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Transfers', paged: true,
    summary: 'Export the ledger',
    description: 'The documents of some days for bookkeeping, in the order in which they were made, without the buyers. Its sums are those of getAdminTaxReport.',
    query: AdminLedgerQuery, body: null, reply: okReply(AdminLedgerResponse), refusals: [],
  },
  listAdminDocumentExport: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/exports/documents',
    scope: 'admin:customers', idempotency: 'none', audit: 'look', tag: 'Transfers', paged: true,
    summary: 'Export documents',
    description: 'The documents of some days as getAdminDocument answers them, ten at a time. Each answer is a look at its documents, and is written down.',
    query: AdminTaxQuery, body: null, reply: okReply(AdminDocumentExportResponse), refusals: [],
  },
} as const satisfies AdminOperationRows

export type AdminDocument = Static<typeof AdminDocument>
export type AdminDocumentSummary = Static<typeof AdminDocumentSummary>
export type AdminDocumentLine = Static<typeof AdminDocumentLine>
export type AdminTaxReport = Static<typeof AdminTaxReport>
export type AdminTaxRow = Static<typeof AdminTaxRow>
