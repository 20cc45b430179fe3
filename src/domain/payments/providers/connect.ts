// A merchant's account at a payment provider, from its connection to its end. The provider is asked outside of any transaction, and
// what it or the operator says is never in an error of ours, except for the sentences that a provider has for the operator.

import type { AuditedChange } from '../../../platform/audit/change.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { toInstant } from '../../../platform/kit/instant.ts'
import type { MerchantMode } from '../../../platform/kit/mode.ts'
import { type Refusal, refuse } from '../../../platform/kit/refuse.ts'
import type { RootSecret } from '../../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../../platform/storage/storage.ts'
import {
  type AccountProvider,
  AccountRefused,
  type ConnectedAccount,
  type ConnectRequest,
  type OpenAccount,
} from '../accountport.ts'
import {
  type AccountRow,
  type AccountSecrets,
  findAccount,
  insertAccount,
  listLivingAccounts,
  lockAccount,
  openFormer,
  openSecrets,
  saveAccount,
  sealFormer,
  sealSecrets,
} from '../accounts.ts'
import { clearProblems } from '../health.ts'
import { silenceOf } from '../port.ts'
import { type LateAccountProvider, noticeUrlOf, type ProviderUrls, pageHostOf } from './registry.ts'

export interface AccountTools {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  providerUrls: ProviderUrls
  withAccount: Readonly<Record<string, LateAccountProvider>>
  clock: () => Date
  // Writes into the list of changes, in the transaction of the change.
  record: (tx: Tx, account: AccountRow, change: AccountChange) => void
}

export type AccountChange = Pick<AuditedChange, 'kind' | 'members'>

export type Answers = ConnectRequest['answers']

// How long the secrets from before a rotation are accepted.
const previousMs = 24 * 3_600_000
// Connecting is several requests at the provider.
const askMsMax = 60_000

export async function accountProvider({ withAccount }: AccountTools, name: string): Promise<AccountProvider> {
  const load = Object.hasOwn(withAccount, name) ? withAccount[name] : undefined
  if (load) return load()
  const known = Object.keys(withAccount).join(', ')
  throw refuse('payment_provider_not_found', {
    message: `There is no payment provider ${name} that works with accounts${known ? `; there is ${known}` : ''}.`,
  })
}

export async function refuseSecondAccount(
  { storage }: AccountTools,
  merchant: MerchantMode,
  provider: AccountProvider,
): Promise<void> {
  const living = await storage.read((db) => listLivingAccounts(db, merchant))
  const known = living.find((account) => account.provider === provider.name)
  if (known) throw secondAccount(known)
}

function secondAccount({ id, provider, mode }: AccountRow): Refusal {
  return refuse('payment_account_exists', {
    message: `There is already an account at ${provider} in ${mode} mode: ${id}.`,
  })
}

