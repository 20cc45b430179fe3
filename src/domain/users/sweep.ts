// Deletes expired sessions, links and challenges, and limits on signing in that no longer limit. Expired rows are refused even before they
// are deleted.

import type { Storage } from '../../platform/storage/storage.ts'
import { deleteExpiredLinks } from './invitations.ts'
import { deleteExpiredChallenges } from './passkeys.ts'
import { deleteExpiredSessions } from './sessions.ts'
import { deleteFullSignIns } from './signins.ts'

const rowsAtOnce = 1_000
export const usersSweptMax = rowsAtOnce

// Returns the largest of the numbers of deleted rows.
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
