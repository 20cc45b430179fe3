// Backups of a SQLite store beside a busy server, and the way back: nothing acknowledged is missing, and a file under its
// name is whole.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { begin, serve, tempFolder } from '../harness/process.ts'
import { answer, openReceiver } from '../harness/receiver.ts'
import { givenEngine } from '../harness/storage.ts'
import { copyTemplate } from '../harness/templates.ts'
import { until } from '../harness/until.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { backUp, restoreBackup } from '../src/platform/storage/backup.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { type Storage, StorageRefused } from '../src/platform/storage/storage.ts'

const secret = 'the-root-secret-of-the-shop-that-is-backed-up'
const now = new Date('2026-06-01T12:00:00.000Z')
const settingsFor = (folder: string, more: Readonly<Record<string, string>> = {}) => ({
  CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`,
  CARTWRIGHT_SECRET: secret,
  CARTWRIGHT_RATE_LIMIT: 'off',
  CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: '1',
  ...more,
})

describe('backup', () => {
  const given = givenEngine('sqlite')

  // A file of a store with a thing or two in it; nobody has it open.
  async function givenStore(): Promise<{ folder: string; file: string }> {
    const folder = await tempFolder()
    const file = join(folder, 'shop.db')
    await copyTemplate(file)
    const storage = await openStorage(`sqlite:${file}`)
    await insertKey(storage, 'before')
    await storage.close()
    return { folder, file }
  }

  const insertKey = (storage: Storage, key: string) =>
    storage.write(
      (tx) => tx.sql`
        insert into idempotency_keys (installation_id, key, fingerprint, answer, created_at)
        values ('ins', ${key}, 'f', 'a', 1)`,
    )

  function keysIn(file: string): unknown[] {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      return db
        .prepare('select key from idempotency_keys order by key')
        .all()
        .map((row) => row.key)
    } finally {
      db.close()
    }
  }

  const names = (folder: string) => readdirSync(folder).sort()

  test('contains everything that a server under load acknowledged before it, and is consistent', async (t) => {
    const folder = await tempFolder()
    const settings = settingsFor(folder)
    const server = await serve(settings)
    const demo = JSON.parse((await cartwright(['demo', '--json'], settings)).out)
    const receiver = await openReceiver(given)
    receiver.behave(answer(503))
    const added = await cartwright(
      ['webhooks', 'add', '--url', receiver.url, '--events', 'order.*', '--json'],
      settings,
    )
    assert.equal(added.code, 0, added.err)

    const skuIds: string[] = demo.products
      .flatMap((product: { skus: { id: string; stock: number }[] }) => product.skus)
      .filter((sku: { stock: number }) => sku.stock >= 40)
      .map((sku: { id: string }) => sku.id)
    const acknowledged: string[] = []
    const load = { on: true }
    const shoppers = Array.from({ length: 4 }, async (_, shopper) => {
      for (let round = 0; load.on; round++) {
        const skuId = skuIds[(shopper * 7 + round) % skuIds.length] as string
        acknowledged.push(await buy(server.origin, demo.keys.full, skuId))
      }
    })
    const loading = Promise.all(shoppers)
    // Whoever fails ends the load; the test hears of it below.
    loading.catch(() => (load.on = false))

    const backups: { file: string; before: string[] }[] = []
    for (let i = 0; i < 3; i++) {
      const [from, patienceAt] = [acknowledged.length, performance.now() + 30_000]
      while (load.on && acknowledged.length < from + 4 && performance.now() < patienceAt)
        await new Promise((resolve) => setTimeout(resolve, 5))
      const before = [...acknowledged]
      const file = join(folder, `backup-${i}.db`)
      const made = await cartwright(['backup', file, '--json'], settings)
      assert.equal(made.code, 0, made.err)
      const { bytes, migration, rootSecret } = JSON.parse(made.out)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.equal(bytes, statSync(file).size)
      assert.match(migration, /^\d{4}_/)
      assert.equal(rootSecret, join(folder, 'secret'))
      backups.push({ file, before })
    }
    load.on = false
    await loading
    const during = acknowledged.length - (backups[0]?.before.length ?? 0)
    t.diagnostic(`${acknowledged.length} orders, ${during} of them since the first backup began`)
    assert.ok(during > 0)
    assert.deepEqual(
      names(folder).filter((name) => name.includes('partial') || /^backup-.*-(wal|shm|journal)$/.test(name)),
      [],
    )

    for (const { file, before } of backups) {
      const place = settingsFor(await tempFolder())
      const restored = await cartwright(['restore', file, '--json'], place)
      assert.equal(restored.code, 0, restored.err + restored.out)
      const { healthy, secretFits, applied } = JSON.parse(restored.out)
      assert.deepEqual([healthy, secretFits, applied], [true, true, []])
      const storage = await openStorage(place.CARTWRIGHT_DATABASE_URL)
      await storage.read(async (db) => {
        const orders = await db.sql<{ sessionId: string; owed: number }>`
          select o.checkout_session_id as "sessionId", count(*) as "owed" from orders o
          join webhook_deliveries d on d.installation_id = o.installation_id and d.subject_id = o.id
            and d.event_type = 'order.placed' and d.finished_at is null
          group by o.id, o.checkout_session_id`
        const found = new Map(orders.map((order) => [order.sessionId, order]))
        for (const sessionId of before) {
          const order = found.get(sessionId)
          assert.ok(order, `${sessionId} was paid before the backup began and is not in it`)
          // One for the receiver that never takes anything, and one for the paused endpoint of the demo shop.
          assert.equal(order.owed, 2)
        }
        assert.deepEqual(await findViolations(db), [])
      })
      await storage.close()
    }
    const busy = await cartwright(['restore', backups[0]?.file ?? '', '--force'], settings)
    assert.deepEqual([busy.code, /another Cartwright server has the database .* open/.test(busy.err)], [1, true])
    assert.equal(await server.stop(), 0)
  })

  for (const [step, isThere] of [
    ['copied', false],
    ['checked', false],
    ['synced', false],
    ['named', true],
  ] as const) {
    test(`killed when it is ${step} leaves ${isThere ? 'the whole file' : 'no file, and the next backup works'}`, async () => {
      const { folder, file } = await givenStore()
      const copy = join(folder, 'copy.db')
      assert.equal(await killed('backup', file, copy, step), 'SIGKILL')
      assert.equal(existsSync(copy), isThere)
      if (isThere) return assert.deepEqual(keysIn(copy), ['before'])
      assert.equal(names(folder).filter((name) => name.endsWith('.partial')).length, 1)
      await backUp(file, copy, { force: false })
      assert.deepEqual(keysIn(copy), ['before'])
      assert.deepEqual(names(folder), ['copy.db', 'shop.db'], 'what was left behind is swept away')
    })
  }

  test('deletes old partial files of killed backups, but no file of a backup in progress', async () => {
    const { folder, file } = await givenStore()
    assert.equal(await killed('backup', file, join(folder, 'monday.db'), 'copied'), 'SIGKILL')
    const [left = ''] = names(folder).filter((name) => name.endsWith('.partial'))
    writeFileSync(join(folder, `${left}-journal`), '')
    const copy = join(folder, 'tuesday.db')
    await backUp(file, copy, { force: false })
    assert.deepEqual(names(folder), [left, `${left}-journal`, 'shop.db', 'tuesday.db'])
    utimesSync(join(folder, left), 1, 1)
    writeFileSync(join(folder, 'tuesday.db.0123456789ab.partial-journal'), '')
    writeFileSync(join(folder, 'notes.partial'), 'mine')
    // Another one is at the same name: it has its copy locked, and is let alone.
    const other = join(folder, 'tuesday.db.ba9876543210.partial')
    const db = new DatabaseSync(other)
    db.exec('create table copied (id text); begin exclusive')
    await backUp(file, copy, { force: true })
    assert.ok(existsSync(other))
    db.close()
    await backUp(file, copy, { force: true })
    assert.deepEqual(names(folder), ['notes.partial', 'shop.db', 'tuesday.db'])
  })

  for (const step of ['copied', 'checked', 'synced'])
    test(`that is interrupted when it is ${step} leaves nothing`, async () => {
      const { folder, file } = await givenStore()
      const controller = new AbortController()
      const onStep = (reached: string) => {
        if (reached === step) controller.abort(new StorageRefused('interrupted by a test'))
      }
      await assert.rejects(
        backUp(file, join(folder, 'copy.db'), { force: false, onStep, signal: controller.signal }),
        /cannot back up to .*copy\.db: interrupted by a test/,
      )
      assert.deepEqual(names(folder), ['shop.db'])
    })

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    test(`that gets ${signal} reports so in one line and leaves nothing`, async () => {
      const { folder, file } = await givenStore()
      const big = new DatabaseSync(file)
      big.exec(`create table ballast (text text);
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 60000)
        insert into ballast select zeroblob(2000) from n`)
      big.close()
      const before = names(folder)
      const child = begin(['backup', join(folder, 'copy.db')], settingsFor(folder))
      const said = textOf(child.stderr as Readable)
      const ended = once(child, 'close')
      // There is a copy, and it grows.
      const watch = setInterval(() => {
        if (!names(folder).some((name) => name.endsWith('.partial'))) return
        child.kill(signal)
        // A second one would not wait.
        clearInterval(watch)
      }, 1)
      const [code] = (await ended) as [number | null]
      clearInterval(watch)
      assert.equal(code, 1)
      assert.match(
        await said,
        new RegExp(`^cartwright: cannot back up to .*copy\\.db: interrupted by ${signal}; .*\n$`, 'm'),
      )
      assert.deepEqual(names(folder), before)
    })

  test('is one file without a write-ahead log, and contains what is still in that of its source', async () => {
    const { folder, file } = await givenStore()
    const storage = await openStorage(`sqlite:${file}`)
    await insertKey(storage, 'in the log')
    const copy = join(folder, 'copy.db')
    await backUp(file, copy, { force: false })
    assert.equal(readFileSync(copy).subarray(18, 20).toString('hex'), '0101', 'not in write-ahead mode')
    await insertKey(storage, 'later')
    await storage.close()
    assert.deepEqual(keysIn(copy), ['before', 'in the log'])
  })

  test('refuses targets that it would overwrite, and writes nothing', async () => {
    const { folder, file } = await givenStore()
    const link = join(folder, 'link.db')
    writeFileSync(join(folder, 'taken'), 'mine')
    writeFileSync(join(folder, 'secret'), `${secret}\n`)
    writeFileSync(join(folder, 'used.db-wal'), 'of another database')
    symlinkSync(file, link)
    linkSync(file, join(folder, 'hard.db'))
    const before = names(folder)
    for (const [name, force, problem] of [
      ['taken', false, /taken already exists: name another file, or replace it with --force/],
      ['shop.db', true, /belongs to the database itself/],
      ['link.db', true, /belongs to the database itself/],
      ['hard.db', true, /belongs to the database itself/],
      ['shop.db.lock', true, /belongs to the database itself/],
      ['used.db', false, /used\.db-wal belongs to a former database/],
      // Whatever is no former backup was named by mistake.
      ['secret', true, /secret is not a database and is not replaced/],
      ['taken', true, /taken is not a database and is not replaced/],
      ['nowhere/copy.db', false, /there is no folder/],
      ['.', false, /is not a file/],
    ] as const)
      await assert.rejects(backUp(file, join(folder, name), { force }), problem)
    await assert.rejects(backUp(join(folder, 'none.db'), join(folder, 'copy.db'), { force: false }), /no database to/)
    assert.deepEqual(names(folder), before)
    assert.equal(readFileSync(join(folder, 'taken'), 'utf8'), 'mine')
    assert.equal(readFileSync(join(folder, 'secret'), 'utf8'), `${secret}\n`)
    writeFileSync(join(folder, 'empty'), '')
    for (const name of ['empty', 'empty']) {
      await backUp(file, join(folder, name), { force: true })
      assert.deepEqual(keysIn(join(folder, name)), ['before'])
    }
  })

  test('refuses a damaged database and a file that is not a database', async () => {
    const { folder, file } = await givenStore()
    const storage = await openStorage(`sqlite:${file}`)
    for (let i = 0; i < 200; i++) await insertKey(storage, `${i}`.padStart(400, 'x'))
    await storage.close()
    truncateSync(file, statSync(file).size - 3 * 4096)
    await assert.rejects(backUp(file, join(folder, 'copy.db'), { force: false }), /damaged|malformed/)
    writeFileSync(file, 'this is not a database, and long enough to be read as one'.repeat(100))
    await assert.rejects(backUp(file, join(folder, 'copy.db'), { force: false }), /not a database/)
    new DatabaseSync(join(folder, 'other.db')).exec('create table things (id text)')
    await assert.rejects(
      backUp(join(folder, 'other.db'), join(folder, 'copy.db'), { force: false }),
      /not a Cartwright database/,
    )
    assert.equal(existsSync(join(folder, 'copy.db')), false)
  })

  test('names the place of the root secret; for PostgreSQL backup and restore name pg_dump and pg_restore', async () => {
    const { folder } = await givenStore()
    const told = await cartwright(['backup', join(folder, 'copy.db')], settingsFor(folder))
    assert.equal(told.code, 0, told.err)
    assert.match(told.out, /kB in \d+\.\d s, checked, up to migration/)
    assert.match(told.out, /The backup does not contain the root secret: store CARTWRIGHT_SECRET, or .*secret,/)
    assert.equal(told.out.includes(secret), false)
    const postgres = { CARTWRIGHT_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', CARTWRIGHT_SECRET: secret }
    for (const [name, word] of [
      ['backup', /pg_dump/],
      ['restore', /pg_restore/],
    ] as const) {
      const refused = await cartwright([name, join(folder, 'copy.db')], postgres)
      assert.deepEqual([refused.code, refused.out, refused.err.trim().split('\n').length], [1, '', 1])
      assert.match(refused.err, word)
      assert.equal((await cartwright([name], postgres)).code, 2)
    }
  })
})

describe('restore', () => {
  async function givenBackup(): Promise<{ folder: string; backup: string; target: string }> {
    const folder = await tempFolder()
    const [file, backup] = [join(folder, 'source.db'), join(folder, 'backup.db')]
    await copyTemplate(file)
    const storage = await openStorage(`sqlite:${file}`)
    await storage.write((tx) => tx.sql`create table kept (word text)`)
    await storage.write((tx) => tx.sql`insert into kept (word) values ('from the backup')`)
    await storage.close()
    await backUp(file, backup, { force: false })
    mkdirSync(join(folder, 'data'))
    return { folder, backup, target: join(folder, 'data', 'shop.db') }
  }

  function wordIn(file: string): unknown {
    const db = new DatabaseSync(file)
    try {
      return db.prepare('select word from kept').get()?.word
    } finally {
      db.close()
    }
  }

  // Another store in its place, with something in its log.
  async function occupy(target: string): Promise<void> {
    copyFileSync(join(target, '..', '..', 'source.db'), target)
    const storage = await openStorage(`sqlite:${target}`)
    await storage.write((tx) => tx.sql`update kept set word = 'was there before'`)
    await storage.close()
  }

  test('writes the database to an empty place, and refuses an existing database without --force', async () => {
    const { backup, target } = await givenBackup()
    const restored = await restoreBackup(backup, target, { force: false, now })
    assert.deepEqual([restored.applied, restored.replaced], [[], undefined])
    assert.equal(wordIn(target), 'from the backup')
    assert.equal(statSync(target).mode & 0o777, 0o600)
    await assert.rejects(
      restoreBackup(backup, target, { force: false, now }),
      /.* is an existing database: replace it with --force/,
    )
    await assert.rejects(restoreBackup(target, target, { force: true, now }), /belongs to the database itself/)
    await assert.rejects(restoreBackup(`${backup}x`, target, { force: true, now }), /there is no backup/)
  })

  test('keeps a copy of the database that it replaces, even if that is damaged', async () => {
    const { backup, target } = await givenBackup()
    await occupy(target)
    const { replaced = '' } = await restoreBackup(backup, target, { force: true, now })
    assert.deepEqual([wordIn(target), wordIn(replaced)], ['from the backup', 'was there before'])
    writeFileSync(target, 'no database at all '.repeat(1000))
    writeFileSync(`${target}-wal`, 'nor a log')
    const second = await restoreBackup(backup, target, { force: true, now: new Date(now.getTime() + 1) })
    assert.equal(wordIn(target), 'from the backup')
    assert.match(readFileSync(second.replaced ?? '', 'utf8'), /^no database at all/)
    assert.equal(readFileSync(`${second.replaced}-wal`, 'utf8'), 'nor a log')
  })

  test('refuses while a server holds the lock, or a command has the file open', async () => {
    const { backup, target } = await givenBackup()
    await occupy(target)
    const server = await openStorage(`sqlite:${target}`, { server: true })
    await assert.rejects(
      restoreBackup(backup, target, { force: true, now }),
      /another Cartwright server has the database .* open/,
    )
    await server.close()
    const beside = await openStorage(`sqlite:${target}`)
    await beside.write((tx) => tx.sql`update kept set word = 'still in use'`)
    // In another process, because locks of a file are the process's.
    const place = { CARTWRIGHT_DATABASE_URL: `sqlite:${target}`, CARTWRIGHT_SECRET: secret }
    const refused = await cartwright(['restore', backup, '--force'], place)
    assert.deepEqual([refused.code, /another process has the database .* open/.test(refused.err)], [1, true])
    await beside.close()
    assert.equal(wordIn(target), 'still in use')
    assert.deepEqual(
      readdirSync(join(target, '..')).filter((name) => /partial|replaced/.test(name)),
      [],
    )
  })

  test('leaves the existing database unchanged if the backup is damaged, not a Cartwright database or from a newer release', async () => {
    const { folder, backup, target } = await givenBackup()
    await occupy(target)
    const bad = join(folder, 'bad.db')
    const tamper = (change: (file: string) => void) => {
      copyFileSync(backup, bad)
      change(bad)
    }
    for (const [problem, change] of [
      [/damaged|malformed/, (file: string) => truncateSync(file, statSync(file).size - 5 * 4096)],
      [/not a database/, (file: string) => writeFileSync(file, 'x'.repeat(10_000))],
      [/not a Cartwright database/, (file: string) => new DatabaseSync(file).exec('drop table schema_migrations')],
      [
        /newer than this program: it has migration 9999_needs_9999_future/,
        (file: string) =>
          new DatabaseSync(file).exec("insert into schema_migrations values (9999, '9999_needs_9999_future', 'x', 1)"),
      ],
      [
        /was changed after it was applied/,
        (file: string) => new DatabaseSync(file).exec("update schema_migrations set checksum = 'x' where version = 1"),
      ],
    ] as const) {
      tamper(change)
      await assert.rejects(restoreBackup(bad, target, { force: true, now }), problem)
      assert.equal(wordIn(target), 'was there before')
    }
    assert.deepEqual(
      readdirSync(join(target, '..')).filter((name) => /partial|replaced/.test(name)),
      [],
    )
  })

  for (const step of ['copied', 'migrated', 'put aside'])
    test(`killed when it is ${step} leaves the old database in place, and the next try works`, async () => {
      const { backup, target } = await givenBackup()
      await occupy(target)
      assert.equal(await killed('restore', backup, target, step), 'SIGKILL')
      assert.equal(wordIn(target), 'was there before')
      await restoreBackup(backup, target, { force: true, now: new Date(now.getTime() + 1) })
      assert.equal(wordIn(target), 'from the backup')
    })

  test('refuses, before it writes anything, if the root secret is not the one of the backup', async () => {
    const folder = await tempFolder()
    const settings = settingsFor(folder)
    await cartwright(['demo'], settings)
    // A removed endpoint has no secret any more, and is the newest.
    const url = 'https://shop.example.com/hooks'
    const { endpoint } = JSON.parse((await cartwright(['webhooks', 'add', '--url', url, '--json'], settings)).out)
    assert.equal((await cartwright(['webhooks', 'remove', endpoint.id], settings)).code, 0)
    const backup = join(folder, 'backup.db')
    assert.equal((await cartwright(['backup', backup], settings)).code, 0)
    // From before there were check values.
    const former = join(folder, 'former.db')
    copyFileSync(backup, former)
    new DatabaseSync(former).exec('delete from root_secrets')

    for (const from of [backup, former]) {
      const data = join(await tempFolder(), 'data')
      const place = settingsFor(data)
      const other = { ...place, CARTWRIGHT_SECRET: 'another-secret-that-never-sealed-anything-here' }
      const told = await cartwright(['restore', from], other)
      assert.deepEqual([told.code, told.out], [1, ''])
      assert.match(told.err, /^cartwright: the database was made with another root secret: [^\n]*\n$/)
      const { CARTWRIGHT_SECRET: _, ...without } = place
      const missing = await cartwright(['restore', from], without)
      assert.deepEqual([missing.code, missing.out], [1, ''])
      assert.match(missing.err, /^cartwright: there is no root secret at [^\n]*\n$/)
      assert.equal(existsSync(data), false)
      const right = await cartwright(['restore', from], place)
      assert.equal(right.code, 0, right.err + right.out)
      assert.match(right.out, /✓ the root secret can decrypt the database/)
      const again = await cartwright(['restore', from, '--force', '--json'], place)
      const { secretFits, healthy, replaced } = JSON.parse(again.out)
      assert.deepEqual([secretFits, healthy, existsSync(replaced)], [true, true, true])
    }
  })
})

async function killed(task: 'backup' | 'restore', from: string, to: string, step: string): Promise<string | null> {
  const copier = join(import.meta.dirname, '..', 'harness', 'copier.ts')
  const flags = ['--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, copier, task, from, to, step], { stdio: 'inherit' })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  return signal
}

// Buys one piece by the interface and the forms of the page; answers with the id of the session once it is paid.
async function buy(origin: string, key: string, skuId: string): Promise<string> {
  const opened = await fetch(`${origin}/api/v1/open/hosted/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      idempotencyKey: randomUUID(),
      items: [{ skuId, quantity: 1 }],
      successUrl: 'http://localhost:9/thanks',
    }),
  })
  const { data } = (await opened.json()) as { data: { id: string; url: string } }
  const page = origin + new URL(data.url).pathname
  const look = async () => (await fetch(page)).text()
  const post = (action: string, fields: Record<string, string>) =>
    fetch(`${page}/${action}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(fields),
    })
  const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
  await post('details', {
    version: hidden(await look(), 'version'),
    email: 'ada@example.com',
    phone: '',
    name: 'Ada Lovelace',
    country: 'DE',
    line1: 'Unter den Linden 1',
    city: 'Berlin',
    postalCode: '10117',
    shippingOptionId: 'standard',
  })
  const ready = await look()
  const paid = await post('pay', {
    version: hidden(ready, 'version'),
    expectedTotal: hidden(ready, 'expectedTotal'),
    attempt: hidden(ready, 'attempt'),
    method: 'test:card',
    'card.number': '4242424242424242',
    'card.expiry': '12 / 40',
    'card.cvc': '123',
    'card.name': 'Ada Lovelace',
  })
  assert.match(paid.headers.get('location') ?? (await paid.text()), /^http:\/\/localhost:9\/thanks/)
  return data.id
}

describe('scheduled backups of a server', () => {
  const madeIn = (folder: string) => readdirSync(folder).filter((name) => /^cartwright-\d{8}T\d{6}Z\.db$/.test(name))
  const timeIn = (text: string) =>
    Number(/^cartwright_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN)

  test('the server makes a backup at its start unless the newest one is recent, and removes old ones', async () => {
    const folder = await tempFolder()
    const to = join(folder, 'backups')
    const settings = settingsFor(folder, { HOST: '127.0.0.1' })
    await copyTemplate(join(folder, 'shop.db'))
    mkdirSync(to)
    const old = 'cartwright-20200101T000000Z.db'
    writeFileSync(join(to, old), 'old')
    writeFileSync(join(to, 'notes.txt'), 'not a backup')
    const args = ['--no-demo', '--backup-every', '1h', '--backup-to', to]
    const server = await serveHere(settings, args)
    await until(() => !existsSync(join(to, old)), 'the backup')
    const [made = '', ...others] = madeIn(to)
    assert.deepEqual([others, existsSync(join(to, 'notes.txt'))], [[], true])
    const shown = await (await fetch(`${server.origin}/metrics`)).text()
    assert.ok(Date.now() / 1000 - timeIn(shown) < 60)
    assert.match(shown, /^cartwright_backup_failures_total 0$/m)
    assert.match(server.printed(), /"message":"backup made"/)
    assert.equal(await server.stop(), 0)

    const again = await serveHere(settings, args)
    assert.equal(timeIn(await (await fetch(`${again.origin}/metrics`)).text()), timeIn(shown), 'known after a restart')
    assert.equal(await again.stop(), 0)
    assert.deepEqual(madeIn(to), [made])

    const elsewhere = settingsFor(join(folder, 'elsewhere'))
    assert.equal((await cartwright(['restore', join(to, made)], elsewhere)).code, 0)
    assert.equal((await cartwright(['doctor'], elsewhere)).code, 0)
  })

  test('a failed backup is counted and logged with its reason', async () => {
    const folder = await tempFolder()
    const to = join(folder, 'backups')
    await copyTemplate(join(folder, 'shop.db'))
    mkdirSync(to)
    const args = ['--no-demo', '--backup-every', '1s', '--backup-to', to]
    const server = await serveHere(settingsFor(folder, { HOST: '127.0.0.1' }), args)
    await until(() => madeIn(to).length > 0, 'the first backup')
    rmSync(to, { recursive: true })
    await until(() =>
      /"message":"backup failed; retrying".*"reason":"cartwright: there is no folder/.test(server.printed()),
    )
    assert.match(await (await fetch(`${server.origin}/metrics`)).text(), /^cartwright_backup_failures_total [1-9]/m)
    assert.equal(await server.stop(), 0)
  })

  test('invalid settings are refused at the start', async () => {
    const folder = await tempFolder()
    writeFileSync(join(folder, 'file'), '')
    for (const [args, code, words] of [
      [['--backup-every', '6h'], 2, /--backup-every and --backup-to must be given together/],
      [['--backup-every', 'often', '--backup-to', folder], 2, /--backup-every must be a duration/],
      [['--backup-every', '6h', '--backup-to', join(folder, 'file')], 1, /backups cannot be written to/],
    ] as const) {
      const outcome = await cartwright(['serve', ...args], settingsFor(folder))
      assert.deepEqual([outcome.code, words.test(outcome.err)], [code, true], outcome.err)
    }
    const postgres = { ...settingsFor(folder), CARTWRIGHT_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    const { code, err } = await cartwright(['serve', '--backup-every', '6h', '--backup-to', folder], postgres)
    assert.deepEqual([code, /only works with SQLite/.test(err)], [1, true], err)
  })
})
