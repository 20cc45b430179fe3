// Webhooks of payment providers: each is a reason to ask, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bank, connectBank, createBank, openBankTestServer, payAtBank } from '../harness/bank.ts'
import { bankWebhook } from '../harness/redirectProvider.ts'
import { anyEngine, type Given } from '../harness/storage.ts'
import type { TestServer, TestServerOptions } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import type { AccountRow } from '../src/domain/payments/accounts.ts'
import { manualProvider } from '../src/domain/payments/providers/manual/provider.ts'
import { wakeLoops } from '../src/ops/cli/loops.ts'
import { startWorkers } from '../src/platform/jobs/workers.ts'
import { createLog } from '../src/platform/log/log.ts'

const hour = 3_600_000
const day = 24 * hour
const secret = 'sign_1'

async function openShop(given: Given, options: TestServerOptions = {}) {
  const bank = createBank()
  const testServer = await openBankTestServer(given, bank, options)
  const account = await connectBank(testServer)
  return { bank, testServer, account, ...doorOf(testServer, account) }
}

function doorOf(testServer: TestServer, account: Pick<AccountRow, 'id'>) {
  const post = async (init: RequestInit, id = account.id) => {
    const { status, text } = await testServer.fetch(`/hooks/payments/${id}`, init)
    return { status, text }
  }
  const notify = async (references: readonly string[], at = testServer.clock.now) =>
    (await post(bankWebhook(secret, at, references))).status
  return { post, notify, loop: () => recoverPayments(testServer.app.payTools) }
}

// As a server does, except that nothing happens unless it is woken.
function startWoken(given: Given, testServer: TestServer): void {
  const log = createLog({ level: 'silent', pretty: false, write: () => {} })
  const work = async () => (await recoverPayments(testServer.app.payTools)) < 0
  const workers = startWorkers([{ name: 'payments', everyMs: hour, work }], log, { firstMs: hour })
  const stop = wakeLoops(testServer.storage, workers)
  given.later(async () => {
    stop()
    await workers.drain()
  })
}

const accepted = { status: 200, text: '' }

