// A row that cannot be handled in every table that a loop reads: changing it fails, or its text is damaged. Every other
// row of every merchant must be handled by the next turn of its loop, and the bad rows must be deferred and skipped;
// once they are repaired, nothing may be left.

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { poison } from '../harness/poison.ts'
import type { Given } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { scopes } from '../src/contract/words.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { addEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { loopsFor } from '../src/ops/cli/loops.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { collectFailures, type RowFailure } from '../src/platform/jobs/rows.ts'
import { listDeferred } from '../src/platform/jobs/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { Fragment, type Storage } from '../src/platform/storage/storage.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'

export const poisonRun: ServerRun = {
  name: 'poison',
  method:
    'in every table that a loop reads, rows of random merchants that cannot be written or read, then one turn of every loop at several times; judged by what is still due, which must be deferred, by the merchants that had no bad row, by the turn after, and, with the rows repaired, by what is left and by the invariants',
  numbers: { rounds: 60, merchants: 3, rows: 3 },
  short: { rounds: 2, merchants: 2, rows: 1 },
  // Its sabotage is a trigger, which Citus does not take.
  onCells: false,
  runOn: (ground, { rounds = 0, merchants = 0, rows = 0 }, tools) =>
    runPoison(ground, { rounds, merchants, rows }, tools),
}

export interface PoisonNumbers {
  rounds: number
  merchants: number
  // At most this many bad rows in each table.
  rows: number
}

const minute = 60_000
const day = 24 * 60 * minute
// It is approved, and the answer is lost.
const lostAnswer = '4000000000000259'

export async function runPoison(ground: Ground, numbers: PoisonNumbers, tools: RunTools): Promise<RunResult> {
  const seen = { rounds: 0, badRows: 0, failures: 0, tables: 0 }
  const violations = new Set<string>()
  const tables = new Set<string>()
  for (let round = 0; round < numbers.rounds; round += 1) {
    tools.tell(`round ${round + 1} of ${numbers.rounds}`)
    const ends: (() => Promise<void>)[] = []
    try {
      const world = await makeWorld(givenBy(ground, ends), numbers.merchants)
      const result = await poisonWorld(world, numbers.rows, tools.random)
      for (const violation of result.violations) violations.add(violation)
      for (const table of result.tables) tables.add(table)
      seen.badRows += result.badRows
      seen.failures += result.failures
    } finally {
      for (const end of ends.reverse()) await end()
    }
    seen.rounds += 1
  }
  seen.tables = tables.size
  return { seen, violations: [...violations] }
}

export function givenBy(ground: Ground, ends: (() => Promise<void>)[]): Given {
  const { engine, freshUrl } = ground
  const given: Given = {
    engine,
    freshUrl,
    // Opening it migrates it.
    migratedUrl: freshUrl,
    async open({ url, withMigrations: _, ...options } = {}) {
      const storage = await openStorage(url ?? (await freshUrl()), options)
      ends.push(() => storage.close())
      await migrate(storage, { now: new Date() })
      return storage
    },
    later: (end) => void ends.push(end),
    get shared() {
      return given
    },
  }
  return given
}

interface Tenant {
  merchantId: string
  installationId: string
  checkout: Checkout
  // Calls operations as this merchant's app.
  ask: TestServer['ask']
}

interface World {
  testServer: TestServer
  tenants: Tenant[]
}

