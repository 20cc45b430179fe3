// Checks whether a caller has the key to which its access token is bound: DPoP proofs (RFC 9449) for our own operations, and the nonces
// that the authorization server and our operations share.

import { createHash, hkdfSync } from 'node:crypto'
import { isEqualSecret } from '../../platform/secrets/secrets.ts'

export const proofAlgorithms = ['ES256', 'Ed25519', 'EdDSA'] as const

// How far the time of a proof may differ from the server's time.
export const proofAgeSecondsMax = 300
const proofAheadSecondsMax = 60

// A proof dated in the future is valid for longer. Its record is stored until no node accepts the proof any more.
export const proofStoredMs = 2 * (proofAgeSecondsMax + proofAheadSecondsMax) * 1000

const proofLengthMax = 4_096

export interface ExpectedProof {
  method: string
  // The URL of the request, at the public origin.
  url: string
  token: string
  // Thumbprint of the key to which the token is bound.
  jkt: string
}

// `nonce`: all but the nonce is valid; the caller should retry with the nonce of the response.
export type ProofVerdict = { jti: string; nonce: string } | 'invalid' | 'nonce'

export async function verifyDpopProof(
  proof: string,
  demand: ExpectedProof,
  nonces: DpopNonces,
  now: Date,
): Promise<ProofVerdict> {
  if (proof.length > proofLengthMax) return 'invalid'
  // Imported when the first proof arrives: callers with an API key do not need the library.
  const { calculateJwkThumbprint, EmbeddedJWK, errors, jwtVerify } = await import('jose')
  const verified = await jwtVerify(proof, EmbeddedJWK, {
    algorithms: [...proofAlgorithms],
    typ: 'dpop+jwt',
    requiredClaims: ['jti', 'htm', 'htu', 'iat', 'ath'],
    currentDate: now,
  }).catch((error: unknown) => asInvalid(error, errors.JOSEError))
  if (!verified) return 'invalid'
  const { payload, protectedHeader } = verified
  const { jti, htm, htu, iat, ath, nonce } = payload
  if (typeof jti !== 'string' || jti === '' || typeof iat !== 'number' || !protectedHeader.jwk) return 'invalid'
  if (htm !== demand.method || typeof htu !== 'string' || !isSameAddress(htu, demand.url)) return 'invalid'
  if (ath !== createHash('sha256').update(demand.token).digest('base64url')) return 'invalid'
  const age = now.getTime() / 1000 - iat
  if (age > proofAgeSecondsMax || age < -proofAheadSecondsMax) return 'invalid'
  if ((await calculateJwkThumbprint(protectedHeader.jwk)) !== demand.jkt) return 'invalid'
  if (nonce !== undefined && typeof nonce !== 'string') return 'invalid'
  return nonce !== undefined && nonces.has(nonce, now) ? { jti, nonce } : 'nonce'
}

// Returns the thumbprint of the key in a proof. It proves nothing before the proof is verified.
export async function readProofThumbprint(proof: string): Promise<string | null> {
  const { calculateJwkThumbprint, decodeProtectedHeader } = await import('jose')
  const { jwk } = decodeProtectedHeader(proof)
  return jwk === undefined ? null : calculateJwkThumbprint(jwk)
}

// All errors that the library throws here are caused by the caller, whose embedded key may be malformed in any way.
function asInvalid(error: unknown, JOSEError: abstract new (...args: never) => Error): undefined {
  const isForeign = error instanceof JOSEError || error instanceof TypeError || error instanceof DOMException
  if (isForeign || (error instanceof Error && error.name === 'DataError')) return undefined
  throw error
}

// Compares without query and fragment (RFC 9449, 4.3), after normalizing scheme and host.
function isSameAddress(htu: string, url: string): boolean {
  const address = URL.parse(htu)
  if (!address) return false
  address.search = ''
  address.hash = ''
  return address.href === new URL(url).href
}

export interface DpopNonces {
  // Returns the newest nonce, for the next response.
  next(now: Date): string
  has(nonce: string, now: Date): boolean
}

const stepSeconds = 60

// Nonces equal those of the library: a client stores one nonce per origin, so with different nonces each switch between endpoints of the
// library and ours would cost a round trip. They are derived from a secret and the time, so every node computes them and none is stored.
export function createDpopNonces(secret: Buffer): DpopNonces {
  function at(step: number): string {
    const salt = Buffer.alloc(8)
    salt.writeBigUInt64BE(BigInt(step))
    return Buffer.from(hkdfSync('sha256', secret, salt, 'DPoP', 32)).toString('base64url')
  }
  const stepOf = (now: Date) => Math.floor(now.getTime() / 1000 / stepSeconds)
  return {
    next: (now) => at(stepOf(now) + 1),
    has: (nonce, now) => [-2, -1, 0, 1, 2].some((offset) => isEqualSecret(at(stepOf(now) + offset), nonce)),
  }
}
