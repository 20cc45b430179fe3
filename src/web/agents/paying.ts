// Looking at a checkout and paying it, for every protocol: one claim for each key, one charge for each claim, and an answer that is stored
// once it is final. What an answer looks like is the protocol's own.

import {
  type AgentCaller,
  type AgentCheckout,
  findAgentSession,
  type Located,
  noteProof,
  noteShownTotal,
  type PaymentAnswer,
  payCheckout,
  showCheckout,
} from '../../domain/agents/buying.ts'
import { sessionStatusAt } from '../../domain/checkout/lifecycle.ts'
import type { PayTools } from '../../domain/checkout/tools.ts'
import { type Claim, type Keeper, once } from '../../platform/idempotency/once.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { type Message, notice } from './ucp/messages.ts'
import type { Instrument } from './ucp/read.ts'
import { checkoutStateOf, type PayRules } from './ucp/view.ts'

export interface PayingParts {
  tools: PayTools
  sealedKeeper: Keeper
  answersMs: number
}

// A checkout, with its status and messages in the words of UCP.
export interface Seen {
  checkout: AgentCheckout
  status: string
  messages: readonly Message[]
}

export interface CheckoutLook {
  caller: AgentCaller
  sessionId: string
  rules: PayRules
}

// Refused where there is no such checkout, or it is another platform's. `notes`: what this request adds to what the checkout itself says.
export async function seeCheckout(
  tools: PayTools,
  { caller, sessionId, rules }: CheckoutLook,
  notes: readonly Message[] = [],
): Promise<Seen> {
  const now = tools.clock().getTime()
  const found = await tools.storage.read(async (db) => {
    const located = await findAgentSession(db, caller, sessionId)
    return located && { located, checkout: await showCheckout(tools, db, located, now) }
  })
  if (!found) throw refuse('checkout_session_not_found')
  await noteShownTotal(tools, found.located, found.checkout.session.totals.total)
  return { checkout: found.checkout, ...checkoutStateOf(found.checkout, rules, notes) }
}

// The same in the transaction that changed it.
export async function seeChanged(
  tools: PayTools,
  tx: Tx,
  { caller, sessionId, rules }: CheckoutLook,
  notes: readonly Message[],
  now: Date,
): Promise<Seen> {
  const located = await findAgentSession(tx, caller, sessionId)
  if (!located) throw new Error(`checkout ${sessionId} is gone in the transaction that changed it`)
  const checkout = await showCheckout(tools, tx, located, now.getTime())
  return { checkout, ...checkoutStateOf(checkout, rules, notes) }
}

export interface Completion extends CheckoutLook {
  claim: Claim
  // The same attempt at the same checkout is one payment.
  attempt: string
  instrument: Instrument | undefined
  network: string | undefined
  cause: Cause | null
  // What else the request says about an open checkout.
  prepare?: () => Promise<unknown>
  render: (seen: Seen) => object
}

// The body is claimed first, in a transaction of its own: a payment cannot be part of one. The payment follows from checkout and attempt, so
// a repetition finds it, also where the first request never came to an end. The answer is kept once it is final.
export async function completeOnce(
  { tools, sealedKeeper, answersMs }: PayingParts,
  completion: Completion,
): Promise<{ body: object; isReplayed: boolean }> {
  const claim = { ...completion.claim, keptMs: answersMs }
  const located = await locate(tools, completion)
  const begun = { ...claim, key: `begun ${claim.key}` }
  const { replayed } = await once(tools.storage, begun, async () => '{}')
  const seen = await payAndSee(tools, completion, located, replayed)
  const body = completion.render(seen)
  if (!isFinal(seen)) return { body, isReplayed: false }
  const kept = await once(tools.storage, claim, async () => JSON.stringify(body), sealedKeeper)
  return { body: JSON.parse(kept.text), isReplayed: kept.replayed }
}

async function locate({ storage }: PayTools, { caller, sessionId }: CheckoutLook): Promise<Located> {
  const located = await storage.read((db) => findAgentSession(db, caller, sessionId))
  if (!located) throw refuse('checkout_session_not_found')
  return located
}

async function payAndSee(tools: PayTools, completion: Completion, found: Located, isRepeated: boolean): Promise<Seen> {
  const { instrument, attempt, network, caller, cause, prepare } = completion
  const see = (notes: readonly Message[] = []) => seeCheckout(tools, completion, notes)
  const { version } = found.session
  const status = sessionStatusAt(found.session, tools.clock().getTime())
  if (status === 'processing') return see(isRepeated ? [] : [notice.inProgress()])
  if (status !== 'open') {
    if (isRepeated && status === 'completed') return see()
    throw refuse('checkout_session_not_open', { current: { status, version } })
  }
  await prepare?.()
  const located = prepare ? await locate(tools, completion) : found
  const before = await see()
  if (before.status !== 'ready_for_complete') return before
  if (!instrument) return see([notice.noInstrument()])
  const { handlerId, credential, place } = instrument
  await noteProof(tools, located, caller.proof)
  const payment = { handlerId, credential, attempt, ...(network !== undefined && { network }) }
  const problem = await payCheckout(tools, located, payment, cause)
  if (problem) return see(problemMessages(problem, place))
  const { session: after } = await locate(tools, completion)
  const failure = after.status === 'open' ? after.lastPaymentError : null
  return see(failure ? [notice.declined(failure.message)] : [])
}

function problemMessages(problem: NonNullable<PaymentAnswer>, place: number): Message[] {
  switch (problem.code) {
    case 'credential_refused':
    case 'invalid':
      return [notice.credentialRefused(place)]
    case 'consent_needed':
      return [notice.consent()]
    case 'total_changed':
      return [notice.totalChanged()]
    case 'too_many_tries':
      return [notice.tooManyTries(Math.ceil(problem.waitMs / 1_000))]
    case 'insufficient_stock':
    case 'item_unavailable':
    case 'quantity_limit':
      return [notice.soldOut()]
    case 'promotion_rejected':
      return [notice.codeUsed()]
    case 'payment_in_progress':
      return [notice.inProgress()]
    default:
      return [notice.changedMeanwhile()]
  }
}

// Completed, or declined.
function isFinal({ status, messages }: Seen): boolean {
  return status === 'completed' || messages.some(({ code }) => code === 'payment_failed')
}
