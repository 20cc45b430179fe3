// Paying, from the moment the shopper submits the payment. The attempt is committed before the provider is called, under a key of ours.
// The call is made outside of any transaction. Its outcome and the order are one transaction. An interrupted payment is found again by
// its key (recover.ts).

import type { Cause } from '../../../platform/outbox/announce.ts'
import type { ProviderOutcome } from '../../payments/port.ts'
import { buildCharge, findPayment } from '../../payments/store.ts'
import type { CheckoutProblem, PayInput } from '../port.ts'
import type { SessionKey, SessionName, SessionRow } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { callFacts, outcomeWithoutProvider, queryProvider } from './ask.ts'
import { type BegunPayment, beginPayment } from './begin.ts'
import type { CompletedSession } from './complete.ts'
import { finishPayment } from './finish.ts'
import { returnUrlsFor } from './redirect.ts'

export interface PayResult {
  problem: CheckoutProblem | null
  // Set if this payment completed the session and its money has arrived.
  paid?: SessionRow | undefined
}

export async function paySession(
  tools: PayTools,
  session: SessionName,
  input: PayInput,
  cause: Cause | null,
): Promise<PayResult> {
  const begun = await tools.storage.write((tx) => beginPayment(tools, tx, { session, input, cause }))
  if ('problem' in begun) return begun
  const completed = await chargeAtProvider(tools, begun, input, cause)
  return { problem: null, paid: completed?.order.paymentStatus === 'pending' ? undefined : completed?.session }
}

// Calls the provider after the attempt was recorded, and records the outcome. Returns undefined if this call did not complete the
// session.
export async function chargeAtProvider(
  tools: PayTools,
  { payment, isNew, provider, billing, purchase }: BegunPayment,
  { method, details, locale = 'en' }: Pick<PayInput, 'method' | 'details' | 'locale'>,
  cause: Cause | null,
): Promise<CompletedSession | undefined> {
  tools.onStep?.('recorded')
  // The same form was submitted twice: the first request is in progress or has finished.
  if (!isNew) return undefined
  const returnUrls = () => returnUrlsFor(tools, payment, locale)
  const outcome: ProviderOutcome =
    provider === undefined
      ? outcomeWithoutProvider(payment)
      : await queryProvider(tools, payment, 'start', (signal) =>
          provider.start(
            buildCharge(payment),
            { method, details, returnUrls, ...(billing && { billing }), ...(purchase && { purchase }) },
            signal,
          ),
        )
  tools.onStep?.('called')
  return finishPayment(tools, payment, outcome, cause)
}

export interface ChallengeAnswer {
  paymentId: string
  answer: 'accept' | 'refuse'
}

// Continues a payment after the shopper confirmed it on the page of the bank.
export async function continueAfterChallenge(
  tools: PayTools,
  session: SessionKey,
  { paymentId, answer }: ChallengeAnswer,
  cause: Cause | null,
): Promise<CheckoutProblem | null> {
  const payment = await tools.storage.read((db) => findPayment(db, session.installationId, paymentId))
  if (payment?.checkoutSessionId !== session.sessionId || payment.status !== 'challenge') return { code: 'not_open' }
  const provider = await tools.storage.read((db) => tools.providers.of(db, payment))
  if (!provider) {
    tools.watch.missing(callFacts(payment, 'confirm'))
    return { code: 'not_open' }
  }
  const outcome = await queryProvider(tools, payment, 'confirm', (signal) =>
    provider.confirm(buildCharge(payment), answer, signal),
  )
  await finishPayment(tools, payment, outcome, cause)
  return null
}
