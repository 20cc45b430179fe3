// OAuth: the description of an authorization, the keys that an installed app issues, and OperationResponse, which the description shares
// with the webhook operations.

import { limits } from '../limits.ts'
import {
  AppId,
  Count,
  IdempotencyKey,
  InstallationId,
  Instant,
  lineSchema,
  MerchantId,
  paragraphSchema,
  Scopes,
  Slug,
} from '../parts.ts'
import { patterns } from '../patterns.ts'
import { object, type Static, Type, withDescription } from '../schema.ts'
import { scopes } from '../words.ts'
import { credentialMembers } from './identity.ts'
import { WebhookEndpoints, WebhookReplay, WebhookSignatureFixture } from './webhooks.ts'

const OAuthEndpoints = object({
  authorization: Type.String(),
  token: Type.String(),
  pushedAuthorization: Type.String(),
  revocation: Type.String(),
  jwks: Type.String(),
  installationKeys: Type.String({ description: 'Where the app issues and revokes API keys of the installation.' }),
})

const DpopRules = object({
  required: Type.Literal(true),
  signingAlgs: Type.Array(Type.String()),
  nonceRequired: Type.Boolean(),
  jkt: Type.String({ description: 'Thumbprint of the key the token is bound to (RFC 7638).' }),
  iatWindowSeconds: withDescription('How old a proof may be.', Count),
})

export const OAuthAuthorization = object({
  kind: Type.Literal('oauth_authorization'),
  issuer: Type.String(),
  clientId: AppId,
  appName: Type.String(),
  installationId: InstallationId,
  merchant: object({ id: MerchantId, slug: Slug }),
  scopes: withDescription('What the merchant granted.', Scopes),
  grantedAt: Instant,
  tokenExpiresAt: Instant,
  endpoints: OAuthEndpoints,
  responseTypes: Type.Array(Type.Literal('code')),
  grantTypes: Type.Array(Type.String()),
  codeChallengeMethods: Type.Array(Type.Literal('S256')),
  tokenEndpointAuthMethods: Type.Array(Type.String()),
  dpop: DpopRules,
})

export const OperationResponse = object({
  data: Type.Union([WebhookEndpoints, WebhookSignatureFixture, WebhookReplay, OAuthAuthorization], {
    description: 'One of four objects, told apart by kind.',
    discriminator: {
      propertyName: 'kind',
      mapping: {
        webhook_endpoints: '#/components/schemas/WebhookEndpoints',
        webhook_signature_fixture: '#/components/schemas/WebhookSignatureFixture',
        webhook_replay: '#/components/schemas/WebhookReplay',
        oauth_authorization: '#/components/schemas/OAuthAuthorization',
      },
    },
  }),
})

export const InstallationKey = object(credentialMembers)

export const InstallationKeyCreateRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  name: lineSchema(1, 100),
  scopes: Type.Array(Scopes.items, {
    maxItems: scopes.length,
    uniqueItems: true,
    description: 'At most what the merchant granted. Empty: a key that needs no scope.',
  }),
  expiresAt: Type.Optional(withDescription('In the future. Left out: the key does not expire.', Instant)),
})

export const InstallationKeyTransitionRequest = object({
  idempotencyKey: Type.Optional(IdempotencyKey),
  reason: Type.Optional(paragraphSchema(1, 500, 'For your records.')),
})

export const InstallationKeyCreateResponse = object({
  data: object({
    key: InstallationKey,
    secret: Type.String({
      pattern: patterns.apiKey.source,
      description: 'The API key. Shown this once.',
    }),
  }),
})

export const InstallationKeyListResponse = object({
  data: object({ keys: Type.Array(InstallationKey, { maxItems: limits.listRowsMax, description: 'Newest first.' }) }),
})

export const InstallationKeyResponse = object({ data: object({ key: InstallationKey }) })

export type OAuthAuthorization = Static<typeof OAuthAuthorization>
export type OperationResponse = Static<typeof OperationResponse>
export type InstallationKey = Static<typeof InstallationKey>
export type InstallationKeyCreateRequest = Static<typeof InstallationKeyCreateRequest>
export type InstallationKeyTransitionRequest = Static<typeof InstallationKeyTransitionRequest>
export type InstallationKeyCreateResponse = Static<typeof InstallationKeyCreateResponse>
export type InstallationKeyListResponse = Static<typeof InstallationKeyListResponse>
export type InstallationKeyResponse = Static<typeof InstallationKeyResponse>
