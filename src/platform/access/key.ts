// The format of an API key, `cwk_live_` or `cwk_test_` (publishable: `cwp_live_`, `cwp_test_`) + 12 lookup + 30 secret + 6 checksum
// characters, and the values that are stored for it. The checksum rejects a mistyped or invented key without a query; it is not a
// security measure.
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
  // Public part, by which the row is found. The rest of the text proves that the caller has the key.
  readonly lookup: string
  readonly text: string
}

// The text is shown once to the owner and never stored.
export function generateKey(mode: Mode, kind: KeyKind = 'secret'): ApiKey {
  const lookup = randomBase62(lookupLength)
  const body = heads[kind][mode] + lookup + randomBase62(secretLength)
  return { mode, lookup, text: body + checksumOf(body) }
}

export function parseApiKey(text: string): ApiKey | undefined {
  if (text.length !== keyLength) return undefined
  const mode = modeOf(text)
  if (mode === undefined || !isBase62(text.slice(headLength))) return undefined
  const body = text.slice(0, -checksumLength)
  if (checksumOf(body) !== text.slice(-checksumLength)) return undefined
  return { mode, lookup: text.slice(headLength, headLength + lookupLength), text }
}

// The public beginning of a key with the lookup part, shown in lists and logs to tell keys apart. The last four characters are shown
// separately.
export function keyPrefix(key: ApiKey): string {
  return key.text.slice(0, headLength + lookupLength)
}

export function keyLast4(key: ApiKey): string {
  return key.text.slice(-4)
}

// Owner and rights of a key, which never change.
export interface KeyBinding {
  readonly id: string
  readonly installationId: string
  readonly merchantId: string
  readonly mode: Mode
  // The scopes as stored in the row.
  readonly scopes: string
  // Origins separated by spaces; null for a secret key.
  readonly origins: string | null
}

// HMAC-SHA-256 with a pepper that is not in the database, so a stolen table cannot be used to verify guesses. A slow hash would add
// nothing: the secret is random, not chosen by a person. The digest also covers the key's rights: otherwise an attacker with write access
// to the table could give their own key the rights of another installation.
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

// Digest of a key that was created by a release that did not bind digests to rights. The next use of the key replaces it.
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
