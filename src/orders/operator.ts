// What the operator does with orders: a payment that came by hand, parcels, money back. Each is one transaction, and says
// in words why it was not done.

import { restock, takenBy } from '../inventory/sales.ts'
import { isId, newId } from '../kit/ids.ts'
import { moveFor } from '../kit/lifecycle.ts'
import { paymentLifecycle } from '../payments/lifecycle.ts'
import {
  insertPayment,
  listRefundsOfPayment,
  lockPayment,
  oweVoid,
  type PaymentRow,
  type RefundRow,
  savePayment,
} from '../payments/store.ts'
import { isPaidOnDelivery, manualName, manualReference } from '../providers/manual/provider.ts'
import type { Reader, Tx } from '../storage/storage.ts'
import { cancelFound, oweVoids } from './cancel.ts'
import { findOrderFacts, lockOrderFacts, type Moment, noteChange, tellChange } from './change.ts'
import {
  fulfillmentStatusFor,
  orderLifecycle,
  orderPaymentLifecycle,
  returnObstacle,
  sendingReason,
} from './lifecycle.ts'
import { isWaiting, oweRefund, payByHand } from './refunds.ts'
import {
  type CancellationRow,
  type FulfillmentRow,
  findOrderById,
  findOrderByNumber,
  insertFulfillment,
  isSellingLive,
  type NamedOrder,
  type OrderKey,
  type OrderLine,
  raiseFulfilled,
} from './store.ts'
import type { OrderFacts } from './view.ts'

export type Done = { facts: OrderFacts } | { problem: string }

// By its number or its id, of this merchant only.
export async function findOrderNamed(
  db: Reader,
  { merchantId, installationIds }: { merchantId: string; installationIds: readonly string[] },
  name: string,
): Promise<NamedOrder | undefined> {
  if (!isId('ord', name)) return findOrderByNumber(db, merchantId, name.toUpperCase())
  return installationIds.length > 0 ? findOrderById(db, installationIds, name) : undefined
}

// The money of a manual payment has come.
export async function payOrder(tx: Tx, key: OrderKey, moment: Moment): Promise<Done> {
  const found = await lockOrderFacts(tx, key)
  if (!found) return gone
  const { order } = found
  const move = moveFor(orderPaymentLifecycle, 'pay', order.paymentStatus)
  if (!move) return { problem: `order ${order.number} is ${order.paymentStatus}: no payment is awaited` }
  const isAwaited = order.paymentStatus === 'pending'
  const paid = await (isAwaited ? collectAwaited(tx, found, moment) : collectLate(tx, found, moment))
  if (!paid) return { problem: `order ${order.number} has no payment that is awaited` }
  const payments = [...found.payments.filter(({ id }) => id !== paid.id), paid]
  const change = { kind: move.announces, order: { paymentStatus: move.to }, timeline: ['paid'] } as const
  return { facts: tellChange(tx, { ...found, payments }, change, moment) }
}

async function collectAwaited(
  tx: Tx,
  { order, payments }: OrderFacts,
  moment: Moment,
): Promise<PaymentRow | undefined> {
  const awaited = payments.find(({ status }) => status === 'pending')
  const payment = awaited && (await lockPayment(tx, order.installationId, awaited.id))
  return payment?.status === 'pending' ? saveCollected(tx, payment, moment) : undefined
}

// A payment of its own: the one that was awaited is voided, or about to be, and that is not undone.
async function collectLate(tx: Tx, { order, payments }: OrderFacts, moment: Moment): Promise<PaymentRow | undefined> {
  const awaited = payments.find(({ provider }) => provider === manualName)
  if (!awaited) return undefined
  const { installationId, merchantId, mode, checkoutSessionId, provider, method, amount, currency } = awaited
  const asked = { installationId, merchantId, mode, checkoutSessionId, provider, method, amount, currency }
  const payment = insertPayment(tx, { ...asked, id: newId('pay'), checkAt: null }, moment.now)
  return saveCollected(tx, { ...payment, orderId: order.id, reference: manualReference(payment.id) }, moment)
}

