// What must be true of the facts when everybody has gone home: the house's own invariants, and what they do not say
// because it is true only once nothing is under way, or because it needs the books of the payment provider.

import { setTimeout as pause } from 'node:timers/promises'
import { findViolations } from '../src/observe/invariants.ts'
import { leaseMs } from '../src/payments/schedule.ts'
import type { Reader, Storage } from '../src/storage/storage.ts'

interface Rule {
  sentence: string
  violations: (db: Reader) => Promise<{ subject: string }[]>
}

const rules: readonly Rule[] = [
  {
    sentence: 'the events of a cart follow one another without a gap, up to its version',
    violations: (db) => db.sql`
      select c.id as "subject" from carts c
      left join (
        select installation_id, subject_id, min(sequence) as first, max(sequence) as last, count(*) as told
        from events where subject_type = 'cart' group by installation_id, subject_id) e
        on e.installation_id = c.installation_id and e.subject_id = c.id
      where e.told is null or e.first <> 1 or e.last <> c.version or e.told <> c.version
      limit 5`,
  },
  {
    sentence: 'a session has one terminal event, of its status, when it is over, and none before',
    violations: (db) => db.sql`
      select c.id as "subject" from checkout_sessions c
      left join (
        select installation_id, subject_id, count(*) as told, min(type) as type from events
        where type in ('checkout_session.completed', 'checkout_session.cancelled', 'checkout_session.expired')
        group by installation_id, subject_id) e on e.installation_id = c.installation_id and e.subject_id = c.id
      where coalesce(e.told, 0) <> case when c.status in ('open', 'processing') then 0 else 1 end
        or (e.type is not null and e.type <> 'checkout_session.' || c.status)
      limit 5`,
  },
  {
    sentence: 'an order is cancelled or completed once',
    violations: (db) => db.sql`
      select subject_id as "subject" from events where type in ('order.cancelled', 'order.completed')
      group by installation_id, subject_id having count(*) > 1
      limit 5`,
  },
  {
    sentence: 'a session is completed exactly when it has an order',
    violations: (db) => db.sql`
      select c.id as "subject" from checkout_sessions c
      left join orders o on o.installation_id = c.installation_id and o.checkout_session_id = c.id
      where (c.status = 'completed') <> (o.id is not null)
      limit 5`,
  },
  {
    sentence: 'a cart is locked exactly while its session is processing',
    violations: (db) => db.sql`
      select c.id as "subject" from carts c
      left join checkout_sessions s on s.installation_id = c.installation_id and s.cart_id = c.id and s.status = 'processing'
      where (c.status = 'locked') <> (s.id is not null)
      limit 5`,
  },
  {
    sentence: 'stock is held only for a session that is not over',
    violations: (db) => db.sql`
      select h.owner_id as "subject" from holds h
      left join checkout_sessions c on c.id = h.owner_id and c.status in ('open', 'processing')
      where c.id is null
      limit 5`,
  },
  {
    sentence: 'every charge belongs to a payment of the same amount',
    violations: (db) => db.sql`
      select t.key as "subject" from test_charges t
      left join payments p on p.id = t.key and p.amount = t.amount
      where p.id is null
      limit 5`,
  },
  {
    sentence: 'an order that was paid by card has a charge of its total',
    violations: (db) => db.sql`
      select o.id as "subject" from orders o
      join payments p on p.installation_id = o.installation_id and p.order_id = o.id and p.provider = 'test'
      left join test_charges t on t.key = p.id and t.amount = o.total and t.state = 'approved'
      where t.key is null
      limit 5`,
  },
  {
    sentence: 'a session was charged at most once, and what was charged without an order is owed back or given back',
    violations: (db) => db.sql`
      select p.checkout_session_id as "subject" from test_charges t
      join payments p on p.id = t.key
      left join refunds r on r.installation_id = p.installation_id and r.payment_id = p.id and r.kind = 'void'
      where t.state = 'approved' and p.status not in ('processing', 'challenge') and r.id is null
      group by p.checkout_session_id
      having count(*) > 1 or sum(case when p.order_id is null then 1 else 0 end) > 0
      limit 5`,
  },
  {
    sentence: 'what was given back is what the refunds say',
    violations: (db) => db.sql`
      select t.key as "subject" from test_charges t
      left join (
        select payment_id, sum(amount) as given from refunds where kind = 'refund' and status = 'succeeded'
        group by payment_id) r on r.payment_id = t.key
      where t.refunded <> coalesce(r.given, 0) and not exists (
        select 1 from refunds o where o.payment_id = t.key and o.status = 'pending')
      limit 5`,
  },
  {
    sentence: 'no idempotency key is kept without its answer',
    violations: (db) => db.sql`select key as "subject" from idempotency_keys where answer is null limit 5`,
  },
]

// One sentence for each rule that is broken, with the first who break it.
export async function findBroken(storage: Storage): Promise<string[]> {
  return storage.read(async (db) => {
    const broken = (await findViolations(db)).map(({ name, subjects }) => `${name}: ${subjects.join(', ')}`)
    for (const { sentence, violations } of rules) {
      const subjects = (await violations(db)).map(({ subject }) => subject)
      if (subjects.length > 0) broken.push(`not so: ${sentence}: ${subjects.join(', ')}`)
    }
    return broken
  })
}

export interface UnderWay {
  payments: number
  refunds: number
  deliveries: number
}

export async function countUnderWay(storage: Storage): Promise<UnderWay> {
  const [row] = await storage.read(
    (db) => db.sql<UnderWay>`
      select (select count(*) from payments where status in ('processing', 'challenge')) as "payments",
        (select count(*) from refunds where status = 'pending') as "refunds",
        (select count(*) from webhook_deliveries where status in ('pending', 'sending', 'retrying')) as "deliveries"`,
  )
  return row ?? { payments: 0, refunds: 0, deliveries: 0 }
}

// Waits until the loops of a server have done what is owed; answers with what is still under way when patience ends.
export async function untilSettled(
  storage: Storage,
  tell: (text: string) => void,
  kinds: readonly (keyof UnderWay)[] = ['payments', 'refunds', 'deliveries'],
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

// Longer than a lease, a payment that nobody heard of, and a bank's page that nobody answered.
const agedMs = 40 * 60_000 + 2 * leaseMs

// What would be due after so long is due now. Instead of waiting: no server may be running.
export async function letTimePass(storage: Storage): Promise<void> {
  await storage.write(async (tx) => {
    await tx.sql`
      update payments set created_at = created_at - ${agedMs}, check_at = check_at - ${agedMs} where check_at is not null`
    await tx.sql`update refunds set try_at = try_at - ${agedMs} where try_at is not null`
    await tx.sql`
      update webhook_deliveries set lease_expires_at = lease_expires_at - ${agedMs} where lease_expires_at is not null`
    await tx.sql`update webhook_deliveries set due_at = due_at - ${agedMs} where due_at is not null`
    await tx.sql`update webhook_endpoints set resting_until = null where resting_until is not null`
  })
}
