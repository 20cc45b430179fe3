// E-mails to a person about what another one, a machine or the operator did with their account: the person would otherwise learn of a
// takeover last.

import type { Role } from '../../contract/words.ts'
import { type NoticeKind, queueNotice } from '../../platform/outbox/emails.ts'
import { openByRoot, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { listMembers } from './members.ts'
import { emailPurpose, listMerchantsOf } from './users.ts'

export interface Notice {
  userId: string
  kind: NoticeKind
  // (default: the first of the person's; a person without one is not told)
  merchantId?: string | null
  facts?: Readonly<Record<string, string>>
}

export async function notifyUser(tx: Tx, rootSecret: RootSecret, notice: Notice, now: number): Promise<void> {
  const { userId, kind, facts = {} } = notice
  const email = await findAddress(tx, rootSecret, userId)
  const merchantId = notice.merchantId ?? (await listMerchantsOf(tx, userId))[0]?.id
  if (email === undefined || merchantId === undefined) return
  queueNotice(tx, rootSecret, { kind, merchantId, email, facts }, now)
}

// A person whom a key or an app invited is chosen by it, and stays when it has ended: the owners learn of each.
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

// Undefined when the version of the root secret that sealed it was given up: that must not stop who changes the account.
export async function findAddress(db: Reader, rootSecret: RootSecret, userId: string): Promise<string | undefined> {
  const [row] = await db.sql<{ sealed: string }>`select email_sealed as "sealed" from users where id = ${userId}`
  return row && openByRoot(rootSecret, emailPurpose, row.sealed, userId)
}
