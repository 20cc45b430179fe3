// What can be seen of the database from outside: whether it answers, its size, the room on its disk, and its schema.

import { schemaGap } from '../storage/migrate.ts'
import type { Storage } from '../storage/storage.ts'
import { lookBefore, type Metrics } from './metrics.ts'

export function observeDatabase(metrics: Metrics, storage: Storage): void {
  const seen = lookBefore(metrics, async () => ({ ...(await storage.space()), ...(await schemaGap(storage)) }))
  const gauges: readonly [name: string, help: string, values: () => Record<string, number>][] = [
    ['database_up', 'Whether the database answers.', () => ({ '': seen() ? 1 : 0 })],
    ['database_size_bytes', 'Size of the database.', () => only(seen()?.bytes)],
    ['database_free_bytes', 'Free space on the disk of the database, if it is a file.', () => only(seen()?.freeBytes)],
    [
      'migrations',
      'Migrations that the database lacks, and those of it that this program does not know.',
      () => ({ ...only(seen()?.pending, 'state="pending"'), ...only(seen()?.newer, 'state="newer"') }),
    ],
  ]
  for (const [name, help, values] of gauges) metrics.read({ name: `cartwright_${name}`, help, type: 'gauge', values })
}

function only(value: number | null | undefined, labels = ''): Record<string, number> {
  return value === null || value === undefined ? {} : { [labels]: value }
}
