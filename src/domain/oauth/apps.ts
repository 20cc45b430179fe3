// The apps that merchants can install: which scopes each may request, where it is redirected, and which keys sign its requests. Apps come
// from the operator and from shop files, and assistants are stored when a person approves them (assistants.ts); there is no dynamic
// registration.

import { type BrokenRule, type Issue, issue, issueAt } from '../../contract/issues.ts'
import { scopes as knownScopes, type Mode, modes, type Scope } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { type ClientKeys, readClientKeys } from './clientkeys.ts'

export interface OAuthApp {
  // Also the client id in OAuth.
  id: string
  name: string
  description: string
  // public: the app authenticates with PKCE and DPoP only. confidential: the app signs its requests with one of its keys.
  clientKind: 'public' | 'confidential'
  jwks: ClientKeys | null
  redirectUris: readonly string[]
  // All scopes that the app may request from a merchant.
  scopes: readonly Scope[]
  // Mode of the app's installations.
  mode: Mode
  createdAt: number
  disabledAt: number | null
}

export interface AppDefinition {
  name: string
  description: string
  redirectUris: readonly string[]
  scopes: readonly Scope[]
  mode: Mode
  jwks: ClientKeys | null
}

const nameLengthMax = 100
const descriptionLengthMax = 300
const redirectUrisMax = 20

// Returns what is wrong with a definition; undefined if it is valid.
export function appProblem(definition: AppDefinition): Issue | undefined {
  if (
    definition.name.length > nameLengthMax ||
    !isLine(definition.name) ||
    definition.name.trim() !== definition.name ||
    definition.name === ''
  )
    return issueAt('/name', 'line_length', { min: 1, max: nameLengthMax })
  if (definition.description.length > descriptionLengthMax || !isLine(definition.description))
    return issueAt('/description', 'line_too_long', { max: descriptionLengthMax })
  const { redirectUris } = definition
  if (redirectUris.length < 1 || redirectUris.length > redirectUrisMax)
    return issueAt('/redirectUris', 'address_count', { min: 1, max: redirectUrisMax })
  for (const [index, uri] of redirectUris.entries()) {
    const problem = redirectUris.indexOf(uri) < index ? issue('duplicate') : redirectUriProblem(uri)
    if (problem !== undefined) return { path: `/redirectUris/${index}`, ...problem }
  }
  const unknown = definition.scopes.find((scope) => !knownScopes.includes(scope))
  if (unknown !== undefined || definition.scopes.length === 0)
    return issueAt('/scopes', 'not_some_of', { members: knownScopes })
  if (!modes.includes(definition.mode)) return issueAt('/mode', 'not_either', { alternatives: modes })
  if (definition.jwks !== null) {
    const read = readClientKeys(definition.jwks)
    if ('problem' in read) return { ...read.problem, path: `/jwks${read.problem.path}` }
  }
  return undefined
}

// The consent page shows name and description, which therefore must not contain line breaks or characters that reorder text.
function isLine(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}

const redirectUriLengthMax = 2_000

// The redirect URI of a request is compared with this one character by character (RFC 9700, 2.1), so only the normalized spelling of
// browsers is accepted, though the slash after a host without a path may be missing.
export function redirectUriProblem(uri: string): BrokenRule | undefined {
  if (uri.length > redirectUriLengthMax) return issue('too_long', { max: redirectUriLengthMax })
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return issue('redirect_not_secure')
  const url = new URL(uri)
  if (uri.includes('#')) return issue('redirect_has_fragment')
  if (url.username !== '' || url.password !== '') return issue('redirect_has_credentials')
  if (uri.includes('*')) return issue('redirect_has_wildcard')
  if (url.protocol === 'http:' && !isLoopback(url)) return issue('redirect_not_loopback')
  if (url.href !== uri && url.href !== `${uri}/`) return issue('redirect_spelling', { value: url.href })
  return undefined
}

