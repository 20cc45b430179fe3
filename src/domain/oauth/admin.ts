// The admin operations on installations and their keys.

import type { AdminInstallation, AdminKey, developerOperationRows } from '../../contract/admin/developers.ts'
import { type BrokenRule, issue, issueAt } from '../../contract/issues.ts'
import type { BodyOf } from '../../contract/surface.ts'
import { adminScopes, type Mode, publishableScopes, type Scope } from '../../contract/words.ts'
import { credentialStatus, originsFrom, scopesFrom } from '../../platform/access/credential.ts'
import { createKey, endKey, rotateKey } from '../../platform/access/keys.ts'
import { callerExpiresAt, earlierEnd, makerKeyId, refuseBeyondApp } from '../../platform/access/machines.ts'
import { normalizeOrigin, originRule } from '../../platform/access/origins.ts'
import {
  type CredentialRow,
  findCredentialById,
  type IdentityRow,
  listCredentialsOf,
  type MerchantCredential,
} from '../../platform/access/store.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { type AdminCaller, type AdminHandler, isMachine } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { badCursorRefusal } from '../../platform/kit/cursor.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { normalizeRedirectHost } from '../merchants/redirects.ts'
import { insertInstallation } from '../merchants/store.ts'
import {
  type AdminInstallationRow,
  countInstallations,
  countLivingKeys,
  findInstallationOf,
  listInstallationsOf,
  listTakenNames,
  livingInstallationsMax,
  lockInstallation,
  lockMerchantOfInstallations,
} from './grants.ts'
import { endInstallation } from './installing.ts'

export interface AdminDeveloperParts {
  rootSecret: RootSecret
  // Removes a revoked or rotated key from the cache of this node, so its end applies immediately.
  forget: (credentialId: string) => void
}

type Ours = Exclude<keyof typeof developerOperationRows, `${string}Webhook${string}`>

const livingKeysMax = 100
const hourMs = 3_600_000

