// What a shopper changes on the page is told together: one event with the last state, a few seconds later, instead of one with
// the whole cart for each change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { announceCarts } from '../src/domain/carts/unannounced.ts'

const edits = 12
const second = 1_000

eachEngine('edits of a cart on the checkout page', (given) => {
  async function openScene() {
    const testServer = await openTestServer(given, { shops: [market] })
    const checkout = await checkoutOf(testServer)
    const opened = await checkout.open({ CARD: 1, BOOK: 1 })
    const secret = opened.body.data.url.split('/').at(-1) as string
    const { cartId } = opened.body.data
    const setCard = async (quantity: number) => {
      const { session } = await checkout.look(secret)
      const result = await testServer.app.checkout.changeQuantity(
        secret,
        session.version,
        checkout.carts.sku('CARD'),
        quantity,
      )
      assert.equal(result?.problem, null)
    }
    const tell = () => announceCarts(testServer.storage, testServer.app.cartTools, testServer.clock.now)
    const announced = async () =>
      (await eventsOf(testServer, cartId)).map(({ type, sequence }) => `${type} ${sequence}`)
    const lastAnnounced = async () => (await eventsOf(testServer, cartId)).at(-1)?.body.data.cart
    return { testServer, checkout, secret, cartId, setCard, tell, announced, lastAnnounced }
  }

  test('are announced as one event with the last state, five seconds after the first edit', async () => {
    const { testServer, checkout, cartId, setCard, tell, announced, lastAnnounced } = await openScene()
    const before = await announced()
    for (let quantity = 2; quantity < 2 + edits; quantity += 1) await setCard(quantity)
    assert.deepEqual(await announced(), before)
    testServer.clock.now += 5 * second - 1
    assert.equal(await tell(), 0)
    testServer.clock.now += 1
    assert.equal(await tell(), 1)
    const { body } = await checkout.carts.read(cartId)
    assert.deepEqual(await announced(), [...before, `cart.updated ${body.data.version}`])
    assert.deepEqual(await lastAnnounced(), body.data)
    assert.equal(body.data.items[0].quantity, 1 + edits)
    assert.equal(body.data.version, before.length + edits)
    // Nothing is told twice.
    testServer.clock.now += 5 * second
    assert.equal(await tell(), 0)
    await setCard(1)
    testServer.clock.now += 5 * second
    assert.deepEqual(await Promise.all([tell(), tell()]).then((counts) => counts.toSorted()), [0, 1])
  })

  test('are announced together with any other event of the cart: a request, a payment or the end of the checkout', async () => {
    const called = await openScene()
    await called.setCard(2)
    const answer = await called.checkout.carts.patch(called.cartId, 'BOOK', 2)
    assert.deepEqual(await called.lastAnnounced(), answer.body.data)
    const ended = await openScene()
    await ended.setCard(3)
    await ended.testServer.app.checkout.cancel(ended.secret)
    assert.equal((await ended.lastAnnounced()).items[0].quantity, 3)
    const paid = await openScene()
    const { secret } = await paid.checkout.ready({ CARD: 2 })
    const { view } = await paid.checkout.pay(secret, await paid.checkout.look(secret))
    const events = await eventsOf(paid.testServer, view.session.cartId)
    assert.equal(events.at(-1)?.type, 'cart.converted')
    for (const { testServer, tell } of [called, ended, paid]) {
      testServer.clock.now += 10 * second
      assert.equal(await tell(), 0)
    }
  })

  test('that were made before a payment are announced after the payment has failed', async () => {
    const { testServer, checkout, tell } = await openScene()
    const { secret, view } = await checkout.ready({ COURSE: 1 })
    await checkout.pay(secret, view, '4000002500003155')
    const { challenge, session } = await checkout.look(secret)
    testServer.clock.now += 5 * second
    assert.equal(await tell(), 0)
    await testServer.app.checkout.answerChallenge(secret, challenge?.paymentId ?? '', 'refuse')
    assert.equal(await tell(), 1)
    const last = (await eventsOf(testServer, session.cartId)).at(-1)
    assert.deepEqual([last?.type, last?.body.cause, last?.body.data.cart.status], ['cart.updated', null, 'open'])
  })
})
