// A disk that turned read-only is when one needs `doctor` and `backup`: both read what is there. One that is full is named.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'

const main = join(import.meta.dirname, '../src/main.js')
const folder = mkdtempSync(join(tmpdir(), 'cartwright-read-only-'))
const elsewhere = mkdtempSync(join(tmpdir(), 'cartwright-written-'))
const file = join(folder, 'shop.db')
after(() => {
  for (const place of [folder, elsewhere]) rmSync(place, { recursive: true })
})

// A mount that only this process and its children see.
const mounted = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
const filled = 'mount -t tmpfs -o size=64k none "$0" && head -c 65536 /dev/zero > "$0/filler" && exec "$@"'
const within = (mount: string, command: readonly string[]) => [
  ...['--mount', '--map-root-user', 'sh', '-c', mount, folder],
  ...command,
]
const can = (mount: string) => spawnSync('unshare', within(mount, ['true'])).status === 0

function run(args: readonly string[], mount: string | null = mounted, settings = {}) {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', main, ...args]
  const env = { PATH: process.env.PATH ?? '', CARTWRIGHT_DATABASE_URL: `sqlite:${file}`, PORT: '0', ...settings }
  const [first = '', ...others] = mount === null ? command : ['unshare', ...within(mount, command)]
  const { status, stdout, stderr } = spawnSync(first, others, { env, encoding: 'utf8' })
  return { status, out: stdout, err: stderr }
}

describe('a database on a read-only file system', { skip: !can(mounted) }, () => {
  test('is readable by doctor and backup, and serve reports why it cannot start', () => {
    assert.equal(run(['migrate'], null).status, 0)
    const doctor = run(['doctor'])
    assert.equal(doctor.status, 0, doctor.err)
    assert.match(doctor.out, /invariants hold/)
    const copy = join(elsewhere, 'copy.db')
    const backup = run(['backup', copy])
    assert.equal(backup.status, 0, backup.err)
    assert.match(backup.out, /checked, up to migration/)
    const server = run(['serve'])
    assert.equal(server.status, 1)
    assert.match(server.err, /^cartwright: .*: the file system is read-only \(.*\)\n$/)
  })

  test('is refused with an explanation if the newest changes are only in the WAL', () => {
    writeFileSync(`${file}-wal`, 'changes')
    const { status, err } = run(['doctor'])
    assert.equal(status, 1)
    assert.match(err, /^cartwright: the file system is read-only, and the newest changes are only in .*-wal: copy both/)
  })
})

test('a server that starts on a full disk reports that the disk is full', { skip: !can(filled) }, () => {
  const secret = { CARTWRIGHT_SECRET: 'a-root-secret-that-only-this-test-knows' }
  const { status, err } = run(['serve'], filled, secret)
  assert.equal(status, 1)
  assert.match(err, /^cartwright: .*: the disk is full \(.*\)\n$/)
})
