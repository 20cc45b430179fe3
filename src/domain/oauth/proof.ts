// Checks whether a caller holds the key that its access token is bound to: DPoP proofs (RFC 9449) at our own operations, and the nonces
// that the authorization server and our operations share.

import { createHash, hkdfSync } from 'node:crypto'
import { isEqualSecret } from '../../platform/secrets/secrets.ts'

export const proofAlgorithms = ['ES256', 'Ed25519', 'EdDSA'] as const

// How far the time of a proof may differ from ours.
export const proofAgeSecondsMax = 300
const proofAheadSecondsMax = 60

// A proof dated ahead is valid for longer; its record is stored until no node can still accept the proof.
export const proofStoredMs = 2 * (proofAgeSecondsMax + proofAheadSecondsMax) * 1000

const proofLengthMax = 4_096

export interface ExpectedProof {
  method: string
  // The URL that was called, under our public origin.
  url: string
  token: string
  // Thumbprint of the key that the token is bound to.
  jkt: string
}

// `nonce`: only the nonce is wrong; the caller retries with the nonce of our response.
export type ProofVerdict = { jti: string; nonce: string } | 'invalid' | 'nonce'

export async function verifyDpopProof(
  proof: string,
  demand: ExpectedProof,
  nonces: DpopNonces,
  now: Date,
): Promise<ProofVerdict> {
  if (proof.length > proofLengthMax) return 'invalid'
  // Imported with the first proof: callers with an API key do not need the library.
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

// Returns the thumbprint of the key in a proof; only meaningful once the proof is verified.
export async function readProofThumbprint(proof: string): Promise<string | null> {
  const { calculateJwkThumbprint, decodeProtectedHeader } = await import('jose')
  const { jwk } = decodeProtectedHeader(proof)
  return jwk === undefined ? null : calculateJwkThumbprint(jwk)
}

// Every error that the library throws here is the caller's fault: the embedded key may be malformed in any way.
function asInvalid(error: unknown, JOSEError: abstract new (...args: never) => Error): undefined {
  const isForeign = error instanceof JOSEError || error instanceof TypeError || error instanceof DOMException
  if (isForeign || (error instanceof Error && error.name === 'DataError')) return undefined
  throw error
}

// Compares without query and fragment (RFC 9449, 4.3), and regardless of how scheme and host are spelled.
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

// Nonces have the same values as the library's, since a client stores one nonce per origin: otherwise each switch between the library's
// endpoints and ours would cost a round trip. They are derived from one secret and the time, so every node knows them and none are
// stored.
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
