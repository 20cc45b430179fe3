// Bytes that are kept for long. Node cuts small buffers out of a shared piece of 64 KB, and whoever keeps one of them keeps
// the whole piece; these have memory of their own, so that a bound on their length bounds what they hold.

export function lastingBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
