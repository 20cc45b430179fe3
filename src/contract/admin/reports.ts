// Reports: schemas and operations.

import { Amount, Currency } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

export const salesGroups = ['day', 'week', 'month', 'product', 'promotion', 'country'] as const
export type SalesGroup = (typeof salesGroups)[number]

export const salesRowsMax = 1_000

const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })

export const AdminSalesQuery = object({
  from: Type.Optional(withDescription('The first day, such as `2026-06-01`. Default: 29 days before the last.', Day)),
  to: Type.Optional(withDescription('The last day. Default: today.', Day)),
  by: Type.Optional(oneOf(salesGroups, { description: 'What the rows are. Default: `day`.' })),
})

const sums = {
  orders: Type.Integer({ minimum: 0, description: 'Orders that were placed and not cancelled.' }),
  items: Type.Integer({ minimum: 0, description: 'How many pieces were sold.' }),
  subtotal: Amount,
  discount: Amount,
  shipping: withDescription('0 in rows of products: shipping belongs to an order.', Amount),
  tax: Amount,
  total: Amount,
  refunded: withDescription('What went back of these orders. 0 in rows of products.', Amount),
  refundedTax: withDescription(
    'The tax in what went back, by the credit notes of these orders, which follow the money within seconds. 0 in rows of products.',
    Amount,
  ),
  unpaid: withDescription('The part of the total that is awaited.', Amount),
  lost: withDescription(
    'What banks took back of these orders, by disputes that were lost. Only in rows of days, weeks and months.',
    Amount,
  ),
  net: Type.Integer({ description: 'The total without what was refunded and lost.' }),
}

export const AdminSales = object(sums)

export const AdminSalesRow = object({
  key: Type.String({
    description:
      'The first day of the day, week or month; the slug of the product, the id of the promotion, or the country, which is empty where nothing was sent.',
  }),
  name: nullable(Type.String(), { description: 'Of the product, or the code of the promotion.' }),
  ...sums,
})

export const AdminSalesReport = object({
  from: Day,
  to: Day,
  by: oneOf(salesGroups),
  timeZone: Type.String({ description: 'Where the days begin at midnight: an IANA name.' }),
  currency: Currency,
  rows: Type.Array(AdminSalesRow, {
    maxItems: salesRowsMax,
    description:
      'Days, weeks and months in their order, without gaps. Everything else by its total, the largest first.',
  }),
  sum: withDescription('Of all orders in these days, also of those that no row names.', AdminSales),
  rest: withDescription(
    'What is missing in the rows for them to add up to the sum, such as shipping where they are products. Orders and items of it are 0.',
    AdminSales,
  ),
  before: withDescription('The sum of as many days before.', AdminSales),
})

export const AdminSalesResponse = object({ data: AdminSalesReport })

// biome-ignore format: rows are read one below the other
export const reportOperationRows = {
  getAdminSalesReport: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/reports/sales',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Home',
    summary: 'Sales of some days',
    description:
      'Sales by day, week, month, product, promotion or country, over at most 1,000 days. An order counts on its day. Changes are counted within seconds.',
    query: AdminSalesQuery, body: null, reply: okReply(AdminSalesResponse), refusals: [],
  },
} as const satisfies AdminOperationRows

export type AdminSales = Static<typeof AdminSales>
export type AdminSalesReport = Static<typeof AdminSalesReport>
export type AdminSalesRow = Static<typeof AdminSalesRow>
