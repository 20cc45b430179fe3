// Tracks whether a merchant's accounts work: what calls to providers and webhooks show about keys and secrets. A problem is recorded when
// it begins, reported to the merchant once, and removed when it is solved.

import type { PaymentAccountProblem } from '../../contract/words.ts'
import { Lru } from '../../platform/kit/lru.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import { listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import type { AccountRow } from './accounts.ts'
import type { PaymentWatch } from './watch.ts'

// What a response shows about the key of its request. `accepted`: the key is valid, whatever else the response says.
export type KeyAnswer = 'accepted' | 'key_refused' | 'permission_missing'

type Account = Pick<AccountRow, 'merchantId' | 'id' | 'provider' | 'mode'>

export interface AccountHealth {
  called(account: Account, answer: KeyAnswer): void
  webhookSeen(account: Account, isAccepted: boolean): void
  // Resolves once no write is in progress.
  idle(): Promise<void>
}

export interface HealthParts {
  storage: Storage
  clock: () => Date
  watch: Pick<PaymentWatch, 'accountProblem' | 'accountUnrecorded'>
}

const accountsMax = 1_000
// How often the record of a lasting problem is renewed.
const againMs = 5 * 60_000
// Everyone who knows the address can send a webhook that is refused, so one refused webhook proves nothing.
const refusedMin = 3
// A problem that has not occurred for this long counts as solved.
const forgottenMs = 24 * 3_600_000

export function createAccountHealth({ storage, clock, watch }: HealthParts): AccountHealth {
  // By account and kind of problem. An account without an entry was not used by this process yet, and another process may have recorded a
  // problem of it.
  const seen = new Lru<string, { at: number | null; count: number } | 'fine'>(3 * accountsMax)
  let writing: Promise<unknown> = Promise.resolve()

  // Writes run one after the other: otherwise a problem could be recorded again after it was solved.
  function write(account: Account, work: (tx: Tx) => Promise<void>): void {
    const facts = { provider: account.provider, accountId: account.id }
    writing = writing.then(() => storage.write(work)).catch((error: unknown) => watch.accountUnrecorded(facts, error))
  }

  function bad(account: Account, kind: PaymentAccountProblem): void {
    const key = `${account.id} ${kind}`
    const now = clock().getTime()
    const known = seen.get(key)
    const before = known === 'fine' || known === undefined ? { at: null, count: 0 } : known
    const count = before.count + 1
    const isDue = before.at === null || now - before.at >= againMs || now < before.at
    const isNoted = isDue && (kind !== 'notices_refused' || count >= refusedMin)
    seen.set(key, { at: isNoted ? now : before.at, count })
    if (isNoted) write(account, (tx) => noteProblem(tx, account, kind, { now, watch }))
  }

  function fine(account: Account, kind: PaymentAccountProblem): void {
    const key = `${account.id} ${kind}`
    if (seen.get(key) === 'fine') return
    seen.set(key, 'fine')
    write(account, async (tx) => clearProblems(tx, account, [kind]))
  }

  return {
    called(account, answer) {
      if (answer !== 'key_refused') fine(account, 'key_refused')
      // An accepted request does not clear `permission_missing`: other requests may still lack a permission.
      if (answer !== 'accepted') bad(account, answer)
    },
    webhookSeen: (account, isAccepted) => (isAccepted ? fine : bad)(account, 'notices_refused'),
    idle: async () => void (await writing),
  }
}

async function noteProblem(
  tx: Tx,
  account: Account,
  kind: PaymentAccountProblem,
  { now, watch }: { now: number; watch: HealthParts['watch'] },
): Promise<void> {
  const { merchantId, id, provider, mode } = account
  const [row] = await tx.sql<{ since: number }>`
    insert into payment_account_problems (merchant_id, account_id, kind, since, seen_at)
    values (${merchantId}, ${id}, ${kind}, ${now}, ${now})
    on conflict (merchant_id, account_id, kind) do update set seen_at = ${now}
    returning since`
  // The problem was already recorded.
  if (row?.since !== now) return
  const email = {
    kind: 'payment_account_problem',
    subjectId: `${id} ${kind} ${now}`,
    facts: { provider, mode, problem: kind },
  } as const
  queueEmails(tx, { installationId: merchantId, merchantId, orderId: null }, [email], now)
  tx.afterCommit(() => watch.accountProblem({ provider, accountId: id }, kind))
}

export function clearProblems(
  tx: Tx,
  { merchantId, id }: Pick<AccountRow, 'merchantId' | 'id'>,
  kinds: readonly PaymentAccountProblem[],
): void {
  tx.send`
    delete from payment_account_problems
    where merchant_id = ${merchantId} and account_id = ${id} and kind in (${listFragment(kinds)})`
}

export function forgetOldProblems(tx: Tx, now: number): void {
  tx.send`delete from payment_account_problems where seen_at < ${now - forgottenMs}`
}

export interface AccountProblem {
  accountId: string
  kind: PaymentAccountProblem
}

export async function listProblems(db: Reader, merchantId: string): Promise<AccountProblem[]> {
  return db.sql<AccountProblem>`
    select p.account_id as "accountId", p.kind from payment_account_problems p
    where p.merchant_id = ${merchantId} order by p.account_id, p.kind`
}
