// The public keys with which a confidential app signs its requests: which keys are accepted, and what is stored of a key. Pure.

import { createPublicKey, type KeyObject } from 'node:crypto'
import { type BrokenRule, type Issue, issue } from '../../contract/issues.ts'

// A JSON Web Key Set (RFC 7517) of public keys.
export interface ClientKeys {
  readonly keys: readonly ClientKey[]
}

export type ClientKey = Readonly<Record<string, string>>

const keysMax = 10
const keyIdLengthMax = 200
// With a longer modulus, verifying a signature takes too long.
const modulusBits = { min: 2_048, max: 4_096 } as const

// The algorithms of each kind of key. An RSA key without `alg` uses PS256.
const kinds = {
  EC: { members: ['crv', 'x', 'y'], curve: 'P-256', algorithms: ['ES256'] },
  OKP: { members: ['crv', 'x'], curve: 'Ed25519', algorithms: ['Ed25519', 'EdDSA'] },
  RSA: { members: ['n', 'e'], curve: undefined, algorithms: ['PS256'] },
} as const

// Members that only private and symmetric keys have (RFC 7518, 6.2.2, 6.3.2, 6.4.1).
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

// Reads the operator's input. Unknown members of keys are not stored.
export function readClientKeys(given: unknown): ClientKeys | { readonly problem: Issue } {
  if (!isRecord(given) || !Array.isArray(given.keys))
    return bad('', issue('not_a_key_set', { example: '{ "keys": […] }' }))
  const entries: readonly unknown[] = given.keys
  if (entries.length < 1 || entries.length > keysMax) return bad('/keys', issue('key_count', { min: 1, max: keysMax }))
  const keys: ClientKey[] = []
  for (const [index, entry] of entries.entries()) {
    const read = readKey(entry)
    if ('problem' in read) return bad(`/keys/${index}${read.place}`, read.problem)
    if (read.key.kid !== undefined && keys.some(({ kid }) => kid === read.key.kid))
      return bad(`/keys/${index}/kid`, issue('repeated_key_id'))
    keys.push(read.key)
  }
  return { keys }
}

type Read = { key: ClientKey } | { place: string; problem: BrokenRule }

function readKey(given: unknown): Read {
  const wrong = (place: string, problem: BrokenRule): Read => ({ place, problem })
  if (!isRecord(given)) return wrong('', issue('not_a_key'))
  const secret = privateMembers.find((member) => Object.hasOwn(given, member))
  if (secret !== undefined) return wrong(`/${secret}`, issue('private_key'))
  const { kty, kid, use, alg } = given
  const kind = kty === 'EC' || kty === 'OKP' || kty === 'RSA' ? kinds[kty] : undefined
  if (typeof kty !== 'string' || !kind) return wrong('/kty', issue('unknown_key_type'))
  if (kind.curve !== undefined && given.crv !== kind.curve)
    return wrong('/crv', issue('not_exactly', { value: kind.curve }))
  if (alg !== undefined && !kind.algorithms.some((known) => known === alg))
    return wrong('/alg', issue('not_either', { alternatives: kind.algorithms }))
  if (use !== undefined && use !== 'sig') return wrong('/use', issue('not_exactly', { value: 'sig' }))
  if (!mayVerify(given.key_ops)) return wrong('/key_ops', issue('not_exactly', { value: '["verify"]' }))
  if (kid !== undefined && !isKeyId(kid)) return wrong('/kid', issue('bad_key_id', { max: keyIdLengthMax }))
  const key: Record<string, string> = { kty, use: 'sig' }
  if (typeof kid === 'string') key.kid = kid
  if (typeof alg === 'string') key.alg = alg
  else if (kty === 'RSA') key.alg = 'PS256'
  for (const member of kind.members) {
    const value = given[member]
    if (typeof value !== 'string' || !/^[\w-]{1,1000}$/.test(value)) return wrong(`/${member}`, issue('not_base64url'))
    key[member] = value
  }
  const made = publicKeyFrom(key)
  if (!made) return wrong('', issue('invalid_key'))
  return kty === 'RSA' && !isStrong(made) ? wrong('/n', issue('weak_key', modulusBits)) : { key }
}

function mayVerify(operations: unknown): boolean {
  return (
    operations === undefined || (Array.isArray(operations) && operations.length === 1 && operations[0] === 'verify')
  )
}

function isKeyId(kid: unknown): kid is string {
  return typeof kid === 'string' && kid.length <= keyIdLengthMax && /^[\x21-\x7e]+$/.test(kid)
}

// Points, lengths and numbers of the key are checked by the same library that will verify signatures with it.
function publicKeyFrom(key: ClientKey): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' })
  } catch {
    return undefined // the only error: the members are not a valid key
  }
}

function isStrong({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {}
  return modulusLength >= modulusBits.min && modulusLength <= modulusBits.max && publicExponent >= 65_537n
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bad(path: string, rule: BrokenRule): { problem: Issue } {
  return { problem: { path, ...rule } }
}
