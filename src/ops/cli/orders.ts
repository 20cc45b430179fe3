// The command `orders`: shows orders, and changes them as the operator. Addresses are only printed on request.

import type { AdminOperationId } from '../../contract/admin/operations.ts'
import type { Address } from '../../contract/open/carts.ts'
import type { OrderSummary } from '../../contract/open/orders.ts'
import { type Mode, orderCancellationReasons, orderStatuses } from '../../contract/words.ts'
import { addressLines } from '../../domain/addresses/lines.ts'
import { decryptAddress, UndecryptableAddress } from '../../domain/addresses/vault.ts'
import type { LegalSeller } from '../../domain/checkout/port.ts'
import { findMerchantFace } from '../../domain/merchants/store.ts'
import { type CancelInput, cancelOrder } from '../../domain/orders/cancel.ts'
import { carrierOfNumber } from '../../domain/orders/carriers.ts'
import { findOrderFacts } from '../../domain/orders/change.ts'
import { type Customer, decryptCustomer } from '../../domain/orders/customer.ts'
import { orderPaymentLifecycle } from '../../domain/orders/lifecycle.ts'
import {
  findOrderNamed,
  fulfilOrder,
  type Parcel,
  type RefundInput,
  recordOrderPaid,
  refundOrder,
  returnPayment,
  returnUndeliveredOrder,
} from '../../domain/orders/operator.ts'
import { needsNewRefund } from '../../domain/orders/refunds.ts'
import {
  findPlaceOfOrder,
  findSealedCustomer,
  listOrdersOfMerchant,
  type NamedOrder,
} from '../../domain/orders/store.ts'
import { type OrderFacts, orderSummary, orderView } from '../../domain/orders/view.ts'
import { type DisputeRow, disputeView, listDisputesOfOrder } from '../../domain/payments/disputes.ts'
import { shownStatus } from '../../domain/payments/lifecycle.ts'
import type { PaidRefund } from '../../domain/payments/refunds.ts'
import { findPayment, type PaymentRow, type RefundRow } from '../../domain/payments/store.ts'
import type { Config } from '../../platform/config.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { formatAmount } from '../../platform/kit/money.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { packingSlipDocument } from '../../web/checkout/slip.ts'
import {
  type Command,
  chooseMerchant,
  Misuse,
  merchantOption,
  type ParsedArguments,
  printReport,
  printResult,
  readLine,
  type Terminal,
  withMerchant,
  withStorage,
} from './command.ts'
import { findPaymentNamed, listInstallationIds, payRefundsAfter, printUnpaidRefunds } from './money.ts'
import { recordOrderCommand } from './written.ts'

const words = ['NUMBER_OR_ID'] as const

