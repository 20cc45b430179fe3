// The encoding Windows-1252, for which Node has only a decoder.

const decoder = new TextDecoder('windows-1252')
const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]))

// Characters that the encoding does not have become question marks.
export function encodeWindows1252(text: string): Buffer {
  return Buffer.from(Array.from(text, (character) => codes.get(character) ?? 0x3f))
}
