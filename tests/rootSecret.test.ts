// A database belongs to its root secret. With a wrong, missing, swapped or shortened one, every command and every start is
// refused in one line and changes nothing; and whatever only reads makes nothing.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { makePasswordsCheap } from '../harness/passwords.ts'
import { type Environment, type Outcome, tempFolder } from '../harness/process.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { effects } from '../harness/verbs.ts'
import { isWide } from '../harness/wide.ts'
import { encryptWebhookSecret } from '../src/domain/webhooks/signature.ts'
import { BadSetting } from '../src/platform/kit/badsetting.ts'
import { createDatabaseKey } from '../src/platform/secrets/databasekey.ts'
import { sealedColumns } from '../src/platform/secrets/reseal.ts'
import { checkRootSecret, discardSecretVersions, storeCheckValues } from '../src/platform/secrets/rootsecret.ts'
import { encryptionPurposes, parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { listTables } from '../src/platform/storage/catalogue.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { Fragment, type Reader, type Storage } from '../src/platform/storage/storage.ts'

makePasswordsCheap()

const right = 'the-root-secret-that-the-shop-was-made-with'
const wrong = 'a-root-secret-that-this-shop-was-not-made-with'
const newer = 'the-root-secret-that-is-to-take-its-place-soon'
const secretOf = (text: string) => parseRootSecret(text) as RootSecret

const shopFile = JSON.stringify({
  merchant: { slug: 'tea', name: 'Tea House', currency: 'GBP', country: 'GB' },
  installations: [{ name: 'Web', mode: 'test' }],
})

interface Shop {
  url: string
  // The folder of a SQLite database; nothing but it and its secret is in there.
  folder: string
  // Elsewhere, for the files that commands are given.
  files: string
  ids: { endpoint: string; key: string; app: string; installation: string; email: string }
}

// Each command, so that with the right secret it would do its work.
// `outside`: a folder for what they write beside the database.
function formsFor({ files, ids, url }: Shop, elsewhere: string, outside: string): Record<string, string[]> {
  const isSqlite = url.startsWith('sqlite:')
  return {
    serve: ['serve'],
    migrate: ['migrate'],
    'migrate --from': ['migrate', '--from', url, '--to', elsewhere],
    ...(isSqlite && {
      backup: ['backup', join(files, 'copy.db')],
      restore: ['restore', join(files, 'backup.db'), '--force'],
    }),
    demo: ['demo'],
    'demo history': ['demo', 'history'],
    apply: ['apply', join(files, 'shop.json')],
    'apply --dry-run': ['apply', join(files, 'shop.json'), '--dry-run'],
    import: ['import', join(files, 'products.csv')],
    export: ['export', '--format', 'shopify'],
    'promotions list': ['promotions', 'list'],
    'promotions show': ['promotions', 'show', 'WELCOME10'],
    'promotions add': ['promotions', 'add', '--code', 'NEW', '--name', 'New', '--type', 'free_shipping'],
    'search rebuild': ['search', 'rebuild'],
    'promotions disable': ['promotions', 'disable', 'WELCOME10'],
    'promotions enable': ['promotions', 'enable', 'WELCOME10'],
    'methods list': ['methods', 'list'],
    'mail list': ['mail', 'list'],
    'mail show': ['mail', 'show', 'eml_00000000000000000000000000'],
    'mail retry': ['mail', 'retry', 'eml_00000000000000000000000000'],
    'methods set': ['methods', 'set', 'bank_transfer', '--mode', 'live', '--off'],
    'orders list': ['orders', 'list'],
    'orders show': ['orders', 'show', '1001', '--address'],
    'orders slip': ['orders', 'slip', '1001'],
    'orders pay': ['orders', 'pay', '1001'],
    'orders fulfil': ['orders', 'fulfil', '1001'],
    'orders refund': ['orders', 'refund', '1001'],
    'orders return': ['orders', 'return', '1001'],
    'orders cancel': ['orders', 'cancel', '1001'],
    'documents export': ['documents', 'export', join(outside, 'documents.zip'), '--force'],
    'payments list': ['payments', 'list'],
    'payments check': ['payments', 'check'],
    'payments connect': ['payments', 'connect', 'stripe', '--mode', 'test'],
    'payments rotate': ['payments', 'rotate', 'pac_00000000000000000000000000'],
    'payments disconnect': ['payments', 'disconnect', 'pac_00000000000000000000000000'],
    'payments close': ['payments', 'close', 'pay_00000000000000000000000000', '--outcome', 'declined'],
    'shoppers forget': ['shoppers', 'forget', '--email', 'ada@example.com'],
    'shoppers forget --dry-run': ['shoppers', 'forget', '--email', 'ada@example.com', '--dry-run'],
    'webhooks list': ['webhooks', 'list'],
    'webhooks deliveries': ['webhooks', 'deliveries', ids.endpoint],
    'webhooks add': ['webhooks', 'add', '--url', 'https://shop.example.com/hooks'],
    'webhooks rotate': ['webhooks', 'rotate', ids.endpoint],
    'webhooks test': ['webhooks', 'test', ids.endpoint, '--wait', '1'],
    'webhooks pause': ['webhooks', 'pause', ids.endpoint],
    'webhooks enable': ['webhooks', 'enable', ids.endpoint],
    'webhooks disable': ['webhooks', 'disable', ids.endpoint],
    'webhooks remove': ['webhooks', 'remove', ids.endpoint],
    'webhooks replay': ['webhooks', 'replay', 'whd_00000000000000000000000000'],
    'webhooks listen': ['webhooks', 'listen', '--port', '0'],
    'agents show': ['agents', 'show'],
    'agents open': ['agents', 'open'],
    'agents close': ['agents', 'close'],
    'agents platforms': ['agents', 'platforms'],
    'agents approve': ['agents', 'approve', 'https://agents.example.com/profile'],
    'agents block': ['agents', 'block', 'https://agents.example.com/profile'],
    'agents key': ['agents', 'key', 'https://agents.example.com/profile'],
    'agents webhook': [
      'agents',
      'webhook',
      'https://agents.example.com/profile',
      '--url',
      'https://agents.example.com/orders',
    ],
    'agents rotate': ['agents', 'rotate'],
    'keys list': ['keys', 'list'],
    'keys create': ['keys', 'create', '--name', 'Till'],
    'keys rotate': ['keys', 'rotate', ids.key],
    'keys revoke': ['keys', 'revoke', ids.key],
    'apps list': ['apps', 'list'],
    'apps show': ['apps', 'show', ids.app],
    'apps installations': ['apps', 'installations'],
    'apps create': ['apps', 'create', '--name', 'Pigeon', '--redirect-uri', 'https://pigeon.example.com/back'],
    'apps change': ['apps', 'change', ids.app, '--description', 'Other'],
    'apps disable': ['apps', 'disable', ids.app],
    'apps enable': ['apps', 'enable', ids.app],
    'apps uninstall': ['apps', 'uninstall', ids.installation],
    'users list': ['users', 'list'],
    'users create': ['users', 'create', '--email', 'new@example.com'],
    'users password': ['users', 'password', ids.email],
    'users merchants': ['users', 'merchants', ids.email, '--merchant', 'alder-finch'],
    'users disable': ['users', 'disable', ids.email],
    'users enable': ['users', 'enable', ids.email],
    'users invite': [
      'users',
      'invite',
      '--email',
      'invited@example.com',
      '--role',
      'staff',
      '--merchant',
      'alder-finch',
    ],
    'users reset': ['users', 'reset', ids.email],
    'users role': ['users', 'role', ids.email, 'viewer', '--merchant', 'alder-finch'],
    'users remove': ['users', 'remove', ids.email, '--merchant', 'alder-finch'],
    'users sessions': ['users', 'sessions', ids.email],
    doctor: ['doctor'],
    'secret reseal': ['secret', 'reseal'],
  }
}

// Every file below a folder with its length and a checksum; a folder that is not there has none. Databases are read hundreds of
// times, so it is a quick checksum.
function treeOf(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  function digest(path: string): string {
    if (statSync(path).isDirectory()) return 'folder'
    const bytes = readFileSync(path)
    return `${bytes.length} ${crc32(bytes)}`
  }
  return Object.fromEntries(names.map((name) => [name, digest(join(folder, name))]))
}

async function rowsOf(db: Reader): Promise<Record<string, unknown[]>> {
  const dump: Record<string, unknown[]> = {}
  for (const { name, columns, key } of await listTables(db)) {
    const text = `select ${columns.map((column) => `"${column.name}"`).join(', ')} from "${name}" order by ${key.join(', ')}`
    dump[name] = await db.sql<object>`${new Fragment(text)}`
  }
  dump.schema_migrations = await db.sql<object>`select * from schema_migrations order by version`
  return dump
}

async function allRows(url: string): Promise<string> {
  const storage = await openStorage(url)
  try {
    return JSON.stringify(await storage.read(rowsOf))
  } finally {
    await storage.close()
  }
}

// What can be compared: the files of a SQLite database, which hold its rows, or the rows of a PostgreSQL database.
async function stateOf({ url, folder, files }: Shop): Promise<string> {
  const rows = url.startsWith('sqlite:') ? '' : await allRows(url)
  return JSON.stringify([treeOf(folder), treeOf(files), rows])
}

function isRefused({ code, out, err }: Outcome, pattern: RegExp, what: string): void {
  assert.deepEqual([code, out], [1, ''], `${what}: ${err}`)
  assert.match(err, /^cartwright: [^\n]+\n$/, what)
  assert.match(err, pattern, what)
  for (const text of [right, wrong, newer]) assert.ok(!err.includes(text), `${what} tells no secret`)
}

const demos = new WeakMap<Given, Promise<{ url: string; ids: Shop['ids'] }>>()

// The demo shop is made once for a suite, and each test has a copy of it.
async function makeShop(given: Given): Promise<Shop> {
  const made = demos.get(given) ?? makeDemo(given.shared)
  demos.set(given, made)
  const demo = await made
  assert.ok(given.copyOf)
  const url = await given.copyOf(demo.url)
  const files = await mkdtemp(join(tmpdir(), 'cartwright-'))
  given.later(() => rm(files, { recursive: true, force: true }))
  const folder = given.engine === 'sqlite' ? dirname(url.slice('sqlite:'.length)) : join(files, 'none')
  const settings = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: right }
  writeFileSync(join(files, 'shop.json'), shopFile)
  writeFileSync(join(files, 'products.csv'), 'Handle,Title,Variant Price\nkettle,Kettle,12.00\n')
  if (given.engine === 'sqlite')
    assert.equal((await cartwright(['backup', join(files, 'backup.db')], settings)).code, 0)
  return { url, folder, files, ids: demo.ids }
}

