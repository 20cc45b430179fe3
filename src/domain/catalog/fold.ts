// Fills in the folded texts by which products and SKUs are found, for rows that an earlier version wrote.

import type { Storage } from '../../platform/storage/storage.ts'
import { foldSome, hasUnfolded } from './store.ts'

export async function foldTexts(storage: Storage, rowsMax: number): Promise<number> {
  if (!(await storage.read(hasUnfolded))) return 0
  return storage.write((tx) => foldSome(tx, rowsMax))
}
