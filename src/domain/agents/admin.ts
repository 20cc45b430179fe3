// The admin operations on agents.

import type { AdminAgentPlatform, AdminAgents, agentOperationRows } from '../../contract/admin/agents.ts'
import { issueAt } from '../../contract/issues.ts'
import { createKey } from '../../platform/access/keys.ts'
import { callerExpiresAt, makerKeyId, refuseBeyondApp } from '../../platform/access/machines.ts'
import { revokeWithCreatedKeys } from '../../platform/access/store.ts'
import { type AuditedChange, membersChanged } from '../../platform/audit/change.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { versionConflict } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { badCursorRefusal } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { findMerchantFace, lockMerchantById } from '../merchants/store.ts'
import { countLivingKeys } from '../oauth/grants.ts'
import { assistantAudience } from '../oauth/metadata.ts'
import { asInvalidRequest } from '../webhooks/endpoints.ts'
import { findTargetProblem } from '../webhooks/guard.ts'
import { type Endpoint, listEndpointsOfPlatforms } from '../webhooks/store.ts'
import { createdMembers, endpointChange, endpointFacts } from '../webhooks/written.ts'
import { agentBaseUrl } from './address.ts'
import { loadPlatformWebhook, saveEnteredWebhook, setPlatformWebhook } from './endpoints.ts'
import { rotateAgentKey } from './keys.ts'
import { newPlatformRow } from './platforms.ts'
import { agentSettingMembers, loadAgentSettings, setAgentSettings } from './settings.ts'
import {
  findAgentSettingsRow,
  findPlatformAt,
  insertPlatformIfNew,
  listAgentKeys,
  listPlatforms,
  lockPlatform,
  type PlatformRow,
  savePlatform,
} from './store.ts'

export interface AdminAgentParts {
  rootSecret: RootSecret
  publicOrigin: () => string
  // Called with the id of a key after it was revoked.
  forget: (keyId: string) => void
  // Whether platforms may be called at private IP addresses.
  allowPrivate: boolean
}

// Maximum number of active keys per installation. A platform has at most one.
const livingKeysMax = 100

type Handlers = { [Id in keyof typeof agentOperationRows]: AdminHandler<Id> }

export function adminAgentOperations(parts: AdminAgentParts): Handlers {
  return { ...settingOperations(parts), ...platformOperations(parts), ...secretOperations(parts) }
}

function settingOperations({
  rootSecret,
  publicOrigin,
}: AdminAgentParts): Pick<Handlers, 'getAdminAgents' | 'updateAdminAgents' | 'rotateAdminAgentSigningKey'> {
  async function shown(db: Reader, seller: MerchantMode): Promise<AdminAgents> {
    const [settings, merchant, keys] = await Promise.all([
      loadAgentSettings(db, seller),
      findMerchantFace(db, seller.merchantId),
      listAgentKeys(db, seller),
    ])
    const face = { slug: merchant?.slug ?? '', mode: seller.mode }
    const rest = agentBaseUrl(publicOrigin(), face)
    const signingKeys = keys.map(({ kid, createdAt, retiredAt }) => ({
      kid,
      createdAt: toInstant(createdAt),
      retiredAt: instantOf(retiredAt),
    }))
    return {
      ...settings,
      signingKeys,
      addresses: {
        profile: `${rest}/.well-known/ucp`,
        rest,
        acp: agentBaseUrl(publicOrigin(), face, 'acp'),
        mcp: `${rest}/mcp`,
        assistants: assistantAudience(publicOrigin()),
      },
    }
  }

  return {
    async getAdminAgents({ db, caller }) {
      return { data: await shown(db, caller) }
    },

    async updateAdminAgents({ db, caller, body: { expectedVersion, ...wanted }, now }) {
      await lockMerchantById(db, caller.merchantId)
      const before = await loadAgentSettings(db, caller)
      if (before.version !== expectedVersion) throw versionConflict(await shown(db, caller))
      if (wanted.who === 'anyone' && caller.mode === 'live')
        throw refuse('invalid_request', { issues: [issueAt('/who', 'test_mode_only')] })
      const { idempotencyKey: _, ...members } = wanted
      const changed = membersChanged(before, { ...before, ...members }, agentSettingMembers)
      if (changed.length > 0) await setAgentSettings(db, caller, members, now.getTime())
      const { merchantId: id, mode: name } = caller
      const changes =
        changed.length > 0 ? [{ kind: 'change', what: 'agents', id, name, members: changed } as const] : []
      return new AuditedReply({ data: await shown(db, caller), changes: changes.map(subjectChangeView) }, changes)
    },

    async rotateAdminAgentSigningKey({ db, caller, now }) {
      await lockMerchantById(db, caller.merchantId)
      const { kid, former } = await rotateAgentKey(db, rootSecret, caller, now.getTime())
      const { merchantId: id, mode: name } = caller
      const members = [{ member: 'signingKey', from: former, to: kid }]
      const changes = [{ kind: 'change', what: 'agents', id, name, members } as const]
      return new AuditedReply({ data: await shown(db, caller), changes: changes.map(subjectChangeView) }, changes)
    },
  }
}

