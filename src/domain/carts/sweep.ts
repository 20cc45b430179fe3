// Expires carts that were idle for too long. They already count as expired when they are read; the sweep adds the version and the event.

import { handleEach } from '../../platform/jobs/rows.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { announce } from '../../platform/outbox/announce.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import type { CartTools } from './change.ts'
import { cartLifecycle, cartStatusAt } from './lifecycle.ts'
import { findCartFacts, quoteCart } from './quote.ts'
import { type CartKey, findCart, listOverdueCarts, lockCart, saveCart } from './store.ts'
import { cartView } from './view.ts'

// Carts are processed in parallel, so they share commits and do not wait for each other's round trips.
const cartsAtOnce = 8

// Returns how many carts were expired. Safe on several nodes: each cart is checked again under its lock.
export async function expireCarts(storage: Storage, tools: CartTools, now: number, limit = 100): Promise<number> {
  const overdue = await storage.read((db) => listOverdueCarts(db, now, limit))
  return handleEach(
    { storage, loop: 'carts', now, atOnce: cartsAtOnce },
    overdue,
    ({ installationId, cartId }) => ({ tenantId: installationId, rowId: cartId }),
    (key) => storage.write(async (tx) => ((await expireCart(tx, tools, key, now)) ? 1 : 0)),
  )
}

async function expireCart(tx: Tx, tools: CartTools, key: CartKey, now: number): Promise<boolean> {
  await lockCart(tx, key)
  const found = await findCart(tx, key)
  const move =
    found && cartStatusAt(found, now) === 'expired' ? moveFor(cartLifecycle, 'expire', found.status) : undefined
  if (!move) return false
  const facts = await findCartFacts(tx, tools.pricebooks, key, now)
  if (!facts) return false
  const cart = {
    ...facts.cart,
    status: move.to,
    version: facts.cart.version + 1,
    updatedAt: now,
    unannouncedSince: null,
  }
  const view = cartView(await quoteCart(tx, tools.pricebooks, { ...facts, cart }, now), now, tools.pictureUrl)
  saveCart(tx, cart)
  announce(tx, {
    installationId: cart.installationId,
    mode: cart.mode,
    kind: move.announces,
    subject: { type: 'cart', id: cart.id },
    sequence: cart.version,
    dataText: JSON.stringify({ cart: view }),
    cause: null,
    now,
  })
  return true
}
