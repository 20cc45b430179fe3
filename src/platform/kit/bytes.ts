// Bytes that live long. Node cuts small buffers out of a shared piece of 64 KB, and each of them holds on to the whole piece;
// these have memory of their own, so a bound on their length bounds what they hold.

export function lastingBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
