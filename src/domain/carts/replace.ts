// Replaces lines, code, address and shipping option of a cart as one change with one version, which a job announces. Unavailable items are
// left out and reported. Refuses only a cart that may not be changed, or whose total would be too large.

import { limits } from '../../contract/limits.ts'
import type { Address } from '../../contract/open/carts.ts'
import type { PromotionReason } from '../../contract/words.ts'
import { isId } from '../../platform/kit/ids.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { summarizeAddress } from '../addresses/check.ts'
import { deleteAddress, storeEncryptedAddress } from '../addresses/vault.ts'
import { listSkusByCode } from '../catalog/store.ts'
import { findPromotionByCode, normalizePromotionCode, type Promotion } from '../promotions/store.ts'
import {
  type CartChangeInput,
  type CartTools,
  lockCartFacts,
  refuseMerchantMadeCart,
  refuseUnchangeableCart,
  saveCartChange,
} from './change.ts'
import { codeGuessWaitMs, countRefusedGuess } from './codes.ts'
import { cartAddressMs, decryptCartAddress } from './destination.ts'
import { type CartFacts, quoteCart } from './quote.ts'
import {
  type CartLine,
  type CartRow,
  countGuess,
  deleteCartLine,
  listOffers,
  type Offer,
  putCartLines,
} from './store.ts'
import type { Quote } from './view.ts'

// `item`: the id of a SKU, or the merchant's code for it.
export interface WantedLine {
  item: string
  quantity: number
}

// The outcome for a wanted line. `asked` and `got` differ if fewer units are available.
export type LineNote =
  | { kind: 'adjusted'; skuId: string; name: string; asked: number; got: number }
  | {
      kind: 'left_out'
      item: string
      name: string | null
      reason: 'not_found' | 'item_unavailable' | 'out_of_stock'
      // Missing in notes that an earlier release wrote.
      asked?: number
    }

export interface CodeNote {
  code: string
  // Null: the code is applied. `second`: the code is valid, but another code is applied already. `guessed`: too many codes were tried.
  reason: PromotionReason | 'second' | 'guessed' | null
}

export interface CartReplacement {
  lines: readonly WantedLine[]
  // Null: the applied code stays.
  codes: readonly string[] | null
  // In normal form; it may still be incomplete for a delivery. `kept`: the present address stays.
  address: Address | null | 'kept'
  shippingOption: string | null
}

export interface ReplacedCart {
  quote: Quote
  lineNotes: LineNote[]
  // Null if no codes were tried.
  codeNotes: CodeNote[] | null
}

export async function replaceCart(
  tools: CartTools,
  rootSecret: RootSecret,
  change: CartChangeInput,
  wanted: CartReplacement,
  // Set if the caller has already locked and read the cart.
  known?: CartFacts,
): Promise<ReplacedCart> {
  const facts = known ?? (await lockCartFacts(tools, change))
  refuseUnchangeableCart(facts, change)
  refuseMerchantMadeCart(facts)
  const offers = await offersOf(change, facts, wanted.lines)
  const { lines, notes } = fitLinesToStock(wanted.lines, offers)
  const kept = writeLines(change.db, facts, lines)
  const cart = await withAddress(rootSecret, change, facts.cart, wanted)
  const tried = wanted.codes && (await tryCodes(tools, change, { ...facts, cart, lines: kept }, wanted.codes))
  const promotion = tried ? tried.promotion : facts.promotion
  const quote = await saveCartChange(
    tools,
    { ...change, isAnnouncedLater: true },
    { cart: { ...cart, promotionId: promotion?.id ?? null }, lines: kept, promotion },
  )
  return { quote, lineNotes: notes, codeNotes: tried ? tried.notes : null }
}

// Returns offers by the id or code in the request. For a SKU that is already in the cart, `available` includes the units that the cart's
// own session holds.
async function offersOf(
  { db, caller, now }: CartChangeInput,
  { lines }: CartFacts,
  wanted: readonly WantedLine[],
): Promise<ReadonlyMap<string, Offer>> {
  const known = new Map(lines.map(({ offer }) => [offer.skuId, offer]))
  const words = [...new Set(wanted.map(({ item }) => item))]
  const codes = words.filter((word) => !isId('sku', word))
  const byCode = new Map(
    codes.length > 0
      ? (await listSkusByCode(db, caller.merchantId, codes)).map(({ id, code }) => [code, id] as const)
      : [],
  )
  const idOf = (word: string) => byCode.get(word) ?? word
  const unknown = words.map(idOf).filter((id) => isId('sku', id) && !known.has(id))
  for (const offer of unknown.length > 0 ? await listOffers(db, caller, unknown, now.getTime()) : [])
    known.set(offer.skuId, offer)
  return new Map(
    words.flatMap((word) => {
      const offer = known.get(idOf(word))
      return offer ? [[word, offer] as const] : []
    }),
  )
}

export interface StockedLine {
  offer: Offer
  quantity: number
}

