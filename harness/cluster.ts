// The global setup of `npm test`: what all test files share. One PostgreSQL cluster, in which each file has its own
// databases, the template stores, and V8's compile cache.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Cluster, startCluster } from './postgres.ts'
import { shareTemplates } from './templates.ts'

// It outlives the run: without it each of the processes strips and compiles nearly a thousand files again. Node replaces what no
// longer fits its file, so it does not grow.
const compiled = join(import.meta.dirname, '..', 'node_modules', '.cache', 'cartwright-tests')
let cluster: Cluster | undefined

export async function globalSetup(): Promise<void> {
  if (process.env.CARTWRIGHT_TEST_POSTGRES) return
  const [started] = await Promise.all([startCluster(), existsSync(compiled) || fillCache()])
  cluster = started
  // The processes of the test files inherit all of it.
  process.env.CARTWRIGHT_TEST_POSTGRES = cluster.url
  process.env.NODE_COMPILE_CACHE = compiled
  await shareTemplates()
}

// A process writes to the cache when it ends: the test processes at the end of the run, and those that a test kills never. In a
// fresh clone each of them would compile all of it.
async function fillCache(): Promise<void> {
  const script = join(import.meta.dirname, 'compiled.ts')
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], { env, stdio: 'ignore' })
  await once(child, 'exit')
}

export async function globalTeardown(): Promise<void> {
  await cluster?.stop()
}
