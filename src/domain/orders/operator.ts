// Changes that a merchant or the operator makes to an order: record payments, send and correct parcels, mark an order as undelivered,
// refund. They run in the transaction of the caller, and refuse what is not possible with a code.

import type { ItemQuantity } from '../../contract/parts.ts'
import type { EventKind, OrderPaymentStatus } from '../../contract/words.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { listUnitsTakenBy, restockSale } from '../inventory/sales.ts'
import { paymentLifecycle } from '../payments/lifecycle.ts'
import { isCountedBy } from '../payments/providers/counted.ts'
import { isPaidOnDelivery, manualName, manualReference } from '../payments/providers/manual/provider.ts'
import {
  insertPayment,
  listRefundsOfPayment,
  lockPayment,
  type PaymentRow,
  queueVoid,
  type RefundRow,
  savePayment,
} from '../payments/store.ts'
import { cancelLockedOrder, queueVoids } from './cancel.ts'
import { announceOrderChange, findOrderFacts, lockOrderFacts, recordOrderChange } from './change.ts'
import {
  correctionEvents,
  fulfillmentStatusFor,
  orderLifecycle,
  orderPaymentLifecycle,
  returnObstacle,
  sendObstacle,
} from './lifecycle.ts'
import { isPaidByHand, moneyAfterEntry, sumReceivedMoney } from './money.ts'
import { markRefundPaidByHand, needsNewRefund, queueEditRefund, queueRefund } from './refunds.ts'
import { splitRefund } from './spread.ts'
import {
  type CancellationRow,
  copyReplacedReturns,
  type FulfillmentRow,
  findOrderById,
  findOrderByNumber,
  insertFulfillment,
  insertMoneyByHand,
  isSellingLive,
  listLinesOfRefunds,
  listMoneyByHand,
  type NamedOrder,
  type OrderKey,
  type OrderLine,
  type RefundedLine,
  raiseFulfilled,
  updateFulfillment,
} from './store.ts'
import { type OrderFacts, orderTotals, orderView } from './view.ts'

// Finds an order of this merchant by its number or id.
export async function findOrderNamed(
  db: Reader,
  { merchantId, installationIds }: { merchantId: string; installationIds: readonly string[] },
  name: string,
): Promise<NamedOrder | undefined> {
  if (!isId('ord', name)) return findOrderByNumber(db, merchantId, name.toUpperCase())
  return installationIds.length > 0 ? findOrderById(db, installationIds, name) : undefined
}

// Records that the money for an order has arrived, whether a person or a provider reports it.
export async function recordOrderPaid(tx: Tx, key: OrderKey, context: ChangeContext): Promise<OrderFacts> {
  const found = await lockOrder(tx, key)
  const { order } = found
  const move = moveFor(orderPaymentLifecycle, 'pay', order.paymentStatus)
  if (!move) throw notAwaited(order)
  const isAwaited = order.paymentStatus === 'pending'
  if (isPaidByHand(found)) {
    const entries = await listMoneyByHand(tx, order)
    const amount = order.total - sumReceivedMoney(found, entries)
    if (amount > 0) noteMoney(tx, found, amount, context)
  }
  return collect(tx, found, { ...move, isAwaited }, context)
}

// Records received money. The order is paid once its total is reached, or if the merchant accepts less (`settles`).
export async function recordMoney(
  tx: Tx,
  key: OrderKey,
  input: { amount: number; settles: boolean },
  context: ChangeContext,
): Promise<{ facts: OrderFacts; before: number; received: number }> {
  const found = await lockOrder(tx, key)
  const { order } = found
  const isDue = order.paymentStatus === 'pending'
  if (!isPaidByHand(found) || (input.amount === 0 && !isDue)) throw notAwaited(order)
  const entries = await listMoneyByHand(tx, order)
  const before = sumReceivedMoney(found, entries)
  const { received, isPaid } = moneyAfterEntry(found, entries, input)
  // First records money that was received before entries existed.
  if (entries.length === 0 && before > 0) noteMoney(tx, found, before, { ...context, now: order.placedAt })
  noteMoney(tx, found, input.amount, context)
  const move = moveFor(orderPaymentLifecycle, 'pay', order.paymentStatus)
  if (!isPaid || !move) return { facts: found, before, received }
  const isAwaited = order.paymentStatus === 'pending'
  return { facts: await collect(tx, found, { ...move, isAwaited }, context), before, received }
}

