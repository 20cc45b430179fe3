// The moves that a return may make. A pair of verb and status without a row is refused.

import type { EventKind, ReturnStatus } from '../../contract/words.ts'

// biome-ignore format: one row is one move
export const returnLifecycle = [
  // verb       from         to           announces
  ['request',  null,        'requested', 'return.requested'],
  // A return that the merchant opens needs no approval.
  ['open',     null,        'approved',  'return.approved' ],
  ['approve',  'requested', 'approved',  'return.approved' ],
  ['refuse',   'requested', 'refused',   'return.refused'  ],
  ['receive',  'approved',  'received',  'return.received' ],
  // Another parcel of the same return was received.
  ['receive',  'received',  'received',  'return.received' ],
  // A new order was placed for items that were received or are expected.
  ['exchange', 'approved',  'approved',  'return.exchanged'],
  ['exchange', 'received',  'received',  'return.exchanged'],
  ['close',    'approved',  'closed',    'return.closed'   ],
  ['close',    'received',  'closed',    'return.closed'   ],
] as const satisfies readonly (readonly [string, ReturnStatus | null, ReturnStatus, EventKind])[]

// An order has at most one open return. The unique index has the same condition.
export function isReturnOpen(status: ReturnStatus): boolean {
  return status === 'requested' || status === 'approved' || status === 'received'
}

// A refund is possible from the approval on: some merchants do not wait for the parcel.
export function isReturnRefundable(status: ReturnStatus): boolean {
  return status === 'approved' || status === 'received'
}
