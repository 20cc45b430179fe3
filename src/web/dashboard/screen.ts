// A screen is one address below /admin/{shop}/ with a function from a visit to its page. To add one, write a file in screens/ that
// exports a `Screen` (or several), and list it in screens.ts.
//
//   export const orders: Screen = {
//     path: 'orders',                 below /admin/{shop}/, and below /admin/{shop}/test/ in test mode; `:orderId` is a parameter
//     name: 'dashboard orders',       in the log and the metrics
//     place: 'orders',                place of the menu that is marked
//     needs: 'listAdminOrders',       without the scope of this operation the page is a 403
//     get: async (visit) => ({ title: visit.words.say('orders.title'), body: html`…` }),
//     post: async (posted) => …       same origin, read and bounded; answers with `redirectTo`, a toast or the page again
//   }
//
// A screen never queries the database: it calls operations by `visit.ask`, which throws a `Refusal`. A refusal that it does not catch
// becomes an error page (403, 404, 409, 429, 503), or for 401 the sign-in.

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
  // Null: no place is marked.
  place: PlaceId | null
  // Null: a page of the person's own account, for everyone who is signed in.
  needs: AdminOperationId | null
  // Also open to a person who has not set up the second factor that one of their shops demands.
  setsUpFactor?: true
  // Dangerous actions ask for the password again, before they are shown and before they are performed.
  asksAgain?: true
  // The form has keys: if the session has expired they must be typed again, and no page sends them back.
  takesSecrets?: true
  // Most bytes of the posted form (default: 64 KiB).
  formBytesMax?: number
  // Accepts files of this many bytes in total (default: no files).
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
  // Places that have a screen; empty while the shop is closed to a person who lacks the second factor that it demands.
  places: readonly PlaceId[]
  mode: Mode
  words: DashboardWords
  // Parameters of the path.
  path: Readonly<Record<string, string>>
  query: URLSearchParams
  // Chosen number of rows, for lists and sheets.
  rowCount: RowCounts
  now: Date
  // Whether the person has typed the password recently.
  isConfirmed: boolean
  // Whether a shop of the person demands a second factor that this session does not have.
  isFactorMissing: boolean
  // Loaded at its first use.
  account(): Promise<OwnAccount>
  // Language that the person chose for the dashboard. Null: the browser's.
  language: string | null
  userAgent: string | undefined
  // The address of this page, with its query.
  here: string
  ask: CallOperation
  change: CallChange
  // Whether the person has the scope of this operation; otherwise its button is not shown.
  may(id: AdminOperationId): boolean
  // Returns an address in this shop and mode: `to('orders', { toSend: 'true' })`. Values that are undefined or '' are left out.
  to(path: string, query?: Readonly<Record<string, string | undefined>>): string
  // The same visit in the other mode, for pages that show both.
  inMode(mode: Mode): ScreenVisit
  // Facts of the server that no operation answers with.
  server: ServerFacts
}

export interface ServerFacts {
  sendsMail: boolean
  origin: string
}

export interface PostedScreen extends ScreenVisit {
  form: FormFields
  // For a screen that takes files.
  files: readonly Buffer[]
  fileNames: readonly string[]
}

// A page in the frame, or any other response: a redirect, a document to print, a file.
export type ScreenResult = ScreenSheet | PageAnswer

export interface ScreenSheet {
  title: string
  // Default: 200.
  status?: number
  // A link above the title, back to the list.
  back?: { href: string; label: string } | undefined
  // A state, next to the title.
  badge?: Html | undefined
  // One line below the title.
  sub?: HtmlValue
  // Buttons, at the end of the title's line.
  actions?: Html | undefined
  body: Html
  // The page has its own search field, so the menu has none and marks no place.
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

// Like `CallOperation`, also with the entry in the list of changes, for *Undo*.
export type CallChange = <Id extends AdminOperationId>(
  id: Id,
  parts?: AskParts<Id>,
) => Promise<{ answer: ReplyOf<AdminOperations[Id]>; change: string | undefined }>

// Returns refusals with which a form can be shown again: of the sent values, or of the resource's state. `named`: codes for resources
// that the form names, such as a category that was removed while the form was open.
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

// A missing resource and a missing scope have error pages of their own.
function isAnswerable({ code }: Refusal): boolean {
  return !/_not_found$|^(?:scope_missing|unauthenticated|rate_limited|unavailable|internal_error)$/.test(code)
}

// Redirects after a post, so a reload does not send it again.
export function redirectTo(href: string): PageAnswer {
  return redirectAfterPost(href, { ...dashboardHeaders, 'clear-site-data': '"prefetchCache"' })
}

// Asks for the password, and then leads to `next`.
export function redirectToPassword(next: string): PageAnswer {
  return redirectTo(confirmPathFor(next))
}

export type { DashboardWords, TextValues }
