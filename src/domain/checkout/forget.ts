// Erases a shopper's identity and addresses from carts, checkout sessions and orders of one merchant. Items, amounts and the place of
// taxation stay, because the merchant's books need them. No event is sent, and no version changes.

import type { EventSubject } from '../../contract/words.ts'
import { forgetTracking } from '../../platform/audit/store.ts'
import { createSlicePauses } from '../../platform/kit/breath.ts'
import { forgetEmailsOfOrder, forgetEmailsOfSessions } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import { deleteAddress, eraseAddressExceptRegion } from '../addresses/store.ts'
import { findCart } from '../carts/store.ts'
import { lockOrder } from '../orders/store.ts'
import { listPending } from '../webhooks/sweep.ts'
import { forgetWithdrawal, listIdsOfShopper } from '../withdrawals/store.ts'
import { customerHashes, listCustomerKeys } from './customer.ts'
import { lockSessionAndCart } from './sessions.ts'
import { findSession, forgetDraftNotes } from './store.ts'

export interface Shopper {
  merchantId: string
  installationIds: readonly string[]
  email: string
}

export interface ForgetInput {
  // If true, nothing is written; the result states what would be erased.
  isDryRun: boolean
  // Also erases the personal data of orders that are neither completed nor cancelled. Their parcels can then not be addressed.
  includesUnsent: boolean
}

export interface ForgottenCounts {
  checkoutSessions: number
  orders: number
  addresses: number
  eventTexts: number
  withdrawals: number
  kept: ShopperData[]
  // Number of event bodies that are still to be delivered to an endpoint. A job erases them once they are delivered or discarded.
  pendingTexts: number
}

// `unsent`: the order has not been sent yet. `payment_in_progress`: a payment of the session is in progress.
export type ShopperData =
  | { type: 'checkout_session'; id: string; reason: 'payment_in_progress' }
  | { type: 'order'; id: string; number: string; reason: 'unsent' }

// May be repeated at any time, to erase data that is new or could not be erased before: the hashes that find the data are erased last.
export async function forgetShopper(
  storage: Storage,
  rootSecret: RootSecret,
  { merchantId, installationIds, email }: Shopper,
  input: ForgetInput,
): Promise<ForgottenCounts> {
  const keys = await storage.read((db) => listCustomerKeys(db, rootSecret))
  const hashes = customerHashes(keys, rootSecret, merchantId, email)
  return forgetShopperByHashes(storage, { merchantId, installationIds, hashes }, input)
}

// Erases the data of a shopper of whom only the hashes of the e-mail address are known.
export async function forgetShopperByHashes(
  storage: Storage,
  { merchantId, installationIds, hashes }: Omit<Shopper, 'email'> & { hashes: readonly string[] },
  input: ForgetInput,
): Promise<ForgottenCounts> {
  const work = { storage, input, forgotten: nothing() }
  for (const installationId of installationIds) {
    const of = { merchantId, installationId, hashes }
    for await (const id of idsOf(storage, 'checkout_sessions', of)) await forgetSession(work, installationId, id)
    for await (const id of idsOf(storage, 'orders', of)) await forgetOrder(work, installationId, id)
  }
  await forgetWithdrawals(work, merchantId, hashes)
  if (!input.isDryRun) await forgetCustomers(storage, merchantId, hashes)
  return work.forgotten
}

interface Work {
  storage: Storage
  input: ForgetInput
  forgotten: ForgottenCounts
}

function nothing(): ForgottenCounts {
  return { checkoutSessions: 0, orders: 0, addresses: 0, eventTexts: 0, withdrawals: 0, kept: [], pendingTexts: 0 }
}

// Maximum number of ids per statement.
const idsMax = 500

// Lists ids in pages, with pauses for other work: a shopper can cause this on a page, and the shop may be large.
async function* idsOf(
  storage: Storage,
  table: 'checkout_sessions' | 'orders',
  of: Omit<IdPage, 'after'>,
): AsyncGenerator<string> {
  const listIds = table === 'orders' ? listOrderIds : listSessionIds
  const breath = createSlicePauses()
  for (let after = ''; ; ) {
    const page = { ...of, after }
    const ids = await storage.read((db) => listIds(db, page))
    for (const id of ids) {
      if (breath.isDue()) await breath.take()
      yield id
    }
    after = ids.at(-1) ?? ''
    if (ids.length < idsMax) return
  }
}

