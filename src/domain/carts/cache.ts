// Caches carts as they were last sent. A storefront requests the cart with every page, and the cart has seldom changed in between: one
// SQL statement confirms that, and the cached bytes are sent. Each read compares everything that the cart depends on with the database,
// so the cache never returns an outdated cart.

import { lastingBytes } from '../../platform/kit/bytes.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { cartStatusAt } from './lifecycle.ts'
import type { CartFacts } from './quote.ts'
import { type CartKey, type CartTrace, readCartTrace } from './store.ts'

export interface CartCache {
  // Returns the cached bytes if the cart is unchanged.
  find(db: Reader, key: CartKey, now: number): Promise<Pick<CachedCart, 'bytes' | 'isPublic'> | undefined>
  // Caches the response for the cart as read at `now`, unless it may become outdated at any time.
  keep(facts: CartFacts, now: number, text: string): void
}

interface CachedCart {
  bytes: Buffer
  // Whether the cart was created with a publishable key.
  isPublic: boolean
  // The cart is valid from `from` until `endsAt`: outside of this period the time alone changes it. `from` matters if the clock is set
  // back.
  from: number
  endsAt: number
  version: number
  catalogVersion: number
  promotionVersion: number | null
  // The lines by position.
  lines: ReadonlyMap<number, { seenPrice: number; available: number }>
}

// A cart with three lines takes 3 KB.
const keptBytesMax = 16 * 2 ** 20

export function createCartCache(): CartCache {
  const kept = new Lru<string, CachedCart>(keptBytesMax, ({ bytes }) => bytes.length)
  return {
    async find(db, key, now) {
      // `peek` does not count as a use, as in the cache of products.
      const cart = kept.peek(nameOf(key))
      if (!cart || now < cart.from || cart.endsAt <= now) return undefined
      return isSame(cart, await readCartTrace(db, key)) ? cart : undefined
    },

    keep({ cart, lines, promotion }, now, text) {
      // A cart with an address is not cached: the address can be erased at any time.
      if (cartStatusAt(cart, now) !== 'open' || cart.address !== null || lines.length === 0) return
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

// A cart is not served from the cache while stock of its SKUs is held: holds expire with time, without a write.
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
