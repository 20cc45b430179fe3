// Base62: only digits and letters, so a double click selects the whole text and no transport changes it.
import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// Writes a number in a fixed width, with leading zeros.
export function toBase62(value: number, width: number): string {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError('toBase62: the value must be a safe integer of at least 0')
  let rest = value
  let text = ''
  for (let i = 0; i < width; i++) {
    text = alphabet.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  if (rest !== 0) throw new RangeError(`toBase62: ${value} does not fit in ${width} characters`)
  return text
}

// Suitable for secrets: each character is uniformly random and has 5.95 bits. Bytes of 248 and above are discarded, because they would
// make the first eight characters more frequent.
export function randomBase62(length: number): string {
  const bytes = new Uint8Array(length + 16)
  let text = ''
  while (text.length < length) {
    randomFillSync(bytes)
    for (const byte of bytes) {
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
    }
  }
  return text
}

export function isBase62(text: string): boolean {
  return /^[0-9A-Za-z]+$/.test(text)
}