// Merchants with something due, now or later, for every loop.
async function makeWorld(given: Given, merchants: number): Promise<World> {
  const receiver = await openReceiver(given)
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-emails-'))
  given.later(() => rm(folder, { recursive: true, force: true }))
  const mail = { target: { kind: 'file', folder }, from: 'orders@shop.example.com' } as const
  const testServer = await openTestServer(given, { shops: [market], mail })
  const { storage, clock } = testServer
  const tenants: Tenant[] = []
  for (let i = 0; i < merchants; i += 1) {
    const file = { ...market, merchant: { ...market.merchant, slug: `shop-${i}`, name: `Shop ${i}` } }
    const { merchantId } = await applyShop(storage, file, { now: clock.now, stock: false, dryRun: false })
    const [installation] = await storage.read((db) => listInstallations(db, merchantId))
    if (!installation) throw new Error('a shop has no installation')
    const { id: installationId } = installation
    const input = { name: 'poison', scopes, expiresAt: null }
    const { key } = await storage.write((tx) => createKey(tx, testSecret, installation, input, clock.now))
    for (const events of [['cart.created', 'checkout_session.created'], ['checkout_session.expired']]) {
      const made = { url: `${receiver}/${events.length}`, description: '', events }
      const endpointTools = { rootSecret: testSecret, allowPrivate: true }
      await storage.write((tx) => addEndpoint(tx, installationId, made, endpointTools, clock.now))
    }
    const ask: TestServer['ask'] = (id, asked) => testServer.ask(id, { key, ...asked })
    const checkout = await checkoutOf({ ...testServer, merchantId, installationId, ask })
    tenants.push({ merchantId, installationId, checkout, ask })
  }
  for (const tenant of tenants) await fill(testServer, tenant)
  return { testServer, tenants }
}

