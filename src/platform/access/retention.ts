// Deletes keys a retention time after they were revoked or expired.

import { handleRows } from '../jobs/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { deleteCredentials, listDeadCredentials } from './store.ts'

// Returns the number of deleted keys. Several nodes may run this concurrently.
export async function deleteDeadKeys(
  storage: Storage,
  { endedBy, now }: { endedBy: number; now: number },
): Promise<number> {
  const dead = await storage.read((db) => listDeadCredentials(db, endedBy, now))
  return handleRows(
    { storage, loop: 'retention', now },
    [dead],
    ({ installationId, id }) => ({ tenantId: installationId, rowId: id }),
    (names) =>
      storage.write(async (tx) => {
        await deleteCredentials(tx, names)
        return names.length
      }),
  )
}
