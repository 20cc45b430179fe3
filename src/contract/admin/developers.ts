// Installations, keys and webhooks: schemas and operations. A caller sees only those of its own mode.

import { limits } from '../limits.ts'
import { credentialMembers } from '../open/identity.ts'
import { EventSubscription, SecretRotation, WebhookDelivery, WebhookHealth } from '../open/webhooks.ts'
import {
  AppId,
  CredentialId,
  EventType,
  IdempotencyKey,
  InstallationId,
  Instant,
  lineSchema,
  Mode,
  paragraphSchema,
  Scopes,
  WebhookDeliveryId,
  WebhookEndpointId,
} from '../parts.ts'
import { patterns } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import {
  deliveryStatuses,
  endpointDisabledReasons,
  endpointStatuses,
  installationStatuses,
  keyKinds,
  scopes,
  settableEndpointStatuses,
} from '../words.ts'
import { type AdminOperationRows, adminRow, listOf } from './row.ts'

const idempotencyKey = Type.Optional(IdempotencyKey)

const InstallationName = object({ id: InstallationId, name: Type.String() })

export const AdminInstallation = object({
  id: InstallationId,
  name: Type.String(),
  mode: Mode,
  status: oneOf(installationStatuses),
  redirectHosts: Type.Array(Type.String(), { description: 'Hosts to which a checkout may send the shopper back.' }),
  app: nullable(
    object({
      id: AppId,
      name: Type.String(),
      clientUrl: nullable(Type.String(), {
        description: 'The address of the metadata document of an assistant. null: a registered app.',
      }),
    }),
    { description: 'The app that was installed. null: made by the merchant or the operator.' },
  ),
  grantedScopes: nullable(Scopes, { description: 'What the app was granted.' }),
  approvedBy: nullable(Type.String(), { description: 'Id of the person who approved the app.' }),
  createdAt: Instant,
  lastTokenAt: nullable(Instant, {
    description: 'When its app last got a token. An assistant at work gets one every ten minutes.',
  }),
  endedAt: nullable(Instant),
})

export const AdminInstallationListResponse = listOf(AdminInstallation, 'Newest first.')
export const AdminInstallationResponse = object({ data: AdminInstallation })

export const AdminInstallationCreateRequest = object({
  idempotencyKey,
  name: lineSchema(1, 200, 'Unique within the merchant.'),
  redirectHosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
      maxItems: 100,
      description: 'Hosts to which a checkout may send the shopper back: example.com, localhost:3000.',
    }),
  ),
})

export const AdminEndRequest = object({ idempotencyKey })

const Origin = Type.String({
  minLength: 8,
  maxLength: 300,
  pattern: patterns.line.source,
  description: 'Such as https://shop.example. In test mode also http://localhost with a port.',
})

export const AdminKey = object({
  ...credentialMembers,
  kind: oneOf(keyKinds, {
    description: 'publishable: for the pages of a storefront. Anyone who opens such a page can read it.',
  }),
  origins: Type.Array(Type.String(), {
    description: 'The pages on which a publishable key works. Empty for a secret one.',
  }),
  installation: InstallationName,
})

export const AdminKeyListQuery = object({
  installationId: Type.Optional(withDescription('Only keys of this installation.', InstallationId)),
})
export const AdminKeyListResponse = listOf(AdminKey, 'Newest first.')
export const AdminKeyResponse = object({ data: AdminKey })

export const AdminKeyCreateRequest = object({
  idempotencyKey,
  installationId: InstallationId,
  name: lineSchema(1, 200, 'What the key is for.'),
  scopes: Type.Array(Scopes.items, {
    maxItems: scopes.length,
    uniqueItems: true,
    description:
      'Admin scopes are given by a signed-in owner or at the command line, never by a key. Empty for a publishable key, whose rights are fixed.',
  }),
  kind: Type.Optional(oneOf(keyKinds, { description: 'Left out: secret.' })),
  origins: Type.Optional(
    Type.Array(Origin, {
      maxItems: limits.keyOriginsMax,
      description: 'Of a publishable key: the origins of the pages on which it works. At least one.',
    }),
  ),
  expiresAt: Type.Optional(withDescription('In the future. Left out: the key does not expire.', Instant)),
})