anyEngine('a webhook', (given) => {
  // Nothing else wakes the loop, and its clock stands still.
  test('places the order immediately if the shopper pays and never returns', async () => {
    const { bank, testServer, notify } = await openShop(given)
    startWoken(given, testServer)
    const paid = await payAtBank(testServer)
    bank.provider.act(paid.key, 'pay')
    assert.equal(await notify([paid.reference]), 200)
    await until(async () => (await paid.session()).status === 'completed')
    assert.equal(bank.provider.calls.lookUp, 1)
  })

  test('that arrives several times, a day late or before the payment places and pays one order once', async () => {
    const { bank, testServer, post, notify, loop } = await openShop(given)
    const paid = await payAtBank(testServer)
    assert.equal(await notify([paid.reference]), 200, 'of a payment that is still open')
    await loop()
    bank.provider.act(paid.key, 'pay')
    testServer.clock.now += 6_000
    const late = bankWebhook(secret, testServer.clock.now, [paid.reference])
    assert.deepEqual(await Promise.all([post(late), post(late), post(late)]), [accepted, accepted, accepted])
    await loop()
    assert.equal((await paid.session()).status, 'completed')
    // Every send is signed anew by the provider, so a late one is not an old one.
    for (const waitMs of [6_000, day]) {
      testServer.clock.now += waitMs
      assert.equal(await notify([paid.reference, paid.reference]), 200)
      await loop()
    }
    assert.deepEqual(await paid.events(), ['order.placed', 'order.paid'])
    const { status, checkAt } = await paid.payment()
    assert.deepEqual([status, checkAt], ['succeeded', null])
    assert.equal(bank.provider.calls.lookUp, 4)
  })

  test('that is forged, altered, old or unsigned gets 400, and one that is too large 413', async () => {
    const { testServer, account, post, notify, bank } = await openShop(given)
    const paid = await payAtBank(testServer)
    const before = await paid.payment()
    bank.provider.act(paid.key, 'pay')
    const good = bankWebhook(secret, testServer.clock.now, [paid.reference])
    const forged = bankWebhook('sign_2', testServer.clock.now, [paid.reference])
    const unsigned: RequestInit = { method: 'POST', body: JSON.stringify([paid.reference]) }
    for (const init of [forged, { ...good, body: `["${paid.reference}" ]` }, unsigned, { method: 'POST' }])
      assert.equal((await post(init)).status, 400)
    assert.equal(await notify([paid.reference], testServer.clock.now - hour), 400)
    const large = bankWebhook(secret, testServer.clock.now, ['x'.repeat(256 * 1_024)])
    assert.equal((await post(large)).status, 413)
    assert.deepEqual(await paid.payment(), before)
    const refused = testServer
      .lines()
      .filter(({ message }) => message === 'webhook of the payment provider was refused')
    assert.deepEqual(
      refused.map(({ provider, accountId }) => [provider, accountId]),
      Array.from({ length: 5 }, () => ['redirect', account.id]),
    )
    assert.ok(!JSON.stringify(testServer.lines()).includes(paid.reference))
  })

  test('gets 404 for an unknown account, one that cannot be decrypted and one whose provider sends no webhooks', async () => {
    const { testServer, post, bank } = await openShop(given)
    const init = bankWebhook(secret, testServer.clock.now, [])
    assert.equal((await post(init, 'pac_none')).status, 404)
    const live = { mode: 'live' } as const
    const unopened = await connectBank(testServer, { ...live, secretsSealed: 'of another root secret' })
    assert.equal((await post(init, unopened.id)).status, 404)
    const mute = await connectBank(testServer, { endedAt: testServer.clock.now })
    bank.accounts.open = () => manualProvider
    assert.equal((await post(init, mute.id)).status, 404)
    assert.equal((await testServer.fetch(`/hooks/payments/${mute.id}`)).status, 405, 'nothing to see there')
  })

  test('about an unknown payment or one of another account gets 200 and changes nothing', async () => {
    const { testServer, notify, bank } = await openShop(given)
    const paid = await payAtBank(testServer)
    const other = await connectBank(testServer, { mode: 'live' })
    const before = await paid.payment()
    bank.provider.act(paid.key, 'pay')
    assert.equal(await notify(['ref_of_others', '']), 200)
    assert.equal(await notify([]), 200)
    assert.equal(await doorOf(testServer, other).notify([paid.reference]), 200)
    assert.deepEqual(await paid.payment(), before)
  })

  test('during a look-up of its payment causes another look-up 5 s later', async () => {
    const { bank, testServer, notify, loop } = await openShop(given)
    const paid = await payAtBank(testServer)
    const { lookUp } = bank.provider
    bank.provider.lookUp = async (...asked) => {
      const found = await lookUp(...asked)
      bank.provider.lookUp = lookUp
      bank.provider.act(paid.key, 'pay')
      assert.equal(await notify([paid.reference]), 200)
      return found
    }
    assert.equal(await notify([paid.reference]), 200)
    await loop()
    assert.equal((await paid.session()).status, 'processing')
    testServer.clock.now += 4_000
    await loop()
    assert.equal(bank.provider.calls.lookUp, 1)
    testServer.clock.now += 1_000
    await loop()
    assert.equal((await paid.session()).status, 'completed')
    const { checkAt } = await paid.payment()
    assert.equal(checkAt, null)
  })

  test('causes look-ups of its payment until the provider responds, even if the payment was already paid', async () => {
    const { bank, testServer, notify, loop } = await openShop(given)
    const paid = await payAtBank(testServer)
    bank.provider.act(paid.key, 'pay')
    await notify([paid.reference])
    await loop()
    testServer.clock.now += day
    await notify([paid.reference])
    bank.provider.loseNext('lookUp')
    await loop()
    assert.ok(((await paid.payment()).checkAt ?? 0) > testServer.clock.now)
    testServer.clock.now += hour
    await loop()
    assert.deepEqual([bank.provider.calls.lookUp, (await paid.payment()).checkAt], [3, null])
    assert.deepEqual(await paid.events(), ['order.placed', 'order.paid'])
  })

  test('is accepted even if many come concurrently from one address, while refused ones are limited', async () => {
    const { testServer, post, notify } = await openShop(given, { rateLimit: { perSecond: 1_000, burst: 1_000 } })
    const paid = await payAtBank(testServer)
    const sent = await Promise.all(Array.from({ length: 150 }, () => notify([paid.reference])))
    assert.deepEqual(new Set(sent), new Set([200]))
    const forged = bankWebhook('sign_2', testServer.clock.now, [])
    const statuses = await Promise.all(Array.from({ length: 90 }, () => post(forged)))
    assert.deepEqual(new Set(statuses.map(({ status }) => status)), new Set([400, 429]))
    const { text } = await testServer.fetch('/metrics')
    assert.match(text, /^cartwright_payment_notices_total\{provider="redirect",outcome="accepted"\} 150$/m)
    assert.match(text, /^cartwright_payment_notices_total\{provider="redirect",outcome="refused"\} \d+$/m)
  })

  test('is not limited by refused webhooks for another account or an unknown one', async () => {
    const { testServer, post, notify } = await openShop(given, { rateLimit: { perSecond: 1_000, burst: 1_000 } })
    const forged = bankWebhook('sign_x', testServer.clock.now, [])
    const other = await connectBank(testServer, { mode: 'live' })
    for (const [id, refused] of [
      [other.id, 400],
      ['pac_00000000000000000000000000', 404],
    ] as const) {
      const sent = await Promise.all(Array.from({ length: 90 }, () => post(forged, id)))
      assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([refused, 429]))
      assert.equal(await notify([]), 200)
    }
  })

  // A file of SQLite has one node.
  if (given.engine === 'postgres')
    test('that arrives at one node starts the look-up at another node', async () => {
      const bank: Bank = createBank()
      const testServer = await openBankTestServer(given, bank)
      const account = await connectBank(testServer)
      const other = await openBankTestServer(given, bank, { url: testServer.url, now: testServer.clock.now })
      startWoken(given, testServer)
      const paid = await payAtBank(testServer)
      bank.provider.act(paid.key, 'pay')
      assert.equal(await doorOf(other, account).notify([paid.reference]), 200)
      await until(async () => (await paid.session()).status === 'completed')
    })
})
