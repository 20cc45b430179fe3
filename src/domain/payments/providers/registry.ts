// Finds the provider of a payment, and the providers that a merchant offers: those that need no account, and one for each account of the
// merchant.

import { Lru } from '../../../platform/kit/lru.ts'
import type { RootSecret } from '../../../platform/secrets/secrets.ts'
import type { ProviderAccounts } from '../accountport.ts'
import {
  type AccountRow,
  decryptAccountSecrets,
  decryptFormerSecrets,
  findAccount,
  findAccountById,
  listLivingAccounts,
} from '../accounts.ts'
import type { AccountHealth, KeyAnswer } from '../health.ts'
import { createProviders, type PaymentProvider, type Providers } from '../port.ts'
import type { PaymentWatch } from '../watch.ts'

export type ProviderUrls = Readonly<Record<string, string>>

// Imports the provider's code when one of its accounts is used for the first time.
export type LoadAccountProvider = () => Promise<ProviderAccounts>

export interface RegistryParts {
  rootSecret: RootSecret
  clock: () => Date
  publicOrigin: () => string
  withoutAccount: readonly PaymentProvider[]
  withAccount: Readonly<Record<string, LoadAccountProvider>>
  // For tests: the URLs that replace those of the providers' APIs, by name of the provider.
  providerUrls: ProviderUrls
  watch: Pick<PaymentWatch, 'unusable'>
  health?: Pick<AccountHealth, 'called'>
}

const accountsMax = 1_000

export function createRegistry(parts: RegistryParts): Providers {
  const { rootSecret, clock, publicOrigin, withoutAccount, withAccount, providerUrls, watch, health } = parts
  const plain = createProviders(withoutAccount)
  const made = new Lru<string, { updatedAt: number; previousUntil: number | null; provider: PaymentProvider }>(
    accountsMax,
  )

  async function providerOf(account: AccountRow): Promise<PaymentProvider | undefined> {
    const now = clock().getTime()
    const known = made.get(account.id)
    if (known?.updatedAt === account.updatedAt && (known.previousUntil ?? Number.POSITIVE_INFINITY) > now)
      return known.provider
    try {
      const former = decryptFormerSecrets(rootSecret, account, now)
      const secrets = decryptAccountSecrets(rootSecret, account, account.secretsSealed)
      const load = Object.hasOwn(withAccount, account.provider) ? withAccount[account.provider] : undefined
      if (!secrets || !load) throw new Error(secrets ? 'the provider is not installed' : 'the keys cannot be decrypted')
      const provider = (await load()).open({
        account,
        secrets,
        previous: former.map(({ secrets }) => secrets),
        ...(health && { onCall: (answer: KeyAnswer) => health.called(account, answer) }),
        noticeUrl: noticeUrlOf(account, publicOrigin(), providerUrls),
        pageHost: walletHostFor(publicOrigin()),
      })
      // The provider must be created again when the first of the replaced secrets expires.
      const previousUntil = former.at(-1)?.until ?? null
      made.set(account.id, { updatedAt: account.updatedAt, previousUntil, provider })
      return provider
    } catch (error) {
      watch.unusable({ provider: account.provider, accountId: account.id }, error)
      return undefined
    }
  }

  return {
    names: [...plain.names, ...Object.keys(withAccount)],
    async of(db, payment) {
      if (payment.accountId === null) return plain.of(db, payment)
      const account = await findAccount(db, payment.merchantId, payment.accountId)
      return account?.provider === payment.provider ? providerOf(account) : undefined
    },
    async offered(db, merchant) {
      const accounts = merchant.hasAccounts === false ? [] : await listLivingAccounts(db, merchant)
      const own = await Promise.all(
        accounts.map(async (account) => ({ provider: await providerOf(account), accountId: account.id })),
      )
      // Providers with an account are listed first.
      return [
        ...own.flatMap(({ provider, accountId }) => (provider ? [{ provider, accountId }] : [])),
        ...plain.offeredToAll(merchant.mode),
      ]
    },
    offeredToAll: plain.offeredToAll,
    async ofAccount(db, accountId) {
      const account = await findAccountById(db, accountId)
      return account && providerOf(account)
    },
  }
}

export const providerWebhookPath = '/hooks/payments/'

// Returns null if the provider cannot reach this server: it only calls public https addresses, unless it is a stand-in next to this
// server.
export function noticeUrlOf(
  { id, provider }: Pick<AccountRow, 'id' | 'provider'>,
  publicOrigin: string,
  providerUrls: ProviderUrls,
): string | null {
  const isReached = publicOrigin.startsWith('https:') || Object.hasOwn(providerUrls, provider)
  return isReached ? publicOrigin + providerWebhookPath + id : null
}

// Returns null if wallets cannot be offered: without https, on this machine, or if the host is an IP address.
export function walletHostFor(publicOrigin: string): string | null {
  const { protocol, hostname } = new URL(publicOrigin)
  const isNamed = /\.[a-z][a-z0-9-]*$/.test(hostname) && !hostname.endsWith('.localhost')
  return protocol === 'https:' && isNamed ? hostname : null
}
