// Money that has not moved: how much is pending, for /metrics, and what needs manual attention, for `doctor`. No invariant is violated:
// the data is consistent, but no background job will finish these cases, or none has for a long time.

import { modes } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { Labels, Sample } from '../../platform/metrics/counts.ts'
import { type MetricReading, type Metrics, readBeforeScrape } from '../../platform/metrics/metrics.ts'
import { Fragment, listFragment, type Reader, type Storage } from '../../platform/storage/storage.ts'
import { isUnanswered } from '../payments/store.ts'
import type { InvariantViolation } from './invariants.ts'

export interface AttentionQuery {
  now: number
  // The names of the installed payment providers.
  providers: readonly string[]
}

// The waits between look-ups and attempts grow to six hours, so within a day there are many: if a provider has answered none of them, the
// cause must be found.
const unansweredMs = 24 * 3_600_000
// A bank may take days. A payment that the provider has reported as pending for this long should be looked at.
const pendingMs = 14 * unansweredMs
const subjectsMax = 100

interface AttentionQuestion {
  name: string
  // The problem, and what can be done about it.
  sentence: string
  // Names of the cases, such as an order and its refund; with `(test)` if no real money is involved.
  subjects: (db: Reader, look: AttentionQuery) => Promise<{ subject: string }[]>
}

// Live cases come first, so many test cases cannot push them out of the list.
const liveFirst = new Fragment('i.mode')
const testMark = new Fragment("case i.mode when 'test' then ' (test)' else '' end")
// The provider of payments of zero, for which no provider is called.
const zeroAmountProviders = ['none']

