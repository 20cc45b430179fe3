// Two rotations of one account at the same moment: neither undoes what the other stored.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBank, createBank, openBankHouse } from '../harness/bank.ts'
import { testSecret } from '../harness/house.ts'
import { eachEngine } from '../harness/storage.ts'
import { findAccount, openSecrets } from '../src/payments/accounts.ts'
import { rotateAccount, rotateNoticeSecret } from '../src/providers/connect.ts'

eachEngine('an account whose keys and whose notice secret are replaced at once', (given) => {
  test('has both new ones', async () => {
    const bank = createBank()
    const house = await openBankHouse(given, bank)
    const account = await connectBank(house)
    const tools = {
      storage: house.storage,
      rootSecret: testSecret,
      publicOrigin: () => 'https://shop.example',
      providerUrls: {},
      withAccount: { [bank.accounts.name]: async () => bank.accounts },
      clock: () => new Date(house.clock.now),
      record: () => {},
    }
    const { connect } = bank.accounts
    // The bank is asked for the keys while the other command runs.
    bank.accounts.connect = async (...asked) => {
      await rotateNoticeSecret(tools, account, bank.accounts, 'sign_by_hand')
      return connect(...asked)
    }
    await rotateAccount(tools, account, bank.accounts, { key: 'bank_test_acct1.second' })
    const found = await house.storage.read((db) => findAccount(db, account.merchantId, account.id))
    assert.deepEqual(found && openSecrets(testSecret, found, found.secretsSealed), {
      key: 'bank_test_acct1.second',
      signing: 'sign_by_hand',
    })
    // And the other way round: the secret is typed while the keys are replaced.
    bank.accounts.connect = connect
    await rotateAccount(tools, account, bank.accounts, { key: 'bank_test_acct1.third' })
    await rotateNoticeSecret(tools, account, bank.accounts, 'sign_again')
    const after = await house.storage.read((db) => findAccount(db, account.merchantId, account.id))
    assert.deepEqual(after && openSecrets(testSecret, after, after.secretsSealed), {
      key: 'bank_test_acct1.third',
      signing: 'sign_again',
    })
  })
})
