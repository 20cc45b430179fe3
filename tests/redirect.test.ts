// Payments by redirect, on a page of the provider: the way there, the way back, and every way not to come back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { createRedirectProvider } from '../harness/redirectProvider.ts'
import { anyEngine, type Given } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { makeReturnToken } from '../src/domain/checkout/pay/redirect.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { createProviders, type Providers } from '../src/domain/payments/port.ts'
import { createSandboxProvider } from '../src/domain/payments/providers/sandbox/provider.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { listPaymentsOfSession } from '../src/domain/payments/store.ts'
import type { Incoming } from '../src/platform/http/message.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { failedAnswer } from '../src/web/checkout/show.ts'

const minute = 60_000
const hour = 60 * minute

async function openShop(given: Given) {
  const bank = createRedirectProvider()
  // The test provider writes into the database of the server, which is not open yet.
  let installed: Providers = createProviders([bank])
  const providers: Providers = {
    get names() {
      return installed.names
    },
    of: (db, payment) => installed.of(db, payment),
    offered: (db, merchant) => installed.offered(db, merchant),
    offeredToAll: (mode) => installed.offeredToAll(mode),
    ofAccount: (db, accountId) => installed.ofAccount(db, accountId),
  }
  const testServer = await openTestServer(given, { shops: [market], payHooks: { providers } })
  const sandbox = createSandboxProvider({ storage: testServer.storage, clock: () => new Date(testServer.clock.now) })
  installed = createProviders([sandbox, bank])
  const checkout = await checkoutOf(testServer)
  const { sessionId, secret, view } = await checkout.ready({ 'ROSE-12': 1 })
  const { installationId } = testServer

  const begin = (attempt = newId('pay')) =>
    testServer.app.checkout.pay(secret, {
      version: view.session.version,
      expectedTotal: view.session.totals.total,
      provider: 'redirect',
      method: 'bank',
      details: {},
      attempt,
    })
  const payments = () => testServer.storage.read((db) => listPaymentsOfSession(db, installationId, sessionId))
  const payment = async () => {
    const [first] = await payments()
    assert.ok(first)
    return first
  }
  const tools = testServer.app.payTools
  return {
    testServer,
    bank,
    checkout,
    sessionId,
    secret,
    amount: view.session.totals.total,
    begin,
    payments,
    payment,
    tools,
    key: async () => (await payment()).id,
    returnPath: async () => `/r/${makeReturnToken(tools.rootSecret, await payment())}`,
    loop: async (ms: number) => {
      testServer.clock.now += ms
      await recoverPayments(tools)
    },
    giveBack: () => payRefunds({ ...tools, onPaid: recordRefundEnd }, testServer.clock.now),
    session: async () => (await checkout.read(sessionId)).body.data,
    orders: async () =>
      (await testServer.ask('listStorefrontOrders')).body.data.orders as {
        id: string
        status: string
        paymentStatus: string
      }[],
    stock: async () => {
      const [row] = await testServer.storage.read(
        (db) =>
          db.sql<{
            onHand: number
          }>`select sum(on_hand) as "onHand" from stock where merchant_id = ${testServer.merchantId}`,
      )
      return row?.onHand
    },
    events: async () =>
      (
        await testServer.storage.read(
          (db) => db.sql<{ type: string }>`select type from events where type like 'order.%' order by occurred_at, id`,
        )
      ).map(({ type }) => type),
    get: (path: string, headers: Record<string, string> = {}) =>
      testServer.fetch(path, { headers, redirect: 'manual' }),
  }
}