export const ordersCommand: Command = {
  summary: 'List and show orders, record payments, parcels and returns, and cancel and refund orders.',
  verbs: {
    list: {
      summary: 'List the newest orders.',
      effect: 'reads',
      options: {
        test: { help: 'list test orders, whose numbers begin with T- (default: live orders)' },
        status: { value: 'STATUS', help: `list only orders with this status: ${orderStatuses.join(', ')}` },
        limit: { value: 'N', help: 'number of orders (default: 50)' },
        after: {
          value: 'NUMBER_OR_ID',
          help: 'list orders that are older than this order, which is named at the end of the previous list',
        },
        merchant: merchantOption,
      },
      run: list,
    },
    show: {
      summary: 'Show an order.',
      effect: 'reads',
      words,
      options: { address: { help: 'also show the customer and the shipping address' }, merchant: merchantOption },
      run: show,
    },
    slip: {
      summary: 'Print the packing slip of an order as HTML.',
      effect: 'reads',
      words,
      options: { merchant: merchantOption },
      run: slip,
    },
    pay: {
      summary: 'Record that the total of an order with a manual payment has arrived.',
      effect: 'changes',
      words,
      options: { merchant: merchantOption },
      run: (given, terminal) =>
        change(given, terminal, 'payAdminOrder', (tx, key, now) => recordOrderPaid(tx, key, { now, cause: null })),
    },
    fulfil: {
      summary: 'Record that a parcel of an order was sent.',
      effect: 'changes',
      words,
      options: {
        test: { help: 'confirm that an order named by its id is a test order' },
        items: { value: 'SKU=QTY,SKU=QTY', help: 'items in the parcel (default: all items that are left)' },
        carrier: { value: 'NAME', help: 'name of the carrier' },
        tracking: { value: 'NUMBER', help: 'tracking number of the parcel' },
        anyway: { help: 'send the parcel even if the order is not paid or was refunded' },
        merchant: merchantOption,
      },
      run: fulfil,
    },
    return: {
      summary: 'Record that an order that was sent but not paid came back.',
      effect: 'changes',
      words,
      options: { restock: { help: 'put the returned items back into stock' }, merchant: merchantOption },
      run: comeBack,
    },
    cancel: {
      summary: 'Cancel an order, and refund it.',
      effect: 'changes',
      words,
      options: {
        'no-restock': { help: 'do not put the items back into stock' },
        reason: { value: 'REASON', help: `reason of the cancellation: ${orderCancellationReasons.join(', ')}` },
        note: { value: 'TEXT', help: 'note about the cancellation, which the app that sold the order can read' },
        merchant: merchantOption,
      },
      run: cancel,
    },
    refund: {
      summary: 'Refund an order, or a payment without an order.',
      effect: 'changes',
      words: ['NUMBER_OR_ID|PAYMENT_ID'],
      options: {
        amount: {
          value: 'MINOR',
          help: 'amount in minor units, such as 500 for 5.00 (default: the failed refunds, or else the amount that is left)',
        },
        reason: { value: 'TEXT', help: 'reason of the refund, for your records' },
        'by-hand': { help: 'record a refund that you have paid yourself, without calling the payment provider' },
        merchant: merchantOption,
      },
      run: refund,
    },
  },
}

async function fulfil(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const parcel = readParcel(given)
  return change(given, terminal, 'fulfilAdminOrder', (tx, key, now) => {
    // Typing the number shows that the user knows it is a test order; an id does not.
    const isTestMeant = given.flags.has('test') || given.word.toUpperCase() === key.number
    return fulfilOrder(tx, key, { ...parcel, isTestMeant }, { now, cause: null })
  })
}

function list(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const { status, limit = '50' } = given.texts
  const mode = given.flags.has('test') ? 'test' : 'live'
  const statuses = orderStatuses.filter((known) => status === undefined || known === status)
  if (statuses.length === 0) throw new Misuse(`--status must be one of ${orderStatuses.join(', ')}`)
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw new Misuse('--limit must be a whole number from 1 to 9999')
  return withMerchant(given, async (merchant, storage) => {
    const after = given.texts.after === undefined ? undefined : await findNamed(storage, given.texts.after, given)
    const { orders, next, isOnlyTest } = await storage.read(async (db) => {
      const input = { statuses, after: after && (await findPlaceOfOrder(db, after)) }
      const listIn = (wanted: Mode, most: number) =>
        listOrdersOfMerchant(db, merchant.id, { ...input, mode: wanted, limit: most })
      const found = await listIn(mode, Number(limit) + 1)
      const orders = found.slice(0, Number(limit)).map(orderSummary)
      const isAll = status === undefined && after === undefined
      const isOnlyTest = isAll && mode === 'live' && found.length === 0 && (await listIn('test', 1)).length > 0
      return { orders, next: found.length > orders.length ? (orders.at(-1)?.number ?? null) : null, isOnlyTest }
    })
    printResult(terminal, given, { orders, next }, () => [
      ...(isOnlyTest ? ['There are no live orders. Add --test to list test orders.'] : orders.map(rowText)),
      ...(next === null ? [] : [`To list older orders, add --after ${next}.`]),
    ])
    return 0
  })
}

