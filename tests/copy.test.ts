// Moving a shop from one engine to the other: the same keys get the same answers, byte for byte, and what was owed is still
// owed and paid from the new place.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { createCallCounter } from '../harness/callcounter.ts'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { runProcess } from '../harness/process.ts'
import { openReceiver } from '../harness/receiver.ts'
import { rival } from '../harness/shops.ts'
import { type Given, givenEngine, withoutLeases } from '../harness/storage.ts'
import { openTestServer, testSecret, testSecretText } from '../harness/testServer.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { createApp } from '../src/app.ts'
import { type OperationId, operations } from '../src/contract/open/operations.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { createApp as createOAuthApp } from '../src/domain/oauth/apps.ts'
import { createUser } from '../src/domain/users/users.ts'
import { pauseEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { createLog } from '../src/platform/log/log.ts'
import { DERIVED_TABLES, inOrderOfReferences, listTables, type Table } from '../src/platform/storage/catalogue.ts'
import { type CopyOptions, copyStore } from '../src/platform/storage/copy.ts'
import { Fragment, type Storage, type Tx } from '../src/platform/storage/storage.ts'

const now = new Date('2026-06-01T12:00:00.000Z')
const plain: CopyOptions = { now, clearTarget: false }
const migrations = join(import.meta.dirname, '../src/platform/storage/migrations')

for (const [one, other] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  describe(`a move from ${one} to ${other}`, () => {
    const from = givenEngine(one)
    const to = givenEngine(other)

    test('keeps every response, every stored reply and every pending delivery', async () => {
      const receiver = await openReceiver(from)
      const shop = await openBusyShop(from, receiver.url)
      const before = await answersOf(shop.origin, shop.requests)
      const replayed = await send(shop.origin, shop.replay)
      assert.equal(replayed.status, 200)
      const rows = await countsIn(shop.storage)
      await shop.close()
      await hasLeft(from, shop.url)

      const toUrl = await to.freshUrl()
      const settings = { CARTWRIGHT_SECRET: testSecretText, CARTWRIGHT_DATABASE_URL: toUrl }
      const moved = await runProcess(['migrate', '--from', shop.url, '--json'], settings)
      assert.equal(moved.code, 0, moved.err + moved.out)
      const report = JSON.parse(moved.out)
      assert.deepEqual([report.moved, report.differences, report.findings, report.left], [true, [], [], []])
      assert.deepEqual(Object.fromEntries(report.tables.map(namedRows)), rows)
      for (const name of ['orders', 'promotion_uses', 'webhook_deliveries', 'idempotency_keys', 'users', 'apps'])
        assert.ok(rows[name], `there are ${name}`)

      const storage = await to.open({ url: toUrl, withMigrations: false })
      const place = await openPlace(to, storage, shop.now)
      assert.deepEqual(await answersOf(place.origin, shop.requests), before)
      assert.deepEqual(await send(place.origin, shop.replay), replayed)
      assert.deepEqual(await countsIn(storage), rows)
      assert.deepEqual(await storage.read(findViolations), [])
      assert.equal(receiver.received.length, 0)
      await place.app.dispatcher.dispatchDue()
      assert.deepEqual(receiver.received.map(({ event }) => event.type).sort(), shop.owed)
      // What waits for the paused endpoint goes on waiting.
      const waiting = await storage.read(
        (db) => db.sql<{ endpointId: string; count: number }>`
          select endpoint_id as "endpointId", count(*) as "count" from webhook_deliveries
          where finished_at is null group by endpoint_id`,
      )
      assert.deepEqual(waiting, [{ endpointId: shop.pausedId, count: shop.owed.length }])
    })

    test('copies unusual values unchanged, and every table that a migration creates', async () => {
      const [fromUrl, toUrl] = [await from.migratedUrl(), await to.freshUrl()]
      const source = await from.open({ url: fromUrl })
      await source.write(async (tx) => {
        for (const [i, text] of oddTexts.entries())
          await insertKey(tx, {
            key: text || 'empty',
            answer: i % 2 === 0 ? text : null,
            createdAt: oddNumbers[i % 4] ?? 0,
          })
        await insertKey(tx, { key: 'large', answer: 'ß😀'.repeat(1_000_000), createdAt: 1 })
        // More than a batch, with names that the two engines may sort in different orders.
        for (let i = 0; i < 450; i++)
          await insertKey(tx, { key: `${'aAbBzZ_-.äÖ9'[i % 12]}${i}`, answer: `${i}`, createdAt: i })
        await insertFamily(tx)
      })
      const tables = await source.read(listTables)
      const expected = await contentOf(source, tables)
      await source.close()

      const copied = await copyStore(fromUrl, toUrl, plain)
      assert.deepEqual(copied.differences, [])
      assert.ok(copied.tables.every(({ isSame }) => isSame))
      const scripts = readdirSync(migrations).map((file) => readFileSync(join(migrations, file), 'utf8'))
      // One that was made anew has its name twice.
      const made = new Set(
        scripts.flatMap((script) => [...script.matchAll(/^create table (\w+)/gm)].map(([, name]) => name)),
      )
      // The index of products is built from them.
      for (const name of DERIVED_TABLES) made.delete(name)
      assert.deepEqual(copied.tables.map(({ name }) => name).sort(), [...made].sort())
      const target = await to.open({ url: toUrl })
      assert.deepEqual(await contentOf(target, tables), expected)
    })

    test('refuses a target with content, unless it may be cleared', async () => {
      const [fromUrl, toUrl] = [await from.migratedUrl(), await to.migratedUrl()]
      const source = await from.open({ url: fromUrl })
      await source.write((tx) => insertKey(tx, { key: 'moved', answer: 'a', createdAt: 1 }))
      await source.close()
      const target = await to.open({ url: toUrl })
      await target.write(async (tx) => {
        await insertFamily(tx)
        await insertKey(tx, { key: 'in the way', answer: 'a', createdAt: 1 })
      })
      const refused =
        /the target is not empty \(.*idempotency_keys.*\): .*delete everything in the target with --clear-target/
      await assert.rejects(copyStore(fromUrl, toUrl, plain), refused)
      assert.deepEqual(await keysIn(target), ['in the way'])
      await target.close()
      assert.deepEqual((await copyStore(fromUrl, toUrl, { ...plain, clearTarget: true })).differences, [])
      const again = await to.open({ url: toUrl })
      assert.deepEqual(await keysIn(again), ['moved'])
      assert.deepEqual(await again.read((db) => db.sql`select id from categories`), [])
    })

    test('commits nothing if rows are changed on the way, and names these rows without their values', async () => {
      const [fromUrl, toUrl] = [await from.migratedUrl(), await to.migratedUrl()]
      const source = await from.open({ url: fromUrl })
      await source.write(async (tx) => {
        for (const key of ['fine', 'changed', 'lost'])
          await insertKey(tx, { key, answer: 'a private answer', createdAt: 1 })
      })
      await source.close()
      const target = await to.open({ url: toUrl })
      await target.write((tx) => meddle(tx))
      await target.close()
      const moved = await runProcess(['migrate', '--from', fromUrl, '--to', toUrl], {
        CARTWRIGHT_SECRET: testSecretText,
      })
      assert.equal(moved.code, 1)
      assert.match(moved.out, /idempotency_keys +3 {2}✗/)
      assert.match(moved.out, /✗ idempotency_keys installation_id=ins key=changed: differs in answer/)
      assert.match(moved.out, /✗ idempotency_keys installation_id=ins key=lost: is missing in the target/)
      assert.match(moved.out, /nothing was committed/)
      assert.doesNotMatch(moved.out, /private|fine/)
      assert.deepEqual(await keysIn(await to.open({ url: toUrl })), [])
    })

    for (const step of ['copying idempotency_keys', 'verifying idempotency_keys'])
      test(`kill -9 while ${step} leaves an empty target, and the next try works`, async () => {
        // The first of them also makes the schema.
        const toUrl = await (step.startsWith('copying') ? to.freshUrl() : to.migratedUrl())
        const fromUrl = await from.migratedUrl()
        const source = await from.open({ url: fromUrl })
        await source.write(async (tx) => {
          await insertFamily(tx)
          await insertKey(tx, { key: 'moved', answer: 'a', createdAt: 1 })
        })
        await source.close()
        const copier = join(import.meta.dirname, '..', 'harness', 'copier.ts')
        const args = ['--disable-warning=ExperimentalWarning', copier, 'move', fromUrl, toUrl, step]
        const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')
        assert.equal(signal, 'SIGKILL')
        const target = await to.open({ url: toUrl })
        assert.deepEqual(await keysIn(target), [])
        assert.deepEqual(await target.read((db) => db.sql`select id from merchants`), [])
        await target.close()
        assert.deepEqual((await copyStore(fromUrl, toUrl, plain)).differences, [])
        assert.deepEqual(await keysIn(await to.open({ url: toUrl })), ['moved'])
      })

    test('refuses while a server uses one of the databases, and if the migrations of the source are not those of the program', async () => {
      const [fromUrl, toUrl] = [await from.migratedUrl(), await to.migratedUrl()]
      const problem =
        /another Cartwright server has the database .* open|servers are connected to the PostgreSQL database \(1\)/
      for (const [given, url] of [
        [from, fromUrl],
        [to, toUrl],
      ] as const) {
        const server = await given.open({ url, server: true })
        const calls = createCallCounter()
        server.listen('deliveries', calls.call)
        if (server.engine === 'postgres') await calls.times(1)
        await assert.rejects(copyStore(fromUrl, toUrl, plain), problem)
        await server.close()
        await hasLeft(given, url)
      }
      const source = await from.open({ url: fromUrl })
      await source.write((tx) => tx.sql`insert into schema_migrations values (9999, '9999_future', 'x', 1)`)
      await assert.rejects(copyStore(fromUrl, toUrl, plain), /migrations that this program does not know/)
      await source.write((tx) => tx.sql`delete from schema_migrations where version in (1, 9999)`)
      await source.close()
      await assert.rejects(copyStore(fromUrl, toUrl, plain), /the source lacks migrations/)
    })
  })
}

describe('a move between databases', () => {
  const given = givenEngine('sqlite')
  const to = givenEngine('postgres')

  test('refuses a source file that is damaged in an index', async () => {
    const url = await given.migratedUrl()
    const file = url.slice('sqlite:'.length)
    const storage = await given.open({ url })
    await applyShop(storage, market, { now: now.getTime(), stock: false, dryRun: false })
    await storage.close()
    const db = new DatabaseSync(file)
    const root = db.prepare("select rootpage from sqlite_master where name = 'listed_products_newest'").get()
    const size = Number(db.prepare('pragma page_size').get()?.page_size)
    db.exec('pragma wal_checkpoint(truncate)')
    db.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, (Number(root?.rootpage) - 1) * size, Number(root?.rootpage) * size)
    writeFileSync(file, bytes)
    const target = await to.migratedUrl()
    await assert.rejects(copyStore(url, target, plain), /^StorageRefused: the database file .* is damaged/)
  })

  test('is possible while a server uses another schema of the same database', async () => {
    const [source, target] = [await given.migratedUrl(), await to.freshUrl()]
    await (await given.open({ url: source })).close()
    const server = await to.open({ url: target })
    await server.write((tx) => tx.sql`create schema cell`)
    const calls = createCallCounter()
    server.listen('deliveries', calls.call)
    await calls.times(1)
    assert.deepEqual((await copyStore(source, `${target}?options=-c%20search_path%3Dcell`, plain)).differences, [])
  })

  test('is refused between two SQLite databases, and from a missing database', async () => {
    const given = givenEngine('sqlite')
    const [here, there] = [await given.freshUrl(), await given.freshUrl()]
    const settings = { CARTWRIGHT_SECRET: testSecretText, CARTWRIGHT_DATABASE_URL: here }
    const same = await runProcess(['migrate', '--to', there], settings)
    assert.deepEqual([same.code, /one database must be SQLite and the other PostgreSQL/.test(same.err)], [1, true])
    await assert.rejects(copyStore(here, 'postgres://nobody@127.0.0.1:1/none', plain), /there is no database at/)
    assert.equal(existsSync(here.slice('sqlite:'.length)), false)
    assert.equal((await runProcess(['migrate', '--clear-target'], settings)).code, 2)
  })

  test('copies referenced tables first, and refuses circular references', () => {
    const table = (name: string, ...targets: string[]): Table => ({
      name,
      columns: [],
      key: [],
      references: targets.map((target) => ({ target, columns: [] })),
    })
    const tables = [table('a', 'b', 'a'), table('b', 'c'), table('c'), table('d', 'a', 'elsewhere')]
    assert.deepEqual(
      inOrderOfReferences(tables).map(({ name }) => name),
      ['c', 'b', 'a', 'd'],
    )
    assert.throws(() => inOrderOfReferences([table('a', 'b'), table('b', 'a')]), /in a cycle: a, b/)
  })
})

