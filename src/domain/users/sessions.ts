// Sessions of people in a browser: the secret of the cookie, how long a session lasts, and what ends it. A session gives access to pages,
// never to the API.

import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../../platform/kit/ids.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'

const dayMs = 24 * 3_600_000
const idleMs = 7 * dayMs
export const sessionMsMax = 30 * dayMs
// Sensitive actions require the password or a passkey again after this time.
export const confirmedMs = 10 * 60_000
// A session's row is updated at most this often, however often the session is used.
const seenEveryMs = 5 * 60_000
const sessionsPerUserMax = 50

export interface Session {
  id: string
  userId: string
  browser: string
  hasSecondFactor: boolean
  createdAt: number
  seenAt: number
  confirmedAt: number
  expiresAt: number
}

// A session with the person's facts that pages need on every request.
export interface OpenSession extends Session {
  // Language of our pages for this person. Null: the browser's language.
  language: string | null
}

export interface NewSession {
  userId: string
  // The stored password hash that was checked. If the password has changed since then, no session is created.
  passwordHash: string
  // The User-Agent header.
  userAgent: string | undefined
  hasSecondFactor: boolean
}

// Returns undefined if the password was changed, or the user disabled, after the password was checked.
export async function createSession(
  tx: Tx,
  { userId, passwordHash, userAgent, hasSecondFactor }: NewSession,
  now: number,
): Promise<{ id: string; token: string } | undefined> {
  const [user] = await tx.sql<{ passwordHash: string; disabledAt: number | null }>`
    select password_hash as "passwordHash", disabled_at as "disabledAt" from users where id = ${userId} ${tx.forUpdate}`
  if (!user || user.disabledAt !== null || user.passwordHash !== passwordHash) return undefined
  const token = randomBytes(32).toString('base64url')
  const id = newId('uss')
  await tx.sql`
    insert into user_sessions (id, user_id, token_hash, browser, has_second_factor, created_at, seen_at, confirmed_at, expires_at)
    values (${id}, ${userId}, ${tokenHash(token)}, ${browserName(userAgent)}, ${hasSecondFactor ? 1 : 0}, ${now}, ${now},
      ${now}, ${now + idleMs})`
  await tx.sql`
    delete from user_sessions where user_id = ${userId} and id in (
      select id from user_sessions where user_id = ${userId} order by created_at desc, id desc
      limit ${sessionsPerUserMax} offset ${sessionsPerUserMax})`
  return { id, token }
}

interface SessionRow extends Omit<Session, 'hasSecondFactor'> {
  hasSecondFactor: number
}

export async function findSession(
  db: Reader,
  token: string | undefined,
  now: number,
): Promise<OpenSession | undefined> {
  if (token === undefined || !/^[\w-]{43}$/.test(token)) return undefined
  const [row] = await db.sql<SessionRow & Pick<OpenSession, 'language'>>`
    select s.id, s.user_id as "userId", s.browser, s.has_second_factor as "hasSecondFactor", s.created_at as "createdAt",
      s.seen_at as "seenAt", s.confirmed_at as "confirmedAt", s.expires_at as "expiresAt", u.language
    from user_sessions s join users u on u.id = s.user_id
    where s.token_hash = ${tokenHash(token)} and s.expires_at > ${now} and u.disabled_at is null`
  return row && sessionFrom(row)
}

function sessionFrom<Row extends SessionRow>(row: Row): Omit<Row, 'hasSecondFactor'> & { hasSecondFactor: boolean } {
  return { ...row, hasSecondFactor: Number(row.hasSecondFactor) === 1 }
}

export function needsTouch({ seenAt }: Session, now: number): boolean {
  return now - seenAt >= seenEveryMs
}

// Called when the session was used: extends it, up to its maximum lifetime.
export async function touchSession(tx: Tx, { id, createdAt }: Session, now: number): Promise<void> {
  const expiresAt = Math.min(createdAt + sessionMsMax, now + idleMs)
  await tx.sql`
    update user_sessions set seen_at = ${now}, expires_at = ${expiresAt} where id = ${id} and expires_at > ${now}`
}

// Whether a person may act for a shop in this session: if the shop requires a second factor, the session must have begun with one, or one
// must have been set up in it. Pages check this before every action.
export function mayAct({ hasSecondFactor }: Session, { needsSecondFactor }: { needsSecondFactor: boolean }): boolean {
  return hasSecondFactor || !needsSecondFactor
}

// Whether the person proved their identity, by password or passkey, less than ten minutes ago. Otherwise, pages about keys, people,
// factors and payment settings redirect to `/admin/confirm?next=…`.
export function isConfirmed({ confirmedAt }: Session, now: number): boolean {
  return now - confirmedAt < confirmedMs
}

// Called when the person has entered the password again, or used a passkey. A passkey is a second factor too, even if the session began
// with a password.
export async function confirmSession(tx: Tx, { id }: Session, now: number, isByPasskey: boolean): Promise<void> {
  await tx.sql`update user_sessions set confirmed_at = ${now} where id = ${id}`
  if (isByPasskey) await tx.sql`update user_sessions set has_second_factor = 1 where id = ${id}`
}

// Lists the most recently used sessions first.
export async function listSessions(db: Reader, userId: string, now: number): Promise<Session[]> {
  const rows = await db.sql<SessionRow>`
    select id, user_id as "userId", browser, has_second_factor as "hasSecondFactor", created_at as "createdAt",
      seen_at as "seenAt", confirmed_at as "confirmedAt", expires_at as "expiresAt"
    from user_sessions where user_id = ${userId} and expires_at > ${now}
    order by seen_at desc, id desc limit ${sessionsPerUserMax}`
  return rows.map(sessionFrom)
}

export async function countSessions(db: Reader, userId: string, now: number): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as "count" from user_sessions where user_id = ${userId} and expires_at > ${now}`
  return Number(row?.count ?? 0)
}

// Returns false if the user has no such session.
export async function endSession(tx: Tx, userId: string, id: string): Promise<boolean> {
  const rows = await tx.sql`delete from user_sessions where user_id = ${userId} and id = ${id} returning id`
  return rows.length > 0
}

export async function deleteExpiredSessions(tx: Tx, now: number, rowsMax: number): Promise<number> {
  const rows = await tx.sql`
    delete from user_sessions where expires_at <= ${now} and id in (
      select id from user_sessions where expires_at <= ${now} order by expires_at limit ${rowsMax})
    returning id`
  return rows.length
}

function tokenHash(token: string): string {
  return createHash('sha256').update(`user session ${token}`).digest('base64url')
}

// biome-ignore format: a table is read by its rows
const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
// biome-ignore format: a table is read by its rows
const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

// Returns a name by which a person can recognise one of their sessions. The header itself, which can identify a device, is not stored.
export function browserName(userAgent = ''): string {
  const named = (table: typeof browsers) => table.find(([mark]) => mark.test(userAgent.slice(0, 500)))?.[1]
  return [named(browsers), named(systems)].filter(Boolean).join(' on ')
}