async function makeDemo(given: Given): Promise<{ url: string; ids: Shop['ids'] }> {
  const url = await (given.engine === 'sqlite' ? given.freshUrl() : given.migratedUrl())
  const settings = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: right }
  const said = await cartwright(['demo', '--json'], settings)
  assert.equal(said.code, 0, said.err)
  const demo = JSON.parse(said.out)
  const { keys } = JSON.parse((await cartwright(['keys', 'list', '--json'], settings)).out)
  const ids = {
    endpoint: demo.webhookEndpoint.id,
    key: keys[0].id,
    app: demo.app.clientId,
    installation: demo.installation.id,
    email: demo.user.email,
  }
  return { url, ids }
}

eachEngine('every command', (given) => {
  let shop: Shop
  let forms: Record<string, string[]>
  let elsewhere: string

  before(async () => {
    shop = await makeShop(given)
    // The target of a move, which is of the other engine. Nobody comes so far as to connect.
    elsewhere =
      given.engine === 'sqlite'
        ? 'postgres://nobody@127.0.0.1:1/none'
        : `sqlite:${join(shop.files, 'moved', 'shop.db')}`
    forms = formsFor(shop, elsewhere, await tempFolder())
  })

  const settings = (secret: Environment): Environment => ({ CARTWRIGHT_DATABASE_URL: shop.url, PORT: '0', ...secret })

  test('that needs the root secret has its arguments listed in this test', () => {
    // The one that is there to do without a version has tests of its own.
    const others = given.engine === 'postgres' ? ['secret forget', 'backup', 'restore'] : ['secret forget']
    const isHere = (key: string) => key in forms || others.includes(key)
    assert.deepEqual(
      Object.keys(effects).filter((key) => effects[key] !== 'none' && !isHere(key)),
      [],
    )
  })

  // All of them open the database by the same few lines. Every form is tried on SQLite with a wrong secret; for the rest one form
  // of each effect does.
  function tried(isEvery = false): [key: string, args: string[]][] {
    const all = Object.entries(forms)
    if (isWide || (isEvery && given.engine === 'sqlite')) return all
    return all.filter(([key], place) => all.findIndex(([other]) => effects[other] === effects[key]) === place)
  }

  for (const [what, secret, pattern] of [
    ['a wrong root secret', wrong, /the database was made with another root secret/],
    ['the right one as another version', `2:${right}`, /made with version 1 of the root secret, which is missing/],
    ['a new one alone', `2:${newer}`, /made with version 1 of the root secret, which is missing/],
    ['a new one beside a wrong one', `2:${newer},1:${wrong}`, /version 1 of the root secret is another one than/],
  ] as const) {
    test(`refuses ${what} in one line, and changes nothing`, async () => {
      const state = await stateOf(shop)
      for (const [key, args] of tried(secret === wrong)) {
        isRefused(await cartwright(args, settings({ CARTWRIGHT_SECRET: secret })), pattern, key)
        if (given.engine === 'sqlite') assert.equal(await stateOf(shop), state, `${key} has changed something`)
      }
      assert.equal(await stateOf(shop), state)
    })
  }

  test('is refused without a root secret, and creates none', async () => {
    const state = await stateOf(shop)
    const pattern =
      given.engine === 'sqlite'
        ? /there is no root secret at .*secret, but the database was created with one/
        : /CARTWRIGHT_SECRET is required with PostgreSQL/
    for (const [key, args] of tried(true)) isRefused(await cartwright(args, settings({})), pattern, key)
    assert.equal(await stateOf(shop), state)
  })

  test('is refused with the secret file of another shop', async () => {
    const place = given.engine === 'sqlite' ? join(shop.folder, 'secret') : join(shop.files, 'secret')
    writeFileSync(place, `${wrong}\n`)
    const state = await stateOf(shop)
    const named: Environment = given.engine === 'sqlite' ? {} : { CARTWRIGHT_SECRET_FILE: place }
    for (const [key, args] of tried())
      isRefused(await cartwright(args, settings(named)), /the database was made with another root secret/, key)
    assert.equal(await stateOf(shop), state)
    await rm(place)
  })

  test('that only reads works with the right secret and changes nothing', async () => {
    for (const secret of [right, `2:${newer},1:${right}`]) {
      const state = await stateOf(shop)
      for (const [key, args] of Object.entries(forms).filter(([name]) => effects[name] === 'reads')) {
        const said = await cartwright(args, settings({ CARTWRIGHT_SECRET: secret }))
        if (key === 'orders show' || key === 'orders slip') assert.match(said.err, /has no order 1001/)
        else if (key === 'mail show') assert.match(said.err, /There is no e-mail eml_/)
        else assert.deepEqual([said.code, said.err], [0, ''], key)
        if (key === 'backup') await rm(join(shop.files, 'copy.db'))
        if (given.engine === 'sqlite') assert.equal(await stateOf(shop), state, `${key} has changed something`)
      }
      assert.equal(await stateOf(shop), state)
    }
  })

  test('that needs a database reports in one line that there is none, and creates nothing', async () => {
    const place = join(await tempFolder(), 'mistyped')
    const url = given.engine === 'sqlite' ? `sqlite:${join(place, 'shop.db')}` : await given.freshUrl()
    const given2: Environment[] = [{ CARTWRIGHT_SECRET: right }, ...(given.engine === 'sqlite' ? [{}] : [])]
    for (const [key, args] of tried(true)) {
      if (effects[key] !== 'reads' && effects[key] !== 'changes') continue
      for (const secret of given2)
        isRefused(await cartwright(args, { CARTWRIGHT_DATABASE_URL: url, ...secret }), /there is no database /, key)
    }
    assert.deepEqual(treeOf(join(place, '..')), {})
    if (given.engine === 'postgres') assert.deepEqual(await tablesAt(url), [])
  })

  test('that only reads refuses a database that lacks migrations, and applies none', async () => {
    const url = await given.migratedUrl()
    const storage = await given.open({ url, withMigrations: false })
    await storeCheckValues(storage, secretOf(right), 1)
    await storage.write(async (tx) => {
      await tx.sql`delete from schema_migrations where version = (select max(version) from schema_migrations)`
    })
    await storage.close()
    const before = await allRows(url)
    for (const [key, args] of tried(true)) {
      if (effects[key] !== 'reads' || ['doctor', 'backup'].includes(key)) continue
      const said = await cartwright(args, { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: right })
      isRefused(said, /the database lacks migrations \(1\): run `migrate`, or start the server/, key)
    }
    assert.equal(await allRows(url), before)
  })
})

