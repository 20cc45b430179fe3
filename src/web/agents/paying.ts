// Shows and pays a checkout, for every protocol: one claim for each idempotency key, one charge for each claim, and an answer that is
// stored once it is final. Each protocol renders its own answer.

import {
  type AgentCaller,
  type AgentCheckout,
  findAgentSession,
  type LocatedCheckout,
  loadAgentCheckout,
  type ReplacedCheckout,
  recordShownTotal,
} from '../../domain/agents/buying.ts'
import {
  type AgentAttempt,
  beginAgentPayment,
  finishAgentPayment,
  type LockedAgentCheckout,
  lockAgentCheckout,
  type PaymentObstacle,
} from '../../domain/agents/completing.ts'
import { sessionStatusAt } from '../../domain/checkout/lifecycle.ts'
import { toCheckoutProblem } from '../../domain/checkout/problem.ts'
import type { PayTools } from '../../domain/checkout/tools.ts'
import { type AnswerCodec, type IdempotencyClaim, runOnce, storeAnswerOnce } from '../../platform/idempotency/once.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { type UcpMessage, ucpNotices } from './ucp/messages.ts'
import type { Instrument } from './ucp/read.ts'
import { type PayRules, ucpCheckoutState } from './ucp/view.ts'

export interface PayingParts {
  tools: PayTools
  sealedKeeper: AnswerCodec
  answersMs: number
}

// A checkout with its status and messages in terms of UCP.
export interface CheckoutWithStatus {
  checkout: AgentCheckout
  status: string
  messages: readonly UcpMessage[]
}

export interface CheckoutQuery {
  caller: AgentCaller
  sessionId: string
  rules: PayRules
}

interface Looked {
  located: LocatedCheckout
  checkout: AgentCheckout
}

// Throws if the checkout does not exist or belongs to another platform.
async function look(tools: PayTools, { caller, sessionId }: CheckoutQuery): Promise<Looked> {
  const now = tools.clock().getTime()
  const looked = await tools.storage.read(async (db) => {
    const located = await findAgentSession(db, caller, sessionId)
    return located && { located, checkout: await loadAgentCheckout(tools, db, located, now) }
  })
  if (!looked) throw refuse('checkout_session_not_found')
  return looked
}

// `notes`: messages of this request, in addition to those of the checkout.
async function show(
  tools: PayTools,
  { located, checkout }: Looked,
  rules: PayRules,
  notes: readonly UcpMessage[] = [],
): Promise<CheckoutWithStatus> {
  await recordShownTotal(tools, located, checkout.session.totals.total)
  return { checkout, ...ucpCheckoutState(checkout, rules, notes) }
}

export async function readCheckoutWithStatus(tools: PayTools, wanted: CheckoutQuery): Promise<CheckoutWithStatus> {
  return show(tools, await look(tools, wanted), wanted.rules)
}

// Like `readCheckoutWithStatus`, but inside the transaction that changed the checkout.
export async function readChangedCheckout(
  tools: PayTools,
  tx: Tx,
  { caller, sessionId, rules }: CheckoutQuery,
  notes: readonly UcpMessage[],
  now: Date,
  // The checkout as the change last read it.
  replaced?: Exclude<ReplacedCheckout, 'busy'>,
): Promise<CheckoutWithStatus> {
  const located = replaced?.located ?? (await findAgentSession(tx, caller, sessionId))
  if (!located) throw new Error(`checkout ${sessionId} does not exist in the transaction that changed it`)
  const checkout = await loadAgentCheckout(tools, tx, located, now.getTime(), replaced?.known)
  return { checkout, ...ucpCheckoutState(checkout, rules, notes) }
}

export interface CompletionInput extends CheckoutQuery {
  claim: IdempotencyClaim
  // Identifies the payment: repeating an attempt at the same checkout does not pay again.
  attempt: string
  instrument: Instrument | undefined
  network: string | undefined
  cause: Cause | null
  // Applies the other members of the request to an open checkout, before the payment.
  prepare?: (tx: Tx) => Promise<unknown>
  render: (seen: CheckoutWithStatus) => object
}

// The payment itself cannot be part of a transaction, so the key is claimed in the transaction that records the attempt. The payment is
// identified by checkout and attempt, so a repetition finds it even if the first request never finished. The answer is stored once it is
// final.
export async function completeOnce(
  { tools, sealedKeeper, answersMs }: PayingParts,
  completion: CompletionInput,
): Promise<{ text: string; isReplayed: boolean }> {
  const claim = { ...completion.claim, keptMs: answersMs }
  const seen = await payOnce(tools, completion, { ...claim, key: `begun ${claim.key}` })
  const text = JSON.stringify(completion.render(seen))
  if (!isFinal(seen)) return { text, isReplayed: false }
  const kept = await storeAnswerOnce(tools.storage, claim, text, sealedKeeper)
  return { text: kept.text, isReplayed: kept.replayed }
}

