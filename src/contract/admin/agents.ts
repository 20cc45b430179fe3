// What merchants let buying agents do: schemas and operations.

import { agentLevels, agentPayers, platformStatuses } from '../agents/settings.ts'
import { limits } from '../limits.ts'
import { IdempotencyKey, Instant, PlatformId } from '../parts.ts'
import { patterns } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { okReply } from '../surface.ts'
import { endpointStatuses, settableEndpointStatuses } from '../words.ts'
import { AdminSubjectChange } from './changes.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

const Level = oneOf(agentLevels, {
  description:
    'off: agents get no answer. browse: they find products and open checkouts, which buyers pay on the page. buy: they may also pay.',
})

const Who = oneOf(agentPayers, {
  description:
    'Who may pay and read its orders. approved: platforms that were approved, and prove who they are. signed: every platform that proves it. anyone: every platform with a profile, in test mode only.',
})

const ReviewFrom = nullable(Type.Integer({ minimum: 0, maximum: limits.amountMax }), {
  description: 'From this total on the buyer confirms on the checkout page. null: never.',
})
const OrderWebhooks = Type.Boolean({ description: 'Whether platforms are called when their orders change.' })

export const AdminAgents = object({
  version: Type.Integer({ minimum: 0, description: '0 where nothing was ever set.' }),
  level: Level,
  who: Who,
  reviewFrom: ReviewFrom,
  orderWebhooks: OrderWebhooks,
  signingKeys: Type.Array(object({ kid: Type.String(), createdAt: Instant, retiredAt: nullable(Instant) }), {
    description: 'Keys that sign what is sent to platforms, the present one first.',
  }),
  addresses: object(
    { profile: Type.String(), rest: Type.String(), acp: Type.String(), mcp: Type.String(), assistants: Type.String() },
    {
      description:
        'Where agents find the shop, in the mode of the caller: the UCP profile, UCP by REST, ACP, and MCP. `assistants` is MCP for those who run the shop.',
    },
  ),
})

export const AdminAgentsResponse = object({ data: AdminAgents })
export const AdminAgentsChangeResponse = object({
  data: AdminAgents,
  changes: Type.Array(AdminSubjectChange, { description: 'What changed.' }),
})

export const UpdateAdminAgentsRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Integer({ minimum: 0, description: 'The version that the change is based on.' }),
  level: Type.Optional(Level),
  who: Type.Optional(Who),
  reviewFrom: Type.Optional(ReviewFrom),
  orderWebhooks: Type.Optional(OrderWebhooks),
})

const Status = oneOf(platformStatuses, {
  description:
    'seen: it called, or was entered. approved: it may pay where only approved ones may. blocked: it gets no answer.',
})
const ProfileUrl = Type.String({
  minLength: 8,
  maxLength: 2_000,
  description: 'The address of its UCP profile. Of one that buys by ACP: an address that names it.',
})

export const AdminAgentPlatform = object({
  id: PlatformId,
  version: Type.Integer({ minimum: 1 }),
  profileUrl: ProfileUrl,
  host: Type.String(),
  status: Status,
  hasKey: Type.Boolean({ description: 'Whether a key was made for it.' }),
  webhook: nullable(
    object({
      status: oneOf(endpointStatuses),
      lastSuccessAt: nullable(Instant),
      lastFailureAt: nullable(Instant),
    }),
    {
      description:
        'How calling it about its orders goes. null: it has not asked for that, or has not opened a checkout yet.',
    },
  ),
  firstSeenAt: Instant,
  lastSeenAt: Instant,
})

export const AdminAgentPlatformListResponse = listOf(AdminAgentPlatform, 'Newest first.')
export const AdminAgentPlatformResponse = object({
  data: AdminAgentPlatform,
  changes: Type.Array(AdminSubjectChange, { description: 'What changed.' }),
})

export const CreateAdminAgentPlatformRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  profileUrl: ProfileUrl,
  status: Type.Optional(Status),
})

export const UpdateAdminAgentPlatformRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  expectedVersion: Type.Integer({ minimum: 1, description: 'The version that the change is based on.' }),
  status: Type.Optional(Status),
  webhook: Type.Optional(
    oneOf(settableEndpointStatuses, {
      description: 'paused: its calls wait. enabled: they are sent, with those that waited.',
    }),
  ),
})

export const AdminAgentKeyRequest = object({ idempotencyKey: Type.Optional(IdempotencyKey) })
export const AdminAgentKeyResponse = object({
  data: object({
    platform: AdminAgentPlatform,
    secret: Type.String({ pattern: patterns.apiKey.source, description: 'The API key. Shown this once.' }),
  }),
})

export const AdminAgentWebhookRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  url: Type.String({ minLength: 8, maxLength: 2_000, description: 'Where the platform wants to hear of its orders.' }),
})
export const AdminAgentWebhookResponse = object({
  data: object({
    platform: AdminAgentPlatform,
    secret: Type.String({ description: 'The secret that signs the calls, as Merchant-Signature. Shown this once.' }),
  }),
})

// biome-ignore format: a row reads best as a few lines
export const agentOperationRows = {
  getAdminAgents: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/agents',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Shop',
    summary: 'Get what agents may do',
    description: 'Agents are software that buys for shoppers. In the mode of the caller.',
    body: null, reply: okReply(AdminAgentsResponse),
    refusals: [],
  },
  updateAdminAgents: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/agents',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Change what agents may do',
    description: 'In the mode of the caller. Orders of agents belong to an installation of their own.',
    body: UpdateAdminAgentsRequest, reply: okReply(AdminAgentsChangeResponse),
    refusals: ['version_conflict'],
  },
  rotateAdminAgentSigningKey: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/agents/signing-keys',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Rotate the signing key',
    description: 'A new key signs what is sent to platforms at once. The former one stays in the profile for 7 days.',
    body: AdminAgentKeyRequest, reply: okReply(AdminAgentsChangeResponse),
    refusals: [],
  },
  listAdminAgentPlatforms: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/agents/platforms',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Shop', paged: true,
    summary: 'List platforms',
    description: 'Platforms whose agents called the shop or were entered, in the mode of the caller.',
    body: null, reply: okReply(AdminAgentPlatformListResponse),
    refusals: [],
  },
  createAdminAgentPlatform: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/agents/platforms',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Enter a platform',
    description: 'Approves it (default) before it has called, or changes the one with this profile.',
    body: CreateAdminAgentPlatformRequest, reply: okReply(AdminAgentPlatformResponse),
    refusals: ['agents_closed'],
  },
  updateAdminAgentPlatform: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/agents/platforms/{platformId}',
    scope: 'admin:settings', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Approve or block a platform',
    description: 'It holds from the next call on. Calls to its webhook can be paused and sent later.',
    body: UpdateAdminAgentPlatformRequest, reply: okReply(AdminAgentPlatformResponse),
    refusals: ['agent_platform_not_found', 'version_conflict'],
  },
  createAdminAgentKey: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/agents/platforms/{platformId}/keys',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Create a key for a platform',
    description: 'For a platform that does not sign its requests: it sends the key as X-API-Key or Bearer, by ACP as Bearer alone. It is of no use elsewhere. The former key of the platform ends.',
    body: AdminAgentKeyRequest, reply: { ...okReply(AdminAgentKeyResponse), isSecret: true },
    refusals: ['agent_platform_not_found', 'credential_limit'],
  },
  createAdminAgentWebhook: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/agents/platforms/{platformId}/webhooks',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Shop',
    summary: 'Enter the webhook of a platform',
    description: 'For a platform that buys by ACP, which has no profile to name one: it is called when its orders change. Entered again, the address changes and a new secret signs at once.',
    body: AdminAgentWebhookRequest, reply: { ...okReply(AdminAgentWebhookResponse), isSecret: true },
    refusals: ['agent_platform_not_found', 'webhook_endpoint_limit'],
  },
} as const satisfies AdminOperationRows

export type AdminAgents = Static<typeof AdminAgents>
export type AdminAgentPlatform = Static<typeof AdminAgentPlatform>
