// The life of a merchant's account at a payment provider, from connecting to disconnecting. The provider is called outside of any
// transaction. Errors never quote the provider or the operator, except sentences that the provider's adapter wrote for the operator.

import { type Issue, issueAt } from '../../../contract/issues.ts'
import type { AuditedChange } from '../../../platform/audit/change.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { toInstant } from '../../../platform/kit/instant.ts'
import type { MerchantMode } from '../../../platform/kit/mode.ts'
import { type Refusal, refuse } from '../../../platform/kit/refuse.ts'
import type { RootSecret } from '../../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../../platform/storage/storage.ts'
import {
  AccountRefused,
  type ConnectedAccount,
  type ConnectRequest,
  type DecryptedAccount,
  type ProviderAccounts,
  sentenceOfIssue,
} from '../accountport.ts'
import {
  type AccountRow,
  type AccountSecrets,
  decryptAccountSecrets,
  decryptFormerSecrets,
  encryptAccountSecrets,
  encryptFormerSecrets,
  findAccount,
  insertAccount,
  listLivingAccounts,
  lockAccount,
  saveAccount,
} from '../accounts.ts'
import { clearProblems } from '../health.ts'
import { missingResponseFrom } from '../port.ts'
import { type LoadAccountProvider, noticeUrlOf, type ProviderUrls, walletHostFor } from './registry.ts'

// The dependencies of a call to a provider.
export interface ProviderTools {
  rootSecret: RootSecret
  publicOrigin: () => string
  providerUrls: ProviderUrls
  withAccount: Readonly<Record<string, LoadAccountProvider>>
  clock: () => Date
}

export interface AccountTools extends ProviderTools {
  storage: Storage
  // Adds an entry to the audit log, in the transaction of the change.
  record: (tx: Tx, account: AccountRow, change: AccountChange) => void
}

export type AccountChange = Pick<AuditedChange, 'kind' | 'members'>

export type ConnectAnswers = ConnectRequest['answers']

// How long replaced secrets are still accepted.
const previousMs = 24 * 3_600_000
// Longer than for other calls: connecting sends several requests to the provider.
const askMsMax = 60_000

export async function accountProvider(
  { withAccount }: Pick<ProviderTools, 'withAccount'>,
  name: string,
): Promise<ProviderAccounts> {
  const load = Object.hasOwn(withAccount, name) ? withAccount[name] : undefined
  if (load) return load()
  const known = Object.keys(withAccount).join(', ')
  throw refuse('payment_provider_not_found', {
    message: `There is no payment provider ${name} with accounts${known ? `: use ${known}` : ''}.`,
  })
}

export async function refuseSecondAccount(
  db: Reader,
  merchant: MerchantMode,
  provider: ProviderAccounts,
): Promise<void> {
  const living = await listLivingAccounts(db, merchant)
  const known = living.find((account) => account.provider === provider.name)
  if (known) throw secondAccount(known)
}

function secondAccount({ id, provider, mode }: AccountRow): Refusal {
  return refuse('payment_account_exists', {
    message: `There is already an account at ${provider} in ${mode} mode: ${id}.`,
  })
}

// An account that the provider accepts but that is not stored yet.
export interface AcceptedAccount {
  account: AccountRow
  provider: ProviderAccounts
  secrets: AccountSecrets
}

