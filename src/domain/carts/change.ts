// The shell of every change of a cart: lock it, see whether it may change, change it, price it, write it, tell of it.

import { isId } from '../../platform/kit/ids.ts'
import { moveFor, onlyMove } from '../../platform/kit/lifecycle.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { type Announcement, announce, type Cause } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { cartLifecycle, statusAt } from './lifecycle.ts'
import type { Pricebooks } from './pricebook.ts'
import { type CartFacts, findCartFacts, quoteFor, refuseUnpriced } from './quote.ts'
import { type CartRow, lockCart, saveCart, saveOwnTotal } from './store.ts'
import { cartView, type Quote } from './view.ts'

export interface CartTools {
  pricebooks: Pricebooks
  pictureUrl: (picture: string) => string
  // A cart that is not changed for this long expires.
  idleMs: number
  // What else a changed cart moves, in the same transaction: its checkout session holds the stock. Answers with the cart as
  // it is then. Given by `checkout/`.
  refreshSessions(ask: ChangeAsk, changed: CartFacts): Promise<CartRow>
}

export interface CartCaller extends MerchantMode {
  installationId: string
  // Where the caller is a visitor with a publishable key.
  publicKeyId?: string
}

export interface ChangeAsk {
  db: Tx
  // Whose cart it must be.
  caller: CartCaller
  cartId: string
  expectedVersion: number | undefined
  now: Date
  cause: Cause | null
  // The SKU of which this change wants more.
  grownSku?: string
  // Announced together with others, by a loop.
  isAnnouncedLater?: boolean
  // Writes the cart where it is a new one, which is in no table yet.
  write?: (cart: CartRow) => void
}

// The cart of this caller, locked. Another installation's is not found, with the same words as one that never was.
export async function lockCartFacts(tools: CartTools, { db, caller, cartId, now }: ChangeAsk): Promise<CartFacts> {
  if (!isId('cart', cartId)) throw refuse('cart_not_found')
  const key = { installationId: caller.installationId, cartId }
  // The look leaves in one flight with the lock and runs behind it, so it sees what the lock waited for.
  const [, facts] = await Promise.all([lockCart(db, key), findCartFacts(db, tools.pricebooks, key, now.getTime())])
  if (!facts || !isWithin(facts.cart, caller)) throw refuse('cart_not_found')
  return facts
}

// A publishable key is in the hands of every visitor, so it reaches only what such keys began.
export function isWithin({ publicKeyId }: CartRow, caller: CartCaller): boolean {
  return caller.publicKeyId === undefined || publicKeyId !== null
}

export function refuseUnchangeable({ cart }: CartFacts, { expectedVersion, now }: ChangeAsk): void {
  const status = statusAt(cart, now.getTime())
  const current = { status, version: cart.version }
  if (!moveFor(cartLifecycle, 'change', status))
    throw refuse(status === 'locked' ? 'cart_locked' : 'cart_not_open', { current })
  if (expectedVersion !== undefined && expectedVersion !== cart.version) {
    const message = `The cart is at version ${cart.version}; the request expected ${expectedVersion}.`
    throw refuse('version_conflict', { message, current })
  }
}

// Items and discounts of a cart that the merchant made are the merchant's.
export function refuseFixed({ cart: { terms, status, version } }: CartFacts): void {
  if (terms === null) return
  const message = 'The merchant made this cart for the shopper: its items and discounts do not change.'
  throw refuse('cart_not_open', { message, current: { status, version } })
}

// `text`: the cart as it is shown, made when it is asked for.
export type ChangedCart = Quote & { text: () => string }

// Writes a changed cart: one version further, its end moved on, with its event. Answers with the cart as it now is.
export async function commitChange(tools: CartTools, ask: ChangeAsk, changed: CartFacts): Promise<ChangedCart> {
  const quote = await quoteOf(tools, ask, changed)
  refuseUnpriced(quote)
  return writeChange(tools, ask, quote)
}

// The same for a change that must be possible whatever the cart costs: its checkout session has ended.
export async function commitAnyway(tools: CartTools, ask: ChangeAsk, changed: CartFacts): Promise<void> {
  await writeChange(tools, ask, await quoteOf(tools, ask, changed))
}

async function quoteOf(tools: CartTools, ask: ChangeAsk, changed: CartFacts): Promise<Quote> {
  const { db, now } = ask
  const at = now.getTime()
  const refreshed = await tools.refreshSessions(ask, changed)
  // It outlives its checkout session, whose end may be later.
  const expiresAt = Math.max(refreshed.expiresAt, at + tools.idleMs)
  const cart = { ...refreshed, version: changed.cart.version + 1, updatedAt: at, expiresAt }
  const facts = { ...changed, cart }
  const quote = await quoteFor(db, tools.pricebooks, facts, at)
  if (quote.pricing.promotion.state !== 'rejected') return quote
  // A code that lapsed has been told of; the first write after that takes it off.
  return quoteFor(db, tools.pricebooks, { ...facts, promotion: null, cart: { ...cart, promotionId: null } }, at)
}

function writeChange(tools: CartTools, ask: ChangeAsk, quote: Quote): ChangedCart {
  const { db, now, cause, isAnnouncedLater = false, write = (changed) => saveCart(db, changed) } = ask
  const { cart } = quote
  const at = now.getTime()
  if (cart.terms !== null && cart.checkoutSessionId !== null && quote.isPriced)
    saveOwnTotal(db, cart, quote.pricing.totals.total)
  const shown = () => JSON.stringify(cartView(quote, at, tools.pictureUrl))
  write({ ...cart, unannouncedSince: isAnnouncedLater ? (cart.unannouncedSince ?? at) : null })
  if (isAnnouncedLater) return { ...quote, text: shown }
  const text = shown()
  announce(db, updatedEvent(quote.cart, text, cause, at))
  return { ...quote, text: () => text }
}

// `text`: the cart as it is shown.
export function updatedEvent(cart: CartRow, text: string, cause: Cause | null, now: number): Announcement {
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
