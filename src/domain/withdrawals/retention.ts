// Deletes withdrawals whose retention has ended, whatever their outcome: long after any claim from them has lapsed.

import { handleRows } from '../../platform/jobs/rows.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { deleteWithdrawals as deleteRows, listOldWithdrawals } from './store.ts'

export const withdrawalsDeletedMax = 500

export async function deleteOldWithdrawals(
  storage: Storage,
  { endedBy, now }: { endedBy: number; now: number },
): Promise<number> {
  const old = await storage.read((db) => listOldWithdrawals(db, endedBy, now, withdrawalsDeletedMax))
  return handleRows(
    { storage, loop: 'retention', now },
    [old],
    (key) => key,
    (group) =>
      storage.write(async (tx) => {
        for (const theirs of Map.groupBy(group, ({ tenantId, mode }) => `${tenantId} ${mode}`).values()) {
          const [first] = theirs
          if (!first) continue
          const ids = theirs.map(({ rowId }) => rowId)
          await deleteRows(tx, { merchantId: first.tenantId, mode: first.mode }, ids)
        }
        return group.length
      }),
  )
}