const secretKey = Type.String({ pattern: patterns.apiKey.source, description: 'The API key. Shown this once.' })

export const AdminKeyCreateResponse = object({ data: object({ key: AdminKey, secret: secretKey }) })

export const AdminKeyRotateRequest = object({
  idempotencyKey,
  overlapHours: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 8_760, description: 'How long the old key goes on working. Left out: 24.' }),
  ),
})

export const AdminKeyRotateResponse = object({
  data: object({
    key: AdminKey,
    secret: secretKey,
    oldKey: object({ id: CredentialId, expiresAt: Instant }),
  }),
})

export const AdminWebhookEndpoint = object({
  id: WebhookEndpointId,
  installation: InstallationName,
  key: nullable(object({ id: CredentialId, name: Type.String() }), {
    description:
      'The key that it ends with: the one that made it or last changed its address, or its successor. null: only its installation ends it.',
  }),
  url: Type.String({ description: 'Credentials in the address are masked.' }),
  description: Type.String(),
  status: oneOf(endpointStatuses),
  disabledReason: nullable(oneOf(endpointDisabledReasons)),
  events: Type.Array(EventSubscription),
  secretHint: Type.String({ description: 'The last characters of the secret, to tell secrets apart.' }),
  secretRotation: SecretRotation,
  health: WebhookHealth,
  createdAt: Instant,
  updatedAt: Instant,
})

export const AdminWebhookEndpointListQuery = object({
  installationId: Type.Optional(withDescription('Only endpoints of this installation.', InstallationId)),
})
export const AdminWebhookEndpointListResponse = listOf(AdminWebhookEndpoint, 'Oldest first.')
export const AdminWebhookEndpointResponse = object({ data: AdminWebhookEndpoint })

const endpointUrl = Type.String({ minLength: 1, maxLength: 2_000, description: 'https, and not of a private network.' })
const subscriptions = Type.Array(EventSubscription, {
  minItems: 1,
  maxItems: 100,
  description: 'Names of events, subject.* or *.',
})
const settableStatus = oneOf(settableEndpointStatuses, {
  description: 'paused: events wait, and are sent once it is enabled.',
})

export const AdminWebhookEndpointCreateRequest = object({
  idempotencyKey,
  installationId: InstallationId,
  url: endpointUrl,
  events: Type.Optional(subscriptions),
  description: Type.Optional(lineSchema(0, 200)),
  status: Type.Optional(settableStatus),
})

export const AdminWebhookEndpointUpdateRequest = object({
  idempotencyKey,
  url: Type.Optional(endpointUrl),
  events: Type.Optional(subscriptions),
  description: Type.Optional(lineSchema(0, 200)),
  status: Type.Optional(settableStatus),
})

export const AdminWebhookSecretResponse = object({
  data: object({
    endpoint: AdminWebhookEndpoint,
    secret: Type.String({ description: 'Signs the calls. Shown this once.' }),
  }),
})

export const AdminWebhookEndpointRemovedResponse = object({
  data: object({ id: WebhookEndpointId, removed: Type.Literal(true) }),
})

export const AdminWebhookDelivery = object({
  ...WebhookDelivery.properties,
  endpointId: WebhookEndpointId,
  installation: InstallationName,
  replayOf: nullable(WebhookDeliveryId, { description: 'The delivery that this one replays.' }),
  finishedAt: nullable(Instant),
})

export const AdminWebhookTestResponse = object({ data: AdminWebhookDelivery })

export const AdminWebhookDeliveryListQuery = object({
  endpointId: Type.Optional(withDescription('Only calls to this endpoint.', WebhookEndpointId)),
  status: Type.Optional(oneOf(deliveryStatuses, { description: 'Only deliveries of this status.' })),
  type: Type.Optional(withDescription('Only events of this type.', EventType)),
  from: Type.Optional(withDescription('Only deliveries made then or later.', Instant)),
  to: Type.Optional(withDescription('Only deliveries made before.', Instant)),
})
export const AdminWebhookDeliveryListResponse = listOf(AdminWebhookDelivery, 'Newest first.')