// Returns the hosts to which checkouts of the app's installations may redirect shoppers. URIs with http are left out: their hosts are
// loopback hosts, which test installations may use anyway and live ones must not.
export function redirectHostsOf({ redirectUris }: Pick<OAuthApp, 'redirectUris'>): string[] {
  const secure = redirectUris.map((uri) => new URL(uri)).filter(({ protocol }) => protocol === 'https:')
  return [...new Set(secure.map(({ host }) => host))].sort()
}

interface AppRow {
  id: string
  name: string
  description: string
  clientKind: OAuthApp['clientKind']
  jwks: string | null
  redirectUris: string
  scopes: string
  mode: Mode
  createdAt: number
  disabledAt: number | null
}

export async function findApp(db: Reader, id: string): Promise<OAuthApp | undefined> {
  const [row] = await db.sql<AppRow>`
    select id, name, description, client_kind as "clientKind", jwks, redirect_uris as "redirectUris", scopes, mode,
      created_at as "createdAt", disabled_at as "disabledAt"
    from apps where id = ${id}`
  return row && appFrom(row)
}

export async function findAppByName(db: Reader, name: string): Promise<OAuthApp | undefined> {
  const [row] = await db.sql<AppRow>`
    select id, name, description, client_kind as "clientKind", jwks, redirect_uris as "redirectUris", scopes, mode,
      created_at as "createdAt", disabled_at as "disabledAt"
    from apps where name = ${name}`
  return row && appFrom(row)
}

const appsMax = 1_000

// Returns apps, oldest first.
export async function listApps(db: Reader): Promise<OAuthApp[]> {
  const rows = await db.sql<AppRow>`
    select id, name, description, client_kind as "clientKind", jwks, redirect_uris as "redirectUris", scopes, mode,
      created_at as "createdAt", disabled_at as "disabledAt"
    from apps order by id limit ${appsMax}`
  return rows.map(appFrom)
}

// The lists were checked before they were stored. Scopes that are no longer in the contract are dropped.
function appFrom({ jwks, redirectUris, scopes, ...app }: AppRow): OAuthApp {
  const words = JSON.parse(scopes) as string[]
  return {
    ...app,
    jwks: jwks === null ? null : (JSON.parse(jwks) as ClientKeys),
    redirectUris: JSON.parse(redirectUris) as string[],
    scopes: knownScopes.filter((scope) => words.includes(scope)),
  }
}

// Returns undefined if an app with that name exists. The caller has checked the definition. `declaredBy`: the merchant whose shop file
// declares the app; null if the operator creates it.
export async function createApp(
  tx: Tx,
  definition: AppDefinition,
  now: number,
  declaredBy: string | null = null,
): Promise<OAuthApp | undefined> {
  const id = newId('app')
  const columns = columnsOf(definition)
  const rows = await tx.sql`
    insert into apps (id, name, description, client_kind, jwks, redirect_uris, scopes, mode, created_at, updated_at,
      declared_by)
    values (${id}, ${definition.name}, ${definition.description}, ${columns.clientKind}, ${columns.jwks}, ${columns.redirectUris},
      ${columns.scopes}, ${definition.mode}, ${now}, ${now}, ${declaredBy})
    on conflict (name) do nothing returning id`
  return rows.length > 0 ? findApp(tx, id) : undefined
}

// Updates the app with that name. Its installations keep what was approved; the next authorization request must match the new definition.
export async function setApp(tx: Tx, definition: AppDefinition, now: number): Promise<boolean> {
  const columns = columnsOf(definition)
  const rows = await tx.sql`
    update apps set description = ${definition.description}, client_kind = ${columns.clientKind}, jwks = ${columns.jwks},
      redirect_uris = ${columns.redirectUris}, scopes = ${columns.scopes}, mode = ${definition.mode}, updated_at = ${now}
    where name = ${definition.name} and client_uri is null returning id`
  return rows.length > 0
}

