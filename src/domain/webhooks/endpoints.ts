// What happens to an endpoint: it is added, changed, paused, disabled, enabled again and removed, and its secret is rotated. Events of a
// paused or disabled endpoint are not lost: they wait, and are sent in order once the endpoint is enabled. Pausing and disabling write only
// the row of the endpoint, however long its queue is.

import { issue } from '../../contract/issues.ts'
import type { EndpointDisabledReason, EndpointStatus, Mode } from '../../contract/words.ts'
import { newId, twoDigits } from '../../platform/kit/ids.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import { announce, type Cause } from '../../platform/outbox/announce.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { findTargetProblem } from './guard.ts'
import { rotationMs } from './schedule.ts'
import {
  encryptFormerSecret,
  encryptWebhookSecret,
  hintOfSecret,
  makeWebhookSecret,
  tryDecryptWebhookSecret,
} from './signature.ts'
import {
  countOpenDeliveries,
  type Delivery,
  discardEarlierPings,
  discardPendingDeliveries,
  type Endpoint,
  endEndpoint,
  endpointsMax,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  listNewestDeliveries,
  lockEndpoint,
  makeRetriesDue,
  updateEndpoint,
} from './store.ts'
import { subscriptionsProblem } from './subscription.ts'
import { maskUrl } from './url.ts'

export interface EndpointInput {
  url: string
  description: string
  events: readonly string[]
  status?: Exclude<EndpointStatus, 'disabled'>
  // The key on which the endpoint depends: it is removed once the key is revoked or expires (default: none).
  credentialId?: string | null
  // The agent platform that is called (default: none).
  platformId?: string | null
  // Maximum number of endpoints of platforms, including this one (default: the maximum of endpoints).
  platformsMax?: number
}

export interface EndpointWithSecret {
  endpoint: Endpoint
  // The secret, which is shown only once.
  secret: string
}

export interface EndpointTools {
  rootSecret: RootSecret
  // For development: also allows receivers on http and in private networks.
  allowPrivate: boolean
}

// Locks the installation, because two concurrent calls must not assign the same slot.
export async function addEndpoint(
  tx: Tx,
  installationId: string,
  input: EndpointInput,
  { rootSecret, allowPrivate }: EndpointTools,
  now: number,
): Promise<EndpointWithSecret> {
  refuseBadInput(input, allowPrivate)
  const { mode } = await lockInstallation(tx, installationId)
  const living = await listEndpoints(tx, installationId)
  const ofPlatforms = input.platformId ? living.filter(({ platformId }) => platformId !== null).length : 0
  if (living.length >= endpointsMax || ofPlatforms >= (input.platformsMax ?? endpointsMax)) throw tooManyEndpoints()
  const id = newId('whe')
  const secret = makeWebhookSecret()
  const endpoint: Endpoint = {
    installationId,
    mode,
    id,
    slot: freeSlot(living),
    url: input.url,
    description: input.description,
    events: JSON.stringify(input.events),
    status: input.status ?? 'enabled',
    disabledReason: null,
    version: 1,
    secretSealed: encryptWebhookSecret(rootSecret, id, secret),
    secretHint: hintOfSecret(secret),
    previousSealed: null,
    previousExpiresAt: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    consecutiveFailures: 0,
    failingSince: null,
    restingUntil: null,
    createdAt: now,
    updatedAt: now,
    credentialId: input.credentialId ?? null,
    platformId: input.platformId ?? null,
  }
  await insertEndpoint(tx, endpoint)
  return { endpoint, secret }
}

export function tooManyEndpoints(): Refusal {
  const message = `The installation has ${endpointsMax} webhook endpoints, which is the maximum: remove one first.`
  return refuse('webhook_endpoint_limit', { message, current: { limit: endpointsMax } })
}

const discardedAtOnce = 500

// Endpoints of an installation are added one after the other.
async function lockInstallation(tx: Tx, id: string): Promise<{ mode: Mode }> {
  const [row] = await tx.sql<{ mode: Mode }>`
    select mode from installations where id = ${id} and ended_at is null ${tx.forUpdate}`
  if (!row) throw refuse('installation_not_found')
  return row
}

function freeSlot(living: readonly Endpoint[]): string {
  const taken = new Set(living.map(({ slot }) => slot))
  for (let number = 0; ; number += 1) {
    const slot = twoDigits(number)
    if (!taken.has(slot)) return slot
  }
}

