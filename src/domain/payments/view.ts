// The facts of a merchant's account at a payment provider that may be shown. Pure.

import type { AdminPaymentAccount } from '../../contract/admin/payments.ts'
import type { PaymentAccountProblem } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { AccountRow } from './accounts.ts'
import { noticeUrlOf, type ProviderUrls } from './providers/registry.ts'

export interface AccountViewParts {
  publicOrigin: () => string
  providerUrls: ProviderUrls
}

export function accountView(
  { publicOrigin, providerUrls }: AccountViewParts,
  account: AccountRow,
  problems: readonly { accountId: string; kind: PaymentAccountProblem }[],
): AdminPaymentAccount {
  const { id, provider, mode, public: facts, createdAt, endedAt } = account
  return {
    id,
    provider,
    mode,
    // The id of the account is named `account` by Stripe and `profile` by Mollie.
    account: facts.account ?? facts.profile ?? null,
    name: facts.name ?? null,
    receivesNotices: noticeUrlOf(account, publicOrigin(), providerUrls) !== null,
    problems: problems.filter(({ accountId }) => accountId === id).map(({ kind }) => kind),
    createdAt: toInstant(createdAt),
    endedAt: endedAt === null ? null : toInstant(endedAt),
  }
}
