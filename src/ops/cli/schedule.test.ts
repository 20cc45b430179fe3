import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Misuse } from './command.ts'
import { backupName, backupTime, outdatedBackups, readDays, readEvery } from './schedule.ts'

const hourMs = 3_600_000
const now = Date.parse('2026-11-18T07:15:00.000Z')

test('a time is read from the name of a backup, and from no other file name', () => {
  assert.equal(backupName(now), 'cartwright-20261118T071500Z.db')
  assert.equal(backupTime(backupName(now)), now)
  for (const name of ['shop.db', 'cartwright-20261318T071500Z.db', `${backupName(now)}.partial`, 'cartwright-.db'])
    assert.equal(backupTime(name), undefined, name)
})

test('all backups of two days and one per day of a month are kept, and always the newest one and other files', () => {
  const names = Array.from({ length: 4 * 60 }, (_, index) => backupName(now - index * 6 * hourMs))
  const gone = new Set(outdatedBackups([...names, 'notes.txt'], now, 30))
  const kept = names.filter((name) => !gone.has(name))
  assert.ok(!gone.has('notes.txt'))
  assert.deepEqual(kept.slice(0, 8), names.slice(0, 8))
  const days = kept.slice(8).map((name) => name.slice(11, 19))
  assert.equal(new Set(days).size, days.length, 'one of each day')
  assert.ok(kept.length >= 8 + 27 && kept.length <= 8 + 30, `${kept.length}`)
  const old = backupName(now - 400 * 24 * hourMs)
  assert.deepEqual(outdatedBackups([old], now, 30), [])
})

test('invalid intervals and numbers of days are refused', () => {
  assert.deepEqual(['6h', '30m', '1d', '1s'].map(readEvery), [6 * hourMs, hourMs / 2, 24 * hourMs, 1_000])
  for (const text of ['', '6', '0h', '-1h', '31d', '6 h', 'h']) assert.throws(() => readEvery(text), Misuse, text)
  for (const text of ['', '0', '1d', '10000']) assert.throws(() => readDays(text), Misuse, text)
})
