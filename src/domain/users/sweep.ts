// Deletes expired sessions, links and challenges. They are refused whether or not they were deleted.

import type { Storage } from '../../platform/storage/storage.ts'
import { deleteExpiredLinks } from './invitations.ts'
import { deleteExpiredChallenges } from './passkeys.ts'
import { deleteExpiredSessions } from './sessions.ts'
import { deleteFullSignIns } from './signins.ts'

const rowsAtOnce = 1_000
export const usersSweptMax = rowsAtOnce

// Returns the number of deleted rows of the most frequent kind.
export async function sweepUsers(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) =>
    Math.max(
      await deleteExpiredSessions(tx, now, rowsAtOnce),
      await deleteExpiredLinks(tx, now, rowsAtOnce),
      await deleteFullSignIns(tx, now, rowsAtOnce),
      await deleteExpiredChallenges(tx, now, rowsAtOnce),
    ),
  )
}