function noteMoney(tx: Tx, { order }: OrderFacts, amount: number, { now }: ChangeContext): void {
  insertMoneyByHand(tx, order, { id: newId('mny'), amount, at: now })
}

async function collect(
  tx: Tx,
  found: OrderFacts,
  move: { to: OrderPaymentStatus; announces: EventKind; isAwaited: boolean },
  context: ChangeContext,
): Promise<OrderFacts> {
  const { order } = found
  const paid = await (move.isAwaited ? collectAwaited(tx, found, context) : collectLate(tx, found, context))
  if (!paid) throw notAwaited(order)
  const payments = [...found.payments.filter(({ id }) => id !== paid.id), paid]
  const facts = { isCancelled: order.status === 'cancelled' }
  queueEmails(
    tx,
    { installationId: order.installationId, orderId: order.id, merchantId: order.merchantId },
    [{ kind: 'payment_received', subjectId: paid.id, facts }],
    context.now,
  )
  const change = { kind: move.announces, order: { paymentStatus: move.to }, timeline: ['paid'] } as const
  return announceOrderChange(tx, { ...found, payments }, change, context)
}

async function lockOrder(tx: Tx, key: OrderKey): Promise<OrderFacts> {
  const found = await lockOrderFacts(tx, key)
  if (!found) throw refuse('order_not_found')
  return found
}

// Refuses if the caller has seen another version of the order. `current` contains the present order.
export function refuseOtherVersion(facts: OrderFacts, expected: number | undefined): void {
  const { version, status } = facts.order
  if (expected === undefined || expected === version) return
  const message = `The order is at version ${version}; the request expected ${expected}.`
  throw refuse('version_conflict', { message, current: { version, status, order: orderView(facts) } })
}

// Compares the refunded sum: a queued refund does not raise the version, so a caller who has not seen it would refund the same amount
// again.
export function refuseOtherRefunds(facts: OrderFacts, expected: number | undefined): void {
  const { version, status } = facts.order
  const { refunded: back, refundPending } = orderTotals(facts.order, facts.refunds)
  const refunded = back + refundPending
  if (expected === undefined || expected === refunded) return
  const message = `${refunded} minor units were refunded or are being refunded; the request expected ${expected}.`
  throw refuse('version_conflict', { message, current: { version, status, order: orderView(facts) } })
}

function notAwaited({ number, paymentStatus }: OrderFacts['order']): Refusal {
  const message = `Order ${number} is not waiting for a payment: its payment status is ${paymentStatus}.`
  return refuse('payment_not_awaited', { message, current: { paymentStatus } })
}

async function collectAwaited(
  tx: Tx,
  { order, payments }: OrderFacts,
  context: ChangeContext,
): Promise<PaymentRow | undefined> {
  const awaited = payments.find(({ status }) => status === 'pending')
  const payment = awaited && (await lockPayment(tx, order.installationId, awaited.id))
  return payment?.status === 'pending' ? saveCollected(tx, payment, context) : undefined
}

// Creates a new payment, because the original one is voided or about to be voided, which cannot be undone.
async function collectLate(
  tx: Tx,
  { order, payments }: OrderFacts,
  context: ChangeContext,
): Promise<PaymentRow | undefined> {
  const awaited = payments.find(({ provider }) => provider === manualName)
  if (!awaited) return undefined
  const { installationId, merchantId, mode, checkoutSessionId, provider, method, amount, currency } = awaited
  const asked = { installationId, merchantId, mode, checkoutSessionId, provider, method, amount, currency }
  const payment = insertPayment(tx, { ...asked, id: newId('pay'), checkAt: null }, context.now)
  return saveCollected(tx, { ...payment, orderId: order.id, reference: manualReference(payment.id) }, context)
}

