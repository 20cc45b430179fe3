// A request to a sign-in page: the session of its cookie, the posted form, and the language of the response.

import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  findSession,
  needsTouch,
  type OpenSession,
  type Session,
  sessionMsMax,
  touchSession,
} from '../../domain/users/sessions.ts'
import type { SignIn, SignInParts, Visitor } from '../../domain/users/signin.ts'
import { type CookieKind, findCookie, setCookie } from '../../platform/html/cookies.ts'
import type { FormFields } from '../../platform/html/fields.ts'
import { redirectAfterPost } from '../../platform/html/policy.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { type FetchedAhead, signInHeaders } from './page/frame.ts'
import { type SignInWords, signInWordsFor } from './page/words.ts'

export interface SignInPageParts extends SignInParts {
  // Files that the page after the sign-in needs.
  fetchedAhead: readonly FetchedAhead[]
}

export interface SignInTools extends SignInPageParts {
  signIn: SignIn
}

export interface SignInVisit {
  request: Incoming
  response: ServerResponse
  requestId: string
  words: SignInWords
  session: OpenSession | undefined
  query: URLSearchParams
  now: number
}

export interface SignInPost extends SignInVisit {
  form: FormFields
}

// Binds a challenge to its purpose and session, so it is not valid for another.
export function challengeBinding(purpose: 'register' | 'confirm', { id }: Pick<Session, 'id'>): string {
  return `${purpose} ${id}`
}

// The cookie binds the challenge for a passkey to the browser that requested it, before anyone is signed in. It grants nothing.
const passkeyCookie: CookieKind = { name: 'staff_passkey', path: '/', maxAgeSeconds: 600 }

export type SignInAnswer = Promise<PageAnswer> | PageAnswer

// This cookie opens pages only. The API never accepts it; callers of the API need keys.
export const sessionCookie: CookieKind = { name: 'staff_session', path: '/', maxAgeSeconds: sessionMsMax / 1000 }
// The cookie grants nothing: it lets sign-in attempts of this browser be counted separately.
const deviceCookie: CookieKind = { name: 'staff_device', path: '/admin', maxAgeSeconds: 180 * 24 * 3_600 }

export async function readVisit(
  { storage, publicOrigin, clock }: SignInTools,
  request: Incoming,
  response: ServerResponse,
  requestId: string,
): Promise<SignInVisit> {
  const now = clock().getTime()
  const { headers, url = '' } = request.raw
  const token = findCookie(headers.cookie, sessionCookie, publicOrigin())
  const session = token === undefined ? undefined : await storage.read((db) => findSession(db, token, now))
  if (session && needsTouch(session, now)) await storage.write((tx) => touchSession(tx, session, now))
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
  const words = signInWordsFor(headers['accept-language'], session?.language)
  return { request, response, requestId, words, session, query, now }
}

export function visitorFrom({ publicOrigin }: SignInTools, { request, requestId }: SignInVisit): Visitor {
  const { address, raw } = request
  const device = findCookie(raw.headers.cookie, deviceCookie, publicOrigin())
  return { address, device, requestId, purpose: 'dashboard' }
}

export function rememberDevice({ publicOrigin }: SignInTools, { response }: SignInVisit, device: string): void {
  response.appendHeader('set-cookie', setCookie(deviceCookie, device, publicOrigin()))
}

// Returns the browser's id from the cookie, or undefined without a cookie.
export function passkeyBrowser(
  { publicOrigin }: Pick<SignInTools, 'publicOrigin'>,
  { request }: Pick<SignInVisit, 'request'>,
): string | undefined {
  const value = findCookie(request.raw.headers.cookie, passkeyCookie, publicOrigin())
  return value !== undefined && /^[\w-]{43}$/.test(value) ? `browser ${value}` : undefined
}

export function namePasskeyBrowser({ publicOrigin }: SignInTools, { response }: SignInVisit): string {
  const value = randomBytes(32).toString('base64url')
  response.appendHeader('set-cookie', setCookie(passkeyCookie, value, publicOrigin()))
  return `browser ${value}`
}

export function setSessionCookie({ publicOrigin }: SignInTools, { response }: SignInVisit, token: string): void {
  response.appendHeader('set-cookie', setCookie(sessionCookie, token, publicOrigin()))
}

export function clearSessionCookie({ publicOrigin }: SignInTools, { response }: SignInVisit): void {
  response.appendHeader('set-cookie', setCookie({ ...sessionCookie, maxAgeSeconds: 0 }, '', publicOrigin()))
}

export function redirectToPath(path: string): PageAnswer {
  return redirectAfterPost(path, signInHeaders)
}

// Returns the path to redirect to after a form: always a page of the dashboard.
export function dashboardPathFrom(text: string | null): string {
  return text !== null && text.length <= ownPathMax && /^\/admin(?:[/?][\w\-./?=&%+*~!$'(),:;@]*)?$/.test(text)
    ? text
    : '/admin'
}

// An encoded path of this length still fits in the URL of a sign-in page.
const ownPathMax = 1_000

export function signInPath(next: string): string {
  return `/admin/sign-in?next=${encodeURIComponent(withinReach(next))}`
}

export function confirmPathFor(next: string): string {
  return `/admin/confirm?next=${encodeURIComponent(withinReach(next))}`
}

// Removes the query if the path with its query is too long.
function withinReach(next: string): string {
  return dashboardPathFrom(next) === next ? next : dashboardPathFrom(next.split('?')[0] ?? null)
}