export async function connectAccount(
  tools: AccountTools,
  merchant: MerchantMode,
  provider: AccountProvider,
  answers: Answers,
): Promise<AccountRow> {
  const { storage, rootSecret, clock } = tools
  const { merchantId, mode } = merchant
  const name = { merchantId, id: newId('pac'), mode, provider: provider.name }
  const noticeUrl = noticeUrlFor(tools, name)
  const connected = await askToConnect(provider, {
    answers,
    mode,
    noticeUrl,
    pageHost: pageHostOf(tools.publicOrigin()),
  })
  const now = clock().getTime()
  const account: AccountRow = {
    ...name,
    public: connected.public,
    secretsSealed: sealSecrets(rootSecret, name, connected.secrets),
    previousSealed: null,
    previousUntil: null,
    seenUntil: null,
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  try {
    const isInserted = await storage.write(async (tx) => {
      const isFirst = await insertAccount(tx, account)
      const members = [{ member: 'account', from: null, to: account.public[provider.accountFact] ?? null }]
      if (isFirst) tools.record(tx, account, { kind: 'create', members })
      return isFirst
    })
    if (isInserted) return account
  } catch (error) {
    await removeAtProvider(tools, provider, account, connected.secrets)
    throw error
  }
  // Another command was quicker.
  await removeAtProvider(tools, provider, account, connected.secrets)
  throw secondAccount(account)
}

// New keys of the same account. What was made at the provider for webhooks stays, with the secret that signs them; where there is
// none yet, it is made now. One that was disconnected still needs keys that work, for the payments that it took; nothing is made for it.
export async function rotateAccount(
  tools: AccountTools,
  account: AccountRow,
  provider: AccountProvider,
  answers: Answers,
): Promise<AccountRow> {
  const known = openSecrets(tools.rootSecret, account, account.secretsSealed) ?? {}
  const isSigned = provider.noticeSecret === null || known[provider.noticeSecret] !== undefined
  const noticeUrl = isSigned || account.endedAt !== null ? null : noticeUrlFor(tools, account)
  const pageHost = pageHostOf(tools.publicOrigin())
  const connected = await askToConnect(provider, { answers, mode: account.mode, noticeUrl, pageHost })
  const { accountFact } = provider
  if (connected.public[accountFact] !== account.public[accountFact])
    throw refuse('payment_account_refused', {
      message: `These keys belong to another account at ${provider.name}. To use it, disconnect this one and connect again.`,
    })
  return changeAccount(tools, account, connected, 'keys')
}

// For what the operator set up at the provider by hand.
export async function rotateNoticeSecret(
  tools: AccountTools,
  account: AccountRow,
  { name, noticeSecret }: AccountProvider,
  secret: string,
): Promise<AccountRow> {
  if (noticeSecret === null) throw refuse('notices_not_signed', { message: `${name} does not sign its notices.` })
  if (!openSecrets(tools.rootSecret, account, account.secretsSealed)) throw refuse('payment_account_unusable')
  return changeAccount(tools, account, { public: {}, secrets: { [noticeSecret]: secret } }, 'noticeSecret')
}

// What is not named stays as it is when the row is locked: another command may have changed it since it was read.
function changeAccount(
  tools: AccountTools,
  account: AccountRow,
  changed: ConnectedAccount,
  replaced: 'keys' | 'noticeSecret',
): Promise<AccountRow> {
  const { storage, rootSecret, clock } = tools
  return storage.write(async (tx) => {
    const found = await lockKnown(tx, account)
    const known = openSecrets(rootSecret, found, found.secretsSealed) ?? {}
    const now = clock().getTime()
    const rotated: AccountRow = {
      ...found,
      public: { ...found.public, ...changed.public },
      secretsSealed: sealSecrets(rootSecret, found, { ...known, ...changed.secrets }),
      ...sealFormer(rootSecret, found, [
        { secrets: known, until: now + previousMs },
        ...openFormer(rootSecret, found, now),
      ]),
      updatedAt: Math.max(now, found.updatedAt + 1),
    }
    await saveAccount(tx, rotated)
    // What the new ones are worth is seen when they are used.
    clearProblems(tx, rotated, replaced === 'keys' ? ['key_refused', 'permission_missing'] : ['notices_refused'])
    tools.record(tx, rotated, { kind: 'change', members: [{ member: replaced, from: null, to: toInstant(now) }] })
    return rotated
  })
}

export interface DisconnectedAccount {
  account: AccountRow
  // Why what was made at the provider is still there; null where it is not.
  problem: string | null
}

// It takes no new payment from now on; its own are looked up and refunded as before.
export async function disconnectAccount(tools: AccountTools, account: AccountRow): Promise<DisconnectedAccount> {
  const { storage, rootSecret, clock } = tools
  const ended = await storage.write(async (tx) => {
    const found = await lockLiving(tx, account)
    const now = clock().getTime()
    const changed = { ...found, endedAt: now, updatedAt: Math.max(now, found.updatedAt + 1) }
    await saveAccount(tx, changed)
    tools.record(tx, changed, { kind: 'retire', members: [] })
    return changed
  })
  const secrets = openSecrets(rootSecret, ended, ended.secretsSealed)
  if (!secrets) return { account: ended, problem: unopened }
  try {
    const provider = await accountProvider(tools, ended.provider)
    return { account: ended, problem: await removeAtProvider(tools, provider, ended, secrets) }
  } catch (error) {
    return { account: ended, problem: sentenceOf(ended.provider, error) }
  }
}

const unopened = 'Its secrets cannot be opened with this root secret.'

// What is wrong with the account now, a sentence each.
export async function checkAccount(tools: AccountTools, account: AccountRow): Promise<readonly string[]> {
  const secrets = openSecrets(tools.rootSecret, account, account.secretsSealed)
  if (!secrets) return [unopened]
  try {
    const provider = await accountProvider(tools, account.provider)
    return await within((signal) => provider.check(opened(tools, account, secrets), signal))
  } catch (error) {
    return [sentenceOf(account.provider, error)]
  }
}

export async function findAccountNamed(tools: AccountTools, merchantId: string, id: string): Promise<AccountRow> {
  const account = await tools.storage.read((db) => findAccount(db, merchantId, id))
  if (!account) throw refuse('payment_account_not_found')
  return account
}

export function noticeUrlFor(
  { publicOrigin, providerUrls }: AccountTools,
  account: Pick<AccountRow, 'id' | 'provider'>,
): string | null {
  return noticeUrlOf(account, publicOrigin(), providerUrls)
}

async function lockKnown(tx: Tx, { merchantId, id }: AccountRow): Promise<AccountRow> {
  const found = await lockAccount(tx, merchantId, id)
  if (!found) throw refuse('payment_account_not_found')
  return found
}

async function lockLiving(tx: Tx, account: AccountRow): Promise<AccountRow> {
  const found = await lockKnown(tx, account)
  if (found.endedAt !== null) throw refuse('payment_account_ended')
  return found
}

async function askToConnect(provider: AccountProvider, request: ConnectRequest): Promise<ConnectedAccount> {
  try {
    return await within((signal) => provider.connect(request, signal))
  } catch (error) {
    const code = error instanceof AccountRefused ? 'payment_account_refused' : 'payment_provider_silent'
    throw refuse(code, { message: sentenceOf(provider.name, error) })
  }
}

async function removeAtProvider(
  tools: AccountTools,
  provider: AccountProvider,
  account: AccountRow,
  secrets: AccountSecrets,
): Promise<string | null> {
  try {
    await within((signal) => provider.disconnect(opened(tools, account, secrets), signal))
    return null
  } catch (error) {
    return sentenceOf(provider.name, error)
  }
}

function opened(tools: AccountTools, account: AccountRow, secrets: AccountSecrets): OpenAccount {
  const pageHost = pageHostOf(tools.publicOrigin())
  return { account, secrets, previous: [], noticeUrl: noticeUrlFor(tools, account), pageHost }
}

// The timer is one that keeps the command alive.
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

// An error of a client may quote the key, so only a provider's own sentence is passed on.
function sentenceOf(provider: string, error: unknown): string {
  if (error instanceof AccountRefused) return error.message
  const { error: name, code } = silenceOf(error)
  const known = [name, code].filter((word) => word !== null).join(' ')
  return `${provider} gave no answer${known ? ` (${known})` : ''}.`
}
