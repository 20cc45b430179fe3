import type { reportOperationRows } from '../reports.ts'
import type { AdminExamples } from '../row.ts'

const sum = {
  orders: 2,
  items: 3,
  subtotal: 9_800,
  discount: 980,
  shipping: 490,
  tax: 1_487,
  total: 9_310,
  refunded: 0,
  refundedTax: 0,
  unpaid: 0,
  lost: 0,
  net: 9_310,
}

const nothing = {
  orders: 0,
  items: 0,
  subtotal: 0,
  discount: 0,
  shipping: 0,
  tax: 0,
  total: 0,
  refunded: 0,
  refundedTax: 0,
  unpaid: 0,
  lost: 0,
  net: 0,
}

export const reportExamples: AdminExamples<typeof reportOperationRows> = {
  getAdminSalesReport: {
    path: {},
    query: { from: '2026-06-01', to: '2026-06-30', by: 'country' },
    body: undefined,
    reply: {
      data: {
        from: '2026-06-01',
        to: '2026-06-30',
        by: 'country',
        timeZone: 'Europe/Berlin',
        currency: 'EUR',
        rows: [{ key: 'DE', name: null, ...sum }],
        sum,
        rest: nothing,
        before: nothing,
      },
    },
  },
}
