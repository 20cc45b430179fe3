// Records the operator's actions at the command line in the merchant's list of changes, under the names of the admin operations.

import type { AdminOperationId } from '../../contract/admin/operations.ts'
import type { Mode } from '../../contract/words.ts'
import { orderChanges, parcelChanges, refundChange } from '../../domain/orders/adminview.ts'
import { lockOrderFacts } from '../../domain/orders/change.ts'
import type { OrderFacts } from '../../domain/orders/view.ts'
import { type RightsRow, rightsFromRow } from '../../domain/users/roles.ts'
import type { AuditedChange, MemberChange } from '../../platform/audit/change.ts'
import { insertEntry } from '../../platform/audit/store.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { Recorder } from '../provisioning/record.ts'

export interface CommandRecord {
  merchantId: string
  mode: Mode | null
  operation: AdminOperationId | Command
  changes: readonly AuditedChange[]
  now: number
}

// Commands that have no admin operation, so their own names are recorded.
type FileCommand = 'apply' | 'import'
export type AccountCommand = 'payments rotate'
type Command = FileCommand | AccountCommand | 'orders return'

// Records changes in the transaction that makes them. Records nothing if there are no changes.
export function recordCommand(tx: Tx, { merchantId, mode, operation, changes, now }: CommandRecord): void {
  if (changes.length === 0) return
  const actor = { kind: 'operator', id: null } as const
  insertEntry(tx, { merchantId, mode, actor, operation, requestId: null, changes, undoes: null, at: now })
}

export function createRecorder(operation: FileCommand, now: number): Recorder {
  return (tx, merchantId, entries) => {
    for (const { mode, changes } of entries) recordCommand(tx, { merchantId, mode, operation, changes, now })
  }
}

// Records an action on a person in the list of changes of each merchant of which the person is a member. No entry contains the e-mail
// address.
export async function recordPersonCommand(
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
    const { role } = rightsFromRow(rights)
    const change = { kind: 'change', what: 'member', id: userId, name: role, members } as const
    recordCommand(tx, { merchantId, mode: null, operation, changes: [change], now })
  }
}

// Records what changed in the order. A refused change is not recorded.
export async function recordOrderCommand<Done>(
  tx: Tx,
  key: { installationId: string; orderId: string },
  { operation, now }: Pick<CommandRecord, 'operation' | 'now'>,
  work: () => Promise<{ done: Done; facts: OrderFacts; refund?: { id: string; amount: number } }>,
): Promise<Done> {
  const before = await lockOrderFacts(tx, key)
  const { done, facts, refund } = await work()
  if (before) {
    const { merchantId, mode } = facts.order
    const refunded = refund ? [refundChange(facts, refund, { lines: [], restocked: [] })] : []
    const changes = [...orderChanges(before, facts), ...parcelChanges(before, facts), ...refunded]
    recordCommand(tx, { merchantId, mode, operation, changes, now })
  }
  return done
}
