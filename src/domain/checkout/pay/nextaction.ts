// The next action of a redirect payment, as stored with the payment.

import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../../platform/secrets/secrets.ts'
import type { NextAction } from '../../payments/port.ts'
import type { PaymentRow } from '../../payments/store.ts'

const nextActionPurpose = 'payment place'

// The action is encrypted, because it may contain a secret with which the payment can be made at the provider.
export function encryptNextAction(
  rootSecret: RootSecret,
  payment: Pick<PaymentRow, 'installationId' | 'id'>,
  nextAction: NextAction,
): string {
  return encryptByRootSecret(rootSecret, nextActionPurpose, JSON.stringify(nextAction), contextOf(payment))
}

// Returns undefined if there is no next action, or it was encrypted with a version of the root secret that was removed.
export function decryptNextAction(rootSecret: RootSecret, payment: PaymentRow): NextAction | undefined {
  const text =
    payment.placeSealed && decryptByRootSecret(rootSecret, nextActionPurpose, payment.placeSealed, contextOf(payment))
  return text ? (JSON.parse(text) as NextAction) : undefined
}

function contextOf({ installationId, id }: Pick<PaymentRow, 'installationId' | 'id'>): string {
  return `${installationId} ${id}`
}
