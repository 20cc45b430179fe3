// Reads what a provider reports besides the outcome of a payment, and records its dispute whatever the outcome.

import { toInstant } from '../../../platform/kit/instant.ts'
import { queueEmails } from '../../../platform/outbox/emails.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { recordDispute } from '../../payments/disputes.ts'
import type { ProviderDispute, ProviderState } from '../../payments/port.ts'
import { readProviderState } from '../../payments/providerstate.ts'
import type { PaymentRow } from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import type { PaymentOutcome } from './settlement.ts'

export function providerStateIn(
  { watch }: PayTools,
  tx: Tx,
  payment: PaymentRow,
  { providerState: listed }: PaymentOutcome,
): ProviderState | undefined {
  const providerState = listed && readProviderState(listed)
  if (listed && !providerState) {
    const message = 'payment provider lists refunds or disputes that cannot be read'
    tx.afterCommit(() => watch.warn('unreadable_standing', message, factsOf(payment)))
  }
  return providerState
}

// The caller has locked the payment.
export async function recordProviderDispute(
  { watch, clock }: PayTools,
  tx: Tx,
  payment: PaymentRow,
  listed: ProviderDispute,
): Promise<void> {
  const now = clock().getTime()
  const { dispute, before } = await recordDispute(tx, payment, listed, now)
  const { id: disputeId, status } = dispute
  if (status === before || status === 'won') return
  if (status === 'open') {
    const { installationId, merchantId, orderId } = payment
    queueEmails(tx, { installationId, merchantId, orderId }, [{ kind: 'dispute_opened', subjectId: disputeId }], now)
  }
  const more = { disputeId, dueAt: dispute.dueAt === null ? null : toInstant(dispute.dueAt) }
  tx.afterCommit(() =>
    status === 'open'
      ? watch.warn(
          'dispute_opened',
          'payment is disputed; answer the dispute at the payment provider',
          factsOf(payment),
          more,
        )
      : watch.warn('dispute_lost', 'dispute was lost', factsOf(payment), more),
  )
}

function factsOf({ provider, id }: PaymentRow) {
  return { provider, paymentId: id }
}
