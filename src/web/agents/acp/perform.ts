// Performs an operation of the Agentic Commerce Protocol for an authenticated platform. An incomplete checkout is answered with messages;
// an invalid request throws an `AgentError`.

import { hash } from 'node:crypto'
import {
  type AcpCompleteShape,
  type AcpCreateShape,
  type AcpRowId,
  type AcpUpdateShape,
  acpRows,
} from '../../../contract/agents/acp.ts'
import {
  type AgentCallContext,
  type AgentCaller,
  cancelAgentCheckout,
  openAgentCheckout,
  type ReplacedCheckout,
  replaceAgentCheckout,
  saveAgentContact,
} from '../../../domain/agents/buying.ts'
import { removePlatformTag } from '../../../domain/agents/ids.ts'
import type { LineNote } from '../../../domain/carts/replace.ts'
import { type IdempotencyClaim, runOnce } from '../../../platform/idempotency/once.ts'
import { canonicalJson } from '../../../platform/kit/canonical.ts'
import { isId } from '../../../platform/kit/ids.ts'
import { Refusal } from '../../../platform/kit/refuse.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { AgentError } from '../error.ts'
import {
  type CheckoutQuery,
  type CheckoutWithStatus,
  completeOnce,
  type PayingParts,
  readChangedCheckout,
  readCheckoutWithStatus,
} from '../paying.ts'
import { type AgentWords, agentWordsFor, lineMessage, type UcpMessage, ucpNotices } from '../ucp/messages.ts'
import { parseUcpLocale, readAttribution } from '../ucp/read.ts'
import { acpMessage } from './messages.ts'
import { emptyAgentCart, readAcpBuyer, readAcpChange } from './read.ts'
import { type AcpViewContext, acpSession } from './view.ts'

export interface AcpCall {
  rowId: AcpRowId
  caller: AgentCaller
  view: AcpViewContext
  // The shop's currency.
  currency: string
  // The id in the path of the request.
  id: string
  body: unknown
  // Idempotency key of a request that changes something.
  key: string
  moment: AgentCallContext
  // Idempotency keys with a payment in progress in this process.
  paying: Set<string>
}

export interface AcpAnswer {
  status: number
  // The body, as JSON.
  text: string
  isReplayed: boolean
}

export async function performAcp(parts: PayingParts, call: AcpCall): Promise<AcpAnswer> {
  try {
    return await handlers[call.rowId](parts, call)
  } catch (error) {
    throw inProtocol(error, call)
  }
}

function inProtocol(error: unknown, { rowId }: AcpCall): unknown {
  if (!(error instanceof Refusal)) return error
  switch (error.code) {
    case 'checkout_session_not_found':
      return notFound()
    case 'idempotency_key_reused':
      return new AgentError(422, 'idempotency_conflict', 'This idempotency key was already used with another body.')
    case 'checkout_session_not_open':
      return new AgentError(
        rowId === 'acpCancelSession' ? 405 : 409,
        'session_not_open',
        'The checkout session has ended.',
        {
          headers: rowId === 'acpCancelSession' ? { allow: 'GET' } : {},
        },
      )
    default:
      return error
  }
}

const notFound = () => new AgentError(404, 'not_found', 'There is no such checkout session.')

type Handle = (parts: PayingParts, call: AcpCall) => Promise<AcpAnswer>

const handlers: Readonly<Record<AcpRowId, Handle>> = {
  acpCreateSession: (parts, call) =>
    change(parts, call, async (tx) => {
      const body = call.body as AcpCreateShape
      const sent = { attribution: readAttribution(body.affiliate_attribution), locale: parseUcpLocale(body.locale) }
      const wish = { ...readAcpChange(body, emptyAgentCart), ...sent }
      const opened = await openAgentCheckout(parts.tools, tx, call.caller, wish, call.moment)
      if ('lineNotes' in opened) throw nothingLeft(opened.lineNotes, agentWordsFor(wish.locale, call.view.accepted))
      const isOther = body.currency !== undefined && body.currency.toUpperCase() !== call.currency
      return sessionText(
        parts,
        tx,
        call,
        opened.sessionId,
        isOther ? [ucpNotices.currencyNotOffered(call.currency)] : [],
      )
    }),
  acpGetSession: async (parts, call) => {
    const seen = await readCheckoutWithStatus(parts.tools, lookOf(call, sessionIdOf(parts, call)))
    return { status: 200, text: JSON.stringify(acpSession(seen, call.view)), isReplayed: false }
  },
  acpUpdateSession: (parts, call) =>
    change(parts, call, async (tx) => {
      const { tools } = parts
      const sessionId = sessionIdOf(parts, call)
      const body = call.body as AcpUpdateShape
      const wanted = (present: Parameters<typeof readAcpChange>[1]) => readAcpChange(body, present)
      const outcome = await replaceAgentCheckout(tools, tx, call.caller, sessionId, wanted, call.moment)
      return outcome === 'busy'
        ? sessionText(parts, tx, call, sessionId, [ucpNotices.inProgress()])
        : sessionText(parts, tx, call, sessionId, [], outcome)
    }),
  acpCompleteSession: complete,
  acpCancelSession: (parts, call) =>
    change(parts, call, async (tx) => {
      const sessionId = sessionIdOf(parts, call)
      const outcome = await cancelAgentCheckout(parts.tools, tx, call.caller, sessionId, call.moment)
      if (outcome === 'busy') throw new AgentError(409, 'payment_in_progress', 'The checkout session is being paid.')
      return sessionText(parts, tx, call, sessionId, [])
    }),
}