// Adds up lines of the same SKU, and reduces quantities to what can be sold. Pure.
export function fitLinesToStock(
  wanted: readonly WantedLine[],
  offers: ReadonlyMap<string, Offer>,
): { lines: StockedLine[]; notes: LineNote[] } {
  const notes: LineNote[] = []
  const asked = new Map<string, StockedLine & { item: string }>()
  for (const { item, quantity } of wanted) {
    const offer = offers.get(item)
    if (!offer) notes.push({ kind: 'left_out', item, name: null, reason: 'not_found', asked: quantity })
    else {
      const before = asked.get(offer.skuId)?.quantity ?? 0
      asked.set(offer.skuId, { offer, item, quantity: before + quantity })
    }
  }
  const lines: StockedLine[] = []
  for (const { offer, item, quantity } of asked.values()) {
    const { skuId, name, maxPerOrder } = offer
    const there = offer.whenSoldOut === 'refuse' ? offer.available : limits.quantityMax
    const got = Math.min(quantity, there, maxPerOrder, limits.quantityMax)
    if (!offer.isSold) notes.push({ kind: 'left_out', item, name, reason: 'item_unavailable', asked: quantity })
    else if (got < 1) notes.push({ kind: 'left_out', item, name, reason: 'out_of_stock', asked: quantity })
    else {
      lines.push({ offer, quantity: got })
      if (got < quantity) notes.push({ kind: 'adjusted', skuId, name, asked: quantity, got })
    }
  }
  return { lines, notes }
}

// Lines that remain keep their position. Unchanged lines are not written.
function writeLines(tx: Tx, { cart, lines: before }: CartFacts, fitted: readonly StockedLine[]): CartLine[] {
  const wanted = new Set(fitted.map(({ offer }) => offer.skuId))
  const key = { installationId: cart.installationId, cartId: cart.id }
  for (const { offer } of before) if (!wanted.has(offer.skuId)) deleteCartLine(tx, key, offer.skuId)
  const present = new Map(before.map((line) => [line.offer.skuId, line]))
  let last = Math.max(-1, ...before.map(({ position }) => position))
  const lines = fitted.map(({ offer, quantity }): CartLine => {
    const position = present.get(offer.skuId)?.position ?? ++last
    return { offer, position, quantity, seenPrice: offer.price }
  })
  const isOther = ({ offer, quantity, seenPrice }: CartLine) => {
    const there = present.get(offer.skuId)
    return there?.quantity !== quantity || there.seenPrice !== seenPrice
  }
  putCartLines(tx, cart, lines.filter(isOther))
  return lines.toSorted((one, other) => one.position - other.position)
}

// Keeps the stored address if it is unchanged, instead of encrypting it again.
async function withAddress(
  rootSecret: RootSecret,
  { db, now }: CartChangeInput,
  cart: CartRow,
  { address, shippingOption }: CartReplacement,
): Promise<CartRow> {
  if (address === 'kept') return { ...cart, shippingOption }
  const at = now.getTime()
  const owner = { installationId: cart.installationId, ownerId: cart.id }
  const kept = await decryptCartAddress(db, rootSecret, cart, at)
  if (address && kept && JSON.stringify(kept) === JSON.stringify(address)) return { ...cart, shippingOption }
  if (cart.address) deleteAddress(db, cart.installationId, cart.address.token)
  if (!address) return { ...cart, shippingOption, address: null }
  const summary = summarizeAddress(address)
  const expiresAt = at + cartAddressMs
  const token = storeEncryptedAddress(db, rootSecret, { ...owner, address, summary, now: at, expiresAt })
  const { city, region, country } = summary
  return { ...cart, shippingOption, address: { token, city, region, country, expiresAt } }
}

// Applies the first valid code. Promotion codes are short and worth money, so rejected ones count as guesses.
async function tryCodes(
  tools: CartTools,
  { db, now }: CartChangeInput,
  facts: CartFacts,
  codes: readonly string[],
): Promise<{ promotion: Promotion | null; notes: CodeNote[] }> {
  const at = now.getTime()
  let { guesses, guessesSince } = facts.cart
  let applied: Promotion | null = null
  const notes: CodeNote[] = []
  for (const code of codes) {
    if (codeGuessWaitMs({ guesses, guessesSince }, at) > 0) {
      notes.push({ code, reason: 'guessed' })
      continue
    }
    const promotion = await findPromotionByCode(db, facts.cart, normalizePromotionCode(code))
    const tried = promotion && { ...facts, promotion, cart: { ...facts.cart, promotionId: promotion.id } }
    const verdict = tried && (await quoteCart(db, tools.pricebooks, tried, at)).pricing.promotion
    if (promotion && verdict && verdict.state !== 'rejected') {
      notes.push({ code, reason: applied ? 'second' : verdict.reason })
      applied ??= promotion
      continue
    }
    ;({ guesses, guessesSince } = countRefusedGuess({ guesses, guessesSince }, at))
    notes.push({ code, reason: verdict?.reason ?? 'not_found' })
  }
  if (guesses !== facts.cart.guesses || guessesSince !== facts.cart.guessesSince)
    countGuess(db, facts.cart, guesses, guessesSince)
  return { promotion: applied, notes }
}
