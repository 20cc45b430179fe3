// What may happen to a payment, which is one attempt to collect money. A pair of verb and status without a row is refused.
// No event is about a payment: what it means for the order is announced by the order.

import type { PaymentStatus } from '../../contract/words.ts'
import type { Settles } from './port.ts'

// `challenge`: the shopper must confirm. In answers it is called processing.
export type StoredPaymentStatus = PaymentStatus | 'challenge'

// biome-ignore format: one row is one move
export const paymentLifecycle = [
  // verb           from          to
  ['start',        null,         'processing'],
  ['challenge',    'processing', 'challenge' ],
  ['challenge',    'challenge',  'challenge' ],
  ['decline',      'processing', 'declined'  ],
  ['decline',      'challenge',  'declined'  ],
  // The money comes later, by hand.
  ['await',        'processing', 'pending'   ],
  ['await',        'challenge',  'pending'   ],
  ['collect',      'processing', 'succeeded' ],
  ['collect',      'challenge',  'succeeded' ],
  ['collect',      'pending',    'succeeded' ],
  // The provider approves what was given up here. It is owed back.
  ['await_late',   'declined',   'pending'   ],
  ['await_late',   'voided',     'pending'   ],
  ['collect_late', 'declined',   'succeeded' ],
  ['collect_late', 'voided',     'succeeded' ],
  ['void',         'pending',    'voided'    ],
  ['void',         'succeeded',  'voided'    ],
] as const satisfies readonly (readonly [string, StoredPaymentStatus | null, StoredPaymentStatus])[]

export function shownStatus(status: StoredPaymentStatus): PaymentStatus {
  return status === 'challenge' ? 'processing' : status
}

// The provider has not said what became of it.
export function isUndecided({ status }: { status: StoredPaymentStatus }): boolean {
  return status === 'processing' || status === 'challenge'
}

// Ended here without money.
export function isGivenUp({ status }: { status: StoredPaymentStatus }): boolean {
  return status === 'declined' || status === 'voided'
}

// An order awaits it, and its provider says when it came.
export function isAwaitedFromProvider(payment: {
  status: StoredPaymentStatus
  settles: Settles | null
  orderId: string | null
}): boolean {
  return payment.status === 'pending' && payment.settles === 'by_provider' && payment.orderId !== null
}