export function adminDeveloperOperations({ rootSecret, forget }: AdminDeveloperParts): {
  [Id in Ours]: AdminHandler<Id>
} {
  return {
    async listAdminInstallations({ db, caller, paging }) {
      const found = await listInstallationsOf(db, caller, {
        after: cursorOf(paging.after, 'ins'),
        limit: adminRowsAsked,
      })
      const { rows, meta } = pageOfRows(found, paging, ({ id }) => id)
      return { data: rows.map(installationView), meta }
    },

    async createAdminInstallation({ db, caller: { merchantId, mode }, body: { name, redirectHosts = [] }, now }) {
      const hosts = hostsFrom(redirectHosts)
      // With this lock, a merchant's installations are created one at a time.
      await lockMerchantOfInstallations(db, merchantId)
      if ((await listTakenNames(db, merchantId, [name])).length > 0) throw refuse('installation_exists')
      if ((await countInstallations(db, merchantId)) >= livingInstallationsMax) throw refuse('installation_limit')
      const id = newId('ins')
      const made = { id, merchantId, name, mode, redirectHosts: JSON.stringify(hosts), disabledAt: null }
      await insertInstallation(db, made, now.getTime())
      const members = [{ member: 'redirectHosts', from: null, to: hosts }]
      return new AuditedReply({ data: installationView(await findOwn(db, { merchantId, mode }, id)) }, [
        { kind: 'create', what: 'installation', id, name, members },
      ])
    },

    // Ending an installation a second time changes nothing.
    async endAdminInstallation({ db, caller, path: { installationId }, now }) {
      const { name } = await findOwn(db, caller, installationId)
      const isEnded = await endInstallation(db, installationId, now.getTime())
      const data = installationView(await findOwn(db, caller, installationId))
      const change: AuditedChange = { kind: 'retire', what: 'installation', id: installationId, name, members: [] }
      return new AuditedReply({ data }, isEnded ? [change] : [])
    },

    async listAdminKeys({ db, caller, query, paging, now }) {
      const after = cursorOf(paging.after, 'key')
      const found = await listCredentialsOf(db, caller, { ...query, after, limit: adminRowsAsked })
      const { rows, meta } = pageOfRows(found, paging, ({ id }) => id)
      return { data: rows.map((row) => keyView(row, now)), meta }
    },

    async createAdminKey({ db, caller, body, now }) {
      const { installationId, name } = body
      const { scopes, origins } = rightsFrom(body, caller.mode)
      const wantedEnd = body.expiresAt === undefined ? null : Date.parse(body.expiresAt)
      if (wantedEnd !== null && wantedEnd <= now.getTime())
        throw refuse('invalid_request', { issues: [issueAt('/expiresAt', 'not_in_future')] })
      refuseToGive(caller, scopes)
      const installation = await findOwn(db, caller, installationId)
      await refuseBeyondApp(db, caller, installationId)
      const expiresAt = earlierEnd(wantedEnd, await callerExpiresAt(db, caller))
      const locked = await lockInstallation(db, installationId)
      if (!locked || locked.endedAt !== null) throw refuse('installation_not_found')
      refuseUngranted(installation, scopes)
      if ((await countLivingKeys(db, installationId, now.getTime())) >= livingKeysMax) throw refuse('credential_limit')
      const owner = { id: installationId, merchantId: caller.merchantId, mode: caller.mode }
      const input = { name, scopes, origins, expiresAt, madeBy: makerKeyId(caller) }
      const made = await createKey(db, rootSecret, owner, input, now.getTime())
      const key = keyView(await findKey(db, caller, made.id), now)
      return new AuditedReply({ data: { key, secret: made.key } }, [
        keyChange('create', key, [
          { member: 'scopes', from: null, to: scopes },
          ...(origins.length > 0 ? [{ member: 'origins', from: null, to: origins }] : []),
          { member: 'expiresAt', from: null, to: key.expiresAt },
        ]),
      ])
    },

    async rotateAdminKey({ db, caller, path: { keyId }, body: { overlapHours = 24 }, now }) {
      const old = await findKey(db, caller, keyId)
      refuseToGive(caller, scopesFrom(old.scopes))
      await refuseBeyondApp(db, caller, old.installationId)
      const overlapMs = overlapHours * hourMs
      const endsBy = await callerExpiresAt(db, caller)
      const rotation = { overlapMs, endsBy, madeBy: makerKeyId(caller) }
      const made = await rotateKey(db, rootSecret, keyId, rotation, now.getTime())
      forgetKey(db, keyId)
      const key = keyView(await findKey(db, caller, made.id), now)
      const oldKey = { id: keyId, expiresAt: toInstant(made.oldKeyEndsAt) }
      return new AuditedReply({ data: { key, secret: made.key, oldKey } }, [
        keyChange('create', key, [{ member: 'scopes', from: null, to: made.scopes }]),
        keyChange('change', { id: keyId, name: old.name }, [
          { member: 'expiresAt', from: instantOrNull(old.expiresAt), to: oldKey.expiresAt },
          { member: 'replacedBy', from: null, to: key.id },
        ]),
      ])
    },

    // Revoking only removes rights, so everyone who may see the key may revoke it.
    async revokeAdminKey({ db, caller, path: { keyId }, now }) {
      await findKey(db, caller, keyId)
      const ended = await endKey(db, keyId, now.getTime())
      for (const { id } of ended) forgetKey(db, id)
      const key = keyView(await findKey(db, caller, keyId), now)
      return new AuditedReply(
        { data: key },
        ended.map((one) => keyChange('retire', one, [])),
      )
    },
  }

  function forgetKey(db: Parameters<AdminHandler<'revokeAdminKey'>>[0]['db'], keyId: string): void {
    db.afterCommit(() => forget(keyId))
    db.signal('credentials')
  }
}

// Only the operator, or a person who has all of the wanted admin scopes, can create a secret with admin scopes. A key cannot: a copied
// key could create more keys that outlive it. Otherwise a key or an app can only grant scopes that it has. Scopes of the open interface
// are not checked for persons, who have none of them.
function refuseToGive(caller: AdminCaller, wanted: readonly Scope[]): void {
  const isPerson = !isMachine(caller)
  const missing = wanted.find((scope) =>
    isAdmin(scope) ? !isPerson || !holds(caller, scope) : !(isPerson || holds(caller, scope)),
  )
  if (missing === undefined) return
  const message = isAdmin(missing)
    ? 'Only a signed-in person who has these admin scopes, or the command line, can create a key with them.'
    : 'A key or an app can only grant scopes that it has itself.'
  throw refuse('scope_missing', { message, current: { requiredScope: missing } })
}

function isAdmin(scope: Scope): boolean {
  return (adminScopes as readonly string[]).includes(scope)
}

function holds({ scopes }: AdminCaller, scope: Scope): boolean {
  return (scopes as readonly string[]).includes(scope)
}