async function tablesAt(url: string): Promise<string[]> {
  const storage = await openStorage(url)
  try {
    return (await storage.read(listTables)).map(({ name }) => name)
  } finally {
    await storage.close()
  }
}

eachEngine('the check values of the root secret', (given) => {
  const values = (storage: Storage) =>
    storage.read(
      (db) => db.sql<{ version: number; usedAt: number | null }>`
        select version, used_at as "usedAt" from root_secrets order by version`,
    )
  const problemOf = async (storage: Storage, text: string) => {
    const verdict = await storage.read((db) => checkRootSecret(db, secretOf(text)))
    return 'problem' in verdict ? verdict.problem : verdict.fits
  }

  test('are written at first use and do not contain the secret', async () => {
    const storage = await given.open()
    assert.equal(await problemOf(storage, wrong), null)
    await storeCheckValues(storage, secretOf(right), 5)
    await storeCheckValues(storage, secretOf(right), 6)
    assert.deepEqual(await values(storage), [{ version: 1, usedAt: 5 }])
    assert.equal(await problemOf(storage, right), true)
    const [row] = await storage.read((db) => db.sql<{ text: string }>`select check_value as "text" from root_secrets`)
    assert.match(row?.text ?? '', /^[\w-]{43}$/)
    assert.ok(!JSON.stringify(row).includes(right))
  })

  test('are written for a new version beside an existing one; the new version may be dropped until it is used', async () => {
    const storage = await given.open()
    await storeCheckValues(storage, secretOf(right), 1)
    // Made known to every node before any of them uses it.
    await storeCheckValues(storage, secretOf(`1:${right},2:${newer}`), 2)
    assert.deepEqual(await values(storage), [
      { version: 1, usedAt: 1 },
      { version: 2, usedAt: null },
    ])
    assert.equal(await problemOf(storage, right), true, 'a node that does not know it yet may start again')
    assert.match(String(await problemOf(storage, `1:${right},2:${wrong}`)), /version 2 .* another one/)
    await storeCheckValues(storage, secretOf(`2:${newer},1:${right}`), 3)
    assert.deepEqual(await values(storage), [
      { version: 1, usedAt: 1 },
      { version: 2, usedAt: 3 },
    ])
    assert.match(String(await problemOf(storage, right)), /version 2 of the root secret, which is missing/)
    assert.match(String(await problemOf(storage, `2:${newer}`)), /version 1 of the root secret, which is missing/)
    await assert.rejects(storeCheckValues(storage, secretOf(`3:${newer},1:${right}`), 4), BadSetting)
    assert.equal((await values(storage)).length, 2)
  })

  test('are those of one process if two processes use an empty database concurrently', async () => {
    for (const [one, other] of [
      [right, wrong],
      [right, `2:${wrong}`],
      [`3:${right},2:${newer}`, wrong],
    ] as const) {
      const options = { url: await given.migratedUrl(), withMigrations: false }
      const [first, second] = [await given.open(options), await given.open(options)]
      const outcomes = await Promise.allSettled([
        storeCheckValues(first, secretOf(one), 1),
        storeCheckValues(second, secretOf(other), 1),
      ])
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      const winner = outcomes[0]?.status === 'fulfilled' ? one : other
      assert.equal(await problemOf(first, winner), true)
      assert.notEqual(await problemOf(first, winner === one ? other : one), true)
    }
  })

  // As the version before this one left it: everything is there but the check values.
  async function withoutCheckValues(): Promise<{ url: string; storage: Storage }> {
    const url = await given.migratedUrl()
    const storage = await given.open({ url, withMigrations: false })
    await storage.write(async (tx) => {
      await tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
        values ('mer_tea', 'tea', 'Tea', 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`
      await tx.sql`
        insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
        values ('ins_tea', 'mer_tea', 'Web', 'test', '[]', 0)`
    })
    return { url, storage }
  }

  const insertEndpoint = (storage: Storage, id: string, sealed: string, endedAt: number | null = null) =>
    storage.write(
      (tx) => tx.sql`
        insert into webhook_endpoints (installation_id, id, slot, url, description, events, status, version, secret_sealed,
          secret_hint, consecutive_failures, created_at, updated_at, ended_at)
        values ('ins_tea', ${id}, 1, 'https://a.example', '', '["*"]', 'enabled', 1, ${sealed}, 'hint', 0, 0, 0, ${endedAt})`,
    )

  test('are not needed in a database of an earlier release: encrypted data shows whether the secret is right', async () => {
    const { storage } = await withoutCheckValues()
    assert.equal(await problemOf(storage, wrong), null, 'nothing was made with a secret yet')
    await insertEndpoint(storage, 'whe_1', encryptWebhookSecret(secretOf(right), 'whe_1', 'whsec_x'))
    await insertEndpoint(storage, 'whe_2', '', 1)
    assert.equal(await problemOf(storage, right), true)
    assert.match(String(await problemOf(storage, wrong)), /made with another root secret/)
    await assert.rejects(storeCheckValues(storage, secretOf(wrong), 1), /made with another root secret/)
    assert.deepEqual(await values(storage), [])
    await storeCheckValues(storage, secretOf(`2:${newer},1:${right}`), 7)
    assert.deepEqual(await values(storage), [
      { version: 1, usedAt: 7 },
      { version: 2, usedAt: 7 },
    ])
  })

  test('are not needed in a database of an earlier release: every version that encrypted data is required', async () => {
    const { storage } = await withoutCheckValues()
    const both = secretOf(`2:${newer},1:${right}`)
    await insertEndpoint(storage, 'whe_1', encryptWebhookSecret(secretOf(right), 'whe_1', 'whsec_x'))
    await insertEndpoint(storage, 'whe_2', encryptWebhookSecret(both, 'whe_2', 'whsec_y'), 1)
    assert.equal(await problemOf(storage, `2:${newer},1:${right}`), true)
    assert.match(String(await problemOf(storage, right)), /version 2 of the root secret, which is missing/)
    assert.match(String(await problemOf(storage, `2:${newer}`)), /version 1 of the root secret, which is missing/)
    assert.match(String(await problemOf(storage, `2:${newer},1:${wrong}`)), /made with another root secret/)
    // For a while it was served with a wrong one.
    await insertEndpoint(storage, 'whe_3', encryptWebhookSecret(secretOf(wrong), 'whe_3', 'whsec_z'), 1)
    assert.equal(await problemOf(storage, `2:${newer},1:${right}`), true)
  })

  test('are not needed in a database of an earlier release: an API key shows the version that it was made with', async () => {
    const { storage } = await withoutCheckValues()
    await storage.write(
      (tx) => tx.sql`
        insert into credentials (id, installation_id, merchant_id, name, mode, scopes, lookup, digest, pepper_version, prefix,
          last4, created_at)
        values ('key_1', 'ins_tea', 'mer_tea', 'Till', 'test', '', 'lookup', 'digest', 2, 'cwk_test_', 'last', 0)`,
    )
    assert.match(String(await problemOf(storage, right)), /version 2 of the root secret, which is missing/)
    assert.equal(await problemOf(storage, `2:${right}`), null)
  })

  test('are written when a database of an earlier release is migrated, but not with a wrong secret', async () => {
    const directory = await tempFolder()
    const migrations = join(import.meta.dirname, '../src/platform/storage/migrations')
    for (const name of (await readdir(migrations)).filter((each) => each < '0010'))
      await copyFile(join(migrations, name), join(directory, name))
    const url = await given.freshUrl()
    const storage = await given.open({ url, withMigrations: false })
    assert.equal((await migrate(storage, { now: new Date(1), directory })).length, 9)
    await storage.write(async (tx) => {
      await tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
        values ('mer_tea', 'tea', 'Tea', 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`
      await tx.sql`
        insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
        values ('ins_tea', 'mer_tea', 'Web', 'test', '[]', 0)`
    })
    await insertEndpoint(storage, 'whe_1', encryptWebhookSecret(secretOf(right), 'whe_1', 'whsec_x'))
    await storage.close()
    const state = await allRows(url)
    for (const args of [['migrate'], ['serve'], ['keys', 'list'], ['keys', 'create', '--name', 'Till'], ['doctor']])
      isRefused(
        await cartwright(args, { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: wrong, PORT: '0' }),
        /made with another root secret/,
        args.join(' '),
      )
    assert.equal(await allRows(url), state)
    const settings = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: right }
    const doctor = await cartwright(['doctor'], settings)
    assert.deepEqual([doctor.code, /migrations are pending/.test(doctor.out)], [1, true])
    assert.equal(await allRows(url), state, 'who only reads adopts nothing')
    assert.equal((await cartwright(['migrate'], settings)).code, 0)
    assert.deepEqual(
      (await values(await given.open({ url }))).map(({ version }) => version),
      [1],
    )
    assert.equal((await cartwright(['doctor'], settings)).code, 0)
  })
})

