// A server whose merchant has an account at the stand-in for Stripe, in test mode. Both have the same clock.

import { encryptAccountSecrets, insertAccount } from '../../src/domain/payments/accounts.ts'
import { createStripeAccounts } from '../../src/domain/payments/providers/stripe/account.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { Given } from '../storage.ts'
import type { TestServerOptions } from '../testServer.ts'
import { openTestServer, type TestServer, testSecret } from '../testServer.ts'
import type { AccountMode } from './account.ts'
import { openStripe, type StandIn } from './standin.ts'

export interface StripeShop {
  testServer: TestServer
  standIn: StandIn
  // The merchant's account there.
  there: AccountMode
  accountId: string
}

// `otherUrls`: of stand-ins beside it.
export async function openStripeShop(
  given: Given,
  options: TestServerOptions = {},
  otherUrls: Readonly<Record<string, string>> = {},
): Promise<StripeShop> {
  let now = () => Date.now()
  const clock = () => new Date(now())
  const standIn = await openStripe({ clock })
  given.later(() => standIn.close())
  const testServer = await openTestServer(given, { ...options, providerUrls: { ...otherUrls, stripe: standIn.url } })
  now = () => testServer.clock.now
  const there = standIn.account.test
  const accountId = newId('pac')
  const { publishableKey, restrictedKey: secretKey } = there
  const connected = await createStripeAccounts({ clock, url: standIn.url }).connect(
    {
      answers: { publishableKey, secretKey },
      mode: 'test',
      noticeUrl: `${testServer.origin}/hooks/payments/${accountId}`,
      pageHost: null,
    },
    new AbortController().signal,
  )
  // The intent by which the keys were checked is not one of the shop's.
  there.books.clear()
  const { merchantId } = testServer
  const account = { merchantId, id: accountId, mode: 'test' as const }
  await testServer.storage.write((tx) =>
    insertAccount(tx, {
      ...account,
      provider: 'stripe',
      public: connected.public,
      secretsSealed: encryptAccountSecrets(testSecret, account, connected.secrets),
      previousSealed: null,
      previousUntil: null,
      seenUntil: null,
      endedAt: null,
      createdAt: testServer.clock.now,
      updatedAt: testServer.clock.now,
    }),
  )
  return { testServer, standIn, there, accountId }
}