const oddTexts = [
  '',
  'NULL',
  'it\'s "quoted" \\ and ?1 $1',
  '\u0001\u001f\t\r\n',
  'e\u0301 é ﷽ 𝄞 👩‍👩‍👧',
  ' trailing ',
  '\ufeff',
  '\uffff',
]
const oddNumbers = [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]

interface KeyRow {
  key: string
  answer: string | null
  createdAt: number
}

function insertKey(tx: Tx, { key, answer, createdAt }: KeyRow) {
  return tx.sql`
    insert into idempotency_keys (installation_id, key, fingerprint, answer, created_at)
    values ('ins', ${key}, 'f', ${answer}, ${createdAt})`
}

async function keysIn(storage: Storage): Promise<string[]> {
  const rows = await storage.read((db) => db.sql<{ key: string }>`select key from idempotency_keys order by key`)
  return rows.map(({ key }) => key)
}

// Categories whose parents come long after them in the order of ids.
async function insertFamily(tx: Tx): Promise<void> {
  await tx.sql`
    insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
    values ('mer', 'family', 'Family', 'EUR', 'DE', 'included', 0, '[]', 1, 1, 1)`
  const insert = (id: string, parent: string | null) => tx.sql`
    insert into categories (merchant_id, id, slug, name, description, parent_id, position, product_count, created_at, updated_at)
    values ('mer', ${id}, ${id}, ${id}, '', ${parent}, 0, 0, 1, 1)`
  await insert('z', null)
  await insert('y', 'z')
  for (let i = 0; i < 250; i++) await insert(`a${i}`, i % 2 === 0 ? 'y' : 'z')
}