async function openReceiver(given: Given): Promise<string> {
  const server = createServer((request, response) => request.resume().on('end', () => response.writeHead(200).end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  given.later(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const each = 3

async function fill({ storage, clock }: TestServer, { checkout, merchantId, ask }: Tenant): Promise<void> {
  for (let i = 0; i < each; i += 1) {
    await checkout.carts.create({ CARD: 1 })
    // One of them holds what the others do not.
    await checkout.ready(i === 0 ? { BOOK: 1 } : { CARD: 1 }, { expiresInSeconds: 300 })
    const lost = await checkout.ready({ COURSE: 1 })
    await checkout.pay(lost.secret, lost.view, lostAnswer)
    const bought = await checkout.ready({ CARD: 1 })
    await checkout.pay(bought.secret, bought.view)
    const { orderId } = (await checkout.read(bought.sessionId)).body.data
    await ask('cancelStorefrontOrder', { path: { orderId }, body: { idempotencyKey: newId('req') } })
    await storage.write(
      (tx) => tx.sql`
        insert into oauth_artifacts (kind, id, sealed, expires_at, created_at)
        values ('AccessToken', ${newId('req')}, '', ${clock.now + minute}, ${clock.now})`,
    )
  }
  await storage.write(
    (tx) => tx.sql`update listed_products set stale_at = ${clock.now} where merchant_id = ${merchantId}`,
  )
}

interface Target {
  table: string
  // Rows that may become bad, as SQL: the tenant, and the condition by which a trigger identifies the row.
  rows: string
  // A text that can be damaged instead, and what it becomes.
  damage?: { column: string; text: string }
}

const byId = (tenant: string, from: string, id = 'id') =>
  `select ${tenant}, 'old.id = ''' || ${id} || '''' from ${from}`
const notJson = { column: 'metadata', text: 'not JSON' }

// biome-ignore format: a table is read by its rows
const targets: readonly Target[] = [
  { table: 'checkout_sessions',  rows: byId('installation_id', "checkout_sessions where status = 'open'"), damage: notJson },
  { table: 'carts',              rows: byId('installation_id', "carts where status = 'open' and checkout_session_id is null"), damage: notJson },
  { table: 'listed_products',    rows: "select merchant_id, 'old.product_id = ''' || product_id || '''' from listed_products" },
  { table: 'stock',              rows: "select t.merchant_id, 'old.mode = ''' || t.mode || ''' and old.sku_id = ''' || t.sku_id || '''' from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id where s.code = 'BOOK' and t.held > 0" },
  { table: 'payments',           rows: byId('installation_id', "payments where status = 'processing'") },
  { table: 'refunds',            rows: byId('installation_id', "refunds where status = 'pending'") },
  { table: 'orders',             rows: byId('installation_id', "orders where status = 'cancelled'") },
  { table: 'addresses',          rows: byId('installation_id', 'addresses where row_key is not null') },
  { table: 'idempotency_keys',   rows: "select installation_id, 'old.key = ''' || key || '''' from idempotency_keys" },
  { table: 'webhook_deliveries', rows: byId('installation_id', "webhook_deliveries where status = 'pending'") },
  { table: 'events',             rows: byId('installation_id', "webhook_deliveries where status = 'pending'", 'event_id'), damage: { column: 'body', text: 'zstd:damaged' } },
  { table: 'webhook_endpoints',  rows: byId('installation_id', "webhook_endpoints where events like '%expired%'") },
  { table: 'credentials',        rows: byId('installation_id', "credentials where name = 'poison'") },
  { table: 'emails',             rows: byId('installation_id', "emails where status = 'pending'"), damage: { column: 'facts', text: 'not JSON' } },
  { table: 'oauth_artifacts',    rows: byId('kind', 'oauth_artifacts') },
]

interface BadRow {
  table: string
  tenantId: string
  cure: () => Promise<void>
}

async function makeBad(storage: Storage, target: Target, rowsMax: number, random: () => number): Promise<BadRow[]> {
  const { table, rows, damage } = target
  const found = await storage.read(
    (db) => db.sql<{ tenantId: string; condition: string }>`
      with found (tenant_id, named) as (${new Fragment(rows)})
      select distinct tenant_id as "tenantId", named as "condition" from found order by named`,
  )
  const bad: BadRow[] = []
  const named = new Set<string>()
  for (let left = whole(random, 1, rowsMax); left > 0; left -= 1) {
    const { tenantId, condition } = pick(random, found)
    if (named.has(condition)) continue
    named.add(condition)
    const isDamaged = damage !== undefined && (table === 'events' || random() < 0.3)
    const cure = isDamaged ? await spoil(storage, table, condition, damage) : await poison(storage, table, condition)
    bad.push({ table, tenantId, cure })
  }
  return bad
}

async function spoil(
  storage: Storage,
  table: string,
  condition: string,
  { column, text }: { column: string; text: string },
): Promise<() => Promise<void>> {
  const named = new Fragment(condition.replaceAll('old.', ''))
  const [name, place] = [new Fragment(table), new Fragment(column)]
  const [before] = await storage.read(
    (db) => db.sql<{ text: string }>`select ${place} as "text" from ${name} where ${named}`,
  )
  const set = async (value: string) =>
    void (await storage.write((tx) => tx.sql`update ${name} set ${place} = ${value} where ${named}`))
  await set(text)
  return () => set(before?.text ?? '')
}

interface Poisoned {
  badRows: number
  failures: number
  tables: string[]
  violations: string[]
}

// After a minute e-mails are sent, payments are looked up, refunds paid, webhooks sent and codes deleted; then checkouts expire; and
// after a month everything else does.
const waits = [minute + 1_000, 6 * minute, 31 * day]

async function poisonWorld({ testServer, tenants }: World, rowsMax: number, random: () => number): Promise<Poisoned> {
  const { storage, clock } = testServer
  const bad: BadRow[] = []
  for (const target of targets) bad.push(...(await makeBad(storage, target, rowsMax, random)))
  const tainted = new Set(bad.flatMap(({ tenantId }) => kinOf(tenants, tenantId)))
  const violations: string[] = []
  let failures = 0
  for (const waitMs of waits) {
    clock.now += waitMs
    const turn = await turnAll(testServer)
    failures += turn.failures.length
    violations.push(...turn.violations)
    const deferred = await storage.read((db) => listDeferred(db, clock.now, 1_000))
    const keys = new Set(deferred.map(({ loop, rowId }) => `${loop} ${rowId}`))
    for (const { loop, rowId } of await listDue(storage, clock.now))
      if (!keys.has(`${loop} ${rowId}`)) violations.push(`${loop}: a due row was neither handled nor deferred`)
    for (const { loop, tenantId } of deferred)
      if (!tainted.has(tenantId)) violations.push(`${loop}: a row of a merchant without bad rows was deferred`)
    // Few rows depend on a bad one.
    if (deferred.length > 12 * bad.length)
      violations.push(`${deferred.length} rows are deferred for ${bad.length} bad ones`)
    clock.now += 1_000
    const again = await turnAll(testServer)
    const was = new Set(turn.failures.map(({ loop, rowId }) => `${loop} ${rowId}`))
    for (const { loop, rowId } of again.failures)
      if (was.has(`${loop} ${rowId}`)) violations.push(`${loop}: a deferred row was not skipped`)
  }
  for (const { cure } of bad) await cure()
  // Longer than any of them is deferred, and repeated for rows that depended on them.
  for (let i = 0; i < 3; i += 1) {
    clock.now += 30 * minute
    const turn = await turnAll(testServer)
    violations.push(...turn.violations)
    for (const { loop, error } of turn.failures)
      violations.push(`${loop}: ${String(error)}, although all rows are repaired`)
  }
  for (const { loop } of await listDue(storage, clock.now)) violations.push(`${loop}: a repaired row was not handled`)
  violations.push(...(await findBroken(storage)))
  return { badRows: bad.length, failures, tables: bad.map(({ table }) => table), violations }
}

// A row of a merchant is deferred under the merchant's id or its installation's. Codes and tokens belong to neither.
function kinOf(tenants: readonly Tenant[], tenantId: string): string[] {
  const tenant = tenants.find(({ merchantId, installationId }) => [merchantId, installationId].includes(tenantId))
  return tenant ? [tenant.merchantId, tenant.installationId] : [tenantId]
}

// One turn of every loop, as a server runs it, and of the dispatcher.
async function turnAll({ storage, app, clock }: TestServer): Promise<{ failures: RowFailure[]; violations: string[] }> {
  const failures: RowFailure[] = []
  const violations: string[] = []
  const now = () => clock.now
  const loops = loopsFor({ storage, app, retentionMs: retentionDefaultsMs, clock: now, monotonic: now })
  // Last, because what the others change makes products stale.
  const last = ({ name }: { name: string }) => Number(name === 'stale_products')
  for (const { name, work } of loops.toSorted((a, b) => last(a) - last(b))) {
    const turn = work(() => false).then(() => 0)
    await collectFailures(failures, turn).catch((error: unknown) =>
      violations.push(`the loop ${name} failed: ${String(error)}`),
    )
  }
  const before = app.dispatcher.stats().failures
  await app.dispatcher.dispatchDue()
  if (app.dispatcher.stats().failures > before) violations.push('a round of the dispatcher failed')
  return { failures, violations }
}

// What the loops would find due if nothing were deferred.
async function listDue(storage: Storage, now: number): Promise<{ loop: string; rowId: string }[]> {
  const keysBy = now - retentionDefaultsMs.answers
  return storage.read(
    (db) => db.sql<{ loop: string; rowId: string }>`
      select 'sessions' as "loop", id as "rowId" from checkout_sessions where status = 'open' and expires_at <= ${now}
      union all select 'carts', id from carts where status = 'open' and expires_at <= ${now}
      union all select distinct 'holds', mode || ' ' || sku_id from holds where expires_at <= ${now}
      union all select 'stale_products', mode || ' ' || product_id from listed_products where stale_at <= ${now}
      union all select 'payments', id from payments where check_at <= ${now}
      union all select 'refunds', id from refunds where try_at <= ${now}
      union all select 'addresses', id from addresses where row_key is not null and expires_at <= ${now}
      union all select 'idempotency_keys', key from idempotency_keys where created_at <= ${keysBy}
      union all select 'oauth', id from oauth_artifacts where expires_at <= ${now}
      union all select 'mail', id from emails where due_at <= ${now}
      union all select 'webhook_dispatch', id from webhook_deliveries
        where (status in ('pending', 'retrying') and due_at <= ${now})
          or (status = 'sending' and lease_expires_at <= ${now})`,
  )
}
