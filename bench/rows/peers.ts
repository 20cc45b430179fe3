// Beside the peers: Medusa and Vendure with the same products on the same PostgreSQL, doing the same work in turns. They are installed from npm
// into a temporary folder, or into the one that --packages names, where they stay.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { type Cluster, startCluster } from '../../harness/postgres.ts'
import { medusaPackages, startMedusa } from '../peers/medusa.ts'
import { startOurs } from '../peers/ours.ts'
import { type Ground, type Peer, productsOf, type Work, works } from '../peers/peer.ts'
import { startVendure, vendurePackages } from '../peers/vendure.ts'
import { type Circumstances, type Findings, type Row, rangeOf, type Table, type TableRow } from '../row.ts'
import { parentOf, usageOfTree } from '../tree.ts'

export const peerRows: readonly Row[] = [
  {
    name: 'peers',
    question: 'The same shop and the same work on Medusa and Vendure; installs both',
    run: runPeers,
  },
]

const productCount = 200
const connectionsMax = 4

interface Database {
  url: string
  usage(): { cpuUs: number; rssBytes: number }
  stop(): Promise<void>
}

interface Contender {
  peer: Peer
  database: Database
}

interface Turn {
  done: number
  perSecond: number
  serverUs: number
  databaseUs: number
  p50Ms: number
}

async function runPeers(circumstances: Circumstances): Promise<Findings> {
  const { folder, say } = circumstances
  const connections = Math.min(circumstances.connections, connectionsMax)
  const packages = circumstances.packagesFolder ?? join(folder, 'packages')
  const versions = {
    medusa: await install(join(packages, 'medusa'), medusaPackages, say),
    vendure: await install(join(packages, 'vendure'), vendurePackages, say),
  }
  const ground: Ground = { packages, folder, products: productsOf(productCount), connections, port: freePort }
  const noDatabase: Database = {
    url: `sqlite:${join(folder, 'ours.db')}`,
    usage: () => ({ cpuUs: 0, rssBytes: 0 }),
    stop: async () => {},
  }
  const plans: readonly [() => Promise<Database>, (url: string) => Promise<Peer>][] = [
    [async () => noDatabase, (url) => startOurs(ground, url, 'Cartwright on SQLite')],
    [newDatabase, (url) => startOurs(ground, url, 'Cartwright')],
    [newDatabase, (url) => startMedusa(ground, url, versions.medusa)],
    [newDatabase, (url) => startVendure(ground, url, versions.vendure)],
  ]
  const contenders: Contender[] = []
  try {
    for (const [makeDatabase, start] of plans) {
      const database = await makeDatabase()
      const startedAt = performance.now()
      const peer = await start(database.url).catch(async (error: unknown) => {
        await database.stop()
        throw error
      })
      contenders.push({ peer, database })
      say(`  ${peer.name} is filled and runs after ${Math.round((performance.now() - startedAt) / 1_000)} s`)
    }
    return findingsOf(contenders, await takeTurns(contenders, circumstances, connections), connections)
  } finally {
    for (const { peer, database } of contenders) {
      await peer.stop()
      await database.stop()
    }
  }
}

async function takeTurns(
  contenders: readonly Contender[],
  { rounds, seconds, say }: Circumstances,
  connections: number,
) {
  const turns = new Map<Work, Map<Contender, Turn[]>>()
  for (const work of works) {
    const ofWork = new Map(contenders.map((contender) => [contender, [] as Turn[]]))
    turns.set(work, ofWork)
    // The first is not counted: code is compiled, statements are prepared, caches are filled.
    for (let round = 0; round <= rounds; round += 1)
      for (const contender of contenders) {
        const turn = await takeTurn(contender, work, seconds * 1_000, connections)
        say(
          `  ${round === 0 ? 'warm-up' : `round ${round}`}, ${work}, ${contender.peer.name}: ${Math.round((turn.serverUs + turn.databaseUs) / turn.done)} µs CPU, ${turn.perSecond.toFixed(0)} a second`,
        )
        if (round > 0) ofWork.get(contender)?.push(turn)
      }
  }
  return turns
}

