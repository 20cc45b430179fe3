// Creates an order, once per session and with a number per merchant and mode. The order, its lines, its events and the use of its
// promotion are written in the transaction that completes the session. In the same transaction the caller sells the stock and counts the
// use, because both may be refused.

import type { OrderPromotion } from '../../contract/open/orders.ts'
import type { Metadata, Totals } from '../../contract/parts.ts'
import type { Mode, TaxRelief } from '../../contract/words.ts'
import { moveFor, onlyMove } from '../../platform/kit/lifecycle.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { PaymentRow } from '../payments/store.ts'
import { announceIfUsedUp } from '../promotions/exhausted.ts'
import type { Promotion } from '../promotions/store.ts'
import type { VatCheck } from '../vat/check.ts'
import { announceOrderEvent } from './change.ts'
import { fulfillmentStatusFor, orderLifecycle, orderPaymentLifecycle } from './lifecycle.ts'
import { orderPageSecrets } from './secret.ts'
import {
  type ConsentRecord,
  copyAgentToOrder,
  insertOrder,
  insertOrderLines,
  insertPromotionUse,
  insertTimeline,
  type OrderLine,
  type OrderRow,
  queueDocument,
  type ShippingChoice,
  type TaxShare,
} from './store.ts'
import type { OrderFacts } from './view.ts'

export interface NewOrder {
  // Chosen by the caller beforehand: the address is encrypted for this id, and the payment refers to it.
  orderId: string
  // As returned by `assignOrderNumber`.
  number: string
  payments: readonly PaymentRow[]
  installationId: string
  merchantId: string
  mode: Mode
  session: {
    id: string
    cartId: string
    clientReferenceId: string | null
    metadata: Metadata
    locale: string
    customerSealed: string | null
    emailMasked: string | null
    emailHash: string | null
    // True if the session was opened for an agent.
    holdsLater?: boolean
  }
  currency: string
  lines: readonly Omit<OrderLine, 'fulfilled'>[]
  totals: Totals
  shippingTax: number
  // Null if nothing is shipped, several rates apply, or the rate is unknown.
  shippingTaxRateBps: number | null
  // The shipping amount and its tax at each rate; null unless several rates apply.
  shippingTaxes: readonly TaxShare[] | null
  shipping: ShippingChoice | null
  promotion: (OrderPromotion & { id: string }) | null
  // The consents that the shopper gave.
  consents: readonly ConsentRecord[]
  // Check of the buyer's VAT number.
  vat?: VatCheck | null
  // The discount that the merchant entered, if there is no promotion.
  ownDiscount?: number
  // The promotion after this use was counted.
  usedPromotion: Promotion | null
  addressId: string | null
  // City and country of the address. Deleted together with the address.
  addressSummaryText: string | null
  // False while the payment is pending.
  isPaid: boolean
  // Until when the order waits for its money; null if there is no deadline.
  paymentDueAt: number | null
  rootSecret: RootSecret
  now: number
  cause: Cause | null
}

export interface PlacedOrder {
  order: OrderRow
  lines: readonly OrderLine[]
  // The secret of the order's page: unencrypted for the shopper, and encrypted as it is stored.
  statusSecret: string
  secretSealed: string
}

// The caller has locked the session and checked that it has no order yet. If it had one, the unique index would refuse the insert.
export async function placeOrder(tx: Tx, given: NewOrder): Promise<PlacedOrder> {
  const { installationId, orderId, session, promotion, payments, now, cause } = given
  refuseWrongSums(given)
  const key = { installationId, orderId }
  const secret = orderPageSecrets.make(given.rootSecret, orderId)
  const order = orderFrom(given)
  const lines = given.lines.map((line): OrderLine => ({ ...line, fulfilled: 0 }))
  const placed: OrderFacts = {
    order,
    lines,
    timeline: [{ type: 'placed', at: now }],
    fulfillments: [],
    payments,
    refunds: [],
  }
  const { hash: secretHash, sealed: secretSealed } = secret
  const { customerSealed, emailHash } = session
  const use = promotion && { promotionId: promotion.id, orderId, emailHash, usedAt: now }
  // A paid order is announced by two events, `placed` and `paid`, which happen at the same time. The row is written with the version of
  // the second event.
  const paid = given.isPaid ? moveFor(orderPaymentLifecycle, 'pay', order.paymentStatus) : undefined
  const last = paid ? paidFacts(placed, paid.to, now) : placed
  insertOrder(tx, last.order, { customerSealed, emailHash, secretHash, secretSealed })
  if (session.holdsLater) copyAgentToOrder(tx, order)
  insertOrderLines(tx, order, lines)
  insertTimeline(tx, key, 0, last.timeline)
  if (use) insertPromotionUse(tx, order, use)
  if (paid) queueDocument(tx, order, { cause: 'order_paid', causeId: orderId, at: now })
  announceOrderEvent(tx, placed, onlyMove(orderLifecycle, 'place').announces, { now, cause })
  if (given.usedPromotion) await announceIfUsedUp(tx, order, given.usedPromotion, { now, cause })
  if (paid) announceOrderEvent(tx, last, paid.announces, { now, cause })
  const emails = [
    { kind: 'order_placed', subjectId: orderId },
    { kind: 'order_received', subjectId: orderId },
  ] as const
  queueEmails(tx, { ...key, merchantId: order.merchantId }, emails, now)
  return { order: last.order, lines, statusSecret: secret.text, secretSealed }
}

