// What the operator does at the command line is in the merchant's list of changes too, by the names that the admin operations have there.

import type { AdminOperationId } from '../../contract/admin/operations.ts'
import type { Mode } from '../../contract/words.ts'
import { orderChanges, parcelChanges, refundChange } from '../../domain/orders/adminview.ts'
import { lockOrderFacts } from '../../domain/orders/change.ts'
import type { OrderFacts } from '../../domain/orders/view.ts'
import { type RightsRow, rightsOf } from '../../domain/users/roles.ts'
import type { AuditedChange, MemberChange } from '../../platform/audit/change.ts'
import { insertEntry } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { Recorder } from '../provisioning/record.ts'

export interface Written {
  merchantId: string
  mode: Mode | null
  operation: AdminOperationId | Command
  changes: readonly AuditedChange[]
  now: number
}

// Commands that no operation does.
type FileCommand = 'apply' | 'import'
export type AccountCommand = 'payments rotate'
type Command = FileCommand | AccountCommand | 'orders return'

// In the transaction of what it tells about. Nothing changed, nothing is written.
export function writeDown(tx: Tx, { merchantId, mode, operation, changes, now }: Written): void {
  if (changes.length === 0) return
  const actor = { kind: 'operator', id: null } as const
  insertEntry(tx, { merchantId, mode, actor, operation, requestId: null, changes, undoes: null, at: now })
}

export function recorderOf(operation: FileCommand, now: number): Recorder {
  return (tx, merchantId, entries) => {
    for (const { mode, changes } of entries) writeDown(tx, { merchantId, mode, operation, changes, now })
  }
}

// Writes an entry about the person in each of the shops; an address is in no entry.
export async function writeDownPerson(
  tx: Tx,
  {
    userId,
    operation,
    members,
    now,
  }: { userId: string; operation: AdminOperationId; members: readonly MemberChange[]; now: number },
): Promise<void> {
  const shops = await tx.sql<{ merchantId: string } & RightsRow>`
    select merchant_id as "merchantId", role, scopes from user_merchants where user_id = ${userId} order by merchant_id`
  for (const { merchantId, ...rights } of shops) {
    const { role } = rightsOf(rights)
    const change = { kind: 'change', what: 'member', id: userId, name: role, members } as const
    writeDown(tx, { merchantId, mode: null, operation, changes: [change], now })
  }
}

// The order before and after. What is refused writes nothing.
export async function writeDownOrder<Done>(
  tx: Tx,
  key: { installationId: string; orderId: string },
  { operation, now }: Pick<Written, 'operation' | 'now'>,
  work: () => Promise<{ done: Done; facts: OrderFacts; refund?: { id: string; amount: number } }>,
): Promise<Done> {
  const before = await lockOrderFacts(tx, key)
  const { done, facts, refund } = await work()
  if (before) {
    const { merchantId, mode } = facts.order
    const refunded = refund ? [refundChange(facts, refund, { lines: [], restocked: [] })] : []
    const changes = [...orderChanges(before, facts), ...parcelChanges(before, facts), ...refunded]
    writeDown(tx, { merchantId, mode, operation, changes, now })
  }
  return done
}
