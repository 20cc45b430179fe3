// Assistants: apps that are not registered, but identified by the URL of a document with their name and redirect URIs (OAuth Client ID
// Metadata Document). An assistant acts for the person who approved it, and can never do more than this person.

import { type AdminScope, adminScopes, type Mode, type Scope } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import { listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { type RightsRow, rightsFromRow } from '../users/roles.ts'
import { appProblem, findApp, type OAuthApp, redirectUriProblem } from './apps.ts'
import { findFreeName } from './names.ts'

// Scopes that an assistant can be granted. None of its tools manages people.
export const assistantScopes: readonly AdminScope[] = adminScopes.filter((scope) => scope !== 'admin:people')

// Returns the scopes that a member with the scopes `held` can grant to an assistant.
export function grantableScopes(held: readonly AdminScope[]): readonly AdminScope[] {
  return assistantScopes.filter((scope) => held.includes(scope))
}

// What is used of an assistant's client metadata document.
export interface ClientDocument {
  // The URL of the document, which is also the client id.
  url: string
  host: string
  // The name that the assistant claims to have; it is not verified.
  name: string
  redirectUris: readonly string[]
}

const urlLengthMax = 500
// The consent page shows the whole host.
const hostLengthMax = 100

// Whether a client id is the URL of a document. http is only for development on this machine.
export function isDocumentUrl(id: string, { allowHttp }: { allowHttp: boolean }): boolean {
  if (id.length > urlLengthMax || !/^https?:\/\/[\x21-\x7e]+$/.test(id) || /[\\#]/.test(id)) return false
  const url = URL.parse(id)
  // The URL is compared character by character, so only the normalized spelling of browsers is accepted, which has no dot segments.
  if (!url || url.href !== id || url.username !== '' || url.password !== '' || url.pathname === '/') return false
  if (url.host.length > hostLengthMax) return false
  return url.protocol === 'https:' || (allowHttp && url.protocol === 'http:')
}

const nameLengthMax = 80
const redirectUrisMax = 20

// Reads the document of an assistant. A problem is a sentence for the developer of the assistant.
export function readClientDocument(url: string, value: unknown): ClientDocument | { problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'the client metadata document is not a JSON object' }
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method: method } = value as Record<string, unknown>
  if (client_id !== url) return { problem: 'client_id of the client metadata document is not its address' }
  if ((method !== undefined && method !== 'none') || 'client_secret' in value)
    return { problem: 'token_endpoint_auth_method of the client metadata document must be none' }
  const { host } = new URL(url)
  const name = typeof client_name === 'string' ? client_name.trim().slice(0, nameLengthMax).trim() : ''
  const listed: readonly unknown[] = Array.isArray(redirect_uris) ? redirect_uris.slice(0, redirectUrisMax) : []
  const redirectUris = [...new Set(listed.filter(isRedirectUri))]
  const document = { url, host, name: name === '' ? host : name, redirectUris }
  const problem = appProblem(definitionOf(document, 'live'))
  if (problem?.path === '/name') return { problem: 'client_name of the client metadata document cannot be shown' }
  if (problem) return { problem: 'the client metadata document has no redirect_uris that are https or on this machine' }
  return document
}

// Refuses custom URI schemes, which any app on a device can register, and https on this machine.
function isRedirectUri(uri: unknown): uri is string {
  if (typeof uri !== 'string' || redirectUriProblem(uri) !== undefined) return false
  return !(uri.startsWith('https:') && isLoopback(new URL(uri)))
}

function definitionOf({ name, redirectUris }: ClientDocument, mode: Mode) {
  return { name, description: '', redirectUris, scopes: assistantScopes, mode, jwks: null }
}

// Returns undefined if the assistant was never approved by any person.
export async function findAssistant(db: Reader, clientUri: string): Promise<OAuthApp | undefined> {
  const [row] = await db.sql<{ id: string }>`select id from apps where client_uri = ${clientUri}`
  return row && findApp(db, row.id)
}

// A concurrent transaction may take the same name first; the insert is then tried again.
const attemptsMax = 20

// Stores an assistant when a person approves it. Names of apps are unique, so the name includes the host; if another document of the same
// host claims the same name, a number is added. The mode is chosen for each installation.
export async function saveAssistant(tx: Tx, document: ClientDocument, now: number): Promise<OAuthApp> {
  const { url, host, name } = document
  const redirectUris = JSON.stringify(document.redirectUris)
  const scopes = JSON.stringify(assistantScopes)
  await tx.sql`update apps set redirect_uris = ${redirectUris}, scopes = ${scopes}, updated_at = ${now} where client_uri = ${url}`
  const shown = name === host ? host : `${name} (${host})`
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const found = await findAssistant(tx, url)
    if (found) return found
    const free = await findFreeName(shown, (names) => listTakenAppNames(tx, names))
    await tx.sql`
      insert into apps (id, name, description, client_kind, jwks, redirect_uris, scopes, mode, created_at, updated_at,
        declared_by, client_uri)
      values (${newId('app')}, ${free}, '', 'public', null, ${redirectUris}, ${scopes}, 'live', ${now}, ${now}, null, ${url})
      on conflict do nothing`
  }
  throw new Error('no unused name was found for the assistant')
}

