// Long JSON texts as they are stored: packed, since a cart of a hundred lines is 40 KB that repeat themselves and is stored
// anew with every change. Unpacking gives the same bytes.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

// Below, there is little to gain. A text of 35 KB becomes one of 3 KB in 0.15 ms.
const packedBytesMin = 8_192
// JSON begins with none of these.
const mark = 'zstd:'
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
// Far above what is ever packed: a damaged text must not ask for all memory.
const unpackedBytesMax = 2 ** 24

export function packed(text: string): string {
  if (text.length < packedBytesMin && !text.startsWith(mark)) return text
  return mark + zstdCompressSync(text, options).toString('base64')
}

export function unpacked(stored: string): string {
  if (!stored.startsWith(mark)) return stored
  const bytes = Buffer.from(stored.slice(mark.length), 'base64')
  return zstdDecompressSync(bytes, { maxOutputLength: unpackedBytesMax }).toString()
}
