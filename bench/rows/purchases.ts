// From a session to a paid order, the whole purchase, on both engines, in bare routes; and what each of its requests asks of the
// database.

import { join } from 'node:path'
import { Pool } from 'undici'
import { purchaseTogether } from '../../harness/fiveRequests.ts'
import { startCluster } from '../../harness/postgres.ts'
import type { StatementCounts } from '../../harness/statements.ts'
import { startBare } from '../bare.ts'
import type { CountsAnswer, Question } from '../counted.ts'
import { measure, turned } from '../load.ts'
import type { Running } from '../process.ts'
import { profiled } from '../profile.ts'
import { purchase, sendBy, wantedBy } from '../purchase.ts'
import {
  alternate,
  atMost,
  type Circumstances,
  type Findings,
  loadNotes,
  type Row,
  ratioOf,
  type Table,
  type TableRow,
} from '../row.ts'
import { api, get, makeShop, newCart, openShop, type ShopData } from '../shop.ts'
import { cartLoad } from './carts.ts'
import { putAddress } from './reads.ts'

export const purchaseRows: readonly Row[] = [
  {
    name: 'purchase',
    question: 'A complete purchase: session, page, details, page, payment. It ends with a paid order',
    run: runPurchase,
  },
  {
    name: 'purchase-counts',
    question: 'What each request of a purchase, the loops after it, a cart write and a cart read ask of the database',
    run: runCounts,
  },
]

