// Announces carts that were changed on the checkout page or by an agent. The page saves after every field, and an event contains the whole
// cart, so all changes within a few seconds are announced as one event with the final state.

import { handleEach } from '../../platform/jobs/rows.ts'
import { announce } from '../../platform/outbox/announce.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { type CartTools, cartUpdatedEvent } from './change.ts'
import { findCartFacts, quoteCart } from './quote.ts'
import { type CartKey, listUnannouncedCarts, lockCart, markCartAnnounced } from './store.ts'
import { cartView } from './view.ts'

const announceAfterMs = 5_000
// Carts are processed in parallel, so they share commits and do not wait for each other's round trips.
const cartsAtOnce = 8

// Returns how many carts were announced. Safe on several nodes: each cart is checked again under its lock.
export async function announceCarts(storage: Storage, tools: CartTools, now: number, limit = 100): Promise<number> {
  const unannounced = await storage.read((db) => listUnannouncedCarts(db, now, now - announceAfterMs, limit))
  return handleEach(
    // The loop keeps its old name because the name is stored with deferred rows.
    { storage, loop: 'untold_carts', now, atOnce: cartsAtOnce },
    unannounced,
    ({ installationId, cartId }) => ({ tenantId: installationId, rowId: cartId }),
    (key) => storage.write((tx) => announceCart(tx, tools, key, now)),
  )
}

async function announceCart(tx: Tx, tools: CartTools, key: CartKey, now: number): Promise<number> {
  const [, facts] = await Promise.all([lockCart(tx, key), findCartFacts(tx, tools.pricebooks, key, now)])
  if (!facts || facts.cart.unannouncedSince === null || facts.cart.status !== 'open') return 0
  const quote = await quoteCart(tx, tools.pricebooks, facts, now)
  markCartAnnounced(tx, key)
  const text = JSON.stringify(cartView(quote, now, tools.pictureUrl))
  announce(tx, cartUpdatedEvent(facts.cart, text, null, now))
  return 1
}
