// Input and output of handlers. The types are derived from the contract's rows, so the compiler requires a handler of the right type for
// each row.

import type { Audit, BodyOf, Operation, PathOf, QueryOf, ReplyOf } from '../../contract/surface.ts'
import type { AuditedChange } from '../audit/change.ts'
import type { Cause } from '../outbox/announce.ts'
import type { Reader, Storage, Tx } from '../storage/storage.ts'

// `Callers` maps the `caller` of a row to the type of the caller.
export interface HandlerInput<Row extends Operation, Callers> {
  // A changing operation gets a transaction, which also stores its idempotency key. Others can only read, in one transaction. An operation
  // that calls another service, or reads much, gets neither and reads in transactions of its own.
  db: Row extends { asksOutside: true } ? Pick<Storage, 'read'> : Row['idempotency'] extends 'required' ? Tx : Reader
  caller: Row['caller'] extends keyof Callers ? Callers[Row['caller']] : null
  path: PathOf<Row['path']>
  query: QueryOf<Row>
  body: BodyOf<Row>
  paging: Paging
  now: Date
  // Named as the cause in events of this request. Null if the operator called.
  cause: Cause | null
}

// Position in a list. `after` is what an earlier page passed to `next`, or null on the first page.
export interface Paging {
  after: string | null
  next(after: string): string
}

export type Handler<Row extends Operation, Callers> = (ask: HandlerInput<Row, Callers>) => Promise<HandledOf<Row>>

type HandledOf<Row extends Operation> = Row extends { asksOutside: true; audit: Exclude<Audit, 'none'> }
  ? OutsideResult<Extract<ReplyOf<Row>, object | null>>
  : Row extends { audit: Exclude<Audit, 'none'> }
    ? AuditedReply<Extract<ReplyOf<Row>, object | null>>
    : ReplyOf<Row> | RenderedReply

// The reply of a recorded operation, with what it changed or showed. Without changes, no entry is written.
export class AuditedReply<Reply extends object | null> {
  readonly reply: Reply
  readonly changes: readonly AuditedChange[]
  // The entry that is undone by this one.
  readonly undoes: string | null
  constructor(reply: Reply, changes: readonly AuditedChange[], undoes: string | null = null) {
    this.reply = reply
    this.changes = changes
    this.undoes = undoes
  }
}

// The result of calling another service, or of reading in many steps, with the writes to make. The writes share a transaction with the
// idempotency key, and may run twice.
export class OutsideResult<Reply extends object | null> {
  readonly write: (tx: Tx) => Promise<AuditedReply<Reply>>
  // Undoes what the service did if nothing is written.
  readonly discard: () => Promise<void>
  constructor({
    write,
    discard = async () => {},
  }: { write: OutsideResult<Reply>['write']; discard?: () => Promise<void> }) {
    this.write = write
    this.discard = discard
  }
}

export type Handlers<Rows extends Readonly<Record<string, Operation>>, Callers> = {
  readonly [Id in keyof Rows]: Handler<Rows[Id], Callers>
}

// Returns handlers that are loaded when one of them is first called.
export function lazyHandlers<Rows extends Readonly<Record<string, Operation>>, Callers>(
  rows: Rows,
  load: () => Promise<Handlers<Rows, Callers>>,
): Handlers<Rows, Callers> {
  const handlerOf = (id: keyof Rows) => async (ask: never) => (await load())[id](ask)
  // The cast holds: each handler is made for the row with its id.
  return Object.fromEntries(Object.keys(rows).map((id) => [id, handlerOf(id)])) as unknown as Handlers<Rows, Callers>
}

// A response that was serialized before, with additional headers. A changing operation must return text, which is stored with its
// idempotency key.
export class RenderedReply {
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  constructor(body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
    this.body = body
    this.headers = headers
  }
}
