// Signs that stolen cards are tested at a shop: how many payments were declined there, and how many had to wait. Counted for /metrics,
// and logged if there are many. Neither contains data of a shopper or a card.

import type { Mode } from '../../contract/words.ts'
import type { Log } from '../../platform/log/log.ts'
import { Counts, type Labels, type Sample } from '../../platform/metrics/counts.ts'
import type { DeclineSubjectKind } from './tries.ts'

export interface WatchedShop {
  merchantId: string
  mode: Mode
}

export interface DeclineWatch {
  declined(shop: WatchedShop): void
  refused(shop: WatchedShop, by: DeclineSubjectKind): void
  stats(): { declined: readonly Sample[]; refused: readonly Sample[] }
}

const minute = 60_000
// Declines per minute and shop from which they are logged. Shoppers mistype once or twice; lists of stolen cards are tested by the
// hundred.
const declinedMany = 10
// Shops beyond this number share one label and are not logged, to limit the memory and the size of a scrape.
const shopsMax = 1_000

interface Minute {
  since: number
  declined: number
  refused: number
  isLogged: boolean
}

export function createDeclineWatch(log: Log, clock: () => number): DeclineWatch {
  const declined = new Counts()
  const refused = new Counts()
  const minutes = new Map<string, Minute>()

  function count(shop: WatchedShop, what: 'declined' | 'refused'): Labels {
    const { merchantId, mode } = shop
    const key = `${merchantId} ${mode}`
    const isKnown = minutes.has(key) || minutes.size < shopsMax
    if (isKnown) look(shop, minuteOf(key), what)
    return { merchant: isKnown ? merchantId : 'other', mode }
  }

  function minuteOf(key: string): Minute {
    const now = clock()
    const found = minutes.get(key)
    if (found && Math.abs(now - found.since) < minute) return found
    const fresh = { since: now, declined: 0, refused: 0, isLogged: false }
    minutes.set(key, fresh)
    return fresh
  }

  function look(shop: WatchedShop, present: Minute, what: 'declined' | 'refused'): void {
    present[what] += 1
    if (present.isLogged || (present.refused === 0 && present.declined < declinedMany)) return
    present.isLogged = true
    const { merchantId, mode } = shop
    log.warn('possible card testing: many payments were declined, or further attempts were blocked', {
      merchantId,
      mode,
      declined: present.declined,
      refused: present.refused,
    })
  }

  return {
    declined: (shop) => declined.raise(count(shop, 'declined')),
    refused: (shop, by) => refused.raise({ ...count(shop, 'refused'), by }),
    stats: () => ({ declined: declined.samples(), refused: refused.samples() }),
  }
}
