// Webhook endpoints, the signature fixture and replays: three of the four kinds of responses in OperationResponse.

import {
  Count,
  EventId,
  EventType,
  IdempotencyKey,
  Instant,
  paragraphSchema,
  WebhookDeliveryId,
  WebhookEndpointId,
} from '../parts.ts'
import { patterns } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { deliveryStatuses, endpointStatuses } from '../words.ts'

export const EventSubscription = Type.String({
  pattern: patterns.subscription.source,
  description: 'The name of an event, subject.* or *.',
})

export const WebhookDelivery = object({
  id: WebhookDeliveryId,
  eventId: EventId,
  eventType: EventType,
  status: oneOf(deliveryStatuses),
  attempts: Count,
  lastStatusCode: nullable(Type.Integer({ minimum: 100, maximum: 999 })),
  lastError: nullable(Type.String()),
  nextAttemptAt: nullable(Instant),
  createdAt: Instant,
})

export const SecretRotation = object({
  active: Type.Boolean(),
  previousExpiresAt: nullable(Instant, { description: 'Until then calls are signed with the former secret too.' }),
})

export const WebhookHealth = object({
  lastSuccessAt: nullable(Instant),
  lastFailureAt: nullable(Instant),
  consecutiveFailures: Count,
  pending: Count,
})

export const WebhookEndpoint = object({
  id: WebhookEndpointId,
  url: Type.String({ description: 'Credentials in the address are masked.' }),
  description: Type.String(),
  status: oneOf(endpointStatuses),
  events: Type.Array(EventSubscription),
  secretHint: Type.String({ description: 'The last characters of the secret, to tell secrets apart.' }),
  secretRotation: SecretRotation,
  health: WebhookHealth,
  recentDeliveries: Type.Array(WebhookDelivery, {
    maxItems: 20,
    description: 'The newest first; these can be replayed.',
  }),
  createdAt: Instant,
  updatedAt: Instant,
})

export const WebhookEndpoints = object({
  kind: Type.Literal('webhook_endpoints'),
  endpoints: Type.Array(WebhookEndpoint, { description: 'Oldest first.' }),
})

export const SignatureHeaderNames = object({
  id: Type.Literal('webhook-id'),
  timestamp: Type.Literal('webhook-timestamp'),
  signature: Type.Literal('webhook-signature'),
})

export const SignatureHeaders = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'The headers of the call, by name. A vector may leave one out or spell it in another case.',
})

export const SignatureVector = object({
  name: Type.String(),
  expect: oneOf(['accept', 'reject'], { description: 'What a correct receiver does.' }),
  now: Type.Integer({ description: 'The receiver’s clock, in seconds since 1970.' }),
  headers: SignatureHeaders,
  body: Type.String(),
  bodyBase64: Type.String({ description: 'The exact bytes of the body.' }),
})

export const WebhookSignatureFixture = object({
  kind: Type.Literal('webhook_signature_fixture'),
  endpointId: WebhookEndpointId,
  spec: Type.Literal('standard-webhooks/1.0.0'),
  algorithm: Type.Literal('hmac-sha256'),
  headers: SignatureHeaderNames,
  signedContent: Type.Literal('{webhook-id}.{webhook-timestamp}.{body}'),
  toleranceSeconds: Type.Literal(300),
  secret: Type.String({ description: 'The secret of the vectors. Useless for live traffic.' }),
  vectors: Type.Array(SignatureVector, { description: 'At least 20 in an answer.' }),
  fresh: object(
    { headers: SignatureHeaders, body: Type.String(), expiresAt: Instant },
    { description: 'Signed just now with the fixture secret: an unmodified library accepts it until it expires.' },
  ),
  liveCheck: object(
    { headers: SignatureHeaders, body: Type.String() },
    {
      description: 'An old, harmless message signed with the live secret: shows whether you configured the right one.',
    },
  ),
})

export const WebhookReplayDelivery = object({
  id: WebhookDeliveryId,
  replayOf: WebhookDeliveryId,
  endpointId: WebhookEndpointId,
  eventId: EventId,
  eventType: EventType,
  status: oneOf(deliveryStatuses),
  attempts: Count,
  nextAttemptAt: nullable(Instant),
})

export const WebhookReplay = object({
  kind: Type.Literal('webhook_replay'),
  delivery: WebhookReplayDelivery,
})

export const PublicWebhookReplayRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  allowSucceeded: Type.Optional(
    Type.Boolean({ description: 'Replay even a delivery that succeeded. Without it, such a delivery is refused.' }),
  ),
  reason: Type.Optional(paragraphSchema(1, 500, 'For your records.')),
})

export type WebhookDelivery = Static<typeof WebhookDelivery>
export type WebhookEndpoint = Static<typeof WebhookEndpoint>
export type WebhookEndpoints = Static<typeof WebhookEndpoints>
export type SignatureVector = Static<typeof SignatureVector>
export type WebhookSignatureFixture = Static<typeof WebhookSignatureFixture>
export type WebhookReplayDelivery = Static<typeof WebhookReplayDelivery>
export type WebhookReplay = Static<typeof WebhookReplay>
export type PublicWebhookReplayRequest = Static<typeof PublicWebhookReplayRequest>