function paidFacts(placed: OrderFacts, paymentStatus: OrderRow['paymentStatus'], now: number): OrderFacts {
  return {
    ...placed,
    order: { ...placed.order, paymentStatus, version: placed.order.version + 1, updatedAt: now },
    timeline: [...placed.timeline, { type: 'paid', at: now }],
  }
}

function orderFrom(given: NewOrder): OrderRow {
  const { installationId, merchantId, mode, number, session, totals, promotion, addressId, now } = given
  return {
    id: given.orderId,
    installationId,
    merchantId,
    mode,
    number,
    version: 1,
    status: onlyMove(orderLifecycle, 'place').to,
    paymentStatus: onlyMove(orderPaymentLifecycle, 'await').to,
    fulfillmentStatus: fulfillmentStatusFor(given.lines.map((line) => ({ ...line, fulfilled: 0 }))),
    currency: given.currency,
    subtotal: totals.subtotal,
    discount: totals.discount,
    shipping: totals.shipping,
    shippingTax: given.shippingTax,
    shippingTaxRateBps: given.shippingTaxRateBps,
    shippingTaxes: given.shippingTaxes,
    tax: totals.tax,
    priceTax: totals.taxIncluded ? 'included' : 'excluded',
    total: totals.total,
    taxRelief: totals.taxReason ?? null,
    vat: given.vat ?? null,
    refunded: 0,
    reduced: 0,
    itemCount: sumOf(given.lines, ({ quantity }) => quantity),
    promotionId: promotion?.id ?? null,
    promotion: promotion && {
      code: promotion.code,
      name: promotion.name,
      type: promotion.type,
      amount: promotion.amount,
    },
    shippingChoice: given.shipping,
    address: addressId === null ? null : { token: addressId, summary: given.addressSummaryText ?? '' },
    checkoutSessionId: session.id,
    cartId: session.cartId,
    clientReferenceId: session.clientReferenceId,
    emailMasked: session.emailMasked,
    locale: session.locale,
    metadata: session.metadata,
    consents: given.consents,
    cancellation: null,
    paymentDueAt: given.paymentDueAt,
    placedAt: now,
    updatedAt: now,
  }
}

// Never writes an order whose sums do not agree, however it was priced. A promotion's discount on shipping is part of the discount of the
// order, but of no line.
function refuseWrongSums({ lines, totals, shippingTax, shippingTaxes, promotion, ownDiscount = 0 }: NewOrder): void {
  const lineDiscount = sumOf(lines, ({ discount }) => discount)
  const shippingCharged = totals.shipping - (totals.discount - lineDiscount)
  const agrees =
    lines.length > 0 &&
    lines.every((line) => isLineSum(line, totals.taxReason)) &&
    totals.subtotal === sumOf(lines, ({ subtotal }) => subtotal) &&
    totals.discount >= lineDiscount &&
    totals.discount - lineDiscount <= totals.shipping &&
    totals.discount === (promotion?.amount ?? ownDiscount) &&
    totals.tax === sumOf(lines, ({ tax }) => tax) + shippingTax &&
    (shippingTaxes === null ||
      (sumOf(shippingTaxes, ({ tax }) => tax) === shippingTax &&
        sumOf(shippingTaxes, ({ amount }) => amount) === shippingCharged)) &&
    totals.total === totals.subtotal - totals.discount + totals.shipping + (totals.taxIncluded ? 0 : totals.tax)
  if (!agrees) throw new Error('the total of the order is not the sum of its parts')
}

// If tax was deducted from a gross price, unit price and subtotal were each rounded, by at most half a minor unit.
function isLineSum(
  { unitPrice, quantity, subtotal }: Pick<OrderLine, 'unitPrice' | 'quantity' | 'subtotal'>,
  relief: TaxRelief | undefined,
): boolean {
  const isRounded = relief !== undefined && relief !== 'small_business'
  return 2 * Math.abs(subtotal - unitPrice * quantity) <= (isRounded ? quantity + 1 : 0)
}

function sumOf<Row>(rows: readonly Row[], amount: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + amount(row), 0)
}
