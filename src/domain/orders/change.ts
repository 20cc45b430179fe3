// The steps of every change of an order: lock it, read all of it, write the result. Each version of an order is announced by one event. A
// change that is still in progress, such as a queued refund, is written without a new version; its outcome gets the new version.

import type { EventKind, OrderTimelineType } from '../../contract/words.ts'
import { announce, type ChangeContext } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { listPaymentsOfOrder, listRefundsOfOrder } from '../payments/store.ts'
import {
  expireChanges,
  findOrder,
  insertTimeline,
  listFulfillments,
  listOrderLines,
  listTimeline,
  lockOrder,
  type OrderKey,
  type OrderRow,
  queueDocument,
  saveOrder,
} from './store.ts'
import { type OrderFacts, orderView } from './view.ts'

export async function findOrderFacts(db: Reader, key: OrderKey): Promise<OrderFacts | undefined> {
  const [order, lines, timeline, fulfillments, payments, refunds] = await Promise.all([
    findOrder(db, key),
    listOrderLines(db, key),
    listTimeline(db, key),
    listFulfillments(db, key),
    listPaymentsOfOrder(db, key.installationId, key.orderId),
    listRefundsOfOrder(db, key.installationId, key.orderId),
  ])
  return order && { order, lines, timeline, fulfillments, payments, refunds }
}

// The reads are sent together with the lock but run after it, so they see the changes of the transaction that held the lock before.
export async function lockOrderFacts(tx: Tx, key: OrderKey): Promise<OrderFacts | undefined> {
  const [, facts] = await Promise.all([lockOrder(tx, key), findOrderFacts(tx, key)])
  return facts
}

// Writes the change with a new version of the order, and announces its event.
export function announceOrderChange(
  tx: Tx,
  facts: OrderFacts,
  change: { kind: EventKind; order?: Partial<OrderRow>; timeline: readonly OrderTimelineType[] },
  context: ChangeContext,
): OrderFacts {
  const order = { ...facts.order, ...change.order, version: facts.order.version + 1 }
  const changed = writeChange(tx, facts, order, change.timeline, context)
  announceOrderEvent(tx, changed, change.kind, context)
  return changed
}

// Writes the change without a new version of the order: the outcome of the change will get the new version.
export function recordOrderChange(
  tx: Tx,
  facts: OrderFacts,
  change: { order?: Partial<OrderRow>; timeline: readonly OrderTimelineType[] },
  context: ChangeContext,
): OrderFacts {
  return writeChange(tx, facts, { ...facts.order, ...change.order }, change.timeline, context)
}

export function announceOrderEvent(tx: Tx, facts: OrderFacts, kind: EventKind, { now, cause }: ChangeContext): void {
  const { installationId, mode, id, version } = facts.order
  announce(tx, {
    installationId,
    mode,
    kind,
    subject: { type: 'order', id },
    sequence: version,
    dataText: JSON.stringify({ order: { ...orderView(facts), statusUrl: null, withdrawalUrl: null } }),
    cause,
    now,
  })
}

function writeChange(
  tx: Tx,
  facts: OrderFacts,
  changed: OrderRow,
  types: readonly OrderTimelineType[],
  { now }: ChangeContext,
): OrderFacts {
  const order = { ...changed, updatedAt: now }
  const key = { installationId: order.installationId, orderId: order.id }
  const entries = types.map((type) => ({ type, at: now }))
  saveOrder(tx, order, facts.order)
  // Expires open edits of an order that is completed by this change. A cancellation has already expired them, because sessions are locked
  // before stock.
  if (order.status === 'completed' && facts.order.status !== 'completed') expireChanges(tx, order, now)
  insertTimeline(tx, key, facts.timeline.length, entries)
  if (types.includes('paid')) queueDocument(tx, order, { cause: 'order_paid', causeId: order.id, at: now })
  return { ...facts, order, timeline: [...facts.timeline, ...entries] }
}