function show(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const key = await findNamed(storage, given.word, given)
    const { facts, disputes, shown } = await storage.read(async (db) => {
      const facts = await findOrderFacts(db, key)
      if (!facts) throw refuse('order_not_found')
      const disputes = await listDisputesOfOrder(db, key.installationId, key.orderId)
      const sealed = given.flags.has('address') ? await openSealed(db, rootSecret, facts) : {}
      return { facts, disputes, shown: { order: orderView(facts), disputes: disputes.map(disputeView), ...sealed } }
    })
    printResult(terminal, given, shown, () => [...orderText(facts), ...disputes.map(disputeText), ...sealedText(shown)])
    return 0
  })
}

// Prints the items that are still to be sent, and the address. With --json, the packing slip is a member of the output.
function slip(given: ParsedArguments, terminal: Terminal): Promise<number> {
  return withStorage(given, async (storage, { rootSecret }) => {
    const key = await findNamed(storage, given.word, given)
    const text = await storage.read(async (db) => {
      const facts = await findOrderFacts(db, key)
      const merchant = facts && (await findMerchantFace(db, facts.order.merchantId))
      if (!merchant) throw refuse('order_not_found')
      const { order, lines } = facts
      const { address = null } = await openSealed(db, rootSecret, facts)
      const seller = merchant.legal === null ? { name: merchant.name } : (JSON.parse(merchant.legal) as LegalSeller)
      return packingSlipDocument({ seller, timeZone: merchant.timeZone, order, lines, address })
    })
    printResult(terminal, given, { slip: text }, () => [text.trimEnd()])
    return 0
  })
}

interface Sealed {
  customer?: Customer | null
  address?: Address | null
  // Members that could not be decrypted: their version of the root secret was discarded, or the row was changed outside of the server.
  unopened?: ('customer' | 'address')[]
}

async function openSealed(db: Reader, rootSecret: RootSecret, { order }: OrderFacts): Promise<Sealed> {
  const { installationId, id: orderId, checkoutSessionId, address } = order
  const customer = decryptCustomer(
    rootSecret,
    checkoutSessionId,
    await findSealedCustomer(db, { installationId, orderId }),
  )
  const name = address && { installationId, ownerId: orderId, id: address.token, now: Date.now() }
  const unopened: Sealed['unopened'] = customer ? [] : ['customer']
  const opened = name
    ? await decryptAddress(db, rootSecret, name).catch((error: unknown) => {
        if (!(error instanceof UndecryptableAddress)) throw error
        unopened.push('address')
      })
    : undefined
  return { customer: customer ?? null, address: opened ?? null, ...(unopened.length > 0 && { unopened }) }
}

function change(
  given: ParsedArguments,
  terminal: Terminal,
  operation: AdminOperationId,
  work: (tx: Tx, key: NamedOrder, now: number) => Promise<OrderFacts>,
): Promise<number> {
  return withStorage(given, async (storage) => {
    const key = await findNamed(storage, given.word, given)
    const now = Date.now()
    const facts = await storage.write((tx) =>
      recordOrderCommand(tx, key, { operation, now }, async () => {
        const done = await work(tx, key, now)
        return { done, facts: done }
      }),
    )
    printResult(terminal, given, { order: orderView(facts) }, () => orderText(facts))
    return 0
  })
}

// If the order still awaited its payment, the return makes a void due, and the command requests it immediately.
function comeBack(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const input = { isRestocked: given.flags.has('restock') }
  return withStorage(given, async (storage, config) => {
    const key = await findNamed(storage, given.word, given)
    const returned = await payRefundsAfter(storage, config, async (tx, now) => {
      const facts = await recordOrderCommand(tx, key, { operation: 'orders return', now }, async () => {
        const done = await returnUndeliveredOrder(tx, key, input, { now, cause: null })
        return { done, facts: done }
      })
      return { done: facts, payments: facts.payments }
    })
    return printChanged(storage, key, returned, given, terminal)
  })
}

