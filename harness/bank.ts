// A shop whose shoppers pay at the bank of harness/redirectProvider.ts, by an account that the merchant has there.

import assert from 'node:assert/strict'
import {
  type AccountRow,
  type AccountSecrets,
  encryptAccountSecrets,
  insertAccount,
} from '../src/domain/payments/accounts.ts'
import { manualProvider } from '../src/domain/payments/providers/manual/provider.ts'
import { createRegistry } from '../src/domain/payments/providers/registry.ts'
import { listPaymentsOfSession } from '../src/domain/payments/store.ts'
import { createPaymentWatch } from '../src/domain/payments/watch.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { createLog } from '../src/platform/log/log.ts'
import { market } from './carts.ts'
import { checkoutOf } from './checkout.ts'
import { createRedirectAccounts, createRedirectProvider, type RedirectOptions } from './redirectProvider.ts'
import type { Given } from './storage.ts'
import { openTestServer, type TestServer, type TestServerOptions, testSecret } from './testServer.ts'

export type Bank = ReturnType<typeof createBank>

export function createBank(options: RedirectOptions = {}) {
  const time = { clock: Date.now as () => number }
  const provider = createRedirectProvider({ clock: () => time.clock(), ...options })
  return { time, provider, accounts: createRedirectAccounts(provider) }
}

// Servers with one bank may share a database.
export async function openBankTestServer(
  given: Given,
  bank: Bank,
  options: TestServerOptions = {},
): Promise<TestServer> {
  const silent = createLog({ level: 'silent', pretty: false, write: () => {} })
  const providers = createRegistry({
    rootSecret: testSecret,
    clock: () => new Date(bank.time.clock()),
    publicOrigin: () => 'https://shop.example',
    providerUrls: {},
    withoutAccount: [manualProvider],
    withAccount: { [bank.accounts.name]: async () => bank.accounts },
    watch: createPaymentWatch(silent),
  })
  const testServer = await openTestServer(given, { shops: [market], ...options, payHooks: { providers } })
  bank.time.clock = () => testServer.clock.now
  return testServer
}

export async function connectBank(
  testServer: TestServer,
  { secrets = { key: 'bank_test_acct1', signing: 'sign_1' }, ...changes }: ConnectChanges = {},
): Promise<AccountRow> {
  const account: AccountRow = {
    merchantId: testServer.merchantId,
    id: newId('pac'),
    mode: 'test',
    provider: 'redirect',
    public: { account: 'acct1' },
    secretsSealed: '',
    previousSealed: null,
    previousUntil: null,
    seenUntil: null,
    endedAt: null,
    createdAt: testServer.clock.now,
    updatedAt: testServer.clock.now,
    ...changes,
  }
  account.secretsSealed ||= encryptAccountSecrets(testSecret, account, secrets)
  await testServer.storage.write((tx) => insertAccount(tx, account))
  return account
}

type ConnectChanges = Partial<AccountRow> & { secrets?: AccountSecrets }

// A checkout whose payment has begun at the bank.
export async function payAtBank(testServer: TestServer) {
  const checkout = await checkoutOf(testServer)
  const { sessionId, secret, view } = await checkout.ready({ 'ROSE-12': 1 })
  const { installationId } = testServer
  const payment = async () => {
    const [first] = await testServer.storage.read((db) => listPaymentsOfSession(db, installationId, sessionId))
    assert.ok(first)
    return first
  }
  const result = await testServer.app.checkout.pay(secret, {
    version: view.session.version,
    expectedTotal: view.session.totals.total,
    provider: 'redirect',
    method: 'bank',
    details: {},
    attempt: newId('pay'),
  })
  assert.equal(result?.problem, null)
  const { id: key, reference } = await payment()
  assert.ok(reference)
  return {
    key,
    reference,
    secret,
    sessionId,
    payment,
    session: async () => (await checkout.read(sessionId)).body.data,
    events: async () =>
      (
        await testServer.storage.read(
          (db) => db.sql<{ type: string }>`select type from events where type like 'order.%' order by occurred_at, id`,
        )
      ).map(({ type }) => type),
  }
}
