// Authenticates callers of the MCP server for merchants by an assistant's access token: a bearer token that is valid only for the address
// of this server.

import type { CallerDenial, Gate } from '../../platform/http/gates.ts'
import type { OAuthCaller } from '../../platform/http/open.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { decryptPayload, hashArtifactId } from './artifacts.ts'
import { type AssistantHolder, currentScopes, findAssistantHolder } from './assistants.ts'
import { assistantAudience, oauthPaths } from './metadata.ts'

export interface AssistantGateParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
}

// The WWW-Authenticate header for a caller without a valid credential (RFC 6750, 3; RFC 9728, 5.1): where to find the authorization
// server, and which scope to request.
export function assistantChallenge(origin: string, facts: { error?: string; scope: string }): string {
  const { error, scope } = facts
  return [
    `Bearer resource_metadata="${origin}${oauthPaths.assistantMetadata}"`,
    ...(error === undefined ? [] : [`error="${error}"`]),
    `scope="${scope}"`,
  ].join(', ')
}

export function createAssistantGate({ storage, rootSecret, publicOrigin }: AssistantGateParts): Gate<OAuthCaller> {
  return async ({ raw }, now) => {
    const { authorization } = raw.headers
    const origin = publicOrigin()
    const denied: CallerDenial = {
      headers: {
        'www-authenticate': assistantChallenge(origin, {
          ...(authorization !== undefined && { error: 'invalid_token' }),
          scope: 'admin:read',
        }),
      },
      // A first request without a token is normal.
      isSuspicious: authorization !== undefined,
    }
    const [, token] = /^bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i.exec(authorization ?? '') ?? []
    if (token === undefined) return denied
    const id = hashArtifactId(token)
    const holder = await storage.read((db) => findAssistantHolder(db, id, now.getTime()))
    const payload = holder && decryptPayload(rootSecret, 'AccessToken', id, holder.sealed)
    if (!holder || !payload) return denied
    // The encrypted payload decides whose token it is. A token that is bound to a key is not accepted as a bearer token.
    const { grantId, clientId, aud, exp, jkt, scope } = payload
    const isTheirs =
      typeof grantId === 'string' && hashArtifactId(grantId) === holder.grantId && clientId === holder.clientUri
    const isGood = aud === assistantAudience(origin) && Number(exp) * 1000 > now.getTime() && jkt === undefined
    if (!isTheirs || !isGood) return denied
    return { principal: callerFrom(holder, { exp: Number(exp), scope: typeof scope === 'string' ? scope : '' }) }
  }
}

// A client may request a token with fewer scopes than it was granted (RFC 6749, 6).
function callerFrom(holder: AssistantHolder, token: { exp: number; scope: string }): OAuthCaller {
  const granted = currentScopes(JSON.parse(holder.grantedScopes) as string[], holder.held)
  const asked = token.scope.split(' ')
  return {
    kind: 'oauth',
    id: holder.installationId,
    merchantId: holder.merchantId,
    installationId: holder.installationId,
    claimant: holder.installationId,
    throttleKey: holder.grantId,
    merchantSlug: holder.merchantSlug,
    mode: holder.mode,
    appId: holder.appId,
    appName: holder.appName,
    grantedAt: holder.grantedAt,
    grantedScopes: granted,
    scopes: granted.filter((scope) => asked.includes(scope)),
    tokenExpiresAt: token.exp * 1000,
    jkt: '',
  }
}
