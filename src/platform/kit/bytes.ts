// Buffers for bytes that are cached. Node allocates small buffers from a shared block of 64 KB, and each keeps the whole block in memory.
// These buffers have memory of their own, so a limit on their lengths limits the memory.

export function lastingBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
