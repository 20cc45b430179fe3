// The changes of a return. The caller must have locked the order; each step is written with its event and its e-mails.

import type { ItemQuantity } from '../../contract/parts.ts'
import type { ReturnOpener, ReturnReason, ReturnWish } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { moveFor, onlyMove } from '../../platform/kit/lifecycle.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import { announce, type ChangeContext } from '../../platform/outbox/announce.ts'
import { type QueuedEmail, queueEmails } from '../../platform/outbox/emails.ts'
import { encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { restockSale } from '../inventory/sales.ts'
import { listRefundedLines } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { isReturnOpen, returnLifecycle } from './lifecycle.ts'
import {
  expireExchange,
  insertReturn,
  listReturnsOfOrder,
  type ReturnExchangeRow,
  type ReturnFacts,
  type ReturnLine,
  type ReturnRow,
  raiseReceived,
  saveReturn,
} from './store.ts'
import { returnableUnits } from './units.ts'
import { returnView } from './view.ts'

export const returnNotePurpose = 'return note'

export interface NewReturn {
  items: readonly ItemQuantity[]
  reason: ReturnReason
  wish: ReturnWish
  openedBy: ReturnOpener
  // The shopper's text; '' if there is none.
  note: string
  answer: string | null
  labelUrl: string | null
}

// A return that the shopper requests waits for the merchant's answer. A return that the merchant opens is approved.
export async function openReturn(
  tx: Tx,
  rootSecret: RootSecret,
  facts: OrderFacts,
  given: NewReturn,
  context: ChangeContext,
): Promise<ReturnFacts> {
  const { order } = facts
  const { installationId, merchantId, mode, id: orderId, number: orderNumber, currency } = order
  const key = { installationId, orderId }
  const [returns, refunded] = await Promise.all([listReturnsOfOrder(tx, key), listRefundedLines(tx, key)])
  const open = returns.find(({ row }) => isReturnOpen(row.status))
  if (open) throw refuse('return_already_open', { current: { returnId: open.row.id, status: open.row.status } })
  const others = returns.map(({ row, lines }) => ({ status: row.status, lines }))
  const items = summed(given.items)
  for (const { skuId, quantity } of items) {
    const line = facts.lines.find((one) => one.skuId === skuId)
    const left = line ? returnableUnits(line, refunded, others) : 0
    if (quantity > left)
      throw notLeft(
        `The order has ${left} of ${line?.code ?? skuId} left to return, but the request returns ${quantity}.`,
        skuId,
        left,
      )
  }
  const { reason, wish, openedBy, note, answer, labelUrl } = given
  const move = onlyMove(returnLifecycle, openedBy === 'shopper' ? 'request' : 'open')
  const id = newId('ret')
  const row: ReturnRow = {
    ...{ installationId, id, merchantId, mode, orderId, orderNumber, currency },
    ...{ reason, wish, openedBy, answer, labelUrl, status: move.to, version: 1 },
    position: returns.length + 1,
    noteSealed: note === '' ? null : encryptByRootSecret(rootSecret, returnNotePurpose, note, id),
    requestedAt: context.now,
    updatedAt: context.now,
  }
  insertReturn(tx, row, items)
  const lines = facts.lines.flatMap(({ skuId, code, name, options, image }): ReturnLine[] => {
    const item = items.find((one) => one.skuId === skuId)
    return item ? [{ skuId, code, name, options, image, quantity: item.quantity, received: 0, restocked: 0 }] : []
  })
  return announced(tx, { row, lines, exchanges: [] }, move.announces, context)
}

// The quantities of a SKU that is named twice are added up.
function summed(items: readonly ItemQuantity[]): ItemQuantity[] {
  const quantities = new Map<string, number>()
  for (const { skuId, quantity } of items) quantities.set(skuId, (quantities.get(skuId) ?? 0) + quantity)
  return [...quantities].map(([skuId, quantity]) => ({ skuId, quantity }))
}

function notLeft(message: string, skuId: string, left: number): Refusal {
  return refuse('return_not_possible', { message, current: { skuId, left } })
}

type ReturnVerb = 'approve' | 'refuse' | 'receive' | 'exchange' | 'close'

export async function changeReturn(
  tx: Tx,
  facts: ReturnFacts,
  verb: ReturnVerb,
  change: {
    answer?: string | null
    labelUrl?: string | null
    lines?: readonly ReturnLine[]
    exchanges?: readonly ReturnExchangeRow[]
  },
  context: ChangeContext,
): Promise<ReturnFacts> {
  const { row } = facts
  const move = moveFor(returnLifecycle, verb, row.status)
  if (!move) throw returnNotChangeable(row)
  const { lines = facts.lines, exchanges = facts.exchanges, ...members } = change
  const changed = { ...row, ...members, status: move.to, version: row.version + 1, updatedAt: context.now }
  saveReturn(tx, changed, row)
  if (!isReturnOpen(changed.status)) expireExchange(tx, changed, context.now)
  return announced(tx, { row: changed, lines, exchanges }, move.announces, context)
}

export function returnNotChangeable({ status, version }: ReturnRow): Refusal {
  return refuse('return_not_changeable', {
    message: `The return is ${status} and does not allow this change.`,
    current: { status, version },
  })
}

export interface ReceivedItem extends ItemQuantity {
  isRestocked: boolean
}

// Records received items. If `items` is undefined, everything that was not received yet is received and restocked.
export async function receiveReturn(
  tx: Tx,
  facts: ReturnFacts,
  items: readonly ReceivedItem[] | undefined,
  context: ChangeContext,
): Promise<ReturnFacts> {
  const { row, lines } = facts
  if (!moveFor(returnLifecycle, 'receive', row.status)) throw returnNotChangeable(row)
  const came = items ?? lines.map((line) => ({ ...line, quantity: line.quantity - line.received, isRestocked: true }))
  const counted = lines.map((line) => {
    const own = came.filter(({ skuId }) => skuId === line.skuId)
    const sumOf = (some: readonly ItemQuantity[]) => some.reduce((sum, { quantity }) => sum + quantity, 0)
    return { line, received: sumOf(own), wanted: sumOf(own.filter(({ isRestocked }) => isRestocked)) }
  })
  const unknown = came.find(({ skuId }) => !lines.some((line) => line.skuId === skuId))
  if (unknown) throw notLeft(`The return has no SKU ${unknown.skuId}.`, unknown.skuId, 0)
  for (const { line, received } of counted) {
    const left = line.quantity - line.received
    if (received > left)
      throw notLeft(
        `The return still expects ${left} of ${line.code}, but the request receives ${received}.`,
        line.skuId,
        left,
      )
  }
  if (counted.every(({ received }) => received === 0))
    throw refuse('return_not_possible', { message: 'All items of the return were already received.' })
  const wanted = counted.flatMap(({ line, wanted: quantity }) =>
    quantity > 0 ? [{ skuId: line.skuId, quantity }] : [],
  )
  // Never restocks more than the order took out of stock: units on backorder were not taken.
  const back = wanted.length > 0 ? await restockSale(tx, row, row.orderId, wanted, context) : []
  const after = counted.map(({ line, received }) => {
    const restocked = back.find(({ skuId }) => skuId === line.skuId)?.quantity ?? 0
    if (received > 0) raiseReceived(tx, row, { skuId: line.skuId, received, restocked })
    return { ...line, received: line.received + received, restocked: line.restocked + restocked }
  })
  return changeReturn(tx, facts, 'receive', { lines: after }, context)
}

type ReturnEvent = (typeof returnLifecycle)[number][3]

const shopperEmails = {
  'return.requested': 'return_requested',
  'return.approved': 'return_approved',
  'return.refused': 'return_refused',
  'return.received': 'return_received',
  'return.exchanged': 'return_exchanged',
  'return.closed': 'return_closed',
} as const satisfies Record<ReturnEvent, QueuedEmail['kind']>

function announced(tx: Tx, facts: ReturnFacts, kind: ReturnEvent, { now, cause }: ChangeContext): ReturnFacts {
  const { installationId, merchantId, mode, id, orderId, version } = facts.row
  announce(tx, {
    installationId,
    mode,
    kind,
    subject: { type: 'return', id },
    sequence: version,
    dataText: JSON.stringify({ return: returnView(facts) }),
    cause,
    now,
  })
  // Each exchange has its own e-mail, which is identified by the new order.
  const subjectId = kind === 'return.exchanged' ? (facts.exchanges.at(-1)?.orderId ?? id) : id
  const emails: QueuedEmail[] = [{ kind: shopperEmails[kind], subjectId }]
  if (kind === 'return.requested') emails.push({ kind: 'return_asked', subjectId: id })
  queueEmails(tx, { installationId, merchantId, orderId }, emails, now)
  return facts
}
