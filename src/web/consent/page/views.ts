// Everything the pages of the authorization server show. They decide nothing.

import type { Mode, Scope } from '../../../contract/words.ts'
import type { SignInProblem } from '../../../domain/users/signin.ts'

// The value of the hidden field `step` of each form: which page a post answers. The fields are `email` and
// `password`, or `response` of a passkey, or `pending` and `code`, or `merchant`, `scope` (repeated) and, of an assistant, `mode`; `decision` is `approve` or `decline`, and every page can decline.
export const steps = { signIn: 'sign_in', passkey: 'passkey', code: 'code', consent: 'consent' } as const

// The app that asks, as the merchant sees it.
export interface AppFace {
  // For an assistant, the host of its address: the only thing about it that is known for sure.
  name: string
  description: string
  // null: the person chooses.
  mode: Mode | null
  // What an assistant calls itself; undefined for an app.
  claimedName?: string
  // Where the browser goes in the end. Its host is shown, and its origin is in the policy of the page, because browsers follow
  // the redirect of a form only to origins named there.
  redirectUri: string
}

export interface SignInView {
  app: AppFace
  // What was typed; the password is never written back.
  email: string
  problem: SignInProblem | 'passkey' | null
}

// The second step, for a person who has a second factor.
export interface CodeView {
  app: AppFace
  // The signed note of the first step.
  pending: string
  problem: 'failed' | 'limited' | null
}

// The form that signs out the user who was signed in before.
export interface SignOutView {
  action: string
  fields: Readonly<Record<string, string>>
}

export interface MerchantChoice {
  id: string
  slug: string
  name: string
  // The app is installed on the shop already: approving adds a second installation.
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
  app: AppFace
  // Address of the user who is signed in.
  email: string
  merchants: readonly MerchantChoice[]
  // What was chosen in a form that was refused; null at first.
  merchantId: string | null
  mode: Mode | null
  // What the app asks for, and what of it is ticked: everything at first. Of an assistant: what the person can give it, and reading.
  scopes: readonly Scope[]
  ticked: readonly Scope[]
  problem: ConsentProblem | null
}

// Each has its status and its words in error.ts.
export type ErrorKind =
  // The interaction is unknown, expired, already answered, or of another browser.
  | 'lost'
  // The form was sent by another site or without its cookie.
  | 'foreign'
  // The form could not be read.
  | 'unreadable'
  // What the app sent is wrong, and it is not safe to send the browser back to it.
  | 'request'
  // Too many requests.
  | 'limited'
  // The user has no shop.
  | 'no_shop'
  // A defect or an outage of ours.
  | 'server'

export interface ErrorView {
  kind: ErrorKind
  // For the developer of the app: the protocol's code, such as `invalid_redirect_uri`, and its sentence.
  code?: string | undefined
  detail?: string | undefined
  // To find it in the log.
  requestId?: string | undefined
}
