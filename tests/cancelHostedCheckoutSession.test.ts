import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('cancelHostedCheckoutSession', (given) => {
  test('200 releases the held stock, leaves the cart open, and emits one event', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, open, read } = await checkoutOf(testServer)
    const { id, cartId, url } = (await open({ 'ROSE-24': 3 })).body.data
    const { body } = await testServer.ask('cancelHostedCheckoutSession', {
      path: { sessionId: id },
      body: { idempotencyKey: 'c', expectedVersion: 1, reason: 'abandoned', note: 'closed the tab' },
    })
    assert.deepEqual(
      [
        body.data.status,
        body.data.version,
        body.data.url,
        body.data.cancellation,
        body.data.hold.status,
        body.data.cancelledAt,
      ],
      [
        'cancelled',
        2,
        null,
        { reason: 'abandoned', note: 'closed the tab', by: 'api' },
        'released',
        '2026-06-01T12:00:00.000Z',
      ],
    )
    const cart = (await carts.read(cartId)).body.data
    assert.deepEqual([cart.status, cart.checkoutSessionId, cart.items[0].availableQuantity], ['open', null, 3])
    assert.deepEqual(
      (await eventsOf(testServer, id)).map(({ type, sequence }) => [type, sequence]),
      [
        ['checkout_session.created', 1],
        ['checkout_session.cancelled', 2],
      ],
    )
    assert.equal((await read(id)).body.data.status, 'cancelled')
    assert.equal((await testServer.app.checkout.look(url.split('/').at(-1)))?.session.status, 'cancelled')
    const again = await testServer.ask('cancelHostedCheckoutSession', {
      path: { sessionId: id },
      body: { idempotencyKey: 'd' },
    })
    assertError(again, 'checkout_session_not_open')
    assert.deepEqual(again.body.error.current, { status: 'cancelled', version: 2 })
    // The cart can be checked out again, with a session of its own.
    const next = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: 'e', cartId, successUrl: 'http://localhost/x' },
    })
    assert.notEqual(next.body.data.id, id)
  })

  test('404 with the same bytes for unknown, malformed and foreign session ids, when reading and when cancelling', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const { open } = await checkoutOf(testServer)
    const { id } = (await open({ CARD: 1 })).body.data
    for (const operation of ['getHostedCheckoutSession', 'cancelHostedCheckoutSession'] as const) {
      const bodies = new Set<string>()
      for (const [sessionId, key] of [
        [id, testServer.keys.rival],
        ['cks_01h455vb4pex5vsknk084sn02q', testServer.keys.full],
        ['x', testServer.keys.full],
      ] as const) {
        const body = operation === 'getHostedCheckoutSession' ? {} : { body: { idempotencyKey: `${sessionId}` } }
        const answer = await testServer.ask(operation, { path: { sessionId }, key, ...body })
        assertError(answer, 'checkout_session_not_found')
        bodies.add(answer.text.replace(answer.body.error.requestId, ''))
      }
      assert.equal(bodies.size, 1)
    }
  })

  test('409 for a stale version', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { carts, open } = await checkoutOf(testServer)
    const { id, cartId } = (await open({ CARD: 1 })).body.data
    await carts.patch(cartId, 'CARD', 2)
    const answer = await testServer.ask('cancelHostedCheckoutSession', {
      path: { sessionId: id },
      body: { idempotencyKey: 'c', expectedVersion: 1 },
    })
    assertError(answer, 'version_conflict')
    assert.deepEqual(answer.body.error.current, { status: 'open', version: 2 })
  })
})
