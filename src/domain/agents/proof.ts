// Checks whether a request was signed with a key of the platform's profile, by the rules of the Universal Commerce Protocol: which parts
// of the request a signature must cover, which keys may sign, and how long a signature is valid. Pure.

import type { JsonWebKey } from 'node:crypto'
import { type FieldItem, fieldBytes, type InnerList, isInnerList, readDictionary } from '../../platform/kit/fields.ts'
import {
  contentDigestOf,
  isSignedBy,
  type SignableMessage,
  signatureBase,
  thumbprintOf,
  verifyingKey,
} from '../../platform/kit/httpsig.ts'

export interface ProvableRequest extends SignableMessage {
  method: string
  authority: string
  path: string
  query: string
  body: Buffer
}

export type SignatureProblem =
  | 'signature_missing'
  | 'signature_invalid'
  | 'key_not_found'
  | 'digest_mismatch'
  | 'algorithm_unsupported'

// Returns null if at least one signature of the request is valid, otherwise the problem of the first signature.
export function findSignatureProblem(
  request: ProvableRequest,
  keys: readonly unknown[],
  nowMs: number,
): SignatureProblem | null {
  const inputs = readDictionary(request.headers['signature-input'] ?? '')
  const signatures = readDictionary(request.headers.signature ?? '')
  if (!inputs || !signatures || inputs.size === 0) return 'signature_invalid'
  let problem: SignatureProblem | null = null
  for (const [label, input] of [...inputs].slice(0, signaturesMax)) {
    const bytes = fieldBytes(signatures.get(label))
    if (!bytes) problem ??= 'signature_missing'
    else if (!isInnerList(input)) problem ??= 'signature_invalid'
    else {
      const found = candidateProblem(request, keys, { input, bytes }, nowMs)
      if (found === null) return null
      problem ??= found
    }
  }
  return problem ?? 'signature_invalid'
}

export function hasSignature({ headers }: { headers: Readonly<Record<string, unknown>> }): boolean {
  return headers.signature !== undefined || headers['signature-input'] !== undefined
}

// Limits per request: verifying a signature takes time.
const signaturesMax = 4
const keysMax = 100

interface Candidate {
  input: InnerList
  bytes: Buffer
}

function candidateProblem(
  request: ProvableRequest,
  keys: readonly unknown[],
  { input, bytes }: Candidate,
  nowMs: number,
): SignatureProblem | null {
  const keyId = input.params.get('keyid')
  const tag = input.params.get('tag')
  if (typeof keyId !== 'string' || (tag !== undefined && tag !== 'web-bot-auth')) return 'signature_invalid'
  const jwk = keys.slice(0, keysMax).find((key): key is JsonWebKey => isKeyNamed(key, keyId))
  if (!jwk) return 'key_not_found'
  // In Web Bot Auth, the key id must be the thumbprint of the key.
  if (tag !== undefined && keyId !== thumbprintOf(jwk)) return 'signature_invalid'
  const key = verifyingKey(jwk)
  if (!key) return 'algorithm_unsupported'
  if (!isCovered(request, input) || !isTimely(input, nowMs / 1_000)) return 'signature_invalid'
  if (request.body.length > 0 && !hasDigest(request)) return 'digest_mismatch'
  const base = signatureBase(input, request)
  return base !== undefined && isSignedBy(key, base, bytes) ? null : 'signature_invalid'
}

// Keys that are for encryption or not for verifying are ignored.
function isKeyNamed(key: unknown, keyId: string): boolean {
  if (typeof key !== 'object' || key === null) return false
  const { kid, use, key_ops: operations } = key as { kid?: unknown; use?: unknown; key_ops?: unknown }
  return (
    kid === keyId &&
    use !== 'enc' &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify')))
  )
}

const bound: readonly string[] = ['ucp-agent', 'idempotency-key', 'signature-agent']

// An attacker could change parts that the signature does not cover. It must cover method, host, path, query, body, and the headers that
// identify the caller and its retries.
function isCovered({ headers, query, body }: ProvableRequest, { items }: InnerList): boolean {
  const covered = new Set(items.filter(isWhole).map(({ value }) => value))
  const needed = [
    '@method',
    '@authority',
    '@path',
    ...(query === '' ? [] : ['@query']),
    ...(body.length > 0 ? ['content-digest', 'content-type'] : []),
    ...bound.filter((name) => headers[name] !== undefined),
  ]
  return needed.every((name) => covered.has(name))
}

// A component with parameters covers only part of a field, so it is ignored. The exceptions are the sha-256 digest, which is checked, and
// `signature-agent`, whose parameter names its own member in Web Bot Auth.
function isWhole({ value, params }: FieldItem): boolean {
  if (params.size === 0 || value === 'signature-agent') return true
  return value === 'content-digest' && params.size === 1 && params.get('key') === 'sha-256'
}

const aheadSecondsMax = 5 * 60
// Maximum age of a signature without an expiry, and maximum lifetime of one with an expiry.
const ageSecondsMax = 10 * 60
const lifeSecondsMax = 24 * 3_600

// The protocol makes both times optional. A replayed request has no effect: a change is made once for its idempotency key, which the
// signature covers.
function isTimely({ params }: InnerList, now: number): boolean {
  const created = params.get('created')
  const expires = params.get('expires')
  if (created !== undefined && (typeof created !== 'number' || created > now + aheadSecondsMax)) return false
  if (expires !== undefined && (typeof expires !== 'number' || expires <= now)) return false
  if (created === undefined) return expires === undefined || expires <= now + lifeSecondsMax
  return now - created <= (expires === undefined ? ageSecondsMax : lifeSecondsMax)
}

function hasDigest({ headers, body }: ProvableRequest): boolean {
  const digest = fieldBytes(readDictionary(headers['content-digest'] ?? '')?.get('sha-256'))
  return digest !== undefined && `sha-256=:${digest.toString('base64')}:` === contentDigestOf(body)
}
