// Accounts at payment providers that do not work: the merchant, the operator and the dashboard are told, once, until it is mended.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bank, connectBank, createBank, openBankTestServer } from '../harness/bank.ts'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { bankWebhook } from '../harness/redirectProvider.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { openStripeShop } from '../harness/stripe/shop.ts'
import type { TestServer } from '../harness/testServer.ts'
import { listCasesForAttention } from '../src/domain/health/attention.ts'
import { readProviderEvents } from '../src/domain/payments/providerevents.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'

const shops = [{ ...market, merchant: { ...market.merchant, supportEmail: 'help@bloom.test' } }]
const minute = 60_000
const hour = 60 * minute

// What each of them sees.
function watchOf(testServer: TestServer) {
  const { storage, clock } = testServer
  const { health } = testServer.app.payTools
  return async () => {
    await health.idle()
    const owed = await storage.read((db) =>
      listCasesForAttention(db, { now: clock.now, providers: ['stripe', 'redirect'] }),
    )
    const emails = await storage.read(
      (db) => db.sql<{ facts: string }>`
        select facts from emails where kind = 'payment_account_problem' order by created_at, id`,
    )
    const { todo } = (await testServer.askAdmin('getAdminHome')).body.data
    const [account] = (await testServer.askAdmin('getAdminShop')).body.data.paymentAccounts
    return {
      doctor: owed.flatMap(({ name, subjects }) => (name === 'payment_account_problem' ? subjects : [])),
      emails: emails.map(({ facts }) => JSON.parse(facts).problem),
      home: todo.paymentAccountsFailing,
      shop: account.problems,
    }
  }
}

const nothing = { doctor: [], emails: [], home: 0, shop: [] }

async function openMarket(given: Given) {
  const shop = await openStripeShop(given, { shops })
  const { testServer } = shop
  await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
  const checkout = await checkoutOf(testServer)
  const begin = async () => {
    const { secret, view } = await checkout.ready({ 'ROSE-12': 1 })
    const { version, totals } = view.session
    const chosen = { provider: 'stripe', method: 'stripe', details: {}, attempt: newId('pay') }
    return testServer.app.checkout.pay(secret, { version, expectedTotal: totals.total, ...chosen })
  }
  return { ...shop, begin, seen: watchOf(testServer) }
}

async function openBank(given: Given) {
  const bank: Bank = createBank()
  const testServer = await openBankTestServer(given, bank, { shops })
  await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
  const account = await connectBank(testServer)
  const notify = async (secret: string) =>
    (await testServer.fetch(`/hooks/payments/${account.id}`, bankWebhook(secret, testServer.clock.now, []))).status
  return { testServer, account, notify, seen: watchOf(testServer) }
}

eachEngine('an account at a payment provider', (given) => {
  test('is reported everywhere, and by one e-mail, if its key is refused, until a call succeeds', async () => {
    const { testServer, there, accountId, begin, seen } = await openMarket(given)
    await begin()
    assert.deepEqual(await seen(), nothing)
    there.revoke(there.restrictedKey)
    const refused = {
      doctor: [`${accountId} stripe key_refused (test)`],
      emails: ['key_refused'],
      home: 1,
      shop: ['key_refused'],
    }
    for (let i = 0; i < 3; i += 1) {
      await begin()
      testServer.clock.now += 10 * minute
      assert.deepEqual(await seen(), refused)
    }
    assert.equal(testServer.lines().filter(({ problem }) => problem === 'key_refused').length, 1)
    there.restore(there.restrictedKey)
    await begin()
    assert.deepEqual(await seen(), { ...nothing, emails: ['key_refused'] })
    there.revoke(there.restrictedKey)
    await begin()
    assert.deepEqual((await seen()).emails, ['key_refused', 'key_refused'], 'it began again')
  })

  test('is reported if its key lacks a permission although other calls succeed, until a day without that failure', async () => {
    const { testServer, there, begin, seen } = await openMarket(given)
    there.deny('events')
    const providerEvents = async () => {
      await readProviderEvents(testServer.app.payTools)
      testServer.clock.now += 10 * minute
    }
    await providerEvents()
    await begin()
    await providerEvents()
    const { emails, shop, home } = await seen()
    assert.deepEqual([emails, shop, home], [['permission_missing'], ['permission_missing'], 1])
    there.allow('events')
    testServer.clock.now += 25 * hour
    await providerEvents()
    assert.deepEqual(await seen(), { ...nothing, emails: ['permission_missing'] })
  })

  test('is reported if its webhooks are refused repeatedly, until one is accepted', async () => {
    const { testServer, account, notify, seen } = await openBank(given)
    assert.deepEqual([await notify('wrong'), await notify('wrong')], [400, 400])
    assert.deepEqual(await seen(), nothing, 'anyone may send one')
    assert.equal(await notify('sign_1'), 200)
    for (let i = 0; i < 6; i += 1) assert.equal(await notify('wrong'), 400)
    assert.deepEqual(await seen(), {
      doctor: [`${account.id} redirect notices_refused (test)`],
      emails: ['notices_refused'],
      home: 1,
      shop: ['notices_refused'],
    })
    testServer.clock.now += hour
    assert.equal(await notify('sign_1'), 200)
    assert.deepEqual(await seen(), { ...nothing, emails: ['notices_refused'] })
  })
})