// Every row of every table, in an order that does not depend on the engine.
async function contentOf(storage: Storage, tables: readonly Table[]): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const { name, columns } of tables) {
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const rows = await storage.read((db) => db.sql`${new Fragment(`select ${names} from ${name}`)}`)
    content[name] = rows.map((row) => JSON.stringify(row)).sort()
  }
  return content
}

async function countsIn(storage: Storage): Promise<Record<string, number>> {
  // The server builds the index of products itself.
  const tables = (await storage.read(listTables)).filter(({ name }) => !DERIVED_TABLES.includes(name))
  const content = await contentOf(storage, tables)
  return Object.fromEntries(Object.entries(content).map(([name, rows]) => [name, rows.length]))
}

const namedRows = ({ name, rows }: { name: string; rows: number }) => [name, rows]

// A hand in the target that changes one row and swallows another as they come.
async function meddle(tx: Tx): Promise<void> {
  if (tx.engine === 'sqlite') {
    await tx.sql`
      create trigger meddle after insert on idempotency_keys begin
        update idempotency_keys set answer = 'another' where key = new.key and new.key = 'changed';
        delete from idempotency_keys where key = new.key and new.key = 'lost';
      end`
    return
  }
  await tx.sql`
    create function meddle() returns trigger language plpgsql as '
      begin
        if new.key = ''lost'' then return null; end if;
        if new.key = ''changed'' then new.answer := ''another''; end if;
        return new;
      end'`
  await tx.sql`create trigger meddle before insert on idempotency_keys for each row execute function meddle()`
}

