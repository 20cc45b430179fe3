// The public metadata of OAuth: the endpoints and what they support. Pure.

import { scopes } from '../../contract/words.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'
import { assistantScopes } from './assistants.ts'
import { proofAlgorithms } from './proof.ts'

// Paths on the public origin, for the library and the metadata.
export const oauthPaths = {
  authorization: '/oauth/authorize',
  interaction: '/oauth/interaction',
  token: '/oauth/token',
  pushedAuthorization: '/oauth/par',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  endSession: '/oauth/session/end',
  metadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource/api/v1',
  assistantMetadata: '/.well-known/oauth-protected-resource/api/v1/admin/mcp',
  installationKeys: '/api/v1/oauth/installation-keys',
} as const

export const grantTypes = ['authorization_code', 'refresh_token'] as const
export const clientAuthMethods = ['private_key_jwt', 'none'] as const
export const clientSigningAlgorithms = ['ES256', 'PS256', 'Ed25519', 'EdDSA'] as const

// The identifier of our API (RFC 8707): the audience of every access token of an app.
export function apiResourceId(origin: string): string {
  return `${origin}/api/v1`
}

// The identifier of the MCP server for merchants: the audience of the tokens of assistants.
export function assistantAudience(origin: string): string {
  return `${origin}/api/v1/admin/mcp`
}

// Returns why this origin must not ask for passwords; undefined if it may.
export function originProblem(origin: string): string | undefined {
  const url = new URL(origin)
  if (url.protocol === 'https:' || isLoopback(url)) return undefined
  return `Apps are installed over https only: the public URL ${origin} must be https, or on this machine.`
}

// RFC 9728. Tokens give access to /api/v1/oauth and /api/v1/admin; other operations require the keys that are created with a token. There
// is no `jwks_uri`: it would list the resource server's keys, and no response is signed.
export function resourceMetadata(origin: string): object {
  return {
    resource: apiResourceId(origin),
    authorization_servers: [origin],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Cartwright: installation keys and admin API',
    resource_documentation: `${origin}/docs`,
    dpop_signing_alg_values_supported: proofAlgorithms,
    dpop_bound_access_tokens_required: true,
  }
}

// Tokens of assistants are bearer tokens, because chat programs have no keys.
export function assistantMetadata(origin: string): object {
  return {
    resource: assistantAudience(origin),
    authorization_servers: [origin],
    scopes_supported: assistantScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Cartwright: run a shop by MCP',
    resource_documentation: `${origin}/docs`,
  }
}

// The members that are published. The library adds others for OpenID, which we do not support (RFC 8414, 2).
const members: ReadonlySet<string> = new Set([
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'revocation_endpoint',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'pushed_authorization_request_endpoint',
  'dpop_signing_alg_values_supported',
  'request_uri_parameter_supported',
])

export function serverMetadata(origin: string, full: Readonly<Record<string, unknown>>): object {
  return {
    ...Object.fromEntries(Object.entries(full).filter(([name]) => members.has(name))),
    response_modes_supported: ['query'],
    scopes_supported: scopes,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_signing_alg_values_supported: clientSigningAlgorithms,
    // OAuth Client ID Metadata Document, 5: assistants are identified by the URL of their document.
    client_id_metadata_document_supported: true,
    protected_resources: [apiResourceId(origin), assistantAudience(origin)],
    service_documentation: `${origin}/docs`,
  }
}
