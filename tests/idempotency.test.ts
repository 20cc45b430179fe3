// At most once, for every changing operation, on both engines: the key, the effect, the events and the answer are one.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { berlin, type Carts, cartsOf, eventsOf, market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { openReceiver } from '../harness/receiver.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { type AskOptions, assertError, openTestServer, type TestServer } from '../harness/testServer.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import type { OperationId } from '../src/contract/open/operations.ts'
import { findCart, lockCart, saveCart } from '../src/domain/carts/store.ts'
import { runOnce, sweepIdempotencyKeys } from '../src/platform/idempotency/once.ts'
import { refuse } from '../src/platform/kit/refuse.ts'
import { encryptByRootSecret, parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import type { Tx } from '../src/platform/storage/storage.ts'

interface Case {
  id: OperationId
  // A request that is good now, and another body that is good too.
  request(
    cartId: string,
    carts: Carts,
    testServer: TestServer,
  ): (AskOptions & { body: object }) | Promise<AskOptions & { body: object }>
  other: object | ((cartId: string) => object)
  // How many events one effect has; one unless said.
  events?: number
}

async function openSession(testServer: TestServer, cartId: string): Promise<string> {
  const body = { cartId, successUrl: 'http://localhost/a', idempotencyKey: `open-${cartId}` }
  return (await testServer.ask('createHostedCheckoutSession', { body })).body.data.id
}

const cases: readonly Case[] = [
  {
    id: 'createPublicCart',
    request: (_, carts) => ({ body: { items: [{ skuId: carts.sku('CARD'), quantity: 2 }] } }),
    other: { items: [] },
  },
  {
    id: 'putPublicCartItem',
    request: (cartId, carts) => ({ path: { cartId, skuId: carts.sku('CARD') }, body: { quantity: 2 } }),
    other: { quantity: 3 },
  },
  {
    id: 'updatePublicCartItemQuantity',
    request: (cartId, carts) => ({ path: { cartId, skuId: carts.sku('BOOK') }, body: { quantity: 2 } }),
    other: { quantity: 3 },
  },
  {
    id: 'removePublicCartItem',
    request: (cartId, carts) => ({ path: { cartId, skuId: carts.sku('BOOK') }, body: {} }),
    other: { reason: 'other' },
  },
  {
    id: 'applyPublicCartPromotion',
    request: (cartId) => ({ path: { cartId }, body: { code: 'WELCOME10' } }),
    other: { code: 'FIVER' },
  },
  {
    id: 'setPublicCartAddress',
    request: (cartId) => ({ path: { cartId }, body: { address: berlin } }),
    other: { address: { ...berlin, city: 'Potsdam' } },
  },
  {
    id: 'createHostedCheckoutSession',
    request: (cartId) => ({ body: { cartId, successUrl: 'http://localhost/a' } }),
    other: (cartId) => ({ cartId, successUrl: 'http://localhost/b' }),
    // The session, and the cart that names it.
    events: 2,
  },
  {
    id: 'cancelHostedCheckoutSession',
    request: async (cartId, _, testServer) => ({
      path: { sessionId: await openSession(testServer, cartId) },
      body: {},
    }),
    other: { reason: 'other' },
    events: 2,
  },
  {
    id: 'cancelStorefrontOrder',
    request: async (_, __, testServer) => {
      const { ready, pay } = await checkoutOf(testServer)
      const { secret, view } = await ready({ CARD: 1 })
      return { path: { orderId: (await pay(secret, view)).view.session.orderId ?? '' }, body: {} }
    },
    other: { reason: 'other' },
  },
  {
    id: 'replayInstallationWebhookDelivery',
    request: async (_, __, testServer) => ({
      path: { id: (await webhooksOf(testServer).given('failed')).deliveryId },
      body: { reason: 'one' },
    }),
    other: { reason: 'other' },
    // It tells again what was told before.
    events: 0,
  },
]

eachEngine('idempotency', (given) => {
  let testServer: TestServer
  let carts: Carts
  before(async () => {
    testServer = await openTestServer(given, { shops: [market, rival] })
    carts = await cartsOf(testServer)
  })

  for (const [place, { id, request, other, events = 1 }] of cases.entries()) {
    // The crowd is the same for all of them, and `npm run proof -- idempotency` sends it to each.
    const crowd = place < 2 ? 64 : 16
    test(`${id}: ${crowd} concurrent requests with one key have one effect and one answer`, async () => {
      const cartId = await carts.create({ BOOK: 1 })
      const { body, ...rest } = await request(cartId, carts, testServer)
      const before =
        (await testServer.storage.read((db) => db.sql<{ n: number }>`select count(*) as "n" from events`))[0]?.n ?? 0
      const key = `twins-${id}`
      const answers = await Promise.all(
        Array.from({ length: crowd }, (_, index) =>
          // Half of them name the key in the header, half in the body: it is the same key.
          index % 2 === 0
            ? testServer.ask(id, { ...rest, body: { ...body, idempotencyKey: key } })
            : testServer.ask(id, { ...rest, body, headers: { 'idempotency-key': key } }),
        ),
      )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length, crowd - 1)
      const after =
        (await testServer.storage.read((db) => db.sql<{ n: number }>`select count(*) as "n" from events`))[0]?.n ?? 0
      assert.equal(after - before, events)
      if (rest.path?.cartId) assert.equal((await carts.read(cartId)).body.data.version, 2)
    })

    test(`${id}: 409 for the key with another body, path or operation`, async () => {
      const cartId = await carts.create({ BOOK: 1 })
      const { body, ...rest } = await request(cartId, carts, testServer)
      const idempotencyKey = `reused-${id}`
      assert.equal((await testServer.ask(id, { ...rest, body: { ...body, idempotencyKey } })).status, 200)
      assertError(
        await testServer.ask(id, {
          ...rest,
          body: { ...(typeof other === 'function' ? other(cartId) : other), idempotencyKey },
        }),
        'idempotency_key_reused',
      )
      if (rest.path?.cartId) {
        const elsewhere = { ...rest.path, cartId: await carts.create({ BOOK: 1 }) }
        assertError(
          await testServer.ask(id, { ...rest, path: elsewhere, body: { ...body, idempotencyKey } }),
          'idempotency_key_reused',
        )
      }
      const next = cases.find((known) => known.id !== id)
      assert.ok(next)
      const otherRequest = await next.request(cartId, carts, testServer)
      assertError(
        await testServer.ask(next.id, { ...otherRequest, body: { ...otherRequest.body, idempotencyKey } }),
        'idempotency_key_reused',
      )
    })

    test(`${id}: 400 without a key, with two different keys, and with an invalid key`, async () => {
      const cartId = await carts.create({ BOOK: 1 })
      const { body, ...rest } = await request(cartId, carts, testServer)
      assertError(await testServer.ask(id, { ...rest, body }), 'idempotency_key_required')
      assertError(
        await testServer.ask(id, {
          ...rest,
          body: { ...body, idempotencyKey: 'a' },
          headers: { 'idempotency-key': 'b' },
        }),
        'idempotency_key_ambiguous',
      )
      for (const bad of ['', 'a b', 'é', 'x'.repeat(256), 7, null]) {
        assertError(
          await testServer.ask(id, { ...rest, body: { ...body, idempotencyKey: bad } }),
          'idempotency_key_invalid',
        )
      }
      for (const bad of ['a b', 'x'.repeat(256)]) {
        assertError(
          await testServer.ask(id, { ...rest, body, headers: { 'idempotency-key': bad } }),
          'idempotency_key_invalid',
        )
      }
      assert.equal(
        (
          await testServer.ask(id, {
            ...rest,
            body: { ...body, idempotencyKey: `${id}${'~'.repeat(255 - id.length)}` },
          })
        ).status,
        200,
      )
    })
  }

  test('the same key of another installation is independent', async () => {
    const [own, foreign] = await Promise.all(
      [testServer.keys.full, testServer.keys.rival].map((key) =>
        testServer.ask('createPublicCart', { key, body: { idempotencyKey: 'shared' } }),
      ),
    )
    assert.equal(foreign?.status, 200)
    assert.notEqual(own?.body.data.id, foreign?.body.data.id)
    assert.equal(foreign?.headers.get('idempotency-replayed'), null)
  })

  test('another credential of the installation gets the stored response for the same key, if it has the scope', async () => {
    const { key } = await testServer.newKey(['checkout:quote'])
    const first = await testServer.ask('createPublicCart', { body: { idempotencyKey: 'handover' } })
    const second = await testServer.ask('createPublicCart', { key, body: { idempotencyKey: 'handover' } })
    assert.equal(second.text, first.text)
    assertError(
      await testServer.ask('createPublicCart', { key: testServer.keys.none, body: { idempotencyKey: 'handover' } }),
      'scope_missing',
    )
  })

  test('a request with reordered members or other notations of the same numbers counts as the same request', async () => {
    const cartId = await carts.create({ BOOK: 1 })
    const path = { cartId, skuId: carts.sku('BOOK') }
    const first = await testServer.ask('updatePublicCartItemQuantity', {
      path,
      body: '{"idempotencyKey":"form","quantity":2,"expectedVersion":1}',
    })
    const second = await testServer.ask('updatePublicCartItemQuantity', {
      path,
      body: '{"expectedVersion":1.0,"quantity":2e0, "idempotencyKey":"form"}',
    })
    assert.equal(first.status, 200)
    assert.equal(second.text, first.text)
  })

  test('a refusal is not stored, so the same key may succeed later', async () => {
    const cartId = await carts.create({ 'ROSE-12': 1 })
    const path = { cartId, skuId: carts.sku('ROSE-12') }
    const body = { idempotencyKey: 'later', quantity: 5, expectedVersion: 2 }
    assertError(await testServer.ask('updatePublicCartItemQuantity', { path, body }), 'version_conflict')
    await carts.patch(cartId, 'ROSE-12', 2)
    assert.equal((await testServer.ask('updatePublicCartItemQuantity', { path, body })).body.data.itemCount, 5)
  })

  test('400, 401 and 403 take precedence over a stored response, and a stored response over 404 and 409', async () => {
    const cartId = await carts.create({ BOOK: 1 })
    const path = { cartId, skuId: carts.sku('BOOK') }
    const body = { idempotencyKey: 'order', expectedVersion: 1 }
    assert.equal((await testServer.ask('removePublicCartItem', { path, body })).status, 200)
    assert.equal(
      (await testServer.ask('removePublicCartItem', { path, body })).status,
      200,
      'not a version conflict, not 404',
    )
    assertError(await testServer.ask('removePublicCartItem', { path, body: { ...body, extra: 1 } }), 'invalid_request')
    assertError(await testServer.ask('removePublicCartItem', { path, body, key: null }), 'unauthenticated')
    assertError(
      await testServer.ask('removePublicCartItem', { path, body, key: testServer.keys.none }),
      'scope_missing',
    )
  })

  test('a response with a hundred lines and its event are stored compressed; the response is repeated byte for byte, and the event is delivered whole', async () => {
    const products = Array.from({ length: 100 }, (_, index) => ({
      slug: `flower-${index}`,
      name: `Flower ${index}`,
      publishedAt: '2026-01-01T00:00:00.000Z',
      skus: [{ code: `F${index}`, price: 100 + index, stock: 10 }],
    }))
    const large = await openTestServer(given, { shops: [{ ...market, products }] })
    const { sku } = await cartsOf(large)
    const items = products.map((_, index) => ({ skuId: sku(`F${index}`), quantity: 2 }))
    const webhooks = webhooksOf(large)
    const receiver = await openReceiver(given)
    await webhooks.add({ url: receiver.url, events: ['cart.created'] })
    const requests = [
      ['createPublicCart', { idempotencyKey: 'cart', items }],
      // This one is sealed too, because it holds the address of a page.
      ['createHostedCheckoutSession', { idempotencyKey: 'session', items, successUrl: 'http://localhost:9/' }],
    ] as const
    for (const [id, body] of requests) {
      const first = await large.ask(id, { body })
      assert.equal(first.status, 200, first.text)
      const [stored] = await large.storage.read(
        (db) => db.sql<{ answer: string }>`
          select answer from idempotency_keys where key = ${body.idempotencyKey}`,
      )
      assert.ok(first.text.length > 20_000)
      assert.ok(
        (stored?.answer.length ?? 0) < first.text.length / 5,
        `${stored?.answer.length} of ${first.text.length}`,
      )
      const again = await large.ask(id, { body })
      assert.equal(again.headers.get('idempotency-replayed'), 'true')
      assert.equal(again.text, first.text)
    }
    const stored = await large.storage.read(
      (db) => db.sql<{ bytes: number }>`select length(body) as "bytes" from events where type = 'cart.created'`,
    )
    assert.ok(stored.length === 2 && stored.every(({ bytes }) => bytes < 6_000))
    await large.app.dispatcher.dispatchDue()
    assert.deepEqual(
      receiver.received.map(({ event }) => (event.data as { cart: { items: unknown[] } }).cart.items.length),
      [100, 100],
    )
  })

  test('a key is stored for seven days and can then be used again, with or without the sweep', async () => {
    const alone = await openTestServer(given, { shops: [market] })
    const make = (key: string) => alone.ask('createPublicCart', { body: { idempotencyKey: key } })
    const [first, second] = [await make('one'), await make('two')]
    alone.clock.now += 7 * 24 * 3_600_000 - 1
    assert.equal(await sweepIdempotencyKeys(alone.storage, alone.clock.now), 0)
    assert.equal((await make('one')).text, first.text)
    alone.clock.now += 1
    const again = await make('one')
    assert.notEqual(again.body.data.id, first.body.data.id)
    assert.equal((await make('one')).text, again.text)
    assert.equal(await sweepIdempotencyKeys(alone.storage, alone.clock.now), 1)
    assert.notEqual((await make('two')).body.data.id, second.body.data.id)
  })

  test('409 for a repeated request whose stored response can no longer be decrypted, and nothing is executed again', async () => {
    const testServer = await openTestServer(given, { shops: [market, rival] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ BOOK: 1 })
    const body = { cartId, successUrl: 'http://localhost/a', idempotencyKey: 'sealed-then-forgotten' }
    const opened = await testServer.ask('createHostedCheckoutSession', { body })
    assert.equal(opened.status, 200)
    const forgotten = parseRootSecret('3:a-version-of-the-root-secret-that-nobody-knows-any-more') as RootSecret
    const context = `${testServer.installationId} ${body.idempotencyKey}`
    const sealed = encryptByRootSecret(forgotten, 'idempotent answer', opened.text, context)
    await testServer.storage.write(async (tx) => {
      await tx.sql`
        update idempotency_keys set answer = ${sealed}
        where installation_id = ${testServer.installationId} and key = ${body.idempotencyKey}`
    })
    const countSessions = () => testServer.storage.read((db) => db.sql`select id, version from checkout_sessions`)
    const before = await countSessions()
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const again = await testServer.ask('createHostedCheckoutSession', { body })
      assertError(again, 'idempotency_key_reused')
      assert.match(again.body.error.message, /was performed.*can no longer be shown/)
    }
    assertError(
      await testServer.ask('createHostedCheckoutSession', { body: { ...body, successUrl: 'http://localhost/b' } }),
      'idempotency_key_reused',
    )
    assert.deepEqual(await countSessions(), before)
    const anew = await testServer.ask('createHostedCheckoutSession', {
      body: { ...body, idempotencyKey: 'another-key' },
    })
    assert.equal(anew.body.data.id, opened.body.data.id, 'under another key it is answered with what there is')
    testServer.clock.now += 7 * 86_400_000
    assert.equal(
      (await testServer.ask('createHostedCheckoutSession', { body })).status,
      200,
      'free when its time is over',
    )
  })

  test('a 200 for a rejected code is stored like any other response', async () => {
    const cartId = await carts.create({ BOOK: 1 })
    const body = { idempotencyKey: 'wrong-code', code: 'NOSUCH' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => testServer.ask('applyPublicCartPromotion', { path: { cartId }, body })),
    )
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ guesses: number }>`select guesses from carts where id = ${cartId}`,
    )
    assert.equal(row?.guesses, 1)
    assert.equal((await eventsOf(testServer, cartId)).length, 1)
  })

  // On PostgreSQL the work begins before it is known whether the key is free.
  test('if the work was done before its key is found to be used, the effects of the work are rolled back', async () => {
    await testServer.storage.write((tx) => tx.sql`create table effects (n bigint not null)`)
    const { installationId } = testServer
    const claim = { claimant: installationId, key: 'begun-early', fingerprint: 'one', now: Date.now() }
    const count = async () =>
      (await testServer.storage.read((db) => db.sql<{ n: number }>`select count(*) as "n" from effects`))[0]?.n
    const run = (fingerprint: string, work: (tx: Tx) => Promise<string>) =>
      runOnce(testServer.storage, { ...claim, fingerprint }, work)
    const effect = async (tx: Tx) => {
      await tx.sql`insert into effects (n) values (1)`
      return 'the answer'
    }
    const fails = async (tx: Tx) => {
      await tx.sql`insert into effects (n) values (null)`
      return 'never'
    }
    const refuses = async () => {
      throw refuse('cart_not_found')
    }
    const waits = async (tx: Tx) => {
      await tx.sql`insert into effects (n) values (2)`
      await tx.sql`insert into effects (n) values (3)`
      return 'never'
    }
    await assert.rejects(run('one', fails))
    await assert.rejects(run('one', refuses), { code: 'cart_not_found' })
    assert.equal(await count(), 0)
    assert.deepEqual(await run('one', effect), { text: 'the answer', replayed: false })
    for (const work of [effect, fails, refuses, waits])
      assert.deepEqual(await run('one', work), { text: 'the answer', replayed: true })
    for (const work of [effect, fails, refuses, waits])
      await assert.rejects(run('another', work), { code: 'idempotency_key_reused' })
    assert.equal(await count(), 1)
  })

  test('a repeated request gets its stored response even while another transaction has locked the rows that it changed', async () => {
    const cartId = await carts.create({ BOOK: 1 })
    const request = {
      path: { cartId, skuId: carts.sku('BOOK') },
      body: { quantity: 2, idempotencyKey: 'asked-again' },
    }
    const first = await testServer.ask('updatePublicCartItemQuantity', request)
    assert.equal(first.status, 200)
    // More than there are connections to the database.
    const many = Array.from({ length: 40 })
    const askAgain = () => Promise.all(many.map(() => testServer.ask('updatePublicCartItemQuantity', request)))
    // SQLite has one writer, and nobody can hold a row of it.
    const again =
      given.engine === 'sqlite'
        ? await askAgain()
        : await testServer.storage.write(async (tx) => {
            await lockCart(tx, { installationId: testServer.installationId, cartId })
            return askAgain()
          })
    for (const { status, text } of again) assert.deepEqual([status, text], [200, first.text])
  })

  test('one of several concurrent requests claims an expired key, and all of them get its response', async () => {
    const { installationId } = testServer
    const now = Date.now()
    const claim = { claimant: installationId, key: 'past-its-time', fingerprint: 'one', now: now - 8 * 24 * 3_600_000 }
    await runOnce(testServer.storage, claim, async () => 'old')
    const twins = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        runOnce(testServer.storage, { ...claim, now }, async () => `new ${index}`),
      ),
    )
    assert.equal(twins.filter(({ replayed }) => !replayed).length, 1)
    assert.equal(new Set(twins.map(({ text }) => text)).size, 1)
    assert.match(twins[0]?.text ?? '', /^new/)
  })

  test('a cart whose version has moved is not overwritten, even without a lock', async () => {
    const cartId = await carts.create({ BOOK: 1 })
    const { installationId } = testServer
    const key = { installationId, cartId }
    const found = await testServer.storage.read((db) => findCart(db, key))
    assert.ok(found)
    const save = (version: number) =>
      testServer.storage.write(async (tx) => {
        saveCart(tx, { ...found, version })
        const saved = await findCart(tx, key)
        // No such change is told of, so it must not stay.
        throw new Error(`saved ${saved?.version}`)
      })
    await assert.rejects(save(found.version), /version moved: a row of carts/)
    await assert.rejects(save(found.version + 2), /version moved: a row of carts/)
    await assert.rejects(save(found.version + 1), new RegExp(`^Error: saved ${found.version + 1}$`))
  })
})
