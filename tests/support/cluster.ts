// The global setup of `npm test`: one PostgreSQL cluster that all test files share, each with databases of its own.
import { type Cluster, startCluster } from './postgres.ts'

let cluster: Cluster | undefined

export async function globalSetup(): Promise<void> {
  if (process.env.CARTWRIGHT_TEST_POSTGRES) return
  cluster = await startCluster()
  // The test files' processes inherit it.
  process.env.CARTWRIGHT_TEST_POSTGRES = cluster.url
}

export async function globalTeardown(): Promise<void> {
  await cluster?.stop()
}
