// A house whose merchant has an account at the stand-in for Stripe, in test mode. Both have the same clock.

import { insertAccount, sealSecrets } from '../../src/domain/payments/accounts.ts'
import { createStripeAccounts } from '../../src/domain/payments/providers/stripe/account.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { HouseOptions } from '../house.ts'
import { type House, openHouse, testSecret } from '../house.ts'
import type { Given } from '../storage.ts'
import type { AccountMode } from './account.ts'
import { openStripe, type StandIn } from './standin.ts'

export interface StripeShop {
  house: House
  standIn: StandIn
  // The merchant's account there.
  there: AccountMode
  accountId: string
}

// `otherUrls`: of stand-ins beside it.
export async function openStripeShop(
  given: Given,
  options: HouseOptions = {},
  otherUrls: Readonly<Record<string, string>> = {},
): Promise<StripeShop> {
  let now = () => Date.now()
  const clock = () => new Date(now())
  const standIn = await openStripe({ clock })
  given.later(() => standIn.close())
  const house = await openHouse(given, { ...options, providerUrls: { ...otherUrls, stripe: standIn.url } })
  now = () => house.clock.now
  const there = standIn.account.test
  const accountId = newId('pac')
  const { publishableKey, restrictedKey: secretKey } = there
  const connected = await createStripeAccounts({ clock, url: standIn.url }).connect(
    {
      answers: { publishableKey, secretKey },
      mode: 'test',
      noticeUrl: `${house.origin}/hooks/payments/${accountId}`,
      pageHost: null,
    },
    new AbortController().signal,
  )
  // The intent by which the keys were checked is not one of the shop's.
  there.books.clear()
  const { merchantId } = house
  const account = { merchantId, id: accountId, mode: 'test' as const }
  await house.storage.write((tx) =>
    insertAccount(tx, {
      ...account,
      provider: 'stripe',
      public: connected.public,
      secretsSealed: sealSecrets(testSecret, account, connected.secrets),
      previousSealed: null,
      previousUntil: null,
      seenUntil: null,
      endedAt: null,
      createdAt: house.clock.now,
      updatedAt: house.clock.now,
    }),
  )
  return { house, standIn, there, accountId }
}