async function saveCollected(tx: Tx, payment: PaymentRow, { now }: ChangeContext): Promise<PaymentRow> {
  const move = moveFor(paymentLifecycle, 'collect', payment.status)
  if (!move) throw new Error(`payment ${payment.id} is ${payment.status} and cannot be collected`)
  const paid = { ...payment, status: move.to, checkAt: null, updatedAt: now }
  await savePayment(tx, paid)
  return paid
}

export interface Parcel {
  carrier: string | null
  trackingNumber: string | null
  trackingUrl?: string | null
  // Quantities by code or id of the SKU; null for all items that have not been sent yet.
  items: ReadonlyMap<string, number> | null
  itemsBy?: 'code' | 'skuId'
  // Send the parcel even if the money has not arrived or was refunded.
  anyway?: boolean
  // The caller knows that this is a test order.
  isTestMeant?: boolean
}

export async function fulfilOrder(tx: Tx, key: OrderKey, parcel: Parcel, context: ChangeContext): Promise<OrderFacts> {
  const found = await lockOrder(tx, key)
  const { order } = found
  const sent = await resolveParcelContents(tx, found, parcel)
  const { carrier, trackingNumber, trackingUrl = null } = parcel
  const fulfillment = { id: newId('ful'), carrier, trackingNumber, trackingUrl, items: sent, at: context.now }
  insertFulfillment(tx, key, fulfillment)
  const email = { kind: 'shipped', subjectId: fulfillment.id } as const
  queueEmails(tx, { ...key, merchantId: order.merchantId }, [email], context.now)
  for (const item of sent) raiseFulfilled(tx, key, item)
  return announceParcel(tx, found, { lines: linesAfterParcel(found, sent), fulfillment }, context)
}

export function linesAfterParcel({ lines }: Pick<OrderFacts, 'lines'>, sent: readonly ItemQuantity[]): OrderLine[] {
  return lines.map((line) => {
    const quantity = sent.find(({ skuId }) => skuId === line.skuId)?.quantity ?? 0
    return { ...line, fulfilled: line.fulfilled + quantity }
  })
}

// Returns the contents of the parcel, or refuses if it must not be sent. Writes nothing.
export async function resolveParcelContents(db: Reader, found: OrderFacts, parcel: Parcel): Promise<ItemQuantity[]> {
  const { order } = found
  const { status, number } = order
  if (status === 'cancelled' || status === 'completed') {
    const message = `Order ${number} is ${status}, so nothing can be sent.`
    throw refuse('order_not_fulfillable', { message, current: { status } })
  }
  if (order.mode === 'test' && !parcel.isTestMeant && (await isSellingLive(db, order.merchantId)))
    throw refuse('order_is_test', { message: `Order ${number} is a test order.` })
  if (!parcel.anyway) refuseUnpaid(found)
  return sentFrom(found.lines, parcel.items, parcel.itemsBy ?? 'code')
}

function refuseUnpaid({ order: { number, paymentStatus }, payments }: OrderFacts): void {
  const awaited = payments.find(({ status }) => status === 'pending')
  const reason = sendObstacle(paymentStatus, awaited && { isPaidOnDelivery: isPaidOnDelivery(awaited) })
  if (!reason) return
  const missing = reason === 'not_paid' ? `: the ${awaited?.method ?? 'payment'} has not arrived` : ''
  const message = `Order ${number} is ${paymentStatus}${missing}.`
  throw refuse('order_not_paid', { message, current: { paymentStatus } })
}

