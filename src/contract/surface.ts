// A surface is one API: its operations, its base path, and the shape of its errors. Routes, validation, handler types, the OpenAPI
// document, the reference page and many tests are derived from a surface.

import type { Issue } from './issues.ts'
import type { RefusalCode, RefusalCodeOf } from './refusals.ts'
import type { Static, TSchema } from './schema.ts'
import type { Stability } from './words.ts'

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/${string}`
  // Name of the gate that authenticates the caller; `anyone` has none.
  caller: string
  scope: string | null
  idempotency: 'required' | 'none'
  stability: Stability
  tag: string
  // Documentation page of the operation if its tag has several pages (default: the page with the name of the tag).
  page?: string
  summary: string
  description: string
  // Whether the response may contain a link to more rows. The link has a signed `cursor`.
  paged: boolean
  // Query parameters: strings, integers, booleans, and arrays of them, which are sent as repeated parameters.
  query?: TSchema
  body: TSchema | null
  // Default: 64 KiB.
  bodyBytesMax?: number
  // Number of requests that a call counts as in the rate limit (default: 1).
  cost?: number
  // The operation computes for a millisecond or more: such calls run in order of arrival, and other calls run between them.
  takesTurns?: true
  // The operation calls another service, such as a payment provider, or reads more than a single transaction should. Its handler does so
  // outside of any transaction and returns an `Outside`, whose writes then run in a transaction.
  asksOutside?: true
  // What the list of changes records (default: none). `change`: what the operation changed. `look`: that it showed encrypted data. The
  // handler returns an `Audited`, and the entry is written in the same transaction.
  audit?: Audit
  // The response contains catalog data only and no secret, so it may be compressed. Responses of operations that anyone may call are
  // compressed without this member.
  isCatalog?: true
  // A page of a storefront may call the operation with a publishable key.
  forPages?: true
  // The member `scopes` of the body must not name scopes that the caller does not have.
  grantsScopes?: true
  reply: Reply
  // The operation's own refusals. Common refusals, which every operation may answer with (400, 401, a missing scope, 429, a reused key),
  // are left out.
  refusals: readonly RefusalCodeOf<403 | 404 | 409>[]
}

// `lookOnce`: repeating the same access within some minutes records nothing, because a page repeats the access automatically.
export type Audit = 'change' | 'look' | 'lookOnce' | 'none'

export interface Reply {
  status: 200 | 201 | 202 | 204
  // Null: a response without a body (204).
  schema: TSchema | null
  // The response contains a secret, so it is stored encrypted for repeated requests.
  isSecret?: true
}

export function okReply<const Schema extends TSchema>(schema: Schema) {
  return { status: 200, schema } as const
}

export interface Surface<Rows extends Readonly<Record<string, Operation>> = Readonly<Record<string, Operation>>> {
  name: string
  // Prefix of every path of the surface.
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
export function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}
