// One turn of every loop, each until it has caught up, and what it asked of the database.

import type { App } from '../src/app.ts'
import { loopsFor } from '../src/ops/cli/loops.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import type { CountedStorage, StatementCounts } from './statements.ts'

export async function countLoops(
  { app, clock }: { app: App; clock: { now: number } },
  counted: CountedStorage,
): Promise<ReadonlyMap<string, StatementCounts>> {
  const { storage } = counted
  const loops = loopsFor({ storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now })
  const counts = new Map<string, StatementCounts>()
  counted.take()
  for (const { name, work } of loops) {
    while (await work(() => false));
    counts.set(name, counted.take())
  }
  return counts
}