// A parcel that is not the last one is announced by the event that the order is being processed. The last parcel has an event of its own,
// and so has the completion of the order.
function announceParcel(
  tx: Tx,
  found: OrderFacts,
  { lines, fulfillment }: { lines: readonly OrderLine[]; fulfillment: FulfillmentRow },
  context: ChangeContext,
): OrderFacts {
  const fulfillmentStatus = fulfillmentStatusFor(lines)
  const withParcel = { lines, fulfillments: [...found.fulfillments, fulfillment] }
  const start = moveFor(orderLifecycle, 'start', found.order.status)
  if (fulfillmentStatus !== 'fulfilled') {
    const move = start ?? moveFor(orderLifecycle, 'go_on', found.order.status)
    if (!move)
      throw new Error(`order ${found.order.id} is ${found.order.status} and cannot go on after a parcel was sent`)
    const order = { status: move.to, fulfillmentStatus }
    const timeline = start ? (['processing', 'partially_fulfilled'] as const) : (['partially_fulfilled'] as const)
    return announceOrderChange(tx, { ...found, ...withParcel }, { kind: move.announces, order, timeline }, context)
  }
  const started = start
    ? announceOrderChange(
        tx,
        found,
        { kind: start.announces, order: { status: start.to }, timeline: ['processing'] },
        context,
      )
    : found
  return announceFulfilled(tx, { ...started, ...withParcel }, context)
}

// Called when nothing is left to send: the last parcel was sent, or an edit removed the remaining items.
export function announceFulfilled(tx: Tx, started: OrderFacts, context: ChangeContext): OrderFacts {
  const { id, status } = started.order
  const sent = moveFor(orderLifecycle, 'fulfil', status)
  if (!sent) throw new Error(`order ${id} is ${status} and cannot be fulfilled by its last parcel`)
  const fulfillmentStatus = fulfillmentStatusFor(started.lines)
  const all = { kind: sent.announces, order: { status: sent.to, fulfillmentStatus }, timeline: ['fulfilled'] } as const
  const fulfilled = announceOrderChange(tx, started, all, context)
  const end = moveFor(orderLifecycle, 'complete', fulfilled.order.status)
  if (!end) throw new Error(`order ${id} is ${fulfilled.order.status} and cannot be completed`)
  return announceOrderChange(
    tx,
    fulfilled,
    { kind: end.announces, order: { status: end.to }, timeline: ['completed'] },
    context,
  )
}

// Returns the contents of the parcel.
function sentFrom(
  lines: readonly OrderLine[],
  items: ReadonlyMap<string, number> | null,
  by: 'code' | 'skuId',
): ItemQuantity[] {
  const unknown = [...(items?.keys() ?? [])].find((code) => !lines.some((line) => line[by] === code))
  if (unknown !== undefined) throw notLeft(`The order has no item ${unknown}.`, { code: unknown, left: 0 })
  const sent: ItemQuantity[] = []
  for (const line of lines) {
    const { skuId, code, quantity, fulfilled } = line
    const left = quantity - fulfilled
    const wanted = items ? (items.get(line[by]) ?? 0) : left
    if (wanted > left)
      throw notLeft(`The order has ${left} of ${code} left to send, but the request sends ${wanted}.`, { code, left })
    if (wanted > 0) sent.push({ skuId, quantity: wanted })
  }
  if (sent.length === 0) throw notLeft('The order has no items left to send.', null)
  return sent
}

function notLeft(message: string, current: { code: string; left: number } | null): Refusal {
  return refuse('fulfillment_not_possible', { message, ...(current && { current }) })
}

// Records that an unpaid parcel came back, such as one to be paid on delivery that the recipient refused. The money is no longer awaited.
// Items that were never sent are restocked; returned items only if the operator asks for it.
export async function returnUndeliveredOrder(
  tx: Tx,
  key: OrderKey,
  { isRestocked }: { isRestocked: boolean },
  context: ChangeContext,
): Promise<OrderFacts> {
  const found = await lockOrder(tx, key)
  const { order, lines } = found
  const obstacle = returnObstacle(order)
  if (obstacle === 'not_sent')
    throw refuse('order_not_sent', { message: `Order ${order.number} cannot be returned, because it was not sent.` })
  const move = moveFor(orderLifecycle, 'return', order.status)
  const voiding = moveFor(orderPaymentLifecycle, 'void', order.paymentStatus)
  if (obstacle || !move || !voiding) throw notAwaited(order)
  if (move.to === 'cancelled') {
    const taken = await listUnitsTakenBy(tx, order, order.id)
    // Fewer units than ordered were taken from stock if a SKU was on backorder.
    const unsent = lines
      .map(({ skuId, fulfilled }) => ({ skuId, quantity: (taken.get(skuId) ?? 0) - fulfilled }))
      .filter(({ quantity }) => quantity > 0)
    const restocked = isRestocked ? 'all' : unsent
    const input = { verb: 'return', by: 'operator', reason: 'other', note: null, restocked } as const
    return cancelLockedOrder(tx, found, input, context)
  }
  if (isRestocked) await restockSale(tx, order, order.id, null, context)
  if (move.due === 'money_back') await queueVoids(tx, found, context)
  const change = { status: move.to, paymentStatus: voiding.to }
  return announceOrderChange(tx, found, { kind: move.announces, order: change, timeline: ['voided'] }, context)
}

