// A merchant's accounts at payment providers: one that takes payments per provider and mode, and disconnected ones. The secrets are
// encrypted for the account, so they cannot be decrypted in a row that was moved to another merchant.

import type { Mode } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface AccountRow {
  merchantId: string
  id: string
  mode: Mode
  provider: string
  // Facts that may be shown, such as the name of the account at the provider.
  public: AccountFacts
  secretsSealed: string
  // Replaced secrets. The newest of them are accepted until `previousUntil`.
  previousSealed: string | null
  previousUntil: number | null
  // The time up to which the provider's list of events was read.
  seenUntil: number | null
  // Set after the account was disconnected: it takes no new payments, but its payments are still looked up and refunded.
  endedAt: number | null
  createdAt: number
  updatedAt: number
}

export type AccountFacts = Readonly<Record<string, string>>
// Secrets by the names that their provider defines.
export type AccountSecrets = Readonly<Record<string, string>>

const purpose = 'payment account'

export function encryptAccountSecrets(rootSecret: RootSecret, account: AccountKey, secrets: AccountSecrets): string {
  return encryptByRootSecret(rootSecret, purpose, JSON.stringify(secrets), contextOf(account))
}

// Returns undefined if the secrets were encrypted with a version of the root secret that was removed, or the row was tampered with.
export function decryptAccountSecrets(
  rootSecret: RootSecret,
  account: AccountKey,
  sealed: string | null,
): AccountSecrets | undefined {
  const text = sealed === null ? undefined : decryptByRootSecret(rootSecret, purpose, sealed, contextOf(account))
  return text === undefined ? undefined : (JSON.parse(text) as AccountSecrets)
}

// Replaced secrets, and until when they are accepted.
export interface FormerSecrets {
  secrets: AccountSecrets
  until: number
}

// Name of the member of the newest replaced secrets that contains the earlier ones.
const earlierName = 'earlier'
const formerMax = 20

// Returns the columns that store replaced secrets. `former`: newest first.
export function encryptFormerSecrets(
  rootSecret: RootSecret,
  account: AccountKey,
  former: readonly FormerSecrets[],
): Pick<AccountRow, 'previousSealed' | 'previousUntil'> {
  const [newest, ...earlier] = former.slice(0, formerMax)
  if (!newest) return { previousSealed: null, previousUntil: null }
  const secrets = earlier.length > 0 ? { ...newest.secrets, [earlierName]: JSON.stringify(earlier) } : newest.secrets
  return { previousSealed: encryptAccountSecrets(rootSecret, account, secrets), previousUntil: newest.until }
}

// Returns replaced secrets that are still accepted, newest first.
export function decryptFormerSecrets(
  rootSecret: RootSecret,
  account: AccountKey & Pick<AccountRow, 'previousSealed' | 'previousUntil'>,
  now: number,
): FormerSecrets[] {
  const { previousSealed, previousUntil } = account
  if (previousUntil === null || previousUntil <= now) return []
  const { [earlierName]: earlier = '[]', ...secrets } = decryptAccountSecrets(rootSecret, account, previousSealed) ?? {}
  const former = [{ secrets, until: previousUntil }, ...(JSON.parse(earlier) as FormerSecrets[])]
  return former.filter(({ until }) => until > now)
}

export type AccountKey = Pick<AccountRow, 'merchantId' | 'id' | 'mode'>

function contextOf({ merchantId, id, mode }: AccountKey): string {
  return `${merchantId} ${id} ${mode}`
}

const columns = new Fragment(`
  merchant_id as "merchantId", id, mode, provider, public, secrets_sealed as "secretsSealed",
  previous_sealed as "previousSealed", previous_until as "previousUntil", seen_until as "seenUntil", ended_at as "endedAt",
  created_at as "createdAt", updated_at as "updatedAt"`)

type StoredAccount = Omit<AccountRow, 'public'> & { public: string }

function accountFrom(row: StoredAccount): AccountRow {
  return { ...row, public: JSON.parse(row.public) as AccountFacts }
}

export async function findAccount(db: Reader, merchant: string, id: string): Promise<AccountRow | undefined> {
  const [row] = await db.sql<StoredAccount>`
    select ${columns} from payment_accounts where merchant_id = ${merchant} and id = ${id}`
  return row && accountFrom(row)
}

// Returns the ids of these accounts at their provider, by our ids. Only accounts with the fact `account` have one.
export async function listProviderAccountIds(
  db: Reader,
  merchant: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const known = [...new Set(ids)].filter((id) => id !== null)
  const accounts = await Promise.all(known.map((id) => findAccount(db, merchant, id)))
  return new Map(
    accounts.flatMap((account) =>
      account?.public.account === undefined ? [] : [[account.id, account.public.account]],
    ),
  )
}

