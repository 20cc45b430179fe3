import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readZip } from '../../../harness/zip.ts'
import { type ZipEntry, zipFile } from './zip.ts'

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* items
}

async function packed(entries: Iterable<ZipEntry>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(zipFile(each(entries))))
}

describe('a ZIP file', () => {
  test('contains every entry, stored or compressed, under its name', async () => {
    const entries: ZipEntry[] = [
      { name: 'invoices/1.pdf', day: '2026-11-18', bytes: Buffer.from([0, 255, 80, 75, 3, 4]), isStored: true },
      { name: 'größe.csv', day: '2026-02-28', bytes: Buffer.from('a,b\r\n'.repeat(1000)), isStored: false },
      { name: 'empty', day: '1979-12-31', bytes: Buffer.alloc(0), isStored: false },
    ]
    const bytes = await packed(entries)
    assert.deepEqual(
      [...readZip(bytes)],
      entries.map(({ name, bytes }) => [name, bytes]),
    )
    assert.ok(bytes.length < 1_000)
    assert.deepEqual(await packed(entries), bytes)
    // 18 November 2026, as years since 1980, month and day.
    assert.equal(bytes.readUInt16LE(12), (46 << 9) | (11 << 5) | 18)
  })

  test('is also valid without entries', async () => {
    const bytes = await packed([])
    assert.equal(bytes.length, 22)
    assert.equal(readZip(bytes).size, 0)
  })

  test('creates an entry only after the previous one was read', async () => {
    let made = 0
    const entries = (function* () {
      for (; made < 3; made += 1)
        yield { name: String(made), day: '2026-11-18', bytes: Buffer.from('x'), isStored: true }
    })()
    const file = zipFile(each(entries))
    await file.next()
    assert.equal(made, 0)
    await file.next()
    assert.equal(made, 1)
    await file.return()
  })

  test('fails if it would have more entries than its fields can count', async () => {
    const bytes = Buffer.alloc(0)
    const entries = Array.from({ length: 65_536 }, (_, i) => ({
      name: String(i),
      day: '2026-11-18',
      bytes,
      isStored: true,
    }))
    await assert.rejects(packed(entries), /a ZIP file must have at most/)
  })
})
