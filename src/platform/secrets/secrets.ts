// Everything that uses the root secret: keys derived by purpose, encrypted texts and signed tokens. The root secret itself never leaves
// this file and cannot be printed by accident.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { inspect } from 'node:util'

const secretLengthMin = 32
const secretLengthMax = 1024
const secretVersionMax = 255 // one byte in an encrypted text
const printed = '[secret]'

// The secrets are stored outside of the object, so inspecting, copying or serializing the object cannot reveal them.
const textsOf = new WeakMap<RootSecret, ReadonlyMap<number, string>>()
const derivedFrom = new WeakMap<RootSecret, Map<string, KeyObject>>()
const listsFrom = new WeakMap<RootSecret, Map<string, [KeyObject, ...KeyObject[]]>>()

export class RootSecret {
  // The version with which new values are made. Other versions are only used to read earlier values.
  readonly currentVersion: number

  constructor(texts: ReadonlyMap<number, string>, currentVersion: number) {
    if (!texts.has(currentVersion)) throw new RangeError(`the root secret has no version ${currentVersion}`)
    this.currentVersion = currentVersion
    textsOf.set(this, new Map(texts))
  }

  // Version numbers, the current version first.
  get versions(): readonly number[] {
    const others = [...(textsOf.get(this)?.keys() ?? [])].filter((version) => version !== this.currentVersion)
    return [this.currentVersion, ...others.sort((one, other) => one - other)]
  }

  hasVersion(version: number): boolean {
    return textsOf.get(this)?.has(version) ?? false
  }

  toString(): string {
    return printed
  }

  toJSON(): string {
    return printed
  }

  [inspect.custom](): string {
    return printed
  }
}

// Parses one secret (version 1) or a list such as `2:<new>,1:<old>`. The first version listed is the current one, so a new version can be
// configured on all nodes (`1:<old>,2:<new>`) before any of them uses it. Error messages do not repeat the text.
export function parseRootSecret(text: string): RootSecret | { readonly problem: string } {
  const trimmed = text.trim()
  const parts = /^\d+:/.test(trimmed) ? trimmed.split(',') : [`1:${trimmed}`]
  const texts = new Map<number, string>()
  let currentVersion = 0
  for (const part of parts) {
    const [, digits, secret] = /^(\d{1,3}):(.*)$/s.exec(part.trim()) ?? []
    if (digits === undefined || secret === undefined) {
      return { problem: 'The root secret must be one text, or "2:<new>,1:<old>".' }
    }
    const version = Number(digits)
    if (version < 1 || version > secretVersionMax) {
      return { problem: `A version of the root secret must be 1 to ${secretVersionMax}.` }
    }
    if (texts.has(version)) return { problem: `Version ${version} of the root secret is given twice.` }
    if (secret.length < secretLengthMin || secret.length > secretLengthMax) {
      return { problem: `The root secret must have ${secretLengthMin} to ${secretLengthMax} characters.` }
    }
    if (!/^[\x21-\x7e]+$/.test(secret)) return { problem: 'The root secret must be visible ASCII without spaces.' }
    if ([...texts.values()].includes(secret)) return { problem: 'Two versions of the root secret are the same text.' }
    texts.set(version, secret)
    currentVersion ||= version
  }
  // Only the current version must be strong. Older versions only read earlier values, so a weak one can be replaced by a new version.
  if (isGuessable(texts.get(currentVersion) ?? '')) {
    return {
      problem:
        'The root secret is too easy to guess: `secret` prints a random one (for a database in use: "2:<new>,1:<old>").',
    }
  }
  return new RootSecret(texts, currentVersion)
}

// A guessable secret repeats itself (changemechangeme…), or has few different characters (aaaa…) or few different steps between them
// (abcd…). Of random secrets with only 32 hexadecimal digits, less than one in ten million is refused.
const differentMin = 8

