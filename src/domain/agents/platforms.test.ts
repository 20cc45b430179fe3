import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Storage } from '../../platform/storage/storage.ts'
import { createPlatformDirectory } from './platforms.ts'

let reads = 0
const host = createServer((_, response) => {
  reads += 1
  response.end('{}')
})
before(() => new Promise<void>((done) => host.listen(0, '127.0.0.1', done)))
after(() => host.close())
const profileUrl = (name: string) => `http://127.0.0.1:${(host.address() as AddressInfo).port}/${name}`

test('requests with many profiles do not block an approved platform, and each network is limited', async () => {
  let now = 1_780_000_000_000
  const parts = {
    storage: {} as Storage,
    clock: () => new Date(now),
    publicOrigin: () => 'http://localhost:3000',
  }
  const platforms = createPlatformDirectory(parts, (document) => document)
  const free = { readWaitMs: () => 0, isApproved: false }
  const many = await Promise.all(Array.from({ length: 8 }, (_, at) => platforms.profileAt(profileUrl(`p${at}`), free)))
  assert.deepEqual([many.filter((found) => found === 'busy').length, reads], [3, 5])
  const approved = { readWaitMs: () => 0, isApproved: true }
  assert.deepEqual(await platforms.profileAt(profileUrl('approved'), approved), { profile: {} })
  now += 1_000
  const spent = { readWaitMs: () => 500, isApproved: false }
  assert.equal(await platforms.profileAt(profileUrl('more'), spent), 'busy')
  // A cached profile needs no read. A profile that must be read again is refused like a new one.
  assert.deepEqual(await platforms.profileAt(profileUrl('p0'), spent), { profile: {} })
  now += 61_000
  assert.equal(await platforms.profileAt(profileUrl('p0'), spent), 'busy')
  assert.equal(await platforms.profileAgain(profileUrl('p0'), spent), 'busy')
  assert.equal(reads, 6)
})
