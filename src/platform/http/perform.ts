// Performs an operation for a known caller and a checked request. It does not depend on HTTP or on domain folders: routes, pages and
// tools all call it.

import type { Operation } from '../../contract/surface.ts'
import type { Mode } from '../../contract/words.ts'
import type { Principal } from '../access/principal.ts'
import { insertEntry } from '../audit/store.ts'
import {
  type AnswerCodec,
  findOnce,
  type IdempotencyClaim,
  type IdempotentAnswer,
  requestFingerprint,
  runOnce,
} from '../idempotency/once.ts'
import { createLoopTurns, type EventLoopTurns } from '../kit/turns.ts'
import type { Cause } from '../outbox/announce.ts'
import type { Reader, Storage, Tx } from '../storage/storage.ts'
import { actorOf } from './actor.ts'
import type { CursorSubject, Cursors } from './cursors.ts'
import { AuditedReply, OutsideResult, type Paging, RenderedReply } from './handler.ts'
import type { QueryValues } from './query.ts'
import { unavailableRefusal } from './refusal.ts'

export interface PerformedCall {
  principal: Principal | null
  path: Readonly<Record<string, string>>
  query: QueryValues
  body: unknown
  // Position after which a list continues, or null on its first page.
  after: string | null
  // The idempotency key, if the operation requires one.
  key: string | null
  // Null if the operator calls at the command line, which logs no request.
  requestId: string | null
  now: Date
}

export interface PerformedAnswer {
  status: number
  body: string | Buffer
  headers: Readonly<Record<string, string>>
  // Whether this is the response to an earlier request with the same idempotency key.
  isReplayed: boolean
  // Id of the entry in the list of changes. Null if this call wrote no entry: for a replay, the earlier request wrote it.
  changeId: string | null
}

// The common type of all handlers. Each handler's own type was checked against its row where it was mounted.
export type AnyHandler = (ask: {
  db: Reader | Pick<Storage, 'read'>
  caller: Principal | null
  path: Readonly<Record<string, string>>
  query: QueryValues
  body: unknown
  paging: Paging
  now: Date
  cause: Cause | null
}) => Promise<object | null>

export interface Performable {
  id: string
  operation: Operation
  handler: AnyHandler
}

export interface PerformParts {
  storage: Storage
  cursors: Cursors
  // Encrypts stored responses that contain a secret.
  sealedKeeper: AnswerCodec
  // Time for which responses are stored.
  answersMs: number
}

export type Perform = (performable: Performable, call: PerformedCall) => Promise<PerformedAnswer>

const noHeaders = {}
// Requests that wait for their turn. At 2 ms each, the last one waits for 0.4 s; the server's remaining capacity is for other requests.
const waitingMax = 200

export function createPerform(
  { storage, cursors, sealedKeeper, answersMs }: PerformParts,
  turns: EventLoopTurns = createLoopTurns(),
): Perform {
  return async ({ id, operation, handler }, call) => {
    const { principal: caller, path, query, body, after, now, requestId } = call
    const subject = cursorSubject(id, operation, call)
    const paging: Paging = { after, next: (position) => cursors.link(subject, path, position) }
    const cause = requestId === null ? null : { operationId: id, requestId }
    const ask = { caller, path, query, body, paging, now, cause }
    const { status } = operation.reply
    const { audit = 'none' } = operation
    let changeId: string | null = null
    // The entry in the list of changes is written in the transaction of the changes, so a retried transaction writes it again.
    const handle = async (tx: Tx, outside?: OutsideResult<object | null>) => {
      const reply = outside ? await outside.write(tx) : await handler({ ...ask, db: tx })
      if (audit === 'none') return reply
      const audited = auditedReply(id, reply)
      changeId = writeDown(tx, id, call, audited)
      return audited.reply
    }
    if (operation.takesTurns) {
      if (turns.waiting >= waitingMax) throw unavailableRefusal()
      await turns.take()
    }
    if (operation.idempotency === 'none') {
      const begun = operation.asksOutside && (await handler({ ...ask, db: storage }))
      const reply = await (begun instanceof OutsideResult
        ? storage.write((tx) => handle(tx, begun))
        : begun
          ? begun
          : audit === 'none'
            ? storage.read((db) => handler({ ...ask, db }))
            : storage.write((tx) => handle(tx)))
      if (reply instanceof RenderedReply)
        return { status, body: reply.body, headers: reply.headers, isReplayed: false, changeId }
      return { status, body: textOf(reply), headers: noHeaders, isReplayed: false, changeId }
    }
    const claim = { ...(await claimFor(id, operation, call)), keptMs: answersMs }
    const keeper = operation.reply.isSecret ? sealedKeeper : undefined
    const work = async (tx: Tx, outside?: OutsideResult<object | null>) => textOf(await handle(tx, outside))
    const { text, replayed } = await (operation.asksOutside
      ? onceOutside({ storage, claim, keeper }, () => handler({ ...ask, db: storage }), work)
      : runOnce(storage, claim, (tx) => work(tx), keeper))
    return { status, body: text, headers: noHeaders, isReplayed: replayed, changeId: replayed ? null : changeId }
  }
}

