// What a handler is given and what it gives back. The types are read from the contract's rows, so the compiler asks for a
// handler of the right shape as soon as a row is routed.

import type { Audit, BodyOf, Operation, PathOf, QueryOf, ReplyOf } from '../../contract/surface.ts'
import type { AuditedChange } from '../audit/change.ts'
import type { Cause } from '../outbox/announce.ts'
import type { Reader, Storage, Tx } from '../storage/storage.ts'

// `Callers` says who comes through each of the surface's gates.
export interface Ask<Row extends Operation, Callers> {
  // A changing operation may write; all of it is one transaction with its idempotency key. The others look at one snapshot.
  // One that asks another service, or reads much, begins outside of both, and reads in transactions of its own.
  db: Row extends { asksOutside: true } ? Pick<Storage, 'read'> : Row['idempotency'] extends 'required' ? Tx : Reader
  caller: Row['caller'] extends keyof Callers ? Callers[Row['caller']] : null
  path: PathOf<Row['path']>
  query: QueryOf<Row>
  body: BodyOf<Row>
  paging: Paging
  now: Date
  // What an event that this request causes will name; null: the operator caused it.
  cause: Cause | null
}

// Where a list goes on. `after` is what an earlier page gave to `next`, or null at the beginning.
export interface Paging {
  after: string | null
  next(after: string): string
}

export type Handler<Row extends Operation, Callers> = (ask: Ask<Row, Callers>) => Promise<HandledOf<Row>>

type HandledOf<Row extends Operation> = Row extends { asksOutside: true; audit: Exclude<Audit, 'none'> }
  ? Outside<Extract<ReplyOf<Row>, object | null>>
  : Row extends { audit: Exclude<Audit, 'none'> }
    ? Audited<Extract<ReplyOf<Row>, object | null>>
    : ReplyOf<Row> | Rendered

// The answer of an operation that is written down, with what it changed or showed. Without a change no entry is written.
export class Audited<Reply extends object | null> {
  readonly reply: Reply
  readonly changes: readonly AuditedChange[]
  // The entry that this one takes back.
  readonly undoes: string | null
  constructor(reply: Reply, changes: readonly AuditedChange[], undoes: string | null = null) {
    this.reply = reply
    this.changes = changes
    this.undoes = undoes
  }
}

// What another service was asked, or what was read in many steps, and what is to be written of it. The writes are one transaction with the idempotency key, and
// may run twice.
export class Outside<Reply extends object | null> {
  readonly write: (tx: Tx) => Promise<Audited<Reply>>
  // Takes back what the service was asked to do, where nothing is written of it.
  readonly discard: () => Promise<void>
  constructor({ write, discard = async () => {} }: { write: Outside<Reply>['write']; discard?: () => Promise<void> }) {
    this.write = write
    this.discard = discard
  }
}

export type Handlers<Rows extends Readonly<Record<string, Operation>>, Callers> = {
  readonly [Id in keyof Rows]: Handler<Rows[Id], Callers>
}

// Handlers that are loaded with the first request to one of them.
export function lateHandlers<Rows extends Readonly<Record<string, Operation>>, Callers>(
  rows: Rows,
  load: () => Promise<Handlers<Rows, Callers>>,
): Handlers<Rows, Callers> {
  const handlerOf = (id: keyof Rows) => async (ask: never) => (await load())[id](ask)
  // Each has the type of its row, by its id.
  return Object.fromEntries(Object.keys(rows).map((id) => [id, handlerOf(id)])) as unknown as Handlers<Rows, Callers>
}

// An answer that was serialised earlier, with the headers it wants beside the usual ones. A changing operation gives text,
// which is stored with its key.
export class Rendered {
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  constructor(body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
    this.body = body
    this.headers = headers
  }
}
