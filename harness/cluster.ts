// The global setup of `npm test`: what all test files share. One PostgreSQL cluster, in which each file has its own
// databases, the template stores, and V8's compile cache.
import { join } from 'node:path'
import { type Cluster, startCluster } from './postgres.ts'
import { shareTemplates } from './templates.ts'

// It outlives the run: without it each of the processes strips and compiles nearly a thousand files again. Node replaces what no
// longer fits its file, so it does not grow.
const compiled = join(import.meta.dirname, '..', 'node_modules', '.cache', 'cartwright-tests')
let cluster: Cluster | undefined

export async function globalSetup(): Promise<void> {
  if (process.env.CARTWRIGHT_TEST_POSTGRES) return
  cluster = await startCluster()
  // The processes of the test files inherit all of it.
  process.env.CARTWRIGHT_TEST_POSTGRES = cluster.url
  process.env.NODE_COMPILE_CACHE = compiled
  await shareTemplates()
}

export async function globalTeardown(): Promise<void> {
  await cluster?.stop()
}