async function listTakenAppNames(db: Reader, names: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ name: string }>`select name from apps where name in (${listFragment(names)})`
  return rows.map(({ name }) => name)
}

// Maximum per person and shop, without ended installations: one member alone must not use up the shop's limit of installations.
export const assistantsOfPersonMax = 20

export async function countAssistantsOf(db: Reader, merchantId: string, userId: string): Promise<number> {
  const [row] = await db.sql<{ living: number }>`
    select count(*) as "living" from installations i join apps a on a.id = i.app_id
    where i.merchant_id = ${merchantId} and i.approved_by = ${userId} and i.ended_at is null and a.client_uri is not null`
  return Number(row?.living ?? 0)
}

// An assistant as shown to the person who approved it.
export interface OwnAssistant {
  id: string
  name: string
  mode: Mode
  merchantId: string
  merchantName: string
  createdAt: number
  // When the assistant was last issued a token.
  lastTokenAt: number | null
}

const ownShownMax = 200

// Lists the installations of assistants that the person approved and that have not ended, in all shops of this person, newest first.
// `id`: only this installation.
export async function listAssistantsOf(db: Reader, userId: string, id = ''): Promise<OwnAssistant[]> {
  return db.sql<OwnAssistant>`
    select i.id, i.name, i.mode, m.id as "merchantId", m.name as "merchantName", i.created_at as "createdAt", (
      select max(t.created_at) from oauth_artifacts t
      where t.grant_id = i.grant_id and t.kind in ('AccessToken', 'RefreshToken')) as "lastTokenAt"
    from user_merchants um
    join installations i on i.merchant_id = um.merchant_id and i.approved_by = um.user_id
    join apps a on a.id = i.app_id
    join merchants m on m.id = i.merchant_id
    where um.user_id = ${userId} and a.client_uri is not null and i.ended_at is null and (${id} = '' or i.id = ${id})
    order by i.id desc limit ${ownShownMax}`
}

// The installation and the person for which an assistant's access token acts.
export interface AssistantHolder {
  sealed: string
  grantId: string
  installationId: string
  mode: Mode
  grantedScopes: string
  grantedAt: number
  merchantId: string
  merchantSlug: string
  appId: string
  appName: string
  clientUri: string
  // The present scopes of the person who approved the assistant.
  held: readonly AdminScope[]
}

// Returns undefined if the token, the installation, the merchant or the app is missing, ended or disabled, or if the person who approved
// the assistant has left the shop since then, was disabled, or was signed out everywhere.
export async function findAssistantHolder(db: Reader, id: string, now: number): Promise<AssistantHolder | undefined> {
  const [row] = await db.sql<Omit<AssistantHolder, 'held'> & RightsRow>`
    select t.sealed, i.grant_id as "grantId", i.id as "installationId", i.mode, i.granted_scopes as "grantedScopes",
      i.created_at as "grantedAt", m.id as "merchantId", m.slug as "merchantSlug", a.id as "appId", a.name as "appName",
      a.client_uri as "clientUri", um.role, um.scopes
    from oauth_artifacts t
    join installations i on i.grant_id = t.grant_id
    join merchants m on m.id = i.merchant_id
    join apps a on a.id = i.app_id
    join users u on u.id = i.approved_by
    join user_merchants um on um.user_id = u.id and um.merchant_id = i.merchant_id
    where t.kind = 'AccessToken' and t.id = ${id} and t.expires_at > ${now} and a.client_uri is not null
      and i.ended_at is null and i.disabled_at is null and m.closed_at is null and a.disabled_at is null
      and u.disabled_at is null and i.created_at > u.sessions_from`
  return row && { ...row, held: rightsFromRow(row).scopes }
}

// Whether the person who approved the grant of an assistant is still an active member of the shop. The grant also ends when the person is
// signed out everywhere, because a stolen session may have approved it.
export async function hasApprover(db: Reader, grantId: string): Promise<boolean> {
  const rows = await db.sql`
    select i.id from installations i
    join users u on u.id = i.approved_by
    join user_merchants um on um.user_id = u.id and um.merchant_id = i.merchant_id
    where i.grant_id = ${grantId} and u.disabled_at is null and i.created_at > u.sessions_from`
  return rows.length > 0
}

// Returns the granted scopes that the person who approved the assistant still has.
export function currentScopes(granted: readonly string[], held: readonly AdminScope[]): readonly Scope[] {
  return grantableScopes(held).filter((scope) => granted.includes(scope))
}