eachEngine('encrypting again with a new root secret', (given) => {
  // These have a rule of their own: keys of the database are sealed by every version, and a factor that is set up is not stored.
  const unlisted = ['database key', 'second factor being set up']

  test('covers every purpose of encryption', () => {
    const listed = sealedColumns.flatMap(({ purposes }) => purposes)
    assert.deepEqual(
      encryptionPurposes.filter((purpose) => !unlisted.includes(purpose)),
      [...new Set(listed)].toSorted(),
    )
  })

  test('covers every column with sealed data', async () => {
    const storage = await given.open()
    const tables = await storage.read((db) => listTables(db))
    const named = tables.flatMap(({ name, columns }) =>
      columns.filter((column) => /sealed|row_key/.test(column.name)).map((column) => `${name}.${column.name}`),
    )
    const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
    assert.deepEqual(
      named.filter((column) => !listed.includes(column)),
      // An address by the key of its row, and the keys of the database by a rule of their own.
      ['addresses.sealed', 'database_keys.sealed'],
    )
  })
})

eachEngine('a version of the root secret that is forgotten', (given) => {
  const forget = ['secret', 'forget', '1', '--force']

  test('is no longer required, and what it encrypted cannot be read until the version is added again', async () => {
    const { url } = await makeShop(given)
    const settings = (secret: string) => ({ CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: secret })
    const alone = settings(`2:${newer}`)
    const state = await allRows(url)
    isRefused(
      await cartwright(['secret', 'forget', '1'], alone),
      /To forget the version anyway, add --force/,
      'without --force',
    )
    isRefused(
      await cartwright(forget, settings(wrong)),
      /still contains version 1: replace it by a new version/,
      'in its own place',
    )
    isRefused(
      await cartwright(['secret', 'forget', '3', '--force'], settings(`2:${newer}`)),
      /version 1 .* missing/,
      'another',
    )
    assert.equal((await cartwright(['secret', 'forget', 'one', '--force'], alone)).code, 2)
    assert.equal(await allRows(url), state)

    const forgotten = await cartwright([...forget, '--json'], alone)
    assert.deepEqual([forgotten.code, forgotten.err], [0, ''])
    assert.deepEqual(JSON.parse(forgotten.out), { forgotten: [1], apiKeys: 4 })
    assert.equal((await cartwright(['doctor'], alone)).code, 0)
    assert.match((await cartwright(['users', 'list'], alone)).out, /\(cannot be decrypted\)/)
    const server = await serveHere(alone, ['--no-demo'])
    assert.equal(await server.stop(), 0)
    const users = await cartwright(['users', 'list'], settings(`2:${newer},1:${right}`))
    assert.match(users.out, /@/)
    isRefused(
      await cartwright(['doctor'], settings(right)),
      /version 2 of the root secret, which is missing/,
      'the old one',
    )
  })

  test('loses nothing if everything was resealed and every API key was used before', async () => {
    const { url } = await makeShop(given)
    const settings = (secret: string) => ({ CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: secret })
    const [both, alone] = [settings(`2:${newer},1:${right}`), settings(`2:${newer}`)]
    const resealed = await cartwright(['secret', 'reseal', '--json'], both)
    assert.equal(resealed.code, 0, resealed.err)
    const { unopened, versions } = JSON.parse(resealed.out)
    const [{ ids }] = versions[0].left
    assert.deepEqual([unopened, versions], [0, [{ version: 1, left: [{ what: 'API keys', rows: 4, ids }] }]])
    assert.equal(ids.length, 4)
    assert.ok(
      ids.every((id: string) => id.startsWith('key_')),
      String(ids),
    )
    isRefused(
      await cartwright(['secret', 'forget', '1'], alone),
      new RegExp(`still needed for API keys: 4 \\(${ids.join(', ')}\\):`),
      'keys that were not used',
    )
    // As their next use does.
    const storage = await openStorage(url)
    await storage.write((tx) => tx.sql`update credentials set pepper_version = 2`)
    await storage.close()
    const forgotten = await cartwright(['secret', 'forget', '1', '--json'], alone)
    assert.deepEqual([forgotten.code, JSON.parse(forgotten.out)], [0, { forgotten: [1], apiKeys: 0 }])
    assert.match((await cartwright(['users', 'list'], alone)).out, /@/)
    assert.equal((await cartwright(['doctor'], alone)).code, 0)
  })

  test('can be forgotten at once with other lost versions, or one after the other', async () => {
    const storage = await given.open()
    const [both, next] = [secretOf(`2:${newer},1:${right}`), secretOf(`3:${wrong}`)]
    const { url } = await makeShop(given)
    const used = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: `2:${newer},1:${right}` }
    assert.equal((await cartwright(['migrate'], used)).code, 0)
    const lost = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: `3:${wrong}` }
    isRefused(
      await cartwright(['doctor'], lost),
      /versions 1, 2 of the root secret, which are missing.*forget 1 2`/,
      'doctor',
    )
    isRefused(
      await cartwright(forget, lost),
      /version 2 of the root secret, which is missing.*forget 1 2` gives/,
      'one of two',
    )
    const forgotten = await cartwright(['secret', 'forget', '1', '2', '--force', '--json'], lost)
    assert.deepEqual([forgotten.code, JSON.parse(forgotten.out).forgotten], [0, [1, 2]], forgotten.err)
    assert.equal((await cartwright(['doctor'], lost)).code, 0)

    // The first was given up as it should be; what it has sealed is still there.
    await storeCheckValues(storage, both, 1)
    const sealed = encryptWebhookSecret(secretOf(right), 'whe_1', 'whsec_x')
    await storage.write(async (tx) => {
      await tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
        values ('mer_tea', 'tea', 'Tea', 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`
      await tx.sql`
        insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
        values ('ins_tea', 'mer_tea', 'Web', 'test', '[]', 0)`
      await tx.sql`
        insert into webhook_endpoints (installation_id, id, slot, url, description, events, status, version, secret_sealed,
          secret_hint, consecutive_failures, created_at, updated_at)
        values ('ins_tea', 'whe_1', 1, 'https://a.example', '', '["*"]', 'enabled', 1, ${sealed}, 'hint', 0, 0, 0)`
    })
    await discardSecretVersions(storage, secretOf(`2:${newer}`), [1], 2)
    await discardSecretVersions(storage, next, [2], 3)
    assert.deepEqual(await storage.read((db) => checkRootSecret(db, next)), { fits: true })
  })

  test('frees its number for another secret, and the database keys stay readable with the other versions', async () => {
    const storage = await given.open()
    const keyBy = async (text: string) => {
      const rootSecret = secretOf(text)
      await storeCheckValues(storage, rootSecret, 1)
      const key = await storage.write((tx) => createDatabaseKey(rootSecret, 'test')(tx, 1))
      return key.export().toString('hex')
    }
    const made = await keyBy(`1:${right},2:${newer}`)
    const [before] = await storage.read((db) => db.sql<{ sealed: string }>`select sealed from database_keys`)
    await discardSecretVersions(storage, secretOf(right), [2], 2)
    // As an earlier release left it.
    await storage.write((tx) => tx.sql`update database_keys set sealed = ${before?.sealed ?? ''}`)
    assert.equal(await keyBy(`2:${wrong},1:${right}`), made)
    await discardSecretVersions(storage, secretOf(`2:${wrong}`), [1], 3)
    assert.equal(await keyBy(`2:${wrong}`), made)
  })

  test('may be the only one of a database of an earlier release, which has no check values', async () => {
    const { url } = await makeShop(given)
    const storage = await openStorage(url)
    await storage.write((tx) => tx.sql`delete from root_secrets`)
    await storage.close()
    const alone = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: `2:${newer}` }
    isRefused(await cartwright(['doctor'], alone), /version 1 of the root secret, which is missing/, 'doctor')
    assert.equal((await cartwright(forget, alone)).code, 0)
    assert.equal((await cartwright(['doctor'], alone)).code, 0)
  })

  test('cannot be forgotten without a database, and none is created', async () => {
    const place = join(await tempFolder(), 'mistyped')
    const url = given.engine === 'sqlite' ? `sqlite:${join(place, 'shop.db')}` : await given.freshUrl()
    isRefused(
      await cartwright(forget, { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: `2:${newer}` }),
      /there is no database /,
      'forget',
    )
    assert.deepEqual(treeOf(join(place, '..')), {})
    if (given.engine === 'postgres') assert.deepEqual(await tablesAt(url), [])
  })
})

eachEngine('the root secret of a new database', (given) => {
  test('is the one of the first of two commands that start concurrently with different secrets, and the other exits with an error', async () => {
    const url =
      given.engine === 'sqlite' ? `sqlite:${join(await tempFolder(), 'data', 'shop.db')}` : await given.freshUrl()
    const start = (secret: string) =>
      cartwright(['migrate'], { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: secret })
    const outcomes = await Promise.all([start(right), start(wrong)])
    assert.deepEqual(outcomes.map(({ code }) => code).sort(), [0, 1])
    for (const outcome of outcomes.filter(({ code }) => code === 1))
      isRefused(outcome, /the database was made with another root secret/, 'the loser')
    const winner = outcomes[0]?.code === 0 ? right : wrong
    const served = await serveHere({ CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: winner }, ['--no-demo'])
    await assert.rejects(
      serveHere({ CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: winner === right ? wrong : right }, ['--no-demo']),
      /the database was made with another root secret/,
    )
    assert.equal(await served.stop(), 0)
  })

  test('is generated only for a SQLite database', async () => {
    const place = await tempFolder()
    const url = given.engine === 'sqlite' ? `sqlite:${join(place, 'data', 'shop.db')}` : await given.freshUrl()
    const said = await cartwright(['migrate'], { CARTWRIGHT_DATABASE_URL: url })
    if (given.engine === 'postgres') {
      isRefused(said, /CARTWRIGHT_SECRET is required with PostgreSQL.*cartwright -- secret/, 'migrate')
      assert.deepEqual(await tablesAt(url), [])
      return
    }
    assert.equal(said.code, 0, said.err)
    assert.deepEqual(readdirSync(join(place, 'data')), ['secret', 'shop.db'])
    // The secret is lost, and the database is not: nothing is made in its place.
    await rm(join(place, 'data', 'secret'))
    const state = treeOf(place)
    isRefused(
      await cartwright(['demo'], { CARTWRIGHT_DATABASE_URL: url }),
      /there is no root secret at .*secret/,
      'demo',
    )
    assert.deepEqual(treeOf(place), state)
  })
})

describe('a copy of a database', () => {
  test('is neither served nor changed without its root secret, also if it is a backup', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'shop.db')}` }
    assert.equal((await cartwright(['demo'], settings)).code, 0)
    const other = join(folder, 'other')
    await mkdir(other)
    assert.equal((await cartwright(['backup', join(other, 'x.db')], settings)).code, 0)
    const state = treeOf(other)
    const moved = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(other, 'x.db')}`, PORT: '0' }
    for (const args of [['serve'], ['doctor'], ['users', 'list'], ['demo']])
      isRefused(await cartwright(args, moved), /there is no root secret at .*secret, but/, args.join(' '))
    isRefused(
      await cartwright(['serve'], { ...moved, CARTWRIGHT_SECRET: wrong }),
      /made with another root secret/,
      'serve',
    )
    assert.deepEqual(treeOf(other), state)
    await cp(join(folder, 'secret'), join(other, 'secret'))
    assert.equal((await cartwright(['doctor'], moved)).code, 0)
    const db = new DatabaseSync(join(other, 'x.db'), { readOnly: true })
    assert.equal(db.prepare('pragma journal_mode').get()?.journal_mode, 'delete', 'looking changes nothing in the file')
    db.close()
  })
})

describe('the command secret', () => {
  test('prints another root secret each time, and needs no database', async () => {
    const place = await tempFolder()
    const nowhere = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(place, 'none', 'a.db')}` }
    const printed = await Promise.all([1, 2].map(async () => (await cartwright(['secret'], nowhere)).out.trim()))
    assert.notEqual(printed[0], printed[1])
    for (const text of printed) assert.ok(!('problem' in parseRootSecret(text)), text)
    assert.match(JSON.parse((await cartwright(['secret', '--json'], nowhere)).out).secret, /^[\w-]{43}$/)
    assert.deepEqual(treeOf(place), {})
  })
})
