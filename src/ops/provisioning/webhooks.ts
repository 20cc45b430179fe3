// Webhook endpoints that provisioning creates: those of a shop file, and that of the demo shop, whose calls `webhooks listen` receives on
// the developer's machine.

import { type BrokenRule, issue } from '../../contract/issues.ts'
import type { EndpointStatus } from '../../contract/words.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointTools,
  enableEndpoint,
  pauseEndpoint,
  removeEndpoint,
  tooManyEndpoints,
} from '../../domain/webhooks/endpoints.ts'
import { findTargetProblem } from '../../domain/webhooks/guard.ts'
import { decryptWebhookSecret } from '../../domain/webhooks/signature.ts'
import { type Endpoint, endpointsMax, listEndpoints } from '../../domain/webhooks/store.ts'
import { maskUrl, normalizeUrl } from '../../domain/webhooks/url.ts'
import { type MemberChange, membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import type { WebhookEntry } from './shopfile.ts'

export interface InstallationWebhooks {
  installationId: string
  entries: readonly WebhookEntry[]
}

// The secret of a new endpoint, shown once to the person who applies the file.
export interface CreatedSecret {
  endpointId: string
  url: string
  secret: string
}

interface EndpointPlan {
  installationId: string
  url: string
  description: string
  events: string[]
  // Undefined if the file does not set the status.
  status: Exclude<EndpointStatus, 'disabled'> | undefined
  before: Endpoint | undefined
  members: readonly MemberChange[]
}

export async function planWebhooks(
  db: Reader,
  installations: readonly InstallationWebhooks[],
): Promise<PlannedChange[]> {
  return changesOf(await listPlans(db, installations))
}

// The caller has locked the merchant, so each endpoint is created only once if two people apply the same file.
export async function saveWebhooks(
  tx: Tx,
  installations: readonly InstallationWebhooks[],
  tools: EndpointTools,
  now: number,
): Promise<{ changes: PlannedChange[]; secrets: CreatedSecret[] }> {
  const plans = await listPlans(tx, installations)
  const secrets: CreatedSecret[] = []
  for (const plan of plans) {
    const { installationId, url, description, events, status, before, members } = plan
    if (!before) {
      const made = await addEndpoint(
        tx,
        installationId,
        { url, description, events, ...(status && { status }) },
        tools,
        now,
      )
      secrets.push({ endpointId: made.endpoint.id, url, secret: made.secret })
      continue
    }
    if (members.some(({ member }) => member !== 'status'))
      await changeEndpoint(tx, installationId, before.id, { url: before.url, description, events }, tools, now)
    if (!members.some(({ member }) => member === 'status')) continue
    if (status === 'paused') await pauseEndpoint(tx, installationId, before.id, now)
    else await enableEndpoint(tx, installationId, before.id, now)
  }
  return { changes: changesOf(plans), secrets }
}

async function listPlans(db: Reader, installations: readonly InstallationWebhooks[]): Promise<EndpointPlan[]> {
  const plans: EndpointPlan[] = []
  for (const { installationId, entries } of installations) {
    const kept = await listEndpoints(db, installationId)
    const known = entries.map((entry) => planFor(installationId, entry, kept))
    if (kept.length + known.filter(({ before }) => !before).length > endpointsMax) throw tooManyEndpoints()
    plans.push(...known)
  }
  return plans
}

// If several endpoints have the URL, the file means the oldest. A disabled endpoint stays disabled, since the server or the operator had
// a reason.
function planFor(installationId: string, entry: WebhookEntry, kept: readonly Endpoint[]): EndpointPlan {
  const { url, description = '', events = ['*'], paused } = entry
  const status = paused === undefined ? undefined : paused ? 'paused' : 'enabled'
  const plan = { installationId, url, description, events, status } as const
  const before = kept.find((endpoint) => normalizeUrl(endpoint.url) === normalizeUrl(url))
  if (!before) return { ...plan, before, members: [] }
  const is: Shown = { ...before, events: JSON.parse(before.events) as string[] }
  const becomes: Shown = {
    description,
    events,
    status: before.status === 'disabled' ? 'disabled' : (status ?? before.status),
  }
  return { ...plan, before, members: membersChanged(is, becomes, ['description', 'events', 'status']) }
}

interface Shown {
  description: string
  events: readonly string[]
  status: EndpointStatus
}

function changesOf(plans: readonly EndpointPlan[]): PlannedChange[] {
  return plans
    .filter(({ before, members }) => !before || members.length > 0)
    .map(({ url, before, members }) => ({
      kind: before ? 'change' : 'create',
      what: 'webhook',
      name: maskUrl(url),
      members,
    }))
}

// If a setting would allow the URL, the error message names the setting for the operator.
export function urlProblem(url: string, { allowPrivate }: Pick<EndpointTools, 'allowPrivate'>): BrokenRule | undefined {
  const problem = findTargetProblem(url, { allowPrivate })
  if (problem === undefined || findTargetProblem(url, { allowPrivate: true }) !== undefined) return problem
  const code = bySetting.find((one) => one === problem.code)
  return code ? issue(code, { setting: 'CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1' }) : problem
}

const bySetting = ['target_not_secure', 'target_private_address', 'target_private_host', 'target_port'] as const

// Port and path at which `webhooks listen` receives. The URL of the demo shop's endpoint contains them.
export const receiverPort = 4010
export const receiverPath = '/webhooks'

export function receiverUrl(port: number, host = 'localhost'): string {
  return `http://${host}:${port}${receiverPath}`
}

const demoEndpoint = {
  url: receiverUrl(receiverPort),
  description: 'The receiver of webhooks listen, on your own machine',
  events: ['order.*', 'checkout_session.*', 'inventory.*', 'promotion.*'],
  status: 'paused',
} as const

// Creates the endpoint of the demo shop if it is missing. Its URL is on the developer's machine, which a setting may forbid to call, but
// the endpoint is paused: it is not called until `webhooks listen` runs. The caller has locked the merchant.
export async function ensureDemoEndpoint(
  tx: Tx,
  installationId: string,
  rootSecret: EndpointTools['rootSecret'],
  now: number,
): Promise<{ id: string; secret: string }> {
  const kept = (await listEndpoints(tx, installationId)).find(({ url }) => url === demoEndpoint.url)
  const secret = kept && openedSecret(rootSecret, kept)
  if (kept && secret !== undefined) return { id: kept.id, secret }
  if (kept) await removeEndpoint(tx, installationId, kept.id, now)
  const made = await addEndpoint(tx, installationId, demoEndpoint, { rootSecret, allowPrivate: true }, now)
  return { id: made.endpoint.id, secret: made.secret }
}

// Returns undefined if the secret cannot be decrypted, because a developer has removed the data folder with the root secret. The endpoint
// can no longer sign, so a new one replaces it.
function openedSecret(rootSecret: EndpointTools['rootSecret'], { id, secretSealed }: Endpoint): string | undefined {
  try {
    return decryptWebhookSecret(rootSecret, id, secretSealed)
  } catch {
    return undefined
  }
}
