// A job that queries providers about payments whose outcome is unknown, or about which an event arrived, until the outcome is known.

import type { PaymentErrorCode } from '../../../contract/words.ts'
import { handleClaimed } from '../../../platform/jobs/rows.ts'
import { callToClose, type PaymentProvider, type ProviderFinding } from '../../payments/port.ts'
import { leaseMs } from '../../payments/schedule.ts'
import { buildCharge, claimPaymentsToCheck, listPaymentsToCheck, type PaymentRow } from '../../payments/store.ts'
import type { PayTools } from '../tools.ts'
import { callFacts, callOptions, outcomeWithoutProvider, queryProvider } from './ask.ts'
import { finishPayment } from './finish.ts'
import { challengeMs, nothingDue, type PaymentOutcome } from './settlement.ts'

// If the provider still does not know a payment after this time, the request to create it will not arrive any more.
const absentMs = 2 * leaseMs
// How long after its start a payment that we closed is still looked up if the provider does not know it: not every provider can close a
// key that it does not know.
const doubtMs = 24 * 3_600_000

// Run by a job.
export async function recoverPayments(tools: PayTools, limit = 20): Promise<number> {
  const now = tools.clock().getTime()
  const { storage } = tools
  // Payments are processed in parallel: if they were processed one after the other, slow responses would outlast the lease.
  const round = { storage, loop: 'payments', now, atOnce: limit } as const
  const keyOf = ({ installationId, id }: PaymentRow) => ({ tenantId: installationId, rowId: id })
  return handleClaimed(
    round,
    {
      claim: (only) => storage.write((tx) => claimPaymentsToCheck(tx, now, leaseMs, limit, only)),
      listDue: () => storage.read((db) => listPaymentsToCheck(db, now, limit)),
    },
    keyOf,
    async (payment) => {
      await finishPayment(tools, payment, await findOutcome(tools, payment), null)
      return 1
    },
  )
}

export async function findOutcome(tools: PayTools, payment: PaymentRow): Promise<PaymentOutcome> {
  const provider = await tools.storage.read((db) => tools.providers.of(db, payment))
  if (provider) return lookUpOrClose(tools, provider, payment)
  // The provider may be installed again later. Until then the payment is checked with exponential backoff.
  if (payment.provider !== nothingDue) tools.watch.missing(callFacts(payment, 'lookUp'))
  return outcomeWithoutProvider(payment)
}

async function lookUpOrClose(tools: PayTools, provider: PaymentProvider, payment: PaymentRow): Promise<PaymentOutcome> {
  const charge = buildCharge(payment)
  const lookUp = () => queryProvider(tools, payment, 'lookUp', (signal) => provider.lookUp(charge, signal))
  const finding: ProviderFinding = await lookUp()
  // A payment that succeeded is never closed, whatever the provider reports now.
  if (payment.status === 'succeeded') return finding.kind === 'absent' ? { kind: 'unknown' } : finding
  const ageMs = tools.clock().getTime() - payment.createdAt
  const isForsaken =
    (finding.kind === 'absent' && ageMs > absentMs) ||
    (finding.kind === 'challenge' && ageMs > challengeMs) ||
    (finding.kind === 'redirect' && tools.clock().getTime() >= finding.until)
  if (!isForsaken) return finding.kind === 'absent' ? { kind: 'unknown' } : finding
  // The payment is closed at the provider first, so a call that is still on its way cannot charge the shopper afterwards. Then it is
  // looked up to verify that.
  const closed = await callToClose((signal) => provider.close(charge, signal), callOptions(tools, payment, 'close'))
  tools.onStep?.('closed')
  if (closed === 'unknown') return { kind: 'unknown' }
  const after: ProviderFinding = await lookUp()
  // The payment succeeded at the last moment: the shopper wants the order, not a refund.
  if (closed === 'taken') return after.kind === 'absent' ? { kind: 'unknown' } : after
  if (after.kind !== 'declined' && after.kind !== 'absent') return { kind: 'unknown' }
  const code: PaymentErrorCode = finding.kind === 'absent' ? 'provider_error' : 'authentication_failed'
  const isDoubtful = after.kind === 'absent' && ageMs < doubtMs
  return { kind: 'declined', code, brand: null, last4: null, isDoubtful }
}