export async function lockAccount(tx: Tx, merchant: string, id: string): Promise<AccountRow | undefined> {
  const [row] = await tx.sql<StoredAccount>`
    select ${columns} from payment_accounts where merchant_id = ${merchant} and id = ${id} ${tx.forUpdate}`
  return row && accountFrom(row)
}

// Finds an account of any merchant: a webhook contains only the id of the account.
export async function findAccountById(db: Reader, id: string): Promise<AccountRow | undefined> {
  const [row] = await db.sql<StoredAccount>`select ${columns} from payment_accounts where id = ${id}`
  return row && accountFrom(row)
}

// Lists the merchant's accounts in this mode that take payments, oldest first.
export async function listLivingAccounts(db: Reader, { merchantId, mode }: MerchantMode): Promise<AccountRow[]> {
  const rows = await db.sql<StoredAccount>`
    select ${columns} from payment_accounts
    where merchant_id = ${merchantId} and mode = ${mode} and ended_at is null order by created_at, id`
  return rows.map(accountFrom)
}

// Lists the accounts of all merchants that take payments, with the slug of each merchant.
export async function listAccountsOfAll(db: Reader, limit: number): Promise<(AccountRow & { slug: string })[]> {
  const rows = await db.sql<StoredAccount & { slug: string }>`
    select ${columns}, (select m.slug from merchants m where m.id = payment_accounts.merchant_id) as "slug"
    from payment_accounts where ended_at is null order by created_at, id limit ${limit}`
  return rows.map((row) => ({ ...accountFrom(row), slug: row.slug }))
}

// Lists all accounts of a merchant, oldest first.
export async function listAccounts(db: Reader, merchant: string): Promise<AccountRow[]> {
  const rows = await db.sql<StoredAccount>`
    select ${columns} from payment_accounts where merchant_id = ${merchant} order by created_at, id`
  return rows.map(accountFrom)
}

// Returns false if the merchant already has an account at this provider in this mode that has not ended.
export async function insertAccount(tx: Tx, account: AccountRow): Promise<boolean> {
  const rows = await tx.sql`
    insert into payment_accounts (merchant_id, id, mode, provider, public, secrets_sealed, previous_sealed, previous_until,
      seen_until, ended_at, created_at, updated_at)
    values (${account.merchantId}, ${account.id}, ${account.mode}, ${account.provider}, ${JSON.stringify(account.public)},
      ${account.secretsSealed}, ${account.previousSealed}, ${account.previousUntil}, ${account.seenUntil},
      ${account.endedAt}, ${account.createdAt}, ${account.updatedAt})
    on conflict do nothing returning id`
  return rows.length > 0
}

export async function saveAccount(tx: Tx, account: AccountRow): Promise<void> {
  await tx.sql`
    update payment_accounts set public = ${JSON.stringify(account.public)}, secrets_sealed = ${account.secretsSealed},
      previous_sealed = ${account.previousSealed}, previous_until = ${account.previousUntil},
      ended_at = ${account.endedAt}, updated_at = ${account.updatedAt}
    where merchant_id = ${account.merchantId} and id = ${account.id}`
}

// How long the events of a disconnected account are still read, because its payments may be refunded or disputed.
const endedMs = 120 * 24 * 3_600_000

// Claims accounts whose list of events is due to be read, and schedules their next read. If the scheduled time is too far in the future,
// the clock was set back since, and the account is due too.
export async function claimAccountsToRead(tx: Tx, now: number, everyMs: number, limit: number): Promise<AccountRow[]> {
  const rows = await tx.sql<StoredAccount>`
    with due as (
      select a.merchant_id, a.id from payment_accounts a
      where (a.news_at is null or a.news_at <= ${now} or a.news_at > ${now + everyMs})
        and (a.ended_at is null or a.ended_at > ${now - endedMs})
      order by a.news_at limit ${limit} ${tx.skipLocked})
    update payment_accounts set news_at = ${now + everyMs}
    where (merchant_id, id) in (select due.merchant_id, due.id from due)
    returning ${columns}`
  return rows.map(accountFrom)
}

// Called at every start: webhooks may have been missed while no process ran.
export function makeProviderEventsDue(tx: Tx): void {
  tx.send`update payment_accounts set news_at = null where news_at is not null`
}

export function saveSeenUntil(tx: Tx, { merchantId, id }: Pick<AccountRow, 'merchantId' | 'id'>, until: number): void {
  tx.send`update payment_accounts set seen_until = ${until} where merchant_id = ${merchantId} and id = ${id}`
}
