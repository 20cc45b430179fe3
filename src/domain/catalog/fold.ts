// Fills in the folded texts by which products and SKUs are found, for rows that an earlier release wrote.

import type { Storage } from '../../platform/storage/storage.ts'
import { fillSomeFoldedTexts, hasUnfolded } from './store.ts'

export async function fillFoldedTexts(storage: Storage, rowsMax: number): Promise<number> {
  if (!(await storage.read(hasUnfolded))) return 0
  return storage.write((tx) => fillSomeFoldedTexts(tx, rowsMax))
}
