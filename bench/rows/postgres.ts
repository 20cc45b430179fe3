// The cart write on PostgreSQL, compared with what the same server does in pgbench's simple transaction (`-N -M
// prepared`), both on the same number of connections, with everything on the same cores. Without pgbench, a loop
// through `pg` runs the same transaction with prepared statements.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { startCluster, command as statement } from '../../harness/postgres.ts'
import { measure, type Stretch } from '../load.ts'
import { profiled } from '../profile.ts'
import { alternate, atLeast, type Circumstances, type Findings, loadNotes, type Row, ratioOf } from '../row.ts'
import { makeShop, openShop } from '../shop.ts'
import { cartLoad } from './carts.ts'

export const postgresRows: readonly Row[] = [
  {
    name: 'cart-write-postgres',
    question: 'The same change on PostgreSQL, with server and database on the same cores',
    run: runCartWritePostgres,
  },
]

async function runCartWritePostgres(circumstances: Circumstances): Promise<Findings> {
  const { folder, connections } = circumstances
  const cluster = await startCluster({ asShipped: true })
  try {
    const databaseUrl = await newDatabase(cluster.url, 'shop')
    const shop = await makeShop({ folder, databaseUrl, imported: 900 })
    const server = await openShop(shop, profiled(circumstances, 'cart-write-postgres'))
    const load = await cartLoad(server, shop, 3, circumstances)
    const ceilingUrl = await newDatabase(cluster.url, 'ceiling')
    const hasPgbench = await canRun('pgbench', ['--version'])
    const transactions = hasPgbench ? await pgbench(ceilingUrl) : await handWritten(ceilingUrl, circumstances)
    const runs = await alternate(circumstances, {
      bare: () => transactions.run(circumstances),
      ours: () => measure({ ...load, server }),
    })
    await transactions.end()
    await server.stop()
    const name = hasPgbench ? 'pgbench -N -M prepared' : "pgbench's -N transaction, by hand through pg"
    const ceiling = { name: `${name}, ${connections} connections`, unit: 'transaction', runs: runs.bare }
    const ours = { name: 'ours', unit: 'write', runs: runs.ours }
    return {
      sides: [ceiling, ours],
      ratios: [ratioOf('throughput', 'perSecond', [ours, ceiling], atLeast(0.2))],
      notes: [
        'Both run on one cluster with default settings: fsync and autovacuum are on.',
        'CPU is that of our server process; PostgreSQL counts as other load.',
        ...loadNotes([ours]),
      ],
    }
  } finally {
    await cluster.stop()
  }
}

// A row that can run on either engine, in a database of a new cluster.
export async function onPostgres(name: string, run: (databaseUrl: string) => Promise<Findings>): Promise<Findings> {
  const cluster = await startCluster({ asShipped: true })
  try {
    return await run(await newDatabase(cluster.url, name))
  } finally {
    await cluster.stop()
  }
}

export async function newDatabase(clusterUrl: string, name: string): Promise<string> {
  await statement(clusterUrl, `create database ${name}`)
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.href
}

interface Transactions {
  run(circumstances: Circumstances): Promise<Partial<Stretch>>
  end(): Promise<void>
}

async function pgbench(url: string): Promise<Transactions> {
  await output('pgbench', ['--initialize', '--scale=10', '--quiet', url])
  return {
    async run({ connections, seconds }) {
      const args = ['-N', '-M', 'prepared', '-n', '-c', String(connections), '-j', '1']
      const text = await output('pgbench', [...args, '-T', String(seconds), url])
      const perSecond = Number(/tps = ([\d.]+)/.exec(text)?.[1])
      const failed = Number(/number of failed transactions: (\d+)/.exec(text)?.[1] ?? 0)
      if (!(perSecond > 0) || failed > 0) throw new Error(`pgbench was not valid: ${text}`)
      return { perSecond }
    },
    end: async () => {},
  }
}

async function handWritten(url: string, { connections }: Circumstances): Promise<Transactions> {
  const accounts = 1_000_000
  await statement(url, 'create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84))')
  await statement(
    url,
    'create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))',
  )
  await statement(
    url,
    `insert into pgbench_accounts select i, (i - 1) / 100000 + 1, 0, '' from generate_series(1, ${accounts}) i`,
  )
  await statement(url, 'vacuum analyze pgbench_accounts')
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  const below = (limit: number) => 1 + Math.floor(Math.random() * limit)

  async function transaction(client: pg.Client): Promise<void> {
    const [account, delta] = [below(accounts), below(10_000) - 5_000]
    await client.query('begin')
    await client.query({
      name: 'update',
      text: 'update pgbench_accounts set abalance = abalance + $1 where aid = $2',
      values: [delta, account],
    })
    await client.query({
      name: 'select',
      text: 'select abalance from pgbench_accounts where aid = $1',
      values: [account],
    })
    await client.query({
      name: 'insert',
      text: 'insert into pgbench_history (tid, bid, aid, delta, mtime) values ($1, $2, $3, $4, current_timestamp)',
      values: [below(100), below(10), account, delta],
    })
    await client.query('end')
  }

  return {
    async run({ seconds }) {
      const startedAt = performance.now()
      let done = 0
      await Promise.all(
        clients.map(async (client) => {
          while (performance.now() - startedAt < seconds * 1_000) {
            await transaction(client)
            done += 1
          }
        }),
      )
      return { perSecond: done / ((performance.now() - startedAt) / 1_000) }
    },
    end: async () => void (await Promise.all(clients.map((client) => client.end()))),
  }
}

async function canRun(program: string, args: readonly string[]): Promise<boolean> {
  return output(program, args).then(
    () => true,
    () => false,
  )
}

async function output(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (piece: string) => {
      text += piece
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${text.slice(-2_000)}`)
  return text
}
