import { orderSummarySample, productSummarySample } from '../../open/samples.ts'
import type { homeOperationRows } from '../home.ts'
import type { AdminExamples } from '../row.ts'
import { reportExamples } from './reports.ts'

const { id, number, status, paymentStatus, fulfillmentStatus, currency, total, placedAt } = orderSummarySample
const { id: productId, slug, name } = productSummarySample

export const homeExamples: AdminExamples<typeof homeOperationRows> = {
  getAdminHome: {
    path: {},
    body: undefined,
    reply: {
      data: {
        todo: {
          toSend: 12,
          awaitingPayment: 3,
          refundsFailed: 0,
          disputesOpen: 1,
          withdrawals: 1,
          lowStock: 2,
          webhooksFailing: 0,
          paymentAccountsFailing: 0,
          paymentsUnsettled: 0,
        },
        sales: reportExamples.getAdminSalesReport.reply.data,
        bestSellers: [{ key: slug, name, items: 12, total: 47_880 }],
        agentOrders: 7,
      },
    },
  },
  getAdminOrderCounts: {
    path: {},
    body: undefined,
    reply: { data: { toSend: 12, awaitingPayment: 3, withdrawals: 1 } },
  },
  searchAdmin: {
    path: {},
    query: { q: 'lovelace' },
    body: undefined,
    reply: {
      data: {
        orders: [
          {
            ...{ id, number, status, paymentStatus, fulfillmentStatus, currency, total, placedAt },
            ...{ emailMasked: 'a…@example.com', city: 'Berlin', country: 'DE' },
          },
        ],
        products: [{ id: productId, slug, name }],
        skus: [],
        promotions: [],
      },
    },
  },
}