// A key of an app can only have scopes that were granted to the app.
function refuseUngranted({ grantedScopes }: AdminInstallationRow, wanted: readonly Scope[]): void {
  if (grantedScopes === null) return
  const granted = JSON.parse(grantedScopes) as string[]
  const beyond = wanted.find((scope) => !granted.includes(scope))
  if (beyond !== undefined)
    throw refuse('scope_missing', {
      message: 'The app was not granted this scope.',
      current: { requiredScope: beyond },
    })
}

async function findOwn(db: Reader, merchant: MerchantMode, id: string): Promise<AdminInstallationRow> {
  const installation = isId('ins', id) ? await findInstallationOf(db, merchant, id) : undefined
  if (!installation) throw refuse('installation_not_found')
  return installation
}

async function findKey(db: Reader, { merchantId, mode }: MerchantMode, id: string): Promise<IdentityRow> {
  const row = isId('key', id) ? await findCredentialById(db, id) : undefined
  if (!row || row.merchantId !== merchantId || row.mode !== mode) throw refuse('credential_not_found')
  return row
}

// A publishable key has the rights of a visitor, and works on pages of the listed origins.
function rightsFrom(
  { scopes, kind = 'secret', origins: named = [] }: BodyOf<(typeof developerOperationRows)['createAdminKey']>,
  mode: Mode,
): { scopes: readonly Scope[]; origins: readonly string[] } {
  if (kind === 'secret') {
    if (named.length > 0) throw badMember('/origins', issue('origins_of_secret_key'))
    return { scopes, origins: [] }
  }
  if (scopes.length > 0) throw badMember('/scopes', issue('scopes_of_publishable_key'))
  if (named.length === 0) throw badMember('/origins', issue('no_origin'))
  const origins = named.map((origin, at) => {
    const normal = normalizeOrigin(origin, mode)
    if (normal === undefined) throw badMember(`/origins/${at}`, originRule)
    return normal
  })
  return { scopes: publishableScopes, origins: [...new Set(origins)] }
}

function badMember(path: string, rule: BrokenRule) {
  return refuse('invalid_request', { issues: [{ path, ...rule }] })
}

function hostsFrom(redirectHosts: readonly string[]): string[] {
  const hosts = redirectHosts.map(normalizeRedirectHost)
  const issues = hosts.flatMap((host, i) => (host === undefined ? [issueAt(`/redirectHosts/${i}`, 'not_a_host')] : []))
  if (issues.length > 0) throw refuse('invalid_request', { issues })
  return [...new Set(hosts.filter((host) => host !== undefined))]
}

function cursorOf(after: string | null, prefix: 'ins' | 'key'): string | null {
  if (after !== null && !isId(prefix, after)) throw badCursorRefusal()
  return after
}

function installationView(row: AdminInstallationRow): AdminInstallation {
  const { id, name, mode, appId, appName, clientUri, approvedBy, disabledAt, endedAt } = row
  return {
    id,
    name,
    mode,
    status: endedAt !== null ? 'ended' : disabledAt !== null ? 'suspended' : 'active',
    redirectHosts: JSON.parse(row.redirectHosts) as string[],
    app: appId === null ? null : { id: appId, name: appName ?? '', clientUrl: clientUri },
    grantedScopes: row.grantedScopes === null ? null : (JSON.parse(row.grantedScopes) as Scope[]),
    approvedBy,
    createdAt: toInstant(row.createdAt),
    lastTokenAt: instantOrNull(row.lastTokenAt),
    endedAt: instantOrNull(endedAt),
  }
}

function keyView(
  row: CredentialRow & Pick<MerchantCredential, 'installationId' | 'installationName'>,
  now: Date,
): AdminKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    scopes: [...scopesFrom(row.scopes)],
    kind: row.origins === null ? 'secret' : 'publishable',
    origins: [...originsFrom(row.origins)],
    status: credentialStatus(row, now.getTime()),
    createdAt: toInstant(row.createdAt),
    expiresAt: instantOrNull(row.expiresAt),
    lastUsedAt: instantOrNull(row.lastUsedAt),
    installation: { id: row.installationId, name: row.installationName },
  }
}

function keyChange(
  kind: AuditedChange['kind'],
  { id, name }: { id: string; name: string },
  members: AuditedChange['members'],
): AuditedChange {
  return { kind, what: 'key', id, name, members }
}

function instantOrNull(at: number | null): string | null {
  return at === null ? null : toInstant(at)
}