interface IdPage {
  merchantId: string
  installationId: string
  after: string
  hashes: readonly string[]
}

async function listSessionIds(db: Reader, { installationId, after, hashes }: IdPage): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select id from checkout_sessions
    where installation_id = ${installationId} and email_hash in (${listFragment(hashes)}) and id > ${after}
    order by id limit ${idsMax}`
  return rows.map(({ id }) => id)
}

async function listOrderIds(db: Reader, { merchantId, installationId, after, hashes }: IdPage): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select id from orders
    where merchant_id = ${merchantId} and mode in ('test', 'live') and email_hash in (${listFragment(hashes)})
      and installation_id || '' = ${installationId} and id > ${after}
    order by id limit ${idsMax}`
  return rows.map(({ id }) => id)
}

async function forgetSession(work: Work, installationId: string, id: string): Promise<void> {
  const { storage, input, forgotten } = work
  const key = { installationId, sessionId: id }
  const session = await storage.read((db) => findSession(db, key))
  if (!session) return
  // The payment may still create an order, which needs the customer's data.
  const keep = () => void forgotten.kept.push({ type: 'checkout_session', id, reason: 'payment_in_progress' })
  if (session.status === 'processing') return keep()
  const { cartId } = session
  await dropTexts(work, installationId, 'checkout_session', id)
  await dropTexts(work, installationId, 'cart', cartId)
  const erase = async (db: Reader, tx?: Tx) => {
    const addressId = (await findCart(db, { installationId, cartId }))?.address?.token
    forgotten.checkoutSessions += 1
    if (addressId !== undefined) forgotten.addresses += 1
    if (!tx) return
    if (addressId !== undefined) deleteAddress(tx, installationId, addressId)
    await forgetEmailsOfSessions(tx, installationId, [id])
    await tx.sql`
      update agent_checkouts set asked_sealed = null where installation_id = ${installationId} and cart_id = ${cartId}`
    await tx.sql`
      update checkout_sessions set customer_sealed = null, email_masked = null, email_hash = null
      where installation_id = ${installationId} and id = ${id}`
    await forgetDraftNotes(tx, installationId, [id])
  }
  if (input.isDryRun) return storage.read((db) => erase(db))
  await storage.write(async (tx) => {
    // A payment may have begun since the first read.
    const locked = await lockSessionAndCart(tx, key)
    return locked?.status === 'processing' ? keep() : erase(tx, tx)
  })
}

// Erases a withdrawal even before the merchant has handled it: the withdrawal still states its order and when it was received.
async function forgetWithdrawals(work: Work, merchantId: string, hashes: readonly string[]): Promise<void> {
  const { storage, input, forgotten } = work
  for (const { mode, id } of await storage.read((db) => listIdsOfShopper(db, merchantId, hashes))) {
    forgotten.withdrawals += 1
    if (!input.isDryRun) await storage.write((tx) => forgetWithdrawal(tx, { merchantId, mode, withdrawalId: id }))
  }
}

// Deletes what the merchant wrote about the customer, unless an order still refers to the customer. The row is locked first, because a
// new order may be about to refer to it.
async function forgetCustomers(storage: Storage, merchantId: string, hashes: readonly string[]): Promise<void> {
  const rows = await storage.read(
    (db) => db.sql<{ id: string }>`
      select id from customers where merchant_id = ${merchantId} and email_hash in (${listFragment(hashes)}) order by id`,
  )
  for (const { id } of rows)
    await storage.write(async (tx) => {
      await tx.lockRow`select id from customers where merchant_id = ${merchantId} and id = ${id}`
      const [gone] = await tx.sql<{ id: string }>`
        delete from customers as c where c.merchant_id = ${merchantId} and c.id = ${id} and not exists (
          select 1 from orders o where o.merchant_id = c.merchant_id and o.mode = c.mode and o.customer_id = c.id)
        returning id`
      if (gone) await tx.sql`delete from customer_notes where merchant_id = ${merchantId} and customer_id = ${id}`
    })
}

interface PersonalOrder {
  merchantId: string
  number: string
  status: string
  promotionId: string | null
  addressId: string | null
}

