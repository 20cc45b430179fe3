// What must be true of the data when all work has ended, and how to let pending work finish.

import { setTimeout as pause } from 'node:timers/promises'
import { findViolations } from '../src/domain/health/invariants.ts'
import { leaseMs } from '../src/domain/payments/schedule.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

// One sentence for each violated rule, with the first violations. In a proof only sessions hold stock, so beyond the
// invariants a hold without a session is wrong.
export async function findBroken(storage: Storage): Promise<string[]> {
  return storage.read(async (db) => {
    const broken = (await findViolations(db)).map(({ name, subjects }) => `${name}: ${subjects.join(', ')}`)
    const [orphan] = await db.sql<{ owner: string }>`
      select h.owner_id as "owner" from holds h
      left join checkout_sessions c on c.id = h.owner_id and c.status in ('open', 'processing')
      where c.id is null
      limit 1`
    return orphan ? [...broken, `stock is held for ${orphan.owner}, which is no session that is under way`] : broken
  })
}

export interface UnderWay {
  payments: number
  refunds: number
  // Invoices and credit notes: each is an event that is delivered.
  documents: number
  deliveries: number
}

export async function countUnderWay(storage: Storage): Promise<UnderWay> {
  const [row] = await storage.read(
    (db) => db.sql<UnderWay>`
      select (select count(*) from payments where status in ('processing', 'challenge')) as "payments",
        (select count(*) from refunds where status = 'pending') as "refunds",
        (select count(*) from document_causes where at > 0) as "documents",
        (select count(*) from webhook_deliveries where status in ('pending', 'sending', 'retrying')) as "deliveries"`,
  )
  return row ?? { payments: 0, refunds: 0, documents: 0, deliveries: 0 }
}

// Waits until the loops of a server have finished their work; returns what is still pending when the wait ends.
export async function untilSettled(
  storage: Storage,
  tell: (text: string) => void,
  kinds: readonly (keyof UnderWay)[] = ['payments', 'refunds', 'documents', 'deliveries'],
): Promise<string[]> {
  const deadline = performance.now() + settleMsMax
  for (;;) {
    const underWay = await countUnderWay(storage)
    const open = kinds.filter((kind) => underWay[kind] > 0).map((kind) => `${underWay[kind]} ${kind}`)
    if (open.length === 0) return []
    if (performance.now() > deadline) return [`${open.join(', ')} did not come to an end`]
    tell(`${open.join(', ')} are under way`)
    await pause(100)
  }
}

const settleMsMax = 120_000

// Longer than a lease, a payment that the provider never received, and a bank page that was never answered.
export const agedMs = 40 * 60_000 + 2 * leaseMs

// Makes due what would be due after this long, instead of waiting. No server may be running.
export async function letTimePass(storage: Storage, ms = agedMs): Promise<void> {
  // SQLite may have written a commit to its log when the server was killed, but not to the index of the log. While another process still
  // reads the file, nothing repairs the index, and a transaction that writes nothing leaves the commit there: it would appear later, not
  // aged. Any write replaces it.
  if (storage.engine === 'sqlite')
    await storage.write((tx) => tx.sql`update schema_migrations set applied_at = applied_at + 1 where version = 1`)
  await storage.write(async (tx) => {
    await tx.sql`
      update payments set created_at = created_at - ${ms}, check_at = check_at - ${ms}, looked_at = looked_at - ${ms},
        looking_until = looking_until - ${ms}
      where check_at is not null or account_id is not null`
    await tx.sql`
      update payment_accounts set created_at = created_at - ${ms}, seen_until = seen_until - ${ms}`
    await tx.sql`update refunds set try_at = try_at - ${ms} where try_at is not null`
    await tx.sql`
      update webhook_deliveries set lease_expires_at = lease_expires_at - ${ms} where lease_expires_at is not null`
    await tx.sql`update webhook_deliveries set due_at = due_at - ${ms} where due_at is not null`
    await tx.sql`update webhook_endpoints set resting_until = null where resting_until is not null`
    // A row that failed beside a kill is tried again, and fails the run if it fails again.
    await tx.sql`update deferred_rows set retry_at = retry_at - ${ms}`
  })
}
