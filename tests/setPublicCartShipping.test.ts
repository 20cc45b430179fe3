import assert from 'node:assert/strict'
import { test } from 'node:test'
import { berlin, cartsOf, eventsOf, market, paris } from '../harness/carts.ts'
import { checkoutOf, secretOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('setPublicCartShipping', (given) => {
  test('200 with the choice and the new total; the choice stays through other changes, and makes one event', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 1 })
    await carts.address(cartId, berlin)
    const offered = (await carts.read(cartId)).body.data
    assert.deepEqual(offered.shipping, {
      optionId: 'standard',
      options: [
        { id: 'standard', label: 'Standard', amount: 490 },
        { id: 'express', label: 'Express', amount: 990 },
      ],
    })
    const body = { idempotencyKey: 'express', optionId: 'express', expectedVersion: 2 }
    const { data } = (await carts.ship(cartId, 'express', body)).body
    assert.deepEqual(
      [data.version, data.shipping.optionId, data.totals.shipping, data.totals.total],
      [3, 'express', 990, offered.totals.total + 500],
    )
    assert.deepEqual((await carts.read(cartId)).body.data, data)
    const again = await carts.ship(cartId, 'express', body)
    assert.deepEqual([again.headers.get('idempotency-replayed'), again.body.data], ['true', data])
    const events = await eventsOf(testServer, cartId)
    assert.deepEqual(
      events.map(({ type, sequence }) => [type, sequence]),
      [
        ['cart.created', 1],
        ['cart.updated', 2],
        ['cart.updated', 3],
      ],
    )
    assert.deepEqual(events.at(-1)?.body.data.cart, data)
    assert.equal((await carts.put(cartId, 'ROSE-12', 2)).body.data.shipping.optionId, 'express')
  })

  test('409 for an option that the destination does not offer, without an address, and if nothing is shipped', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 1 })
    const early = await carts.ship(cartId, 'express')
    assertError(early, 'shipping_option_not_offered')
    assert.match(early.body.error.message, /no address/)
    await carts.address(cartId, paris)
    const abroad = await carts.ship(cartId, 'express')
    assertError(abroad, 'shipping_option_not_offered')
    assert.match(abroad.body.error.message, /offers parcel\./)
    assert.deepEqual(abroad.body.error.current, { status: 'open', version: 2 })
    assertError(await carts.ship(cartId, 'Parcel'), 'shipping_option_not_offered')
    assertError(await carts.ship(cartId, ''), 'invalid_request')
    const cart = (await carts.read(cartId)).body.data
    assert.deepEqual([cart.version, cart.shipping.optionId], [2, 'parcel'])

    const course = await carts.create({ COURSE: 1 })
    await carts.address(course, berlin)
    assertError(await carts.ship(course, 'standard'), 'shipping_option_not_offered')
  })

  test('200 estimatePublicCartShipping returns the costs for a country without changing the cart, equal to those with the address', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 1 })
    const before = (await carts.read(cartId)).body.data
    const estimate = (country: string, id = cartId) =>
      testServer.ask('estimatePublicCartShipping', { path: { cartId: id }, query: `?country=${country}` })
    const germany = (await estimate('DE')).body.data
    const france = (await estimate('FR')).body.data
    assert.deepEqual((await carts.read(cartId)).body.data, before, 'nothing is changed')
    assert.deepEqual([germany.optionId, france.optionId, germany.requiresShipping], ['standard', 'parcel', true])
    for (const [address, said] of [
      [berlin, germany],
      [paris, france],
    ] as const) {
      await carts.address(cartId, address)
      const { shipping, totals } = (await carts.read(cartId)).body.data
      assert.deepEqual({ optionId: said.optionId, options: said.options, totals: said.totals }, { ...shipping, totals })
    }
    const nowhere = (await estimate('AQ')).body.data
    assert.deepEqual([nowhere.options, nowhere.optionId], [[], null])
    const course = await carts.create({ COURSE: 1 })
    const sent = (await estimate('DE', course)).body.data
    assert.deepEqual([sent.requiresShipping, sent.options, sent.totals.shipping], [false, [], 0])
    assertError(await estimate('Germany'), 'invalid_request')
    assertError(await estimate('DE', 'cart_0'), 'cart_not_found')
  })

  test('409 for an outdated version; a choice that is not offered for a new address is replaced by the first option', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 1 })
    await carts.address(cartId, berlin)
    assertError(await carts.ship(cartId, 'express', { expectedVersion: 1 }), 'version_conflict')
    await carts.ship(cartId, 'express')
    await carts.address(cartId, paris)
    assert.equal((await carts.read(cartId)).body.data.shipping.optionId, 'parcel')
  })

  test('the page of an open session shows the choice, and a page that is outdated can neither save nor pay', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, ready, look, pay, read } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ 'ROSE-12': 1 })
    const { cartId } = view.session
    const chosen = await carts.ship(cartId, 'express')
    assert.equal(chosen.status, 200, chosen.text)
    const session = (await read(sessionId)).body.data
    assert.deepEqual(
      [session.version, session.shipping.optionId, session.totals.shipping],
      [view.session.version + 1, 'express', 990],
    )
    assert.equal((await pay(secret, view)).problem?.code, 'stale')
    const contact = { email: 'ada@example.com', name: 'Ada', phone: '' }
    const saved = await testServer.app.checkout.setDetails(secret, view.session.version, {
      contact,
      address: berlin,
      shippingOptionId: 'standard',
    })
    assert.equal(saved?.problem?.code, 'stale')
    const { text } = await testServer.fetch(`/c/${secret}`)
    assert.match(text, /value="express"[^>]*checked/)
    const paid = await pay(secret, await look(secret))
    assert.deepEqual([paid.problem, paid.view.session.totals.total], [null, session.totals.total])
    const order = await testServer.ask('getStorefrontOrder', { path: { orderId: paid.view.session.orderId ?? '' } })
    assert.deepEqual(order.body.data.shipping, { optionId: 'express', label: 'Express', amount: 990 })
    assertError(await carts.ship(cartId, 'standard'), 'cart_not_open')
  })

  test('a concurrent change by the API never makes the page charge another total than it showed', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, ready, pay } = await checkoutOf(testServer)
    for (let round = 0; round < 4; round += 1) {
      const { secret, view } = await ready({ CARD: 1 })
      const shown = view.session.totals.total
      const [answer, paid] = await Promise.all([carts.ship(view.session.cartId, 'express'), pay(secret, view)])
      if (answer.status === 200) {
        assert.equal(paid.problem?.code, 'stale')
        const after = await pay(secret, paid.view)
        assert.equal(after.view.session.totals.total, shown + 500)
        continue
      }
      assert.ok(['cart_locked', 'cart_not_open'].includes(answer.body.error.code), answer.text)
      assert.deepEqual([paid.problem, paid.view.session.totals.total], [null, shown])
    }
  })

  test('the page starts with the choice that was made before checkout', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, look } = await checkoutOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 1 })
    await carts.address(cartId, berlin)
    await carts.ship(cartId, 'express')
    const opened = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: 'open', cartId, successUrl: 'http://localhost:9/thanks' },
    })
    assert.equal((await look(secretOf(opened.body.data.url))).session.shipping.optionId, 'express')
  })
})
