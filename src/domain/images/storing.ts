// Moves uploaded files from the database to the storage of pictures. Before that they are shown from the database, so an upload neither
// waits for a bucket nor fails with it.

import { handleEach } from '../../platform/jobs/rows.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { ImageFiles } from './files.ts'
import { imageMedia } from './format.ts'
import { imageName } from './name.ts'
import { findContent, listUnstored, markImageStored } from './store.ts'

// Returns the number of handled files.
export async function storeImages(storage: Storage, files: ImageFiles, now: number, rowsMax: number): Promise<number> {
  const rows = await storage.read((db) => listUnstored(db, now, rowsMax))
  return handleEach(
    { storage, loop: 'pictures', now },
    rows,
    ({ merchantId, hash }) => ({ tenantId: merchantId, rowId: hash }),
    async (row) => {
      const found = await storage.read((db) => findContent(db, row.merchantId, row.hash))
      // Another process has stored the file already.
      if (!found?.content) return 0
      await files.put(imageName(row), found.content, imageMedia[row.kind])
      await storage.write((tx) => markImageStored(tx, row))
      return 1
    },
  )
}