export const AdminWebhookDeliveryResponse = object({
  data: object({
    delivery: AdminWebhookDelivery,
    payload: nullable(Type.String(), { description: 'The body of the call. null: no longer stored.' }),
  }),
})

export const AdminWebhookReplayRequest = object({
  idempotencyKey,
  deliveryIds: Type.Optional(
    Type.Array(WebhookDeliveryId, { minItems: 1, maxItems: limits.bulkItemsMax, uniqueItems: true }),
  ),
  endpointId: Type.Optional(
    withDescription(
      'Instead of deliveryIds: the oldest failed deliveries of this endpoint that were not replayed yet, at most 200 at a time.',
      WebhookEndpointId,
    ),
  ),
  since: Type.Optional(withDescription('With endpointId: only those made then or later.', Instant)),
  allowSucceeded: Type.Optional(Type.Boolean({ description: 'Replay deliveries that succeeded too.' })),
  reason: Type.Optional(paragraphSchema(1, 500, 'For your records.')),
})

export const AdminWebhookReplayResponse = object({
  data: Type.Array(
    object({
      deliveryId: WebhookDeliveryId,
      outcome: oneOf(['done', 'refused']),
      code: nullable(Type.String(), { description: 'Why it was refused.' }),
      replayId: nullable(WebhookDeliveryId, { description: 'The new delivery.' }),
    }),
    { maxItems: limits.bulkItemsMax },
  ),
})