export async function connectAtProvider(
  tools: ProviderTools,
  { merchantId, mode }: MerchantMode,
  provider: ProviderAccounts,
  answers: ConnectAnswers,
): Promise<AcceptedAccount> {
  const { rootSecret, clock } = tools
  const name = { merchantId, id: newId('pac'), mode, provider: provider.name }
  const noticeUrl = noticeUrlFor(tools, name)
  const pageHost = walletHostFor(tools.publicOrigin())
  const connected = await askProvider(provider, { answers, mode, noticeUrl, pageHost })
  const now = clock().getTime()
  const account: AccountRow = {
    ...name,
    public: connected.public,
    secretsSealed: encryptAccountSecrets(rootSecret, name, connected.secrets),
    previousSealed: null,
    previousUntil: null,
    seenUntil: null,
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  return { account, provider, secrets: connected.secrets }
}

// Refuses if a concurrent request has already connected an account.
export async function insertAccepted(tx: Tx, { account, provider }: AcceptedAccount): Promise<AuditedChange> {
  if (!(await insertAccount(tx, account))) throw secondAccount(account)
  const members = [{ member: 'account', from: null, to: account.public[provider.accountFact] ?? null }]
  return accountChange(account, { kind: 'create', members })
}

export function accountChange({ id, mode, provider }: AccountRow, change: AccountChange): AuditedChange {
  return { ...change, what: 'payment_account', id, name: `${mode} ${provider}` }
}

// Deletes what was created at the provider. Returns null, or the problem that prevented it.
export async function removeAtProvider(
  tools: ProviderTools,
  account: AccountRow,
  secrets = decryptAccountSecrets(tools.rootSecret, account, account.secretsSealed),
): Promise<Issue | null> {
  if (!secrets) return issueAt('', 'secrets_unopened')
  try {
    const provider = await accountProvider(tools, account.provider)
    await within((signal) => provider.disconnect(opened(tools, account, secrets), signal))
    return null
  } catch (error) {
    return issueOf(account.provider, error)
  }
}

// Replaces the keys of an account. An existing webhook endpoint at the provider stays, with the secret that signs webhooks; a missing one
// is created. A disconnected account also needs valid keys, for its existing payments; no endpoint is created for it.
export async function rotateAccount(
  tools: AccountTools,
  account: AccountRow,
  provider: ProviderAccounts,
  answers: ConnectAnswers,
): Promise<AccountRow> {
  const connected = await rotateAtProvider(tools, account, provider, answers)
  return recordChange(tools, account, connected, 'keys')
}

export async function rotateAtProvider(
  tools: ProviderTools,
  account: AccountRow,
  provider: ProviderAccounts,
  answers: ConnectAnswers,
): Promise<ConnectedAccount> {
  const known = decryptAccountSecrets(tools.rootSecret, account, account.secretsSealed) ?? {}
  const isSigned = provider.noticeSecret === null || known[provider.noticeSecret] !== undefined
  const noticeUrl = isSigned || account.endedAt !== null ? null : noticeUrlFor(tools, account)
  const pageHost = walletHostFor(tools.publicOrigin())
  const connected = await askProvider(provider, { answers, mode: account.mode, noticeUrl, pageHost })
  const { accountFact } = provider
  if (connected.public[accountFact] !== account.public[accountFact]) {
    const issue = issueAt('', 'key_of_other_account', { provider: provider.name })
    const message = `These keys belong to another account at ${provider.name}: to use that account, disconnect the present one and connect again.`
    throw refuse('payment_account_refused', { message, issues: [issue] })
  }
  return connected
}

// Replaces the secret of a webhook endpoint that the operator created at the provider by hand.
export async function rotateNoticeSecret(
  tools: AccountTools,
  account: AccountRow,
  { name, noticeSecret }: ProviderAccounts,
  secret: string,
): Promise<AccountRow> {
  if (noticeSecret === null) throw refuse('notices_not_signed', { message: `${name} does not sign its webhooks.` })
  if (!decryptAccountSecrets(tools.rootSecret, account, account.secretsSealed)) throw refuse('payment_account_unusable')
  return recordChange(tools, account, { public: {}, secrets: { [noticeSecret]: secret } }, 'noticeSecret')
}

type Replaced = 'keys' | 'noticeSecret'

function recordChange(
  tools: AccountTools,
  account: AccountRow,
  changed: ConnectedAccount,
  replaced: Replaced,
): Promise<AccountRow> {
  return tools.storage.write(async (tx) => {
    const done = await changeAccount(tx, tools, { account, changed, replaced })
    tools.record(tx, done.rotated, done.change)
    return done.rotated
  })
}

// Overwrites only `changed`. Everything else is read again under the lock, because another command may have changed it since.
export async function changeAccount(
  tx: Tx,
  { rootSecret, clock }: Pick<ProviderTools, 'rootSecret' | 'clock'>,
  { account, changed, replaced }: { account: AccountRow; changed: ConnectedAccount; replaced: Replaced },
): Promise<{ rotated: AccountRow; change: AccountChange }> {
  const found = await lockKnown(tx, account)
  const known = decryptAccountSecrets(rootSecret, found, found.secretsSealed) ?? {}
  const now = clock().getTime()
  const rotated: AccountRow = {
    ...found,
    public: { ...found.public, ...changed.public },
    secretsSealed: encryptAccountSecrets(rootSecret, found, { ...known, ...changed.secrets }),
    ...encryptFormerSecrets(rootSecret, found, [
      { secrets: known, until: now + previousMs },
      ...decryptFormerSecrets(rootSecret, found, now),
    ]),
    updatedAt: Math.max(now, found.updatedAt + 1),
  }
  await saveAccount(tx, rotated)
  // Using the new keys or the new secret will show whether they are valid.
  clearProblems(tx, rotated, replaced === 'keys' ? ['key_refused', 'permission_missing'] : ['notices_refused'])
  return { rotated, change: { kind: 'change', members: [{ member: replaced, from: null, to: toInstant(now) }] } }
}

// The account takes no new payments from now on. Its existing payments are still looked up and refunded.
export async function endAccount(tx: Tx, account: AccountRow, now: number): Promise<AccountRow> {
  const found = await lockKnown(tx, account)
  if (found.endedAt !== null) throw refuse('payment_account_ended')
  const ended = { ...found, endedAt: now, updatedAt: Math.max(now, found.updatedAt + 1) }
  await saveAccount(tx, ended)
  return ended
}

// Returns the current problems of the account.
export async function checkAccount(tools: ProviderTools, account: AccountRow): Promise<readonly Issue[]> {
  const secrets = decryptAccountSecrets(tools.rootSecret, account, account.secretsSealed)
  if (!secrets) return [issueAt('', 'secrets_unopened')]
  try {
    const provider = await accountProvider(tools, account.provider)
    return await within((signal) => provider.check(opened(tools, account, secrets), signal))
  } catch (error) {
    return [issueOf(account.provider, error)]
  }
}

export async function findAccountNamed(db: Reader, merchantId: string, id: string): Promise<AccountRow> {
  const account = await findAccount(db, merchantId, id)
  if (!account) throw refuse('payment_account_not_found')
  return account
}

export function noticeUrlFor(
  { publicOrigin, providerUrls }: Pick<ProviderTools, 'publicOrigin' | 'providerUrls'>,
  account: Pick<AccountRow, 'id' | 'provider'>,
): string | null {
  return noticeUrlOf(account, publicOrigin(), providerUrls)
}

async function lockKnown(tx: Tx, { merchantId, id }: AccountRow): Promise<AccountRow> {
  const found = await lockAccount(tx, merchantId, id)
  if (!found) throw refuse('payment_account_not_found')
  return found
}

async function askProvider(provider: ProviderAccounts, request: ConnectRequest): Promise<ConnectedAccount> {
  try {
    return await within((signal) => provider.connect(request, signal))
  } catch (error) {
    const issue = issueOf(provider.name, error)
    const code = error instanceof AccountRefused ? 'payment_account_refused' : 'payment_provider_silent'
    throw refuse(code, { message: sentenceOfIssue(issue), issues: [issue] })
  }
}

function opened(tools: ProviderTools, account: AccountRow, secrets: AccountSecrets): DecryptedAccount {
  const pageHost = walletHostFor(tools.publicOrigin())
  return { account, secrets, previous: [], noticeUrl: noticeUrlFor(tools, account), pageHost }
}

// Not AbortSignal.timeout: this timer keeps the command running.
async function within<Answer>(ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const controller = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new DOMException('the provider took too long', 'TimeoutError')
    controller.abort(error)
    late.reject(error)
  }, askMsMax)
  try {
    return await Promise.race([ask(controller.signal), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

// Errors of the client may quote the key, so only sentences that the provider's adapter wrote are passed on.
function issueOf(provider: string, error: unknown): Issue {
  if (error instanceof AccountRefused) return error.issue
  const { error: name, code } = missingResponseFrom(error)
  const reason = [name, code].filter((word) => word !== null).join(' ') || undefined
  return issueAt('', 'provider_unreachable', { provider, reason })
}