let number = 0

// Until the time is over, and at least once on each connection.
async function takeTurn({ peer, database }: Contender, work: Work, ms: number, connections: number): Promise<Turn> {
  const before = [peer.usage(), database.usage()] as const
  const startedAt = performance.now()
  const waitsMs: number[] = []
  await Promise.all(
    Array.from({ length: connections }, async () => {
      do {
        const askedAt = performance.now()
        number += 1
        await peer.doing[work](number)
        waitsMs.push(performance.now() - askedAt)
      } while (performance.now() - startedAt < ms)
    }),
  )
  const tookMs = performance.now() - startedAt
  const after = [peer.usage(), database.usage()] as const
  return {
    done: waitsMs.length,
    perSecond: waitsMs.length / (tookMs / 1_000),
    serverUs: after[0].cpuUs - before[0].cpuUs,
    databaseUs: after[1].cpuUs - before[1].cpuUs,
    p50Ms: rangeOf(waitsMs).median,
  }
}

function findingsOf(
  contenders: readonly Contender[],
  turns: Map<Work, Map<Contender, Turn[]>>,
  connections: number,
): Findings {
  const columns = contenders.map(({ peer }) => peer.name)
  const table = (title: string, numberOf: (turn: Turn) => number): Table => ({
    title,
    columns,
    rows: works.map(
      (work): TableRow => [
        work,
        ...contenders.map((contender) => rangeOf((turns.get(work)?.get(contender) ?? []).map(numberOf)).median),
      ],
    ),
  })
  const megabytes = ({ rssBytes }: { rssBytes: number }) => rssBytes / 2 ** 20
  return {
    sides: [],
    ratios: [],
    tables: [
      table('CPU of server and database, µs', ({ serverUs, databaseUs, done }) => (serverUs + databaseUs) / done),
      table('of which the database, µs', ({ databaseUs, done }) => databaseUs / done),
      table('per second', ({ perSecond }) => perSecond),
      table('p50, ms', ({ p50Ms }) => p50Ms),
      {
        title: 'at the end',
        columns,
        rows: [
          ['memory of the server, MB', ...contenders.map(({ peer }) => megabytes(peer.usage()))],
          ['requests of an order', ...contenders.map(({ peer }) => peer.requestsOfOrder)],
        ],
      },
    ],
    notes: [
      `${productCount} products of three variants, with price, tax and stock; ${connections} connections; medians. CPU is that of all processes, read from the system in steps of 10 ms.`,
      'Each has a PostgreSQL of its own, of one version and with its default settings; all are up at the same time, and one works at a time.',
      ...contenders.map(({ peer }) => `${peer.name}: ${peer.settings}.`),
    ],
  }
}

// Returns the version of the first.
async function install(folder: string, names: readonly string[], say: Circumstances['say']): Promise<string> {
  const version = async () => {
    const text = await readFile(join(folder, 'node_modules', names[0] ?? '', 'package.json'), 'utf8').catch(
      () => undefined,
    )
    return text === undefined ? undefined : (JSON.parse(text) as { version: string }).version
  }
  const known = await version()
  if (known !== undefined) return known
  await mkdir(folder, { recursive: true })
  // One that is there may say by which versions a package is to be replaced.
  await writeFile(join(folder, 'package.json'), '{"name":"shop","private":true,"type":"commonjs"}\n', {
    flag: 'wx',
  }).catch(() => {})
  say(`  installing ${names.join(', ')}`)
  const args = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', ...names.map((name) => `${name}@latest`)]
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'close')) as [number | null]
  const made = await version()
  if (code !== 0 || made === undefined)
    throw new Error(`npm could not install ${names[0]} in ${folder}: it ended with ${code}`)
  return made
}

async function newDatabase(): Promise<Database> {
  const cluster: Cluster = await startCluster({ asShipped: true })
  const client = new pg.Client({ connectionString: cluster.url })
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0].pid)
  await client.query('create database shop')
  await client.end()
  const url = new URL(cluster.url)
  url.pathname = '/shop'
  return { url: url.href, usage: () => usageOfTree(postmaster), stop: cluster.stop }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
