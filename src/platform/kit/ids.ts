// Identifiers: TypeIDs (`prefix_` + a UUIDv7 in 26 characters of base32), which sort by the time of their creation. All ids and their
// random bits are generated here. An id is never a secret.
import { randomFillSync } from 'node:crypto'
import type { IdPrefix } from '../../contract/words.ts'

// Any prefix. With this type, editors still suggest the known ones.
type AnyPrefix = IdPrefix | (string & {})

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const suffixLength = 26

// Two characters per ten bits, so a suffix takes thirteen look-ups instead of twenty-six.
const pairs = Array.from({ length: 1024 }, (_, i) => alphabet.charAt(i >> 5) + alphabet.charAt(i & 31))

// The 128 bits with two leading zeros are 26 characters: 10 of time, 6 of counter, 10 of random bits.
//   time     00 + 48 bits of milliseconds
//   counter  version 0111, 12 bits, variant 10, 12 bits: a 24-bit counter in its two places
//   random   50 bits
// Within a millisecond the counter is incremented (RFC 9562, 6.2, method 1), from a random start below 2^23, so at least 8 million
// ids fit. If the clock steps back, ids keep the last millisecond; if the counter is full, they take the next millisecond early.
const poolSize = 2048

export function createIdMaker(
  clock: () => number,
  fillWithChance: (pool: Uint16Array) => unknown,
  counterEnd = 2 ** 24,
): (prefix: AnyPrefix) => string {
  const pool = new Uint16Array(poolSize)
  let used = poolSize
  let lastMs = -1
  let time = ''
  let counter = counterEnd

  function draw(): number {
    if (used === poolSize) {
      fillWithChance(pool)
      used = 0
    }
    return pool[used++] as number
  }

  function startMillisecond(nowMs: number): void {
    lastMs = nowMs
    time = timeText(nowMs)
    counter = ((draw() & 0x7ff) << 12) | (draw() & 0xfff)
  }

  function drawPair(): string {
    return pairs[draw() & 1023] as string
  }

  return (prefix) => {
    const nowMs = clock()
    if (nowMs > lastMs) startMillisecond(nowMs)
    else if (++counter === counterEnd) startMillisecond(lastMs + 1)

    const bits = (0b0111 << 26) | ((counter >> 12) << 14) | (0b10 << 12) | (counter & 0xfff)
    const middle = (pairs[bits >> 20] as string) + pairs[(bits >> 10) & 1023] + pairs[bits & 1023]
    return `${prefix}_${time}${middle}${drawPair()}${drawPair()}${drawPair()}${drawPair()}${drawPair()}`
  }
}

export const newId: (prefix: AnyPrefix) => string = createIdMaker(Date.now, randomFillSync)

// Returns an id derived from a hash: it has the first 128 bits of the hash, and no time and no UUID version.
export function idFromDigest(prefix: AnyPrefix, digest: Buffer): string {
  let number = digest.readBigUInt64BE(0) * 2n ** 64n + digest.readBigUInt64BE(8)
  let suffix = ''
  for (let place = 0; place < suffixLength; place += 1) {
    suffix = `${alphabet[Number(number & 31n)]}${suffix}`
    number >>= 5n
  }
  return `${prefix}_${suffix}`
}

// Returns a number below 1,024 as two base32 characters.
export function twoDigits(number: number): string {
  const text = pairs[number]
  if (text === undefined) throw new RangeError(`the number must be from 0 to ${pairs.length - 1}, not ${number}`)
  return text
}

const isDigitOf32 = new Uint8Array(128)
for (const character of alphabet) isDigitOf32[character.charCodeAt(0)] = 1

// The UUID version and variant are not checked: a foreign id of the same form is simply not found.
export function isId(prefix: AnyPrefix, value: string): boolean {
  const start = prefix.length + 1
  if (value.length !== start + suffixLength) return false
  if (!value.startsWith(prefix) || value[prefix.length] !== '_') return false
  if (value.charCodeAt(start) > 0x37) return false // above '7' the number has more than 128 bits
  for (let i = start; i < value.length; i++) {
    if (isDigitOf32[value.charCodeAt(i)] !== 1) return false
  }
  return true
}

const digitOf32 = new Map([...alphabet].map((character, digit) => [character, digit]))
const timeLength = 10

// Returns when an id was generated, in milliseconds. Ids with the same prefix sort by this time.
export function idTimeOf(id: string): number {
  const start = id.indexOf('_') + 1
  let ms = 0
  for (const character of id.slice(start, start + timeLength)) ms = ms * 32 + (digitOf32.get(character) ?? 0)
  return ms
}

function timeText(ms: number): string {
  const high = Math.floor(ms / 2 ** 20)
  const low = ms % 2 ** 20
  return (
    (pairs[Math.floor(high / 2 ** 20)] as string) +
    pairs[(high >> 10) & 1023] +
    pairs[high & 1023] +
    pairs[low >> 10] +
    pairs[low & 1023]
  )
}
