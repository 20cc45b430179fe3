// Converts a cart and its prices to the cart of the contract. Pure.

import { limits } from '../../contract/limits.ts'
import type { Cart, CartItem, CartMessage } from '../../contract/open/carts.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { pricedMeasure } from '../../platform/kit/unitprice.ts'
import { formatAddressSummary } from '../addresses/check.ts'
import { availabilityFor } from '../catalog/availability.ts'
import type { Promotion } from '../promotions/store.ts'
import { cartStatusAt } from './lifecycle.ts'
import type { Pricing } from './pricing.ts'
import { needsShipping } from './shipping.ts'
import type { CartAddress, CartLine, CartRow } from './store.ts'

export interface Quote {
  cart: CartRow
  lines: readonly CartLine[]
  promotion: Promotion | null
  pricing: Pricing
  // False if an amount exceeds the largest safe integer; the amounts are then shown as 0. Such a cart can be read and ended, but not
  // paid.
  isPriced: boolean
}

export function cartView(quote: Quote, now: number, pictureUrl: (picture: string) => string): Cart {
  const { cart, lines, promotion, pricing } = quote
  const address = unexpiredAddress(cart, now)
  return {
    id: cart.id,
    version: cart.version,
    status: cartStatusAt(cart, now),
    currency: cart.currency,
    items: lines.map((line, index): CartItem => {
      const priced = pricing.lines[index]
      if (priced?.skuId !== line.offer.skuId) throw new Error('the lines of the cart and their prices differ in order')
      const { offer, quantity } = line
      return {
        skuId: offer.skuId,
        code: offer.code,
        productSlug: offer.productSlug,
        name: offer.name,
        options: offer.options.map(({ name, value }) => ({ name, value })),
        imageUrl: offer.image === null ? null : pictureUrl(offer.image),
        quantity,
        unitPrice: priced.unitPrice,
        measure: pricedMeasure(offer.measure, priced.unitPrice),
        withdrawalExempt: offer.withdrawalExempt,
        digital: offer.digital,
        subtotal: priced.subtotal,
        discount: priced.discount,
        tax: priced.tax,
        total: priced.total,
        availability: offer.isSold ? availabilityFor(offer, cart.seller.lowStockAt) : 'out_of_stock',
        availableQuantity: availableQuantity(line),
        maxQuantity: maxQuantity(line),
      }
    }),
    itemCount: lines.reduce((count, line) => count + line.quantity, 0),
    promotion: promotionView(promotion, pricing),
    address: address && {
      token: address.token,
      summary: formatAddressSummary(address),
      expiresAt: toInstant(address.expiresAt),
    },
    shipping: {
      optionId: pricing.shipping.optionId,
      options: pricing.shipping.options.map((option) => ({ ...option })),
    },
    totals: pricing.totals,
    messages: [...messagesFor(quote, now)],
    checkoutSessionId: cart.checkoutSessionId,
    orderId: cart.orderId,
    metadata: cart.metadata,
    createdAt: toInstant(cart.createdAt),
    updatedAt: toInstant(cart.updatedAt),
    expiresAt: toInstant(cart.expiresAt),
  }
}

// A code that is no longer valid is not shown as the promotion of the cart; a message reports it.
function promotionView(promotion: Promotion | null, { promotion: { state, amount } }: Pricing): Cart['promotion'] {
  if (!promotion || state === 'rejected' || state === 'none') return { state: 'none', code: null, amount: 0 }
  return { state, code: promotion.code, amount }
}

// Returns the address of a cart; null if there is none or it has expired.
export function unexpiredAddress({ address }: CartRow, now: number): CartAddress | null {
  return address && address.expiresAt > now ? address : null
}

function availableQuantity({ offer }: CartLine): number | null {
  if (!offer.isSold) return 0
  return offer.whenSoldOut === 'refuse' ? offer.available : null
}

function maxQuantity({ offer }: CartLine): number {
  return Math.min(offer.maxPerOrder, limits.quantityMax)
}

// While a payment of the cart is in progress, and after the cart became an order, its prices are the ones that are charged.
export function cartLinePrice({ status }: Pick<CartRow, 'status'>, { offer, seenPrice }: CartLine): number {
  return status === 'locked' || status === 'converted' ? seenPrice : offer.price
}

// Reports changes that the caller did not make. The next write of the cart accepts them.
function* messagesFor({ cart, lines, promotion, pricing, isPriced }: Quote, now: number): Generator<CartMessage> {
  const plain = { skuId: null, previous: null, current: null }
  if (!isPriced) {
    const message = 'The cart cannot be priced now: its total would be too large. Its amounts are shown as 0.'
    yield { ...plain, code: 'price_unavailable', message }
  }
  // The cart can no longer be written, so there is nothing to accept.
  if (cart.status === 'locked' || cart.status === 'converted') return
  for (const { offer, quantity, seenPrice } of lines) {
    const about = { skuId: offer.skuId, previous: null, current: null }
    if (!offer.isSold) {
      yield { ...about, code: 'item_unavailable', message: `${offer.name} can no longer be bought.` }
      continue
    }
    if (offer.price !== seenPrice) {
      const message = `The price of ${offer.name} has changed.`
      yield { ...about, code: 'price_changed', message, previous: seenPrice, current: offer.price }
    }
    if (offer.whenSoldOut === 'refuse' && offer.available < quantity) {
      const message = `Only ${offer.available} of ${offer.name} are left.`
      yield { ...about, code: 'insufficient_stock', message, previous: quantity, current: offer.available }
    }
    if (quantity > offer.maxPerOrder) {
      const message = `At most ${offer.maxPerOrder} of ${offer.name} can be ordered.`
      yield { ...about, code: 'quantity_limit_exceeded', message, previous: quantity, current: offer.maxPerOrder }
    }
  }
  if (promotion && pricing.promotion.state === 'pending') {
    yield {
      ...plain,
      code: 'promotion_pending',
      message: `${promotion.code} applies once the cart meets its condition.`,
    }
  }
  if (promotion && pricing.promotion.state === 'rejected') {
    yield { ...plain, code: 'promotion_lapsed', message: `${promotion.code} is no longer valid.` }
  }
  if (cart.address && cart.address.expiresAt <= now) {
    yield { ...plain, code: 'address_expired', message: 'The address has expired; it must be given again.' }
  }
  const isToBeSent = unexpiredAddress(cart, now) !== null && needsShipping(lines.map(({ offer }) => offer))
  if (isPriced && isToBeSent && pricing.shipping.options.length === 0) {
    const message = 'No shipping option carries these items to this address.'
    yield { ...plain, code: 'no_shipping_option', message }
  }
}
