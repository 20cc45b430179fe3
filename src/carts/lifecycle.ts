// What may happen to a cart. A pair of verb and status that has no row is refused.

import type { CartStatus, EventKind } from '../contract/words.ts'

// biome-ignore format: one row is one move
export const cartLifecycle = [
  // verb       from      to           announces
  ['change',   'open',   'open',      'cart.updated'  ],
  ['lock',     'open',   'locked',    null            ],
  ['unlock',   'locked', 'open',      null            ],
  ['convert',  'locked', 'converted', 'cart.converted'],
  ['expire',   'open',   'expired',   'cart.expired'  ],
] as const satisfies readonly (readonly [string, CartStatus, CartStatus, EventKind | null])[]

export type CartVerb = (typeof cartLifecycle)[number][0]

export interface CartMove {
  to: CartStatus
  announces: EventKind | null
}

export function cartMove(verb: CartVerb, from: CartStatus): CartMove | undefined {
  const row = cartLifecycle.find(([rowVerb, rowFrom]) => rowVerb === verb && rowFrom === from)
  return row && { to: row[2], announces: row[3] }
}

// A cart whose time is over is expired, whether or not the sweeper has written it down.
export function statusAt({ status, expiresAt }: { status: CartStatus; expiresAt: number }, now: number): CartStatus {
  return status === 'open' && expiresAt <= now ? 'expired' : status
}
