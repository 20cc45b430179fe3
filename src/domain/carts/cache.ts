// Carts as they were last sent. A storefront asks for the cart with every page that it shows, and seldom has anything changed
// in between: then one statement says so, and the bytes of last time are the answer. Whatever a cart is made of is compared
// in the database at each read, so that nothing kept is ever out of date.

import { lastingBytes } from '../../platform/kit/bytes.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { statusAt } from './lifecycle.ts'
import type { CartFacts } from './quote.ts'
import { type CartKey, type CartTrace, traceCart } from './store.ts'

export interface CartCache {
  // The bytes, if the cart is what it was when they were kept.
  find(db: Reader, key: CartKey, now: number): Promise<Pick<CachedCart, 'bytes' | 'isPublic'> | undefined>
  // Keeps the answer for this cart, read at this moment, if it will be good for more than the moment.
  keep(facts: CartFacts, now: number, text: string): void
}

interface CachedCart {
  bytes: Buffer
  // Made with a publishable key.
  isPublic: boolean
  // Outside of these the time alone makes it another cart. A clock may be set back.
  from: number
  endsAt: number
  version: number
  catalogVersion: number
  promotionVersion: number | null
  // By position.
  lines: ReadonlyMap<number, { seenPrice: number; available: number }>
}

// A cart of three lines is 3 KB.
const keptBytesMax = 16 * 2 ** 20

export function createKeptCarts(): CartCache {
  const kept = new Lru<string, CachedCart>(keptBytesMax, ({ bytes }) => bytes.length)
  return {
    async find(db, key, now) {
      // Not counted as a use, as with products.
      const cart = kept.peek(nameOf(key))
      if (!cart || now < cart.from || cart.endsAt <= now) return undefined
      return isSame(cart, await traceCart(db, key)) ? cart : undefined
    },

    keep({ cart, lines, promotion }, now, text) {
      // An address can be erased at any time.
      if (statusAt(cart, now) !== 'open' || cart.address !== null || lines.length === 0) return
      const ends = [cart.expiresAt, promotion?.startsAt ?? 0, promotion?.endsAt ?? 0].filter((end) => end > now)
      kept.set(nameOf({ installationId: cart.installationId, cartId: cart.id }), {
        bytes: lastingBytes(text),
        isPublic: cart.publicKeyId !== null,
        from: now,
        endsAt: Math.min(...ends),
        version: cart.version,
        catalogVersion: cart.seller.catalogVersion,
        promotionVersion: cart.promotionVersion,
        lines: new Map(
          lines.map(({ position, seenPrice, offer: { available } }) => [position, { seenPrice, available }]),
        ),
      })
    },
  }
}

function nameOf({ installationId, cartId }: CartKey): string {
  return `${installationId} ${cartId}`
}

// What others were promised comes free with the clock: such a SKU is looked at anew each time.
function isSame(cart: CachedCart, rows: readonly CartTrace[]): boolean {
  if (rows.length !== cart.lines.size) return false
  for (const row of rows) {
    const line = cart.lines.get(row.position)
    if (
      row.held !== 0 ||
      line?.available !== row.onHand ||
      line.seenPrice !== row.seenPrice ||
      row.version !== cart.version ||
      row.catalogVersion !== cart.catalogVersion ||
      row.promotionVersion !== cart.promotionVersion
    )
      return false
  }
  return true
}
