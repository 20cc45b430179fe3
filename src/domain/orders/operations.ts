// The three operations on orders, for installations.

import { limits } from '../../contract/limits.ts'
import type { OpenInterfaceHandler } from '../../platform/http/open.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { findMerchantFace, withdrawalPathOf } from '../merchants/store.ts'
import { cancelOrder } from './cancel.ts'
import { findOrderFacts } from './change.ts'
import { type OrderPageTools, orderPageUrl } from './secret.ts'
import { findSealedSecret, listOrders, listOrdersAfter } from './store.ts'
import { cancellationView, orderSummary, orderView } from './view.ts'

const rowsMax = limits.listRowsMax

type OrderOperation = 'listStorefrontOrders' | 'getStorefrontOrder' | 'cancelStorefrontOrder'

export function orderOperations(pages: OrderPageTools): { [Id in OrderOperation]: OpenInterfaceHandler<Id> } {
  return {
    async listStorefrontOrders({ db, caller: { installationId }, paging }) {
      const rows =
        paging.after === null
          ? await listOrders(db, installationId, rowsMax + 1)
          : await listOrdersAfter(db, installationId, readCursorPosition(paging.after, 'ord'), rowsMax + 1)
      const last = rows.length > rowsMax ? rows[rowsMax - 1] : undefined
      return {
        data: {
          orders: rows.slice(0, rowsMax).map(orderSummary),
          next: last ? paging.next(writeCursorPosition({ at: last.placedAt, id: last.id })) : null,
        },
      }
    },

    async getStorefrontOrder({ db, caller: { installationId }, path: { orderId } }) {
      if (!isId('ord', orderId)) throw refuse('order_not_found')
      const key = { installationId, orderId }
      const [facts, sealed] = await Promise.all([findOrderFacts(db, key), findSealedSecret(db, key)])
      if (!facts || sealed === undefined) throw refuse('order_not_found')
      const face = await findMerchantFace(db, facts.order.merchantId)
      const path = face ? withdrawalPathOf(face, facts.order.number) : null
      const withdrawalUrl = path === null ? null : pages.publicOrigin() + path
      return { data: { ...orderView(facts), statusUrl: orderPageUrl(pages, { orderId, sealed }), withdrawalUrl } }
    },

    async cancelStorefrontOrder({ db, caller: { installationId }, path: { orderId }, body, now, cause }) {
      if (!isId('ord', orderId)) throw refuse('order_not_found')
      const { order, refunds } = await cancelOrder(
        db,
        { installationId, orderId },
        {
          by: 'api',
          expectedVersion: body.expectedVersion,
          reason: body.reason ?? null,
          note: body.note ?? null,
          isRestocked: body.restock ?? true,
        },
        { now: now.getTime(), cause },
      )
      const cancellation = cancellationView(order, refunds)
      if (!cancellation) throw new Error(`order ${order.id} has no cancellation after it was cancelled`)
      return { data: { cancellation, order: orderSummary(order) } }
    },
  }
}
