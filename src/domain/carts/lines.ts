// Creates carts and changes their lines. A change is applied entirely or not at all; a refusal states the present quantities.

import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Metadata } from '../../contract/parts.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { onlyMove } from '../../platform/kit/lifecycle.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { announce, type Cause } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import {
  type CartCaller,
  type CartChangeInput,
  type CartTools,
  type ChangedCart,
  lockCartFacts,
  refuseMerchantMadeCart,
  refuseUnchangeableCart,
  saveCartChange,
} from './change.ts'
import { cartLifecycle } from './lifecycle.ts'
import type { MerchantTerms } from './pricing.ts'
import { type CartFacts, quoteCartChange } from './quote.ts'
import {
  type CartLine,
  type CartOrigin,
  type CartRow,
  deleteCartLine,
  findCartOrigin,
  insertCart,
  listOffers,
  type Offer,
  putCartLines,
} from './store.ts'
import { cartView } from './view.ts'

export interface CreateAsk {
  db: Tx
  caller: CartCaller
  items: readonly { skuId: string; quantity: number }[]
  metadata: Metadata
  now: Date
  cause: Cause | null
  // Set for a cart that the merchant makes for a shopper: the terms, and prices by SKU that replace those of the catalog.
  own?: { terms: MerchantTerms; prices: ReadonlyMap<string, number> }
  // The mode, currency and seller of the cart, if the caller has already read them.
  origin?: CartOrigin
}

export async function createCart(tools: CartTools, ask: CreateAsk): Promise<ChangedCart> {
  const made = await buildCart(tools, ask)
  writeNewCart(ask.db, made.cart, made.lines)
  return made
}

export function writeNewCart(tx: Tx, cart: CartRow, lines: readonly CartLine[]): void {
  insertCart(tx, cart)
  putCartLines(tx, cart, lines)
}

// Builds a cart and announces it. The caller writes the cart.
export async function buildCart(
  tools: CartTools,
  { db, caller, items, metadata, now, cause, own, origin: known }: CreateAsk,
): Promise<ChangedCart> {
  const at = now.getTime()
  const { installationId } = caller
  const [origin, offers] = await Promise.all([
    known ?? findCartOrigin(db, installationId),
    listWantedOffers(db, caller, items, at),
  ])
  if (!origin) throw new Error(`installation ${installationId} does not exist`)
  const cart = newCart(tools, { caller, metadata, now: at, terms: own?.terms ?? null }, origin)
  const lines = items.map(({ quantity }, position): CartLine => {
    const offer = offers[position] as Offer
    refuseUnsellable(offer, quantity)
    // In a cart that the merchant made, prices stay as agreed, even if the catalog changes.
    const ownPrice = own && (own.prices.get(offer.skuId) ?? offer.price)
    return withOwnPrice({ offer, position, quantity, seenPrice: offer.price }, ownPrice)
  })
  const quote = await quoteCartChange(db, tools.pricebooks, { cart, lines, promotion: null }, at)
  const text = JSON.stringify(cartView(quote, at, tools.pictureUrl))
  announce(db, {
    installationId,
    mode: cart.mode,
    kind: onlyMove(cartLifecycle, 'create').announces,
    subject: { type: 'cart', id: cart.id },
    sequence: cart.version,
    dataText: `{"cart":${text}}`,
    cause,
    now: at,
  })
  return { ...quote, text: () => text }
}

function newCart(
  { idleMs }: CartTools,
  {
    caller,
    metadata,
    now,
    terms,
  }: Pick<CreateAsk, 'caller' | 'metadata'> & { now: number; terms: MerchantTerms | null },
  origin: CartOrigin,
): CartRow {
  const { installationId, merchantId, publicKeyId = null } = caller
  return {
    id: newId('cart'),
    installationId,
    merchantId,
    ...origin,
    version: 1,
    status: onlyMove(cartLifecycle, 'create').to,
    promotionId: null,
    promotionVersion: null,
    shippingOption: null,
    metadata,
    guesses: 0,
    guessesSince: 0,
    address: null,
    checkoutSessionId: null,
    orderId: null,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + idleMs,
    unannouncedSince: null,
    publicKeyId,
    terms,
    vat: null,
  }
}

export function withOwnPrice(line: CartLine, ownPrice: number | undefined): CartLine {
  if (ownPrice === undefined) return line
  return { ...line, offer: { ...line.offer, price: ownPrice }, seenPrice: ownPrice, ownPrice }
}

