// The form of an API key, `cwk_live_` or `cwk_test_` (publishable: `cwp_live_`, `cwp_test_`) + 12 lookup + 30 secret + 6 checksum characters, and what is stored of it.
// The checksum tells a mistyped or invented key from a real one without asking the database; it protects nothing.
import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type KeyKind, keyKinds, type Mode, modes } from '../../contract/words.ts'
import { isBase62, randomBase62, toBase62 } from '../kit/base62.ts'
import { deriveKey, type RootSecret } from '../secrets/secrets.ts'

const lookupLength = 12
const secretLength = 30 // 178 bits
const checksumLength = 6

const heads: Readonly<Record<KeyKind, Readonly<Record<Mode, string>>>> = {
  secret: { live: 'cwk_live_', test: 'cwk_test_' },
  publishable: { live: 'cwp_live_', test: 'cwp_test_' },
}
const headLength = 9
const keyLength = headLength + lookupLength + secretLength + checksumLength

export interface ApiKey {
  readonly mode: Mode
  // Public: finds the row. The rest of the text decides whether the caller holds the key.
  readonly lookup: string
  readonly text: string
}

// The text is shown once to its owner and never stored.
export function makeKey(mode: Mode, kind: KeyKind = 'secret'): ApiKey {
  const lookup = randomBase62(lookupLength)
  const body = heads[kind][mode] + lookup + randomBase62(secretLength)
  return { mode, lookup, text: body + checksumOf(body) }
}

export function readKey(text: string): ApiKey | undefined {
  if (text.length !== keyLength) return undefined
  const mode = modeOf(text)
  if (mode === undefined || !isBase62(text.slice(headLength))) return undefined
  const body = text.slice(0, -checksumLength)
  if (checksumOf(body) !== text.slice(-checksumLength)) return undefined
  return { mode, lookup: text.slice(headLength, headLength + lookupLength), text }
}

// What lists and logs show, enough for the owner to tell keys apart: the public beginning, lookup included, and the last
// four characters.
export function keyPrefix(key: ApiKey): string {
  return key.text.slice(0, headLength + lookupLength)
}

export function keyLast4(key: ApiKey): string {
  return key.text.slice(-4)
}

// Whose key it is, and for what: the columns of its row that never change.
export interface KeyBinding {
  readonly id: string
  readonly installationId: string
  readonly merchantId: string
  readonly mode: Mode
  // As they stand in the row.
  readonly scopes: string
  // Separated by spaces; null for a secret key.
  readonly origins: string | null
}

// HMAC-SHA-256 under a pepper that is not in the database, so guesses cannot be tested with a stolen table. A
// slow hash would add nothing: the secret is random, not chosen by a person. What the key opens is under it too: with
// write access to the table alone, the row of one's own key could otherwise be moved to another installation.
export function keyDigest(rootSecret: RootSecret, pepperVersion: number, keyText: string, binding: KeyBinding): string {
  const { id, installationId, merchantId, mode, scopes, origins } = binding
  const bound = JSON.stringify([
    id,
    installationId,
    merchantId,
    mode,
    scopes,
    ...(origins === null ? [] : [origins.split(' ').sort()]),
  ])
  return digestOf(rootSecret, pepperVersion, `${keyText} ${bound}`)
}

// For keys that were made before digests were bound, until their next use.
export function unboundDigest(rootSecret: RootSecret, pepperVersion: number, keyText: string): string {
  return digestOf(rootSecret, pepperVersion, keyText)
}

function digestOf(rootSecret: RootSecret, pepperVersion: number, text: string): string {
  return createHmac('sha256', deriveKey(rootSecret, 'api key pepper', pepperVersion))
    .update(text)
    .digest('hex')
}

function modeOf(text: string): Mode | undefined {
  const head = text.slice(0, headLength)
  return modes.find((mode) => keyKinds.some((kind) => heads[kind][mode] === head))
}

function checksumOf(body: string): string {
  return toBase62(crc32(body), checksumLength)
}
