// The admin operations on accounts at payment providers. Providers are called outside of any transaction.

import type { AdminPaymentAccount, paymentOperationRows } from '../../contract/admin/payments.ts'
import { issueAt, withShortMessage } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import type { Throttle } from '../../platform/access/throttle.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems } from '../../platform/http/adminreply.ts'
import { AuditedReply, OutsideResult } from '../../platform/http/handler.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { type EntryProblem, isBlank } from '../../platform/kit/problems.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import type { ProviderAccounts } from './accountport.ts'
import { type AccountRow, findAccount } from './accounts.ts'
import { listProblems } from './health.ts'
import {
  accountChange,
  accountProvider,
  type ConnectAnswers,
  changeAccount,
  checkAccount,
  connectAtProvider,
  endAccount,
  insertAccepted,
  type ProviderTools,
  refuseSecondAccount,
  removeAtProvider,
  rotateAtProvider,
} from './providers/connect.ts'
import { accountView } from './view.ts'

export interface AdminPaymentParts extends ProviderTools {
  // Limits calls per merchant: keys must not be guessed, and no provider may be called in a loop. Null: no limit.
  throttle: Throttle | null
}

export function adminPaymentOperations(parts: AdminPaymentParts): {
  [Id in keyof typeof paymentOperationRows]: AdminHandler<Id>
} {
  return {
    async connectAdminPaymentAccount({ db, caller, body: { provider: name, keys }, now }) {
      const provider = await accountProvider(parts, name)
      refuseProblems('/keys', keyProblems(provider, keys))
      await db.read((reader) => refuseSecondAccount(reader, caller, provider))
      admit(parts, caller, now)
      const accepted = await connectAtProvider(parts, caller, provider, trimmed(keys))
      return new OutsideResult({
        async write(tx) {
          const change = await insertAccepted(tx, accepted)
          return new AuditedReply({ data: await viewOf(tx, parts, accepted.account) }, [change])
        },
        async discard() {
          await removeAtProvider(parts, accepted.account, accepted.secrets)
        },
      })
    },

    async checkAdminPaymentAccount({ db, caller, path: { accountId }, now }) {
      const account = await db.read((reader) => findOwn(reader, caller, accountId))
      admit(parts, caller, now)
      const issues = (await checkAccount(parts, account)).slice(0, limits.issuesMax).map(withShortMessage)
      return { data: { ...(await db.read((reader) => viewOf(reader, parts, account))), issues } }
    },

    async replaceAdminPaymentKeys({ db, caller, path: { accountId }, body: { keys }, now }) {
      const account = await db.read((reader) => findOwn(reader, caller, accountId))
      const provider = await accountProvider(parts, account.provider)
      refuseProblems('/keys', keyProblems(provider, keys))
      admit(parts, caller, now)
      const changed = await rotateAtProvider(parts, account, provider, trimmed(keys))
      return new OutsideResult({
        async write(tx) {
          const { rotated, change } = await changeAccount(tx, parts, { account, changed, replaced: 'keys' })
          return new AuditedReply({ data: await viewOf(tx, parts, rotated) }, [accountChange(rotated, change)])
        },
      })
    },

    async disconnectAdminPaymentAccount({ db, caller, path: { accountId }, now }) {
      const account = await db.read((reader) => findOwn(reader, caller, accountId))
      if (account.endedAt !== null) throw refuse('payment_account_ended')
      admit(parts, caller, now)
      // Deletes first at the provider, and then ends the account here: what this request could not delete must be deletable by another
      // one.
      const left = await removeAtProvider(parts, account)
      return new OutsideResult({
        async write(tx) {
          const ended = await endAccount(tx, account, now.getTime())
          const data = { ...(await viewOf(tx, parts, ended)), leftover: left && withShortMessage(left) }
          return new AuditedReply({ data }, [accountChange(ended, { kind: 'retire', members: [] })])
        },
      })
    },
  }
}

async function viewOf(db: Reader, parts: AdminPaymentParts, account: AccountRow): Promise<AdminPaymentAccount> {
  return accountView(parts, account, await listProblems(db, account.merchantId))
}

function admit({ throttle }: AdminPaymentParts, { merchantId }: MerchantMode, now: Date): void {
  const waitMs = throttle?.take(merchantId, now.getTime()) ?? 0
  if (waitMs > 0) throw refuse('rate_limited', { retryAfterMs: waitMs })
}

async function findOwn(db: Reader, { merchantId, mode }: MerchantMode, id: string): Promise<AccountRow> {
  const account = await findAccount(db, merchantId, id)
  if (account?.mode !== mode) throw refuse('payment_account_not_found')
  return account
}

function* keyProblems({ questions }: ProviderAccounts, keys: ConnectAnswers): Generator<EntryProblem> {
  for (const { name } of questions)
    if (!Object.hasOwn(keys, name) || isBlank(keys[name])) yield issueAt(`/${name}`, 'required')
  for (const name of Object.keys(keys))
    if (!questions.some((one) => one.name === name)) yield issueAt(`/${name}`, 'unknown_member')
}

// Keys may be pasted with spaces around them.
function trimmed(keys: ConnectAnswers): ConnectAnswers {
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key.trim()]))
}