function refuseBadInput({ url, description, events }: EndpointInput, allowPrivate: boolean): void {
  const problems = [
    ['/url', findTargetProblem(url, { allowPrivate })],
    ['/events', subscriptionsProblem(events)],
    ['/description', description.length > 200 ? issue('too_long', { max: 200 }) : undefined],
  ] as const
  const issues = problems.flatMap(([path, problem]) => (problem === undefined ? [] : [{ path, ...problem }]))
  const [first] = issues
  if (first)
    throw refuse('webhook_endpoint_invalid', { message: `The webhook endpoint is not valid: ${first.message}`, issues })
}

// Returns undefined if the endpoint does not exist. The new URL applies to all deliveries that are sent from now on, the new
// subscriptions only to new events.
export async function changeEndpoint(
  tx: Tx,
  installationId: string,
  id: string,
  input: Pick<EndpointInput, 'url' | 'description' | 'events' | 'credentialId'>,
  { allowPrivate }: Pick<EndpointTools, 'allowPrivate'>,
  now: number,
): Promise<Endpoint | undefined> {
  refuseBadInput(input, allowPrivate)
  const endpoint = await lockEndpoint(tx, installationId, id)
  if (!endpoint) return undefined
  const { url, description, credentialId = null } = input
  const changed = raised({ ...endpoint, url, description, credentialId, events: JSON.stringify(input.events) }, now)
  await updateEndpoint(tx, changed)
  return changed
}

// The new secret signs immediately, and the former one signs as well for a day. Another rotation within that day retires the older
// secret: receivers that only have that secret then reject the calls.
export async function rotateSecret(
  tx: Tx,
  installationId: string,
  id: string,
  rootSecret: RootSecret,
  now: number,
): Promise<EndpointWithSecret | undefined> {
  const endpoint = await lockEndpoint(tx, installationId, id)
  if (!endpoint) return undefined
  const secret = makeWebhookSecret()
  // Undefined if the secret was encrypted with a version of the root secret that was removed. It could not sign anyway.
  const former = tryDecryptWebhookSecret(rootSecret, id, endpoint.secretSealed)
  const changed = raised(
    {
      ...endpoint,
      secretSealed: encryptWebhookSecret(rootSecret, id, secret),
      secretHint: hintOfSecret(secret),
      previousSealed: former === undefined ? null : encryptFormerSecret(rootSecret, id, former),
      previousExpiresAt: former === undefined ? null : now + rotationMs,
    },
    now,
  )
  await updateEndpoint(tx, changed)
  return { endpoint: changed, secret }
}

export async function pauseEndpoint(
  tx: Tx,
  installationId: string,
  id: string,
  now: number,
): Promise<Endpoint | undefined> {
  const endpoint = await lockEndpoint(tx, installationId, id)
  if (endpoint?.status !== 'enabled') return endpoint
  const changed = raised({ ...endpoint, status: 'paused' }, now)
  await updateEndpoint(tx, changed)
  return changed
}

// Disables the endpoint and notifies the other endpoints of the installation. The caller has locked the row.
export async function disableEndpoint(
  tx: Tx,
  endpoint: Endpoint,
  reason: EndpointDisabledReason,
  cause: Cause | null,
  now: number,
): Promise<Endpoint> {
  if (endpoint.status === 'disabled') return endpoint
  const changed = raised({ ...endpoint, status: 'disabled', disabledReason: reason }, now)
  await updateEndpoint(tx, changed)
  const { installationId, mode, id, url, description, status, version } = changed
  announce(tx, {
    installationId,
    mode,
    kind: 'webhook.endpoint_disabled',
    subject: { type: 'webhook_endpoint', id },
    sequence: version,
    dataText: JSON.stringify({ endpoint: { id, url: maskUrl(url), description, status }, reason }),
    cause,
    now,
    notTo: id,
  })
  // An operator who disables an endpoint needs no e-mail about it.
  if (reason !== 'operator') {
    const email = {
      kind: 'endpoint_disabled',
      subjectId: `${id}.${version}`,
      facts: { url: maskUrl(url), reason },
    } as const
    queueEmails(tx, { installationId, merchantId: null, orderId: null }, [email], now)
  }
  return changed
}

