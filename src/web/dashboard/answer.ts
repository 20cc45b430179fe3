// Responses of the dashboard. A request becomes a visit (person, shop and mode), and the visit becomes a response. The person is the
// caller of operations, so scope, query, body and key are checked as for any other caller.

import type { IncomingMessage } from 'node:http'
import { adminOperations } from '../../contract/admin/operations.ts'
import { refusals } from '../../contract/refusals.ts'
import type { Mode } from '../../contract/words.ts'
import { isConfirmed, mayAct } from '../../domain/users/sessions.ts'
import { formFieldsMax, hiddenFieldsInSlices, readFields, readFiles, readTypedForm } from '../../platform/html/form.ts'
import { isSameOrigin } from '../../platform/html/origin.ts'
import { personCaller } from '../../platform/http/admin.ts'
import type { PageAnswer, PageRequest } from '../../platform/http/pages.ts'
import type { MountedSurface } from '../../platform/http/surfaces.ts'
import { createSlicePauses } from '../../platform/kit/breath.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { LoadOwnAccount } from '../signin/pages.ts'
import type { PersonReader, PersonShop, SignedInPerson } from '../signin/person.ts'
import { signInPath } from '../signin/visit.ts'
import { toastParameters } from './browser/names.ts'
import { errorPage, failedPage, type HeldPost, heldPage, unheldPage } from './error.ts'
import { findScreen } from './find.ts'
import { renderDashboardFrame } from './frame.ts'
import { menuPlaces, type PlaceId } from './places.ts'
import { readRowCounts } from './rowcount.ts'
import {
  type CallChange,
  type CallOperation,
  redirectTo,
  redirectToPassword,
  type Screen,
  type ScreenResult,
  type ScreenVisit,
} from './screen.ts'
import { screens } from './screens.ts'
import { dashboardWordsFor } from './words.ts'

export interface DashboardParts {
  admin: Pick<MountedSurface, 'perform'>
  personOf: PersonReader
  accountOf: LoadOwnAccount
  publicOrigin: () => string
  clock: () => Date
  sendsMail: boolean
}

const formBytesMax = 65_536
const longPageMin = 100_000
// Exceeds the largest forms of a signed-in person, such as 5,000 tax rates of four fields each.
const fieldsMax = 25_000
const noForm = { 413: 'body_too_large', 415: 'invalid_request', 400: 'invalid_request' } as const

// `rest`: the path below the shop and the mode. Modes have different paths, so two tabs can show both.
export async function answerScreen(
  parts: DashboardParts,
  request: PageRequest,
  { mode, rest }: { mode: Mode; rest: string },
): Promise<PageAnswer> {
  const found = findScreen(request.raw.method === 'POST' ? 'post' : 'get', rest)
  if (!found) return lost(parts, mode, request)
  const { screen, path } = found
  request.named?.(screen.name)
  return answer(parts, screen, mode, { ...request, path: { ...path, shop: request.path.shop ?? '' } })
}

const builtPlaces = menuPlaces.filter(({ path }) => screens.some((screen) => screen.path === path)).map(({ id }) => id)

async function answer(parts: DashboardParts, screen: Screen, mode: Mode, request: PageRequest): Promise<PageAnswer> {
  const { raw } = request
  const isPost = raw.method === 'POST'
  const person = await parts.personOf(raw)
  const here = addressOf(request)
  const back = screen.get ? pathOf(here) : `/admin/${request.path.shop}/${mode === 'test' ? 'test/' : ''}home`
  const orHeld = async (kind: HeldPost['kind'], otherwise: PageAnswer) =>
    isPost && !screen.takesSecrets
      ? ((await heldForm(parts, screen, request, { kind, back, action: here })) ?? otherwise)
      : otherwise
  if (!person) return orHeld('signIn', redirectTo(signInPath(isPost ? back : here)))
  const shop = person.shops.find(({ slug }) => slug === request.path.shop)
  if (!shop) return failedPage(request, 404)
  const visit = visitOf(parts, { person, shop, mode, request, here })
  if (isClosed(visit, screen, person)) return redirectTo(visit.to('account'))
  const { needs } = screen
  try {
    if (isPost && !isSameOrigin(raw, parts.publicOrigin())) return errorPage(visit, screen.place, { kind: 'foreign' })
    if (needs !== null && !visit.may(needs)) return errorPage(visit, screen.place, { kind: 'scope', needs })
    if (screen.asksAgain && !visit.isConfirmed) return await orHeld('confirm', redirectToPassword(isPost ? back : here))
    const page = shown(visit, screen.place, await run(screen, visit, request))
    // A long page is sent in a slice of its own.
    if (typeof page.body === 'string' && page.body.length > longPageMin) await createSlicePauses().take()
    return page
  } catch (error) {
    if (!(error instanceof Refusal) || refusals[error.code].status >= 500 || error.code === 'rate_limited') throw error
    return errorPage(visit, screen.place, { kind: 'refused', refusal: error })
  }
}

