// The global setup of `npm test`: what all test files share. One PostgreSQL cluster, in which each file has its own
// databases, the template stores, and V8's compile cache.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cluster, startCluster } from './postgres.ts'
import { shareTemplates } from './templates.ts'

let cluster: Cluster | undefined
let compiled: string | undefined

export async function globalSetup(): Promise<void> {
  if (process.env.CARTWRIGHT_TEST_POSTGRES) return
  cluster = await startCluster()
  compiled = await mkdtemp(join(tmpdir(), 'cartwright-'))
  // The processes of the test files inherit all of it.
  process.env.CARTWRIGHT_TEST_POSTGRES = cluster.url
  process.env.NODE_COMPILE_CACHE = compiled
  await shareTemplates()
}

export async function globalTeardown(): Promise<void> {
  if (!cluster || compiled === undefined) return
  await rm(compiled, { recursive: true, force: true })
  await cluster.stop()
}