// Enables an endpoint with a clean state: waiting deliveries are due immediately, oldest first, and earlier failures no longer count.
export async function enableEndpoint(
  tx: Tx,
  installationId: string,
  id: string,
  now: number,
): Promise<{ endpoint: Endpoint; resumed: number } | undefined> {
  const endpoint = await lockEndpoint(tx, installationId, id)
  if (!endpoint) return undefined
  if (endpoint.status === 'enabled') return { endpoint, resumed: 0 }
  const fresh = { consecutiveFailures: 0, failingSince: null, restingUntil: null }
  const changed = raised({ ...endpoint, ...fresh, status: 'enabled', disabledReason: null }, now)
  await updateEndpoint(tx, changed)
  await makeRetriesDue(tx, changed, now)
  const resumed = await countOpenDeliveries(tx, changed)
  if (resumed > 0) tx.signal('deliveries')
  return { endpoint: changed, resumed }
}

// Returns false if the endpoint does not exist. Its open deliveries are never sent.
export async function removeEndpoint(tx: Tx, installationId: string, id: string, now: number): Promise<boolean> {
  const endpoint = await lockEndpoint(tx, installationId, id)
  if (!endpoint) return false
  await endEndpoint(tx, installationId, id, now)
  // The sweep discards the rest of a long queue.
  await discardPendingDeliveries(tx, endpoint, discardedAtOnce, now)
  return true
}

// Removes the endpoints of an installation that ends.
export async function removeEndpointsOf(tx: Tx, installationId: string, now: number): Promise<void> {
  for (const { id } of await listEndpoints(tx, installationId)) await removeEndpoint(tx, installationId, id, now)
}

// Sends a test call whose result a person waits for. Only an enabled endpoint can be tested, and an earlier test call that was not sent
// yet is discarded. Returns undefined if the endpoint does not exist.
export async function testEndpoint(
  tx: Tx,
  installationId: string,
  id: string,
  now: number,
): Promise<Delivery | undefined> {
  const before = await lockEndpoint(tx, installationId, id)
  if (!before) return undefined
  const { status } = before
  if (status !== 'enabled')
    throw refuse('endpoint_disabled', { message: `The webhook endpoint ${id} is ${status}.`, current: { status } })
  const endpoint = await pingEndpoint(tx, installationId, id, now)
  if (!endpoint) return undefined
  await discardEarlierPings(tx, endpoint, now)
  return findPing(tx, endpoint)
}

const pingSearchedMax = 20

// The sequence of the ping equals the version that the endpoint has since then.
async function findPing(tx: Tx, endpoint: Endpoint): Promise<Delivery> {
  const newest = await listNewestDeliveries(tx, endpoint, pingSearchedMax)
  const ping = newest.find(({ eventType, sequence }) => eventType === 'webhook.ping' && sequence === endpoint.version)
  if (!ping) throw new Error(`the test call to endpoint ${endpoint.id} was not recorded`)
  return ping
}

// Sends a test call to this endpoint only, as a delivery like any other. Returns undefined if the endpoint does not exist.
export async function pingEndpoint(
  tx: Tx,
  installationId: string,
  id: string,
  now: number,
): Promise<Endpoint | undefined> {
  const endpoint = await lockEndpoint(tx, installationId, id)
  if (!endpoint) return undefined
  const changed = raised(endpoint, now)
  await updateEndpoint(tx, changed)
  announce(tx, {
    installationId,
    mode: changed.mode,
    kind: 'webhook.ping',
    subject: { type: 'webhook_endpoint', id },
    sequence: changed.version,
    dataText: JSON.stringify({ endpointId: id, message: 'This is a test call that was asked for.' }),
    cause: null,
    now,
    onlyTo: id,
  })
  return findEndpoint(tx, installationId, id)
}

function raised(endpoint: Endpoint, now: number): Endpoint {
  return { ...endpoint, version: endpoint.version + 1, updatedAt: now }
}

// Rules of endpoints refuse with a code for the operator. Over HTTP, this becomes an invalid request.
export async function asInvalidRequest<Done>(work: Promise<Done>): Promise<Done> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.code === 'webhook_endpoint_invalid')
      throw refuse('invalid_request', { issues: error.details.issues ?? [] })
    throw error
  }
}
