// Where a payment is made that is not made here, as it is stored with the payment.

import { openByRoot, type RootSecret, sealByRoot } from '../../../platform/secrets/secrets.ts'
import type { Place } from '../../payments/port.ts'
import type { PaymentRow } from '../../payments/store.ts'

const placePurpose = 'payment place'

// Sealed, because it may hold a secret of the provider with which the payment can be made.
export function sealPlace(
  rootSecret: RootSecret,
  payment: Pick<PaymentRow, 'installationId' | 'id'>,
  place: Place,
): string {
  return sealByRoot(rootSecret, placePurpose, JSON.stringify(place), contextOf(payment))
}

// Undefined when there is none, or the version of the root secret that sealed it was given up.
export function openPlace(rootSecret: RootSecret, payment: PaymentRow): Place | undefined {
  const text = payment.placeSealed && openByRoot(rootSecret, placePurpose, payment.placeSealed, contextOf(payment))
  return text ? (JSON.parse(text) as Place) : undefined
}

function contextOf({ installationId, id }: Pick<PaymentRow, 'installationId' | 'id'>): string {
  return `${installationId} ${id}`
}
