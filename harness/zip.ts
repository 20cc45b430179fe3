// Reads a ZIP file by its directory, as programs that unpack one do, and checks sizes and check sums.

import assert from 'node:assert/strict'
import { crc32, inflateRawSync } from 'node:zlib'

export function readZip(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.length - 22
  assert.equal(bytes.toString('latin1', end, end + 4), 'PK\x05\x06')
  const files = new Map<string, Buffer>()
  let at = bytes.readUInt32LE(end + 16)
  assert.equal(at + bytes.readUInt32LE(end + 12), end)
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    assert.equal(bytes.toString('latin1', at, at + 4), 'PK\x01\x02')
    const nameLength = bytes.readUInt16LE(at + 28)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    assert.ok(!files.has(name), name)
    files.set(name, readEntry(bytes, at, nameLength))
    at += 46 + nameLength
  }
  assert.equal(at, end)
  return files
}

function readEntry(bytes: Buffer, at: number, nameLength: number): Buffer {
  const local = bytes.readUInt32LE(at + 42)
  assert.equal(bytes.toString('latin1', local, local + 4), 'PK\x03\x04')
  // What both say of it: version, flags, method, time, sum, sizes and length of the name, and the name itself.
  assert.deepEqual(bytes.subarray(local + 4, local + 30), bytes.subarray(at + 6, at + 32))
  const from = local + 30 + nameLength
  assert.deepEqual(bytes.subarray(local + 30, from), bytes.subarray(at + 46, at + 46 + nameLength))
  const body = bytes.subarray(from, from + bytes.readUInt32LE(at + 20))
  const file = bytes.readUInt16LE(at + 10) === 8 ? inflateRawSync(body) : body
  assert.equal(file.length, bytes.readUInt32LE(at + 24))
  assert.equal(crc32(file), bytes.readUInt32LE(at + 16))
  return file
}