const questions: readonly AttentionQuestion[] = [
  {
    name: 'refund_failed',
    sentence:
      'The provider refused these refunds for good, or knows nothing of them a day after they were sent. Look there; `orders refund ORDER_ID` tries again.',
    subjects: (db) => db.sql`
      select coalesce(r.order_id, r.payment_id) || ' ' || r.id || ${testMark} as "subject"
      from refunds r join installations i on i.id = r.installation_id
      where r.status = 'failed' and r.replaced_by is null and r.kind = 'refund'
      order by ${liveFirst}, r.created_at, r.id limit ${subjectsMax}`,
  },
  {
    name: 'void_failed',
    sentence: 'The provider would not take these payments back. `orders refund PAYMENT_ID` tries again.',
    subjects: (db) => db.sql`
      select r.payment_id || ' ' || r.id || ${testMark} as "subject"
      from refunds r join installations i on i.id = r.installation_id
      where r.status = 'failed' and r.replaced_by is null and r.kind = 'void'
      order by ${liveFirst}, r.created_at, r.id limit ${subjectsMax}`,
  },
  {
    name: 'cancelled_not_refunded',
    sentence:
      'These orders were cancelled, and some of their money was not refunded and has no pending refund. `orders refund ORDER_ID` refunds it, or records that you did.',
    subjects: (db) => db.sql`
      select o.id || ${testMark} as "subject"
      from orders o join installations i on i.id = o.installation_id
      where o.status = 'cancelled' and o.payment_status not in ('pending', 'voided') and o.refunded < o.total
        and not exists (
          select 1 from refunds r where r.installation_id = o.installation_id and r.order_id = o.id
            and r.kind = 'refund' and r.status = 'failed' and r.replaced_by is null)
      order by ${liveFirst}, o.placed_at, o.id limit ${subjectsMax}`,
  },
  {
    name: 'payment_account_problem',
    sentence:
      'Providers refuse the keys of these accounts (`payments rotate ACCOUNT_ID`), a permission is missing (`payments check` names it), or notices for them are refused (`payments rotate ACCOUNT_ID --notices`).',
    subjects: (db) => db.sql`
      select a.id || ' ' || a.provider || ' ' || p.kind || case a.mode when 'test' then ' (test)' else '' end as "subject"
      from payment_account_problems p join payment_accounts a on a.merchant_id = p.merchant_id and a.id = p.account_id
      order by a.mode, a.created_at, a.id, p.kind limit ${subjectsMax}`,
  },
  {
    name: 'provider_missing',
    sentence:
      'The provider of these payments is not installed, so they can be neither checked nor refunded. `payments close PAYMENT_ID` closes an open one, `orders refund PAYMENT_ID --by-hand` records that you refunded it.',
    subjects: (db, { providers }) => db.sql`
      select p.id || ' ' || p.provider || ${testMark} as "subject"
      from payments p join installations i on i.id = p.installation_id
      where p.provider not in (${listFragment([...providers, ...zeroAmountProviders])}) and (p.check_at is not null or exists (
        select 1 from refunds r where r.installation_id = p.installation_id and r.payment_id = p.id and r.try_at is not null))
      order by ${liveFirst}, p.created_at, p.id limit ${subjectsMax}`,
  },
  {
    name: 'outcome_unknown',
    sentence:
      'The provider has not reported the outcome of these payments for more than a day. Look there, and record what you saw: `payments close PAYMENT_ID --outcome succeeded|declined`.',
    subjects: (db, { now, providers }) => db.sql`
      select p.id || ${testMark} as "subject"
      from payments p join installations i on i.id = p.installation_id
      where p.check_at is not null and p.provider in (${listFragment([...providers, ...zeroAmountProviders])})
        and ${isUnanswered(now)}
      order by ${liveFirst}, p.created_at, p.id limit ${subjectsMax}`,
  },
  {
    name: 'amount_differs',
    sentence:
      'The provider collected another amount than was asked for, so nothing is booked. Look there, and record what you decide: `payments close PAYMENT_ID`.',
    subjects: (db) => db.sql`
      select p.id || ' ' || p.collected || ' of ' || p.amount || ${testMark} as "subject"
      from payments p join installations i on i.id = p.installation_id
      where p.check_at is not null and p.collected not in (0, p.amount)
      order by ${liveFirst}, p.created_at, p.id limit ${subjectsMax}`,
  },
  {
    name: 'given_back_too_much',
    sentence:
      'The provider gave back more of these payments than was paid. Look there; orders show what was paid at most.',
    subjects: (db) => db.sql`
      select p.id || ' ' || p.given_back || ' of ' || p.amount || ${testMark} as "subject"
      from payments p join installations i on i.id = p.installation_id
      where p.given_back > p.amount
      order by ${liveFirst}, p.created_at, p.id limit ${subjectsMax}`,
  },
  {
    name: 'dispute_open',
    sentence: 'Shoppers dispute these payments. Answer at the provider before the date.',
    subjects: async (db, { now }) => {
      const rows = await db.sql<{ names: string; dueAt: number; mark: string }>`
        select coalesce(p.order_id, p.id) || ' ' || d.id as "names", d.due_at as "dueAt", ${testMark} as "mark"
        from disputes d join installations i on i.id = d.installation_id
        join payments p on p.installation_id = d.installation_id and p.id = d.payment_id
        where d.status = 'open' and d.due_at > ${now}
        order by ${liveFirst}, d.due_at, d.id limit ${subjectsMax}`
      return rows.map(({ names, dueAt, mark }) => ({ subject: `${names} until ${toInstant(dueAt)}${mark}` }))
    },
  },
  {
    name: 'refund_unanswered',
    sentence:
      'The provider has not answered about these refunds for more than a day, or reports them as pending for two weeks. Look at the log and at the provider.',
    subjects: (db, { now, providers }) => db.sql`
      select coalesce(r.order_id, r.payment_id) || ' ' || r.id || ${testMark} as "subject"
      from refunds r join installations i on i.id = r.installation_id
      join payments p on p.installation_id = r.installation_id and p.id = r.payment_id
      where r.try_at is not null and r.created_at < ${now - unansweredMs}
        and (r.created_at < ${now - pendingMs} or coalesce(r.pending_at, 0) < ${now - unansweredMs})
        and p.provider in (${listFragment([...providers, ...zeroAmountProviders])})
      order by ${liveFirst}, r.created_at, r.id limit ${subjectsMax}`,
  },
]

export async function listCasesForAttention(db: Reader, look: AttentionQuery): Promise<InvariantViolation[]> {
  const findings: InvariantViolation[] = []
  for (const { name, sentence, subjects } of questions) {
    const found = (await subjects(db, look)).map(({ subject }) => subject)
    if (found.length > 0) findings.push({ name, sentence, subjects: found })
  }
  return findings
}

interface Waiting {
  labels: Labels
  count: number
  // The time of the oldest case; null if there is none.
  since: number | null
}

// Each query uses the index of pending rows, so its cost grows with their number and not with the size of the shop.
export async function readOpenPayments(db: Reader): Promise<Waiting[]> {
  const rows = await db.sql<{ mode: string; status: string; count: number; since: number }>`
    select i.mode, p.status, count(*) as "count", min(p.created_at) as "since"
    from payments p join installations i on i.id = p.installation_id
    where p.check_at is not null group by i.mode, p.status`
  return complete(rows, 'status', ['processing', 'challenge', 'declined'])
}

export async function readPendingRefunds(db: Reader): Promise<Waiting[]> {
  const rows = await db.sql<{ mode: string; kind: string; count: number; since: number }>`
    select i.mode, r.kind, count(*) as "count", min(r.created_at) as "since"
    from refunds r join installations i on i.id = r.installation_id
    where r.try_at is not null group by i.mode, r.kind`
  return complete(rows, 'kind', ['refund', 'void'])
}