function isGuessable(secret: string): boolean {
  const codes = [...secret].map((character) => character.charCodeAt(0))
  const steps = codes.slice(1).map((code, i) => code - (codes[i] ?? 0))
  const half = secret.length >> 1
  const isRepeated = codes.some((_, at) => at > 0 && at <= half && secret.startsWith(secret.slice(at)))
  return isRepeated || new Set(codes).size < differentMin || new Set(steps).size < differentMin
}

// HKDF-SHA-256. A purpose is a constant in the code, such as 'list cursor'; different purposes give unrelated keys. Deriving a key costs
// more than using it and there are few purposes, so keys are cached. They are cached as KeyObjects, because Node would otherwise create
// one for each use, which costs five times as much as a signature.
export function deriveKey(rootSecret: RootSecret, purpose: string, version = rootSecret.currentVersion): KeyObject {
  const text = textsOf.get(rootSecret)?.get(version)
  if (text === undefined) throw new RangeError(`the root secret has no version ${version}`)
  const derived = derivedFrom.get(rootSecret) ?? new Map<string, KeyObject>()
  derivedFrom.set(rootSecret, derived)
  const name = `${version} ${purpose}`
  const known = derived.get(name)
  if (known) return known
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', text, 'cartwright', purpose, 32)))
  derived.set(name, key)
  return key
}

// Returns the keys of all configured versions, the current one first, since another node may use another version.
export function deriveKeys(rootSecret: RootSecret, purpose: string): readonly [KeyObject, ...KeyObject[]] {
  const lists = listsFrom.get(rootSecret) ?? new Map<string, [KeyObject, ...KeyObject[]]>()
  listsFrom.set(rootSecret, lists)
  const known = lists.get(purpose)
  if (known) return known
  const [current = 0, ...others] = rootSecret.versions
  const keyOf = (version: number) => deriveKey(rootSecret, purpose, version)
  const keys: [KeyObject, ...KeyObject[]] = [keyOf(current), ...others.map(keyOf)]
  lists.set(purpose, keys)
  return keys
}

// A value that identifies a root secret without revealing anything about it or its derived keys.
export function checkValueOf(rootSecret: RootSecret, version: number): string {
  return deriveKey(rootSecret, 'check value', version).export().toString('base64url')
}

export function makeSecretText(): string {
  return randomBytes(32).toString('base64url')
}

// An encrypted text is the base64url of: format, key version, nonce, ciphertext and tag. Format, version and context are authenticated
// too, so the text cannot be moved to another row.
const sealedFormat = 1
const headBytes = 2
const nonceBytes = 12
const tagBytes = 16
const ownKey = 0 // the key version of a text encrypted with a separate key, not with the root secret

export function encrypt(key: KeyObject, plain: string, context: string): string {
  return sealAs(ownKey, key, plain, context)
}

// Returns undefined if the key or the context is wrong, or the text was changed.
export function decrypt(key: KeyObject, sealed: string, context: string): string | undefined {
  return openAs(ownKey, key, Buffer.from(sealed, 'base64url'), context)
}

// Purposes for which the root secret encrypts. Stored values must also be listed in reseal.ts, or they are lost with an old version. A
// purpose cannot be renamed, since stored rows could no longer be decrypted: e-mails still have the purpose 'letter'.
export const encryptionPurposes = [
  'address row key',
  'agent checkout',
  'agent signing key',
  'checkout customer',
  'checkout page',
  'customer address',
  'customer code',
  'customer passkey',
  'customer session',
  'database key',
  'document buyer',
  'former webhook secret',
  'idempotent answer',
  'invitation e-mail',
  'letter',
  'oauth artifact',
  'order page',
  'payment account',
  'payment place',
  'return note',
  'second factor',
  'second factor being set up',
  'user e-mail',
  'user name',
  'webhook secret',
  'withdrawal',
] as const
export type EncryptionPurpose = (typeof encryptionPurposes)[number]

