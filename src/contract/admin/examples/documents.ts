import { sampleId } from '../../sampleid.ts'
import type { AdminDocument, AdminDocumentSummary, documentOperationRows } from '../documents.ts'
import type { AdminExamples } from '../row.ts'

const sums = { net: 4_000, tax: 760, total: 4_760 }

const summary: AdminDocumentSummary = {
  id: sampleId('document'),
  kind: 'invoice',
  cause: 'order_paid',
  number: 'T-2026-000042',
  mode: 'test',
  orderId: sampleId('order'),
  day: '2026-06-01',
  supplyDay: '2026-06-01',
  currency: 'EUR',
  ...sums,
  country: 'DE',
}

export const documentExample: AdminDocument = {
  ...summary,
  seller: {
    name: 'Bloom GmbH',
    address: ['Hafenstraße 12', '20457 Hamburg'],
    vatId: 'DE123456789',
    country: 'DE',
    email: null,
  },
  buyer: {
    name: 'Ada Lovelace',
    company: null,
    vatId: null,
    address: ['Ada Lovelace', 'Unter den Linden 1', '10117 Berlin', 'Germany'],
    country: 'DE',
    street: 'Unter den Linden 1',
    postalCode: '10117',
    city: 'Berlin',
  },
  lines: [
    {
      code: 'ROSE-12',
      name: 'Roses',
      options: ['12'],
      isShipping: false,
      quantity: 2,
      unitPrice: 2_380,
      discount: 0,
      rate: 1_900,
      reason: null,
      ...sums,
    },
  ],
  rates: [{ rate: 1_900, reason: null, ...sums }],
  pricesIncludeTax: true,
  order: { number: 'T-1001', day: '2026-06-01' },
  corrects: null,
  alsoCorrects: [],
  payments: [{ method: 'card', brand: 'visa', last4: '4242', day: '2026-06-01', amount: 4_760 }],
  locale: 'de',
}

export const documentExamples: AdminExamples<typeof documentOperationRows> = {
  listAdminDocuments: {
    path: {},
    query: { kind: 'invoice' },
    body: undefined,
    reply: { data: [summary], meta: { count: 1, next: null } },
  },
  getAdminDocument: { path: { documentId: summary.id }, body: undefined, reply: { data: documentExample } },
  getAdminTaxReport: {
    path: {},
    query: { from: '2026-06-01', to: '2026-06-30' },
    body: undefined,
    reply: {
      data: {
        from: '2026-06-01',
        to: '2026-06-30',
        timeZone: 'Europe/Berlin',
        currency: 'EUR',
        documents: 1,
        rows: [{ country: 'DE', rate: 1_900, reason: null, invoices: 1, creditNotes: 0, ...sums }],
        sum: sums,
      },
    },
  },
  listAdminLedger: {
    path: {},
    query: { from: '2026-06-01', to: '2026-06-30', format: 'plain' },
    body: undefined,
    reply: {
      data: {
        text: 'number,kind,date,supply_date,order,corrects,country,rate,tax_reason,net,tax,total,currency\r\n2026-000042,invoice,2026-06-01,2026-06-01,1001,,DE,19,,40.00,7.60,47.60,EUR\r\n',
      },
      meta: { count: 1, next: null },
    },
  },
  listAdminDocumentExport: {
    path: {},
    query: { from: '2026-06-01', to: '2026-06-30' },
    body: undefined,
    reply: { data: [documentExample], meta: { count: 1, next: null } },
  },
}
