// Fills in the texts by which products and SKUs are found, of rows from before there were any.

import type { Storage } from '../../platform/storage/storage.ts'
import { foldSome, hasUnfolded } from './store.ts'

export async function foldTexts(storage: Storage, rowsMax: number): Promise<number> {
  if (!(await storage.read(hasUnfolded))) return 0
  return storage.write((tx) => foldSome(tx, rowsMax))
}