// Whether a required second factor is missing. Pages of a shop follow that shop's requirement. The account follows the strictest shop of
// the person, because in the account someone who only knows the password could set up another factor.
function isClosed(
  { shop, isFactorMissing }: ScreenVisit,
  { needs, setsUpFactor }: Screen,
  { session }: SignedInPerson,
) {
  if (setsUpFactor) return false
  return needs === null ? isFactorMissing : !mayAct(session, shop)
}

// Preserves typed values: the response is a page that sends the form again once the person has signed in or confirmed. Files must be
// chosen again, since pages cannot preselect files. Forms from other sites are not shown.
async function heldForm(
  { publicOrigin }: DashboardParts,
  { filesBytesMax }: Screen,
  request: PageRequest,
  held: Omit<HeldPost, 'fields' | 'hasFile'>,
): Promise<PageAnswer | undefined> {
  if (!isSameOrigin(request.raw, publicOrigin())) return undefined
  const hasFile = filesBytesMax !== undefined
  const length = lengthOf(request.raw, filesBytesMax ?? heldBounds.bytesMax)
  const heldLength = Math.min(length, heldBounds.bytesMax)
  spend(request, Math.floor(heldLength / heldBytesOfOne) + Math.floor(length / fileBytesOfOne))
  const form = await request.receive(() =>
    hasFile ? readFields(request.raw, heldBounds, filesBytesMax) : readTypedForm(request.raw, heldBounds),
  )
  if (form === 413) return unheldPage(request, held)
  if (typeof form === 'number') return undefined
  return heldPage(request, { ...held, hasFile, fields: await hiddenFieldsInSlices(form) })
}

// Anyone can make the server render such a page without reading the response: 64 KiB of quotes become a page of 400 KB.
const heldBounds = { bytesMax: 65_536, fieldsMax: formFieldsMax }
// Bytes that count as one more post: of a form that is rendered again, of a form that is read, and of a file.
const heldBytesOfOne = 4_096
const readBytesOfOne = 65_536
const fileBytesOfOne = 1_048_576
// Less than the burst of one address.
const costMax = 40

// Called before a form is read, so a form over the limit is never read.
function spend(request: PageRequest, cost: number): void {
  if (cost >= 1) request.spend?.(Math.min(Math.floor(cost), costMax))
}

// A missing length counts as the maximum.
function lengthOf({ headers }: IncomingMessage, bytesMax: number): number {
  return Math.min(Number(headers['content-length'] ?? bytesMax), bytesMax)
}

// A page with a form for files may also contain forms without files.
function isPlainForm({ headers }: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
}

async function run(screen: Screen, visit: ScreenVisit, request: PageRequest): Promise<ScreenResult> {
  const { get, post } = screen
  if (request.raw.method !== 'POST' && get) return get(visit)
  if (!post) throw new Error(`the screen ${screen.name} does not support the method ${request.raw.method}`)
  const { filesBytesMax, formBytesMax: bytesMax = formBytesMax } = screen
  const length = lengthOf(request.raw, filesBytesMax ?? bytesMax)
  spend(request, length / (filesBytesMax === undefined ? readBytesOfOne : fileBytesOfOne))
  const sent = await request.receive(async () => {
    if (filesBytesMax !== undefined && !(get && isPlainForm(request.raw))) return readFiles(request.raw, filesBytesMax)
    const form = await readTypedForm(request.raw, { bytesMax, fieldsMax })
    return typeof form === 'number' ? form : { form, files: [], fileNames: [] }
  })
  if (typeof sent === 'number') throw new Refusal(noForm[sent], {})
  return post({ ...visit, ...sent })
}

function shown(visit: ScreenVisit, place: PlaceId | null, given: ScreenResult): PageAnswer {
  return 'headers' in given ? given : renderDashboardFrame(visit, place, given)
}

