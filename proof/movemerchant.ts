// A merchant moves to another cell while its shoppers buy. Whatever was acknowledged in the old cell is acknowledged in the new one,
// with the same bytes, and every webhook arrives.

import { setTimeout as pause } from 'node:timers/promises'
import { moveTools } from '../src/ops/cli/merchants.ts'
import { listTables } from '../src/platform/storage/catalogue.ts'
import { unlimitedTime } from '../src/platform/storage/copy.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { moveMerchant } from '../src/platform/storage/moving.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { Fragment, type Reader, type Storage } from '../src/platform/storage/storage.ts'
import { createCaller } from './caller.ts'
import { openJournal } from './journal.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { type Server, startServer } from './servers.ts'
import { makeShop, type Shop, standOf } from './shop.ts'
import { Shopping, shoppingShop, usualCards } from './shopping.ts'

export const moveMerchantRun: ServerRun = {
  name: 'move-merchant',
  method:
    'a merchant is moved to the database of another cell, where another server runs, while its shoppers buy, and back; judged as crash is, by all answers to requests that are repeated at the end, and by the invariants of both databases',
  numbers: { moves: 4, shoppers: 6, writes: 150, closingMs: 10_000 },
  short: { moves: 1, writes: 40, closingMs: 3_000 },
  engines: ['postgres'],
  runOn: (ground, { moves = 0, shoppers = 0, writes = 0, closingMs = 0 }, tools) =>
    runMoveMerchant(ground, { moves, shoppers, writes, closingMs }, tools),
}

interface MoveMerchantNumbers {
  moves: number
  shoppers: number
  // Acknowledged changes before each move, and after the last one.
  writes: number
  closingMs: number
}

const factsMax = 200
const patienceMs = 180_000
const slug = 'moving'

export async function runMoveMerchant(
  ground: Ground,
  numbers: MoveMerchantNumbers,
  tools: RunTools,
): Promise<RunResult> {
  const webhooks = await openJournal()
  const caller = createCaller(64)
  const servers: Server[] = []
  try {
    const made = await makeShop(ground, [shoppingShop(slug), shoppingShop('staying')], { webhookUrl: webhooks.url })
    const [key] = [standOf(made).key]
    // Where the merchant is.
    const shop: Shop = { ...made, withStorage: (work) => withOpen(shop.url, work) }
    const urls = [made.url, await ground.freshUrl()] as const
    servers.push(await startServer({ ...made }))
    await shareKeys(urls)
    servers.push(await startServer({ ...made, url: urls[1] }))
    const plan = { shoppers: numbers.shoppers, thinkMs: 0, cards: usualCards, followsMoves: true }
    const shopping = new Shopping(shop, caller, plan, tools)
    const seen = { moves: 0, rows: 0, longestLockMs: 0, longestMoveMs: 0 }
    const origins = servers.map(({ origin }) => origin)
    shopping.openServers.open(origins[0] as string)
    await shopping.during(async () => {
      for (let move = 0; move < numbers.moves; move += 1) {
        const [here, there] = move % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
        await untilWritten(shopping, numbers.writes)
        const startedAt = performance.now()
        const moved = await withOpen(urls[here], (from) =>
          withOpen(urls[there], (to) =>
            moveMerchant(from, to, slug, {
              ...moveTools(from, slug, numbers.closingMs),
              origin: origins[there] as string,
            }),
          ),
        )
        seen.moves += 1
        seen.rows += moved.rows
        seen.longestLockMs = Math.max(seen.longestLockMs, moved.lockedMs)
        seen.longestMoveMs = Math.max(seen.longestMoveMs, Math.round(performance.now() - startedAt))
        shopping.openServers.open(origins[there] as string)
        shopping.openServers.close(origins[here] as string)
        shop.url = urls[there]
        const answer = await caller.ask(origins[here] as string, 'listApiKeyCatalogProducts', { key })
        if (answer.status !== 421 || !answer.text.includes(origins[there] as string))
          shopping.violations.add(`the old cell answers a key of the merchant with ${answer.status} ${answer.text}`)
        tools.tell(`${seen.moves} moves, ${shopping.acknowledged.length} acknowledged`)
      }
      await untilWritten(shopping, numbers.writes)
    })
    for (const server of servers) await server.end()
    for (const server of servers) shopping.noteDefects(server)
    await shopping.judge(webhooks, factsMax)
    const left = urls.find((url) => url !== shop.url) as string
    for (const problem of await withOpen(left, findBroken)) shopping.violations.add(`in the other cell: ${problem}`)
    const rows = await withOpen(left, (storage) => storage.read((db) => listLeft(db, standOf(made).installationId)))
    for (const row of rows) shopping.violations.add(`in the other cell is left: ${row}`)
    return {
      seen: { ...seen, ...shopping.seen, acknowledged: shopping.acknowledged.length, webhookCalls: webhooks.calls },
      violations: [...shopping.violations].slice(0, 50),
    }
  } finally {
    for (const server of servers) await server.end()
    caller.close()
    await webhooks.close()
  }
}

// Of its installation, which is not there any more itself.
async function listLeft(db: Reader, installationId: string): Promise<string[]> {
  const found: string[] = []
  for (const { name, columns } of await listTables(db)) {
    if (!columns.some((column) => column.name === 'installation_id')) continue
    const rows = await db.sql`
      select * from ${new Fragment(`"${name}"`)} where installation_id = ${installationId} limit 3`
    found.push(...rows.map((row) => `${name} ${JSON.stringify(row).slice(0, 300)}`))
  }
  return found
}

// As `cells add --like` does.
async function shareKeys([from, to]: readonly [string, string]): Promise<void> {
  const keys = await withOpen(from, (storage) =>
    storage.read(
      (db) => db.sql<{ name: string; sealed: string; at: number }>`
        select name, sealed, created_at as "at" from database_keys`,
    ),
  )
  await withOpen(to, async (storage) => {
    await migrate(storage, { now: new Date() })
    await storage.write(async (tx) => {
      for (const { name, sealed, at } of keys)
        await tx.sql`insert into database_keys (name, sealed, created_at) values (${name}, ${sealed}, ${at})`
    })
  })
}

async function withOpen<T>(url: string, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(url, unlimitedTime)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

async function untilWritten({ acknowledged }: Shopping, writes: number): Promise<void> {
  const wanted = acknowledged.length + writes
  const deadline = performance.now() + patienceMs
  while (acknowledged.length < wanted) {
    if (performance.now() > deadline) throw new Error(`too little was acknowledged in ${patienceMs / 1000} s`)
    await pause(10)
  }
}