// No session was opened whose messages could explain each item, so the error has the first message.
function nothingLeft(notes: readonly LineNote[], words: AgentWords): AgentError {
  const [first] = notes.flatMap((note) => lineMessage(note, new Map()) ?? []).map((note) => acpMessage(note, words))
  return new AgentError(400, first?.code ?? 'invalid', first?.content ?? 'None of the items can be bought.', {
    issues: [{ path: '/line_items' }],
  })
}

function sessionIdOf({ tools }: PayingParts, { id, caller }: AcpCall): string {
  const found = removePlatformTag(tools.rootSecret, caller.platformId, id)
  if (found === undefined || !isId('cks', found)) throw notFound()
  return found
}

const lookOf = ({ caller, view }: AcpCall, sessionId: string): CheckoutQuery => ({ caller, sessionId, rules: view })

async function sessionText(
  { tools }: PayingParts,
  tx: Tx,
  call: AcpCall,
  sessionId: string,
  notes: readonly UcpMessage[],
  replaced?: Exclude<ReplacedCheckout, 'busy'>,
): Promise<string> {
  const seen = await readChangedCheckout(tools, tx, lookOf(call, sessionId), notes, call.moment.now, replaced)
  return JSON.stringify(acpSession(seen, call.view))
}

// A repetition is refused while the first request is in progress in this process. On another node, a repetition finds the first request's
// payment.
async function complete(parts: PayingParts, call: AcpCall): Promise<AcpAnswer> {
  const { paying } = call
  const claim = claimOf(call)
  const name = `${claim.claimant} ${claim.key}`
  if (paying.has(name)) {
    const headers = { 'retry-after': '1' }
    throw new AgentError(
      409,
      'idempotency_in_flight',
      'The checkout session is being paid by an earlier request with this idempotency key.',
      { headers },
    )
  }
  paying.add(name)
  try {
    return await completeNow(parts, call, claim)
  } finally {
    paying.delete(name)
  }
}

async function completeNow(parts: PayingParts, call: AcpCall, claim: IdempotencyClaim): Promise<AcpAnswer> {
  const { tools } = parts
  const { caller, view, moment } = call
  const { buyer, payment_data: data, risk_signals: signals } = call.body as AcpCompleteShape
  const sessionId = sessionIdOf(parts, call)
  const { handler_id: handlerId } = data
  const saved = (tx: Tx) => saveAgentContact(tools, tx, caller, sessionId, readAcpBuyer(buyer ?? {}), moment)
  const completion = {
    ...lookOf(call, sessionId),
    claim,
    attempt: claim.key,
    instrument:
      handlerId === undefined ? undefined : { place: 0, handlerId, credential: data.instrument?.credential ?? {} },
    network: signals?.ip_address,
    cause: moment.cause,
    ...(buyer && { prepare: saved }),
    render: (seen: CheckoutWithStatus) => acpSession(seen, view),
  }
  return { status: 200, ...(await completeOnce(parts, completion)) }
}

// Makes the change and stores its answer in the same transaction, once for each idempotency key.
async function change(
  { tools, sealedKeeper, answersMs }: PayingParts,
  call: AcpCall,
  work: (tx: Tx) => Promise<string>,
): Promise<AcpAnswer> {
  const { status } = acpRows[call.rowId]
  const { text, replayed } = await runOnce(tools.storage, { ...claimOf(call), keptMs: answersMs }, work, sealedKeeper)
  return { status, text, isReplayed: replayed }
}

// An idempotency key belongs to one platform and one path. Bodies are compared as canonical JSON.
function claimOf({ caller, key, rowId, id, body, moment }: AcpCall): IdempotencyClaim {
  return {
    claimant: `${caller.installationId} ${caller.platformId}`,
    key: `acp ${hash('sha256', JSON.stringify([rowId, id, key]), 'base64url')}`,
    fingerprint: hash('sha256', canonicalJson(body ?? null), 'base64url'),
    now: moment.now.getTime(),
  }
}
