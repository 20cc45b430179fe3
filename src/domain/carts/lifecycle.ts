// What may happen to a cart. A combination of verb and status without a row is refused.

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

// An open cart counts as expired from its expiry time on, even before the sweep has recorded it.
export function cartStatusAt(
  { status, expiresAt }: { status: CartStatus; expiresAt: number },
  now: number,
): CartStatus {
  return status === 'open' && expiresAt <= now ? 'expired' : status
}
