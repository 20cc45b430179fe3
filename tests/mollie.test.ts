// Purchases that are paid on the page of Mollie, over HTTP from the form to the order, against the stand-in. Nothing of the checkout
// knows Mollie.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { connectMollie } from '../harness/mollie/bench.ts'
import type { Books } from '../harness/mollie/books.ts'
import { type MollieStandIn, openMollie } from '../harness/mollie/standin.ts'
import { scriptless } from '../harness/scriptless.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { labelPayments } from '../src/domain/checkout/pay/label.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { refundOrder } from '../src/domain/orders/operator.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { readProviderEvents } from '../src/domain/payments/providerevents.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { listPaymentsOfSession } from '../src/domain/payments/store.ts'
import { newId } from '../src/platform/kit/ids.ts'

const minute = 60_000
const hour = 60 * minute

eachEngine('a purchase paid with Mollie', (given) => {
  let testServer: TestServer
  let checkout: Checkout
  let mollie: MollieStandIn
  let books: Books

  before(async () => {
    const start = Date.parse('2026-06-01T12:00:00.000Z')
    mollie = await openMollie({ clock: () => new Date(testServer?.clock.now ?? start) })
    given.later(() => mollie.close())
    books = mollie.profile.test.books
    testServer = await openTestServer(given, { shops: [market], now: start, providerUrls: { mollie: mollie.url } })
    checkout = await checkoutOf(testServer)
    await connectMollie(testServer, mollie)
  })

  // A shopper whose form was sent: the page of ours that leads to Mollie.
  async function begin() {
    const seen = mollie.requests.length
    const { sessionId, secret, view } = await checkout.ready({ CARD: 2 })
    const shopper = scriptless(testServer.origin)
    await shopper.open(`/c/${secret}`)
    const [pay] = shopper.buttons().filter((name) => /^Buy and continue to payment ·/.test(name))
    await shopper.press(pay ?? '', { method: 'mollie:online' })
    const [link] = [...shopper.links().values()].filter((href) => href.startsWith(mollie.url))
    const cookie = (shopper.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const payment = async () => {
      const [first] = await testServer.storage.read((db) =>
        listPaymentsOfSession(db, testServer.installationId, sessionId),
      )
      assert.ok(first)
      return first
    }
    const { reference } = await payment()
    const order = async () => {
      const { orderId } = await payment()
      return orderId === null ? null : (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    }
    return {
      sessionId,
      secret,
      total: view.session.totals.total,
      shopper,
      link: link ?? '',
      payment,
      reference: reference ?? '',
      order,
      // What the shopper does on Mollie's page, and the address to which they are sent then.
      async act(act: string): Promise<string> {
        const body = new URLSearchParams({ act })
        const response = await fetch(link ?? '', { method: 'POST', body, redirect: 'manual' })
        return response.headers.get('location') ?? ''
      },
      // Comes back in the browser that left. Where the browser is sent on to, until a page or another host.
      async comeBack(url: string): Promise<string> {
        let at = new URL(url, testServer.origin)
        for (let i = 0; i < 5 && at.origin === testServer.origin; i += 1) {
          const answer = await testServer.fetch(at.pathname, { headers: { cookie }, redirect: 'manual' })
          const to = answer.headers.get('location')
          if (to === null) return at.pathname
          at = new URL(to, testServer.origin)
        }
        return at.href
      },
      session: async () => (await checkout.read(sessionId)).body.data,
      requests: () => mollie.requests.slice(seen),
    }
  }

  const loop = async (ms: number) => {
    testServer.clock.now += ms
    await recoverPayments(testServer.app.payTools)
  }
  const stockOf = async () => {
    const [row] = await testServer.storage.read(
      (db) =>
        db.sql<{
          onHand: number
        }>`select sum(on_hand) as "onHand" from stock where merchant_id = ${testServer.merchantId}`,
    )
    return row?.onHand
  }

  test('makes one paid order and one charge, and Mollie never gets the secret of the checkout page', async () => {
    const one = await begin()
    assert.match(one.shopper.html, /http-equiv="refresh"/)
    assert.match(one.shopper.text(), /Mollie \(card, bank or wallet\)/)
    assert.deepEqual([(await one.payment()).status, (await one.session()).status], ['challenge', 'processing'])
    const returnUrl = await one.act('pay')
    assert.match(returnUrl, new RegExp(`^${testServer.origin}/r/[\\w.-]+$`))
    assert.match(await one.comeBack(`${returnUrl}?status=failed`), /^http:\/\/localhost:9\/thanks/)
    await one.comeBack(returnUrl)
    const { paymentStatus, status } = await one.order()
    assert.deepEqual([status, paymentStatus, (await one.session()).status], ['placed', 'paid', 'completed'])
    const { brand, last4, accountId, placeSealed } = await one.payment()
    assert.deepEqual([brand, last4, placeSealed], ['visa', '4242', null])
    assert.ok(accountId)
    const [charge, ...more] = books.paymentsOf((await one.payment()).id)
    assert.deepEqual([charge?.status, more.length], ['paid', 0])
    assert.equal(charge?.request.amount.value, (one.total / 100).toFixed(2))
    const { request } = charge ?? {}
    assert.match(request?.description ?? '', /^Bloom [0-9A-Z]{8}$/)
    assert.deepEqual(
      [request?.lines?.length, request?.billingAddress?.country, request?.shippingAddress?.country],
      [2, 'DE', 'DE'],
    )
    assert.match(request?.billingAddress?.email ?? '', /@/)
    await labelPayments(testServer.app.payTools)
    const { number } = await one.order()
    assert.deepEqual(
      [charge?.request.description, charge?.request.metadata],
      [`Bloom ${number}`, { cartwright_payment: (await one.payment()).id, order_number: number }],
    )
    const seen = JSON.stringify(one.requests())
    assert.ok(!seen.includes(one.secret))
    assert.ok(one.requests().every(({ headers }) => headers.referer === undefined))
    // Nor is the key anywhere but in the requests to Mollie.
    assert.ok(!JSON.stringify(testServer.lines()).includes(mollie.profile.test.key))
  })

  test('places the order at the next look-up if the shopper never returns', async () => {
    const one = await begin()
    books.act(one.reference, { kind: 'pay' })
    await loop(6 * minute)
    assert.equal((await one.order()).paymentStatus, 'paid')
  })

  test('that the shopper cancels at Mollie reopens the checkout without a charge, and another method can pay', async () => {
    const one = await begin()
    assert.equal(await one.comeBack(await one.act('cancel')), `/c/${one.secret}`)
    const { status, lastPaymentError } = await one.session()
    assert.deepEqual([status, lastPaymentError?.code], ['open', 'declined'])
    assert.deepEqual(
      books.paymentsOf((await one.payment()).id).map((charge) => charge.status),
      ['canceled'],
    )
    const paid = await checkout.pay(one.secret, await checkout.look(one.secret))
    assert.equal(paid.view.session.status, 'completed')
  })

  test('that the bank refuses shows the reason, and can be tried again', async () => {
    const one = await begin()
    await one.comeBack(await one.act('fail'))
    const { status, lastPaymentError } = await one.session()
    assert.deepEqual([status, lastPaymentError?.code], ['open', 'insufficient_funds'])
    await one.shopper.open(`/c/${one.secret}`)
    const [pay] = one.shopper.buttons().filter((name) => /^Buy and continue to payment ·/.test(name))
    await one.shopper.press(pay ?? '', { method: 'mollie:online' })
    assert.match(one.shopper.html, /http-equiv="refresh"/)
  })

  test('that expires at Mollie leaves the checkout open', async () => {
    const one = await begin()
    await loop(16 * minute)
    assert.deepEqual([(await one.session()).status, (await one.payment()).status], ['open', 'declined'])
  })

  test('can be replaced by another method immediately if Mollie can cancel the payment, and otherwise once it has expired', async () => {
    const one = await begin()
    await one.shopper.press('Pay in another way')
    assert.equal((await one.session()).status, 'processing')
    await loop(16 * minute)
    assert.equal((await one.session()).status, 'open')
    books.opensCancelable = true
    const other = await begin()
    books.opensCancelable = false
    await other.shopper.press('Pay in another way')
    const { status, lastPaymentError } = await other.session()
    assert.deepEqual([status, lastPaymentError], ['open', null])
    assert.equal(books.payment(other.reference).status, 'canceled')
  })

  test('that was just paid places the order when the shopper presses Pay in another way', async () => {
    const one = await begin()
    books.act(one.reference, { kind: 'pay' })
    await one.shopper.press('Pay in another way')
    assert.equal((await one.order()).paymentStatus, 'paid')
  })

  test('by bank transfer places an order that is paid when the money arrives', async () => {
    const one = await begin()
    assert.match(await one.comeBack(await one.act('transfer')), /^http:\/\/localhost:9\/thanks/)
    assert.equal((await one.order()).paymentStatus, 'pending')
    await loop(2 * hour)
    books.settle(one.reference, 'paid')
    await loop(7 * hour)
    assert.equal((await one.order()).paymentStatus, 'paid')
  })

  test('by bank transfer that is never paid cancels its order and restocks it', async () => {
    const before = await stockOf()
    const one = await begin()
    await one.comeBack(await one.act('transfer'))
    assert.notEqual(await stockOf(), before)
    books.settle(one.reference, 'expired')
    await loop(2 * hour)
    const { status, paymentStatus } = await one.order()
    assert.deepEqual([status, paymentStatus, await stockOf()], ['cancelled', 'voided', before])
  })

  test('goes on with the created payment, and is charged once, if the response to its creation was lost', async () => {
    mollie.lose('after', { method: 'POST', path: '/v2/payments' })
    const one = await begin()
    assert.ok(one.link.startsWith(mollie.url), 'the page has asked')
    mollie.profile.test.forgetKeys()
    await loop(2 * minute)
    assert.equal((await one.payment()).status, 'challenge')
    assert.equal(books.paymentsOf((await one.payment()).id).length, 1)
  })

  test('that fails at Mollie is logged with a code, and nothing is charged', async () => {
    mollie.fail(500, { method: 'POST', path: '/v2/payments' })
    const one = await begin()
    const line = testServer.lines().findLast(({ provider }) => provider === 'mollie')
    assert.equal(line?.code, 'MOLLIE_FAILED')
    await loop(3 * minute)
    assert.deepEqual([(await one.session()).status, (await one.payment()).status], ['open', 'declined'])
  })

  test('has a refund that is pending until Mollie has paid it, and that is paid once', async () => {
    const one = await begin()
    await one.comeBack(await one.act('pay'))
    const { orderId } = await one.payment()
    const key = { installationId: testServer.installationId, orderId: orderId ?? '' }
    const input = { amount: 500, reason: null, isByHand: false }
    await testServer.storage.write((tx) => refundOrder(tx, key, input, { now: testServer.clock.now, cause: null }))
    const pay = async () => {
      const tools = { ...testServer.app.payTools, onPaid: recordRefundEnd }
      return (await payRefunds(tools, testServer.clock.now)).map(({ outcome }) => outcome)
    }
    mollie.lose('after', { method: 'POST', path: /refunds$/ })
    assert.deepEqual(await pay(), ['later'])
    assert.equal((await one.order()).paymentStatus, 'refunding')
    mollie.profile.test.forgetKeys()
    testServer.clock.now += hour
    assert.deepEqual(await pay(), ['later'])
    books.moveRefunds('refunded')
    testServer.clock.now += 6 * hour
    assert.deepEqual(await pay(), ['succeeded'])
    assert.equal((await one.order()).paymentStatus, 'partially_refunded')
    assert.equal(books.refundedMinor(one.reference), 500)
  })

  test('is completed by webhooks; repeated, reordered, unknown and forged webhooks change nothing', async () => {
    const { webhooks } = mollie.profile.test
    webhooks.drop()
    const [one, two] = [await begin(), await begin()]
    for (const { reference } of [one, two]) books.act(reference, { kind: 'pay' })
    assert.deepEqual(await webhooks.deliver({ order: 'reversed', times: 2 }), [200, 200, 200, 200])
    await loop(6_000)
    for (const { order } of [one, two]) assert.equal((await order()).paymentStatus, 'paid')
    const { accountId } = await one.payment()
    const send = async (body: string, account = accountId) =>
      (
        await testServer.fetch(`/hooks/payments/${account}`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body,
        })
      ).status
    const open = await begin()
    const statuses = [await send(`id=${open.reference}&status=paid`), await send('id=tr_unknown'), await send('id=x')]
    assert.deepEqual([...statuses, await send(`id=${open.reference}`, newId('pac'))], [200, 200, 400, 404])
    await loop(6_000)
    assert.equal((await open.session()).status, 'processing')
  })

  test('is completed by the list of events if webhooks never arrive', async () => {
    const one = await begin()
    books.act(one.reference, { kind: 'pay' })
    mollie.profile.test.webhooks.drop()
    testServer.clock.now += 60_000
    assert.equal(await readProviderEvents(testServer.app.payTools), 1)
    await loop(6_000)
    assert.equal((await one.order()).paymentStatus, 'paid')
  })

  test('records a refund made at Mollie once, and a chargeback does not change the order', async () => {
    const { webhooks } = mollie.profile.test
    const one = await begin()
    await one.comeBack(await one.act('pay'))
    webhooks.drop()
    const hear = async () => {
      await webhooks.deliver({ times: 2 })
      await loop(6_000)
    }
    books.refund(one.reference, { amount: { currency: 'EUR', value: '1.00' } })
    books.moveRefunds('refunded')
    await hear()
    const refunded = await one.order()
    assert.deepEqual([refunded.paymentStatus, refunded.totals.refunded], ['partially_refunded', 100])
    books.chargeBack(one.reference)
    await hear()
    assert.equal((await one.order()).paymentStatus, 'partially_refunded')
  })

  test('has an account that another merchant cannot use', async () => {
    const { payTools } = testServer.app
    const one = await begin()
    const { accountId } = await one.payment()
    const of = (merchantId: string) =>
      testServer.storage.read((db) => payTools.providers.of(db, { provider: 'mollie', accountId, merchantId }))
    assert.equal((await of(testServer.merchantId))?.name, 'mollie')
    assert.equal(await of(newId('mer')), undefined)
  })
})