// Sets the quantity of a line, or adds the line if it is missing.
export async function putCartLine(
  tools: CartTools,
  change: CartChangeInput,
  skuId: string,
  quantity: number,
): Promise<ChangedCart> {
  const [facts, [stranger]] = await Promise.all([
    lockCartFacts(tools, change),
    isId('sku', skuId) ? listOffers(change.db, change.caller, [skuId], change.now.getTime()) : [],
  ])
  // For a SKU that is already in the cart, `available` includes the units that the cart's own session holds.
  const known = facts.lines.find((line) => line.offer.skuId === skuId)
  const offer = known?.offer ?? stranger
  if (!offer) throw refuse('cart_item_not_found', { message: 'There is no such SKU.' })
  refuseUnchangeableCart(facts, change)
  refuseMerchantMadeCart(facts)
  if (!known && facts.lines.length >= limits.cartLinesMax) {
    throw refuse('quantity_limit_exceeded', { current: { limit: limits.cartLinesMax } })
  }
  return changeLine(tools, change, facts, offer, quantity)
}

// Sets the quantity of a line that exists; 0 removes the line.
export async function setCartLine(
  tools: CartTools,
  change: CartChangeInput,
  skuId: string,
  quantity: number,
): Promise<ChangedCart> {
  const facts = await lockCartFacts(tools, change)
  const line = lineOf(facts, skuId)
  refuseUnchangeableCart(facts, change)
  refuseMerchantMadeCart(facts)
  if (quantity > 0) return changeLine(tools, change, facts, line.offer, quantity)
  const lines = facts.lines.filter((other) => other !== line)
  const key = { installationId: facts.cart.installationId, cartId: facts.cart.id }
  deleteCartLine(change.db, key, skuId)
  return saveCartChange(tools, change, { ...facts, lines })
}

async function changeLine(
  tools: CartTools,
  change: CartChangeInput,
  facts: CartFacts,
  offer: Offer,
  quantity: number,
): Promise<ChangedCart> {
  const kept = facts.lines.find((line) => line.offer.skuId === offer.skuId)
  refuseUnsellable(offer, quantity)
  const isMore = quantity > (kept?.quantity ?? 0)
  const position = kept?.position ?? (facts.lines.at(-1)?.position ?? -1) + 1
  const line: CartLine = { offer, position, quantity, seenPrice: offer.price }
  const lines = kept ? facts.lines.map((other) => (other === kept ? line : other)) : [...facts.lines, line]
  putCartLines(change.db, facts.cart, [line])
  return saveCartChange(tools, isMore ? { ...change, grownSku: offer.skuId } : change, { ...facts, lines })
}

function lineOf({ lines }: CartFacts, skuId: string): CartLine {
  const line = lines.find(({ offer }) => offer.skuId === skuId)
  if (!line) throw refuse('cart_item_not_found')
  return line
}

// Returns the SKUs of a new cart, in the order of its items. A SKU that is unknown, belongs to another merchant or occurs twice is
// reported as an issue at its position in the request.
export async function listWantedOffers(
  db: Reader,
  seller: MerchantMode,
  items: readonly { skuId: string }[],
  now: number,
): Promise<Offer[]> {
  if (items.length === 0) return []
  const skuIds = items.map(({ skuId }) => skuId)
  const byId = new Map((await listOffers(db, seller, skuIds, now)).map((offer) => [offer.skuId, offer]))
  const issues = skuIds.flatMap((skuId, index) => {
    if (!byId.has(skuId)) return [issueAt(`/items/${index}/skuId`, 'unknown_sku')]
    return skuIds.indexOf(skuId) < index ? [issueAt(`/items/${index}/skuId`, 'duplicate')] : []
  })
  if (issues.length > 0) throw refuse('invalid_request', { issues: issues.slice(0, limits.issuesMax) })
  return skuIds.map((skuId) => byId.get(skuId) as Offer)
}

export function refuseUnsellable(offer: Offer, quantity: number): void {
  const { skuId, available, maxPerOrder } = offer
  if (!offer.isSold) throw refuse('item_unavailable', { current: { skuId } })
  if (quantity > maxPerOrder) throw refuse('quantity_limit_exceeded', { current: { skuId, limit: maxPerOrder } })
  if (offer.whenSoldOut === 'refuse' && quantity > available) {
    throw refuse('insufficient_stock', { current: { skuId, available } })
  }
}
