// Buffers for long-lived bytes. Node cuts small buffers out of a shared block of 64 KB, and each of them keeps the whole block in memory.
// These have their own memory, so a limit on their length limits the memory.

export function lastingBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}
