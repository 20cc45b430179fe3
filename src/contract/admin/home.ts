// Home and search: schemas and operations.

import { Amount, Count, Currency, Instant, lineSchema, OrderId, ProductId, PromotionId, SkuId, Slug } from '../parts.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { okReply } from '../surface.ts'
import { fulfillmentStatuses, orderPaymentStatuses, orderStatuses } from '../words.ts'
import { AdminSalesReport } from './reports.ts'
import { type AdminOperationRows, adminRow } from './row.ts'

export const AdminTodo = object(
  {
    toSend: Count,
    awaitingPayment: Count,
    refundsFailed: Count,
    disputesOpen: Count,
    withdrawals: Count,
    lowStock: Count,
    webhooksFailing: Count,
    paymentAccountsFailing: Count,
    paymentsUnsettled: Count,
  },
  { description: 'How many of each wait for someone. 1000 means 1000 or more.' },
)
export const AdminOrderCounts = object(
  {
    toSend: Count,
    awaitingPayment: Count,
    withdrawals: nullable(Count, {
      description: 'Withdrawals that wait. null where there is none, and the shop sells to no country with this right.',
    }),
  },
  { description: 'How many orders wait for someone. 1000 means 1000 or more.' },
)
export const AdminOrderCountsResponse = object({ data: AdminOrderCounts })
export const bestSellersMax = 5

export const AdminBestSeller = object({
  key: Type.String({ description: 'The slug of the product.' }),
  name: Type.String(),
  items: Type.Integer({ minimum: 0, description: 'How many pieces were sold.' }),
  total: Amount,
})
export const AdminHomeResponse = object({
  data: object({
    todo: AdminTodo,
    sales: AdminSalesReport,
    bestSellers: Type.Array(AdminBestSeller, {
      maxItems: bestSellersMax,
      description: 'Products in the days of `sales`, by their total, the largest first.',
    }),
    agentOrders: Type.Integer({
      minimum: 0,
      description: 'Orders that agents made in the last 30 days. 1000 means 1000 or more.',
    }),
  }),
})

export const searchRowsMax = 8

export const FoundOrder = object({
  id: OrderId,
  number: Type.String(),
  status: oneOf(orderStatuses),
  paymentStatus: oneOf(orderPaymentStatuses),
  fulfillmentStatus: oneOf(fulfillmentStatuses),
  currency: Currency,
  total: Amount,
  emailMasked: nullable(Type.String(), { description: 'As `a…@example.com`.' }),
  city: nullable(Type.String()),
  country: nullable(Type.String()),
  placedAt: Instant,
})
export const FoundProduct = object({ id: ProductId, slug: Slug, name: Type.String() })
export const FoundSku = object({
  id: SkuId,
  code: Type.String(),
  productId: ProductId,
  productName: Type.String(),
})
export const FoundPromotion = object({ id: PromotionId, code: Type.String(), name: Type.String() })

export const AdminSearchQuery = object({ q: lineSchema(1, 100, 'What to look for.') })
export const AdminSearchResponse = object({
  data: object({
    orders: Type.Array(FoundOrder, {
      maxItems: searchRowsMax,
      description:
        'By number, tracking number, the code of an item, or the beginnings of words of e-mail, name, city and postal code. Newest first. Where nothing is found as it was typed, by a word with one mistake; so are products.',
    }),
    products: Type.Array(FoundProduct, { maxItems: searchRowsMax, description: 'By a part of the name.' }),
    skus: Type.Array(FoundSku, { maxItems: searchRowsMax, description: 'By the beginning of the code.' }),
    promotions: Type.Array(FoundPromotion, { maxItems: searchRowsMax, description: 'By the beginning of the code.' }),
  }),
})

// biome-ignore format: a row reads best as a few lines
export const homeOperationRows = {
  getAdminHome: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/home',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Home',
    summary: 'Get what there is to do',
    description: 'Counts of what waits for someone, in the mode of the caller.',
    body: null, reply: okReply(AdminHomeResponse),
    refusals: [],
  },
  getAdminOrderCounts: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/home/orders',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Home',
    summary: 'Count the orders that wait',
    description: 'Those of the home that are about orders, in the mode of the caller. They cost a tenth of the whole.',
    body: null, reply: okReply(AdminOrderCountsResponse),
    refusals: [],
  },
  searchAdmin: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/search',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Home',
    summary: 'Search',
    description: 'Orders, products, SKUs and promotions. Customers are found by the beginning of words, from two letters on, until they are erased. New orders are found a few seconds after they were placed.',
    query: AdminSearchQuery, body: null, reply: okReply(AdminSearchResponse),
    refusals: [],
  },
} as const satisfies AdminOperationRows

export type AdminBestSeller = Static<typeof AdminBestSeller>
export type AdminSearchResponse = Static<typeof AdminSearchResponse>
