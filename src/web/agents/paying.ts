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
  type ReplacedCheckout,
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

interface Looked {
  located: Located
  checkout: AgentCheckout
}

// Refused where there is no such checkout, or it is another platform's.
async function look(tools: PayTools, { caller, sessionId }: CheckoutLook): Promise<Looked> {
  const now = tools.clock().getTime()
  const looked = await tools.storage.read(async (db) => {
    const located = await findAgentSession(db, caller, sessionId)
    return located && { located, checkout: await showCheckout(tools, db, located, now) }
  })
  if (!looked) throw refuse('checkout_session_not_found')
  return looked
}

// `notes`: what this request adds to what the checkout itself says.
async function show(
  tools: PayTools,
  { located, checkout }: Looked,
  rules: PayRules,
  notes: readonly Message[] = [],
): Promise<Seen> {
  await noteShownTotal(tools, located, checkout.session.totals.total)
  return { checkout, ...checkoutStateOf(checkout, rules, notes) }
}

export async function seeCheckout(tools: PayTools, wanted: CheckoutLook): Promise<Seen> {
  return show(tools, await look(tools, wanted), wanted.rules)
}

// Like seeCheckout, within the transaction that changed the checkout.
export async function seeChanged(
  tools: PayTools,
  tx: Tx,
  { caller, sessionId, rules }: CheckoutLook,
  notes: readonly Message[],
  now: Date,
  // What the change read last.
  replaced?: Exclude<ReplacedCheckout, 'busy'>,
): Promise<Seen> {
  const located = replaced?.located ?? (await findAgentSession(tx, caller, sessionId))
  if (!located) throw new Error(`checkout ${sessionId} is gone in the transaction that changed it`)
  const checkout = await showCheckout(tools, tx, located, now.getTime(), replaced?.facts)
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
  const looked = await look(tools, completion)
  const begun = { ...claim, key: `begun ${claim.key}` }
  const { replayed } = await once(tools.storage, begun, async () => '{}')
  const seen = await payAndSee(tools, completion, looked, replayed)
  const body = completion.render(seen)
  if (!isFinal(seen)) return { body, isReplayed: false }
  const kept = await once(tools.storage, claim, async () => JSON.stringify(body), sealedKeeper)
  return { body: JSON.parse(kept.text), isReplayed: kept.replayed }
}

async function payAndSee(tools: PayTools, completion: Completion, first: Looked, isRepeated: boolean): Promise<Seen> {
  const { instrument, attempt, network, caller, cause, rules, prepare } = completion
  const { session } = first.located
  const status = sessionStatusAt(session, tools.clock().getTime())
  if (status === 'processing') return show(tools, first, rules, isRepeated ? [] : [notice.inProgress()])
  if (status !== 'open') {
    if (isRepeated && status === 'completed') return show(tools, first, rules)
    throw refuse('checkout_session_not_open', { current: { status, version: session.version } })
  }
  await prepare?.()
  const before = prepare ? await look(tools, completion) : first
  // Without an instrument, nothing else may be missing for that to be said.
  const isReady = checkoutStateOf(before.checkout, rules, []).status === 'ready_for_complete'
  if (!isReady || !instrument) return show(tools, before, rules, isReady ? [notice.noInstrument()] : [])
  const { handlerId, credential, place } = instrument
  await noteProof(tools, before.located, caller.proof)
  const payment = { handlerId, credential, attempt, ...(network !== undefined && { network }) }
  const problem = await payCheckout(tools, before.located, payment, cause)
  const after = await look(tools, completion)
  return show(tools, after, rules, problem ? problemMessages(problem, place) : declineIn(after))
}

function declineIn({ located: { session } }: Looked): Message[] {
  const failure = session.status === 'open' ? session.lastPaymentError : null
  return failure ? [notice.declined(failure.code)] : []
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
      return [notice.tooManyTries(problem.waitMs)]
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