// With `looked`, no payment was begun. `notes` are messages in addition to those of the checkout itself.
type Begun = { looked: Looked; notes: readonly UcpMessage[] } | { locked: LockedAgentCheckout; attempt: AgentAttempt }

async function payOnce(
  tools: PayTools,
  completion: CompletionInput,
  claim: IdempotencyClaim,
): Promise<CheckoutWithStatus> {
  const { rules, cause } = completion
  const begun = await beginOnce(tools, completion, claim)
  if ('looked' in begun) return show(tools, begun.looked, rules, begun.notes)
  const completed = await finishAgentPayment(tools, begun.locked, begun.attempt, cause)
  if (completed) return { checkout: completed, ...ucpCheckoutState(completed, rules, []) }
  const after = await look(tools, completion)
  return show(tools, after, rules, declineIn(after))
}

// The payment could not begin, and the writes of its transaction must be rolled back.
class NotBegun extends Error {
  readonly problem: PaymentObstacle
  constructor(problem: PaymentObstacle) {
    super(problem.code)
    this.problem = problem
  }
}

async function beginOnce(tools: PayTools, completion: CompletionInput, claim: IdempotencyClaim): Promise<Begun> {
  const { storage } = tools
  const { instrument, prepare } = completion
  let begun: Begun | undefined
  try {
    const { replayed } = await runOnce(storage, claim, async (tx) => {
      begun = await begin(tools, tx, completion, false)
      return '{}'
    })
    return replayed || !begun ? await storage.write((tx) => begin(tools, tx, completion, true)) : begun
  } catch (error) {
    if (!(error instanceof NotBegun)) throw error
    // Although no payment began, the other members of the request are applied, and its key is used up.
    await runOnce(storage, claim, async (tx) => {
      await prepare?.(tx)
      return '{}'
    })
    return { looked: await look(tools, completion), notes: problemMessages(error.problem, instrument?.place ?? 0) }
  }
}

async function begin(tools: PayTools, tx: Tx, completion: CompletionInput, isRepeated: boolean): Promise<Begun> {
  const { instrument, attempt, network, caller, cause, rules, prepare } = completion
  const first = await lock(tools, tx, completion)
  const { session } = first.located
  const status = sessionStatusAt(session, tools.clock().getTime())
  if (status === 'processing') return { looked: first, notes: isRepeated ? [] : [ucpNotices.inProgress()] }
  if (status !== 'open') {
    if (isRepeated && status === 'completed') return { looked: first, notes: [] }
    throw refuse('checkout_session_not_open', { current: { status, version: session.version } })
  }
  await prepare?.(tx)
  const locked = prepare ? await lock(tools, tx, completion) : first
  // A missing payment instrument is reported only if nothing else is missing.
  const isReady = ucpCheckoutState(locked.checkout, rules, []).status === 'ready_for_complete'
  if (!isReady || !instrument) return { looked: locked, notes: isReady ? [ucpNotices.noInstrument()] : [] }
  const { handlerId, credential, place } = instrument
  const payment = { handlerId, credential, attempt, proof: caller.proof, ...(network !== undefined && { network }) }
  const begun = await beginAgentPayment(tools, tx, locked, payment, cause).catch((error: unknown) => {
    throw new NotBegun(toCheckoutProblem(error))
  })
  return 'problem' in begun
    ? { looked: locked, notes: problemMessages(begun.problem, place) }
    : { locked, attempt: begun }
}

// Throws if the checkout does not exist or belongs to another platform.
async function lock(tools: PayTools, tx: Tx, { caller, sessionId }: CheckoutQuery): Promise<LockedAgentCheckout> {
  const locked = await lockAgentCheckout(tools, tx, caller, sessionId)
  if (!locked) throw refuse('checkout_session_not_found')
  return locked
}

function declineIn({ located: { session } }: Looked): UcpMessage[] {
  const failure = session.status === 'open' ? session.lastPaymentError : null
  return failure ? [ucpNotices.declined(failure.code)] : []
}

function problemMessages(problem: PaymentObstacle, place: number): UcpMessage[] {
  switch (problem.code) {
    case 'credential_refused':
    case 'invalid':
      return [ucpNotices.credentialRefused(place)]
    case 'consent_needed':
      return [ucpNotices.consent()]
    case 'total_changed':
      return [ucpNotices.totalChanged()]
    case 'too_many_tries':
      return [ucpNotices.tooManyTries(problem.waitMs)]
    case 'insufficient_stock':
    case 'item_unavailable':
    case 'quantity_limit':
      return [ucpNotices.soldOut()]
    case 'promotion_rejected':
      return [ucpNotices.codeUsed()]
    case 'payment_in_progress':
      return [ucpNotices.inProgress()]
    default:
      return [ucpNotices.changedMeanwhile()]
  }
}

// Whether the checkout is completed or its payment was declined.
function isFinal({ status, messages }: CheckoutWithStatus): boolean {
  return status === 'completed' || messages.some(({ code }) => code === 'payment_failed')
}
