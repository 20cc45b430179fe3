// E-mails to a person about changes that another person, a machine or the operator made to their account: otherwise the person would be
// the last to learn of a takeover.

import type { Role } from '../../contract/words.ts'
import { type NoticeKind, queueNotice } from '../../platform/outbox/emails.ts'
import { decryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { listMembers } from './members.ts'
import { emailPurpose, listMerchantsOf } from './users.ts'

export interface UserNotification {
  userId: string
  kind: NoticeKind
  // The merchant that the e-mail is about (default: the person's first merchant; a person without one gets no e-mail).
  merchantId?: string | null
  facts?: Readonly<Record<string, string>>
}

export async function notifyUser(tx: Tx, rootSecret: RootSecret, notice: UserNotification, now: number): Promise<void> {
  const { userId, kind, facts = {} } = notice
  const email = await findAddress(tx, rootSecret, userId)
  const merchantId = notice.merchantId ?? (await listMerchantsOf(tx, userId))[0]?.id
  if (email === undefined || merchantId === undefined) return
  queueNotice(tx, rootSecret, { kind, merchantId, email, facts }, now)
}

// A key or an app may invite anyone, and that person stays after the key or app has ended, so the owners are notified of each such
// invitation.
export async function notifyOwners(
  tx: Tx,
  rootSecret: RootSecret,
  { merchantId, address, role }: { merchantId: string; address: string; role: Role },
  now: number,
): Promise<void> {
  for (const { role: held, email, disabledAt } of await listMembers(tx, rootSecret, merchantId))
    if (held === 'owner' && disabledAt === null)
      queueNotice(tx, rootSecret, { kind: 'member_joined', merchantId, email, address, facts: { role } }, now)
}

// Returns undefined if the version of the root secret that encrypted the address was removed: a missing address must not prevent the
// change of the account.
export async function findAddress(db: Reader, rootSecret: RootSecret, userId: string): Promise<string | undefined> {
  const [row] = await db.sql<{ sealed: string }>`select email_sealed as "sealed" from users where id = ${userId}`
  return row && decryptByRootSecret(rootSecret, emailPurpose, row.sealed, userId)
}
