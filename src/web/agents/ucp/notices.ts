// Calls a platform when its order changes: sends the whole current order, signed with the shop's key.

import { agentBaseUrl } from '../../../domain/agents/address.ts'
import { addPlatformTag } from '../../../domain/agents/ids.ts'
import { loadAgentSigner } from '../../../domain/agents/keys.ts'
import { findShopOfAgents } from '../../../domain/agents/store.ts'
import type { PlatformCall, PlatformDelivery } from '../../../domain/webhooks/call.ts'
import { jsonType } from '../../../platform/http/message.ts'
import { contentDigestOf, signatureHeaders } from '../../../platform/kit/httpsig.ts'
import type { RootSecret } from '../../../platform/secrets/secrets.ts'
import type { Storage } from '../../../platform/storage/storage.ts'
import { newestUcpVersion, ucpCapabilities, ucpVersions } from './negotiate.ts'
import { findOrderDocument } from './orders.ts'
import type { ViewContext } from './view.ts'

export interface NoticeParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  clock: () => Date
}

const capability = 'dev.ucp.shopping.order'

// Headers of a delivery attempt, in every protocol.
export function attemptHeaders({ eventId, createdAt, attempts }: PlatformDelivery): Record<string, string> {
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(createdAt / 1_000)),
    'webhook-attempt': String(attempts + 1),
  }
}

export async function buildUcpNotice(
  parts: NoticeParts,
  claimed: PlatformDelivery,
  version: string,
): ReturnType<PlatformCall> {
  const { storage, rootSecret, publicOrigin, clock } = parts
  const { installationId, subjectId: orderId, platformId, eventId, url } = claimed
  const view: ViewContext = {
    dialect: ucpVersions.find((dialect) => dialect.version === version) ?? newestUcpVersion,
    active: new Set(Object.keys(ucpCapabilities)),
    capability,
    handlers: [],
    mayPay: false,
    mayReadOrders: true,
    reviewFrom: null,
    accepted: undefined,
    links: {},
    tag: (id) => addPlatformTag(rootSecret, platformId, id),
  }
  const found = await storage.read(async (db) => ({
    shop: await findShopOfAgents(db, installationId),
    document: await findOrderDocument(parts, db, { installationId, orderId }, view),
  }))
  if (!found.shop || !found.document) return undefined
  const now = clock().getTime()
  const signer = await loadAgentSigner(parts, found.shop, now)
  if (!signer) return undefined
  const body = JSON.stringify(found.document)
  const { host, pathname, search } = new URL(url)
  const headers = {
    'content-type': jsonType,
    'ucp-agent': `profile="${agentBaseUrl(publicOrigin(), found.shop)}/.well-known/ucp"`,
    'idempotency-key': eventId,
    'content-digest': contentDigestOf(body),
  }
  const message = { method: 'POST', authority: host, path: pathname, query: search, headers }
  const components = ['@method', '@authority', '@path', ...(search === '' ? [] : ['@query']), ...Object.keys(headers)]
  const signed = signatureHeaders(components, message, signer, Math.floor(now / 1_000))
  return { body, headers: { ...headers, ...signed, ...attemptHeaders(claimed) } }
}
