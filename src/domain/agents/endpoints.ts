// The endpoint for webhooks about orders, which a platform names in its profile or the merchant enters.

import type { EndpointStatus } from '../../contract/words.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointTools,
  type EndpointWithSecret,
  enableEndpoint,
  pauseEndpoint,
  rotateSecret,
} from '../webhooks/endpoints.ts'
import { type Endpoint, listEndpointsOfPlatforms } from '../webhooks/store.ts'
import type { AgentKeyTools } from './keys.ts'
import { lockPlatform, type PlatformRow } from './store.ts'

const events = ['order.*'] as const

// An installation may have 100 endpoints. A platform that is not approved gets one only while platforms use fewer than 40, an approved
// one while they use fewer than 80, which leaves 20 to the merchant.
const platformsMax = { seen: 40, approved: 80 } as const

export interface OrderEndpointInput {
  mode: 'test' | 'live'
  platform: PlatformRow
  url: string
}

// Creates the endpoint at the first checkout, and updates it when the profile names another URL. If the URL may not be called or the
// limit is reached, there is no endpoint: the platform has to poll.
export async function ensureOrderEndpoint(
  { storage, rootSecret }: AgentKeyTools,
  { allowPrivate }: Pick<EndpointTools, 'allowPrivate'>,
  { mode, platform, url }: OrderEndpointInput,
  now: number,
): Promise<void> {
  const { installationId, id: platformId, merchantId, host, status } = platform
  const [known] = await storage.read((db) => listEndpointsOfPlatforms(db, installationId, [platformId]))
  if (known?.url === url) return
  const max = platformsMax[status === 'approved' ? 'approved' : 'seen']
  const input = { url, description: host.slice(0, 200), events, platformId, platformsMax: max }
  try {
    await storage.write(async (tx) => {
      await lockPlatform(tx, { merchantId, mode }, platformId)
      const [present] = await listEndpointsOfPlatforms(tx, installationId, [platformId])
      if (present) await changeEndpoint(tx, installationId, present.id, input, { allowPrivate }, now)
      else await addEndpoint(tx, installationId, input, { rootSecret, allowPrivate }, now)
    })
  } catch (error) {
    if (
      error instanceof Refusal &&
      (error.code === 'webhook_endpoint_invalid' || error.code === 'webhook_endpoint_limit')
    )
      return
    throw error
  }
}

// Saves the endpoint that the merchant entered for a platform whose protocol has no profile. Each save creates a new secret, and calls to
// the platform are signed only with the newest secret.
export async function saveEnteredWebhook(
  tx: Tx,
  { installationId, id: platformId, host }: PlatformRow,
  // `credentialId`: the key of the caller. If the key is revoked or expires, the endpoint is ended too.
  { url, credentialId }: { url: string; credentialId: string | null },
  tools: EndpointTools,
  now: number,
): Promise<EndpointWithSecret & { former: Endpoint | null }> {
  const description = host.slice(0, 200)
  const input = { url, description, events, credentialId, platformId, platformsMax: platformsMax.approved }
  const [present] = await listEndpointsOfPlatforms(tx, installationId, [platformId])
  if (!present) return { ...(await addEndpoint(tx, installationId, input, tools, now)), former: null }
  await changeEndpoint(tx, installationId, present.id, input, tools, now)
  const made = await rotateSecret(tx, installationId, present.id, tools.rootSecret, now)
  if (!made) throw new Error(`webhook endpoint ${present.id} does not exist in the transaction that found it`)
  return { ...made, former: present }
}

export type PlatformWithWebhook = PlatformRow & {
  endpoint: Endpoint | undefined
  // Status of the endpoint; null if the platform has none.
  webhook: EndpointStatus | null
}

export async function loadPlatformWebhook(db: Reader, platform: PlatformRow): Promise<PlatformWithWebhook> {
  const [endpoint] = await listEndpointsOfPlatforms(db, platform.installationId, [platform.id])
  return { ...platform, endpoint, webhook: endpoint?.status ?? null }
}

export async function setPlatformWebhook(
  tx: Tx,
  { installationId, id }: Endpoint,
  status: 'enabled' | 'paused',
  now: number,
): Promise<void> {
  await (status === 'enabled' ? enableEndpoint : pauseEndpoint)(tx, installationId, id, now)
}