// Tracking is part of the order, so a correction raises the version and needs an event: the event of the present fulfillment status is
// sent again.
export async function correctFulfillment(
  tx: Tx,
  facts: OrderFacts,
  corrected: FulfillmentRow,
  context: ChangeContext,
): Promise<OrderFacts> {
  const { installationId, id: orderId, fulfillmentStatus } = facts.order
  await updateFulfillment(tx, { installationId, orderId }, corrected)
  const fulfillments = facts.fulfillments.map((known) => (known.id === corrected.id ? corrected : known))
  const kind = correctionEvents[fulfillmentStatus]
  return announceOrderChange(tx, { ...facts, fulfillments }, { kind, timeline: [] }, context)
}

export interface RefundInput {
  // Null: if refunds have failed and the order is not cancelled, their sum; otherwise everything that is left. If paid by hand and a
  // refund is pending, null means that refund.
  amount: number | null
  reason: string | null
  // The operator has paid the money back, so no provider is called.
  isByHand?: boolean
  // The refunded lines, if known. Default: the lines of the failed refunds that this refund replaces.
  lines?: readonly RefundedLine[]
}

export interface QueuedRefund {
  facts: OrderFacts
  // `refunds`: all refunds that share the amount; `refund` is the first of them.
  refund: RefundRow
  refunds: readonly RefundRow[]
}

// Queues a refund, which a job pays. A failed refund is replaced by a refund with a new key: for the old key, the provider would repeat
// its response.
export async function refundOrder(
  tx: Tx,
  key: OrderKey,
  input: RefundInput,
  context: ChangeContext,
): Promise<QueuedRefund> {
  const found = await lockOrder(tx, key)
  const { order, refunds } = found
  const unvoided = unvoidedOf(found)
  if (unvoided) return queuedOf(tx, key, [await returnPayment(tx, unvoided, input, context)])
  const lost = lostEditRefund(found, input)
  if (lost) return queuedOf(tx, key, await refundEditAgain(tx, found, lost, input, context))
  refuseUnpaidFor(found)
  const settled = input.isByHand ? pendingMeant(pendingOf(refunds), input.amount) : []
  if (settled.length > 0) {
    for (const refund of settled) await markRefundPaidByHand(tx, refund, context.now)
    return queuedOf(tx, key, settled)
  }
  const { number } = order
  const left = order.total - order.refunded
  const failed = waitingOf(refunds)
  const amount = amountMeant(found, input)
  if (!input.isByHand) refuseUncounted(found, amount)
  const reason = input.reason ?? failed.at(-1)?.reason ?? null
  const lines = input.lines ?? (await listLinesOfRefunds(tx, key, failed))
  const queued = await queueRefund(tx, found, { amount, reason, lines }, context)
  if (!queued) throw tooHigh(number, left, amount)
  if (failed.length > 0) copyReplacedReturns(tx, key, queued.refunds)
  const change = { cancellation: cancellationWith(order.cancellation, queued.refunds[0], failed) }
  recordOrderChange(tx, queued.facts, { order: change, timeline: ['refund_started'] }, context)
  if (input.isByHand) for (const refund of queued.refunds) await markRefundPaidByHand(tx, refund, context.now)
  return queuedOf(tx, key, queued.refunds)
}

