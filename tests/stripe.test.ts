// Payments at Stripe through the checkout: what becomes of the order, whatever happens there and here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { openStripeShop } from '../harness/stripe/shop.ts'
import type { DeliverOptions } from '../harness/stripe/webhooks.ts'
import type { TestServerOptions } from '../harness/testServer.ts'
import { labelPayments } from '../src/domain/checkout/pay/label.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { makeReturnPath } from '../src/domain/checkout/pay/redirect.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { readProviderEvents } from '../src/domain/payments/providerevents.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { listPaymentsOfSession } from '../src/domain/payments/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const minute = 60_000
const hour = 60 * minute
const debit = 'DE89370400440532013000'

async function openShop(given: Given, payHooks: TestServerOptions['payHooks'] = {}) {
  const { testServer, standIn, there } = await openStripeShop(given, { shops: [market], payHooks })
  const checkout = await checkoutOf(testServer)
  const { sessionId, secret, view } = await checkout.ready({ 'ROSE-12': 1 })
  const tools = testServer.app.payTools
  const begin = (of = secret, seen = view) =>
    testServer.app.checkout.pay(of, {
      version: seen.session.version,
      expectedTotal: seen.session.totals.total,
      provider: 'stripe',
      method: 'stripe',
      details: {},
      attempt: newId('pay'),
    })
  const payment = async () => {
    const [first] = await testServer.storage.read((db) =>
      listPaymentsOfSession(db, testServer.installationId, sessionId),
    )
    assert.ok(first)
    return first
  }
  return {
    testServer,
    checkout,
    standIn,
    there,
    secret,
    view,
    amount: view.session.totals.total,
    begin,
    payment,
    tools,
    reference: async () => (await payment()).reference ?? '',
    comeBack: async () => testServer.fetch(makeReturnPath(tools.rootSecret, await payment()), { redirect: 'manual' }),
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
      const { merchantId } = testServer
      const [row] = await testServer.storage.read(
        (db) => db.sql<{ sum: number }>`select sum(on_hand) as sum from stock where merchant_id = ${merchantId}`,
      )
      return row?.sum
    },
    charged: () => [
      there.books.intents.size,
      there.books.totals().charged.eur ?? 0,
      there.books.totals().refunded.eur ?? 0,
    ],
  }
}

