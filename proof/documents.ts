// Orders are paid and refunded while the processes that make their documents are killed again and again, four of them at once on
// PostgreSQL: every payment has one invoice, every refund one credit note, and the numbers have no gap and no double.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeFlags } from '../harness/flags.ts'
import { orderMarket, ordersOf } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { openTestServer, type TestServer, testSecretText } from '../harness/testServer.ts'
import { refundOrder } from '../src/domain/orders/operator.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import type { Ground } from './place.ts'
import { givenBy } from './poison.ts'
import { whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'

export const documentsRun: ServerRun = {
  name: 'documents',
  method:
    'orders are paid and refunded while the processes that make invoices and credit notes are killed by SIGKILL, four at once on PostgreSQL; judged by their numbers, and by the sums of documents, payments and refunds',
  numbers: { kills: 1_000, nodes: 1 },
  numbersOf: { postgres: { nodes: 4 } },
  short: { kills: 6 },
  runOn: (ground, { kills = 0, nodes = 1 }, tools) => runDocuments(ground, { kills, nodes }, tools),
}

export interface DocumentNumbers {
  kills: number
  nodes: number
}

export async function runDocuments(
  ground: Ground,
  { kills, nodes }: DocumentNumbers,
  { random, tell }: RunTools,
): Promise<RunResult> {
  const ends: (() => Promise<void>)[] = []
  const issuers: ChildProcess[] = []
  try {
    const compiled = await mkdtemp(join(tmpdir(), 'cartwright-compiled-'))
    ends.push(() => rm(compiled, { recursive: true, force: true }))
    const testServer = await openTestServer(givenBy(ground, ends), { shops: [plenty, rival] })
    const { url } = testServer
    testServer.clock.now = Date.now()
    const start = () => startIssuer(url, compiled)
    for (let node = 0; node < nodes; node += 1) issuers.push(await start())
    const shop = await shopFor(testServer, random)
    for (let times = 0; times < kills; times += 1) {
      for (let count = whole(random, 1, 6); count > 0; count -= 1) await shop.buy()
      await pause(random() * 40)
      const at = whole(random, 0, nodes - 1)
      const killed = issuers[at]
      const [next] = await Promise.all([start(), killed && ended(killed)])
      issuers[at] = next
      if (times % 10 === 9) tell(`${times + 1} of ${kills} kills, ${shop.paid.size} orders`)
    }
    await settled(testServer)
    return { seen: { kills, nodes, ...shop.seen() }, violations: await judge(testServer, shop.paid, shop.refunds) }
  } finally {
    await Promise.all(issuers.map(ended))
    for (const end of ends.reverse()) await end()
  }
}

const plenty: ShopFile = {
  ...orderMarket,
  products: (orderMarket.products ?? []).map((product) => ({
    ...product,
    skus: product.skus.map((sku) => ({ ...sku, stock: 1_000_000 })),
  })),
}

async function startIssuer(url: string, compiled: string): Promise<ChildProcess> {
  const args = [...nodeFlags, join(import.meta.dirname, 'issuer.ts'), url, testSecretText]
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.stdout) await once(child.stdout, 'data')
  return child
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function shopFor(testServer: TestServer, random: () => number) {
  const { storage, installationId, clock } = testServer
  const orders = await ordersOf(testServer)
  const quote = await orders.quote({ items: { BOOK: 1, CARD: 3 } })
  const paid = new Map<string, number>()
  const refunds = new Map<string, number>()
  return {
    paid,
    refunds,
    seen: () => ({ orders: paid.size, refunds: refunds.size }),
    async buy(): Promise<void> {
      clock.now = Date.now()
      const { orderId } = await orders.place({ quote })
      paid.set(orderId, quote.totals.total)
      if (random() < 0.5) return
      const input = { amount: whole(random, 1, 900), reason: null, isByHand: false }
      const key = { installationId, orderId }
      const { refund } = await storage.write((tx) => refundOrder(tx, key, input, { now: clock.now, cause: null }))
      await orders.pay()
      refunds.set(refund.id, refund.amount)
    },
  }
}

const settledMsMax = 60_000

async function settled({ storage }: TestServer): Promise<void> {
  const deadline = performance.now() + settledMsMax
  for (;;) {
    const [left] = await storage.read((db) => db.sql<{ rows: number }>`select count(*) as "rows" from document_causes`)
    if (Number(left?.rows) === 0 || performance.now() > deadline) return
    await pause(20)
  }
}

interface Made {
  kind: string
  causeId: string
  number: string
  net: number
  tax: number
  total: number
}

async function judge(
  { storage }: TestServer,
  paid: ReadonlyMap<string, number>,
  refunds: ReadonlyMap<string, number>,
): Promise<string[]> {
  const rows = await storage.read(
    (db) => db.sql<Made>`select kind, cause_id as "causeId", number, net, tax, total from documents order by number`,
  )
  return [
    ...judgeKind('invoice', rows, paid),
    ...judgeKind('credit_note', rows, refunds),
    ...rows.filter(({ net, tax, total }) => net + tax !== total).map(({ number }) => `${number} does not add up`),
  ]
}

function judgeKind(kind: string, rows: readonly Made[], expected: ReadonlyMap<string, number>): string[] {
  const made = rows.filter((row) => row.kind === kind)
  const byCause = Map.groupBy(made, ({ causeId }) => causeId)
  const missing = [...expected].flatMap(([id, total]) => {
    const found = byCause.get(id) ?? []
    if (found.length !== 1) return [`${id} has ${found.length} documents`]
    return found[0]?.total === total ? [] : [`${id} has a document of another sum`]
  })
  const strange = made.filter(({ causeId }) => !expected.has(causeId)).map(({ number }) => `${number} is of nothing`)
  // In the order of their numbers: 1, 2, 3 and so on.
  const gaps = made.flatMap(({ number }, i) =>
    Number(number.slice(-6)) === i + 1 ? [] : [`${number} is number ${i + 1}`],
  )
  return [...missing, ...strange, ...gaps].slice(0, 20)
}
