// A database of the first release, with many products and orders, is started by this version and killed on the way. The next
// start must go on where the last one was, and the shop must be that of an upgrade that nothing disturbed.

import { cpuOf, cpuOfProcess } from '../harness/cpu.ts'
import { copyReleased, fillAsReleased } from '../harness/released.ts'
import { testSecretText } from '../harness/testServer.ts'
import { unlimitedTime } from '../src/platform/storage/copy.ts'
import { schemaGap } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, runCommand, type ServerOptions, startAndKill, startServer } from './servers.ts'

export const upgradeRun: ServerRun = {
  name: 'upgrade',
  method:
    'a database of version 0.1.0 with that many products is started by this version: once undisturbed, and in four copies killed at random moments of the start. Judged by the CPU time until it listens, by `doctor`, and by whether the killed ones have the same products, stock, orders and money',
  numbers: { products: 10_000, kills: 20 },
  short: { products: 800, kills: 2 },
  runOn: (ground, { products = 0, kills = 0 }, tools) => runUpgrade(ground, { products, kills }, tools),
}

const cpuMsMax = { sqlite: 10_000, postgres: 20_000 } as const
const copiesMax = 4

export async function runUpgrade(
  ground: Ground,
  { products, kills }: { products: number; kills: number },
  { random, tell }: RunTools,
): Promise<RunResult> {
  const violations = new Set<string>()
  let cut = 0

  async function released(): Promise<ServerOptions> {
    const url = await ground.freshUrl()
    await withOpen(url, async (storage) => copyReleased(storage, await fillAsReleased(storage), products / 8 - 1))
    // The bound is on CPU, whatever else the machine does.
    return { url, rootSecretText: testSecretText, startMsMax: 600_000 }
  }

  async function startWhole(options: ServerOptions): Promise<{ shop: string; cpuMs: number; tookMs: number }> {
    const databaseMs = ground.engine === 'postgres' ? cpuOf(ground.engine, options.url) : () => 0
    const startedAt = performance.now()
    const server = await startServer(options)
    const tookMs = performance.now() - startedAt
    const cpuMs = cpuOfProcess(server.pid) + databaseMs()
    if ((await fetch(`${server.origin}/readyz`)).status !== 200) violations.add('it listens and is not ready')
    await server.end()
    for (const line of defectsOf([server])) violations.add(line)
    const doctor = await runCommand(options, ['doctor'])
    if (!doctor.said.includes('invariants hold')) violations.add(`doctor says: ${doctor.said}`)
    return withOpen(options.url, async (storage) => {
      for (const sentence of await findBroken(storage)) violations.add(sentence)
      return { shop: await shopOf(storage), cpuMs, tookMs }
    })
  }

  const { shop: undisturbed, cpuMs, tookMs } = await startWhole(await released())
  if (cpuMs > cpuMsMax[ground.engine]) violations.add(`the start took ${Math.round(cpuMs)} ms of CPU`)
  const copies = Math.min(copiesMax, kills)
  for (let copy = 0; copy < copies; copy += 1) {
    const options = await released()
    for (let killed = copy; killed < kills; killed += copies) {
      await startAndKill(options, random() * tookMs)
      const { pending } = await withOpen(options.url, schemaGap)
      if (pending > 0) cut += 1
    }
    const { shop } = await startWhole(options)
    if (shop !== undisturbed) violations.add(`after kills the shop is ${shop}, not ${undisturbed}`)
    tell(`${copy + 1} of ${copies} databases`)
  }
  const seen = {
    products,
    kills,
    killedBeforeTheLastMigration: cut,
    cpuMs: Math.round(cpuMs),
    tookMs: Math.round(tookMs),
  }
  return { seen, violations: [...violations].slice(0, 50) }
}

async function withOpen<T>(url: string, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(url, unlimitedTime)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

// What the loops of a server leave as it is.
async function shopOf(storage: Storage): Promise<string> {
  const [row] = await storage.read(
    (db) => db.sql<object>`
      select (select count(*) from products) as "products", (select count(*) from skus) as "skus",
        (select count(*) from listed_products) as "listed", (select count(*) from orders) as "orders",
        (select count(*) from orders where number like 'T-%') as "testOrders",
        (select sum(total) from orders) as "total", (select sum(tax) from order_lines) as "tax",
        (select count(*) from payments) as "payments", (select sum(amount) from refunds) as "refunds",
        (select sum(on_hand) from stock where mode = 'live') as "live", (select sum(on_hand) from stock where mode = 'test') as "test",
        (select sum(delta) from stock_movements) as "moved", (select count(*) from stock_movements) as "movements",
        (select sum(used) from promotions) as "used", (select sum(test_used) from promotions) as "testUsed",
        (select count(*) from schema_migrations) as "migrations"`,
  )
  return JSON.stringify(row)
}
