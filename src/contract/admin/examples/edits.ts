import { orderSample } from '../../open/samples.ts'
import type { editOperationRows } from '../edits.ts'
import type { AdminExamples } from '../row.ts'
import { adminOrder } from './orders.ts'

const [item] = orderSample.items
const { skuId = '', code = '', name = '', options = [], quantity = 0, unitPrice = 0, total = 0 } = item ?? {}
const { refunded: _, refundPending: __, ...totals } = adminOrder.totals

export const editExamples: AdminExamples<typeof editOperationRows> = {
  editAdminOrder: {
    path: { orderId: orderSample.id },
    body: {
      idempotencyKey: '8d0f4f0c-6a1b-4f7f-8f6e-0f2b1f6a3c55',
      expectedVersion: adminOrder.version,
      items: [{ skuId, quantity }],
      dryRun: true,
    },
    reply: {
      data: {
        items: [{ skuId, code, name, options, before: quantity, quantity, unitPrice, total }],
        totals,
        difference: 0,
        refund: null,
        draftId: null,
        order: adminOrder,
      },
    },
  },
}