// Cancels by the same rules as the API, with the same function.
function cancel(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const reason = orderCancellationReasons.find((known) => known === given.texts.reason) ?? null
  if (given.texts.reason !== undefined && reason === null)
    throw new Misuse(`--reason must be one of ${orderCancellationReasons.join(', ')}`)
  const input: CancelInput = {
    by: 'operator',
    expectedVersion: undefined,
    reason,
    note: readLine(given.texts.note, 'note', 500),
    isRestocked: !given.flags.has('no-restock'),
  }
  return withStorage(given, async (storage, config) => {
    const key = await findNamed(storage, given.word, given)
    const cancelled = await payRefundsAfter(storage, config, async (tx, now) => {
      const facts = await recordOrderCommand(tx, key, { operation: 'cancelAdminOrder', now }, async () => {
        const done = await cancelOrder(tx, key, input, { now, cause: null })
        return { done, facts: done }
      })
      return { done: facts, payments: facts.payments }
    })
    return printChanged(storage, key, cancelled, given, terminal)
  })
}

// Prints the changed order. The change is committed even if the refund failed.
async function printChanged(
  storage: Storage,
  key: NamedOrder,
  { done, paid }: { done: OrderFacts; paid: readonly PaidRefund[] },
  given: ParsedArguments,
  terminal: Terminal,
): Promise<number> {
  const facts = (await storage.read((db) => findOrderFacts(db, key))) ?? done
  const order = orderView(facts)
  printResult(terminal, given, { order }, () => orderText(facts))
  printUnpaidRefunds(terminal, `order ${order.number}`, paid)
  return 0
}

function refund(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const name = given.word
  const { amount, reason } = given.texts
  if (amount !== undefined && !/^[1-9]\d{0,15}$/.test(amount))
    throw new Misuse('--amount must be a whole number above 0')
  const input: RefundInput = {
    amount: amount === undefined ? null : Number(amount),
    reason: readLine(reason, 'reason', 500),
    isByHand: given.flags.has('by-hand'),
  }
  return withStorage(given, async (storage, config) => {
    const payment = isId('pay', name) ? await findPaymentNamed(storage, name, given) : undefined
    if (payment?.orderId === null) {
      if (amount !== undefined)
        throw new Misuse('--amount must not be given for a payment without an order, which is refunded as a whole')
      return givePaymentBack(storage, config, payment, { input, given, terminal })
    }
    const key = payment
      ? { installationId: payment.installationId, orderId: payment.orderId }
      : await findNamed(storage, name, given)
    const queued = await payRefundsAfter(storage, config, async (tx, now) => {
      const done = await recordOrderCommand(tx, key, { operation: 'refundAdminOrder', now }, async () => {
        const { facts, refund } = await refundOrder(tx, key, input, { now, cause: null })
        return { done: { facts, refund }, facts, refund }
      })
      return { done, payments: done.facts.payments }
    })
    const facts = (await storage.read((db) => findOrderFacts(db, key))) ?? queued.done.facts
    const order = orderView(facts)
    const made = order.refunds.find(({ id }) => id === queued.done.refund.id)
    return printReport(terminal, given, {
      value: { order, refund: made },
      lines: () => orderText(facts),
      error: printUnpaidRefunds(terminal, `order ${order.number}`, queued.paid),
    })
  })
}

