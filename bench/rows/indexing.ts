// What the search index adds to a change of products: the same import with the index and without it, each in a process and a database
// of its own. Without it, `withoutIndex.js` takes its place in the measured process; the server itself has no such switch.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ImportCost, ImportCosts } from '../importing.ts'
import { command, run } from '../process.ts'
import { profiled } from '../profile.ts'
import {
  atMost,
  type Circumstances,
  type Findings,
  medianOf,
  type Ratio,
  type Row,
  rangeOf,
  type Side,
} from '../row.ts'
import { merchantSlug } from '../shop.ts'
import { newDatabase, onPostgres } from './postgres.ts'

export const indexingRows: readonly Row[] = [
  {
    name: 'indexing',
    question: 'Importing and changing products with the search index and without it, on SQLite',
    run: (circumstances) =>
      runIndexing(circumstances, async (name) => `sqlite:${join(circumstances.folder, `${name}.db`)}`),
  },
  {
    name: 'indexing-postgres',
    question: 'The same on PostgreSQL',
    run: (circumstances) =>
      onPostgres('indexing', (url) => runIndexing(circumstances, (name) => newDatabase(url, name))),
  },
]

const productCount = 2_000
const ways = ['without', 'with'] as const
type Way = (typeof ways)[number]

async function runIndexing(
  circumstances: Circumstances,
  databaseFor: (name: string) => Promise<string>,
): Promise<Findings> {
  const { rounds, say } = circumstances
  const costs: (ImportCost & { way: Way })[] = []
  for (let round = 1; round <= rounds; round += 1)
    // The first of a pair is not always the same.
    for (const way of round % 2 === 1 ? ways : ways.toReversed()) {
      const found = await measureImport(circumstances, way, await databaseFor(`round_${round}_${way}`))
      for (const cost of found) say(`  round ${round}, ${way} the index, ${cost.what}: ${shown(cost)}`)
      costs.push(...found.map((cost) => ({ ...cost, way })))
    }
  const whats = [...new Set(costs.map(({ what }) => what))]
  const isPostgres = costs.some(({ databaseMs }) => databaseMs > 0)
  const sideOf = (what: string, way: Way, msOf: (cost: ImportCost) => number): Side => ({
    name: `${what}, ${way} the index`,
    unit: 'product',
    runs: costs
      .filter((cost) => cost.what === what && cost.way === way)
      .map((cost) => ({ cpuUs: (msOf(cost) * 1_000) / productCount })),
  })
  const ratioFor = (what: string, part: string, msOf: (cost: ImportCost) => number, bar: Ratio['bar']): Ratio => {
    const [without, withIndex] = ways.map((way) => sideOf(what, way, msOf)) as [Side, Side]
    return { what: what + part, value: medianOf(withIndex, 'cpuUs') / medianOf(without, 'cpuUs'), bar, unit: '×' }
  }
  const all = ({ ownMs, databaseMs }: ImportCost) => ownMs + databaseMs
  return {
    sides: whats.flatMap((what) => ways.map((way) => sideOf(what, way, all))),
    ratios: whats.flatMap((what) => [
      ratioFor(what, '', all, atMost(1.3)),
      ...(isPostgres
        ? [
            ratioFor(what, ', our process', ({ ownMs }) => ownMs, null),
            ratioFor(what, ', the database', ({ databaseMs }) => databaseMs, null),
          ]
        : []),
    ]),
    notes: [
      `${productCount.toLocaleString('en-US')} products, in a new process and database each time, after 1,000 others that are not counted.`,
      ...(isPostgres ? ['CPU is that of our process and of all processes of PostgreSQL.'] : []),
      ...whats.map((what) => `${what}, ratio of each round: ${rangeText(roundRatios(costs, what, all))}.`),
    ],
  }
}

async function measureImport(
  circumstances: Circumstances,
  way: Way,
  databaseUrl: string,
): Promise<readonly ImportCost[]> {
  const { folder } = circumstances
  const file = join(folder, 'shop.json')
  await writeFile(
    file,
    JSON.stringify({ merchant: { slug: merchantSlug, name: 'Bench', currency: 'EUR', country: 'DE' } }),
  )
  await command(folder, ['apply', file], { CARTWRIGHT_DATABASE_URL: databaseUrl })
  const profile = profiled(circumstances, `indexing-${way}`).nodeArgs ?? []
  const { out } = await run({
    script: join(import.meta.dirname, '..', 'importing.ts'),
    args: [databaseUrl, String(productCount)],
    folder,
    nodeArgs: [
      ...profile,
      ...(way === 'without' ? ['--import', join(import.meta.dirname, '..', 'withoutIndex.js')] : []),
    ],
  })
  const { costs, documents } = JSON.parse(out) as ImportCosts
  if (documents > 0 !== (way === 'with')) throw new Error(`${documents} products are in the index, ${way} it`)
  return costs
}

function roundRatios(
  costs: readonly (ImportCost & { way: Way })[],
  what: string,
  msOf: (cost: ImportCost) => number,
): number[] {
  const of = (way: Way) => costs.filter((cost) => cost.what === what && cost.way === way).map(msOf)
  const without = of('without')
  return of('with').map((ms, at) => ms / (without[at] ?? Number.NaN))
}

function rangeText(values: readonly number[]): string {
  const { least, most } = rangeOf(values)
  return `${least.toFixed(2)} to ${most.toFixed(2)}`
}

function shown({ ownMs, databaseMs }: ImportCost): string {
  return databaseMs > 0 ? `${ownMs.toFixed(0)} + ${databaseMs.toFixed(0)} ms CPU` : `${ownMs.toFixed(0)} ms CPU`
}
