// Compresses long JSON texts for storage: a cart of a hundred lines has 40 KB with many repetitions, and is stored again with every
// change. Unpacking restores the same bytes.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

// Shorter texts are not compressed, since little would be gained. 35 KB become 3 KB in 0.15 ms.
const packedBytesMin = 8_192
// No JSON text begins with this prefix.
const mark = 'zstd:'
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
// Far more than any stored text has, so a corrupted text cannot make unpacking allocate all memory.
const unpackedBytesMax = 2 ** 24

export function packText(text: string): string {
  if (text.length < packedBytesMin && !text.startsWith(mark)) return text
  return mark + zstdCompressSync(text, options).toString('base64')
}

export function unpackText(stored: string): string {
  if (!stored.startsWith(mark)) return stored
  const bytes = Buffer.from(stored.slice(mark.length), 'base64')
  return zstdDecompressSync(bytes, { maxOutputLength: unpackedBytesMax }).toString()
}
