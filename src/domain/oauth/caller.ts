// Authenticates the caller of an operation: checks the access token, the key to which the token is bound, and the installation. A proof
// is valid for one request.

import type { IncomingMessage } from 'node:http'
import { scopes as knownScopes, type Scope } from '../../contract/words.ts'
import type { CallerDenial, Gate } from '../../platform/http/gates.ts'
import type { Incoming } from '../../platform/http/message.ts'
import type { OAuthCaller } from '../../platform/http/open.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { decryptPayload, encryptPayload, hashArtifactId, type Payload } from './artifacts.ts'
import { findTokenHolder, type TokenHolder } from './grants.ts'
import { apiResourceId, oauthPaths } from './metadata.ts'
import { type DpopNonces, proofAlgorithms, proofStoredMs, verifyDpopProof } from './proof.ts'
import { insertOnce } from './store.ts'

export interface GateParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  nonces: () => Promise<DpopNonces>
}

type Problem = 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce'

export function createOAuthGate({
  storage,
  rootSecret,
  publicOrigin,
  nonces: findNonces,
}: GateParts): Gate<OAuthCaller> {
  // The response contains the error code of a failure (RFC 9449, 7.1), not which part of the token or proof was wrong.
  function refusalWith(nonces: DpopNonces, problem: Problem | null, now: Date): CallerDenial {
    const facts = [
      ...(problem === null ? [] : [`error="${problem}"`]),
      `algs="${proofAlgorithms.join(' ')}"`,
      `resource_metadata="${publicOrigin()}${oauthPaths.resourceMetadata}"`,
    ]
    return {
      headers: { 'www-authenticate': `DPoP ${facts.join(', ')}`, 'dpop-nonce': nonces.next(now) },
      // The nonce is checked last, so the token and the rest of the proof are valid.
      isSuspicious: problem !== 'use_dpop_nonce',
    }
  }

  // The encrypted payload decides whose token it is; the columns only find the row, and may have been tampered with.
  function payloadFor(holder: TokenHolder, id: string): Payload | undefined {
    const payload = decryptPayload(rootSecret, 'AccessToken', id, holder.sealed)
    if (typeof payload?.grantId !== 'string' || hashArtifactId(payload.grantId) !== holder.grantId) return undefined
    return payload.clientId === holder.appId ? payload : undefined
  }

  async function claimProof(jkt: string, jti: string, now: Date): Promise<boolean> {
    const id = hashArtifactId(`${jkt} ${jti}`)
    const sealed = encryptPayload(rootSecret, 'Proof', id, {})
    const expiresAt = now.getTime() + proofStoredMs
    return storage.write((tx) =>
      insertOnce(tx, { kind: 'Proof', id, sealed, grantId: null, uid: null, expiresAt }, now.getTime()),
    )
  }

  return async ({ raw }: Incoming, now) => {
    const nonces = await findNonces()
    const refusalFor = (problem: Problem | null, at: Date) => refusalWith(nonces, problem, at)
    const token = tokenIn(raw)
    if (token === undefined) return refusalFor(null, now)
    const id = hashArtifactId(token)
    const holder = await storage.read((db) => findTokenHolder(db, id, now.getTime()))
    const payload = holder && payloadFor(holder, id)
    const origin = publicOrigin()
    const { aud, jkt, exp, scope } = payload ?? {}
    if (!holder || aud !== apiResourceId(origin) || typeof jkt !== 'string' || !isAhead(exp, now))
      return refusalFor('invalid_token', now)
    const proof = proofIn(raw)
    if (proof === undefined) return refusalFor('invalid_dpop_proof', now)
    const url = origin + (URL.parse(raw.url ?? '', origin)?.pathname ?? '')
    const verdict = await verifyDpopProof(proof, { method: raw.method ?? '', url, token, jkt }, nonces, now)
    if (verdict === 'invalid') return refusalFor('invalid_dpop_proof', now)
    if (verdict === 'nonce') return refusalFor('use_dpop_nonce', now)
    const next = nonces.next(now)
    return {
      principal: callerFrom(holder, { jkt, exp, scope: typeof scope === 'string' ? scope : '' }),
      headers: verdict.nonce === next ? {} : { 'dpop-nonce': next },
      // The proof is recorded as used last, and only if the caller is admitted, so a refused proof can be used again.
      claim: async () => ((await claimProof(jkt, verdict.jti, now)) ? null : refusalFor('invalid_dpop_proof', now)),
    }
  }
}

// The library counts in seconds, so the row of a token may outlive the token by a fraction of a second.
function isAhead(exp: unknown, now: Date): exp is number {
  return typeof exp === 'number' && exp * 1000 > now.getTime()
}

function callerFrom(holder: TokenHolder, token: { jkt: string; exp: number; scope: string }): OAuthCaller {
  const granted = scopesIn(JSON.parse(holder.grantedScopes) as string[])
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
    scopes: scopesIn(token.scope.split(' ')).filter((scope) => granted.includes(scope)),
    tokenExpiresAt: token.exp * 1000,
    jkt: token.jkt,
  }
}

// Returns scopes in the order of the contract. Unknown scopes are dropped.
function scopesIn(words: readonly string[]): readonly Scope[] {
  return knownScopes.filter((scope) => words.includes(scope))
}

const tokenLengthMax = 512

// The scheme is case-insensitive. A bound token with the scheme `Bearer` is refused, because no proof would be checked.
function tokenIn({ headers }: IncomingMessage): string | undefined {
  const [, token] = /^dpop +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization ?? '') ?? []
  return token === undefined || token.length > tokenLengthMax ? undefined : token
}

// The request must have exactly one proof. Node joins two `DPoP` headers to one value; only the raw headers show both.
function proofIn({ rawHeaders }: IncomingMessage): string | undefined {
  let found: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'dpop') continue
    if (found !== undefined) return undefined
    found = rawHeaders[i + 1]
  }
  return found
}
