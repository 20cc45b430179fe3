// The admin operations on orders.

import { orderNotesMax, type orderOperationRows } from '../../contract/admin/orders.ts'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { ItemQuantity } from '../../contract/parts.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import type { BodyOf } from '../../contract/surface.ts'
import { bulkChanges, bulkReply, handleBulkItems } from '../../platform/audit/bulk.ts'
import { type AuditedChange, membersChanged } from '../../platform/audit/change.ts'
import { listActorNames, listEntries } from '../../platform/audit/store.ts'
import { actorOf } from '../../platform/http/actor.ts'
import type { AdminCaller, AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { restockSale } from '../inventory/sales.ts'
import { findMerchantById } from '../merchants/store.ts'
import { findAdminOrderView } from './adminlook.ts'
import {
  adminFulfillmentView,
  adminOrderSummary,
  customerView,
  noteView,
  orderChanges,
  parcelChanges,
  plannedChanges,
  refundChanges,
} from './adminview.ts'
import { type CancelInput, cancelOrder } from './cancel.ts'
import { carrierOfNumber } from './carriers.ts'
import { findOrderFacts, lockOrderFacts } from './change.ts'
import { decryptCustomerName, decryptOrderCustomer } from './customer.ts'
import {
  correctFulfillment,
  fulfilOrder,
  type Parcel,
  recordMoney,
  recordOrderPaid,
  refundAmountFor,
  refundOrder,
  refuseOtherRefunds,
  refuseOtherVersion,
  resolveParcelContents,
  returnUndeliveredOrder,
} from './operator.ts'
import { refundedLinesFor } from './refundlines.ts'
import {
  findAdminOrder,
  insertOrderNote,
  listAdminOrders,
  listOrderNotes,
  listRefundedLines,
  listSealedNames,
  type OrderDestination,
  type OrderKey,
  type OrderSearchQuery,
} from './store.ts'
import { cancellationView, type OrderFacts, refundView } from './view.ts'

export interface AdminOrderParts {
  rootSecret: RootSecret
  // Returns the newest orders that match a search. Only callers who may see customers can search by them.
  findOrderKeys(db: Reader, seller: MerchantMode, question: OrderSearchQuery): Promise<OrderKey[]>
}

// A page reloads its list every half minute; all these reads of the names count as one.
const sameListMs = 10 * 60_000

// Returns one audit entry for the whole list, with the numbers of the orders. Returns undefined if this person's access to the names of
// all of these orders was recorded within the last ten minutes.
async function namesLook(
  db: Reader,
  caller: AdminCaller,
  numbers: readonly string[],
  now: number,
): Promise<AuditedChange | undefined> {
  if (numbers.length === 0) return undefined
  const { merchantId, mode } = caller
  const id = actorOf(caller).id ?? merchantId
  const asked = { mode, subjectId: id, operation: 'getAdminOrderNames', from: now - sameListMs, limit: 5 }
  const { entries } = await listEntries(db, merchantId, asked)
  const seen = entries.flatMap(({ changes }) => changes.flatMap(({ members }) => members))
  const known = new Set(seen.flatMap(({ to }) => (Array.isArray(to) ? to : [])))
  if (numbers.every((number) => known.has(number))) return undefined
  const members = [{ member: 'orders', from: null, to: numbers }]
  return { kind: 'look', what: 'customer', id, name: String(numbers.length), members }
}

const foundMax = 200

export function adminOrderOperations({ rootSecret, findOrderKeys }: AdminOrderParts): {
  [Id in keyof typeof orderOperationRows]: AdminHandler<Id>
} {
  return {
    async listAdminOrders({ db, caller, query, paging }) {
      const { sort = 'newest', limit = limits.adminListRowsMax, q, from, to, ...filters } = query
      const seesCustomers = caller.scopes.includes('admin:customers')
      const keys =
        q === undefined ? undefined : await findOrderKeys(db, caller, { text: q, seesCustomers, limit: foundMax })
      if (keys?.length === 0) return { data: [], meta: { count: 0, next: null } }
      const found = await listAdminOrders(db, caller, {
        ...filters,
        keys,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        sort,
        after: paging.after === null ? null : readCursorPosition(paging.after, 'ord'),
        limit: limit + 1,
      })
      const { rows, meta } = pageOfRows(
        found,
        paging,
        ({ placedAt, id }) => writeCursorPosition({ at: placedAt, id }),
        limit,
      )
      return { data: rows.map(adminOrderSummary), meta }
    },

    async getAdminOrder({ db, caller, path: { orderId } }) {
      const { facts, place } = await findFacts(db, caller, orderId)
      return { data: await findAdminOrderView(db, caller, facts, place) }
    },

    async getAdminOrderCustomer({ db, caller, path: { orderId }, now }) {
      const { facts } = await findFacts(db, caller, orderId)
      const customer = await decryptOrderCustomer(db, rootSecret, facts.order, now.getTime())
      const look = { kind: 'look', what: 'order', id: orderId, name: facts.order.number, members: [] } as const
      return new AuditedReply({ data: customerView(customer) }, [look])
    },

    async getAdminOrderNames({ db, caller, query: { orderIds }, now }) {
      const asked = [...new Set(orderIds.split(','))]
      const shop = await findMerchantById(db, caller.merchantId)
      if (shop?.customerNames !== 'shown') return new AuditedReply({ data: [] }, [])
      const data: { orderId: string; name: string }[] = []
      const numbers: string[] = []
      for (const order of await listSealedNames(db, caller, asked)) {
        const name = await decryptCustomerName(db, rootSecret, order, now.getTime())
        if (name === undefined) continue
        data.push({ orderId: order.orderId, name })
        numbers.push(order.number)
      }
      const look = await namesLook(db, caller, numbers, now.getTime())
      return new AuditedReply({ data }, look ? [look] : [])
    },

    async fulfilAdminOrder({ db, caller, path: { orderId }, body, now, cause }) {
      const { before, after, place } = await change(db, caller, orderId, body.expectedVersion, (key) =>
        fulfilOrder(db, key, parcelOf(body), { now: now.getTime(), cause }),
      )
      const sent = after.fulfillments.at(-1)
      if (!sent) throw new Error(`order ${orderId} has no fulfillment after a parcel was sent`)
      return new AuditedReply(
        {
          data: { order: await findAdminOrderView(db, caller, after, place), fulfillment: adminFulfillmentView(sent) },
        },
        [...orderChanges(before, after), ...parcelChanges(before, after)],
      )
    },

    async updateAdminFulfillment({ db, caller, path: { orderId, fulfillmentId }, body, now, cause }) {
      const { before } = await lock(db, caller, orderId, 'fulfillment_not_found')
      const found = before.fulfillments.find(({ id }) => id === fulfillmentId)
      if (!found) throw refuse('fulfillment_not_found')
      const { idempotencyKey: _, ...given } = body
      const changed = { ...found, ...given }
      const members = membersChanged(found, changed, ['carrier', 'trackingNumber', 'trackingUrl'])
      if (members.length > 0) await correctFulfillment(db, before, changed, { now: now.getTime(), cause })
      const { number: name } = before.order
      return new AuditedReply(
        { data: adminFulfillmentView(changed) },
        members.length > 0
          ? [
              { kind: 'change', what: 'order', id: orderId, name, members: [] },
              { kind: 'change', what: 'fulfillment', id: fulfillmentId, name, members },
            ]
          : [],
      )
    },

    async fulfilAdminOrders({ db, caller, body: { rows, dryRun = false }, now, cause }) {
      const items = await handleBulkItems(
        rows,
        ({ orderId }) => orderId,
        async ({ orderId, expectedVersion, ...parcel }) => {
          if (dryRun) {
            const { before } = await lock(db, caller, orderId)
            refuseOtherVersion(before, expectedVersion)
            return plannedChanges(before, await resolveParcelContents(db, before, parcelOf(parcel)))
          }
          const { before, after } = await change(db, caller, orderId, expectedVersion, (key) =>
            fulfilOrder(db, key, parcelOf(parcel), { now: now.getTime(), cause }),
          )
          return [...orderChanges(before, after), ...parcelChanges(before, after)]
        },
      )
      return new AuditedReply(bulkReply(items, dryRun), bulkChanges(items, dryRun))
    },

    async payAdminOrder({ db, caller, path: { orderId }, body, now, cause }) {
      const { before, after, place } = await change(db, caller, orderId, body.expectedVersion, (key) =>
        recordOrderPaid(db, key, { now: now.getTime(), cause }),
      )
      return new AuditedReply({ data: await findAdminOrderView(db, caller, after, place) }, orderChanges(before, after))
    },

    async recordAdminMoney({ db, caller, path: { orderId }, body, now, cause }) {
      const { amount, settles = false, expectedVersion } = body
      const { place, before } = await lock(db, caller, orderId)
      refuseOtherVersion(before, expectedVersion)
      const recorded = await recordMoney(db, place, { amount, settles }, { now: now.getTime(), cause })
      const members = [{ member: 'received', from: recorded.before, to: recorded.received }]
      const { number: name } = before.order
      const money = { kind: 'change', what: 'order', id: orderId, name, members } as const
      return new AuditedReply({ data: await findAdminOrderView(db, caller, recorded.facts, place) }, [
        ...orderChanges(before, recorded.facts),
        money,
      ])
    },

    async returnAdminOrder({ db, caller, path: { orderId }, body, now, cause }) {
      const { restock: isRestocked = false, expectedVersion } = body
      const { before, after, place } = await change(db, caller, orderId, expectedVersion, (key) =>
        returnUndeliveredOrder(db, key, { isRestocked }, { now: now.getTime(), cause }),
      )
      return new AuditedReply({ data: await findAdminOrderView(db, caller, after, place) }, orderChanges(before, after))
    },

    async cancelAdminOrder({ db, caller, path: { orderId }, body, now, cause }) {
      const { reason = null, note = null, restock = true, expectedVersion } = body
      const input: CancelInput = {
        by: 'operator',
        expectedVersion: undefined,
        reason,
        note,
        isRestocked: restock,
        alsoProcessing: true,
      }
      const { before, after, place } = await change(db, caller, orderId, expectedVersion, (key) =>
        cancelOrder(db, key, input, { now: now.getTime(), cause }),
      )
      const cancellation = cancellationView(after.order, after.refunds)
      if (!cancellation) throw new Error(`order ${orderId} has no cancellation after it was cancelled`)
      return new AuditedReply(
        { data: { cancellation, order: await findAdminOrderView(db, caller, after, place) } },
        orderChanges(before, after),
      )
    },

    async addAdminOrderNote({ db, caller, path: { orderId }, body: { text }, now }) {
      const { place, before } = await lock(db, caller, orderId)
      const notes = await listOrderNotes(db, place)
      if (notes.length >= orderNotesMax) throw refuse('note_limit', { current: { limit: orderNotesMax } })
      const { kind: actorKind, id: actorId } = actorOf(caller)
      const note = { id: newId('nte'), text, actorKind, actorId, at: now.getTime() }
      insertOrderNote(db, place, caller.merchantId, note)
      const names = await listActorNames(db, caller.merchantId, [{ actor: { kind: actorKind, id: actorId } }])
      const { number: name } = before.order
      // Only the note contains its text; the audit log does not.
      return new AuditedReply({ data: noteView(note, names) }, [
        { kind: 'change', what: 'order', id: orderId, name, members: [] },
        { kind: 'create', what: 'order_note', id: note.id, name, members: [] },
      ])
    },

    async refundAdminOrder({ db, caller, path: { orderId }, body, now, cause }) {
      const { amount, items = [], shipping = false, restock: isRestocked = false, dryRun = false } = body
      const isByHand = body.byHand ?? false
      refuseMixed(body)
      const { place, before } = await lock(db, caller, orderId)
      refuseOtherVersion(before, body.expectedVersion)
      refuseOtherRefunds(before, body.expectedRefunded)
      const isByLine = items.length > 0 || shipping
      const meant = [...quantitiesOf(items)].map(([skuId, quantity]) => ({ skuId, quantity }))
      const lines = isByLine
        ? refundedLinesFor(before, await listRefundedLines(db, place), { items: meant, shipping })
        : []
      const byLine = lines.reduce((sum, line) => sum + line.amount, 0)
      if (isByLine && byLine === 0) throw refuse('nothing_to_refund')
      const input = { amount: isByLine ? byLine : (amount ?? null), reason: body.reason ?? null, isByHand }
      if (dryRun) {
        const data = {
          amount: refundAmountFor(before, input),
          refund: null,
          restocked: isRestocked ? meant : [],
          order: await findAdminOrderView(db, caller, before, place),
        }
        return new AuditedReply({ data }, [])
      }
      const context = { now: now.getTime(), cause }
      // Stock is locked before payments.
      const restocked = isRestocked ? await restockSale(db, before.order, orderId, meant, context) : []
      const { facts, refund, refunds } = await refundOrder(db, place, { ...input, ...(isByLine && { lines }) }, context)
      return new AuditedReply(
        {
          data: {
            amount: refunds.reduce((sum, one) => sum + one.amount, 0),
            refund: refundView(refund),
            restocked,
            order: await findAdminOrderView(db, caller, facts, place),
          },
        },
        [...orderChanges(before, facts), ...refundChanges(facts, refunds, { lines, restocked })],
      )
    },
  }
}

interface ParcelBody {
  carrier?: string | null
  trackingNumber?: string | null
  trackingUrl?: string | null
  items?: readonly ItemQuantity[]
}

function parcelOf({ carrier, trackingNumber = null, trackingUrl = null, items }: ParcelBody): Parcel {
  return {
    carrier: carrier === undefined ? carrierOfNumber(trackingNumber) : carrier,
    trackingNumber,
    trackingUrl,
    items: items ? quantitiesOf(items) : null,
    itemsBy: 'skuId',
    // The caller has chosen the mode by credential or page, so a test order needs no confirmation.
    isTestMeant: true,
  }
}

function refuseMixed({
  amount,
  items,
  shipping,
  restock,
}: BodyOf<(typeof orderOperationRows)['refundAdminOrder']>): void {
  const issues = [
    ...(amount !== undefined && (items || shipping)
      ? [issueAt('/amount', 'excluded_by', { member: 'items or shipping' })]
      : []),
    ...(restock && !items ? [issueAt('/restock', 'needs_members', { members: ['items'] })] : []),
  ]
  if (issues.length > 0) throw refuse('invalid_request', { issues })
}

// Adds up quantities of the same SKU.
function quantitiesOf(items: readonly { skuId: string; quantity: number }[]): ReadonlyMap<string, number> {
  const quantities = new Map<string, number>()
  for (const { skuId, quantity } of items) quantities.set(skuId, (quantities.get(skuId) ?? 0) + quantity)
  return quantities
}

async function findKey(db: Reader, seller: MerchantMode, orderId: string): Promise<OrderKey & OrderDestination> {
  const found = isId('ord', orderId) ? await findAdminOrder(db, seller, orderId) : undefined
  if (!found) throw refuse('order_not_found')
  return found
}

async function findFacts(
  db: Reader,
  seller: MerchantMode,
  orderId: string,
): Promise<{ facts: OrderFacts; place: OrderDestination }> {
  const place = await findKey(db, seller, orderId)
  const facts = await findOrderFacts(db, place)
  if (!facts) throw refuse('order_not_found')
  return { facts, place }
}

// Returns the order before and after the change, for the audit log. The order before is read under the lock.
async function change(
  tx: Tx,
  seller: MerchantMode,
  orderId: string,
  expectedVersion: number | undefined,
  work: (key: OrderKey) => Promise<OrderFacts>,
): Promise<{ before: OrderFacts; after: OrderFacts; place: OrderDestination }> {
  const { place, before } = await lock(tx, seller, orderId)
  refuseOtherVersion(before, expectedVersion)
  return { before, after: await work(place), place }
}

async function lock(
  tx: Tx,
  seller: MerchantMode,
  orderId: string,
  otherwise: RefusalCode = 'order_not_found',
): Promise<{ place: OrderKey & OrderDestination; before: OrderFacts }> {
  const place = isId('ord', orderId) ? await findAdminOrder(tx, seller, orderId) : undefined
  const before = place && (await lockOrderFacts(tx, place))
  if (!before) throw refuse(otherwise)
  return { place, before }
}
