// The operator counts, and there is less than is held by checkouts: as many as can be served are served, in the order in
// which they come to pay, and nobody is charged for what is not there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { listTestCharges } from '../src/domain/payments/providers/sandbox/provider.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'

const challengeCard = '4000002500003155'

function shop(stock: number): ShopFile {
  const skus = [{ code: 'WIDGET', price: 100, stock, requiresShipping: false }]
  return { ...market, products: [{ slug: 'widget', name: 'Widget', publishedAt: '2026-01-01T00:00:00.000Z', skus }] }
}

async function openScene(given: Given) {
  const testServer = await openTestServer(given, { shops: [shop(500)] })
  const checkout = await checkoutOf(testServer)
  return {
    testServer,
    checkout,
    correct: (stock: number) => testServer.apply(shop(stock), { stock: true }),
    async four() {
      const opened = []
      for (let i = 0; i < 4; i += 1) opened.push(await checkout.ready({ WIDGET: 50 }))
      return opened
    },
    onHand: async () => {
      const [row] = await testServer.storage.read(
        (db) => db.sql<{ onHand: number; held: number }>`
          select t.on_hand as "onHand", t.held from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id
          where s.code = 'WIDGET' and t.mode = 'test'`,
      )
      return row
    },
    approved: async () =>
      (await listTestCharges(testServer.storage)).filter(({ state }) => state === 'approved').length,
  }
}

eachEngine('stock that is set below the held quantity', (given) => {
  test('completes the first three of four checkouts of 50 units each when it is set to 160, and offers the fourth the remaining 10', async () => {
    const scene = await openScene(given)
    const opened = await scene.four()
    await scene.correct(160)
    const problems = []
    for (const { secret } of opened) {
      const view = await scene.checkout.look(secret)
      if (problems.length < 3) assert.deepEqual(view.session.messages, [], 'what is promised is there')
      const { problem } = await scene.checkout.pay(secret, view)
      problems.push(problem?.code ?? null)
    }
    assert.deepEqual(problems, [null, null, null, 'insufficient_stock'])
    const last = await scene.checkout.look(opened[3]?.secret ?? '')
    assert.deepEqual(
      last.session.messages.map(({ code, current }) => [code, current]),
      [['insufficient_stock', 10]],
    )
    assert.deepEqual([await scene.onHand(), await scene.approved()], [{ onHand: 10, held: 50 }, 3])
  })

  test('completes concurrent payments as long as there is stock, and does not charge the others', async () => {
    const scene = await openScene(given)
    const opened = await scene.four()
    await scene.correct(160)
    const views = []
    for (const { secret } of opened) views.push({ secret, view: await scene.checkout.look(secret) })
    const results = await Promise.all(views.map(({ secret, view }) => scene.checkout.pay(secret, view)))
    const served = results.filter(({ view }) => view.session.status === 'completed').length
    assert.deepEqual([served, await scene.approved(), (await scene.onHand())?.onHand], [3, 3, 10])
  })

  test('is sold to the shopper who is already paying, and another payment for the same units is refused', async () => {
    const scene = await openScene(given)
    const [first, second] = await scene.four()
    assert.ok(first && second)
    await scene.checkout.pay(first.secret, first.view, challengeCard)
    await scene.correct(60)
    const { problem } = await scene.checkout.pay(second.secret, await scene.checkout.look(second.secret))
    assert.deepEqual(problem, { code: 'insufficient_stock', skuId: scene.checkout.carts.sku('WIDGET'), available: 10 })
    const waiting = await scene.checkout.look(first.secret)
    const done = await scene.testServer.app.checkout.answerChallenge(
      first.secret,
      waiting.challenge?.paymentId ?? '',
      'accept',
    )
    assert.equal(done?.view.session.status, 'completed')
    assert.deepEqual([await scene.approved(), (await scene.onHand())?.onHand], [1, 10])
  })

  test('leads to no order for a payment that is approved when nothing is left, and no order number is skipped', async () => {
    const scene = await openScene(given)
    const { app, ask } = scene.testServer
    const [first, second] = await scene.four()
    assert.ok(first && second)
    await scene.checkout.pay(first.secret, first.view, challengeCard)
    await scene.correct(0)
    const waiting = await scene.checkout.look(first.secret)
    const done = await app.checkout.answerChallenge(first.secret, waiting.challenge?.paymentId ?? '', 'accept')
    assert.deepEqual([done?.view.session.status, done?.view.session.orderId], ['open', null])
    await scene.correct(500)
    const { view } = await scene.checkout.pay(second.secret, await scene.checkout.look(second.secret))
    const order = await ask('getStorefrontOrder', { path: { orderId: view.session.orderId ?? '' } })
    assert.equal(order.body.data.number, 'T-1001')
  })

  test('cannot be bought in a new checkout', async () => {
    const scene = await openScene(given)
    await scene.four()
    await scene.correct(160)
    assert.equal((await scene.checkout.open({ WIDGET: 1 })).body.error.code, 'insufficient_stock')
  })
})
