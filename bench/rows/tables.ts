// What an order adds to each table, in rows and in bytes with the indexes, on both engines. `docs/operating.md` has the result.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Pool } from 'undici'
import { purchaseTogether } from '../../harness/fiveRequests.ts'
import { type MailServer, openMailServer } from '../../harness/mailserver.ts'
import { startCluster } from '../../harness/postgres.ts'
import { openStorage } from '../../src/platform/storage/open.ts'
import { Fragment, type Storage } from '../../src/platform/storage/storage.ts'
import { sendBy, wantedBy } from '../purchase.ts'
import type { Circumstances, Findings, Row, TableRow } from '../row.ts'
import { makeLawfulShop, openShop, type ShopData } from '../shop.ts'
import { newDatabase } from './postgres.ts'

export const tableRows: readonly Row[] = [
  {
    name: 'order-tables',
    question: 'What each order adds to the tables',
    run: runOrderTables,
  },
]

const orders = 1_000
const shoppersTogether = 20

async function runOrderTables({ folder, say }: Circumstances): Promise<Findings> {
  const mail = await openMailServer()
  const cluster = await startCluster({ asShipped: true })
  try {
    const growth = {
      sqlite: await growthOn(folder, `sqlite:${join(folder, 'tables.db')}`, mail),
      postgres: await growthOn(folder, await newDatabase(cluster.url, 'tables'), mail),
    }
    say(`  ${orders} orders on each engine`)
    const names = [...new Set([...growth.sqlite.keys(), ...growth.postgres.keys()])]
    const rows = names
      .map((name): TableRow => {
        const [onSqlite, onPostgres] = [growth.sqlite.get(name), growth.postgres.get(name)]
        return [
          name,
          onSqlite?.rows ?? null,
          onSqlite?.bytes ?? null,
          onPostgres?.rows ?? null,
          onPostgres?.bytes ?? null,
        ]
      })
      .filter(([, ...numbers]) => numbers.some((number) => number !== null && number !== 0))
      .toSorted(([, , one], [, , other]) => (other ?? 0) - (one ?? 0))
    const columns = ['rows on SQLite', 'bytes on SQLite', 'rows on PostgreSQL', 'bytes on PostgreSQL']
    return {
      sides: [],
      ratios: [],
      tables: [{ title: `${orders} orders`, columns, rows }],
      notes: [
        'Each order has three items, an address, a payment by card, an invoice and two e-mails, by another shopper; no webhook endpoint. Bytes include indexes. Rows that updates replaced are still in them on PostgreSQL.',
      ],
    }
  } finally {
    await cluster.stop()
    await mail.close()
  }
}

interface TableSize {
  rows: number
  bytes: number
}

async function growthOn(folder: string, databaseUrl: string, mail: MailServer): Promise<Map<string, TableSize>> {
  const plan = { folder, databaseUrl }
  const made = await makeLawfulShop(plan)
  const settings = { ...made.settings, CARTWRIGHT_MAIL_URL: mail.url, CARTWRIGHT_MAIL_FROM: 'shop@bench.example' }
  const shop = { ...made, settings }
  // The first rows of a day, and of each product sold on it, are not those of every order.
  await sell(shop, shop.skuIds.length)
  const before = await sizesWhenSettled(shop, databaseUrl)
  await sell(shop, orders)
  const after = await sizesWhenSettled(shop, databaseUrl)
  return new Map(
    [...after].map(([name, { rows, bytes }]) => {
      const { rows: rowsBefore, bytes: bytesBefore } = before.get(name) ?? { rows: 0, bytes: 0 }
      return [name, { rows: rows - rowsBefore, bytes: bytes - bytesBefore }]
    }),
  )
}

async function sell(shop: ShopData, count: number): Promise<void> {
  const server = await openShop(shop)
  const pool = new Pool(server.origin, { connections: 1, pipelining: 1 })
  for (let sold = 0; sold < count; sold += shoppersTogether) {
    const shoppers = Array.from({ length: Math.min(shoppersTogether, count - sold) }, (_, at) =>
      wantedBy(shop, sold + at, `${randomUUID()}@example.com`),
    )
    await purchaseTogether(sendBy(pool), shoppers)
  }
  await pool.close()
  await server.stop()
}

const turnsMax = 60

// With invoices made and e-mails sent, which loops do. A SQLite file is read while no server has it.
async function sizesWhenSettled(shop: ShopData, databaseUrl: string): Promise<Map<string, TableSize>> {
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const storage = await openStorage(databaseUrl)
    const left = await rowsLeft(storage)
    const sizes = left === 0 ? await listPictureFiles(storage, databaseUrl) : undefined
    await storage.close()
    if (sizes) return sizes
    const server = await openShop(shop)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await server.stop()
  }
  throw new Error('invoices or e-mails are left')
}

async function rowsLeft(storage: Storage): Promise<number> {
  const [row] = await storage.read(
    (db) => db.sql<{ left: number }>`
      select (select count(*) from document_causes)
        + (select count(*) from emails where status in ('pending', 'sending')) as "left"`,
  )
  return Number(row?.left)
}

async function listPictureFiles(storage: Storage, databaseUrl: string): Promise<Map<string, TableSize>> {
  return storage.read(async (db) => {
    const tables = databaseUrl.startsWith('sqlite:')
      ? await db.sql<{ name: string; bytes: number }>`
          select schema.tbl_name as "name", sum(pages.pgsize) as "bytes"
          from dbstat pages join sqlite_schema schema on schema.name = pages.name
          group by schema.tbl_name`
      : await db.sql<{ name: string; bytes: number }>`
          select relname as "name", pg_total_relation_size(relid) as "bytes" from pg_stat_user_tables`
    const sizes = new Map<string, TableSize>()
    for (const { name, bytes } of tables) {
      const [counted] = await db.sql<{ rows: number }>`select count(*) as "rows" from ${new Fragment(name)}`
      sizes.set(name, { rows: Number(counted?.rows), bytes: Number(bytes) })
    }
    return sizes
  })
}