// Refunds a payment without an order. Apps cannot see such payments.
async function givePaymentBack(
  storage: Storage,
  config: Config,
  payment: PaymentRow,
  { input, given, terminal }: { input: RefundInput; given: ParsedArguments; terminal: Terminal },
): Promise<number> {
  const { installationId, id } = payment
  const { paid } = await payRefundsAfter(storage, config, async (tx, now) => {
    const done = await returnPayment(tx, payment, input, { now, cause: null })
    return { done, payments: [payment] }
  })
  const { provider, amount, currency, status } =
    (await storage.read((db) => findPayment(db, installationId, id))) ?? payment
  return printReport(terminal, given, {
    value: { payment: { id, provider, amount, currency, status } },
    lines: () => [`${id}  ${provider}  ${status}  ${formatAmount(amount, currency, 'en')}`],
    error: printUnpaidRefunds(terminal, `payment ${id}`, paid),
  })
}

async function findNamed(storage: Storage, name: string, given: ParsedArguments): Promise<NamedOrder> {
  const merchant = await chooseMerchant(storage, given.texts.merchant)
  const key = await storage.read(async (db) => {
    for (const installationIds of await listInstallationIds(db, merchant)) {
      const found = await findOrderNamed(db, { merchantId: merchant.id, installationIds }, name)
      if (found) return found
    }
    return undefined
  })
  if (!key) throw refuse('order_not_found', { message: `The merchant ${merchant.slug} has no order ${name}.` })
  return key
}

function readParcel(given: ParsedArguments): Parcel {
  const { items, carrier, tracking } = given.texts
  const trackingNumber = readLine(tracking, 'tracking', 100)
  return {
    carrier: readLine(carrier, 'carrier', 100) ?? carrierOfNumber(trackingNumber),
    trackingNumber,
    items: items === undefined ? null : readItems(items),
    anyway: given.flags.has('anyway'),
  }
}

// A code may contain an equals sign: the last equals sign separates the quantity.
function readItems(text: string): Map<string, number> {
  const items = new Map<string, number>()
  for (const part of text.split(',')) {
    const [, code, quantity] = /^\s*(.+)=(\d{1,4})\s*$/.exec(part) ?? []
    if (code === undefined || Number(quantity) < 1) throw new Misuse('--items must look like ROSE-12=2,CARD=1')
    if (items.has(code)) throw new Misuse(`--items names ${code} twice`)
    items.set(code, Number(quantity))
  }
  return items
}

function rowText({
  number,
  mode,
  status,
  paymentStatus,
  fulfillmentStatus,
  total,
  currency,
  placedAt,
}: OrderSummary): string {
  const states = `${status.padEnd(10)}  ${paymentStatus.padEnd(18)}  ${fulfillmentStatus.padEnd(19)}`
  return `${number.padEnd(8)}  ${mode}  ${states}  ${placedAt}  ${formatAmount(total, currency, 'en')}`
}

function orderText(facts: OrderFacts): string[] {
  const order = orderView(facts)
  const { currency, totals, shipping, shippingAddress, promotion, cancellation } = order
  const money = (amount: number) => formatAmount(amount, currency, 'en')
  const codeOf = new Map(order.items.map(({ skuId, code }) => [skuId, code]))
  const contents = (items: readonly { skuId: string; quantity: number }[]) =>
    items.map(({ skuId, quantity }) => `${quantity} × ${codeOf.get(skuId)}`).join(', ')
  const rows: [name: string, value: string][] = [
    ['id', order.id],
    ['customer', order.customer.emailMasked ?? '–'],
    ...order.items.map((item): [string, string] => [
      'item',
      `${item.quantity} × ${item.code}, ${item.name}  ${money(item.total)}, ${item.fulfilled} sent`,
    ]),
    ...(shipping ? [row('shipping', `${shipping.label}  ${money(totals.shipping)}`)] : []),
    ...(shippingAddress ? [row('goes to', shippingAddress.summary)] : []),
    ...(promotion ? [row('promotion', `${promotion.code}  −${money(promotion.amount)}`)] : []),
    row('tax', `${money(totals.tax)}${totals.taxIncluded ? ', included' : ''}`),
    row('total', money(totals.total)),
    ...(totals.refunded > 0 ? [row('refunded', money(totals.refunded))] : []),
    ...(totals.refundPending > 0 ? [row('refunding', `${money(totals.refundPending)} pending`)] : []),
    ...dueRows(facts, money),
    ...facts.payments.map(({ provider, method, brand, last4, status, closedByHandAt }) =>
      row(
        'payment',
        [provider, method, brand, last4, shownStatus(status), closedByHandAt !== null && 'closed by hand']
          .filter(Boolean)
          .join(' '),
      ),
    ),
    ...facts.refunds.filter(({ kind }) => kind === 'refund').map((back) => row('refund', refundText(back, money))),
    ...order.fulfillments.map(({ carrier, trackingNumber, trackingUrl, items, at }) =>
      row('parcel', [at, carrier, trackingNumber, contents(items), trackingUrl].filter(Boolean).join('  ')),
    ),
    ...(cancellation
      ? [row('cancelled', [cancellation.reason, cancellation.note].filter(Boolean).join(': ') || '–')]
      : []),
    ...(order.paymentDueAt === null ? [] : [row('pay by', order.paymentDueAt)]),
    ...order.timeline.map(({ at, type, cancelledBy }) =>
      row('history', `${at}  ${type}${cancelledBy === null ? '' : ` by ${cancelledBy}`}`),
    ),
  ]
  return [rowText(order), ...rows.map(([name, value]) => `  ${name.padEnd(9)}  ${value}`)]
}