export function encryptByRootSecret(
  rootSecret: RootSecret,
  purpose: EncryptionPurpose,
  plain: string,
  context: string,
  version = rootSecret.currentVersion,
): string {
  return sealAs(version, deriveKey(rootSecret, purpose, version), plain, context)
}

// Decrypts text that any configured version has encrypted.
export function decryptByRootSecret(
  rootSecret: RootSecret,
  purpose: EncryptionPurpose,
  sealed: string,
  context: string,
): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  const version = bytes[1]
  if (version === undefined || !rootSecret.hasVersion(version)) return undefined
  return openAs(version, deriveKey(rootSecret, purpose, version), bytes, context)
}

// Returns the version of the root secret that encrypted the text. Returns undefined for text that was not encrypted, or was encrypted
// with a separate key.
export function secretVersionOf(sealed: string): number | undefined {
  const [format, version] = Buffer.from(sealed.slice(0, 4), 'base64url')
  return format === sealedFormat && version !== ownKey ? version : undefined
}

// Returns the prefixes of all texts that a version has encrypted: two bytes, and the first two bits of the nonce, in base64url.
export function encryptedTextPrefixes(version: number): string[] {
  return [0, 64, 128, 192].map((bits) => Buffer.from([sealedFormat, version, bits]).toString('base64url').slice(0, 3))
}

// Random nonces are safe for 2^32 texts per key (NIST SP 800-38D, 8.3).
function sealAs(version: number, key: KeyObject, plain: string, context: string): string {
  const head = Buffer.from([sealedFormat, version])
  const nonce = newNonce()
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.concat([head, Buffer.from(context)]))
  const body = cipher.update(plain, 'utf8')
  // Completes the tag. In GCM, final() returns no further bytes.
  cipher.final()
  return Buffer.concat([head, nonce, body, cipher.getAuthTag()]).toString('base64url')
}

// Generating random bytes for many nonces costs as much as for one. Each nonce is used once.
const noncesAtOnce = 256
let nonces = Buffer.alloc(0)

function newNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(noncesAtOnce * nonceBytes)
  const nonce = nonces.subarray(0, nonceBytes)
  nonces = nonces.subarray(nonceBytes)
  return nonce
}

function openAs(version: number, key: KeyObject, bytes: Buffer, context: string): string | undefined {
  if (bytes.length < headBytes + nonceBytes + tagBytes) return undefined
  if (bytes[0] !== sealedFormat || bytes[1] !== version) return undefined
  const nonce = bytes.subarray(headBytes, headBytes + nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.concat([bytes.subarray(0, headBytes), Buffer.from(context)]))
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
  const body = decipher.update(bytes.subarray(headBytes + nonceBytes, bytes.length - tagBytes))
  try {
    decipher.final()
    return body.toString('utf8')
  } catch {
    return undefined // final() only throws if the tag is wrong
  }
}

// A token is the payload, which anyone can read, and its HMAC-SHA-256: `base64url(payload).base64url(mac)`.
const tokenLengthMax = 4096

export function signToken(key: KeyObject, payload: string): string {
  const body = Buffer.from(payload).toString('base64url')
  return `${body}.${macText(key, body)}`
}

export function verifyToken(key: KeyObject, token: string): string | undefined {
  if (token.length > tokenLengthMax) return undefined
  const dot = token.indexOf('.')
  if (dot < 0) return undefined
  const body = token.slice(0, dot)
  // Compares encoded text, so only the encoding that was signed is accepted.
  if (!isEqualSecret(macText(key, body), token.slice(dot + 1))) return undefined
  return Buffer.from(body, 'base64url').toString('utf8')
}

// Takes the same time wherever the texts differ. The lengths are not secret.
export function isEqualSecret(one: string, other: string): boolean {
  const oneBytes = Buffer.from(one)
  const otherBytes = Buffer.from(other)
  return oneBytes.length === otherBytes.length && timingSafeEqual(oneBytes, otherBytes)
}

function macText(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
