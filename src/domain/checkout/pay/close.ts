// Closes a payment by hand: the operator states the outcome of a payment that its provider no longer knows or never reports. The effects
// are the same as if the provider had reported this outcome. The provider is not queried any more; if it reports an outcome later, that
// is handled as for any payment that has ended.

import type { ClosedOutcome } from '../../../contract/words.ts'
import { type Refusal, refuse } from '../../../platform/kit/refuse.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { isAwaitedFromProvider, isUndecided, shownStatus } from '../../payments/lifecycle.ts'
import type { ProviderOutcome } from '../../payments/port.ts'
import { findPayment, type PaymentRow } from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import { lockForOutcome, recordOutcome } from './finish.ts'
import { lockAwaitedPayment, recordAwaitedOutcome } from './pending.ts'

// Longer than any call to a provider and the look-ups after it can take, so no response can still arrive.
const closableAfterMs = 3_600_000

export async function closePayment(
  tools: PayTools,
  tx: Tx,
  { installationId, id }: { installationId: string; id: string },
  outcome: ClosedOutcome,
): Promise<PaymentRow> {
  const found = await findPayment(tx, installationId, id)
  if (!found) throw refuse('payment_not_found')
  const locked = await (isAwaitedFromProvider(found) ? lockAwaitedPayment(tx, found) : lockForOutcome(tx, found))
  const { payment } = locked
  const now = tools.clock().getTime()
  const obstacle = paymentCloseObstacle(payment, now)
  if (obstacle !== undefined) throw notClosable(payment, obstacle)
  const { brand, last4 } = payment
  const closed = { ...payment, closedByHandAt: now }
  const said: ProviderOutcome =
    outcome === 'succeeded'
      ? { kind: 'approved', reference: payment.reference ?? id, collected: payment.amount, brand, last4 }
      : { kind: 'declined', code: 'provider_error', brand, last4 }
  if ('found' in locked) await recordAwaitedOutcome(tools, tx, { ...locked, payment: closed }, said)
  else await recordOutcome(tools, tx, { ...locked, payment: closed }, { outcome: said, cause: null })
  return (await findPayment(tx, installationId, id)) ?? closed
}

// Returns why the payment cannot be closed; undefined if it can.
export function paymentCloseObstacle(payment: PaymentRow, now: number): string | undefined {
  const { status, checkAt, createdAt } = payment
  if (status === 'succeeded' || (!isUndecided(payment) && checkAt === null))
    return `its status is already ${shownStatus(status)}`
  // The provider may still respond. If the payment were closed as declined now and that response got lost, the charge would never be
  // looked up again.
  if (now < createdAt + closableAfterMs)
    return 'it began less than an hour ago, and its outcome is still looked up at the provider'
  return undefined
}

function notClosable({ id, status }: PaymentRow, reason: string): Refusal {
  const message = `Payment ${id} cannot be closed: ${reason}.`
  return refuse('payment_not_closable', { message, current: { status: shownStatus(status) } })
}
