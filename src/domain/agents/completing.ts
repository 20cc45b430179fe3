// Pays a checkout for the platform that created it. The checkout is read and the payment attempt is recorded under the same lock, so
// nothing is read twice. The provider's result is recorded as for every other payment.

import type { PlatformProof } from '../../contract/agents/settings.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { type BegunPayment, beginPaymentLocked } from '../checkout/pay/begin.ts'
import type { CompletedSession } from '../checkout/pay/complete.ts'
import { chargeAtProvider } from '../checkout/pay/pay.ts'
import type { CheckoutProblem, PayInput } from '../checkout/port.ts'
import { loadSessionFacts } from '../checkout/sessions.ts'
import { type Checkout, lockSessionWithCart } from '../checkout/store.ts'
import type { PayTools } from '../checkout/tools.ts'
import type { SessionFacts } from '../checkout/view.ts'
import {
  type AgentCaller,
  type AgentCheckout,
  buildAgentCheckout,
  type LocatedCheckout,
  loadAgentCheckout,
} from './buying.ts'
import { findAgentCheckoutOfSession, savePlatformProof } from './store.ts'

export interface LockedAgentCheckout {
  located: LocatedCheckout
  checkout: AgentCheckout
  locked: Checkout
  facts: SessionFacts
}

// Returns undefined if the checkout does not exist or belongs to another platform.
export async function lockAgentCheckout(
  tools: PayTools,
  tx: Tx,
  { installationId, platformId }: AgentCaller,
  sessionId: string,
): Promise<LockedAgentCheckout | undefined> {
  const now = tools.clock().getTime()
  const [locked, row] = await Promise.all([
    lockSessionWithCart(tx, { installationId, sessionId }),
    findAgentCheckoutOfSession(tx, installationId, sessionId),
  ])
  if (!locked || row?.platformId !== platformId) return undefined
  const { session, cart } = locked
  // If the cart became an order, the checkout shows the data of the order.
  const facts = await loadSessionFacts(tools, tx, session, now, cart)
  const located = { session, row }
  return { located, locked, facts, checkout: await loadAgentCheckout(tools, tx, located, now, { facts }) }
}

export interface AgentPayment {
  handlerId: string
  credential: Readonly<Record<string, unknown>>
  // Idempotency key: requests with the same key for the same checkout make one payment.
  attempt: string
  // How the platform proved its identity. Stored with the order.
  proof: PlatformProof | null
  network?: string
}

export interface AgentAttempt {
  begun: BegunPayment
  input: PayInput
}

export type PaymentObstacle = CheckoutProblem | { code: 'credential_refused' }

// Returns a problem if the checkout cannot be paid yet. Throws a refusal in other cases, such as stock that another buyer took meanwhile.
export async function beginAgentPayment(
  tools: PayTools,
  tx: Tx,
  { located: { session, row }, locked, facts }: LockedAgentCheckout,
  { handlerId, credential, attempt, proof, network }: AgentPayment,
  cause: Cause | null,
): Promise<AgentAttempt | { problem: PaymentObstacle }> {
  const offered = await tools.providers.offered(tx, session)
  const found = offered
    .flatMap(({ provider }) => (provider.tokens ?? []).map((handler) => ({ provider, handler })))
    .find(({ handler }) => handler.id === handlerId)
  const details = found?.handler.read(credential)
  if (!found || !details) return { problem: { code: 'credential_refused' } }
  const input = {
    version: session.version,
    expectedTotal: row.shownTotal ?? -1,
    provider: found.provider.name,
    ...details,
    attempt,
    ...(network !== undefined && { network }),
  }
  if (row.proof !== proof) savePlatformProof(tx, row, proof)
  const begun = await beginPaymentLocked(tools, tx, { ...locked, quote: facts.quote }, { input, cause })
  return 'problem' in begun ? begun : { begun, input }
}

// Calls the provider. Returns the checkout if the payment completed it. Otherwise returns undefined, and the caller must read the
// checkout again.
export async function finishAgentPayment(
  tools: PayTools,
  { located, checkout, facts }: LockedAgentCheckout,
  { begun, input }: AgentAttempt,
  cause: Cause | null,
): Promise<AgentCheckout | undefined> {
  const completed = await chargeAtProvider(tools, begun, input, cause)
  if (!completed || completed.secretSealed === null) return undefined
  const done = { ...located, session: completed.session }
  return buildAgentCheckout(tools, done, orderedFacts(facts, completed), checkout, tools.clock().getTime())
}

function orderedFacts(facts: SessionFacts, { session, order, quote, secretSealed }: CompletedSession): SessionFacts {
  const { id, number, paymentStatus } = order
  return { ...facts, session, quote, order: { id, number, paymentStatus, secretSealed } }
}
