// What more processes bring: the same reads and writes with `serve --workers` 1, 2 and, where there are cores for them, 4, on
// both engines. Nothing is judged here, because it is the cores that decide.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../../tests/support/postgres.ts'
import { measure, type Stretch, turned } from '../load.ts'
import type { Running } from '../process.ts'
import { alternate, type Circumstances, type Findings, loadNotes, type Row, ratioOf, type Side } from '../row.ts'
import { api, get, makeShop, openShop, type ShopData } from '../shop.ts'
import { cartLoad } from './carts.ts'
import { database } from './postgres.ts'

export const workerRows: readonly Row[] = [
  {
    name: 'workers',
    question: 'Product reads and cart writes with more processes on one port, on both engines',
    run: runWorkers,
  },
]

const works = {
  'product read': async (server: Running, shop: ShopData, { connections, seconds }: Circumstances) => {
    const asks = shop.slugs.map((slug) => get(shop, `${api}/catalog/products/${slug}`))
    return () => measure({ server, asks: (at) => turned(asks, at, connections), connections, seconds })
  },
  'cart write': async (server: Running, shop: ShopData, circumstances: Circumstances) => {
    const load = await cartLoad(server, shop, 3, circumstances)
    return () => measure({ ...load, server })
  },
}

async function runWorkers(circumstances: Circumstances): Promise<Findings> {
  const { folder } = circumstances
  const cores = availableParallelism()
  const counts = cores >= 4 ? [1, 2, 4] : [1, 2]
  const cluster = await startCluster({ asShipped: true })
  try {
    // Each has data of its own, because they take turns and a SQLite file has one server.
    const engines = {
      SQLite: async (count: number) => `sqlite:${join(folder, `workers-${count}.db`)}`,
      PostgreSQL: (count: number) => database(cluster.url, `workers_${count}`),
    }
    const [sides, ratios] = [[] as Side[], [] as Findings['ratios'][number][]]
    for (const [engine, urlFor] of Object.entries(engines)) {
      const servers = new Map<number, { shop: ShopData; server: Running }>()
      for (const count of counts) {
        const shop = await makeShop({ folder, databaseUrl: await urlFor(count) })
        servers.set(count, {
          shop,
          server: await openShop(shop, { args: ['serve', '--no-demo', '--workers', String(count)] }),
        })
      }
      for (const [work, prepare] of Object.entries(works)) {
        const nameOf = (count: number) => `${engine}, ${work}, ${count} ${count === 1 ? 'worker' : 'workers'}`
        const turns: Record<string, () => Promise<Partial<Stretch>>> = {}
        for (const [count, { shop, server }] of servers) {
          const load = await prepare(server, shop, circumstances)
          turns[nameOf(count)] = async () => seenFromOutside(await load())
        }
        const runs = await alternate(circumstances, turns)
        const [one, ...more] = counts.map(
          (count): Side => ({
            name: nameOf(count),
            unit: work === 'cart write' ? 'write' : 'read',
            runs: runs[nameOf(count)] ?? [],
          }),
        )
        if (!one) continue
        sides.push(one, ...more)
        for (const side of more)
          ratios.push(ratioOf(`throughput, ${side.name} against 1`, 'perSecond', [side, one], null))
      }
      for (const { server } of servers.values()) await server.stop()
    }
    return { sides, ratios, notes: [...notesFor(cores), ...loadNotes(sides)] }
  } finally {
    await cluster.stop()
  }
}

// The meter is in the process that leads, and the work is done in the others, so what it says of CPU and memory is left out.
function seenFromOutside({ requests, perSecond, p50Ms, p99Ms, generatorShare }: Stretch): Partial<Stretch> {
  return { requests, perSecond, p50Ms, p99Ms, generatorShare }
}

function notesFor(cores: number): string[] {
  const few = cores > 2 ? '' : ' With two cores a second worker has none of its own, and the row shows what it costs.'
  return [
    `This machine has ${cores} cores. All workers share them with the generator, which takes up to one, and on PostgreSQL ` +
      `with the database.${few}`,
    'On SQLite writes queue for the one writer of the file, whatever the number of workers; reads do not.',
    'With one worker there is one process; with more there is also one that leads them and answers nothing.',
  ]
}
