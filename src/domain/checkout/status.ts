// Reads the page of an order at its secret address.

import { toInstant } from '../../platform/kit/instant.ts'
import { pricedMeasure } from '../../platform/kit/unitprice.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { listDocumentsOfOrder } from '../documents/store.ts'
import { findMerchantFace } from '../merchants/store.ts'
import { findOrderFacts } from '../orders/change.ts'
import { findOrderOfSecret, listRefundedLines } from '../orders/store.ts'
import { cancellationView, type OrderFacts, orderTotals, trackingUrlOf } from '../orders/view.ts'
import { isReturnOpen } from '../returns/lifecycle.ts'
import { listReturnsOfOrder } from '../returns/store.ts'
import { returnableUnits } from '../returns/units.ts'
import { returnNumber } from '../returns/view.ts'
import { loadAwaitedMoney } from './awaited.ts'
import type { CheckoutMerchant, OrderStatusPort, OrderStatusView } from './port.ts'

export function createOrderStatusService(storage: Storage, pictureUrl: (picture: string) => string): OrderStatusPort {
  return async (secret) => {
    if (!isPageSecret(secret)) return undefined
    return storage.read(async (db) => {
      const key = await findOrderOfSecret(db, pageSecretHash(secret))
      const facts = key && (await findOrderFacts(db, key))
      if (!facts) return undefined
      const { order, lines, timeline, fulfillments, payments, refunds } = facts
      const merchant = await findMerchantFace(db, order.merchantId)
      if (!merchant) return undefined
      const { returns, returnable } = await returnsOf(db, facts)
      return {
        merchant: { ...merchant, links: JSON.parse(merchant.links) as CheckoutMerchant['links'] },
        number: order.number,
        mode: order.mode,
        status: order.status,
        paymentStatus: shownPaymentStatus(facts),
        fulfillmentStatus: order.fulfillmentStatus,
        currency: order.currency,
        locale: order.locale,
        items: lines.map(({ skuId, name, options, image, quantity, fulfilled, subtotal, ...line }) => ({
          skuId,
          name,
          options,
          imageUrl: image === null ? null : pictureUrl(image),
          quantity,
          fulfilled,
          returnable: returnable.get(skuId) ?? 0,
          subtotal,
          unitPrice: line.unitPrice,
          measure: pricedMeasure(line.measure, line.unitPrice),
          withdrawalExempt: line.withdrawalExempt,
        })),
        returns,
        totals: orderTotals(order, refunds),
        shippingLabel: order.shippingChoice?.label ?? null,
        addressSummary: order.address?.summary ?? null,
        awaited: await loadAwaitedMoney(db, order, payments),
        isOverdue: order.cancellation?.by === 'system',
        fulfillments: fulfillments.map((parcel) => ({
          carrier: parcel.carrier,
          trackingNumber: parcel.trackingNumber,
          trackingUrl: trackingUrlOf(parcel),
          at: toInstant(parcel.at),
        })),
        documents: (await listDocumentsOfOrder(db, order.merchantId, order.id)).map(({ id, kind, number }) => ({
          id,
          kind,
          number,
        })),
        timeline: timeline.map(({ type, at }) => ({ type, at: toInstant(at) })),
        placedAt: toInstant(order.placedAt),
      }
    })
  }
}

interface OrderReturns {
  returns: OrderStatusView['returns']
  // Returnable units by SKU.
  returnable: ReadonlyMap<string, number>
}

// Nothing can be returned before something is sent, so most views need no further query.
async function returnsOf(db: Reader, { order, lines }: OrderFacts): Promise<OrderReturns> {
  if (order.status === 'cancelled' || lines.every(({ fulfilled }) => fulfilled === 0))
    return { returns: [], returnable: new Map() }
  const key = { installationId: order.installationId, orderId: order.id }
  const [returns, refunded] = await Promise.all([listReturnsOfOrder(db, key), listRefundedLines(db, key)])
  const others = returns.map((one) => ({ status: one.row.status, lines: one.lines }))
  return {
    returns: returns.map((one) => ({
      number: returnNumber(one.row),
      status: one.row.status,
      isOpen: isReturnOpen(one.row.status),
      items: one.lines.map(({ name, quantity }) => ({ name, quantity })),
      exchanges: one.exchanges.map(({ orderNumber }) => orderNumber),
      answer: one.row.answer,
      labelUrl: one.row.labelUrl,
    })),
    returnable: new Map(lines.map((line) => [line.skuId, returnableUnits(line, refunded, others)])),
  }
}

// After a cancellation the shopper waits for the refund, so the progress of the refund is shown instead of the order's payment status.
function shownPaymentStatus({ order, refunds }: OrderFacts): OrderStatusView['paymentStatus'] {
  switch (cancellationView(order, refunds)?.status) {
    case 'refund_failed':
      return 'refund_failed'
    case 'refund_pending':
      return 'refunding'
    default:
      return order.paymentStatus
  }
}
