// The moves that a payment may make; a payment is one attempt to collect money. A pair of verb and status without a row is refused.
// Payments have no events: the order announces what a payment changes for it.

import type { PaymentStatus } from '../../contract/words.ts'
import type { SettlementKind } from './port.ts'

// `challenge`: the shopper must confirm. API responses call it processing.
export type StoredPaymentStatus = PaymentStatus | 'challenge'

// biome-ignore format: one row is one move
export const paymentLifecycle = [
  // verb           from          to
  ['start',        null,         'processing'],
  ['challenge',    'processing', 'challenge' ],
  ['challenge',    'challenge',  'challenge' ],
  ['decline',      'processing', 'declined'  ],
  ['decline',      'challenge',  'declined'  ],
  // The money arrives later, moved by people or confirmed by the provider.
  ['await',        'processing', 'pending'   ],
  ['await',        'challenge',  'pending'   ],
  ['collect',      'processing', 'succeeded' ],
  ['collect',      'challenge',  'succeeded' ],
  ['collect',      'pending',    'succeeded' ],
  // The provider approves a payment that was given up here. The money must be refunded.
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

// The provider has not reported the outcome.
export function isUndecided({ status }: { status: StoredPaymentStatus }): boolean {
  return status === 'processing' || status === 'challenge'
}

// The payment ended here without money.
export function isGivenUp({ status }: { status: StoredPaymentStatus }): boolean {
  return status === 'declined' || status === 'voided'
}

// Whether an order waits for the payment, and its provider reports when the money arrives.
export function isAwaitedFromProvider(payment: {
  status: StoredPaymentStatus
  settles: SettlementKind | null
  orderId: string | null
}): boolean {
  return payment.status === 'pending' && payment.settles === 'by_provider' && payment.orderId !== null
}
