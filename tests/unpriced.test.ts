// A cart that no exact number can price any more, because a price in the catalog became absurd after it was filled. It can be
// read, mended, cancelled and expires; it cannot be paid. Shop files refuse such prices today; rows from before may hold them.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { berlin, eventsOf, market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { issuesOf } from '../harness/schemas.ts'
import { rival } from '../harness/shops.ts'
import { anyEngine } from '../harness/storage.ts'
import { assertError, openTestServer, type TestServer } from '../harness/testServer.ts'
import { eventSchemas } from '../src/contract/open/events.ts'
import type { EventKind } from '../src/contract/words.ts'
import { expireCarts } from '../src/domain/carts/sweep.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { newId } from '../src/platform/kit/ids.ts'

// An article number with two zeros: a column that was taken for the price.
const absurd = 4_006_381_333_931_000
const zeros = { subtotal: 0, discount: 0, shipping: 0, tax: 0, taxIncluded: true, total: 0 }

const codesOf = (messages: readonly { code: string }[]) => messages.map(({ code }) => code)

anyEngine('a cart that cannot be priced', (given) => {
  let testServer: TestServer
  let checkout: Checkout

  before(async () => {
    testServer = await openTestServer(given, { shops: [market, rival] })
    checkout = await checkoutOf(testServer)
  })

  // As provisioning writes it, past its checks.
  async function setPrice(code: string, price: number): Promise<void> {
    const { storage, merchantId, clock } = testServer
    await storage.write(async (tx) => {
      await tx.sql`update skus set price = ${price} where merchant_id = ${merchantId} and code = ${code}`
      await tx.sql`update merchants set catalog_version = catalog_version + 1 where id = ${merchantId}`
      await tx.sql`
        update listed_products set stale_at = ${clock.now} where merchant_id = ${merchantId} and product_id = (
          select product_id from skus where merchant_id = ${merchantId} and code = ${code})`
    })
  }

  async function whileAbsurd<T>(work: () => Promise<T>): Promise<T> {
    await setPrice('CARD', absurd)
    try {
      return await work()
    } finally {
      await setPrice('CARD', 333)
    }
  }

  async function lastEvent(subjectId: string) {
    const event = (await eventsOf(testServer, subjectId)).at(-1)
    assert.ok(event)
    const schema = eventSchemas.get(event.type as EventKind)
    assert.ok(schema)
    assert.deepEqual(issuesOf(schema, event.body), [])
    return event
  }

  const countOf = async (table: 'payments' | 'orders') => {
    const [row] = await testServer.storage.read((db) =>
      table === 'orders'
        ? db.sql<{ n: number }>`select count(*) as "n" from orders`
        : db.sql<{ n: number }>`select count(*) as "n" from payments`,
    )
    return row?.n
  }

  test('can be read with a message and without amounts, and is as before once the price is valid again', async () => {
    const cartId = await checkout.carts.create({ CARD: 20, BOOK: 1 })
    const priced = (await checkout.carts.read(cartId)).text
    await whileAbsurd(async () => {
      const [first, second] = [await checkout.carts.read(cartId), await checkout.carts.read(cartId)]
      assert.equal(first.status, 200)
      assert.equal(second.text, first.text)
      const { items, totals, messages, shipping, promotion, itemCount, version } = first.body.data
      assert.deepEqual(totals, zeros)
      assert.deepEqual(
        items.map(({ unitPrice, subtotal, discount, tax, total }: Record<string, number>) => [
          unitPrice,
          subtotal,
          discount,
          tax,
          total,
        ]),
        [
          [absurd, 0, 0, 0, 0],
          [2995, 0, 0, 0, 0],
        ],
      )
      assert.deepEqual(codesOf(messages), ['price_unavailable', 'price_changed'])
      assert.deepEqual(messages[0], {
        code: 'price_unavailable',
        message: 'The cart cannot be priced now: its total would be too large. Its amounts are shown as 0.',
        skuId: null,
        previous: null,
        current: null,
      })
      assert.deepEqual(shipping, { optionId: null, options: [] })
      assert.deepEqual(promotion, { state: 'none', code: null, amount: 0 })
      assert.deepEqual([itemCount, version], [21, 1])
    })
    assert.equal((await checkout.carts.read(cartId)).text, priced)
  })

  test('refuses changes with 409, except for one after which it can be priced', async () => {
    const { carts } = checkout
    const cartId = await carts.create({ CARD: 20, BOOK: 1 })
    assert.equal((await carts.promote(cartId, 'WELCOME10')).status, 200)
    await whileAbsurd(async () => {
      const refused = [
        await carts.put(cartId, 'COURSE', 1),
        await carts.patch(cartId, 'BOOK', 2),
        await carts.promote(cartId, 'FIVER'),
        await carts.promote(cartId, 'NO-SUCH-CODE'),
        await carts.promote(cartId, null),
        await carts.address(cartId, berlin),
        await testServer.ask('createHostedCheckoutSession', {
          body: { idempotencyKey: randomUUID(), cartId, successUrl: 'http://localhost:9/' },
        }),
      ]
      for (const answer of refused) {
        assert.equal(answer.status, 409, answer.text)
        assertError(answer, 'quantity_limit_exceeded')
      }
      assert.equal((await carts.read(cartId)).body.data.version, 2)
      const mended = await carts.remove(cartId, 'CARD')
      assert.equal(mended.status, 200)
      assert.deepEqual(codesOf(mended.body.data.messages), [])
      assert.deepEqual(mended.body.data.promotion, { state: 'applied', code: 'WELCOME10', amount: 300 })
      assert.equal(mended.body.data.totals.subtotal, 2995)
    })
  })

  test('expires with its event', async () => {
    const cartId = await checkout.carts.create({ CARD: 20 })
    const { expiresAt } = (await checkout.carts.read(cartId)).body.data
    await whileAbsurd(async () => {
      await expireCarts(testServer.storage, testServer.app.cartTools, Date.parse(expiresAt))
      const { type, sequence, body } = await lastEvent(cartId)
      assert.deepEqual([type, sequence, body.data.cart.totals], ['cart.expired', 2, zeros])
      assert.deepEqual(codesOf(body.data.cart.messages), ['price_unavailable', 'price_changed'])
    })
  })

  for (const end of ['cancelled', 'expired'] as const) {
    test(`has a session that can be read and shown, and that is ${end}`, async () => {
      const { sessionId, secret } = await checkout.ready({ CARD: 20 })
      await whileAbsurd(async () => {
        const read = await checkout.read(sessionId)
        assert.equal(read.status, 200)
        const { totals, messages, cartId, expiresAt, hold } = read.body.data
        assert.deepEqual([totals, hold.status], [zeros, 'held'])
        assert.deepEqual(codesOf(messages), ['price_unavailable', 'price_changed'])
        const page = await testServer.fetch(`/c/${secret}`)
        assert.equal(page.status, 200)
        assert.match(page.text, /cannot be priced at the moment/)
        assert.doesNotMatch(page.text, /€0\.00|id="pay-button"/)

        if (end === 'cancelled') {
          const answer = await testServer.ask('cancelHostedCheckoutSession', {
            path: { sessionId },
            body: { idempotencyKey: randomUUID() },
          })
          assert.equal(answer.status, 200)
          assert.equal(answer.body.data.status, 'cancelled')
        } else assert.equal(await expireSessions(testServer.storage, testServer.app.payTools, Date.parse(expiresAt)), 1)
        const told = await lastEvent(sessionId)
        assert.deepEqual([told.type, told.body.data.checkoutSession.totals], [`checkout_session.${end}`, zeros])
        const cart = await lastEvent(cartId)
        assert.deepEqual([cart.type, cart.body.data.cart.checkoutSessionId], ['cart.updated', null])
        const ended = await testServer.fetch(`/c/${secret}`)
        assert.equal(ended.status, 200)
        assert.doesNotMatch(ended.text, /€0\.00/)
        const again = await testServer.fetch(`/c/${secret}/again`, {
          method: 'POST',
          body: new URLSearchParams(),
          redirect: 'manual',
        })
        assert.equal(again.status, 200)
        assert.match(again.text, /cannot be priced at the moment/)
      })
    })
  }

  test('cannot be paid, and is never sold for nothing', async () => {
    const { secret, view } = await checkout.ready({ CARD: 20 })
    const before = [await countOf('payments'), await countOf('orders')]
    await whileAbsurd(async () => {
      const seen = await checkout.look(secret)
      for (const shown of [seen, view]) {
        const { problem } = await checkout.pay(secret, shown)
        assert.deepEqual(problem, { code: 'price_unavailable' })
      }
      const changed = await testServer.app.checkout.changeQuantity(
        secret,
        seen.session.version,
        checkout.carts.sku('CARD'),
        19,
      )
      assert.deepEqual(changed?.problem, { code: 'price_unavailable' })
      const fields = new URLSearchParams({
        version: String(seen.session.version),
        expectedTotal: '0',
        attempt: newId('pay'),
        method: 'test:card',
        number: '4242424242424242',
        expiry: '12 / 40',
        cvc: '123',
        name: 'Ada',
      })
      const posted = await testServer.fetch(`/c/${secret}/pay`, { method: 'POST', body: fields, redirect: 'manual' })
      assert.equal(posted.status, 200)
      assert.match(posted.text, /cannot be priced at the moment/)
      assert.deepEqual([await countOf('payments'), await countOf('orders')], before)
      const mended = await testServer.app.checkout.changeQuantity(
        secret,
        seen.session.version,
        checkout.carts.sku('CARD'),
        1,
      )
      assert.equal(mended?.problem, null)
      assert.equal(mended?.view.session.totals.subtotal, absurd)
    })
  })

  test('gets its session reopened if a payment is declined after the price became invalid', async () => {
    const { sessionId, secret, view } = await checkout.ready({ CARD: 20 })
    await checkout.pay(secret, view, '4000002500003155')
    const { challenge } = await checkout.look(secret)
    assert.ok(challenge)
    await whileAbsurd(async () => {
      assert.equal((await checkout.read(sessionId)).body.data.totals.total, view.session.totals.total)
      const refused = await testServer.app.checkout.answerChallenge(secret, challenge.paymentId, 'refuse')
      assert.equal(refused?.problem, null)
      const { status, lastPaymentError, messages } = (await checkout.read(sessionId)).body.data
      assert.deepEqual([status, lastPaymentError.code], ['open', 'authentication_failed'])
      assert.deepEqual(codesOf(messages), ['price_unavailable', 'price_changed'])
      assert.equal((await lastEvent(sessionId)).type, 'checkout_session.payment_failed')
    })
  })
})
