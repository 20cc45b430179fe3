// The data that the pages of the authorization server show. The pages decide nothing.

import type { Mode, Scope } from '../../../contract/words.ts'
import type { SignInProblem } from '../../../domain/users/signin.ts'

// The hidden field `step` of a form names the page that was answered. The other fields are `email` and `password`, or the `response` of a
// passkey, or `pending` and `code`, or `merchant`, `scope` (repeated) and, for an assistant, `mode`. `decision` is `approve` or
// `decline`; every page can decline.
export const consentSteps = { signIn: 'sign_in', passkey: 'passkey', code: 'code', consent: 'consent' } as const

// The requesting app, as the merchant sees it.
export interface RequestingApp {
  // For an assistant: the host of its client id, the only verified fact about it.
  name: string
  description: string
  // Null: the person chooses the mode.
  mode: Mode | null
  // The name that an assistant claims; undefined for an app.
  claimedName?: string
  // Where the browser finally goes. The page shows its host, and the content security policy lists its origin, because browsers follow
  // the redirect of a form only to listed origins.
  redirectUri: string
}

export interface SignInView {
  app: RequestingApp
  // The typed e-mail address. The password is never rendered.
  email: string
  problem: SignInProblem | 'passkey' | null
}

// The second step of signing in, for a person who has a second factor.
export interface CodeView {
  app: RequestingApp
  // Signed token of the first step.
  pending: string
  problem: 'failed' | 'limited' | null
}

// The form that signs out the previous user.
export interface SignOutView {
  action: string
  fields: Readonly<Record<string, string>>
}

export interface MerchantChoice {
  id: string
  slug: string
  name: string
  // Whether the shop already has the app: approving adds a second installation.
  isInstalled?: boolean
}

export type ConsentProblem =
  | 'merchant_missing'
  | 'scope_missing'
  | 'mode_missing'
  | 'beyond_role'
  | 'too_many'
  | 'too_many_yours'

export interface ConsentView {
  app: RequestingApp
  // E-mail address of the signed-in user.
  email: string
  merchants: readonly MerchantChoice[]
  // The person's choices in a refused form; null at first.
  merchantId: string | null
  mode: Mode | null
  // For an app: the scopes that it requests, all ticked at first. For an assistant: the scopes that the person can grant, with reading
  // ticked at first.
  scopes: readonly Scope[]
  ticked: readonly Scope[]
  problem: ConsentProblem | null
}

// The status and the words of each kind are in error.ts.
export type ErrorKind =
  // The interaction is unknown, expired, already answered, or started in another browser, or its app or user was disabled meanwhile.
  | 'lost'
  // The form was sent by another site, or without an Origin header.
  | 'foreign'
  // The form could not be read.
  | 'unreadable'
  // The app's request is invalid, and redirecting the browser back to the app is not safe.
  | 'request'
  // Too many requests.
  | 'limited'
  // The user has no shop for which they may approve the request.
  | 'no_shop'
  // A defect or an outage of this server.
  | 'server'

export interface ErrorView {
  kind: ErrorKind
  // For the developer of the app: the protocol's error code, such as `invalid_redirect_uri`, and its sentence.
  code?: string | undefined
  detail?: string | undefined
  // Identifies the request in the log.
  requestId?: string | undefined
}
