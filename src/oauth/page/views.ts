// What the pages of the authorization server are told: everything they show, and nothing else. They decide nothing.

import type { Mode, Scope } from '../../contract/words.ts'

// The value of the hidden field `step` of each form, so that a post says which page it answers. The fields are `email` and
// `password`, or `merchant` and `scope` (repeated); `decision` is `approve` or `decline`, and both pages can decline.
export const steps = { signIn: 'sign_in', consent: 'consent' } as const
export type Step = (typeof steps)[keyof typeof steps]

// The app that asks, as the merchant meets it.
export interface AppFace {
  name: string
  description: string
  mode: Mode
  // Where the browser goes in the end. Shown by its host, and named in the policy of the page, since browsers follow the
  // redirect of a form only to places that are named there.
  redirectUri: string
}

// `failed` is one wording for an unknown e-mail, a wrong password and a disabled user.
export type SignInProblem = 'failed' | 'limited' | 'busy'

export interface SignInView {
  app: AppFace
  // What was typed; the password is never written back.
  email: string
  problem: SignInProblem | null
}

// Before somebody else goes on, whoever was signed in is signed out: where that is posted, with which fields.
export interface SignOutView {
  action: string
  fields: Readonly<Record<string, string>>
}

export interface MerchantChoice {
  id: string
  slug: string
  name: string
  // This app has been installed on the shop before: approving adds a second installation beside it.
  isInstalled?: boolean
}

export type ConsentProblem = 'merchant_missing' | 'scope_missing'

export interface ConsentView {
  app: AppFace
  // Of the user who is signed in.
  email: string
  merchants: readonly MerchantChoice[]
  // What was chosen in a form that could not be taken, or null at first.
  merchantId: string | null
  // What the app asks for, and which of it is ticked: all of it at first.
  scopes: readonly Scope[]
  ticked: readonly Scope[]
  problem: ConsentProblem | null
}

// Why there is no way on. Each has its status and its words in error.ts.
export type ErrorKind =
  // The interaction is unknown, over, answered before, or of another browser.
  | 'lost'
  // The form was sent by another site or without its cookie.
  | 'foreign'
  // The form could not be read.
  | 'unreadable'
  // What the app sent is wrong, and it is not safe to send the browser back to it.
  | 'request'
  // More was asked than is answered at once.
  | 'limited'
  // The user may act for no shop.
  | 'no_shop'
  // The server's own fault.
  | 'server'

export interface ErrorView {
  kind: ErrorKind
  // For the developer of the app: the protocol's code, such as `invalid_redirect_uri`, and its sentence.
  code?: string | undefined
  detail?: string | undefined
  // To find it in the log.
  requestId?: string | undefined
}

// Anything else there is to say, such as that an app was refused and where the browser is going.
export interface MessageView {
  tone: 'good' | 'plain'
  title: string
  text: string
  // A way on.
  link?: { href: string; text: string } | undefined
}