// PostgreSQL notices a moment later that a connection is gone.
async function hasLeft(given: Given, url: string): Promise<void> {
  if (given.engine !== 'postgres') return
  const storage = await given.open({ url, withMigrations: false })
  for (let count = 1; count > 0; ) {
    const rows = await storage.read(
      (db) => db.sql`
        select pid from pg_stat_activity where datname = current_database() and application_name = 'cartwright_signals'`,
    )
    count = rows.length
  }
  await storage.close()
}

interface Request {
  id: OperationId
  path?: Readonly<Record<string, string>>
  key: string
  body?: object
}

async function send(origin: string, { id, path = {}, key, body }: Request): Promise<{ status: number; text: string }> {
  const { method, path: pattern } = operations[id]
  const address = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const response = await fetch(origin + address, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

async function answersOf(origin: string, requests: readonly Request[]): Promise<object[]> {
  const answers: object[] = []
  for (const request of requests) {
    const answer = await send(origin, request)
    assert.equal(answer.status, 200, `${request.id}: ${answer.text}`)
    answers.push({ id: request.id, ...answer })
  }
  return answers
}

const publicOrigin = () => 'https://shop.example'

// Orders, one of them with a promotion, a cart, deliveries that are due and others that are held, apps and people.
async function openBusyShop(given: Given, receiverUrl: string) {
  const ends: (() => Promise<void>)[] = []
  // Its store outlives the server.
  const testServer = await openTestServer(
    { ...withoutLeases(given), later: (end) => void ends.push(end) },
    { shops: [market, rival], publicOrigin },
  )
  // Once: by the test, before it moves the store, or at the end of a test that failed before.
  async function close(): Promise<void> {
    for (const end of ends.splice(0).reverse()) await end()
    await testServer.storage.close()
  }
  given.later(close)
  const webhooks = webhooksOf(testServer)
  const enabled = await webhooks.add({ url: receiverUrl, events: ['order.*'] })
  const paused = await webhooks.add({ url: receiverUrl, events: ['order.*'] })
  await testServer.storage.write((tx) =>
    pauseEndpoint(tx, testServer.installationId, paused.endpoint.id, testServer.clock.now),
  )
  const checkout = await checkoutOf(testServer)
  for (const [items, more] of [
    [{ 'ROSE-12': 1 }, { promotionCode: 'WELCOME10' }],
    [{ CARD: 3, BOOK: 1 }, {}],
    [{ COURSE: 1 }, {}],
  ] as const) {
    const { secret, view } = await checkout.ready(items, more)
    await checkout.pay(secret, view)
  }
  const cartId = await checkout.carts.create({ CARD: 2 })
  await testServer.storage.write(async (tx) => {
    const user = { email: 'ada@bloom.example', passwordHash: 'x', merchantIds: [testServer.merchantId] }
    await createUser(tx, testSecret, user, testServer.clock.now)
    const app = {
      name: 'Florist',
      description: 'Writes cards.',
      redirectUris: ['https://app.example/'],
      scopes: ['catalog:read'] as const,
    }
    await createOAuthApp(tx, { ...app, mode: 'test', jwks: null }, testServer.clock.now)
    await tx.sql`
      insert into oauth_artifacts (kind, id, sealed, grant_id, expires_at, created_at)
      values ('Session', 'hash', 'sealed', null, ${testServer.clock.now + 1_000}, ${testServer.clock.now})`
  })
  const key = testServer.keys.full
  const orders = await testServer.storage.read(
    (db) =>
      db.sql<{ id: string }>`select id from orders where installation_id = ${testServer.installationId} order by id`,
  )
  assert.equal(orders.length, 3)
  const owed = await testServer.storage.read(
    (db) => db.sql<{ type: string }>`
      select event_type as "type" from webhook_deliveries
      where endpoint_id = ${enabled.endpoint.id} and finished_at is null order by event_type`,
  )
  assert.ok(owed.length >= 3)
  const requests: Request[] = [
    { id: 'getInstallationCredentialIdentity', key },
    { id: 'listApiKeyCatalogProducts', key },
    { id: 'listApiKeyCatalogCategories', key },
    { id: 'getApiKeyCatalogProduct', path: { slug: 'card' }, key },
    { id: 'listStorefrontOrders', key },
    ...orders.map(({ id }): Request => ({ id: 'getStorefrontOrder', path: { orderId: id }, key })),
    { id: 'getPublicCart', path: { cartId }, key },
    { id: 'listInstallationWebhooks', key },
    { id: 'listStorefrontOrders', key: testServer.keys.rival },
  ]
  const replay: Request = { id: 'createPublicCart', key, body: { idempotencyKey: randomUUID() } }
  return {
    ...testServer,
    now: testServer.clock.now,
    requests,
    replay,
    owed: owed.map(({ type }) => type),
    pausedId: paused.endpoint.id,
    close,
  }
}

// A server on a store that has a shop already.
async function openPlace(given: Given, storage: Storage, at: number) {
  const app = createApp({
    storage,
    rootSecret: testSecret,
    rateLimit: null,
    trustedProxies: [],
    webhookAllowPrivate: true,
    publicOrigin,
    version: 'test',
    clock: () => new Date(at),
    log: createLog({ level: 'silent', pretty: false, write: () => {} }),
  })
  const port = await app.server.listen(0, '127.0.0.1')
  given.later(async () => {
    await app.server.drain(1_000)
    await app.dispatcher.drain()
    app.close()
  })
  return { app, origin: `http://127.0.0.1:${port}` }
}