// Returns the amount that a refund would pay, or throws the refusal of this refund. Writes nothing.
export function refundAmountFor(found: OrderFacts, input: RefundInput): number {
  const unvoided = unvoidedOf(found)
  if (unvoided) return unvoided.amount
  const lost = lostEditRefund(found, input)
  if (lost) return lost.amount
  refuseUnpaidFor(found)
  const amount = amountMeant(found, input)
  const { number, total, refunded } = found.order
  if (!input.isByHand) refuseUncounted(found, amount)
  if (amount <= total - refunded) return amount
  throw tooHigh(number, total - refunded, amount)
}

function waitingOf(refunds: readonly RefundRow[]): RefundRow[] {
  return refunds.filter((refund) => needsNewRefund(refund) && refund.editId === null)
}

interface LostEditRefund {
  editId: string
  amount: number
  reason: string | null
}

// Returns the failed refunds of one edit, added up over all payments. They are queued again together, and before any other refund.
function lostEditRefund({ refunds }: OrderFacts, { amount, lines }: RefundInput): LostEditRefund | undefined {
  if (lines) return undefined
  const lost = new Map<string, LostEditRefund>()
  for (const refund of refunds) {
    const { editId, reason } = refund
    if (!needsNewRefund(refund) || editId === null) continue
    const before = lost.get(editId)?.amount ?? 0
    lost.set(editId, { editId, reason, amount: before + refund.amount })
  }
  return [...lost.values()].find((one) => amount === null || amount === one.amount)
}

async function refundEditAgain(
  tx: Tx,
  found: OrderFacts,
  { amount, editId, reason }: LostEditRefund,
  input: RefundInput,
  context: ChangeContext,
): Promise<readonly RefundRow[]> {
  const again = { amount, editId, reason: input.reason ?? reason }
  const refunds = await queueEditRefund(tx, found, again, context.now)
  if (!refunds) throw tooHigh(found.order.number, 0, amount)
  recordOrderChange(tx, found, { timeline: ['refund_started'] }, context)
  if (input.isByHand) for (const refund of refunds) await markRefundPaidByHand(tx, refund, context.now)
  return refunds
}

function tooHigh(number: string, left: number, amount: number): Refusal {
  const message = `${left} minor units of order ${number} are left to refund, but the request refunds ${amount}.`
  return refuse('refund_amount_too_high', { message, current: { left } })
}

// Checked before anything is queued: a provider may not be able to pay the smallest units of a currency, such as the third decimal of a
// dinar.
export function refuseUncounted(facts: OrderFacts, amount: number): void {
  const { number, currency } = facts.order
  for (const { paymentId, amount: part } of splitRefund(facts, amount)) {
    const { provider = '' } = facts.payments.find(({ id }) => id === paymentId) ?? {}
    if (isCountedBy(provider, part, currency)) continue
    const message = `${provider} cannot refund ${part} minor units of order ${number}, because it does not pay such a small part of ${currency}: choose another amount, or refund by hand.`
    throw refuse('refund_amount_not_payable', { message, current: { provider } })
  }
}

// Returns the payment whose void failed, if any.
function unvoidedOf({ payments, refunds }: OrderFacts): PaymentRow | undefined {
  return payments.find(({ id }) => refunds.some((kept) => kept.paymentId === id && isLostVoid(kept)))
}

function pendingOf(refunds: readonly RefundRow[]): RefundRow[] {
  return refunds.filter(({ kind, status }) => kind === 'refund' && status === 'pending')
}

function refuseUnpaidFor({ order: { number, paymentStatus } }: OrderFacts): void {
  if (!moveFor(orderPaymentLifecycle, 'queue', paymentStatus))
    throw nothingToRefund(`Order ${number} is ${paymentStatus}: there is nothing to refund.`, { paymentStatus })
}

