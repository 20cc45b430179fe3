import assert from 'node:assert/strict'
import { test } from 'node:test'
import { berlin, cartsOf, eventsOf, market } from '../harness/carts.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('applyPublicCartPromotion', (given) => {
  test('200 with an applied code, whose amounts were calculated by hand', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 2, CARD: 3, BOOK: 1 })
    // 2 × 3500 + 3 × 333 + 2995 = 10994. Tax inside: 7000 − 7000/1.19 = 1118, 999 − 999/1.19 = 160, 2995 − 2995/1.07 = 196.
    const before = await carts.read(cartId)
    assert.deepEqual(before.body.data.totals, {
      subtotal: 10_994,
      discount: 0,
      shipping: 0,
      tax: 1474,
      taxIncluded: true,
      total: 10_994,
    })

    // 10 % of 10994 = 1099.4 → 1099. Shares 699.745, 99.864, 299.390: the floors give 1097, the two cents go to the
    // largest remainders, the cards and the roses. Tax inside 6300, 899 and 2696: 1006 + 144 + 176.
    const { body } = await carts.promote(cartId, ' welcome10 ')
    assert.deepEqual(body.data, {
      cartId,
      cartVersion: 2,
      promotion: {
        state: 'applied',
        code: 'WELCOME10',
        name: 'Welcome',
        type: 'percentage',
        amount: 1099,
        allocations: [
          { skuId: carts.sku('ROSE-12'), amount: 700 },
          { skuId: carts.sku('CARD'), amount: 100 },
          { skuId: carts.sku('BOOK'), amount: 299 },
        ],
        reason: null,
        conditions: { minimumSubtotal: null, startsAt: null, endsAt: null, eligibleCategories: [], eligibleSkuIds: [] },
      },
      totals: { subtotal: 10_994, discount: 1099, shipping: 0, tax: 1326, taxIncluded: true, total: 9895 },
    })
    const cart = (await carts.read(cartId)).body.data
    assert.deepEqual(cart.promotion, { state: 'applied', code: 'WELCOME10', amount: 1099 })
    assert.deepEqual(
      cart.items.map(({ subtotal, discount, tax, total }: Record<string, number>) => [subtotal, discount, tax, total]),
      [
        [7000, 700, 1006, 6300],
        [999, 100, 144, 899],
        [2995, 299, 176, 2696],
      ],
    )

    // To Berlin: 10994 before the discount ships free from 10000 on, though 9895 are left to pay.
    await carts.address(cartId, berlin)
    assert.deepEqual((await carts.read(cartId)).body.data.totals, {
      subtotal: 10_994,
      discount: 1099,
      shipping: 0,
      tax: 1326,
      taxIncluded: true,
      total: 9895,
    })

    // Another code replaces it. 500 spread as 318, 46, 136.
    const fiver = await carts.promote(cartId, 'FIVER')
    assert.deepEqual(
      fiver.body.data.promotion.allocations.map(({ amount }: { amount: number }) => amount),
      [318, 46, 136],
    )
    assert.deepEqual(fiver.body.data.totals, {
      subtotal: 10_994,
      discount: 500,
      shipping: 0,
      tax: 1406,
      taxIncluded: true,
      total: 10_494,
    })

    // Taking it off restores the totals.
    const off = await carts.promote(cartId, null)
    assert.equal(off.body.data.promotion.state, 'none')
    assert.deepEqual(off.body.data.totals, { ...before.body.data.totals })
    const events = await eventsOf(testServer, cartId)
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3, 4, 5],
    )
  })

  test('200 with a code that applies to a category with its subcategories, or to one SKU', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 2, BOOK: 1 })
    const roses = await carts.promote(cartId, 'ROSES')
    assert.deepEqual(roses.body.data.promotion.allocations, [{ skuId: carts.sku('ROSE-12'), amount: 3500 }])
    assert.deepEqual(roses.body.data.promotion.conditions.eligibleCategories, ['bouquets'])
    const book = await carts.promote(cartId, 'BOOKISH')
    assert.deepEqual(book.body.data.promotion.allocations, [{ skuId: carts.sku('BOOK'), amount: 1000 }])
    assert.deepEqual(book.body.data.promotion.conditions.eligibleSkuIds, [carts.sku('BOOK')])
  })

  test('200 with free shipping, which the totals show as shipping costs and an equal discount', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 2 })
    const early = await carts.promote(cartId, 'SHIPFREE')
    assert.deepEqual(
      [early.body.data.promotion.state, early.body.data.promotion.reason],
      ['pending', 'no_shipping_to_discount'],
    )
    await carts.address(cartId, berlin)
    const { body } = await carts.read(cartId)
    assert.deepEqual(body.data.promotion, { state: 'applied', code: 'SHIPFREE', amount: 490 })
    assert.deepEqual(body.data.totals, {
      subtotal: 7000,
      discount: 490,
      shipping: 490,
      tax: 1118,
      taxIncluded: true,
      total: 7000,
    })
  })

  test('200 with a pending code, which is applied as soon as the cart qualifies, and pending again when it no longer does', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 1 })
    const { body } = await carts.promote(cartId, 'BIG')
    assert.deepEqual(
      [body.data.promotion.state, body.data.promotion.reason, body.data.promotion.amount, body.data.cartVersion],
      ['pending', 'minimum_not_met', 0, 2],
    )
    assert.equal(body.data.promotion.conditions.minimumSubtotal, 20_000)
    const enough = await carts.patch(cartId, 'ROSE-12', 6)
    assert.deepEqual(enough.body.data.promotion, { state: 'applied', code: 'BIG', amount: 4200 })
    const less = await carts.patch(cartId, 'ROSE-12', 5)
    assert.deepEqual(less.body.data.promotion, { state: 'pending', code: 'BIG', amount: 0 })
    assert.deepEqual(
      less.body.data.messages.map(({ code }: { code: string }) => code),
      ['promotion_pending'],
    )
  })

  test('200 with a rejected code and its reason; the cart stays unchanged, with its earlier code', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 10 })
    await carts.promote(cartId, 'WELCOME10')
    const before = await carts.read(cartId)
    for (const [code, reason] of [
      ['NOSUCH', 'not_found'],
      ['OLD', 'expired'],
      ['SOON', 'not_started'],
      ['OFF', 'disabled'],
      ['GONE', 'usage_limit_reached'],
    ] as const) {
      const { status, body } = await carts.promote(cartId, code)
      assert.equal(status, 200)
      assert.deepEqual(
        [body.data.promotion.state, body.data.promotion.code, body.data.promotion.reason, body.data.promotion.amount],
        ['rejected', code, reason, 0],
      )
      assert.equal(body.data.cartVersion, 2)
      assert.deepEqual(body.data.totals, before.body.data.totals)
    }
    assert.equal((await carts.read(cartId)).text, before.text)
    assert.equal((await eventsOf(testServer, cartId)).length, 2)
  })

  test('200 reports a code that lapsed; after the next write the cart no longer has the code', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 10 })
    await carts.promote(cartId, 'WELCOME10')
    await testServer.storage.write((tx) => tx.sql`update promotions set disabled_at = 1 where code = 'WELCOME10'`)
    const { body } = await carts.read(cartId)
    assert.deepEqual([body.data.promotion.state, body.data.totals.discount], ['none', 0])
    assert.deepEqual(
      body.data.messages.map(({ code }: { code: string }) => code),
      ['promotion_lapsed'],
    )
    const after = await carts.patch(cartId, 'CARD', 9)
    assert.deepEqual([after.body.data.promotion.state, after.body.data.messages], ['none', []])
    await testServer.storage.write((tx) => tx.sql`update promotions set disabled_at = null where code = 'WELCOME10'`)
    assert.equal((await carts.read(cartId)).body.data.promotion.state, 'none')
  })

  test('429 after ten rejected codes in a minute for one cart, also for valid codes', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const [cartId, other] = [await carts.create({ CARD: 1 }), await carts.create({ CARD: 1 })]
    for (let guess = 0; guess < 10; guess += 1) {
      assert.equal((await carts.promote(cartId, `GUESS${guess}`)).body.data.promotion.state, 'rejected')
      testServer.clock.now += 1_000
    }
    const refused = await carts.promote(cartId, 'WELCOME10')
    assertError(refused, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '50')
    assert.equal((await carts.promote(cartId, null)).status, 200)
    assert.equal((await carts.promote(other, 'WELCOME10')).body.data.promotion.state, 'applied')
    testServer.clock.now += 50_000
    assert.equal((await carts.promote(cartId, 'WELCOME10')).body.data.promotion.state, 'applied')
    for (let guess = 0; guess < 10; guess += 1) await carts.promote(cartId, `GUESS${guess}`)
    assertError(await carts.promote(cartId, 'GUESS'), 'rate_limited')
    // Not for as long as the clock needs to be there again.
    testServer.clock.now -= 3_600_000
    assert.equal((await carts.promote(cartId, 'GUESS')).body.data.promotion.state, 'rejected')
  })
})
