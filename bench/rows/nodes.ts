// Sixteen shoppers who buy at one merchant at the same time, on PostgreSQL, at one server, two and four: how many connections of the
// database wait for a lock of another one, and how many transactions a purchase takes. Counts, so a busy machine changes them little.

import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { purchase } from '../purchase.ts'
import { atMost, type Circumstances, type Findings, type Row, rangeOf } from '../row.ts'
import { makeShop, openShop, type ShopData } from '../shop.ts'
import { onPostgres } from './postgres.ts'

export const nodeRows: readonly Row[] = [
  {
    name: 'nodes',
    question:
      'Sixteen shoppers at one merchant on PostgreSQL, at one server, two and four: waits for locks, and commits',
    run: (circumstances) => onPostgres('nodes', (databaseUrl) => runNodes(databaseUrl, circumstances)),
  },
]

const shoppers = 16
const nodeCounts = [1, 2, 4] as const
const lookEveryMs = 20
// Long enough for the loops to have had their turns.
const idleSeconds = 10

interface Looked {
  purchases: number
  // On average over the looks.
  waiting: number
  commitsPerPurchase: number
  perSecond: number
  p99Ms: number
}

async function runNodes(databaseUrl: string, { folder, seconds, rounds, say }: Circumstances): Promise<Findings> {
  const shop = await makeShop({ folder, databaseUrl })
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  const found = new Map<number, Looked[]>()
  for (const count of nodeCounts) {
    const looked: Looked[] = []
    found.set(count, looked)
    const nodes = await Promise.all(Array.from({ length: count }, () => openShop(shop)))
    // Not counted: what is cached is filled.
    await shopAt(nodes, shop, 2)
    const idle = await commitsOf(database, () => pause(idleSeconds * 1_000))
    for (let round = 1; round <= rounds; round += 1) {
      const one = await lookAt(database, idle.count / idle.seconds, () => shopAt(nodes, shop, seconds))
      looked.push(one)
      say(
        `  ${count} servers, round ${round}: ${one.purchases} purchases, ${one.waiting.toFixed(2)} wait, ` +
          `${one.commitsPerPurchase.toFixed(1)} commits each`,
      )
    }
    await Promise.all(nodes.map((node) => node.stop()))
  }
  await database.end()
  const median = (count: number, member: keyof Looked) =>
    rangeOf((found.get(count) ?? []).map((looked) => looked[member])).median
  const [one, , four] = nodeCounts
  return {
    sides: [],
    ratios: [
      ...nodeCounts.map((count) => ({
        what: `connections that wait for a lock, on average, at ${count} servers`,
        value: median(count, 'waiting'),
        bar: atMost(1),
        unit: '',
      })),
      {
        what: 'commits of a purchase at four servers against one',
        value: median(four, 'commitsPerPurchase') / median(one, 'commitsPerPurchase'),
        bar: atMost(1.3),
        unit: '×',
      },
    ],
    tables: [
      {
        title: 'PostgreSQL',
        columns: ['waiting for a lock', 'commits', 'purchases a second', 'p99 ms'],
        rows: nodeCounts.map((count) => [
          `${count} servers`,
          median(count, 'waiting'),
          median(count, 'commitsPerPurchase'),
          median(count, 'perSecond'),
          median(count, 'p99Ms'),
        ]),
      },
    ],
    notes: [
      `${shoppers} shoppers, spread over the servers, who buy three of ${shop.skuIds.length} items each. Everything is on the same cores.`,
      `Waiting: backends whose wait event is a lock, looked at every ${lookEveryMs} ms. Commits: transactions that ended, reads and loops among ` +
        `them, per purchase, without as many as the same servers make in the time when nobody buys.`,
    ],
  }
}

type Node = Awaited<ReturnType<typeof openShop>>

async function shopAt(nodes: readonly Node[], shop: ShopData, seconds: number) {
  const stretches = await Promise.all(
    nodes.map((server) => purchase({ server, shop, shoppers: shoppers / nodes.length, seconds })),
  )
  const sum = (of: (stretch: (typeof stretches)[number]) => number) =>
    stretches.reduce((total, stretch) => total + of(stretch), 0)
  return {
    purchases: sum(({ requests }) => requests),
    perSecond: sum(({ perSecond }) => perSecond),
    p99Ms: Math.max(...stretches.map(({ p99Ms }) => p99Ms)),
  }
}

async function lookAt(
  database: pg.Client,
  idlePerSecond: number,
  work: () => ReturnType<typeof shopAt>,
): Promise<Looked> {
  let [looks, waiting, isOver] = [0, 0, false]
  async function look(): Promise<void> {
    while (!isOver) {
      const { rows } = await database.query(
        `select count(*) as waiting from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`,
      )
      looks += 1
      waiting += Number(rows[0].waiting)
      await pause(lookEveryMs)
    }
  }
  let shopped: Awaited<ReturnType<typeof shopAt>> | undefined
  const { count, seconds } = await commitsOf(database, async () => {
    const looking = look()
    shopped = await work()
    isOver = true
    await looking
  })
  if (!shopped) throw new Error('nothing was bought')
  const commits = count - looks - idlePerSecond * seconds
  return { ...shopped, waiting: waiting / looks, commitsPerPurchase: commits / shopped.purchases }
}

async function commitsOf(
  database: pg.Client,
  work: () => Promise<unknown>,
): Promise<{ count: number; seconds: number }> {
  const [before, startedAt] = [await countCommits(database), performance.now()]
  await work()
  const count = (await countCommits(database)) - before
  return { count, seconds: (performance.now() - startedAt) / 1_000 }
}

// Backends report what they did at most once a second, and when they are idle.
async function countCommits(database: pg.Client): Promise<number> {
  await pause(1_500)
  const { rows } = await database.query('select xact_commit from pg_stat_database where datname = current_database()')
  return Number(rows[0].xact_commit)
}
