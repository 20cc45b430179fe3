// Declined payments are bounded by checkout, by card and by network. Whoever types wrong twice does not notice; whoever
// tries cards waits longer each time, on every node and after every restart.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { type Checkout, cards, checkoutOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { deleteExpiredDeclineCounts } from '../src/domain/payments/tries.ts'
import { newId } from '../src/platform/kit/ids.ts'

const second = 1_000
const minute = 60 * second

const declining = [
  '4000000000000002',
  '4000000000009995',
  '4000000000000069',
  '4000000000000127',
  '4100000000000019',
] as const

const limited = { shops: [market], rateLimit: { perSecond: 10_000, burst: 10_000 } }

interface Shopper {
  from?: string
  card?: string
}

eachEngine('limits of declined card payments', (given) => {
  async function openScene() {
    const testServer = await openTestServer(given, limited)
    return sceneOf(testServer, await checkoutOf(testServer))
  }

  function sceneOf(testServer: TestServer, checkout: Checkout) {
    // Answers with the problem, or with what became of the payment.
    async function pay(secret: string, { from = newId('req'), card = cards.declined }: Shopper = {}) {
      const { session } = await checkout.look(secret)
      const result = await testServer.app.checkout.pay(secret, {
        version: session.version,
        expectedTotal: session.totals.total,
        provider: 'test',
        method: 'card',
        details: { number: card, expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' },
        attempt: newId('pay'),
        network: from,
      })
      if (result?.problem?.code === 'too_many_tries') return result.problem.waitMs
      assert.equal(result?.problem, null)
      return result.view.session.status === 'completed'
        ? 'paid'
        : (result.view.session.lastPaymentError?.code ?? 'open')
    }
    const open = async () => (await checkout.ready({ COURSE: 1 })).secret
    const charges = async () => (await testServer.storage.read((db) => db.sql`select key from test_charges`)).length
    const tries = () =>
      testServer.storage.read(
        (db) => db.sql<{ subject: string; forgivenAt: number }>`
          select subject, forgiven_at as "forgivenAt" from payment_tries order by subject`,
      )
    return { testServer, checkout, pay, open, charges, tries }
  }

  test('a shopper whose card was declined four times can still buy', async () => {
    const { pay, open } = await openScene()
    const secret = await open()
    for (let i = 0; i < 4; i += 1) assert.equal(await pay(secret, { from: 'home' }), 'declined')
    assert.equal(await pay(secret, { from: 'home', card: cards.approved }), 'paid')
  })

  test('after five declined payments a checkout must wait, each time twice as long; other checkouts continue', async () => {
    const { testServer, pay, open, charges } = await openScene()
    const secret = await open()
    for (const card of declining) assert.notEqual(await pay(secret, { card }), 'paid')
    assert.equal(await pay(secret), 30 * second)
    assert.equal(await pay(secret, { card: cards.approved }), 30 * second)
    assert.equal(await charges(), 5, 'the provider was not asked again')
    assert.equal(await pay(await open()), 'declined')
    testServer.clock.now += 30 * second
    assert.equal(await pay(secret), 'declined')
    assert.equal(await pay(secret), minute)
    testServer.clock.now += minute
    assert.equal(await pay(secret), 'declined')
    assert.equal(await pay(secret), 2 * minute)
    testServer.clock.now += 2 * minute
    assert.equal(await pay(secret, { card: cards.approved }), 'paid')
  })

  test('after the clock was set back an hour no wait is longer and no payment is counted twice', async () => {
    const { testServer, pay, open } = await openScene()
    const [secret, once] = [await open(), await open()]
    assert.equal(await pay(once, { from: 'home' }), 'declined')
    for (const card of declining) assert.notEqual(await pay(secret, { card }), 'paid')
    testServer.clock.now -= 60 * minute
    assert.equal(await pay(secret), 30 * second)
    testServer.clock.now += 30 * second
    assert.equal(await pay(secret), 'declined')
    assert.equal(await pay(secret), minute)
    for (let i = 0; i < 4; i += 1) assert.equal(await pay(once, { from: 'home' }), 'declined')
    assert.equal(await pay(once, { from: 'home' }), 30 * second)
  })

  test('a card may be declined ten times over all checkouts and networks', async () => {
    const { pay, open } = await openScene()
    for (let i = 0; i < 2; i += 1) {
      const secret = await open()
      for (let j = 0; j < 5; j += 1) assert.equal(await pay(secret), 'declined')
    }
    const secret = await open()
    assert.equal(await pay(secret), minute)
    assert.equal(await pay(secret, { card: cards.insufficientFunds }), 'insufficient_funds')
  })

  test('a network may have twenty declined payments over all nodes; other networks and shops continue', async () => {
    const { testServer, pay, open } = await openScene()
    for (let i = 0; i < 4; i += 1) {
      const secret = await open()
      for (const card of declining) assert.notEqual(await pay(secret, { card, from: 'tester' }), 'paid')
    }
    const secret = await open()
    const good = { card: cards.approved }
    assert.equal(await pay(secret, { ...good, from: 'tester' }), 30 * second)
    const otherShop = { ...market, merchant: { ...market.merchant, slug: 'other' } }
    const other = await openTestServer(given, {
      ...limited,
      shops: [otherShop],
      url: testServer.url,
      now: testServer.clock.now,
    })
    const node = sceneOf(other, await checkoutOf(other))
    assert.equal(await node.pay(secret, { ...good, from: 'tester' }), 30 * second)
    assert.equal(await node.pay(await node.open(), { from: 'tester' }), 'declined')
    assert.equal(await pay(secret, { ...good, from: 'elsewhere' }), 'paid')
  })

  test('concurrent payments get no more attempts than payments one after the other', async () => {
    const { pay, open, charges } = await openScene()
    const secrets = await Promise.all(Array.from({ length: 24 }, open))
    const answers = await Promise.all(
      secrets.map((secret, index) => pay(secret, { from: 'tester', card: declining[index % 5] ?? '' })),
    )
    assert.equal(answers.filter((answer) => typeof answer === 'number').length, 4)
    assert.equal(await charges(), 20)
  })

  test('paid payments and failures of the provider do not count, even if the outcome is late; a decline counts as soon as it is known', async () => {
    const { testServer, pay, open, tries } = await openScene()
    for (let i = 0; i < 3; i += 1) assert.equal(await pay(await open(), { from: 'home', card: cards.approved }), 'paid')
    const late = await open()
    assert.equal(await pay(late, { from: 'home', card: '4000000000000259' }), 'open')
    assert.ok((await tries()).some(({ forgivenAt }) => forgivenAt > testServer.clock.now))
    testServer.clock.now += 2 * minute
    await recoverPayments(testServer.app.payTools)
    assert.ok((await tries()).every(({ forgivenAt }) => forgivenAt <= testServer.clock.now))
    const declined = await open()
    assert.equal(await pay(declined, { from: 'home', card: '4000000000000267' }), 'open')
    testServer.clock.now += 2 * minute
    await recoverPayments(testServer.app.payTools)
    const counted = (await tries()).filter(({ forgivenAt }) => forgivenAt > testServer.clock.now)
    assert.deepEqual(
      counted.map(({ subject }) => subject.split(' ')[0]),
      ['card', 'network', 'session'],
    )
    // A fault of the provider is not the shopper's.
    assert.equal(await pay(await open(), { from: 'office', card: '4000000000000119' }), 'provider_error')
    assert.equal((await tries()).filter(({ forgivenAt }) => forgivenAt > testServer.clock.now).length, 3)
  })

  test('declined payments and refused attempts are counted by shop, and many of them are logged once a minute', async () => {
    const { testServer, pay, open } = await openScene()
    const { merchantId, clock } = testServer
    const counted = async (name: string) => {
      const lines = (await testServer.app.metrics.scrape()).split('\n').filter((line) => line.startsWith(name))
      return lines.map((line) => line.slice(name.length))
    }
    const warned = () =>
      testServer
        .lines()
        .filter(
          ({ message }) =>
            message === 'possible card testing: many payments were declined, or further attempts were blocked',
        )
    const shop = `merchant="${merchantId}",mode="test"`
    const secret = await open()
    for (const card of declining) await pay(secret, { card })
    assert.deepEqual(await counted('cartwright_payments_declined_total'), [`{${shop}} 5`])
    assert.deepEqual(warned(), [], 'a few are usual')
    assert.equal(await pay(secret), 30 * second)
    assert.equal(await pay(secret, { card: cards.approved }), 30 * second)
    assert.deepEqual(await counted('cartwright_payment_tries_refused_total'), [`{${shop},by="session"} 2`])
    assert.deepEqual(
      warned().map(({ level, merchantId: of, mode, declined, refused }) => ({ level, of, mode, declined, refused })),
      [{ level: 'warn', of: merchantId, mode: 'test', declined: 5, refused: 1 }],
    )
    // Ten at one shop within a minute, each on a checkout of its own.
    clock.now += 10 * minute
    for (let i = 0; i < 12; i += 1) await pay(await open(), { card: declining[i % 4] ?? '' })
    assert.deepEqual(
      warned().map(({ declined, refused }) => [declined, refused]),
      [
        [5, 1],
        [10, 0],
      ],
    )
    assert.equal(await pay(await open(), { card: cards.approved }), 'paid')
    assert.deepEqual(await counted('cartwright_payments_declined_total'), [`{${shop}} 17`])
    for (const line of warned())
      assert.deepEqual(Object.keys(line).toSorted(), [
        'declined',
        'level',
        'merchantId',
        'message',
        'mode',
        'refused',
        'time',
      ])
  })

  test('neither the card number nor the network address is stored, and the counts are deleted when they expire', async () => {
    const { testServer, pay, open, tries } = await openScene()
    const secret = await open()
    await pay(secret, { from: '203.0.113.77' })
    await pay(secret, { from: '203.0.113.77' })
    const stored = JSON.stringify([
      await tries(),
      await testServer.storage.read((db) => db.sql`select * from payments`),
    ])
    assert.doesNotMatch(stored, /4000000000000002|203\.0\.113/)
    const open_ = await testServer.storage.read((db) => db.sql`select id from payments where tried_as is not null`)
    assert.equal(open_.length, 0)
    testServer.clock.now += 2 * 60 * minute
    assert.equal(await deleteExpiredDeclineCounts(testServer.storage, testServer.clock.now), 3)
    assert.deepEqual(await tries(), [])
  })

  test('a payment that must wait gets 429 with Retry-After, and the page names the wait in the shopper’s language', async () => {
    const { testServer, checkout, pay, open } = await openScene()
    const secret = await open()
    for (const card of declining) await pay(secret, { card })
    const { session } = await checkout.look(secret)
    const answer = await testServer.fetch(`/c/${secret}/pay`, {
      method: 'POST',
      headers: { 'accept-language': 'de' },
      redirect: 'manual',
      body: new URLSearchParams({
        version: String(session.version),
        expectedTotal: String(session.totals.total),
        attempt: newId('pay'),
        method: 'test:card',
        'card.number': cards.approved,
        'card.expiry': '12 / 40',
        'card.cvc': '123',
        'card.name': 'Ada Lovelace',
      }),
    })
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '30'])
    assert.match(answer.text, /<html lang="de"/)
    assert.match(answer.text, /Zu viele Zahlungen wurden abgelehnt\. [^<]*1 Minute/)
    assert.doesNotMatch(answer.text, /4242424242424242/)
    assert.equal((await checkout.look(secret)).session.status, 'open')
  })
})
