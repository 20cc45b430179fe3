// The very first start, on an empty database, killed at any moment: while it migrates, while it creates the demo shop,
// while it opens its port. The next start must succeed completely.

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { planMonth } from '../apps/demo/month.ts'
import { findHistory, needsDemoShop } from '../apps/demo/shop.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, runCommand, type ServerOptions, startAndKill, startServer } from './servers.ts'

export const firstStartRun: ServerRun = {
  name: 'first-start',
  method:
    'the first start on an empty database is killed up to three times at random moments; judged by the start after that, by `doctor`, and by whether the demo shop is the one of an undisturbed start',
  numbers: { databases: 200 },
  short: { databases: 2 },
  runOn: (ground, { databases = 0 }, tools) => runFirstStart(ground, { databases }, tools),
}

export async function runFirstStart(
  ground: Ground,
  { databases }: { databases: number },
  { random, tell }: RunTools,
): Promise<RunResult> {
  const violations = new Set<string>()
  let kills = 0

  async function newPlace(): Promise<ServerOptions> {
    return { url: await ground.freshUrl(), rootSecretText: randomBytes(32).toString('base64url'), hasDemo: true }
  }

  // The contents of the shop once the server has started, and how long that took.
  async function startWhole(options: ServerOptions): Promise<{ shop: string; tookMs: number }> {
    const startedAt = performance.now()
    const server = await startServer(options)
    const storage = await openStorage(options.url)
    try {
      const isWhole = await untilHistory(storage, parseRootSecret(options.rootSecretText) as RootSecret)
      if (!isWhole) violations.add('the history of the demo shop is not completed')
      const tookMs = performance.now() - startedAt
      await server.end()
      for (const line of defectsOf([server])) violations.add(line)
      if (await storage.read(async () => needsDemoShop(storage))) violations.add('the demo shop is incomplete')
      for (const sentence of await findBroken(storage)) violations.add(sentence)
      return { shop: await shopOf(storage), tookMs }
    } finally {
      await storage.close()
    }
  }

  const { shop: undisturbed, tookMs } = await startWhole(await newPlace())
  for (let done = 0; done < databases; done += 1) {
    const options = await newPlace()
    for (let times = whole(random, 1, 3); times > 0; times -= 1) {
      await startAndKill(options, random() * tookMs * 1.2)
      kills += 1
    }
    try {
      const { shop } = await startWhole(options)
      if (shop !== undisturbed) violations.add(`after a kill the demo shop is ${shop}, not ${undisturbed}`)
      const doctor = await runCommand(options, ['doctor'])
      // It also lists what the history left for a person to do, and then its code is not 0.
      if (!doctor.said.includes('invariants hold')) violations.add(`doctor says: ${doctor.said}`)
    } catch (error) {
      violations.add(`after a kill it does not start again: ${(error as Error).message}`)
    }
    tell(`${done + 1} of ${databases} databases`)
  }
  return { seen: { databases, kills, startMs: Math.round(tookMs) }, violations: [...violations].slice(0, 50) }
}

const historyMsMax = 120_000

// It is made while the server is listening. False where it takes too long, or has too few orders.
async function untilHistory(storage: Storage, rootSecret: RootSecret): Promise<boolean> {
  const hopelessAt = performance.now() + historyMsMax
  let planned = 0
  for (;;) {
    const facts = await findHistory(storage, rootSecret, Date.now())
    if (!facts) break
    planned = planMonth(facts.anchor).orders.length
    if (performance.now() > hopelessAt) return false
    await pause(50)
  }
  const [row] = await storage.read((db) => db.sql<{ n: number }>`select count(*) as n from orders`)
  return Number(row?.n) >= planned
}

// As counts, since ids and instants differ. Keys are left out: each start that gets this far creates new ones.
async function shopOf(storage: Storage): Promise<string> {
  const [row] = await storage.read(
    (db) => db.sql<object>`
      select (select count(*) from merchants) as "merchants", (select count(*) from installations) as "installations",
        (select count(*) from categories) as "categories", (select count(*) from products) as "products",
        (select count(*) from skus) as "skus",
        (select sum(delta) from stock_movements where kind = 'opening') as "stock",
        (select count(*) from listed_products) as "listed", (select count(*) from promotions) as "promotions",
        (select count(*) from users) as "users", (select count(*) from webhook_endpoints) as "endpoints",
        (select count(*) from schema_migrations) as "migrations"`,
  )
  return JSON.stringify(row)
}
