import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkFreeSpace } from './space.ts'

test('a disk without room for a megabyte is reported as full, and the file that tests it is removed', {
  skip: !existsSync('/dev/full'),
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-room-'))
  const file = join(folder, 'shop.db')
  // Every write to this file fails as on a full disk.
  await symlink('/dev/full', `${file}-room`)
  await assert.rejects(checkFreeSpace(file), { code: 'ENOSPC' })
  assert.deepEqual(await readdir(folder), [])
  await checkFreeSpace(file)
  assert.deepEqual(await readdir(folder), [])
  await rm(folder, { recursive: true })
})
