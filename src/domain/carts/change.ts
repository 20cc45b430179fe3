// The steps that every change of a cart shares: lock the cart, check that it may change, change it, price it, write it, announce it.

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
  // A cart that is not changed for this long expires.
  idleMs: number
  // Updates what depends on the changed cart, in the same transaction: its checkout session holds the stock. Returns the resulting cart.
  // Passed in by `checkout/`.
  refreshSessions(ask: CartChangeInput, changed: CartFacts): Promise<CartRow>
}

export interface CartCaller extends MerchantMode {
  installationId: string
  // Set if the caller is a visitor with a publishable key.
  publicKeyId?: string
}

export interface CartChangeInput {
  db: Tx
  // The caller, who must own the cart.
  caller: CartCaller
  cartId: string
  expectedVersion: number | undefined
  now: Date
  cause: Cause | null
  // The SKU whose quantity this change increases.
  grownSku?: string
  // Whether a loop announces the change later, together with others.
  isAnnouncedLater?: boolean
  // Writes the cart, if it is a new one without a row.
  write?: (cart: CartRow) => void
}

// Locks and returns the caller's cart. A cart of another installation is refused with the same words as one that does not exist.
export async function lockCartFacts(
  tools: CartTools,
  { db, caller, cartId, now }: CartChangeInput,
): Promise<CartFacts> {
  if (!isId('cart', cartId)) throw refuse('cart_not_found')
  const key = { installationId: caller.installationId, cartId }
  // The read is sent together with the lock and runs after it, so it sees what the lock waited for.
  const [, facts] = await Promise.all([lockCart(db, key), findCartFacts(db, tools.pricebooks, key, now.getTime())])
  if (!facts || !isWithin(facts.cart, caller)) throw refuse('cart_not_found')
  return facts
}

// Every visitor has the publishable key, so it reaches only carts that were created with such a key.
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

// Only the merchant changes the items and discounts of a cart that the merchant made.
export function refuseMerchantMadeCart({ cart: { terms, status, version } }: CartFacts): void {
  if (terms === null) return
  const message = 'The merchant made this cart for the shopper: its items and discounts do not change.'
  throw refuse('cart_not_open', { message, current: { status, version } })
}

// `text`: the cart as it is shown, built when it is called.
export type ChangedCart = Quote & { text: () => string }

// Writes a changed cart with its event: raises the version and extends the expiry. Returns the resulting cart.
export async function saveCartChange(tools: CartTools, ask: CartChangeInput, changed: CartFacts): Promise<ChangedCart> {
  const quote = await quoteOf(tools, ask, changed)
  refuseUnpriced(quote)
  return writeChange(tools, ask, quote)
}

// Like saveCartChange, for a change that must be possible whatever the cart costs: its checkout session has ended.
export async function saveForcedCartChange(tools: CartTools, ask: CartChangeInput, changed: CartFacts): Promise<void> {
  await writeChange(tools, ask, await quoteOf(tools, ask, changed))
}

async function quoteOf(tools: CartTools, ask: CartChangeInput, changed: CartFacts): Promise<Quote> {
  const { db, now } = ask
  const at = now.getTime()
  const refreshed = await tools.refreshSessions(ask, changed)
  // The cart outlives its checkout session, which may expire later.
  const expiresAt = Math.max(refreshed.expiresAt, at + tools.idleMs)
  const cart = { ...refreshed, version: changed.cart.version + 1, updatedAt: at, expiresAt }
  const facts = { ...changed, cart }
  const quote = await quoteCart(db, tools.pricebooks, facts, at)
  if (quote.pricing.promotion.state !== 'rejected') return quote
  // The shopper was informed of a code that is no longer valid; the first write after that removes it.
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

// `text`: the cart as it is shown.
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