async function saveCollected(tx: Tx, payment: PaymentRow, { now }: Moment): Promise<PaymentRow> {
  const move = moveFor(paymentLifecycle, 'collect', payment.status)
  if (!move) throw new Error(`payment ${payment.id} is ${payment.status} and cannot be collected`)
  const paid = { ...payment, status: move.to, checkAt: null, updatedAt: now }
  await savePayment(tx, paid)
  return paid
}

export interface Parcel {
  carrier: string | null
  trackingNumber: string | null
  // By the codes of SKUs. null: all that was not sent yet.
  items: ReadonlyMap<string, number> | null
  // Also where the money has not come, or went back.
  anyway?: boolean
  // Whoever sends it knows that it is a test order.
  isTestMeant?: boolean
}

export async function fulfilOrder(tx: Tx, key: OrderKey, parcel: Parcel, moment: Moment): Promise<Done> {
  const found = await lockOrderFacts(tx, key)
  if (!found) return gone
  const { order } = found
  if (order.status === 'cancelled' || order.status === 'completed')
    return { problem: `order ${order.number} is ${order.status}: nothing is to be sent` }
  if (order.mode === 'test' && !parcel.isTestMeant && (await isSellingLive(tx, order.merchantId)))
    return { problem: `order ${order.number} is a test order: name it by its number, or say --test` }
  const unpaid = parcel.anyway ? undefined : unpaidProblem(found)
  if (unpaid !== undefined) return { problem: unpaid }
  const sent = sentFrom(found.lines, parcel.items)
  if (typeof sent === 'string') return { problem: sent }
  const { carrier, trackingNumber } = parcel
  const fulfillment: FulfillmentRow = { id: newId('ful'), carrier, trackingNumber, items: sent, at: moment.now }
  insertFulfillment(tx, key, fulfillment)
  for (const item of sent) raiseFulfilled(tx, key, item)
  const lines = found.lines.map((line) => {
    const quantity = sent.find(({ skuId }) => skuId === line.skuId)?.quantity ?? 0
    return { ...line, fulfilled: line.fulfilled + quantity }
  })
  const facts = tellParcel(tx, found, { lines, fulfillment }, moment)
  return { facts }
}

function unpaidProblem({ order, payments }: OrderFacts): string | undefined {
  const awaited = payments.find(({ status }) => status === 'pending')
  const reason = sendingReason(order.paymentStatus, awaited && { isPaidOnDelivery: isPaidOnDelivery(awaited) })
  if (!reason) return undefined
  const missing = reason === 'not_paid' ? `: the ${awaited?.method ?? 'payment'} has not arrived` : ''
  return `order ${order.number} is ${order.paymentStatus}${missing} (--anyway sends it)`
}

// A parcel that is not the last one is told with the order being worked on. The last one is a fact of its own, and so is
// the end of the order.
function tellParcel(
  tx: Tx,
  found: OrderFacts,
  { lines, fulfillment }: { lines: readonly OrderLine[]; fulfillment: FulfillmentRow },
  moment: Moment,
): OrderFacts {
  const fulfillmentStatus = fulfillmentStatusFor(lines)
  const withParcel = { lines, fulfillments: [...found.fulfillments, fulfillment] }
  const start = moveFor(orderLifecycle, 'start', found.order.status)
  if (fulfillmentStatus !== 'fulfilled') {
    const move = start ?? moveFor(orderLifecycle, 'go_on', found.order.status)
    if (!move) throw new Error(`order ${found.order.id} is ${found.order.status} and a parcel was sent`)
    const order = { status: move.to, fulfillmentStatus }
    const timeline = start ? (['processing', 'partially_fulfilled'] as const) : (['partially_fulfilled'] as const)
    return tellChange(tx, { ...found, ...withParcel }, { kind: move.announces, order, timeline }, moment)
  }
  const started = start
    ? tellChange(tx, found, { kind: start.announces, order: { status: start.to }, timeline: ['processing'] }, moment)
    : found
  const sent = moveFor(orderLifecycle, 'fulfil', started.order.status)
  if (!sent) throw new Error(`order ${found.order.id} is ${started.order.status} and its last parcel was sent`)
  const all = { kind: sent.announces, order: { status: sent.to, fulfillmentStatus }, timeline: ['fulfilled'] } as const
  const fulfilled = tellChange(tx, { ...started, ...withParcel }, all, moment)
  const end = moveFor(orderLifecycle, 'complete', fulfilled.order.status)
  if (!end) throw new Error(`order ${found.order.id} is ${fulfilled.order.status} and all of it was sent`)
  return tellChange(tx, fulfilled, { kind: end.announces, order: { status: end.to }, timeline: ['completed'] }, moment)
}