// Updates the app for the shop file of a merchant. Returns false if this merchant may not change the app: another merchant's file
// declared it, or another merchant has installed it and would be redirected elsewhere.
export async function setDeclaredApp(
  tx: Tx,
  definition: AppDefinition,
  merchantId: string,
  now: number,
): Promise<boolean> {
  const columns = columnsOf(definition)
  const rows = await tx.sql`
    update apps set description = ${definition.description}, client_kind = ${columns.clientKind}, jwks = ${columns.jwks},
      redirect_uris = ${columns.redirectUris}, scopes = ${columns.scopes}, mode = ${definition.mode}, updated_at = ${now},
      declared_by = ${merchantId}
    where name = ${definition.name} and client_uri is null and (declared_by is null or declared_by = ${merchantId}) and not exists (
      select 1 from installations i
      where i.app_id = apps.id and i.merchant_id <> ${merchantId} and i.ended_at is null)
    returning id`
  return rows.length > 0
}

// Returns why this merchant may not change the app: another merchant has declared or installed it. Returns null if the merchant may.
export async function findForeignUse(
  db: Reader,
  appId: string,
  merchantId: string,
): Promise<'declared' | 'installed' | null> {
  const [row] = await db.sql<{ use: 'declared' | 'installed' | null }>`
    select case
      when a.declared_by is not null and a.declared_by <> ${merchantId} then 'declared'
      when exists (
        select 1 from installations i
        where i.app_id = a.id and i.merchant_id <> ${merchantId} and i.ended_at is null) then 'installed'
      end as "use"
    from apps a where a.id = ${appId}`
  return row?.use ?? null
}

function columnsOf(definition: AppDefinition): Pick<AppRow, 'clientKind' | 'jwks' | 'redirectUris' | 'scopes'> {
  const problem = appProblem(definition)
  if (problem) throw new TypeError(`the app cannot be stored: ${problem.path} ${problem.message}`)
  const { jwks } = definition
  return {
    clientKind: jwks === null ? 'public' : 'confidential',
    jwks: jwks === null ? null : JSON.stringify(readClientKeys(jwks)),
    redirectUris: JSON.stringify(definition.redirectUris),
    scopes: JSON.stringify(knownScopes.filter((scope) => definition.scopes.includes(scope))),
  }
}

// A disabled app can neither be installed nor get or use tokens. The keys of its installations work until these are uninstalled. Returns
// false if the app was already disabled.
export async function disableApp(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update apps set disabled_at = ${now}, updated_at = ${now} where id = ${id} and disabled_at is null returning id`
  return rows.length > 0
}

export async function enableApp(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update apps set disabled_at = null, updated_at = ${now} where id = ${id} and disabled_at is not null returning id`
  return rows.length > 0
}

// An installation of an app, as the operator sees it.
export interface AppInstallation {
  id: string
  name: string
  appId: string
  appName: string
  merchantSlug: string
  mode: Mode
  scopes: readonly Scope[]
  // Id of the user who approved the installation.
  approvedBy: string | null
  createdAt: number
  endedAt: number | null
}

const installationsMax = 1_000

// Lists the installations of one app, or of all apps if `appId` is null, newest first.
export async function listAppInstallations(db: Reader, appId: string | null): Promise<AppInstallation[]> {
  const rows = await db.sql<Omit<AppInstallation, 'scopes'> & { grantedScopes: string | null }>`
    select i.id, i.name, i.app_id as "appId", a.name as "appName", m.slug as "merchantSlug", i.mode,
      i.granted_scopes as "grantedScopes", i.approved_by as "approvedBy", i.created_at as "createdAt",
      i.ended_at as "endedAt"
    from installations i
    join apps a on a.id = i.app_id
    join merchants m on m.id = i.merchant_id
    where i.grant_id is not null and (cast(${appId} as text) is null or i.app_id = ${appId})
    order by i.id desc limit ${installationsMax}`
  return rows.map(({ grantedScopes, ...installation }) => {
    const words = grantedScopes === null ? [] : (JSON.parse(grantedScopes) as string[])
    return { ...installation, scopes: knownScopes.filter((scope) => words.includes(scope)) }
  })
}
