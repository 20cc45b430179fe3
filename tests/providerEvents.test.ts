// The event lists of payment providers, for webhooks that did not arrive.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBank, createBank, openBankTestServer, payAtBank } from '../harness/bank.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { findAccount, makeProviderEventsDue } from '../src/domain/payments/accounts.ts'
import { providerEventsEveryMs, readProviderEvents } from '../src/domain/payments/providerevents.ts'

const minute = 60_000
const day = 24 * 60 * minute

async function openShop(given: Given) {
  const bank = createBank()
  const testServer = await openBankTestServer(given, bank)
  const account = await connectBank(testServer)
  const tools = testServer.app.payTools
  return {
    bank,
    testServer,
    account,
    tools,
    seenUntil: async () =>
      (await testServer.storage.read((db) => findAccount(db, account.merchantId, account.id)))?.seenUntil,
    read: () => readProviderEvents(tools),
    look: () => recoverPayments(tools),
  }
}

eachEngine('events of a payment provider', (given) => {
  test('reading events completes an order whose shopper never returned and whose webhook never arrived', async () => {
    const { bank, testServer, read, look, seenUntil } = await openShop(given)
    assert.equal(await read(), 1)
    const paid = await payAtBank(testServer)
    bank.provider.act(paid.key, 'pay')
    testServer.clock.now += minute
    assert.deepEqual([await read(), await look()], [0, 0], 'not before its time')
    testServer.clock.now += providerEventsEveryMs - minute - 1
    // The schedule of look-ups would find it too, and is left out here.
    await testServer.storage.write(
      async (tx) =>
        void (await tx.sql`update payments set check_at = ${testServer.clock.now + day} where id = ${paid.key}`),
    )
    testServer.clock.now += 1
    assert.deepEqual([await read(), await look()], [1, 1])
    assert.equal((await paid.session()).status, 'completed')
    assert.deepEqual(await paid.events(), ['order.placed', 'order.paid'])
    assert.equal(await seenUntil(), testServer.clock.now)
  })

  test('an event causes at most three look-ups of its payment, however often the events are read', async () => {
    const { bank, testServer, read, look } = await openShop(given)
    const paid = await payAtBank(testServer)
    bank.provider.act(paid.key, 'pay')
    for (let round = 0; round < 9; round += 1) {
      await read()
      await look()
      testServer.clock.now += providerEventsEveryMs
    }
    // Two more than one, because the clock of the provider may differ from ours.
    assert.equal(bank.provider.calls.lookUp, 3)
    assert.deepEqual(await paid.events(), ['order.placed', 'order.paid'])
  })

  test('events are read at every start, and those of an account by only one of several nodes', async () => {
    const { testServer, read, bank } = await openShop(given)
    await connectBank(testServer, { mode: 'live', createdAt: testServer.clock.now - day })
    const since: number[] = []
    const { open } = bank.accounts
    bank.accounts.open = (account) =>
      Object.assign(open(account), {
        async *providerEvents(from: number) {
          since.push(from - testServer.clock.now)
          yield* bank.provider.events
        },
      })
    const counts = await Promise.all([read(), read(), read()])
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      2,
    )
    assert.deepEqual(since.sort(), [-60 * minute, -day - 60 * minute])
    await testServer.storage.write(async (tx) => makeProviderEventsDue(tx))
    assert.equal(await read(), 2)
  })

  test('a provider that throws is logged and counted, and the events of other accounts are still read', async () => {
    const { bank, testServer, read, look, account, seenUntil } = await openShop(given)
    const paid = await payAtBank(testServer)
    bank.provider.act(paid.key, 'pay')
    await connectBank(testServer, { mode: 'live', public: { account: 'broken' } })
    const { open } = bank.accounts
    bank.accounts.open = (opened) =>
      opened.account.id === account.id
        ? open(opened)
        : Object.assign(open(opened), {
            async *providerEvents() {
              yield { at: testServer.clock.now - minute, reference: 'ref_of_others' }
              throw new TypeError('the key rk_live_secret is not valid')
            },
          })
    assert.equal(await read(), 2)
    await look()
    assert.equal((await paid.session()).status, 'completed')
    const [line] = testServer
      .lines()
      .filter(({ message }) => message === 'events of the payment provider could not be read')
    assert.deepEqual([line?.provider, line?.reason, line?.thrown], ['redirect', 'threw', 'TypeError'])
    assert.ok(!JSON.stringify(testServer.lines()).includes('rk_live_secret'))
    const { text } = await testServer.fetch('/metrics')
    assert.match(text, /^cartwright_provider_calls_total\{provider="redirect",call="news",outcome="threw"\} 1$/m)
    assert.match(text, /^cartwright_provider_calls_total\{provider="redirect",call="news",outcome="answered"\} 1$/m)
    assert.equal(await seenUntil(), testServer.clock.now)
  })

  test('the events of a disconnected account are read for another 120 days', async () => {
    const { testServer, read, account } = await openShop(given)
    await testServer.storage.write(
      async (tx) =>
        void (await tx.sql`
          update payment_accounts set ended_at = ${testServer.clock.now}
          where merchant_id = ${account.merchantId} and id = ${account.id}`),
    )
    assert.equal(await read(), 1)
    testServer.clock.now += 120 * day - 1
    assert.equal(await read(), 1)
    testServer.clock.now += day
    assert.equal(await read(), 0)
  })

  test('events that a provider leaves out are logged and counted', async () => {
    const { bank, testServer, read, account, seenUntil } = await openShop(given)
    const { open } = bank.accounts
    bank.accounts.open = (opened) =>
      Object.assign(open(opened), {
        async *providerEvents(_: number, __: AbortSignal, leftOut: (reason: string) => void) {
          leftOut('too_many')
          yield { at: testServer.clock.now - minute, reference: 'ref_1' }
        },
      })
    await read()
    const [line] = testServer.lines().filter(({ message }) => message === 'events of the payment provider were skipped')
    assert.deepEqual(
      [line?.level, line?.provider, line?.accountId, line?.reason],
      ['warn', 'redirect', account.id, 'too_many'],
    )
    const { text } = await testServer.fetch('/metrics')
    assert.match(text, /^cartwright_payment_incidents_total\{provider="redirect",kind="news_left_out"\} 1$/m)
    assert.equal(await seenUntil(), testServer.clock.now)
  })

  test('reading goes on from where a list of events broke off', async () => {
    const { bank, testServer, read, seenUntil } = await openShop(given)
    const { open } = bank.accounts
    const since: number[] = []
    const begin = testServer.clock.now - 10 * day
    bank.accounts.open = (account) =>
      Object.assign(open(account), {
        async *providerEvents(from: number) {
          since.push(from)
          yield { at: begin, reference: 'ref_1' }
          throw new Error('the connection was lost')
        },
      })
    await read()
    assert.equal(await seenUntil(), begin + 60 * minute)
    testServer.clock.now += providerEventsEveryMs
    await read()
    assert.equal(since[1], begin)
  })
})