// What goes into the parcel, or why it cannot.
function sentFrom(
  lines: readonly OrderLine[],
  items: ReadonlyMap<string, number> | null,
): { skuId: string; quantity: number }[] | string {
  const unknown = [...(items?.keys() ?? [])].find((code) => !lines.some((line) => line.code === code))
  if (unknown !== undefined) return `the order has no ${unknown}`
  const sent: { skuId: string; quantity: number }[] = []
  for (const { skuId, code, quantity, fulfilled } of lines) {
    const left = quantity - fulfilled
    const wanted = items ? (items.get(code) ?? 0) : left
    if (wanted > left) return `${left} of ${code} are left to send, not ${wanted}`
    if (wanted > 0) sent.push({ skuId, quantity: wanted })
  }
  return sent.length > 0 ? sent : 'there is nothing to send'
}

// What was sent and not paid, such as a parcel that is paid on delivery and was refused at the door, came back. No money is
// awaited any more. What was never sent goes back into stock, and what came back where the operator says so.
export async function returnOrder(
  tx: Tx,
  key: OrderKey,
  { isRestocked }: { isRestocked: boolean },
  moment: Moment,
): Promise<Done> {
  const found = await lockOrderFacts(tx, key)
  if (!found) return gone
  const { order, lines } = found
  const obstacle = returnObstacle(order)
  if (obstacle === 'not_sent') return { problem: `order ${order.number} was not sent: orders cancel ends it` }
  const move = moveFor(orderLifecycle, 'return', order.status)
  const voiding = moveFor(orderPaymentLifecycle, 'void', order.paymentStatus)
  if (obstacle || !move || !voiding)
    return { problem: `order ${order.number} is ${order.paymentStatus}: no payment is awaited` }
  if (move.to === 'cancelled') {
    const taken = await takenBy(tx, order, order.id)
    // Of a SKU on backorder what was taken is less than what was ordered.
    const unsent = lines
      .map(({ skuId, fulfilled }) => ({ skuId, quantity: (taken.get(skuId) ?? 0) - fulfilled }))
      .filter(({ quantity }) => quantity > 0)
    const restocked = isRestocked ? 'all' : unsent
    const wish = { verb: 'return', by: 'operator', reason: 'other', note: null, restocked } as const
    return { facts: await cancelFound(tx, found, wish, moment) }
  }
  if (isRestocked) await restock(tx, order, order.id, null, moment)
  if (move.owes === 'money_back') await oweVoids(tx, found, moment)
  const change = { status: move.to, paymentStatus: voiding.to }
  return { facts: tellChange(tx, found, { kind: move.announces, order: change, timeline: ['voided'] }, moment) }
}

export interface RefundWish {
  // null: what failed before, if anything did; else, and of a cancelled order, all that is left. By hand: what is on its way.
  amount: number | null
  reason: string | null
  // The operator has paid it: no provider is asked.
  isByHand?: boolean
}

export type Owed<Subject> = (Subject & { refund: RefundRow }) | { problem: string }

