// What may happen to a payment, which is one attempt to collect money. A combination of verb and status without a row is refused.
// Payments have no events: the order announces how a payment changes it.

import type { PaymentStatus } from '../../contract/words.ts'
import type { SettlementKind } from './port.ts'

// `challenge`: the shopper must confirm the payment. The API shows this status as processing.
export type StoredPaymentStatus = PaymentStatus | 'challenge'

// biome-ignore format: one row is one move
export const paymentLifecycle = [
  // verb           from          to
  ['start',        null,         'processing'],
  ['challenge',    'processing', 'challenge' ],
  ['challenge',    'challenge',  'challenge' ],
  ['decline',      'processing', 'declined'  ],
  ['decline',      'challenge',  'declined'  ],
  // The money arrives later: a person records it, or the provider reports it.
  ['await',        'processing', 'pending'   ],
  ['await',        'challenge',  'pending'   ],
  ['collect',      'processing', 'succeeded' ],
  ['collect',      'challenge',  'succeeded' ],
  ['collect',      'pending',    'succeeded' ],
  // The provider approves a payment that had already ended here. The money must be refunded.
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

// Whether the provider has not reported the outcome yet.
export function isUndecided({ status }: { status: StoredPaymentStatus }): boolean {
  return status === 'processing' || status === 'challenge'
}

// Whether the payment was declined or voided here.
export function isGivenUp({ status }: { status: StoredPaymentStatus }): boolean {
  return status === 'declined' || status === 'voided'
}

// Whether an order waits for the money of the payment, and the provider reports its arrival.
export function isAwaitedFromProvider(payment: {
  status: StoredPaymentStatus
  settles: SettlementKind | null
  orderId: string | null
}): boolean {
  return payment.status === 'pending' && payment.settles === 'by_provider' && payment.orderId !== null
}
