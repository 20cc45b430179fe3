// Letters to a person about what another one, a machine or the operator did with their account: the person would otherwise learn of a
// takeover last.

import { type NoticeKind, oweNotice } from '../events/letters.ts'
import { openByRoot, type RootSecret } from '../kit/secrets.ts'
import type { Reader, Tx } from '../storage/storage.ts'
import { emailPurpose, listMerchantsOf } from './users.ts'

export interface Notice {
  userId: string
  kind: NoticeKind
  // (default: the first of the person's; a person without one is not told)
  merchantId?: string | null
  facts?: Readonly<Record<string, string>>
}

export async function tellPerson(tx: Tx, rootSecret: RootSecret, notice: Notice, now: number): Promise<void> {
  const { userId, kind, facts = {} } = notice
  const email = await findAddress(tx, rootSecret, userId)
  const merchantId = notice.merchantId ?? (await listMerchantsOf(tx, userId))[0]?.id
  if (email === undefined || merchantId === undefined) return
  oweNotice(tx, rootSecret, { kind, merchantId, email, facts }, now)
}

// Undefined when the version of the root secret that sealed it was given up: that must not stop who changes the account.
export async function findAddress(db: Reader, rootSecret: RootSecret, userId: string): Promise<string | undefined> {
  const [row] = await db.sql<{ sealed: string }>`select email_sealed as "sealed" from users where id = ${userId}`
  return row && openByRoot(rootSecret, emailPurpose, row.sealed, userId)
}
