// Deletes platforms that no longer call.

import type { Storage } from '../../platform/storage/storage.ts'
import { removeEndpoint } from '../webhooks/endpoints.ts'
import { listEndpointsOfPlatforms } from '../webhooks/store.ts'
import { deleteUnusedPlatforms } from './store.ts'

// A platform may be deleted after it has not called for this long; see deleteUnusedPlatforms.
const unusedMs = 90 * 24 * 3_600_000
export const platformsDeletedMax = 500

// Deletes the endpoints of the platforms too: no page would show them any more. A shop has few of them.
export function deleteOldPlatforms(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) => {
    const gone = await deleteUnusedPlatforms(tx, now - unusedMs, platformsDeletedMax)
    for (const [installationId, its] of Map.groupBy(gone, (platform) => platform.installationId)) {
      const ids = its.map(({ id }) => id)
      for (const endpoint of await listEndpointsOfPlatforms(tx, installationId, ids))
        await removeEndpoint(tx, installationId, endpoint.id, now)
    }
    return gone.length
  })
}
