// The admin operations on webhooks: endpoints and deliveries of all installations of a merchant, in one mode.

import type {
  AdminWebhookDelivery,
  AdminWebhookEndpoint,
  developerOperationRows,
} from '../../contract/admin/developers.ts'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import { refuseBeyondApp } from '../../platform/access/machines.ts'
import { type AuditedChange, type MemberChange, membersChanged } from '../../platform/audit/change.ts'
import type { AdminCaller, AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { badCursorRefusal } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import {
  findDeliveryOf,
  findEndpointOf,
  findPayload,
  listDeliveriesOf,
  listEndpointsOf,
  listInstallationNames,
  listKeyNames,
  listUnreplayed,
} from './adminstore.ts'
import {
  addEndpoint,
  asInvalidRequest,
  changeEndpoint,
  type EndpointTools,
  enableEndpoint,
  pauseEndpoint,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
} from './endpoints.ts'
import { replayDelivery } from './replay.ts'
import { countOpenDeliveries, type Delivery, type Endpoint, lockEndpoint } from './store.ts'
import { defaultSubscriptionScope, mayReadSubscriptions } from './subscription.ts'
import { deliveryView, endpointView } from './view.ts'
import { createdMembers, endpointChange, endpointFacts } from './written.ts'

type Ours = {
  [Id in keyof typeof developerOperationRows]: Id extends `${string}Webhook${string}` ? Id : never
}[keyof typeof developerOperationRows]

export interface AdminWebhookParts extends EndpointTools {
  // How long the bodies of events are stored.
  textsMs: number
}

export function adminWebhookOperations(parts: AdminWebhookParts): { [Id in Ours]: AdminHandler<Id> } {
  const { rootSecret, textsMs } = parts
  return {
    async listAdminWebhookEndpoints({ db, caller, query, paging, now }) {
      const after = cursorOf(paging.after, 'whe')
      const found = await listEndpointsOf(db, caller, { ...query, after, limit: adminRowsAsked })
      const { rows, meta } = pageOfRows(found, paging, ({ id }) => id)
      return { data: await endpointViews(db, caller, rows, now), meta }
    },

    async createAdminWebhookEndpoint({ db, caller, body, now }) {
      const { installationId, url, events = ['*'], description = '', status } = body
      await refuseForeign(db, caller, installationId)
      await refuseBeyondApp(db, caller, installationId)
      refuseUnreadable(caller, events)
      const input = { url, events, description, ...(status && { status }), credentialId: keyOf(caller) }
      const made = await asInvalidRequest(addEndpoint(db, installationId, input, parts, now.getTime()))
      const { endpoint, secret } = made
      const members = endpointFacts(endpoint)
      const change = endpointChange('create', endpoint, createdMembers(members))
      return new AuditedReply({ data: { endpoint: await viewOf(db, caller, endpoint, now), secret } }, [change])
    },

    async updateAdminWebhookEndpoint({ db, caller, path: { endpointId }, body, now }) {
      const { installationId } = await findOwn(db, caller, endpointId)
      await refuseBeyondApp(db, caller, installationId)
      // The endpoint is read again under the lock, so members that are missing in the request keep their present values.
      await lockEndpoint(db, installationId, endpointId)
      const before = await findOwn(db, caller, endpointId)
      const { url = before.url, description = before.description, status } = body
      const events = body.events ?? (JSON.parse(before.events) as string[])
      if (body.url !== undefined || body.events !== undefined) refuseUnreadable(caller, events)
      const at = now.getTime()
      // After a person changes the endpoint, it no longer depends on a key. After a key changes its URL, it depends on that key.
      const isMoved = caller.kind === 'person' || url !== before.url
      const input = { url, description, events, credentialId: isMoved ? keyOf(caller) : before.credentialId }
      await asInvalidRequest(changeEndpoint(db, installationId, endpointId, input, parts, at))
      if (status === 'paused') await pauseEndpoint(db, installationId, endpointId, at)
      if (status === 'enabled') await enableEndpoint(db, installationId, endpointId, at)
      const after = await findOwn(db, caller, endpointId)
      const members = [
        ...membersChanged(endpointFacts(before), endpointFacts(after), ['url', 'description', 'events', 'status']),
        ...keyChange(before.credentialId, after.credentialId),
      ]
      return new AuditedReply(
        { data: await viewOf(db, caller, after, now) },
        members.length > 0 ? [endpointChange('change', after, members)] : [],
      )
    },

    async removeAdminWebhookEndpoint({ db, caller, path: { endpointId }, now }) {
      const endpoint = await findOwn(db, caller, endpointId)
      await removeEndpoint(db, endpoint.installationId, endpointId, now.getTime())
      return new AuditedReply({ data: { id: endpointId, removed: true as const } }, [
        endpointChange('retire', endpoint, []),
      ])
    },

    async rotateAdminWebhookSecret({ db, caller, path: { endpointId }, now }) {
      const before = await findOwn(db, caller, endpointId)
      await refuseBeyondApp(db, caller, before.installationId)
      const made = await rotateSecret(db, before.installationId, endpointId, rootSecret, now.getTime())
      if (!made) throw refuse('webhook_endpoint_not_found')
      const { endpoint, secret } = made
      // Contains only the last characters of the secrets, which everyone who may see the endpoint sees anyway.
      const members = [{ member: 'secretHint', from: `…${before.secretHint}`, to: `…${endpoint.secretHint}` }]
      return new AuditedReply({ data: { endpoint: await viewOf(db, caller, endpoint, now), secret } }, [
        endpointChange('change', endpoint, members),
      ])
    },

    async testAdminWebhookEndpoint({ db, caller, path: { endpointId }, now }) {
      const endpoint = await findOwn(db, caller, endpointId)
      const ping = await testEndpoint(db, endpoint.installationId, endpointId, now.getTime())
      if (!ping) throw refuse('webhook_endpoint_not_found')
      const [view] = await deliveryViews(db, caller, [ping])
      if (!view) throw new Error(`delivery ${ping.id} has no view`)
      return new AuditedReply({ data: view }, [sentChange(ping)])
    },

    async listAdminWebhookDeliveries({ db, caller, query, paging }) {
      const { from, to, ...filters } = query
      const found = await listDeliveriesOf(db, caller, {
        ...filters,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        after: cursorOf(paging.after, 'whd'),
        limit: adminRowsAsked,
      })
      const { rows, meta } = pageOfRows(found, paging, ({ id }) => id)
      return { data: await deliveryViews(db, caller, rows), meta }
    },

    async getAdminWebhookDelivery({ db, caller, path: { deliveryId } }) {
      const delivery = isId('whd', deliveryId) ? await findDeliveryOf(db, caller, deliveryId) : undefined
      const [view] = delivery ? await deliveryViews(db, caller, [delivery]) : []
      if (!delivery || !view) throw refuse('webhook_delivery_not_found')
      const isReadable = mayReadSubscriptions(caller.scopes, [delivery.eventType])
      return { data: { delivery: view, payload: isReadable ? await findPayload(db, delivery) : null } }
    },

    async replayAdminWebhookDeliveries({ db, caller, body, now }) {
      const { allowSucceeded = false, reason = null } = body
      const outcomes = []
      const changes: AuditedChange[] = []
      for (const deliveryId of await idsToReplay(db, caller, body)) {
        const input = { allowSucceeded, reason, textsMs }
        const replay = await replayOne(db, caller, deliveryId, input, now.getTime())
        if (typeof replay === 'string') {
          outcomes.push({ deliveryId, outcome: 'refused' as const, code: replay, replayId: null })
          continue
        }
        outcomes.push({ deliveryId, outcome: 'done' as const, code: null, replayId: replay.id })
        changes.push(sentChange(replay))
      }
      return new AuditedReply({ data: outcomes }, changes)
    },
  }
}

async function findOwn(db: Reader, merchant: MerchantMode, id: string): Promise<Endpoint> {
  const endpoint = isId('whe', id) ? await findEndpointOf(db, merchant, id) : undefined
  if (!endpoint) throw refuse('webhook_endpoint_not_found')
  return endpoint
}

// A caller may not subscribe to events that it may not read.
function refuseUnreadable({ scopes }: AdminCaller, events: readonly string[]): void {
  if (!mayReadSubscriptions(scopes, events))
    throw refuse('scope_missing', { current: { requiredScope: defaultSubscriptionScope } })
}

// An endpoint that an app creates depends on no key: it is removed with the app's installation.
function keyOf({ kind, id }: AdminCaller): string | null {
  return kind === 'key' ? id : null
}

function keyChange(from: string | null, to: string | null): MemberChange[] {
  return from === to ? [] : [{ member: 'key', from, to }]
}

async function refuseForeign(db: Reader, { merchantId, mode }: MerchantMode, installationId: string): Promise<void> {
  const rows = await db.sql`
    select id from installations
    where id = ${installationId} and merchant_id = ${merchantId} and mode = ${mode} and ended_at is null`
  if (rows.length === 0) throw refuse('installation_not_found')
}

interface ReplayAsked {
  deliveryIds?: readonly string[]
  endpointId?: string
  since?: string
}

async function idsToReplay(db: Reader, merchant: MerchantMode, asked: ReplayAsked): Promise<readonly string[]> {
  const { deliveryIds, endpointId, since } = asked
  if ((deliveryIds === undefined) === (endpointId === undefined)) {
    const issue = issueAt('/deliveryIds', 'one_of_two', { member: 'deliveryIds', other: 'endpointId' })
    throw refuse('invalid_request', { issues: [issue] })
  }
  if (deliveryIds) return deliveryIds
  const endpoint = await findOwn(db, merchant, endpointId ?? '')
  return listUnreplayed(db, endpoint, {
    since: since === undefined ? 0 : Date.parse(since),
    limit: limits.bulkItemsMax,
  })
}

// Returns the new delivery, or the code of the refusal.
async function replayOne(
  tx: Tx,
  merchant: MerchantMode,
  deliveryId: string,
  input: Parameters<typeof replayDelivery>[3],
  now: number,
): Promise<Delivery | Refusal['code']> {
  const original = await findDeliveryOf(tx, merchant, deliveryId)
  if (!original) return 'webhook_delivery_not_found'
  try {
    return await replayDelivery(tx, original.installationId, deliveryId, input, now)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

function cursorOf(after: string | null, prefix: 'whe' | 'whd'): string | null {
  if (after !== null && !isId(prefix, after)) throw badCursorRefusal()
  return after
}

async function endpointViews(
  db: Reader,
  merchant: MerchantMode,
  endpoints: readonly Endpoint[],
  now: Date,
): Promise<AdminWebhookEndpoint[]> {
  const ids = endpoints.map(({ installationId }) => installationId)
  const keyIds = endpoints.map(({ credentialId }) => credentialId)
  const [names, keyNames] = await Promise.all([
    listInstallationNames(db, merchant, ids),
    listKeyNames(db, merchant, keyIds),
  ])
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const pending = await countOpenDeliveries(db, endpoint)
      const { recentDeliveries: _, ...view } = endpointView(endpoint, [], pending, now.getTime())
      const { installationId, credentialId, disabledReason } = endpoint
      return {
        ...view,
        disabledReason,
        installation: { id: installationId, name: names.get(installationId) ?? '' },
        key: credentialId === null ? null : { id: credentialId, name: keyNames.get(credentialId) ?? '' },
      }
    }),
  )
}

async function viewOf(db: Reader, merchant: MerchantMode, endpoint: Endpoint, now: Date) {
  const [view] = await endpointViews(db, merchant, [endpoint], now)
  if (!view) throw new Error(`endpoint ${endpoint.id} has no view`)
  return view
}

async function deliveryViews(
  db: Reader,
  merchant: MerchantMode,
  deliveries: readonly Delivery[],
): Promise<AdminWebhookDelivery[]> {
  const ids = deliveries.map(({ installationId }) => installationId)
  const names = await listInstallationNames(db, merchant, ids)
  return deliveries.map((delivery) => {
    const { installationId, endpointId, replayOf, finishedAt } = delivery
    return {
      ...deliveryView(delivery),
      endpointId,
      installation: { id: installationId, name: names.get(installationId) ?? '' },
      replayOf,
      finishedAt: finishedAt === null ? null : toInstant(finishedAt),
    }
  })
}

function sentChange({ id, eventType, replayOf }: Delivery): AuditedChange {
  const members = replayOf === null ? [] : [{ member: 'replayOf', from: null, to: replayOf }]
  return { kind: 'create', what: 'webhook_delivery', id, name: eventType, members }
}
