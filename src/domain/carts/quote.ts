// A cart with its lines, its promotion and its prices at present. Every operation on a cart begins with a quote, and every change ends
// with one.

import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import type { Promotion } from '../promotions/store.ts'
import { findPricingOfOrder } from './converted.ts'
import type { ModelessOffer, Pricebook, Pricebooks } from './pricebook.ts'
import { type PricedLineFacts, type PricingFacts, priceCart, zeroPricing } from './pricing.ts'
import {
  type CartKey,
  type CartLine,
  type CartRow,
  findCart,
  type LineRow,
  listCartLines,
  listCategoryIds,
} from './store.ts'
import { cartLinePrice, type Quote, unexpiredAddress } from './view.ts'

export interface CartFacts {
  cart: CartRow
  lines: readonly CartLine[]
  promotion: Promotion | null
}

export async function findCartFacts(
  db: Reader,
  pricebooks: Pricebooks,
  key: CartKey,
  now: number,
): Promise<CartFacts | undefined> {
  const [cart, rows] = await Promise.all([findCart(db, key), listCartLines(db, key, now)])
  return cart && factsFrom(db, pricebooks, cart, rows, now)
}

// `cart`: as read in this transaction.
export async function loadCartFacts(
  db: Reader,
  pricebooks: Pricebooks,
  cart: CartRow,
  now: number,
): Promise<CartFacts> {
  const key = { installationId: cart.installationId, cartId: cart.id }
  return factsFrom(db, pricebooks, cart, await listCartLines(db, key, now), now)
}

async function factsFrom(
  db: Reader,
  pricebooks: Pricebooks,
  cart: CartRow,
  rows: readonly LineRow[],
  now: number,
): Promise<CartFacts> {
  const [first] = rows
  const skuIds = rows.map(({ skuId }) => skuId)
  const { merchantId, mode } = cart
  const ask = first && { merchantId, mode, catalogVersion: first.catalogVersion, skuIds, now }
  const [offers, promotion] = await Promise.all([
    ask ? pricebooks.offersOf(db, ask) : [],
    pricebooks.promotionOf(db, cart),
  ])
  const lines = rows.map(({ position, quantity, seenPrice, price, available, onHand, ownHold }, index): CartLine => {
    // Units that the cart holds are available to it if they are on hand, even if more units are held than exist.
    const own = Math.min(onHand, ownHold + Math.max(0, available))
    const offer = { ...(offers[index] as ModelessOffer), price, available: own }
    return { offer, position, quantity, seenPrice, isHeld: ownHold === quantity && available >= 0 }
  })
  return { cart, lines, promotion }
}

export async function quoteCart(
  db: Reader,
  pricebooks: Pricebooks,
  { cart, lines, promotion }: CartFacts,
  now: number,
): Promise<Quote> {
  const change = cart.terms?.change
  if (change) return { cart, lines, promotion, pricing: change.pricing, isPriced: true }
  if (cart.orderId !== null) {
    const key = { installationId: cart.installationId, orderId: cart.orderId }
    return { cart, lines, promotion, pricing: await findPricingOfOrder(db, key, lines), isPriced: true }
  }
  const book = await pricebooks.find(db, cart.merchantId, cart.seller.catalogVersion)
  const address = unexpiredAddress(cart, now)
  const facts: PricingFacts = {
    currency: cart.currency,
    priceTax: cart.seller.priceTax,
    shippingTax: cart.seller.shippingTax,
    merchantCountry: cart.seller.country,
    lines: await pricedLines(db, cart, lines, promotion, book),
    promotion,
    destination: address && { country: address.country, region: address.region },
    taxRates: book.taxRates,
    isSmallBusiness: book.isSmallBusiness,
    isVatRegistered: book.vatId !== null,
    buyerVatCountry: confirmedVatCountry(cart),
    zones: book.zones,
    shippingOptionId: cart.shippingOption,
    terms: cart.terms,
    now,
  }
  try {
    return { cart, lines, promotion, pricing: priceCart(facts), isPriced: true }
  } catch (error) {
    // After the cart was filled, a price, a weight or a shipping amount became far too large. The cart must still be readable and able to
    // end.
    if (!(error instanceof RangeError)) throw error
    return { cart, lines, promotion, pricing: zeroPricing(facts), isPriced: false }
  }
}

// The VAT number belongs to the customer of one checkout session, so its check is valid only with this session.
function confirmedVatCountry({ vat, checkoutSessionId }: CartRow): string | null {
  return vat?.status === 'valid' && vat.sessionId === checkoutSessionId ? vat.country : null
}

// Like quoteCart, for a change of the cart. Refuses if an amount exceeds the largest safe integer.
export async function quoteCartChange(
  db: Reader,
  pricebooks: Pricebooks,
  facts: CartFacts,
  now: number,
): Promise<Quote> {
  const quote = await quoteCart(db, pricebooks, facts, now)
  refuseUnpriced(quote)
  return quote
}

export function refuseUnpriced({ isPriced }: Quote): void {
  if (!isPriced) throw refuse('quantity_limit_exceeded', { message: 'The total of the cart would be too large.' })
}

async function pricedLines(
  db: Reader,
  cart: CartRow,
  lines: readonly CartLine[],
  promotion: Promotion | null,
  book: Pricebook,
): Promise<PricedLineFacts[]> {
  const categoriesOf =
    promotion?.categories.length && lines.length > 0 ? await categorySlugs(db, cart.merchantId, lines, book) : undefined
  return lines.map((line) => ({
    skuId: line.offer.skuId,
    code: line.offer.code,
    unitPrice: cartLinePrice(cart, line),
    quantity: line.quantity,
    taxClass: line.offer.taxClass,
    weightGrams: line.offer.weightGrams,
    delivery: line.offer.delivery,
    categories: categoriesOf?.get(line.offer.productId) ?? [],
  }))
}

async function categorySlugs(
  db: Reader,
  merchant: string,
  lines: readonly CartLine[],
  book: Pricebook,
): Promise<Map<string, string[]>> {
  const productIds = [...new Set(lines.map(({ offer }) => offer.productId))]
  const slugs = new Map<string, string[]>()
  for (const { productId, categoryId } of await listCategoryIds(db, merchant, productIds)) {
    slugs.set(productId, [...(slugs.get(productId) ?? []), ...(book.slugsUpFrom.get(categoryId) ?? [])])
  }
  return slugs
}
