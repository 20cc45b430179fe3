// Metrics about the platforms that call the shops.

import { platformStatuses } from '../../contract/agents/settings.ts'
import { type Metrics, readBeforeScrape } from '../../platform/metrics/metrics.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'

export function registerPlatformMetrics(metrics: Metrics, storage: Storage): void {
  const seen = readBeforeScrape(metrics, () => storage.read(readPlatforms))
  metrics.read({
    name: 'cartwright_agent_platforms',
    help: 'Platforms of agents that called shops or were approved, by status.',
    type: 'gauge',
    values: seen,
  })
}

async function readPlatforms(db: Reader) {
  const rows = await db.sql<{ status: string; count: number }>`
    select status, count(*) as "count" from agent_platforms group by status`
  return platformStatuses.map((status) => ({
    labels: { status },
    value: Number(rows.find((row) => row.status === status)?.count ?? 0),
  }))
}
