// HTTP message signatures (RFC 9421) and digests of bodies (RFC 9530): the signature base, signing and verifying. Pure.

import { createHash, createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto'
import {
  bareText,
  type FieldItem,
  type FieldParams,
  fieldMemberText,
  type InnerList,
  innerListText,
  readDictionary,
  serializeItem,
} from './fields.ts'

// The parts of a request or a response that a signature can cover.
export interface SignableMessage {
  method?: string
  // Host and port, in lower case, without the default port of the scheme.
  authority?: string
  // The path as sent, without the query.
  path?: string
  // The query with its question mark, or '' if there is none.
  query?: string
  status?: number
  // Header values by name in lower case. The values of a repeated header are joined by commas.
  headers: Readonly<Record<string, string | undefined>>
}

export function contentDigestOf(body: Uint8Array | string): string {
  return `sha-256=${bareText(createHash('sha256').update(body).digest())}`
}

// Returns the text that is signed. Returns undefined if the signature covers a component twice, or one that is not supported or that the
// message does not have.
export function signatureBase(input: InnerList, message: SignableMessage): string | undefined {
  const lines: string[] = []
  const seen = new Set<string>()
  for (const item of input.items) {
    const name = serializeItem(item)
    const value = componentOf(item, message)
    if (value === undefined || seen.has(name)) return undefined
    seen.add(name)
    lines.push(`${name}: ${value}`)
  }
  lines.push(`"@signature-params": ${innerListText(input)}`)
  return lines.join('\n')
}

function componentOf({ value: name, params }: FieldItem, message: SignableMessage): string | undefined {
  if (typeof name !== 'string') return undefined
  if (name.startsWith('@')) return params.size > 0 ? undefined : derivedOf(name, message)
  const text = name === name.toLowerCase() ? message.headers[name]?.trim() : undefined
  const key = params.get('key')
  if (text === undefined || params.size === 0) return text
  if (params.size > 1 || typeof key !== 'string') return undefined
  const member = readDictionary(text)?.get(key)
  return member && fieldMemberText(member)
}

function derivedOf(name: string, { method, authority, path, query, status }: SignableMessage): string | undefined {
  switch (name) {
    case '@method':
      return method
    case '@authority':
      return authority
    case '@path':
      return path
    case '@query':
      return query === undefined ? undefined : query || '?'
    case '@status':
      return status === undefined ? undefined : String(status)
    default:
      return undefined
  }
}

export interface MessageSigner {
  keyId: string
  // A private key on the curve P-256.
  privateKey: KeyObject
}

// Returns the headers that sign a message. The signature covers the given components and the time of signing, in seconds.
export function signatureHeaders(
  components: readonly string[],
  message: SignableMessage,
  { keyId, privateKey }: MessageSigner,
  created: number,
): { 'signature-input': string; signature: string } {
  const none: FieldParams = new Map()
  const input: InnerList = {
    items: components.map((value) => ({ value, params: none })),
    params: new Map<string, string | number>([
      ['created', created],
      ['keyid', keyId],
    ]),
  }
  const base = signatureBase(input, message)
  if (base === undefined) throw new Error('the message lacks a component that the signature must cover')
  const bytes = sign('sha256', Buffer.from(base), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { 'signature-input': `sig1=${innerListText(input)}`, signature: `sig1=${bareText(bytes)}` }
}

export interface VerifyingKey {
  key: KeyObject
  // Null for Ed25519, which hashes internally.
  hash: 'sha256' | 'sha384' | null
  signatureBytes: number
}

const curves: Readonly<Record<string, Omit<VerifyingKey, 'key'>>> = {
  'EC P-256': { hash: 'sha256', signatureBytes: 64 },
  'EC P-384': { hash: 'sha384', signatureBytes: 96 },
  'OKP Ed25519': { hash: null, signatureBytes: 64 },
}

// Returns undefined if the key is invalid or its type is not supported.
export function verifyingKey({ kty, crv, x, y }: JsonWebKey): VerifyingKey | undefined {
  const curve = curves[`${kty} ${crv}`]
  if (!curve || typeof x !== 'string') return undefined
  try {
    const jwk = { kty, crv, x, ...(kty === 'EC' && { y }) } as JsonWebKey
    return { ...curve, key: createPublicKey({ key: jwk, format: 'jwk' }) }
  } catch {
    // The key is not a point on the curve, or is not base64url.
    return undefined
  }
}

// An ECDSA signature is r followed by s. A signature in DER has another length and is refused.
export function isSignedBy({ key, hash, signatureBytes }: VerifyingKey, base: string, signature: Buffer): boolean {
  if (signature.length !== signatureBytes) return false
  return verify(hash, Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, signature)
}

// Returns the thumbprint of a public key (RFC 7638, RFC 8037).
export function thumbprintOf({ kty, crv, x, y }: JsonWebKey): string {
  const members = kty === 'EC' ? { crv, kty, x, y } : { crv, kty, x }
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url')
}
