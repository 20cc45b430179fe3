// The admin operations on orders.

import { listActorNames, listEntries } from '../audit/store.ts'
import { changeView } from '../audit/view.ts'
import type { orderRows } from '../contract/admin/orders.ts'
import { limits } from '../contract/limits.ts'
import type { AdminHandler } from '../http/admin.ts'
import { Audited } from '../http/handler.ts'
import { adminRowsAsked, pageOf } from '../http/paging.ts'
import { readPlace, writePlace } from '../kit/cursor.ts'
import { isId } from '../kit/ids.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { refuse } from '../kit/refuse.ts'
import type { RootSecret } from '../kit/secrets.ts'
import type { Reader, Tx } from '../storage/storage.ts'
import {
  adminFulfillmentView,
  adminOrderSummary,
  adminOrderView,
  customerView,
  orderChanges,
  parcelChanges,
} from './adminView.ts'
import { findOrderFacts, lockOrderFacts } from './change.ts'
import { openOrderCustomer } from './customer.ts'
import { fulfilOrder } from './operator.ts'
import { findAdminOrder, listAdminOrders, type OrderKey, type OrderPlace } from './store.ts'
import type { OrderFacts } from './view.ts'

export interface AdminOrderParts {
  rootSecret: RootSecret
}

export function adminOrderOperations({ rootSecret }: AdminOrderParts): {
  [Id in keyof typeof orderRows]: AdminHandler<Id>
} {
  return {
    async listAdminOrders({ db, caller, query, paging }) {
      const { sort = 'newest', from, to, ...filters } = query
      const found = await listAdminOrders(db, caller, {
        ...filters,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        sort,
        after: paging.after === null ? null : readPlace(paging.after, 'ord'),
        limit: adminRowsAsked,
      })
      const { rows, meta } = pageOf(found, paging, ({ placedAt, id }) => writePlace({ at: placedAt, id }))
      return { data: rows.map(adminOrderSummary), meta }
    },

    async getAdminOrder({ db, caller, path: { orderId } }) {
      const { facts, place } = await findFacts(db, caller, orderId)
      return { data: await viewOf(db, caller, facts, place) }
    },

    async getAdminOrderCustomer({ db, caller, path: { orderId }, now }) {
      const { facts } = await findFacts(db, caller, orderId)
      const customer = await openOrderCustomer(db, rootSecret, facts.order, now.getTime())
      const look = { kind: 'look', what: 'order', id: orderId, name: facts.order.number, members: [] } as const
      return new Audited({ data: customerView(customer) }, [look])
    },

    async fulfilAdminOrder({ db, caller, path: { orderId }, body, now, cause }) {
      const { carrier = null, trackingNumber = null, trackingUrl = null, items, expectedVersion } = body
      const parcel = {
        carrier,
        trackingNumber,
        trackingUrl,
        items: items ? quantitiesOf(items) : null,
        itemsBy: 'skuId',
        expectedVersion,
        // The mode is that of the caller's credential or page.
        isTestMeant: true,
      } as const
      const { before, after, place } = await change(db, caller, orderId, (key) =>
        fulfilOrder(db, key, parcel, { now: now.getTime(), cause }),
      )
      const sent = after.fulfillments.at(-1)
      if (!sent) throw new Error(`a parcel of ${orderId} was sent and is not there`)
      return new Audited(
        { data: { order: await viewOf(db, caller, after, place), fulfillment: adminFulfillmentView(sent) } },
        [...orderChanges(before, after), ...parcelChanges(before, after)],
      )
    },
  }
}

// A SKU that is named twice means the sum.
function quantitiesOf(items: readonly { skuId: string; quantity: number }[]): ReadonlyMap<string, number> {
  const quantities = new Map<string, number>()
  for (const { skuId, quantity } of items) quantities.set(skuId, (quantities.get(skuId) ?? 0) + quantity)
  return quantities
}

async function findKey(db: Reader, seller: MerchantMode, orderId: string): Promise<OrderKey & OrderPlace> {
  const found = isId('ord', orderId) ? await findAdminOrder(db, seller, orderId) : undefined
  if (!found) throw refuse('order_not_found')
  return found
}

async function findFacts(
  db: Reader,
  seller: MerchantMode,
  orderId: string,
): Promise<{ facts: OrderFacts; place: OrderPlace }> {
  const place = await findKey(db, seller, orderId)
  const facts = await findOrderFacts(db, place)
  if (!facts) throw refuse('order_not_found')
  return { facts, place }
}

// The order before and after, for the list of changes. Before is seen under the lock.
async function change(
  tx: Tx,
  seller: MerchantMode,
  orderId: string,
  work: (key: OrderKey) => Promise<OrderFacts>,
): Promise<{ before: OrderFacts; after: OrderFacts; place: OrderPlace }> {
  const place = await findKey(tx, seller, orderId)
  const before = await lockOrderFacts(tx, place)
  if (!before) throw refuse('order_not_found')
  return { before, after: await work(place), place }
}

async function viewOf(db: Reader, { merchantId, mode }: MerchantMode, facts: OrderFacts, place: OrderPlace) {
  const query = { mode, subjectId: facts.order.id, limit: limits.adminListRowsMax }
  const entries = await listEntries(db, merchantId, query)
  const names = await listActorNames(db, merchantId, entries)
  return adminOrderView(
    facts,
    place,
    entries.map((entry) => changeView(entry, names)),
  )
}
