// What a screen is: one address below /admin/{shop}/ and a function from a visit to what is shown. To add one, write a file in
// screens/ that exports a `Screen` (or several) and name it in screens.ts.
//
//   export const orders: Screen = {
//     path: 'orders',                 below /admin/{shop}/, and below /admin/{shop}/test/ in test mode; `:orderId` is a parameter
//     name: 'dashboard orders',       in the log and the metrics
//     place: 'orders',                which of the places is lit
//     needs: 'listAdminOrders',       without the scope of this operation the page is a 403
//     get: async (visit) => ({ title: visit.words.say('orders.title'), body: html`…` }),
//     post: async (posted) => …       same origin, read and bounded; answers with `goTo`, a toast or the page again
//   }
//
// A screen never touches a store: it asks operations by `visit.ask`, which throws a `Refusal`. What it does not catch becomes a
// page: 401 the sign-in, 403, 404, 409, 429, 503.

import type { AdminOperationId, AdminOperations } from '../../contract/admin/operations.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import type { BodyOf, PathOf, QueryOf, ReplyOf } from '../../contract/surface.ts'
import type { Mode, Role } from '../../contract/words.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import type { Html, HtmlValue } from '../../platform/html/html.ts'
import { redirect } from '../../platform/html/policy.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { OwnAccount } from '../signin/ownaccount.ts'
import type { PersonShop } from '../signin/person.ts'
import { confirmPathFor } from '../signin/visit.ts'
import { dashboardHeaders } from './headers.ts'
import type { PlaceId } from './places.ts'
import type { RowCounts } from './rowcount.ts'
import type { Values, Words } from './words.ts'

export interface Screen {
  path: string
  name: string
  // Null: none is lit.
  place: PlaceId | null
  // Null: of the person's own account, for everyone who is signed in.
  needs: AdminOperationId | null
  // Also for one who has yet to set up the second factor that a shop of theirs demands.
  setsUpFactor?: true
  // What is grave asks for the password again, before it is shown and before it is done.
  asksAgain?: true
  // What is posted holds keys: after the session has ended it is typed again, and no page sends it back.
  takesSecrets?: true
  // Size of what is posted (default: 64 KiB).
  formBytesMax?: number
  // Takes files too (default: none), as many bytes in all.
  filesBytesMax?: number
  get?(visit: Visit): Promise<Shown>
  post?(visit: Posted): Promise<Shown>
}

export interface Visit {
  userId: string
  email: string
  // Null: not given.
  name: string | null
  role: Role
  shop: PersonShop
  shops: readonly PersonShop[]
  // Those that have a screen; none while the shop is closed to one without the second factor that it demands.
  places: readonly PlaceId[]
  mode: Mode
  words: Words
  // The parameters of the path.
  path: Readonly<Record<string, string>>
  query: URLSearchParams
  // For lists and sheets whose number of rows is chosen.
  rowCount: RowCounts
  now: Date
  // Whether the password was asked for a short time ago.
  isConfirmed: boolean
  // A shop of the person demands a second factor, and there is none in this session.
  isFactorMissing: boolean
  // Loaded with its first use.
  account(): Promise<OwnAccount>
  // In which the person chose to read the dashboard. Null: the browser's.
  language: string | null
  userAgent: string | undefined
  // The address of this page, with its query.
  here: string
  ask: Ask
  change: Change
  // Whether the person has the scope of this operation: only then its button is drawn.
  may(id: AdminOperationId): boolean
  // An address in this shop and mode: `to('orders', { toSend: 'true' })`. Values that are undefined or '' are left out.
  to(path: string, query?: Readonly<Record<string, string | undefined>>): string
  // The same visit in the other mode, where a page looks at both.
  inMode(mode: Mode): Visit
  // Facts of the server that no operation tells.
  server: ServerFacts
}

export interface ServerFacts {
  sendsMail: boolean
  origin: string
}

export interface Posted extends Visit {
  form: FormFields
  // For a screen that takes files.
  files: readonly Buffer[]
  fileNames: readonly string[]
}

// A page in the frame, or any other answer: a redirect, a document to print, a file.
export type Shown = Sheet | PageAnswer

export interface Sheet {
  title: string
  // (default: 200)
  status?: number
  // A link above the title, back to the list.
  back?: { href: string; label: string } | undefined
  // Beside the title: a state.
  badge?: Html | undefined
  // One line below the title.
  sub?: HtmlValue
  // Beside the title, at the end: buttons.
  actions?: Html | undefined
  body: Html
  // It has the search field itself, so the menu has none, and no place is marked.
  isSearch?: true
  // `narrow`: a form or a question.
  width?: 'narrow' | undefined
}

export interface AskParts<Id extends AdminOperationId> {
  path?: PathOf<AdminOperations[Id]['path']>
  query?: QueryOf<AdminOperations[Id]>
  cursor?: string | undefined
  body?: BodyOf<AdminOperations[Id]>
  // The idempotency key of the form (`keyIn(form)`).
  key?: string
}

export type Ask = <Id extends AdminOperationId>(id: Id, parts?: AskParts<Id>) => Promise<ReplyOf<AdminOperations[Id]>>

// The same, with the entry that it wrote into the list of changes, for *Undo*.
export type Change = <Id extends AdminOperationId>(
  id: Id,
  parts?: AskParts<Id>,
) => Promise<{ answer: ReplyOf<AdminOperations[Id]>; change: string | undefined }>

// What a form can be shown again with: a refusal of what was sent, or of the state that the thing is in.
// `named`: of things that the form names, such as a category that was removed while the form was open.
export async function attempt<Reply>(
  work: Promise<Reply>,
  named: readonly RefusalCode[] = [],
): Promise<{ reply: Reply } | { refusal: Refusal }> {
  try {
    return { reply: await work }
  } catch (error) {
    if (error instanceof Refusal && (isAnswerable(error) || named.includes(error.code))) return { refusal: error }
    throw error
  }
}

// A thing that is not there, and a missing scope, are pages of their own.
function isAnswerable({ code }: Refusal): boolean {
  return !/_not_found$|^(?:scope_missing|unauthenticated|rate_limited|unavailable|internal_error)$/.test(code)
}

// After a post, so a reload does not send it again.
export function goTo(href: string): PageAnswer {
  return redirect(href, { ...dashboardHeaders, 'clear-site-data': '"prefetchCache"' })
}

// Asks for the password, and then leads to `next`.
export function askAgain(next: string): PageAnswer {
  return goTo(confirmPathFor(next))
}

export type { Values, Words }