// Another service is called before the transaction, unless there is already a response for the key. If nothing is written, what the
// service did is undone.
async function onceOutside(
  { storage, claim, keeper }: { storage: Storage; claim: IdempotencyClaim; keeper: AnswerCodec | undefined },
  begin: () => Promise<object | null>,
  work: (tx: Tx, outside: OutsideResult<object | null>) => Promise<string>,
): Promise<IdempotentAnswer> {
  const known = await findOnce(storage, claim, keeper)
  if (known) return known
  let outside: object | null
  try {
    outside = await begin()
  } catch (error) {
    // A concurrent request with the same key may have caused the error.
    const done = await findOnce(storage, claim, keeper)
    if (!done) throw error
    return done
  }
  if (!(outside instanceof OutsideResult))
    throw new Error('an operation that calls another service must return an OutsideResult')
  try {
    const done = await runOnce(storage, claim, (tx) => work(tx, outside), keeper)
    if (done.replayed) await outside.discard()
    return done
  } catch (error) {
    await outside.discard()
    throw error
  }
}

function auditedReply(id: string, reply: object | null): AuditedReply<object | null> {
  if (!(reply instanceof AuditedReply))
    throw new Error(`the operation ${id} is audited but did not return an AuditedReply`)
  return reply
}

function writeDown(
  tx: Tx,
  id: string,
  { principal, requestId, now }: PerformedCall,
  { changes, undoes }: AuditedReply<object | null>,
): string | null {
  if (!principal) throw new Error(`the operation ${id} is audited but has no caller`)
  if (changes.length === 0) return null
  const { mode = null } = principal as { mode?: Mode }
  return insertEntry(tx, {
    merchantId: principal.merchantId,
    mode,
    actor: actorOf(principal),
    operation: id,
    requestId,
    changes,
    undoes,
    at: now.getTime(),
  })
}

export function cursorSubject(
  id: string,
  operation: Operation,
  call: Pick<PerformedCall, 'principal' | 'query'>,
): CursorSubject {
  return { id, operation, claimant: call.principal?.claimant ?? '', query: call.query }
}

function textOf(reply: object | null): string {
  if (reply === null) return ''
  return reply instanceof RenderedReply ? String(reply.body) : JSON.stringify(reply)
}

async function claimFor(
  id: string,
  operation: Operation,
  { principal, path, query, body, key, now }: PerformedCall,
): Promise<IdempotencyClaim> {
  // A defect otherwise: every changing operation requires a credential and a key.
  if (!principal || key === null)
    throw new Error(`the operation ${id} changes data but has no caller or no idempotency key`)
  const fingerprint = await requestFingerprint(id, path, body ?? {}, operation.query && query)
  // A replay does not run the handler, which refuses what the caller's scopes do not allow. The response of an audited operation with a
  // secret is therefore only replayed to the credential that got it, and not to other credentials of the installation.
  const isOwn = operation.reply.isSecret === true && operation.audit !== undefined
  const claimant = isOwn ? `${principal.claimant} ${principal.id}` : principal.claimant
  return { claimant, key, fingerprint, now: now.getTime() }
}