function refundText(refund: RefundRow, money: (amount: number) => string): string {
  const { id, amount, status, origin, reference, pendingAt } = refund
  const more =
    origin === 'provider'
      ? [`refunded at the payment provider${reference === null ? '' : ` (${reference})`}`]
      : status === 'pending' && pendingAt !== null
        ? ['in progress at the payment provider']
        : []
  return [`${id}  ${money(amount)}  ${status}`, ...more].join(', ')
}

function disputeText({ id, reference, amount, currency, status, reason, dueAt }: DisputeRow): string {
  const until = status === 'open' && dueAt !== null ? `answer by ${toInstant(dueAt)}` : null
  const facts = [`${id}  ${formatAmount(amount, currency, 'en')}  ${status}`, reason, until, reference].filter(Boolean)
  return `  ${'dispute'.padEnd(9)}  ${facts.join(', ')}`
}

// Rows about money that is owed and that no loop will refund.
function dueRows({ order, refunds }: OrderFacts, money: (amount: number) => string): [string, string][] {
  const lost = refunds.filter(needsNewRefund).reduce((sum, { amount }) => sum + amount, 0)
  const left =
    order.status === 'cancelled' && moveFor(orderPaymentLifecycle, 'queue', order.paymentStatus)
      ? order.total - order.refunded
      : 0
  const byHand = 'or add --by-hand if you have paid it yourself'
  if (lost > 0)
    return [
      row('owed', `${money(lost)} could not be refunded: run \`orders refund ${order.number}\` to retry, ${byHand}`),
    ]
  if (left === 0) return []
  return [row('owed', `${money(left)} must be refunded: run \`orders refund ${order.number}\`, ${byHand}`)]
}

function sealedText({ customer, address, unopened = [] }: Sealed): string[] {
  const none = unopened.includes('address') ? '(cannot be decrypted)' : '– (none or erased)'
  const who = unopened.includes('customer')
    ? ['(cannot be decrypted)']
    : customer
      ? [customer.email, customer.name, customer.phone].filter(Boolean)
      : []
  const where = address ? [...addressLines(address, address.country), ...(address.phone ? [address.phone] : [])] : []
  return [
    ...who.map((line) => `  ${'contact'.padEnd(9)}  ${line}`),
    ...where.map((line) => `  ${'address'.padEnd(9)}  ${line}`),
    ...(address === null ? [`  ${'address'.padEnd(9)}  ${none}`] : []),
  ]
}

function row(name: string, value: string): [string, string] {
  return [name, value]
}