// biome-ignore format: a row reads best as a few lines
export const developerOperationRows = {
  listAdminInstallations: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/installations',
    scope: 'admin:developers', idempotency: 'none', audit: 'none', tag: 'Developers', paged: true,
    summary: 'List installations',
    description: 'What acts for the merchant: apps and assistants that were approved, and installations of its own.',
    body: null, reply: okReply(AdminInstallationListResponse),
    refusals: [],
  },
  createAdminInstallation: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/installations',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Create an installation',
    description: 'In the mode of the caller. Apps are installed by a person, with OAuth.',
    body: AdminInstallationCreateRequest, reply: okReply(AdminInstallationResponse),
    refusals: ['installation_exists', 'installation_limit'],
  },
  endAdminInstallation: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/installations/{installationId}',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'End an installation',
    description: 'Its keys and tokens no longer work, its webhook endpoints are removed, and its open checkouts end. Its orders stay. The request has a body, for its idempotency key.',
    body: AdminEndRequest, reply: okReply(AdminInstallationResponse),
    refusals: ['installation_not_found'],
  },
  listAdminKeys: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/keys',
    scope: 'admin:developers', idempotency: 'none', audit: 'none', tag: 'Developers', paged: true,
    summary: 'List keys',
    description: 'API keys of all installations. The keys themselves are not stored.',
    query: AdminKeyListQuery, body: null, reply: okReply(AdminKeyListResponse),
    refusals: [],
  },
  createAdminKey: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/keys',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Create a key',
    description: 'Answers the key this once. A key or an app gives only open scopes that it has itself, and what it makes ends with it; admin scopes are given by a person. An app makes keys only for its own installation, with at most the scopes that it was granted. A publishable key reads the catalog without stock numbers, and makes carts and checkouts, on the pages that it is bound to.',
    body: AdminKeyCreateRequest, reply: { ...okReply(AdminKeyCreateResponse), isSecret: true },
    refusals: ['installation_not_found', 'credential_limit'],
  },
  rotateAdminKey: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/keys/{keyId}/rotations',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Rotate a key',
    description: 'Makes a successor with the same scopes; the old key works for a while. A key with admin scopes is rotated by a person who has them, others by a person or by a key or app that has their scopes.',
    body: AdminKeyRotateRequest, reply: { ...okReply(AdminKeyRotateResponse), isSecret: true },
    refusals: ['credential_not_found', 'credential_already_rotated'],
  },
  revokeAdminKey: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/keys/{keyId}',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Revoke a key',
    description: 'At once, with the keys that it made. Revoking a revoked key is not an error. The request has a body, for its idempotency key.',
    body: AdminEndRequest, reply: okReply(AdminKeyResponse),
    refusals: ['credential_not_found'],
  },
  listAdminWebhookEndpoints: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/webhooks/endpoints',
    scope: 'admin:developers', idempotency: 'none', audit: 'none', tag: 'Developers', paged: true,
    summary: 'List webhook endpoints',
    description: 'Endpoints of all installations, with their health.',
    query: AdminWebhookEndpointListQuery, body: null, reply: okReply(AdminWebhookEndpointListResponse),
    refusals: [],
  },
  createAdminWebhookEndpoint: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/webhooks/endpoints',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Create a webhook endpoint',
    description:
      'Answers the secret that signs the calls, this once. Without events it gets all of them; events about the shop need admin:read. An endpoint that a key makes ends with that key or its successor.',
    body: AdminWebhookEndpointCreateRequest, reply: { ...okReply(AdminWebhookSecretResponse), isSecret: true },
    refusals: ['installation_not_found', 'webhook_endpoint_limit'],
  },
  updateAdminWebhookEndpoint: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/webhooks/endpoints/{endpointId}',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Change a webhook endpoint',
    description: 'Members that are left out stay as they are. Enabling one that was paused or disabled sends what has waited.',
    body: AdminWebhookEndpointUpdateRequest, reply: okReply(AdminWebhookEndpointResponse),
    refusals: ['webhook_endpoint_not_found'],
  },
  removeAdminWebhookEndpoint: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/webhooks/endpoints/{endpointId}',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Remove a webhook endpoint',
    description: 'What waits for it is not sent. The request has a body, for its idempotency key.',
    body: AdminEndRequest, reply: okReply(AdminWebhookEndpointRemovedResponse),
    refusals: ['webhook_endpoint_not_found'],
  },
  rotateAdminWebhookSecret: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/webhooks/endpoints/{endpointId}/secret-rotations',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Rotate the secret of a webhook endpoint',
    description: 'The new secret signs at once, and for a day the former one beside it.',
    body: AdminEndRequest, reply: { ...okReply(AdminWebhookSecretResponse), isSecret: true },
    refusals: ['webhook_endpoint_not_found'],
  },
  testAdminWebhookEndpoint: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/webhooks/endpoints/{endpointId}/tests',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Call a webhook endpoint to test it',
    description: 'Sends webhook.ping to this endpoint alone. Look up the delivery to see what became of it.',
    body: AdminEndRequest, reply: okReply(AdminWebhookTestResponse),
    refusals: ['webhook_endpoint_not_found', 'endpoint_disabled'],
  },
  listAdminWebhookDeliveries: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/webhooks/deliveries',
    scope: 'admin:developers', idempotency: 'none', audit: 'none', tag: 'Developers', paged: true,
    summary: 'List webhook deliveries',
    description: 'Of all endpoints of the merchant, or of one.',
    query: AdminWebhookDeliveryListQuery, body: null, reply: okReply(AdminWebhookDeliveryListResponse),
    refusals: [],
  },
  getAdminWebhookDelivery: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/webhooks/deliveries/{deliveryId}',
    scope: 'admin:developers', idempotency: 'none', audit: 'none', tag: 'Developers',
    summary: 'Get a webhook delivery',
    description: 'With the body of the call, as long as it is stored.',
    body: null, reply: okReply(AdminWebhookDeliveryResponse),
    refusals: ['webhook_delivery_not_found'],
  },
  replayAdminWebhookDeliveries: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/webhooks/replays',
    scope: 'admin:developers', idempotency: 'required', audit: 'change', tag: 'Developers',
    summary: 'Replay webhook deliveries',
    description: 'Sends events once more to the same endpoints: named ones, or those of an endpoint that failed. Each has its own outcome.',
    body: AdminWebhookReplayRequest, reply: okReply(AdminWebhookReplayResponse),
    refusals: ['webhook_endpoint_not_found'],
  },
} as const satisfies AdminOperationRows

export type AdminInstallation = Static<typeof AdminInstallation>
export type AdminKey = Static<typeof AdminKey>
export type AdminWebhookEndpoint = Static<typeof AdminWebhookEndpoint>
export type AdminWebhookDelivery = Static<typeof AdminWebhookDelivery>
