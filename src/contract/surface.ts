// A surface is one API: its rows, where they stand, and how it says no. Routes, checks, handler types, the OpenAPI document,
// the reference page and the tests from the rows all take a surface.

import type { Issue } from './issues.ts'
import type { RefusalCode, RefusalCodeOf } from './refusals.ts'
import type { Static, TSchema } from './schema.ts'
import type { Stability } from './words.ts'

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/${string}`
  // Which gate the caller comes through, by its name; `anyone` has none.
  caller: string
  scope: string | null
  idempotency: 'required' | 'none'
  stability: Stability
  tag: string
  // The page of the documentation that has it, where the tag has more than one (default: the one named as the tag).
  page?: string
  summary: string
  description: string
  // Whether the answer may hold a link to more rows. The link carries a signed `cursor`.
  paged: boolean
  // The members are parameters. Strings, integers, booleans, and arrays of them, which are sent as repeated parameters.
  query?: TSchema
  body: TSchema | null
  // 64 KiB where it is missing.
  bodyBytesMax?: number
  // How much a call takes from the rate limit (default: 1).
  cost?: number
  // It computes for a millisecond or more: such calls are performed in the order in which they came, and others in between.
  takesTurns?: true
  // It asks another service, such as a payment provider, or reads more than one turn allows. Its handler does that outside of any transaction, and answers with an
  // `Outside`, whose writes are the transaction.
  asksOutside?: true
  // What is written down about it. `change`: what it changed. `look`: that sealed data was shown. The handler answers with an
  // `Audited`, and the entry is part of the transaction (default: none).
  audit?: Audit
  // Answers the catalog and nothing else, so the answer holds no secret and may be compressed. Of operations for anyone this always holds.
  isCatalog?: true
  // A page of a storefront may call it, with a publishable key.
  forPages?: true
  // The member `scopes` of the body names no scope that the caller does not have.
  grantsScopes?: true
  reply: Reply
  // The refusals of this operation's own. Those that every operation can meet (400, 401, a missing scope, 429, a reused key) are common.
  refusals: readonly RefusalCodeOf<403 | 404 | 409>[]
}

// `lookOnce`: the same look again is no entry for some minutes, since a page shows it again by itself.
export type Audit = 'change' | 'look' | 'lookOnce' | 'none'

export interface Reply {
  status: 200 | 201 | 202 | 204
  // Null for an answer without a body: 204.
  schema: TSchema | null
  // The answer holds a secret, so it is sealed where it is stored for a repetition.
  isSecret?: true
}

export function ok<const Schema extends TSchema>(schema: Schema) {
  return { status: 200, schema } as const
}

export interface Surface<Rows extends Readonly<Record<string, Operation>> = Readonly<Record<string, Operation>>> {
  name: string
  // Every path of the surface begins with it.
  base: `/${string}`
  operations: Rows
  errorBody(error: ErrorFacts): object
}

export interface ErrorFacts {
  code: RefusalCode
  message: string
  status: number
  requestId: string
  issues: readonly Issue[]
  current: Readonly<Record<string, unknown>> | null
}

// The parameters of a path: PathOf<'/a/{x}/b/{y}'> is { x: string; y: string }.
export type PathOf<Path extends string> = { [Name in NamesIn<Path>]: string }
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

export type QueryOf<Row extends Operation> = Row extends { query: infer Query extends TSchema }
  ? Static<Query>
  : Readonly<Record<string, never>>
export type BodyOf<Row extends Operation> = Row['body'] extends infer Body extends TSchema ? Static<Body> : undefined
export type ReplyOf<Row extends Operation> = Row['reply']['schema'] extends infer Schema extends TSchema
  ? Static<Schema>
  : null

// A path with its parameters filled in.
export function pathWith(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}