type PlatformOperations = Pick<
  Handlers,
  'listAdminAgentPlatforms' | 'createAdminAgentPlatform' | 'updateAdminAgentPlatform'
>

type SecretOperations = Pick<Handlers, 'createAdminAgentKey' | 'createAdminAgentWebhook'>

function platformOperations({ publicOrigin }: AdminAgentParts): PlatformOperations {
  return {
    async listAdminAgentPlatforms({ db, caller, paging }) {
      const { after } = paging
      if (after !== null && !isId('plt', after)) throw badCursorRefusal()
      const settings = await findAgentSettingsRow(db, caller)
      const found = settings ? await listPlatforms(db, settings.installationId, { after, limit: adminRowsAsked }) : []
      const { rows, meta } = pageOfRows(found, paging, ({ id }) => id)
      return { data: await platformViews(db, rows), meta }
    },

    async createAdminAgentPlatform({ db, caller, body: { profileUrl, status = 'approved' }, now }) {
      const problem = findTargetProblem(profileUrl, { allowPrivate: isLoopback(new URL(publicOrigin())) })
      if (problem) throw refuse('invalid_request', { issues: [{ path: '/profileUrl', ...problem }] })
      const settings = await findAgentSettingsRow(db, caller)
      if (!settings) throw refuse('agents_closed')
      const { installationId } = settings
      const made = newPlatformRow({ installationId, merchantId: caller.merchantId }, profileUrl, now.getTime())
      const { id } = (await findPlatformAt(db, installationId, profileUrl)) ?? (await insertPlatformIfNew(db, made))
      return setPlatform(db, caller, { id, status }, now.getTime())
    },

    async updateAdminAgentPlatform({ db, caller, path: { platformId: id }, body, now }) {
      const { expectedVersion, status, webhook } = body
      return setPlatform(db, caller, { id, status, webhook, expectedVersion }, now.getTime())
    },
  }
}

// Operations that return a secret. A secret is shown only once.
function secretOperations(parts: AdminAgentParts): SecretOperations {
  const { rootSecret, forget, allowPrivate } = parts
  return {
    async createAdminAgentKey({ db, caller, path: { platformId }, now }) {
      const platform = await lockPlatform(db, caller, platformId)
      if (!platform) throw refuse('agent_platform_not_found')
      const { installationId, host, credentialId } = platform
      await refuseBeyondApp(db, caller, installationId)
      if ((await countLivingKeys(db, installationId, now.getTime())) >= livingKeysMax) throw refuse('credential_limit')
      const ended =
        credentialId === null ? [] : await revokeWithCreatedKeys(db, installationId, credentialId, now.getTime())
      for (const { id } of ended) db.afterCommit(() => forget(id))
      const owner = { id: installationId, merchantId: caller.merchantId, mode: caller.mode }
      const input = { name: host, scopes: [], expiresAt: await callerExpiresAt(db, caller), madeBy: makerKeyId(caller) }
      const made = await createKey(db, rootSecret, owner, input, now.getTime())
      const changed = { ...platform, credentialId: made.id, version: platform.version + 1 }
      await savePlatform(db, changed)
      const members = [{ member: 'platform', from: null, to: host }]
      const [shown] = await platformViews(db, [changed])
      return new AuditedReply({ data: { platform: shown as AdminAgentPlatform, secret: made.key } }, [
        { kind: 'create', what: 'key', id: made.id, name: host, members },
      ])
    },

    async createAdminAgentWebhook({ db, caller, path: { platformId }, body: { url }, now }) {
      const platform = await lockPlatform(db, caller, platformId)
      if (!platform) throw refuse('agent_platform_not_found')
      await refuseBeyondApp(db, caller, platform.installationId)
      const wanted = { url, credentialId: makerKeyId(caller) }
      const { endpoint, secret, former } = await asInvalidRequest(
        saveEnteredWebhook(db, platform, wanted, { rootSecret, allowPrivate }, now.getTime()),
      )
      const changed = { ...platform, version: platform.version + 1 }
      await savePlatform(db, changed)
      const [shown] = await platformViews(db, [changed])
      return new AuditedReply({ data: { platform: shown as AdminAgentPlatform, secret } }, [
        enteredChange(former, endpoint),
      ])
    },
  }
}