anyEngine('a redirect payment', (given) => {
  test('redirects to the provider’s page without revealing the secret of the session', async () => {
    const shop = await openShop(given)
    const result = await shop.begin()
    assert.equal(result?.problem, null)
    const page = await shop.get(`/c/${shop.secret}`)
    assert.equal(page.status, 200)
    assert.match(page.text, /href="https:\/\/bank\.example\/ref_1"/)
    assert.match(page.text, /<meta http-equiv="refresh" content="0;url=https:\/\/bank\.example\/ref_1">/)
    assert.match(page.text, /Bank of Tests/)
    assert.match(
      page.headers.get('set-cookie') ?? '',
      /^checkout=[\w-]{43}; Path=\/r; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    )
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    const { reference, placeSealed, status } = await shop.payment()
    assert.deepEqual([reference, status], ['ref_1', 'challenge'])
    assert.doesNotMatch(placeSealed ?? '', /bank\.example/)
    const entry = shop.bank.books.get(await shop.key())
    assert.equal(entry?.charge.amount, shop.amount)
    const [returnUrls] = shop.bank.returnUrlsGiven
    assert.equal(returnUrls?.returnUrl, shop.testServer.origin + (await shop.returnPath()))
    assert.ok(!JSON.stringify(returnUrls).includes(shop.secret))
  })

  test('returns the shopper to the shop, and pays the order once', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const page = await shop.get(`/c/${shop.secret}`)
    const cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    shop.bank.act(await shop.key(), 'pay')
    const back = await shop.get(`${await shop.returnPath()}?redirect_status=failed`, { cookie })
    assert.deepEqual([back.status, back.headers.get('location')], [303, `/c/${shop.secret}/wait`])
    const on = await shop.get(`/c/${shop.secret}/wait`)
    assert.match(on.headers.get('location') ?? '', /^http:\/\/localhost:9\/thanks/)
    await shop.get(await shop.returnPath(), { cookie })
    await shop.loop(hour)
    assert.deepEqual(
      (await shop.orders()).map(({ paymentStatus }) => paymentStatus),
      ['paid'],
    )
    assert.deepEqual(await shop.events(), ['order.placed', 'order.paid'])
    const { brand, last4, placeSealed } = await shop.payment()
    assert.deepEqual([brand, last4, placeSealed], ['visa', '4242', null])
  })

  test('does not redirect again after a return without a payment, so the shopper can choose', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const page = await shop.get(`/c/${shop.secret}`)
    assert.match(page.text, /http-equiv="refresh"/)
    const cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const back = await shop.get(await shop.returnPath(), { cookie })
    assert.equal(back.headers.get('location'), `/c/${shop.secret}/wait`)
    assert.equal((await shop.get(`/c/${shop.secret}/wait`)).headers.get('location'), `/c/${shop.secret}`)
    const again = await shop.get(`/c/${shop.secret}`)
    assert.doesNotMatch(again.text, /http-equiv="refresh" content="0;/)
    assert.match(again.text, /<noscript><meta http-equiv="refresh" content="10;url=\/c\/[\w-]+\/wait">/)
    assert.match(again.text, /href="https:\/\/bank\.example\/ref_1"/)
    assert.match(again.text, /Pay in another way/)
  })

  test('has a return page that shows the state of the payment in another browser, and reveals nothing else', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const waiting = await shop.get(await shop.returnPath())
    assert.match(waiting.text, /We are checking your payment/)
    const path = await shop.returnPath()
    assert.ok(waiting.text.includes(`<meta http-equiv="refresh" content="15;url=${path}">`), 'it looks again by itself')
    shop.bank.act(await shop.key(), 'pay')
    const paid = await shop.get(path, { cookie: `checkout=${'x'.repeat(43)}` })
    assert.match(paid.text, /Your order is placed/)
    assert.doesNotMatch(paid.text, /http-equiv="refresh"/)
    assert.ok(!paid.text.includes(shop.secret))
    assert.equal((await shop.session()).status, 'completed')
  })

  test('404 for an unknown or forged return', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const path = await shop.returnPath()
    for (const forged of [`${path}x`, '/r/x', `/r/${Buffer.from('a b').toString('base64url')}.x`])
      assert.equal((await shop.get(forged)).status, 404, forged)
  })

  test('completes the order even if the shopper never returns', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.bank.act(await shop.key(), 'pay')
    await shop.loop(6 * minute)
    assert.equal((await shop.session()).status, 'completed')
  })

  test('is closed at the provider if the shopper goes back, so another method can pay', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const posted = await shop.testServer.fetch(`/c/${shop.secret}/back`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: shop.testServer.origin },
      body: '',
      redirect: 'manual',
    })
    assert.deepEqual([posted.status, posted.headers.get('location')], [303, `/c/${shop.secret}#payment`])
    const session = await shop.session()
    assert.deepEqual([session.status, session.lastPaymentError], ['open', null])
    assert.equal((await shop.payment()).status, 'declined')
    assert.throws(() => shop.bank.act([...shop.bank.books.keys()][0] ?? '', 'pay'))
    const paid = await shop.checkout.pay(shop.secret, await shop.checkout.look(shop.secret))
    assert.equal(paid.view.session.status, 'completed')
  })

  test('places the order if the shopper goes back right after paying', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.bank.act(await shop.key(), 'pay')
    const result = await shop.testServer.app.checkout.goBack(shop.secret)
    assert.deepEqual([result?.problem, result?.view.session.status], [null, 'completed'])
  })

  test('stays in progress if the shopper goes back and the provider does not respond; the loop then reopens the session', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.bank.loseNext('close')
    shop.bank.loseNext('lookUp')
    const result = await shop.testServer.app.checkout.goBack(shop.secret)
    assert.deepEqual([result?.problem?.code, result?.view.session.status], ['payment_in_progress', 'processing'])
    await shop.loop(6 * minute)
    assert.equal((await shop.session()).status, 'open')
  })

  test('is closed at the provider when it expires, and the session shows that it failed', async () => {
    const shop = await openShop(given)
    await shop.begin()
    for (let i = 0; i < 8; i += 1) await shop.loop(5 * minute)
    assert.equal(shop.bank.books.get(await shop.key())?.state, 'closed')
    const session = await shop.session()
    assert.equal((await shop.payment()).status, 'declined')
    assert.equal(session.lastPaymentError?.code, 'authentication_failed')
  })

  test('places the order if it was paid right before it would have been closed', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const { lookUp } = shop.bank
    shop.bank.lookUp = async (...asked) => {
      const found = await lookUp(...asked)
      if (found.kind === 'redirect') shop.bank.act(asked[0].key, 'pay')
      return found
    }
    await shop.loop(45 * minute)
    assert.deepEqual([(await shop.session()).status, shop.bank.calls.close], ['completed', 1])
  })

  test('goes on with the created payment if the response to its creation was lost', async () => {
    const shop = await openShop(given)
    shop.bank.loseNext('start')
    await shop.begin()
    assert.equal((await shop.payment()).status, 'processing')
    await shop.loop(2 * minute)
    const leads = /http-equiv="refresh" content="0;url=https:\/\/bank\.example\/ref_1"/
    assert.match((await shop.get(`/c/${shop.secret}`)).text, leads, 'nobody was there yet')
    assert.equal(shop.bank.books.size, 1)
  })

  test('is created once for a form that is sent 64 times concurrently', async () => {
    const shop = await openShop(given)
    const attempt = newId('pay')
    await Promise.all(Array.from({ length: 64 }, () => shop.begin(attempt)))
    assert.deepEqual([shop.bank.books.size, (await shop.payments()).length], [1, 1])
  })

  test('of another amount than requested is reported and places no order', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.bank.act(await shop.key(), 'pay', shop.amount - 1)
    await shop.loop(6 * minute)
    assert.deepEqual([(await shop.session()).status, (await shop.orders()).length], ['processing', 0])
    const line = shop.testServer.lines().find(({ message }) => String(message).includes('another amount'))
    assert.deepEqual([line?.amount, line?.collected], [shop.amount, shop.amount - 1])
  })

  test('by direct debit places an unpaid order, and pays it when the debit succeeds', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.bank.act(await shop.key(), 'bank')
    const back = await shop.get(await shop.returnPath())
    assert.match(back.text, /Your order is placed/)
    assert.doesNotMatch(back.text, /payment has arrived/)
    assert.deepEqual(
      (await shop.orders()).map(({ paymentStatus }) => paymentStatus),
      ['pending'],
    )
    await shop.loop(2 * hour)
    assert.equal((await shop.payment()).status, 'pending')
    shop.bank.act(await shop.key(), 'pay')
    await shop.loop(7 * hour)
    assert.deepEqual(
      (await shop.orders()).map(({ paymentStatus }) => paymentStatus),
      ['paid'],
    )
    assert.deepEqual(await shop.events(), ['order.placed', 'order.paid'])
    assert.deepEqual([(await shop.payment()).checkAt, (await shop.payment()).last4], [null, '4242'])
  })

  test('by direct debit that fails cancels the order and restocks its units', async () => {
    const shop = await openShop(given)
    const before = await shop.stock()
    await shop.begin()
    shop.bank.act(await shop.key(), 'bank')
    await shop.get(await shop.returnPath())
    assert.notEqual(await shop.stock(), before)
    shop.bank.act(await shop.key(), 'fail')
    await shop.loop(2 * hour)
    await shop.giveBack()
    assert.deepEqual(
      (await shop.orders()).map(({ status, paymentStatus }) => [status, paymentStatus]),
      [['cancelled', 'voided']],
    )
    assert.equal(await shop.stock(), before)
    const { status, checkAt } = await shop.payment()
    assert.deepEqual([status, checkAt], ['voided', null])
  })
})

test('the 429 page for returns from the provider links to the return itself', () => {
  const request = {
    raw: { url: '/r/abc?x=1', headers: {} },
    path: { token: 'abc' },
    address: '',
  } as unknown as Incoming
  assert.match(String(failedAnswer(request, 429).body), /href="\/r\/abc"/)
})
