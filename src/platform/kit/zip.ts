// Writes a ZIP file (APPNOTE 6.3.10) entry by entry, so memory is only needed for the largest entry and the directory.

import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

export interface ZipEntry {
  // Path with slashes between folders.
  name: string
  // Date of the last change, such as 2026-11-18.
  day: string
  bytes: Buffer
  // Whether the bytes are stored uncompressed, because they are already compressed.
  isStored: boolean
}

// Limits of the format without ZIP64, its extension for larger files.
const entriesMax = 0xffff
const bytesMax = 0xffff_ffff

// Runs in a thread, since compressing a large text would block the event loop.
const deflate = promisify<Buffer, Buffer>(deflateRaw)

export async function* zipFile(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer, void, undefined> {
  const directory: Buffer[] = []
  let offset = 0
  for await (const entry of entries) {
    const name = Buffer.from(entry.name)
    const body = entry.isStored ? entry.bytes : await deflate(entry.bytes)
    const facts = factsOf(entry, name, body)
    const size = localSignature.length + facts.length + name.length + body.length
    if (directory.length === entriesMax || offset + size > bytesMax)
      throw new Error(`a ZIP file must have at most ${entriesMax} entries and ${bytesMax} bytes`)
    directory.push(directoryEntry(facts, name, offset))
    offset += size
    yield Buffer.concat([localSignature, facts, name, body])
  }
  const list = Buffer.concat(directory)
  if (offset + list.length > bytesMax)
    throw new Error(`a ZIP file must have at most ${entriesMax} entries and ${bytesMax} bytes`)
  yield Buffer.concat([list, endRecord({ entries: directory.length, offset, size: list.length })])
}

const localSignature = Buffer.from('PK\x03\x04', 'latin1')
const directorySignature = Buffer.from('PK\x01\x02', 'latin1')
const endSignature = Buffer.from('PK\x05\x06', 'latin1')

// Version 2.0 of the format: deflate compression, and folders.
const version = 20
// The flag for names in UTF-8.
const utf8Names = 1 << 11
const stored = 0
const deflated = 8

// The fields that the header of an entry and its line in the directory share (4.3.7 and 4.3.12).
function factsOf({ day, bytes, isStored }: ZipEntry, name: Buffer, body: Buffer): Buffer {
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(version, 0)
  facts.writeUInt16LE(utf8Names, 2)
  facts.writeUInt16LE(isStored ? stored : deflated, 4)
  facts.writeUInt16LE(dosDate(day), 8)
  facts.writeUInt32LE(crc32(bytes), 10)
  facts.writeUInt32LE(body.length, 14)
  facts.writeUInt32LE(bytes.length, 18)
  facts.writeUInt16LE(name.length, 22)
  return facts
}

function directoryEntry(facts: Buffer, name: Buffer, offset: number): Buffer {
  const madeBy = Buffer.alloc(2)
  madeBy.writeUInt16LE(version)
  // All other fields are zero: no comment, the first disk, no attributes.
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(offset, 10)
  return Buffer.concat([directorySignature, madeBy, facts, rest, name])
}

function endRecord({ entries, offset, size }: { entries: number; offset: number; size: number }): Buffer {
  const record = Buffer.alloc(18)
  record.writeUInt16LE(entries, 4)
  record.writeUInt16LE(entries, 6)
  record.writeUInt32LE(size, 8)
  record.writeUInt32LE(offset, 12)
  return Buffer.concat([endSignature, record])
}

// Returns the date in DOS format, which begins in 1980.
function dosDate(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return (Math.max(0, year - 1980) << 9) | (month << 5) | date
}
