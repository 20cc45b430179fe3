// Metrics of the database: whether it responds, its size, the free space on its disk, and its schema.

import { schemaGap } from '../storage/migrate.ts'
import type { Storage } from '../storage/storage.ts'
import { samplesBy } from './counts.ts'
import { type MetricReading, type Metrics, readBeforeScrape } from './metrics.ts'

export function registerDatabaseMetrics(metrics: Metrics, storage: Storage): void {
  const seen = readBeforeScrape(metrics, async () => ({ ...(await storage.space()), ...(await schemaGap(storage)) }))
  const gauges: readonly [name: string, help: string, values: MetricReading['values']][] = [
    ['database_up', 'Whether the database answers.', () => (seen() ? 1 : 0)],
    ['database_size_bytes', 'Size of the database.', () => seen()?.bytes],
    ['database_free_bytes', 'Free space on the disk of the database, if it is a file.', () => seen()?.freeBytes],
    [
      'table_size_bytes',
      'Size of each table with its indexes, on PostgreSQL.',
      () => samplesBy('table', seen()?.tables ?? {}),
    ],
    [
      'migrations',
      'Migrations that the database lacks (pending), and migrations in it that this program does not know (newer).',
      () => {
        const found = seen()
        return found && samplesBy('state', { pending: found.pending, newer: found.newer })
      },
    ],
  ]
  for (const [name, help, values] of gauges) metrics.read({ name: `cartwright_${name}`, help, type: 'gauge', values })
}

// Metrics of how this process uses the database.
export function registerStorageMetrics(metrics: Metrics, storage: Storage): void {
  metrics.read({
    name: 'cartwright_database_connections',
    help: 'Connections to the database (open, of which idle), and requests that wait for one (waiting).',
    type: 'gauge',
    values: () => {
      const { open, idle, waiting } = storage.stats().connections
      return samplesBy('state', { open, idle, waiting })
    },
  })
  metrics.read({
    name: 'cartwright_write_groups_total',
    help: 'Commits.',
    type: 'counter',
    values: () => storage.stats().writes.commits,
  })
  metrics.read({
    name: 'cartwright_writes_total',
    help: 'Pieces of work that the commits carried.',
    type: 'counter',
    values: () => storage.stats().writes.works,
  })
  metrics.read({
    name: 'cartwright_write_retries_total',
    help: 'Pieces of work done again after a deadlock or a serialization failure.',
    type: 'counter',
    values: () => storage.stats().writes.retries,
  })
  metrics.read({
    name: 'cartwright_writes_queued',
    help: 'Pieces of work that wait for their commit.',
    type: 'gauge',
    values: () => storage.stats().writes.queued,
  })
}