eachEngine('a payment at Stripe', (given) => {
  test('is offered first, paid in the frame, and found when the shopper returns', async () => {
    const shop = await openShop(given)
    const { provider, method } = shop.view.methods[0] ?? {}
    assert.deepEqual([provider, method], ['stripe', 'stripe'])
    await shop.begin()
    const page = await shop.testServer.fetch(`/c/${shop.secret}`)
    assert.match(page.text, /<script type="module" src="\/checkout\/frame-stripe\.js\?v=/)
    assert.ok(page.text.includes(shop.there.publishableKey))
    assert.match(page.text, /<noscript><p>This way to pay needs JavaScript/)
    assert.match(page.text, new RegExp(`action="/c/${shop.secret}/back"`))
    const policy = page.headers.get('content-security-policy') ?? ''
    for (const name of ['script-src', 'connect-src'])
      assert.ok(policy.includes(`${name} 'self' ${shop.standIn.url}`), name)
    assert.ok(policy.includes(`frame-src ${shop.standIn.url};`))
    assert.deepEqual(policy.match(/[\w-]+ 'unsafe[^;]*/g), ["style-src-attr 'unsafe-inline'"])
    assert.ok(policy.includes(`img-src 'self' https: data: ${shop.standIn.url};`), 'the merchant has a logo anywhere')
    assert.equal(page.headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups')
    shop.there.pay(await shop.reference())
    await shop.comeBack()
    assert.deepEqual(
      (await shop.orders()).map(({ paymentStatus }) => paymentStatus),
      ['paid'],
    )
    const { brand, last4, status, placeSealed } = await shop.payment()
    assert.deepEqual([brand, last4, status, placeSealed], ['visa', '4242', 'succeeded', null])
    assert.deepEqual(shop.charged(), [1, shop.amount, 0])
    const done = await shop.testServer.fetch(`/c/${shop.secret}`)
    assert.ok(!`${done.headers.get('content-security-policy')}`.includes(shop.standIn.url))
  })

  test('webhooks place the order immediately, in any number and order; forged and old ones do not', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.there.pay(await shop.reference())
    const { webhooks } = shop.there
    const statuses = async (options: DeliverOptions) =>
      new Set((await webhooks.deliver(options)).map(({ status }) => status))
    assert.deepEqual(await statuses({ secret: 'whsec_forged' }), new Set([400]))
    assert.deepEqual(await statuses({ signedAt: new Date(shop.testServer.clock.now - 301_000) }), new Set([400]))
    await shop.loop(6_000)
    assert.equal((await shop.session()).status, 'processing')
    assert.deepEqual(await statuses({ order: 'reversed', times: 2 }), new Set([200]))
    await shop.loop(0)
    assert.equal((await shop.session()).status, 'completed')
    assert.deepEqual(shop.charged(), [1, shop.amount, 0])
  })

  test('without a webhook the list of events places the order', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.there.pay(await shop.reference())
    shop.testServer.clock.now += 6_000
    assert.equal(await readProviderEvents(shop.tools), 1)
    await shop.loop(0)
    assert.equal((await shop.session()).status, 'completed')
  })

  test('64 posts of one form create one payment intent', async () => {
    const shop = await openShop(given)
    const page = await shop.testServer.fetch(`/c/${shop.secret}`)
    assert.ok(!`${page.headers.get('content-security-policy')}`.includes(shop.standIn.url), 'not on the open page')
    const hidden = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(
      ([, name, value]) => [name, value],
    )
    const form = Object.fromEntries(hidden) as Record<string, string>
    const body = new URLSearchParams({ ...form, method: 'stripe:stripe' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: shop.testServer.origin }
    const posts = Array.from({ length: 64 }, () =>
      shop.testServer.fetch(`/c/${shop.secret}/pay`, { method: 'POST', headers, body, redirect: 'manual' }),
    )
    const answers = await Promise.all(posts)
    assert.ok(
      answers.every(({ status }) => status === 303 || status === 200 || status === 429),
      String(answers.map(({ status }) => status)),
    )
    assert.equal(shop.there.books.intents.size, 1)
    assert.equal((await shop.payment()).status, 'challenge')
  })

  test('an open payment is found by its reference after two days, when Stripe has forgotten all idempotency keys', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.there.pay(await shop.reference())
    shop.there.keys.forget()
    await shop.loop(48 * hour)
    assert.deepEqual([(await shop.session()).status, (await shop.orders()).length], ['completed', 1])
    assert.deepEqual(shop.charged(), [1, shop.amount, 0])
  })

  test('after a lost response to the creation the frame is found, and after a decline it stays open for another try', async () => {
    const shop = await openShop(given)
    shop.standIn.network.lose('after', { method: 'POST', path: '/v1/payment_intents' }, 2)
    await shop.begin()
    assert.equal((await shop.payment()).status, 'processing')
    await shop.loop(2 * minute)
    const found = await shop.testServer.fetch(`/c/${shop.secret}`)
    assert.match(found.text, /id="frame"/)
    assert.doesNotMatch(found.text, /Your payment was not completed/, 'nothing was tried yet')
    shop.there.pay(await shop.reference(), '4000000000009995')
    await shop.comeBack()
    const page = await shop.testServer.fetch(`/c/${shop.secret}`)
    assert.match(page.text, /id="frame"/)
    assert.match(page.text, /Your payment was not completed/)
    shop.there.pay(await shop.reference())
    await shop.loop(6 * minute)
    assert.equal((await shop.session()).status, 'completed')
    assert.deepEqual(shop.charged(), [1, shop.amount, 0])
  })

  const making = { method: 'POST', path: '/v1/payment_intents' } as const
  const listing = { method: 'GET', path: '/v1/payment_intents' } as const

  test('if Stripe fails to create the intent twice, the checkout is open again immediately, and the next try is charged once', async () => {
    const shop = await openShop(given)
    shop.standIn.network.break('before', making)
    await shop.begin()
    const session = await shop.session()
    assert.deepEqual([session.status, session.lastPaymentError?.code], ['open', 'provider_error'])
    const { status, checkAt } = await shop.payment()
    assert.deepEqual([status, checkAt], ['declined', null])
    await shop.begin(shop.secret, await shop.checkout.look(shop.secret))
    const [intent] = shop.there.books.intents.values()
    shop.there.pay(intent?.id ?? '')
    await shop.loop(6 * minute)
    assert.deepEqual([(await shop.session()).status, shop.charged()], ['completed', [1, shop.amount, 0]])
  })

  test('if a look-up finds that no intent was created, the checkout is open again within seconds', async () => {
    const shop = await openShop(given)
    shop.standIn.network.break('before', making)
    shop.standIn.network.fail(500, listing, 2)
    await shop.begin()
    assert.equal((await shop.session()).status, 'processing')
    await shop.loop(2_000)
    assert.deepEqual([(await shop.session()).status, (await shop.payment()).status], ['open', 'declined'])
    await shop.loop(24 * hour)
    assert.deepEqual(shop.charged(), [0, 0, 0])
  })

  test('an intent that a failed call has created is found in the list and paid once', async () => {
    const shop = await openShop(given)
    shop.standIn.network.break('after', making)
    await shop.begin()
    assert.match((await shop.testServer.fetch(`/c/${shop.secret}`)).text, /id="frame"/)
    shop.there.pay(await shop.reference())
    await shop.comeBack()
    assert.deepEqual([(await shop.session()).status, shop.charged()], ['completed', [1, shop.amount, 0]])
  })

  test('if an intent that a failed call has created is not listed, another one is created and charged once, and the page does not offer the first', async () => {
    const shop = await openShop(given)
    shop.standIn.network.break('after', making)
    const { onEvent } = shop.there.books
    shop.there.books.onEvent = () => {
      for (const intent of shop.there.books.intents.values()) intent.created -= 600
    }
    await shop.begin()
    shop.there.books.onEvent = onEvent
    assert.equal((await shop.session()).status, 'open')
    const [hidden] = shop.there.books.intents.values()
    await shop.begin(shop.secret, await shop.checkout.look(shop.secret))
    const page = await shop.testServer.fetch(`/c/${shop.secret}`)
    assert.ok(hidden?.client_secret && !page.text.includes(hidden.client_secret))
    const [, shown] = shop.there.books.intents.values()
    shop.there.pay(shown?.id ?? '')
    await shop.loop(6 * minute)
    await shop.loop(24 * hour)
    assert.deepEqual([(await shop.session()).status, shop.charged()], ['completed', [2, shop.amount, 0]])
    const kept = await shop.testServer.storage.read(
      (db) => db.sql<{ reference: string | null }>`select reference from payments order by created_at, id`,
    )
    assert.ok(!kept.some(({ reference }) => reference === hidden.id))
  })

  test('at whichever step the server dies, there is one charge and one order in the end', async () => {
    let endsAt = ''
    const shop = await openShop(given, {
      onStep(step) {
        if (step !== endsAt) return
        endsAt = ''
        throw new Error('the server ended here')
      },
    })
    for (const step of ['recorded', 'called', 'settling']) {
      const { secret, view, sessionId } = await shop.checkout.ready({ 'ROSE-12': 1 })
      const paymentOf = async () => {
        const found = await shop.testServer.storage.read((db) =>
          listPaymentsOfSession(db, shop.testServer.installationId, sessionId),
        )
        return found[0]
      }
      endsAt = step
      await assert.rejects(shop.begin(secret, view), { message: 'the server ended here' })
      assert.equal((await paymentOf())?.status, 'processing', step)
      await shop.loop(2 * minute)
      shop.there.pay((await paymentOf())?.reference ?? '')
      endsAt = 'settling'
      await shop.loop(6 * minute).catch(() => {})
      await shop.loop(2 * minute)
      assert.equal((await shop.checkout.read(sessionId)).body.data.status, 'completed', step)
    }
    assert.deepEqual([(await shop.orders()).length, ...shop.charged()], [3, 3, 3 * shop.amount, 0])
  })

  test('going back shows the order if the payment has just succeeded, and otherwise the open checkout', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.there.pay(await shop.reference())
    const result = await shop.testServer.app.checkout.goBack(shop.secret)
    assert.deepEqual([result?.problem, result?.view.session.status], [null, 'completed'])
    const other = await openShop(given)
    await other.begin()
    const back = await other.testServer.app.checkout.goBack(other.secret)
    assert.deepEqual([back?.problem, back?.view.session.status], [null, 'open'])
    assert.throws(() => other.there.pay([...other.there.books.intents.keys()][0] ?? ''))
    assert.deepEqual(other.charged(), [1, 0, 0])
  })

  test('a payment that succeeds after it was declined is refunded', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const reference = await shop.reference()
    // What Stripe never does, and what a merchant does by hand: it is open again, and paid.
    await shop.testServer.app.checkout.goBack(shop.secret)
    assert.equal((await shop.payment()).status, 'declined')
    Object.assign(shop.there.books.intent(reference), { status: 'requires_payment_method', canceled_at: null })
    shop.there.pay(reference)
    const { id, installationId } = await shop.payment()
    await shop.testServer.storage.write(
      (tx) =>
        tx.sql`update payments set check_at = ${shop.testServer.clock.now} where installation_id = ${installationId} and id = ${id}`,
    )
    await shop.loop(minute)
    await shop.giveBack()
    assert.deepEqual([(await shop.payment()).status, (await shop.orders()).length], ['voided', 0])
    assert.deepEqual(shop.charged(), [1, shop.amount, shop.amount])
  })

  test('an order with a direct debit stays unpaid until the debit is paid', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.there.pay(await shop.reference(), debit)
    await shop.comeBack()
    const statuses = async () => (await shop.orders()).map(({ status, paymentStatus }) => [status, paymentStatus])
    assert.deepEqual(await statuses(), [['placed', 'pending']])
    shop.there.finishDebit(await shop.reference())
    await shop.loop(2 * hour)
    assert.deepEqual(await statuses(), [['placed', 'paid']])
    assert.deepEqual(shop.charged(), [1, shop.amount, 0])
  })

  test('a failed direct debit cancels the order and restocks its units, and can no longer be paid', async () => {
    const shop = await openShop(given)
    const before = await shop.stock()
    await shop.begin()
    const reference = await shop.reference()
    shop.there.pay(reference, debit)
    await shop.comeBack()
    assert.notEqual(await shop.stock(), before)
    shop.there.finishDebit(reference, 'fails')
    await shop.loop(2 * hour)
    await shop.giveBack()
    assert.deepEqual(
      (await shop.orders()).map(({ status, paymentStatus }) => [status, paymentStatus]),
      [['cancelled', 'voided']],
    )
    assert.equal(await shop.stock(), before)
    assert.throws(() => shop.there.pay(reference))
    assert.deepEqual(shop.charged(), [1, 0, 0])
  })

  test('Stripe gets the delivery address before the payment, and after it the order number, which is retried until Stripe responds', async () => {
    const shop = await openShop(given)
    await shop.begin()
    const intent = shop.there.books.intent(await shop.reference())
    const { customer, address } = shop.view
    assert.ok(address && customer.email)
    assert.deepEqual(
      [intent.shipping?.name, intent.shipping?.address?.line1, intent.shipping?.address?.country],
      [address.name, address.line1, address.country],
    )
    assert.deepEqual(
      [intent.description, intent.statement_descriptor_suffix, intent.receipt_email],
      ['Bloom', 'Bloom', null],
    )
    shop.there.pay(intent.id)
    await shop.comeBack()
    const labels = async () =>
      (await shop.testServer.storage.read((db) => db.sql<{ tries: number }>`select tries from payment_labels`)).map(
        ({ tries }) => Number(tries),
      )
    assert.deepEqual(await labels(), [0])
    shop.standIn.network.fail(500, { method: 'POST', path: /payment_intents/ }, 2)
    assert.equal(await labelPayments(shop.tools), 1)
    assert.deepEqual([await labels(), await labelPayments(shop.tools)], [[1], 0], 'not at once')
    shop.testServer.clock.now += 10_000
    assert.equal(await labelPayments(shop.tools), 1)
    const [order] = (await shop.testServer.ask('listStorefrontOrders')).body.data.orders
    const { id: cartwright_payment } = await shop.payment()
    assert.deepEqual(
      [intent.description, intent.metadata],
      [`Bloom ${order.number}`, { cartwright_payment, order_number: order.number }],
    )
    assert.deepEqual(await labels(), [])
    await shop.loop(hour)
    assert.equal((await shop.payment()).status, 'succeeded')
  })

  test('can be paid even if Stripe fails to store the delivery address and the description', async () => {
    for (const status of [429, 500] as const) {
      const shop = await openShop(given)
      shop.standIn.network.fail(status, { method: 'POST', path: /payment_intents\/pi_/ }, 2)
      await shop.begin()
      assert.equal((await shop.payment()).status, 'challenge', `${status}`)
      assert.equal(shop.there.books.intent(await shop.reference()).shipping, null)
    }
  })

  test('sending the order number to Stripe is abandoned after many failures', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.there.pay(await shop.reference())
    await shop.comeBack()
    let rounds = 0
    for (; rounds < 20; rounds += 1) {
      shop.standIn.network.fail(500, { method: 'POST', path: /payment_intents/ }, 2)
      if ((await labelPayments(shop.tools)) === 0) break
      shop.testServer.clock.now += 7 * hour
    }
    shop.standIn.network.reset()
    assert.equal(rounds, 9)
  })

  test('no secret key and no personal data is in clear text in a table or in the log', async () => {
    const shop = await openShop(given)
    await shop.begin()
    shop.there.pay(await shop.reference())
    shop.there.revoke(shop.there.restrictedKey)
    await shop.comeBack()
    const { restrictedKey, books } = shop.there
    const secrets = [
      restrictedKey,
      ...books.endpointSecrets.values(),
      books.intent(await shop.reference()).client_secret ?? '',
      shop.view.customer.email,
      shop.view.address?.line1 ?? '',
    ]
    assert.ok(secrets.every((secret) => secret.length > 4))
    const rows = await shop.testServer.storage.read(async (db) => {
      const tables =
        given.engine === 'sqlite'
          ? await db.sql<{ name: string }>`select name from sqlite_master where type = 'table'`
          : await db.sql<{ name: string }>`
              select table_name as "name" from information_schema.tables where table_schema = 'public'`
      const all: unknown[] = []
      for (const { name } of tables) all.push(await db.sql`select * from ${new Fragment(name)}`)
      return JSON.stringify(all)
    })
    assert.ok(rows.includes(shop.there.publishableKey), 'the tables were read')
    const log = JSON.stringify(shop.testServer.lines())
    assert.match(log, /StripeAuthenticationError/)
    for (const secret of secrets) assert.ok(!rows.includes(secret) && !log.includes(secret))
  })
})
