// PostgreSQL for tests: one cluster per run, one database per test file, nothing to install. Under the global setup of
// `npm test` all files share its cluster; a file that is run alone starts a private one.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import pg from 'pg'

export interface Cluster {
  // The URL of the database `postgres`, as superuser.
  readonly url: string
  // Ends all connections at once, as a restart by an operator would, and comes back on the same port.
  halt(): Promise<void>
  resume(): Promise<void>
  // Ends the cluster and removes its folder.
  stop(): Promise<void>
}

export interface ClusterOptions {
  connectionsMax?: number
  // With PostgreSQL's own defaults, including fsync and autovacuum: for long runs and for measurements.
  asShipped?: boolean
}

export async function startCluster({ connectionsMax = 200, asShipped = false }: ClusterOptions = {}): Promise<Cluster> {
  const forTests = {
    // Tests do not simulate power failures.
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    shared_buffers: '32MB',
    max_wal_size: '512MB',
    autovacuum: 'off',
    // By default the first five executions of a statement on a connection are planned anew, and few tests execute it more
    // often: that was a fifth of the cluster's processor time.
    plan_cache_mode: 'force_generic_plan',
    // Two processes more for one statement take 15 ms, and no test has rows for which they pay.
    max_parallel_workers_per_gather: '0',
    // Deadlocks are part of the tests and should be detected quickly.
    deadlock_timeout: '50ms',
  }
  const settings = { max_connections: String(connectionsMax), ...(asShipped ? {} : forTests) }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // In its own process group, so an interrupt from the keyboard reaches this process and not the cluster.
  const child = spawn(process.execPath, [join(import.meta.dirname, 'postmaster.ts'), JSON.stringify(flags)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const complaint = lastWords(child.stderr)
  const url = await answer(lines).catch(async (error: unknown) => {
    await exited
    throw new Error(`the PostgreSQL cluster did not start: ${complaint()}`, { cause: error })
  })

  // From here on the cluster alone does not keep this process running.
  child.unref()
  ;(child.stdout as Socket).unref()
  ;(child.stdin as Socket).unref()
  ;(child.stderr as Socket).unref()

  async function ask(command: 'stop' | 'start'): Promise<void> {
    child.stdin.write(`${command}\n`)
    ;(child.stdout as Socket).ref()
    await answer(lines)
    ;(child.stdout as Socket).unref()
  }

  return {
    url,
    halt: () => ask('stop'),
    resume: () => ask('start'),
    async stop() {
      child.ref()
      child.stdin.end()
      await exited
    },
  }
}

function lastWords(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-2_000)
  })
  return () => text.trim()
}

async function answer(lines: AsyncIterator<string>): Promise<string> {
  const next = await lines.next()
  if (next.done) throw new Error('the PostgreSQL cluster has ended')
  return next.value
}

let common: Promise<string> | undefined

// Ends with this process: see postmaster.ts.
function commonCluster(): Promise<string> {
  const given = process.env.CARTWRIGHT_TEST_POSTGRES
  common ??= given ? Promise.resolve(given) : startCluster().then((cluster) => cluster.url)
  return common
}

export interface FreshDatabase {
  readonly url: string
  drop(): Promise<void>
}

// An empty database with its own name, or a copy of another one. The copy is made of its files, which takes a third of
// the processor time of PostgreSQL's default, which copies page by page through the log.
export async function freshDatabase(options: { template?: string; cluster?: string } = {}): Promise<FreshDatabase> {
  const cluster = options.cluster ?? (await commonCluster())
  const name = `test_${randomBytes(8).toString('hex')}`
  const template = options.template ? ` template ${pg.escapeIdentifier(options.template)} strategy file_copy` : ''
  const run = options.cluster === undefined ? administer : command
  await run(cluster, `create database ${name}${template}`)
  const url = new URL(cluster)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(cluster, `drop database if exists ${name} with (force)`) }
}

let administrator: Promise<pg.Client> | undefined

// Like `command`, for the common cluster, by a connection that this process keeps: opening one takes as much processor
// time as dropping a database.
async function administer(url: string, sql: string): Promise<void> {
  administrator ??= connectIdle(url)
  const client = await administrator.catch((error: unknown) => {
    administrator = undefined
    throw error
  })
  // One after the other: the driver no longer accepts a query while it runs another.
  const previous = administering
  const { promise, resolve } = Promise.withResolvers<void>()
  administering = promise
  await previous
  const { stream } = client.connection as unknown as { stream: Socket }
  stream.ref()
  try {
    await client.query(sql)
  } finally {
    stream.unref()
    resolve()
  }
}

let administering = Promise.resolve()

async function connectIdle(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {
    administrator = undefined
  })
  await client.connect()
  return client
}

// One statement outside any transaction.
export async function command(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
