// What may happen to a return. A pair of verb and status without a row is refused.

import type { EventKind, ReturnStatus } from '../../contract/words.ts'

// biome-ignore format: one row is one move
export const returnLifecycle = [
  // verb       from         to           announces
  ['request',  null,        'requested', 'return.requested'],
  // Opened by the merchant, who has nothing to approve then.
  ['open',     null,        'approved',  'return.approved' ],
  ['approve',  'requested', 'approved',  'return.approved' ],
  ['refuse',   'requested', 'refused',   'return.refused'  ],
  ['receive',  'approved',  'received',  'return.received' ],
  // A second parcel.
  ['receive',  'received',  'received',  'return.received' ],
  // A new order was placed for items that came, or are to come.
  ['exchange', 'approved',  'approved',  'return.exchanged'],
  ['exchange', 'received',  'received',  'return.exchanged'],
  ['close',    'approved',  'closed',    'return.closed'   ],
  ['close',    'received',  'closed',    'return.closed'   ],
] as const satisfies readonly (readonly [string, ReturnStatus | null, ReturnStatus, EventKind])[]

// An order has at most one return in these. The unique index names them too.
export function isReturnOpen(status: ReturnStatus): boolean {
  return status === 'requested' || status === 'approved' || status === 'received'
}

// Money may go back as soon as the items may: some merchants do not wait for the parcel.
export function isReturnRefundable(status: ReturnStatus): boolean {
  return status === 'approved' || status === 'received'
}