async function forgetOrder(work: Work, installationId: string, id: string): Promise<void> {
  const { storage, input, forgotten } = work
  const order = await storage.read((db) => findPersonalOrder(db, installationId, id))
  if (!order) return
  const { merchantId, number, status, promotionId, addressId } = order
  if (!input.includesUnsent && status !== 'completed' && status !== 'cancelled') {
    forgotten.kept.push({ type: 'order', id, number, reason: 'unsent' })
    return
  }
  await dropTexts(work, installationId, 'order', id)
  forgotten.orders += 1
  if (addressId !== null) forgotten.addresses += 1
  if (input.isDryRun) return
  // The order is not checked again under the lock: an ended order stays ended, and with `includesUnsent` the status does not matter.
  await storage.write(async (tx) => {
    await lockOrder(tx, { installationId, orderId: id })
    // With a tracking number, anyone can ask the carrier for the recipient.
    await tx.sql`
      update fulfillments set tracking_number = null, tracking_url = null
      where installation_id = ${installationId} and order_id = ${id}`
    await tx.sql`delete from search_tokens where installation_id = ${installationId} and order_id = ${id}`
    await tx.sql`update returns set note_sealed = null, answer = null where installation_id = ${installationId} and order_id = ${id}`
    await tx.sql`delete from order_notes where installation_id = ${installationId} and order_id = ${id}`
    const parcels = await tx.sql<{ id: string }>`
      select id from fulfillments where installation_id = ${installationId} and order_id = ${id}`
    await forgetTracking(
      tx,
      merchantId,
      parcels.map((parcel) => parcel.id),
    )
    if (promotionId !== null)
      await tx.sql`
        update promotion_uses set email_hash = null
        where merchant_id = ${merchantId} and promotion_id = ${promotionId} and order_id = ${id}`
    if (addressId !== null) eraseAddressExceptRegion(tx, installationId, addressId)
    await forgetEmailsOfOrder(tx, installationId, id)
    await tx.sql`
      update agent_checkouts set asked_sealed = null
      where installation_id = ${installationId} and cart_id = (
        select cart_id from orders where installation_id = ${installationId} and id = ${id})`
    await tx.sql`
      update orders set customer_sealed = null, email_masked = null, email_hash = null, customer_id = null
      where installation_id = ${installationId} and id = ${id}`
  })
}

async function findPersonalOrder(db: Reader, installationId: string, id: string): Promise<PersonalOrder | undefined> {
  const [order] = await db.sql<PersonalOrder>`
    select merchant_id as "merchantId", number, status, promotion_id as "promotionId", address_id as "addressId"
    from orders where installation_id = ${installationId} and id = ${id}`
  return order
}

const textsMax = 500

// Event bodies contain the masked e-mail address and the city.
async function dropTexts(work: Work, installationId: string, subject: EventSubject, subjectId: string): Promise<void> {
  const { storage, input, forgotten } = work
  for (let after = 0; ; ) {
    const from = after
    const texts = await storage.read(
      (db) => db.sql<{ id: string; sequence: number; occurredAt: number }>`
        select id, sequence, occurred_at as "occurredAt" from events
        where installation_id = ${installationId} and subject_type = ${subject} and subject_id = ${subjectId}
          and sequence > ${from} and body <> ''
        order by sequence limit ${textsMax}`,
    )
    const ids = texts.map(({ id }) => id)
    if (ids.length === 0) return
    const pending = await storage.read((db) => listPending(db, installationId, ids))
    const dropped = ids.filter((id) => !pending.has(id))
    forgotten.pendingTexts += pending.size
    forgotten.eventTexts += dropped.length
    if (!input.isDryRun)
      await storage.write(async (tx) => {
        if (dropped.length > 0)
          await tx.sql`update events set body = '' where installation_id = ${installationId} and id in (${listFragment(dropped)})`
        for (const { id, occurredAt } of texts.filter((text) => pending.has(text.id)))
          await tx.sql`
            insert into forgotten_texts (installation_id, event_id, occurred_at)
            values (${installationId}, ${id}, ${occurredAt}) on conflict (installation_id, event_id) do nothing`
      })
    after = texts.at(-1)?.sequence ?? from
  }
}