export async function readFailedRefunds(db: Reader): Promise<Waiting[]> {
  const rows = await db.sql<{ mode: string; kind: string; count: number; since: number }>`
    select i.mode, r.kind, count(*) as "count", min(r.created_at) as "since"
    from refunds r join installations i on i.id = r.installation_id
    where r.status = 'failed' and r.replaced_by is null group by i.mode, r.kind`
  return complete(rows, 'kind', ['refund', 'void'])
}

export async function readOpenDisputes(db: Reader): Promise<Waiting[]> {
  const rows = await db.sql<{ mode: string; status: string; count: number; since: number }>`
    select i.mode, d.status, count(*) as "count", min(d.created_at) as "since"
    from disputes d join installations i on i.id = d.installation_id
    where d.status = 'open' group by i.mode, d.status`
  return complete(rows, 'status', ['open'])
}

// Money that is owed to shoppers: refunds that are being attempted, and those that need manual attention. In minor units.
export async function readMoneyOwed(db: Reader): Promise<Sample[]> {
  const rows = await db.sql<{ mode: string; currency: string; state: string; amount: number }>`
    select i.mode, r.currency, 'pending' as "state", sum(r.amount) as "amount"
    from refunds r join installations i on i.id = r.installation_id
    where r.try_at is not null and r.kind = 'refund' group by i.mode, r.currency
    union all
    select i.mode, r.currency, 'failed' as "state", sum(r.amount) as "amount"
    from refunds r join installations i on i.id = r.installation_id
    where r.status = 'failed' and r.replaced_by is null and r.kind = 'refund' group by i.mode, r.currency`
  return rows.map(({ mode, currency, state, amount }) => ({ labels: { mode, currency, state }, value: Number(amount) }))
}

// Accounts that are connected and accept payments.
export async function readAccounts(db: Reader): Promise<Sample[]> {
  const rows = await db.sql<{ provider: string; mode: string; count: number }>`
    select provider, mode, count(*) as "count" from payment_accounts where ended_at is null group by provider, mode`
  return rows.map(({ provider, mode, count }) => ({ labels: { provider, mode }, value: count }))
}

// Adds rows of zero for values with nothing pending: a missing series means that the database did not answer.
function complete<Name extends 'status' | 'kind'>(
  rows: readonly ({ mode: string; count: number; since: number } & Record<Name, string>)[],
  name: Name,
  values: readonly string[],
): Waiting[] {
  return modes.flatMap((mode) =>
    values.map((value) => {
      const row = rows.find((found) => found.mode === mode && found[name] === value)
      return { labels: { mode, [name]: value }, count: row?.count ?? 0, since: row?.since ?? null }
    }),
  )
}

export function registerPendingMoneyMetrics(metrics: Metrics, storage: Storage, clock: () => Date): void {
  const seen = readBeforeScrape(metrics, () =>
    storage.read(async (db) => ({
      payments: await readOpenPayments(db),
      pending: await readPendingRefunds(db),
      failed: await readFailedRefunds(db),
      disputes: await readOpenDisputes(db),
      accounts: await readAccounts(db),
      owed: await readMoneyOwed(db),
    })),
  )

  const counts = (rows: readonly Waiting[] = []) => rows.map(({ labels, count }) => ({ labels, value: count }))
  const ages = (rows: readonly Waiting[] = []) => {
    const now = clock().getTime()
    return rows.map(({ labels, since }) => ({ labels, value: since === null ? 0 : Math.max(0, now - since) / 1_000 }))
  }
  const gauges: readonly [name: string, help: string, values: MetricReading['values']][] = [
    ['payments_open', 'Payments with an unknown outcome.', () => counts(seen()?.payments)],
    ['payment_accounts', 'Connected accounts at payment providers.', () => seen()?.accounts],
    [
      'payments_open_oldest_seconds',
      'Age of the oldest payment with an unknown outcome.',
      () => ages(seen()?.payments),
    ],
    ['refunds_pending', 'Refunds that are owed and being attempted.', () => counts(seen()?.pending)],
    [
      'refunds_pending_oldest_seconds',
      'Age of the oldest refund that is being attempted.',
      () => ages(seen()?.pending),
    ],
    [
      'refunds_owed_minor_units',
      'Money that is owed to shoppers by refunds that are attempted or failed for good, in minor units.',
      () => seen()?.owed,
    ],
    ['refunds_failed', 'Refunds that failed for good and need a person.', () => counts(seen()?.failed)],
    ['disputes_open', 'Payments that shoppers dispute, and that are not decided.', () => counts(seen()?.disputes)],
    ['refunds_failed_oldest_seconds', 'Age of the oldest refund that failed for good.', () => ages(seen()?.failed)],
  ]
  for (const [name, help, values] of gauges) metrics.read({ name: `cartwright_${name}`, help, type: 'gauge', values })
}
