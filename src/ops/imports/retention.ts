// Deletes imports that were discarded or have expired.

import { setImmediate as breathe } from 'node:timers/promises'
import { handleEach } from '../../platform/jobs/rows.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { deleteImport, deleteItems, deletePieces, type ImportKey, listOldImports } from './store.ts'

const itemsDeletedAtOnce = 200

// Deletes in several transactions, so other transactions do not wait long for locks. The row of the import is deleted last.
export async function deleteWhole(storage: Storage, transfer: ImportKey): Promise<void> {
  while ((await storage.write((tx) => deletePieces(tx, transfer, 1))) > 0) await breathe()
  while ((await storage.write((tx) => deleteItems(tx, transfer, itemsDeletedAtOnce))) > 0) await breathe()
  await storage.write((tx) => deleteImport(tx, transfer))
}

export const importsDeletedMax = 20

export async function deleteOldImports(
  storage: Storage,
  { endedBy, now }: { endedBy: number; now: number },
): Promise<number> {
  const old = await storage.read((db) => listOldImports(db, { endedBy, now }, importsDeletedMax))
  return handleEach(
    { storage, loop: 'retention', now },
    old,
    ({ merchantId, id }) => ({ tenantId: merchantId, rowId: id }),
    async (transfer) => {
      await deleteWhole(storage, transfer)
      return 1
    },
  )
}
