// What may happen to a cart. A pair of verb and status without a row is refused.

import type { CartStatus, EventKind } from '../../contract/words.ts'

// biome-ignore format: one row is one move
export const cartLifecycle = [
  // verb       from      to           announces
  ['create',   null,     'open',      'cart.created'  ],
  ['change',   'open',   'open',      'cart.updated'  ],
  ['lock',     'open',   'locked',    null            ],
  ['unlock',   'locked', 'open',      null            ],
  ['convert',  'locked', 'converted', 'cart.converted'],
  ['expire',   'open',   'expired',   'cart.expired'  ],
] as const satisfies readonly (readonly [string, CartStatus | null, CartStatus, EventKind | null])[]

// An open cart is expired from its expiry time on, whether or not the sweep has recorded it.
export function cartStatusAt(
  { status, expiresAt }: { status: CartStatus; expiresAt: number },
  now: number,
): CartStatus {
  return status === 'open' && expiresAt <= now ? 'expired' : status
}