// Owed from now on, and paid by the loop. What failed before is owed anew, under a new key: a provider that refused one would
// answer the same again.
export async function refundOrder(
  tx: Tx,
  key: OrderKey,
  wish: RefundWish,
  moment: Moment,
): Promise<Owed<{ facts: OrderFacts }>> {
  const found = await lockOrderFacts(tx, key)
  if (!found) return gone
  const { order, refunds } = found
  const unvoided = found.payments.find(({ id }) => refunds.some((kept) => kept.paymentId === id && isLostVoid(kept)))
  if (unvoided) {
    const returned = await returnPayment(tx, unvoided, wish, moment)
    return 'problem' in returned ? returned : owedOf(tx, key, returned.refund)
  }
  if (!moveFor(orderPaymentLifecycle, 'owe', order.paymentStatus))
    return { problem: `order ${order.number} is ${order.paymentStatus}: there is nothing to refund` }
  const left = order.total - order.refunded
  const failed = refunds.filter(isWaiting)
  const lost = failed.reduce((sum, { amount }) => sum + amount, 0)
  const pending = refunds.filter(({ kind, status }) => kind === 'refund' && status === 'pending')
  const settled = wish.isByHand ? pendingMeant(pending, wish.amount) : undefined
  if (settled) {
    await payByHand(tx, settled, moment.now)
    return owedOf(tx, key, settled)
  }
  const unclear = unclearProblem(found, { wish, pending, lost })
  if (left > 0 && unclear !== undefined) return { problem: unclear }
  const amount = wish.amount ?? (order.cancellation === null && lost > 0 ? Math.min(lost, left) : left)
  const reason = wish.reason ?? failed.at(-1)?.reason ?? null
  const owed = left > 0 ? await oweRefund(tx, found, { amount, reason }, moment) : undefined
  if (!owed)
    return {
      problem:
        left === 0
          ? `nothing of order ${order.number} is left to refund`
          : `${left} minor units of order ${order.number} are left to refund, not ${amount}`,
    }
  const { refund } = owed
  const change = { cancellation: cancellationWith(order.cancellation, refund, failed) }
  noteChange(tx, owed.facts, { order: change, timeline: ['refund_started'] }, moment)
  if (wish.isByHand) await payByHand(tx, refund, moment.now)
  return owedOf(tx, key, refund)
}

// What an operator has paid by hand is what waits to be paid, before it is anything else.
function pendingMeant(pending: readonly RefundRow[], amount: number | null): RefundRow | undefined {
  if (amount === null) return pending.length === 1 ? pending[0] : undefined
  return pending.find((refund) => refund.amount === amount)
}

// A command that is given twice must not mean something else the second time, and a part of what failed must not make the
// rest forgotten.
function unclearProblem(
  { order: { number, cancellation } }: OrderFacts,
  { wish, pending, lost }: { wish: RefundWish; pending: readonly RefundRow[]; lost: number },
): string | undefined {
  const onItsWay = pending.map(({ amount }) => amount).join(' and ')
  if (wish.amount === null && pending.length > 0)
    return `${onItsWay} minor units of order ${number} are being refunded already: give --amount to refund more, or to name the one that you paid by hand`
  if (wish.amount !== null && cancellation === null && wish.amount < lost)
    return `${lost} minor units of order ${number} could not be paid back: refund them together, without --amount`
  return undefined
}

async function owedOf(tx: Tx, key: OrderKey, refund: RefundRow): Promise<Owed<{ facts: OrderFacts }>> {
  const facts = await findOrderFacts(tx, key)
  return facts ? { facts, refund } : gone
}

// The cancellation shows the refund that took the place of its own.
function cancellationWith(
  cancellation: CancellationRow | null,
  refund: RefundRow,
  failed: readonly RefundRow[],
): CancellationRow | null {
  if (!cancellation) return null
  const isReplaced = cancellation.refundId === null || failed.some(({ id }) => id === cancellation.refundId)
  return isReplaced ? { ...cancellation, refundId: refund.id } : cancellation
}

// A payment that was to be taken back as a whole, and could not be, is tried again.
export async function returnPayment(
  tx: Tx,
  payment: PaymentRow,
  { reason, isByHand }: Pick<RefundWish, 'reason' | 'isByHand'>,
  { now }: Moment,
): Promise<Owed<object>> {
  const refunds = await listRefundsOfPayment(tx, payment.installationId, payment.id)
  const pending = refunds.find(({ kind, status }) => kind === 'void' && status === 'pending')
  if (isByHand && pending) {
    await payByHand(tx, pending, now)
    return { refund: pending }
  }
  const failed = refunds.findLast(isLostVoid)
  if (!failed) return { problem: `nothing of payment ${payment.id} waits to be given back` }
  const refund = await oweVoid(tx, payment, { id: newId('rfd'), reason: reason ?? failed.reason }, now)
  if (!refund) return { problem: `payment ${payment.id} is on its way back` }
  if (isByHand) await payByHand(tx, refund, now)
  return { refund }
}

function isLostVoid(refund: RefundRow): boolean {
  return refund.kind === 'void' && isWaiting(refund)
}

const gone = { problem: 'there is no such order' }