function amountMeant(found: OrderFacts, input: RefundInput): number {
  const { order, refunds } = found
  const left = order.total - order.refunded
  const lost = waitingOf(refunds).reduce((sum, { amount }) => sum + amount, 0)
  if (left === 0)
    throw nothingToRefund(`Order ${order.number} has no amount left to refund.`, { paymentStatus: order.paymentStatus })
  refuseUnclear(found, { input, pending: pendingOf(refunds), lost })
  return input.amount ?? (order.cancellation === null && lost > 0 ? Math.min(lost, left) : left)
}

// A refund that the operator paid by hand is first matched with a pending refund, or with all refunds that share an amount over several
// payments.
function pendingMeant(pending: readonly RefundRow[], amount: number | null): RefundRow[] {
  const shares = new Map<string, RefundRow[]>()
  for (const refund of pending) {
    const first = refund.partOf ?? refund.id
    shares.set(first, [...(shares.get(first) ?? []), refund])
  }
  if (amount === null) return shares.size === 1 ? [...pending] : []
  const one = pending.find((refund) => refund.amount === amount)
  if (one) return [one]
  return [...shares.values()].find((spread) => spread.reduce((sum, part) => sum + part.amount, 0) === amount) ?? []
}

// Refuses ambiguous requests: a command that is repeated must not refund twice, and refunding part of a failed amount must not lose the
// rest.
function refuseUnclear(
  { order: { number, cancellation } }: OrderFacts,
  { input, pending, lost }: { input: RefundInput; pending: readonly RefundRow[]; lost: number },
): void {
  if (input.amount === null && pending.length > 0) {
    const amounts = pending.map(({ amount }) => amount)
    const message = `${amounts.join(' and ')} minor units of order ${number} are already being refunded: name the amount of a further refund, or of the pending refund that you paid by hand.`
    throw refuse('refund_pending', { message, current: { amounts } })
  }
  if (input.amount !== null && cancellation === null && input.amount < lost) {
    const message = `${lost} minor units of order ${number} could not be refunded: refund them as a whole, without naming an amount.`
    throw refuse('refund_amount_too_low', { message, current: { lost } })
  }
}

function nothingToRefund(message: string, current: Readonly<Record<string, unknown>>): Refusal {
  return refuse('nothing_to_refund', { message, current })
}

async function queuedOf(tx: Tx, key: OrderKey, refunds: readonly RefundRow[]): Promise<QueuedRefund> {
  const facts = await findOrderFacts(tx, key)
  const [refund] = refunds
  if (!facts || !refund) throw refuse('order_not_found')
  return { facts, refund, refunds }
}

// If the new refund replaces that of the cancellation, the cancellation refers to the new refund.
function cancellationWith(
  cancellation: CancellationRow | null,
  refund: RefundRow,
  failed: readonly RefundRow[],
): CancellationRow | null {
  if (!cancellation) return null
  const isReplaced = cancellation.refundId === null || failed.some(({ id }) => id === cancellation.refundId)
  return isReplaced ? { ...cancellation, refundId: refund.id } : cancellation
}

// Voids a payment again after the first void failed.
export async function returnPayment(
  tx: Tx,
  payment: PaymentRow,
  { reason, isByHand }: Pick<RefundInput, 'reason' | 'isByHand'>,
  { now }: ChangeContext,
): Promise<RefundRow> {
  const refunds = await listRefundsOfPayment(tx, payment.installationId, payment.id)
  const pending = refunds.find(({ kind, status }) => kind === 'void' && status === 'pending')
  if (isByHand && pending) {
    await markRefundPaidByHand(tx, pending, now)
    return pending
  }
  const failed = refunds.findLast(isLostVoid)
  const { id: paymentId, status } = payment
  if (!failed) throw nothingToRefund(`Payment ${paymentId} has no failed refund that could be paid again.`, { status })
  const refund = await queueVoid(tx, payment, { id: newId('rfd'), reason: reason ?? failed.reason }, now)
  if (!refund) throw refuse('refund_pending', { message: `Payment ${paymentId} is already being refunded.` })
  if (isByHand) await markRefundPaidByHand(tx, refund, now)
  return refund
}

function isLostVoid(refund: RefundRow): boolean {
  return refund.kind === 'void' && needsNewRefund(refund)
}
