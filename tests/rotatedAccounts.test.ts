// Two rotations of one account at the same moment: neither undoes what the other stored.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bank, connectBank, createBank, openBankTestServer } from '../harness/bank.ts'
import { bankWebhook } from '../harness/redirectProvider.ts'
import { anyEngine, eachEngine } from '../harness/storage.ts'
import { type TestServer, testSecret } from '../harness/testServer.ts'
import { decryptAccountSecrets, findAccount } from '../src/domain/payments/accounts.ts'
import { type AccountTools, rotateAccount, rotateNoticeSecret } from '../src/domain/payments/providers/connect.ts'

const hour = 3_600_000

anyEngine('an account whose webhook secret is replaced several times in a day', (given) => {
  test('accepts each of its secrets for 24 hours after it was replaced', async () => {
    const bank = createBank()
    const testServer = await openBankTestServer(given, bank)
    const account = await connectBank(testServer)
    const tools = accountToolsOf(testServer, bank)
    const send = async (secret: string) =>
      (await testServer.fetch(`/hooks/payments/${account.id}`, bankWebhook(secret, testServer.clock.now, []))).status
    const statuses = (...secrets: string[]) => Promise.all(secrets.map(send))
    for (const secret of ['sign_2', 'sign_3']) {
      testServer.clock.now += hour
      await rotateNoticeSecret(tools, account, bank.accounts, secret)
    }
    assert.deepEqual(await statuses('sign_1', 'sign_2', 'sign_3', 'sign_4'), [200, 200, 200, 400])
    testServer.clock.now += 23 * hour
    assert.deepEqual(await statuses('sign_1', 'sign_2', 'sign_3'), [400, 200, 200])
    testServer.clock.now += hour
    assert.deepEqual(await statuses('sign_1', 'sign_2', 'sign_3'), [400, 400, 200])
  })
})

eachEngine('an account whose keys and webhook secret are replaced concurrently', (given) => {
  test('has the new keys and the new secret', async () => {
    const bank = createBank()
    const testServer = await openBankTestServer(given, bank)
    const account = await connectBank(testServer)
    const tools = accountToolsOf(testServer, bank)
    const { connect } = bank.accounts
    // The bank is asked for the keys while the other command runs.
    bank.accounts.connect = async (...asked) => {
      await rotateNoticeSecret(tools, account, bank.accounts, 'sign_by_hand')
      return connect(...asked)
    }
    await rotateAccount(tools, account, bank.accounts, { key: 'bank_test_acct1.second' })
    const found = await testServer.storage.read((db) => findAccount(db, account.merchantId, account.id))
    assert.deepEqual(found && decryptAccountSecrets(testSecret, found, found.secretsSealed), {
      key: 'bank_test_acct1.second',
      signing: 'sign_by_hand',
    })
    // And the other way round: the secret is typed while the keys are replaced.
    bank.accounts.connect = connect
    await rotateAccount(tools, account, bank.accounts, { key: 'bank_test_acct1.third' })
    await rotateNoticeSecret(tools, account, bank.accounts, 'sign_again')
    const after = await testServer.storage.read((db) => findAccount(db, account.merchantId, account.id))
    assert.deepEqual(after && decryptAccountSecrets(testSecret, after, after.secretsSealed), {
      key: 'bank_test_acct1.third',
      signing: 'sign_again',
    })
  })
})

function accountToolsOf(testServer: TestServer, bank: Bank): AccountTools {
  return {
    storage: testServer.storage,
    rootSecret: testSecret,
    publicOrigin: () => 'https://shop.example',
    providerUrls: {},
    withAccount: { [bank.accounts.name]: async () => bank.accounts },
    clock: () => new Date(testServer.clock.now),
    record: () => {},
  }
}
