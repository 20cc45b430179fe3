// The steps of every change of a cart: lock it, check that it may change, change it, price it, write it, announce it.

import { isId } from '../../platform/kit/ids.ts'
import { moveFor, onlyMove } from '../../platform/kit/lifecycle.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { type Announcement, announce, type Cause } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { cartLifecycle, cartStatusAt } from './lifecycle.ts'
import type { Pricebooks } from './pricebook.ts'
import { type CartFacts, findCartFacts, quoteCart, refuseUnpriced } from './quote.ts'
import { type CartRow, lockCart, saveCart, saveOwnTotal } from './store.ts'
import { cartView, type Quote } from './view.ts'

export interface CartTools {
  pricebooks: Pricebooks
  pictureUrl: (picture: string) => string
  // How long a cart lasts after its last change.
  idleMs: number
  // Updates the checkout session of the changed cart, which holds the stock, in the same transaction. Returns the resulting cart. Passed
  // in by `checkout/`.
  refreshSessions(ask: CartChangeInput, changed: CartFacts): Promise<CartRow>
}

export interface CartCaller extends MerchantMode {
  installationId: string
  // Set if the caller is a visitor who uses a publishable key.
  publicKeyId?: string
}

export interface CartChangeInput {
  db: Tx
  // The caller must own the cart.
  caller: CartCaller
  cartId: string
  expectedVersion: number | undefined
  now: Date
  cause: Cause | null
  // The SKU whose quantity is increased by this change.
  grownSku?: string
  // Whether a job announces this change later, together with other changes of the cart.
  isAnnouncedLater?: boolean
  // Writes the cart instead of `saveCart`, for a new cart that has no row yet.
  write?: (cart: CartRow) => void
}

// Locks and returns the caller's cart. The refusal is the same for a cart that does not exist and for one of another installation.
export async function lockCartFacts(
  tools: CartTools,
  { db, caller, cartId, now }: CartChangeInput,
): Promise<CartFacts> {
  if (!isId('cart', cartId)) throw refuse('cart_not_found')
  const key = { installationId: caller.installationId, cartId }
  // The read is sent together with the lock but runs after it, so it sees the changes of the transaction that held the lock before.
  const [, facts] = await Promise.all([lockCart(db, key), findCartFacts(db, tools.pricebooks, key, now.getTime())])
  if (!facts || !isWithin(facts.cart, caller)) throw refuse('cart_not_found')
  return facts
}

// Every visitor has the publishable key, so this key only gives access to carts that were created with a publishable key.
export function isWithin({ publicKeyId }: CartRow, caller: CartCaller): boolean {
  return caller.publicKeyId === undefined || publicKeyId !== null
}

export function refuseUnchangeableCart({ cart }: CartFacts, { expectedVersion, now }: CartChangeInput): void {
  const status = cartStatusAt(cart, now.getTime())
  const current = { status, version: cart.version }
  if (!moveFor(cartLifecycle, 'change', status))
    throw refuse(status === 'locked' ? 'cart_locked' : 'cart_not_open', { current })
  if (expectedVersion !== undefined && expectedVersion !== cart.version) {
    const message = `The cart is at version ${cart.version}; the request expected ${expectedVersion}.`
    throw refuse('version_conflict', { message, current })
  }
}

// Only the merchant may change the items and discounts of a cart that the merchant made.
export function refuseMerchantMadeCart({ cart: { terms, status, version } }: CartFacts): void {
  if (terms === null) return
  const message = 'The merchant created this cart for the shopper, so its items and discounts cannot be changed.'
  throw refuse('cart_not_open', { message, current: { status, version } })
}

// `text`: returns the cart as JSON, as clients see it.
export type ChangedCart = Quote & { text: () => string }

// Writes a changed cart and its event, with the next version and a later expiry. Returns the resulting cart.
export async function saveCartChange(tools: CartTools, ask: CartChangeInput, changed: CartFacts): Promise<ChangedCart> {
  const quote = await quoteOf(tools, ask, changed)
  refuseUnpriced(quote)
  return writeChange(tools, ask, quote)
}

// Like saveCartChange, for a change that must succeed even if the cart cannot be priced: its checkout session has ended.
export async function saveForcedCartChange(tools: CartTools, ask: CartChangeInput, changed: CartFacts): Promise<void> {
  await writeChange(tools, ask, await quoteOf(tools, ask, changed))
}

async function quoteOf(tools: CartTools, ask: CartChangeInput, changed: CartFacts): Promise<Quote> {
  const { db, now } = ask
  const at = now.getTime()
  const refreshed = await tools.refreshSessions(ask, changed)
  // The cart must not expire before its checkout session.
  const expiresAt = Math.max(refreshed.expiresAt, at + tools.idleMs)
  const cart = { ...refreshed, version: changed.cart.version + 1, updatedAt: at, expiresAt }
  const facts = { ...changed, cart }
  const quote = await quoteCart(db, tools.pricebooks, facts, at)
  if (quote.pricing.promotion.state !== 'rejected') return quote
  // The cart has reported that its promotion code is no longer valid, so this write removes the code.
  return quoteCart(db, tools.pricebooks, { ...facts, promotion: null, cart: { ...cart, promotionId: null } }, at)
}

function writeChange(tools: CartTools, ask: CartChangeInput, quote: Quote): ChangedCart {
  const { db, now, cause, isAnnouncedLater = false, write = (changed) => saveCart(db, changed) } = ask
  const { cart } = quote
  const at = now.getTime()
  if (cart.terms !== null && cart.checkoutSessionId !== null && quote.isPriced)
    saveOwnTotal(db, cart, quote.pricing.totals.total)
  const shown = () => JSON.stringify(cartView(quote, at, tools.pictureUrl))
  write({ ...cart, unannouncedSince: isAnnouncedLater ? (cart.unannouncedSince ?? at) : null })
  if (isAnnouncedLater) return { ...quote, text: shown }
  const text = shown()
  announce(db, cartUpdatedEvent(quote.cart, text, cause, at))
  return { ...quote, text: () => text }
}

// `text`: the cart as JSON, as clients see it.
export function cartUpdatedEvent(cart: CartRow, text: string, cause: Cause | null, now: number): Announcement {
  return {
    installationId: cart.installationId,
    mode: cart.mode,
    kind: onlyMove(cartLifecycle, 'change').announces,
    subject: { type: 'cart', id: cart.id },
    sequence: cart.version,
    dataText: `{"cart":${text}}`,
    cause,
    now,
  }
}