// The change of an endpoint for the audit log. It contains only the last characters of the secret, which everyone who may see the
// endpoint sees anyway.
function enteredChange(former: Endpoint | null, endpoint: Endpoint): AuditedChange {
  if (!former) return endpointChange('create', endpoint, createdMembers(endpointFacts(endpoint)))
  const members = membersChanged(endpointFacts(former), endpointFacts(endpoint), ['url'])
  const hint = { member: 'secretHint', from: `…${former.secretHint}`, to: `…${endpoint.secretHint}` }
  return endpointChange('change', endpoint, [...members, hint])
}

interface PlatformChange {
  id: string
  status?: PlatformRow['status'] | undefined
  webhook?: 'enabled' | 'paused' | undefined
  expectedVersion?: number | undefined
}

async function setPlatform(
  tx: Tx,
  seller: MerchantMode,
  { id, status, webhook, expectedVersion }: PlatformChange,
  now: number,
): Promise<AuditedReply<{ data: AdminAgentPlatform; changes: ReturnType<typeof subjectChangeView>[] }>> {
  const platform = await lockPlatform(tx, seller, id)
  if (!platform) throw refuse('agent_platform_not_found')
  const before = await loadPlatformWebhook(tx, platform)
  if (expectedVersion !== undefined && platform.version !== expectedVersion) throw versionConflict(platformView(before))
  const wanted = { status: status ?? platform.status, webhook: webhook ?? before.webhook }
  const members = membersChanged(before, before.endpoint ? wanted : { ...wanted, webhook: before.webhook }, [
    'status',
    'webhook',
  ])
  if (members.length > 0) await savePlatform(tx, { ...platform, status: wanted.status, version: platform.version + 1 })
  if (before.endpoint && webhook !== undefined && webhook !== before.webhook)
    await setPlatformWebhook(tx, before.endpoint, webhook, now)
  const after = (await lockPlatform(tx, seller, id)) ?? platform
  const changes: AuditedChange[] =
    members.length > 0 ? [{ kind: 'change', what: 'agent_platform', id, name: platform.host, members }] : []
  const data = platformView(await loadPlatformWebhook(tx, after))
  return new AuditedReply({ data, changes: changes.map(subjectChangeView) }, changes)
}

async function platformViews(db: Reader, rows: readonly PlatformRow[]): Promise<AdminAgentPlatform[]> {
  const [first] = rows
  if (!first) return []
  const endpoints = await listEndpointsOfPlatforms(
    db,
    first.installationId,
    rows.map(({ id }) => id),
  )
  return rows.map((row) =>
    platformView({ ...row, endpoint: endpoints.find(({ platformId }) => platformId === row.id) }),
  )
}

function platformView(row: PlatformRow & { endpoint: Endpoint | undefined }): AdminAgentPlatform {
  const { id, version, profileUrl, host, status, credentialId, firstSeenAt, lastSeenAt, endpoint } = row
  return {
    id,
    version,
    profileUrl,
    host,
    status,
    hasKey: credentialId !== null,
    webhook: endpoint
      ? {
          status: endpoint.status,
          lastSuccessAt: instantOf(endpoint.lastSuccessAt),
          lastFailureAt: instantOf(endpoint.lastFailureAt),
        }
      : null,
    firstSeenAt: toInstant(firstSeenAt),
    lastSeenAt: toInstant(lastSeenAt),
  }
}

function instantOf(at: number | null): string | null {
  return at === null ? null : toInstant(at)
}