interface VisitParts {
  person: SignedInPerson
  shop: PersonShop
  mode: Mode
  request: PageRequest
  here: string
}

function visitOf(parts: DashboardParts, given: VisitParts): ScreenVisit {
  const { person, shop, mode, request, here } = given
  const { userId, email, name, session, shops } = person
  const { scopes } = shop
  const { headers } = request.raw
  const principal = personCaller({ userId, merchantId: shop.id, mode, scopes })
  const now = parts.clock()
  const base = `/admin/${shop.slug}${mode === 'test' ? '/test' : ''}`
  const query = new URLSearchParams(request.raw.url?.split('?')[1] ?? '')
  const change: CallChange = async (id, { path, query, cursor, body, key } = {}) => {
    const { body: text, changeId } = await parts.admin.perform(id, {
      principal,
      // The casts hold: `CallOperation` has checked the types of this operation's row. Here the types of all rows are merged.
      path: (path ?? {}) as Readonly<Record<string, string>>,
      query: (query ?? {}) as Readonly<Record<string, unknown>>,
      body: body ?? null,
      ...(cursor !== undefined && { cursor }),
      ...(key !== undefined && { key }),
    })
    // The type of the answer is that of the row's reply: tests check every answer against its schema.
    return { answer: JSON.parse(String(text)), change: changeId ?? undefined }
  }
  const ask: CallOperation = async (id, given) => (await change(id, given)).answer
  return {
    userId,
    email,
    name,
    role: shop.role,
    shop,
    shops,
    places: mayAct(session, shop) ? builtPlaces : [],
    mode,
    words: dashboardWordsFor(headers['accept-language'], shop.timeZone, session.language),
    path: request.path,
    query,
    rowCount: readRowCounts(query, headers.cookie, parts.publicOrigin()),
    now,
    isConfirmed: isConfirmed(session, now.getTime()),
    isFactorMissing: shops.some((one) => !mayAct(session, one)),
    account: () => parts.accountOf({ userId, email, session, now: now.getTime() }),
    language: session.language,
    userAgent: headers['user-agent'],
    here,
    ask,
    change,
    may: (id) => scopes.includes(adminOperations[id].scope),
    to(path, query = {}) {
      const sent = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value) sent.set(name, value)
      return `${base}/${path}${sent.size > 0 ? `?${sent}` : ''}`
    },
    inMode: (other) => visitOf(parts, { ...given, mode: other }),
    server: { sendsMail: parts.sendsMail, origin: parts.publicOrigin() },
  }
}

// Returns the path and query without the parameters of a toast. The host is ignored, because the request line may name another host.
function addressOf({ raw }: PageRequest): string {
  const url = new URL(raw.url ?? '/', 'http://localhost')
  for (const name of toastParameters) url.searchParams.delete(name)
  return url.pathname + url.search
}

function pathOf(here: string): string {
  return here.split('?')[0] ?? here
}

// Redirects to the home page, in test mode if the shop cannot take payments yet.
export async function answerDashboardStart(parts: DashboardParts, request: PageRequest): Promise<PageAnswer> {
  const here = addressOf(request)
  const person = await parts.personOf(request.raw)
  if (!person) return redirectTo(signInPath(here))
  const shop = person.shops.find(({ slug }) => slug === request.path.shop)
  if (!shop) return failedPage(request, 404)
  if (!mayAct(person.session, shop)) return redirectTo(`/admin/${shop.slug}/account`)
  const live = visitOf(parts, { person, shop, mode: 'live', request, here })
  const { data } = await live.ask('getAdminShop')
  const takesMoney = data.paymentAccounts.length > 0 || data.paymentMethods.some(({ enabled }) => enabled)
  return redirectTo(`/admin/${shop.slug}/${takesMoney ? '' : 'test/'}home`)
}

// Answers a path below a shop that belongs to no screen. People who may use the shop see the error in the dashboard's frame.
async function lost(parts: DashboardParts, mode: Mode, request: PageRequest): Promise<PageAnswer> {
  const person = await parts.personOf(request.raw)
  const here = addressOf(request)
  if (!person) return redirectTo(signInPath(request.raw.method === 'POST' ? pathOf(here) : here))
  const shop = person.shops.find(({ slug }) => slug === request.path.shop)
  if (!shop || !mayAct(person.session, shop)) return failedPage(request, 404)
  return errorPage(visitOf(parts, { person, shop, mode, request, here }), 'home', { kind: 'lost' })
}
