// Cells on plain PostgreSQL: each is a whole Cartwright, whose role sees no other; and what would keep the schema from being sharded by row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { givenEngine } from '../harness/storage.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const given = givenEngine('postgres')

test('cells are added, listed and migrated, and cannot read each other', async () => {
  const url = await given.freshUrl()
  const storage = await given.open({ url, withMigrations: false })
  const suffix = Math.random().toString(36).slice(2, 8)
  const [one, two] = [`cell_${suffix}_a`, `cell_${suffix}_b`] as const
  given.later(async () => {
    for (const name of [one, two])
      await storage.write(async (tx) => {
        for (const command of [`drop schema if exists ${name} cascade`, `drop role if exists ${name}`])
          await tx.sql`${new Fragment(command)}`
      })
  })
  const operator = { CARTWRIGHT_DATABASE_URL: url }
  const run = async (...args: string[]) => {
    const { code, out } = await cartwright(['cells', ...args, '--json'], operator)
    return { code, ...JSON.parse(out) }
  }
  const first = await run('add', one)
  assert.deepEqual([first.code, first.cell, first.distributed], [0, one, false])
  const second = await run('add', two)
  const settings = { CARTWRIGHT_DATABASE_URL: first.url, CARTWRIGHT_SECRET: first.secret }
  const made = await cartwright(['demo'], settings)
  assert.equal(made.code, 0, made.err)
  assert.equal((await cartwright(['doctor'], settings)).code, 0)

  const { cells } = await run('list')
  assert.deepEqual(
    cells.map(({ name, merchants }: { name: string; merchants: number }) => [name, merchants]),
    [
      [two, 0],
      [one, 1],
    ],
    'the smallest first',
  )

  const other = await given.open({ url: second.url, withMigrations: false })
  await assert.rejects(
    other.read((db) => db.sql`select count(*) from ${new Fragment(`${one}.merchants`)}`),
    /permission denied for schema/,
  )
  const [owner] = await other.read(
    (db) =>
      db.sql<{
        tableowner: string
      }>`select tableowner from pg_tables where tablename = 'orders' and schemaname = ${two}`,
  )
  assert.equal(owner?.tableowner, two)

  const { code, cells: migrated } = await run('migrate')
  assert.deepEqual([code, migrated], [0, [two, one].map((cell) => ({ cell, applied: [] }))])
  await other.write(
    (tx) =>
      tx.sql`insert into schema_migrations (version, name, checksum, applied_at) values (9000, '9000_needs_9000_future', 'x', 1)`,
  )
  const stopped = await run('migrate')
  assert.deepEqual([stopped.code, stopped.cells], [1, []], 'it stops at the first that fails')
  assert.match(stopped.error.message, new RegExp(`^${two}: the database is newer than this program`))

  assert.deepEqual([(await run('add', one)).code, (await run('add', 'No-Name')).code], [1, 2])
})

test('cells on SQLite are refused with a message', async () => {
  const { code, err } = await cartwright(['cells', 'list'], { CARTWRIGHT_DATABASE_URL: 'sqlite:shop.db' })
  assert.deepEqual(
    [code, err],
    [1, 'cartwright: cells are schemas of a PostgreSQL database, but this database is SQLite\n'],
  )
})

// Tables of the operator or of people, not of one merchant.
const shared = [
  ...['apps', 'users', 'user_merchants', 'oauth_artifacts', 'test_charges', 'test_refunds', 'schema_migrations'],
  ...['database_keys', 'root_secrets', 'forgotten_root_secrets', 'sweeps', 'sign_in_limits', 'mail_switch'],
  ...['passkey_challenges', 'user_sessions', 'user_factors', 'user_passkeys', 'invitations', 'setup_links'],
]

// Sharding by row needs the merchant in each table, unique index and foreign key. Cells do not: these numbers only say how far away that is.
// They may only fall.
const distance = { 'no merchant column': 16, 'unique index without it': 52, 'foreign key without it': 18 }

test('the number of obstacles to sharding the schema by merchant does not rise', async () => {
  const storage = await given.open({ url: await given.freshUrl() })
  const house = new Fragment(shared.map((name) => `('${name}')`).join(', '))
  const found = await storage.read(
    (db) => db.sql<{ rule: keyof typeof distance; name: string; what: string }>`
      with shared (relname) as (values ${house}),
      tenant as (
        select c.oid, c.relname, (select a.attnum from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
          and a.attname = case when c.relname = 'merchants' then 'id' else 'merchant_id' end) as att
        from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
          and c.relname not in (select relname from shared))
      select 'no merchant column' as "rule", relname as "name", '' as "what" from tenant where att is null
      union all
      select 'unique index without it', t.relname, i.indexrelid::regclass::text from tenant t
        join pg_index i on i.indrelid = t.oid and i.indisunique
        where t.att is null or not t.att = any (i.indkey::int2[])
      union all
      select 'foreign key without it', t.relname, k.conname from tenant t
        join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' join tenant r on r.oid = k.confrelid
        where t.att is null or r.att is null or not exists (
          select 1 from generate_subscripts(k.conkey, 1) s where k.conkey[s] = t.att and k.confkey[s] = r.att)`,
  )
  for (const [rule, most] of Object.entries(distance)) {
    const named = found.filter((row) => row.rule === rule).map(({ name, what }) => `${name} ${what}`)
    assert.ok(named.length <= most, `${rule}: ${named.length}, at most ${most}: ${named.join(', ')}`)
  }
})