async function runPurchase(circumstances: Circumstances): Promise<Findings> {
  const { folder, connections, seconds } = circumstances
  const cluster = await startCluster({ asShipped: true })
  try {
    const lite = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, 'purchase.db')}`, imported: 900 })
    const grown = await makeShop({ folder, databaseUrl: cluster.url, imported: 900 })
    const [onSqlite, onPostgres] = [
      await openShop(lite, profiled(circumstances, 'purchase')),
      await openShop(grown, profiled(circumstances, 'purchase-postgres')),
    ]
    const products = lite.slugs.map((slug) => ({ key: slug, ask: get(lite, `${api}/catalog/products/${slug}`) }))
    const bare = await startBare({ folder, server: onSqlite, path: `${api}/catalog/products/:key`, asks: products })
    const plan = { shoppers: connections, seconds }
    const runs = await alternate(circumstances, {
      bare: () =>
        measure({
          server: bare,
          asks: (connection) =>
            turned(
              products.map(({ ask }) => ask),
              connection,
              connections,
            ),
          connections,
          seconds,
        }),
      sqlite: () => purchase({ ...plan, server: onSqlite, shop: lite }),
      postgres: () => purchase({ ...plan, server: onPostgres, shop: grown }),
    })
    await Promise.all([onSqlite.stop(), onPostgres.stop(), bare.stop()])
    const ceiling = { name: 'bare Fastify, a product', unit: 'request', runs: runs.bare }
    const ours = { name: 'ours on SQLite', unit: 'purchase', runs: runs.sqlite }
    const oursGrown = { name: 'ours on PostgreSQL', unit: 'purchase', runs: runs.postgres }
    const sides = [ceiling, ours, oursGrown]
    return {
      sides,
      ratios: [
        ratioOf('CPU of a purchase on SQLite, in bare routes', 'cpuUs', [ours, ceiling], atMost(65)),
        ratioOf('CPU of a purchase on PostgreSQL, in bare routes', 'cpuUs', [oursGrown, ceiling], atMost(120)),
      ],
      notes: [
        'A purchase is five requests of one shopper, one after the other, with the test provider. p50 and p99 are for the whole purchase.',
        'All shoppers buy from one merchant, whose order numbers are assigned one at a time. The loops run meanwhile.',
        ...loadNotes(sides),
      ],
    }
  } finally {
    await cluster.stop()
  }
}

// Shoppers who take each step together, so the CPU of a step is that of many requests.
const shoppersMax = 60

async function runCounts({ folder, say }: Circumstances): Promise<Findings> {
  const cluster = await startCluster({ asShipped: true })
  try {
    const urls = { SQLite: `sqlite:${join(folder, 'counts.db')}`, PostgreSQL: cluster.url }
    const tables: Table[] = []
    for (const [name, databaseUrl] of Object.entries(urls)) {
      const shop = await makeShop({ folder, databaseUrl, imported: 900 })
      const mail = { CARTWRIGHT_MAIL_URL: `file:${join(folder, `mail-${name}`)}` }
      const server = await openShop(
        { ...shop, settings: { ...shop.settings, ...mail } },
        { script: join(import.meta.dirname, '..', 'counted.ts'), args: [] },
      )
      say(`  counting on ${name}`)
      tables.push(await countsOn(name, server, shop))
      await server.stop()
    }
    return {
      sides: [],
      ratios: [],
      tables,
      notes: [
        `Per request, of ${shoppersMax} shoppers one after the other; the first ${shoppersMax} are not counted.`,
        'Loops: one turn of each after these purchases, per purchase, without those that found nothing to do. They send e-mails to a folder.',
        'Statements are without begin and commit. Bytes written: values of statements that write. Rendered: bodies of answers.',
      ],
    }
  } finally {
    await cluster.stop()
  }
}

const countColumns = ['CPU µs', 'statements', 'round trips', 'reads', 'commits', 'bytes written', 'bytes rendered']

async function countsOn(name: string, server: Running, shop: ShopData): Promise<Table> {
  const rows: TableRow[] = []
  const pool = new Pool(server.origin, { connections: 1, pipelining: 1 })
  let bytes = 0
  const send = sendBy(pool, (received) => {
    bytes += received
  })
  const askCounts = (question: Question) => server.ask(question) as Promise<CountsAnswer>
  let cpuUs = 0
  async function note(what: string, times: number, counts?: StatementCounts): Promise<void> {
    const after = (await server.usage()).cpuUs
    const taken = counts ?? ((await askCounts('counts')) as StatementCounts)
    const { statements, roundTrips, reads, commits, bytesWritten } = taken
    const numbers = [after - cpuUs, statements, roundTrips, reads, commits, bytesWritten, bytes]
    rows.push([what, ...numbers.map((number) => number / times)])
    bytes = 0
    cpuUs = (await server.usage()).cpuUs
  }
  async function begin(): Promise<void> {
    await askCounts('counts')
    bytes = 0
    cpuUs = (await server.usage()).cpuUs
  }

  const shoppers = Array.from({ length: shoppersMax }, (_, number) => wantedBy(shop, number, `${number}@example.com`))
  await purchaseTogether(send, shoppers)
  await askCounts('loops')
  const idle = new Map((await askCounts('loops')) as [string, StatementCounts][])
  await begin()
  await purchaseTogether(send, shoppers, (step) => note(step, shoppersMax))
  rows.push(['purchase', ...countColumns.map((_, column) => sumOf(rows, column + 1))])
  const loops = (await askCounts('loops')) as [string, StatementCounts][]
  const loopsUs = (await server.usage()).cpuUs - cpuUs
  const busy = loops.filter(([loop, { statements }]) => statements > (idle.get(loop)?.statements ?? 0))
  const loopRows = busy.map(([loop, counts]): TableRow => {
    const { statements, roundTrips, reads, commits, bytesWritten } = counts
    const numbers = [statements, roundTrips, reads, commits, bytesWritten]
    return [`loop ${loop}`, null, ...numbers.map((number) => number / shoppersMax), null]
  })
  const sums = countColumns.map((_, column) => sumOf(loopRows, column + 1))
  rows.push(...loopRows, ['loops', loopsUs / shoppersMax, ...sums.slice(1)])

  const times = 300
  const { asks } = await cartLoad(server, shop, 3, { connections: 1, seconds: 1 })
  const [ask] = asks(0)
  if (!ask) throw new Error('there is no cart to write to')
  const sendAsk = async ({ method, path, headers = {}, body }: typeof ask) => {
    const answer = await pool.request({ method, path, headers, body: body?.() ?? null })
    bytes += Buffer.byteLength(await answer.body.text())
    if (answer.statusCode !== 200) throw new Error(`${method} answered ${answer.statusCode}`)
  }
  for (const isCounted of [false, true]) {
    if (isCounted) await begin()
    for (let time = 0; time < times; time += 1) await sendAsk(ask)
  }
  await note('cart write', times)
  for (const kind of ['unchanged', 'priced']) {
    const read = get(shop, `${api}/storefront/carts/${await newCart(server, shop, 3)}`)
    // With an address it is priced each time.
    if (kind === 'priced') await putAddress(server, shop, read.path)
    await sendAsk(read)
    await begin()
    for (let time = 0; time < times; time += 1) await sendAsk(read)
    await note(`cart read, ${kind}`, times)
  }
  await pool.close()
  return { title: name, columns: countColumns, rows }
}

function sumOf(rows: readonly TableRow[], column: number): number {
  return rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0)
}
