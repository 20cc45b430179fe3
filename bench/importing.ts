// A measured process: imports new products, changes them by importing them again, and prints the processor time of each. Started by
// `rows/indexing.ts` as `importing.ts DATABASE_URL PRODUCTS`.

import { readdirSync, readFileSync } from 'node:fs'
import { type CatalogChoice, shopifyChunks } from '../harness/catalog.ts'
import { createRecorder } from '../src/ops/cli/written.ts'
import { importProducts } from '../src/ops/imports/import.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { commandLimits } from '../src/platform/storage/storage.ts'
import { merchantSlug } from './shop.ts'

export interface ImportCost {
  what: string
  // Of this process with all its threads, and of PostgreSQL with all its processes.
  ownMs: number
  databaseMs: number
}

export interface ImportCosts {
  costs: readonly ImportCost[]
  // In the full-text index at the end.
  documents: number
}

// Linux counts in hundredths of a second.
const tickMs = 10

// Compiles the code, and gives the indexes some depth.
const warmProducts = 1_000

const [databaseUrl = '', productsGiven = ''] = process.argv.slice(2)
const products = Number(productsGiven)
const storage = await openStorage(databaseUrl, commandLimits)
const postmaster = storage.engine === 'postgres' ? await postmasterId() : undefined

await importFile(warmProducts, {})
const changes = {
  'new products': {},
  'new prices': { priceMore: 100 },
  'new names': { priceMore: 100, titleEnd: ' Mark II' },
}
const costs: ImportCost[] = []
for (const [what, choice] of Object.entries(changes)) {
  const [ownBefore, databaseBefore] = [ownMs(), databaseMs()]
  await importFile(products, { ...choice, first: warmProducts + 1 })
  costs.push({ what, ownMs: ownMs() - ownBefore, databaseMs: databaseMs() - databaseBefore })
}
const [row] = await storage.read((db) => db.sql<{ count: number }>`select count(*) as "count" from product_index_words`)
await storage.close()
const answer: ImportCosts = { costs, documents: row?.count ?? 0 }
process.stdout.write(`${JSON.stringify(answer)}\n`)

// As the command of the operator does it.
async function importFile(count: number, choice: CatalogChoice): Promise<void> {
  const now = Date.now()
  const { created, changed } = await importProducts(storage, shopifyChunks(count, choice), {
    merchantSlug,
    now,
    record: createRecorder('import', now),
    stock: false,
    onProgress: () => {},
  })
  if (created + changed !== count) throw new Error(`${created + changed} of ${count} products were written`)
}

function ownMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function postmasterId(): Promise<number> {
  const [row] = await storage.read((db) => db.sql<{ pid: number }>`select pg_backend_pid() as "pid"`)
  return statOf(String(row?.pid))?.parent ?? Number.NaN
}

// Of the processes that run, and of those that have ended.
function databaseMs(): number {
  if (postmaster === undefined) return 0
  const stats = readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? (statOf(pid) ?? []) : []))
  const own = stats.find(({ pid }) => pid === postmaster)
  const children = stats.filter(({ parent }) => parent === postmaster)
  return [own, ...children].reduce((sum, stat) => sum + (stat?.ms ?? Number.NaN), own?.endedMs ?? Number.NaN)
}

// See proc_pid_stat(5). The name of the program may contain spaces.
function statOf(pid: string): { pid: number; parent: number; ms: number; endedMs: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return {
      pid: Number(pid),
      parent: fields[1] ?? Number.NaN,
      ms: (user + system) * tickMs,
      endedMs: (endedUser + endedSystem) * tickMs,
    }
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}
