// A screen is a path below /admin/{shop}/ with a function from a visit to its page. To add one, write a file in screens/ that
// exports a `Screen` (or several), and list it in screens.ts.
//
//   export const orders: Screen = {
//     path: 'orders',                 below /admin/{shop}/, and below /admin/{shop}/test/ in test mode; `:orderId` is a parameter
//     name: 'dashboard orders',       in the log and the metrics
//     place: 'orders',                marked place of the menu
//     needs: 'listAdminOrders',       without the scope of this operation the answer is a 403
//     get: async (visit) => ({ title: visit.words.say('orders.title'), body: html`…` }),
//     post: async (posted) => …       the origin is checked and the form parsed; answers with `redirectTo`, a toast or the page again
//   }
//
// A screen never queries the database: it calls operations with `visit.ask`, which may throw a `Refusal`. A refusal that the screen does
// not catch becomes an error page.

import type { AdminOperationId, AdminOperations } from '../../contract/admin/operations.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import type { BodyOf, PathOf, QueryOf, ReplyOf } from '../../contract/surface.ts'
import type { Mode, Role } from '../../contract/words.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import type { Html, HtmlValue } from '../../platform/html/html.ts'
import { redirectAfterPost } from '../../platform/html/policy.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { OwnAccount } from '../signin/ownaccount.ts'
import type { PersonShop } from '../signin/person.ts'
import { confirmPathFor } from '../signin/visit.ts'
import { dashboardHeaders } from './headers.ts'
import type { PlaceId } from './places.ts'
import type { RowCounts } from './rowcount.ts'
import type { DashboardWords, TextValues } from './words.ts'

export interface Screen {
  path: string
  name: string
  // Null: no place of the menu is marked.
  place: PlaceId | null
  // Null: a page of the person's own account, for all signed-in people.
  needs: AdminOperationId | null
  // Whether the screen is also open to a person without the second factor that one of their shops requires.
  setsUpFactor?: true
  // Whether the password must be typed again before the page is shown and before its action is performed, because the action is
  // dangerous.
  asksAgain?: true
  // Whether the form has secret keys. If the session has expired, these must be typed again, and no page contains them.
  takesSecrets?: true
  // Maximum size of the posted form (default: 64 KiB).
  formBytesMax?: number
  // Maximum total size of posted files (default: files are not accepted).
  filesBytesMax?: number
  get?(visit: ScreenVisit): Promise<ScreenResult>
  post?(visit: PostedScreen): Promise<ScreenResult>
}

export interface ScreenVisit {
  userId: string
  email: string
  // Null if the person has no name.
  name: string | null
  role: Role
  shop: PersonShop
  shops: readonly PersonShop[]
  // Places of the menu that have a screen. Empty if the shop requires a second factor that the person lacks.
  places: readonly PlaceId[]
  mode: Mode
  words: DashboardWords
  // Parameters of the path, by name.
  path: Readonly<Record<string, string>>
  query: URLSearchParams
  // The chosen page sizes of lists and sheets.
  rowCount: RowCounts
  now: Date
  // Whether the person typed the password recently.
  isConfirmed: boolean
  // Whether one of the person's shops requires a second factor that this session lacks.
  isFactorMissing: boolean
  // Loads the account at the first call.
  account(): Promise<OwnAccount>
  // The language that the person chose for the dashboard. Null: that of the browser.
  language: string | null
  userAgent: string | undefined
  // Path and query of this page.
  here: string
  ask: CallOperation
  change: CallChange
  // Whether the person has the scope of this operation. Without it the operation's button is not shown.
  may(id: AdminOperationId): boolean
  // Returns a path in this shop and mode: `to('orders', { toSend: 'true' })`. Values that are undefined or '' are omitted.
  to(path: string, query?: Readonly<Record<string, string | undefined>>): string
  // The same visit in the given mode, for pages that show both modes.
  inMode(mode: Mode): ScreenVisit
  // Facts about the server that no operation returns.
  server: ServerFacts
}

export interface ServerFacts {
  sendsMail: boolean
  origin: string
}

export interface PostedScreen extends ScreenVisit {
  form: FormFields
  // For a screen that accepts files.
  files: readonly Buffer[]
  fileNames: readonly string[]
}

// A page in the frame of the dashboard, or any other response: a redirect, a document to print, a file.
export type ScreenResult = ScreenSheet | PageAnswer

export interface ScreenSheet {
  title: string
  // Default: 200.
  status?: number
  // A link above the title, usually back to the list.
  back?: { href: string; label: string } | undefined
  // A state, beside the title.
  badge?: Html | undefined
  // One line below the title.
  sub?: HtmlValue
  // Buttons at the end of the title's line.
  actions?: Html | undefined
  body: Html
  // Whether the page has a search field of its own, so the menu has none and marks no place.
  isSearch?: true
  // `narrow`: for a form or a question.
  width?: 'narrow' | undefined
}

export interface AskParts<Id extends AdminOperationId> {
  path?: PathOf<AdminOperations[Id]['path']>
  query?: QueryOf<AdminOperations[Id]>
  cursor?: string | undefined
  body?: BodyOf<AdminOperations[Id]>
  // The idempotency key of the form (`readKey(form)`).
  key?: string
}

export type CallOperation = <Id extends AdminOperationId>(
  id: Id,
  parts?: AskParts<Id>,
) => Promise<ReplyOf<AdminOperations[Id]>>

// Like `CallOperation`, but also returns the id of the entry in the list of changes, for *Undo*.
export type CallChange = <Id extends AdminOperationId>(
  id: Id,
  parts?: AskParts<Id>,
) => Promise<{ answer: ReplyOf<AdminOperations[Id]>; change: string | undefined }>

// Returns refusals after which the form is rendered again: those of the sent values or of the resource's state. `named`: codes about
// resources that the form names, such as a category that was removed while the form was open.
export async function catchRefusal<Reply>(
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

// Missing resources, missing scopes, expired sessions, rate limits and outages have error pages of their own.
function isAnswerable({ code }: Refusal): boolean {
  return !/_not_found$|^(?:scope_missing|unauthenticated|rate_limited|unavailable|internal_error)$/.test(code)
}

// Redirects after a post, so a reload does not post again.
export function redirectTo(href: string): PageAnswer {
  return redirectAfterPost(href, { ...dashboardHeaders, 'clear-site-data': '"prefetchCache"' })
}

// Asks for the password, then redirects to `next`.
export function redirectToPassword(next: string): PageAnswer {
  return redirectTo(confirmPathFor(next))
}

export type { DashboardWords, TextValues }
