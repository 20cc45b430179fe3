// What a handler is given and what it gives back. The types are read from the contract's rows, so the compiler asks for a
// handler of the right shape as soon as a row is routed.

import type { Caller } from '../access/identify.ts'
import type { BodyOf, OperationId, Operations, PathOf, ReplyOf } from '../contract/open/operations.ts'
import type { Mode, Scope } from '../contract/words.ts'
import type { Cause } from '../events/announce.ts'
import type { Reader, Tx } from '../storage/storage.ts'

export interface Ask<Id extends OperationId> {
  // A changing operation may write; all of it is one transaction with its idempotency key. The others look at one snapshot.
  db: Operations[Id]['idempotency'] extends 'required' ? Tx : Reader
  caller: CallerOf<Operations[Id]['caller']>
  path: PathOf<Operations[Id]['path']>
  body: BodyOf<Id>
  paging: Paging
  now: Date
  // What an event that this request causes will name.
  cause: Cause
}

type CallerOf<Kind> = Kind extends 'key' ? Caller : Kind extends 'oauth' ? OAuthCaller : null

// An installed app with a DPoP-bound access token. Who that is, the OAuth room finds out.
export interface OAuthCaller {
  readonly kind: 'oauth'
  readonly grantId: string
  readonly installationId: string
  readonly merchantId: string
  readonly merchantSlug: string
  readonly mode: Mode
  readonly appId: string
  readonly appName: string
  readonly grantedAt: number
  // What the merchant granted.
  readonly scopes: readonly Scope[]
  // What of it this token carries: an app may ask for a lesser one.
  readonly tokenScopes: readonly Scope[]
  readonly tokenExpiresAt: number
  // Thumbprint of the key that the token is bound to.
  readonly jkt: string
}

// Where a list goes on. `after` is what an earlier page gave to `next`, or null at the beginning.
export interface Paging {
  after: string | null
  next(after: string): string
}

export type Handler<Id extends OperationId> = (ask: Ask<Id>) => Promise<ReplyOf<Id> | Rendered>

export type Handlers = { readonly [Id in OperationId]: Handler<Id> }

// An answer that was serialised earlier, with the headers it wants beside the usual ones. A changing operation gives text,
// which is kept with its key.
export class Rendered {
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
  constructor(body: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
    this.body = body
    this.headers = headers
  }
}
