// Mollie in the suite of all payment providers, and as an account of a shop.

import assert from 'node:assert/strict'
import { type AccountRow, encryptAccountSecrets, insertAccount } from '../../src/domain/payments/accounts.ts'
import type { Charge } from '../../src/domain/payments/port.ts'
import { createMollieAccounts } from '../../src/domain/payments/providers/mollie/account.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { decimalAmount } from '../../src/platform/kit/money.ts'
import { connectedAccount, type ProviderBench } from '../providerBench.ts'
import { type TestServer, testSecret } from '../testServer.ts'
import type { StoredPayment } from './books.ts'
import { type MollieStandIn, openMollie } from './standin.ts'

// An account that was connected with the test key of the stand-in.
export function mollieAccount(mollie: MollieStandIn, changes: Partial<AccountRow> = {}): AccountRow {
  const { id: profile, name } = mollie.profile
  return { ...connectedAccount({ provider: 'mollie', public: { profile, name } }), ...changes }
}

// A server that takes payments by the stand-in, and has it among its `providerUrls`.
export async function connectMollie(
  testServer: Pick<TestServer, 'storage' | 'seller' | 'clock'>,
  mollie: MollieStandIn,
): Promise<void> {
  const { now } = testServer.clock
  const account = mollieAccount(mollie, { ...testServer.seller, id: newId('pac'), createdAt: now, updatedAt: now })
  const secretsSealed = encryptAccountSecrets(testSecret, account, { key: mollie.profile.test.key })
  await testServer.storage.write((tx) => insertAccount(tx, { ...account, secretsSealed }))
}

export async function openMollieBench(clock: () => Date): Promise<ProviderBench> {
  const mollie = await openMollie({ clock })
  const { books } = mollie.profile.test
  books.opensCancelable = true
  const provider = createMollieAccounts({ url: mollie.url }).open({
    account: mollieAccount(mollie),
    secrets: { key: mollie.profile.test.key },
    previous: [],
    noticeUrl: null,
    pageHost: null,
  })
  const paymentOf = ({ key }: Charge): StoredPayment => {
    const [payment] = books.paymentsOf(key)
    assert.ok(payment, 'the payment is in the books')
    return payment
  }
  const acts = { pay: 'pay', fail: 'fail', leave: 'cancel', later: 'transfer' } as const
  return {
    provider,
    method: 'online',
    details: {},
    books: {
      async of(charge) {
        const payments = books.paymentsOf(charge.key)
        const refunded = payments.reduce((sum, { id }) => sum + books.refundedMinor(id), 0)
        return { charges: payments.length, refunded }
      },
      payRefunds: async () => books.moveRefunds('refunded'),
      async refund(charge, amount) {
        const value = decimalAmount(amount, charge.currency)
        const { id } = books.refund(paymentOf(charge).id, { amount: { currency: charge.currency, value } })
        books.moveRefunds('refunded', id)
      },
      dispute: async (charge) => void books.chargeBack(paymentOf(charge).id),
      closesUnknownKeys: false,
    },
    shopper: {
      act: async (charge, what) => void books.act(paymentOf(charge).id, { kind: acts[what] }),
      settle: async (charge, how) => books.settle(paymentOf(charge).id, how),
    },
    network: {
      lose: (when, what) =>
        mollie.lose(when, { method: 'POST', path: what === 'charge' ? '/v2/payments' : /\/refunds$/ }),
      forgetKeys: () => mollie.profile.test.forgetKeys(),
    },
    close: () => mollie.close(),
  }
}
