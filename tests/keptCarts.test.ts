// A cart that is answered from memory is the cart that the database would answer: after everything that can happen to it, a
// reader that has known it from the beginning says the same as one that sees it for the first time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { berlin, type Carts, cartsOf, market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { eraseAddressExceptCity } from '../src/domain/addresses/store.ts'
import { cartOperations } from '../src/domain/carts/operations.ts'
import { createPricebooks } from '../src/domain/carts/pricebook.ts'
import { freezeCartPrices, setCartStatus } from '../src/domain/carts/store.ts'
import { expireCarts } from '../src/domain/carts/sweep.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import {
  countPromotionUse,
  disablePromotion,
  enablePromotion,
  findPromotionByCode,
  releasePromotionUse,
} from '../src/domain/promotions/store.ts'
import { RenderedReply } from '../src/platform/http/handler.ts'

const products = market.products ?? []
const soon = '2026-06-01T13:00:00.000Z'
const later = '2026-06-01T14:00:00.000Z'

const shop = {
  ...market,
  promotions: [
    ...(market.promotions ?? []),
    { code: 'TWICE', name: 'Twice', type: 'percentage', percentage: 1000, usageLimit: 2 } as const,
    { code: 'HAPPY', name: 'Happy hour', type: 'percentage', percentage: 1000, startsAt: soon, endsAt: later } as const,
  ],
}

function withCard(product: object, sku: object = {}): typeof shop {
  return {
    ...shop,
    products: products.map((one) =>
      one.slug === 'card' ? { ...one, ...product, skus: one.skus.map((each) => ({ ...each, ...sku })) } : one,
    ),
  }
}

interface World {
  testServer: TestServer
  carts: Carts
  checkout: Checkout
  cartId: string
  key: { installationId: string; cartId: string }
  shared: Record<string, string>
}

type Happening = readonly [name: string, isKept: boolean, happen: (world: World) => Promise<unknown>]

async function promotionId({ testServer }: World, code: string): Promise<string> {
  const promotion = await testServer.storage.read((db) => findPromotionByCode(db, testServer.seller, code))
  assert.ok(promotion)
  return promotion.id
}

// biome-ignore format: one row is one happening
const happenings: readonly Happening[] = [
  ['nothing', true, async () => undefined],
  ['another quantity', true, ({ carts, cartId }) => carts.patch(cartId, 'CARD', 3)],
  ['one line more', true, ({ carts, cartId }) => carts.put(cartId, 'ROSE-12', 1)],
  ['one line less', true, ({ carts, cartId }) => carts.remove(cartId, 'ROSE-12')],
  ['a price', true, ({ testServer }) => testServer.apply(withCard({}, { price: 400 }))],
  ['the old price', true, ({ testServer }) => testServer.apply(shop)],
  ['a name', true, ({ testServer }) => testServer.apply(withCard({ name: 'Postcard' }))],
  ['less stock than wanted', true, ({ testServer }) => testServer.apply(withCard({}, { stock: 2 }), { stock: true })],
  ['a product taken off', true, ({ testServer }) => testServer.apply(withCard({ published: false }))],
  ['all as before', true, ({ testServer }) => testServer.apply(shop, { stock: true })],
  ['other taxes', true, ({ testServer }) => testServer.apply({ ...shop, taxes: [{ country: 'DE', rate: 1600 }] })],
  ['a code', true, ({ carts, cartId }) => carts.promote(cartId, 'TWICE')],
  ['a use of the code', true, (world) => world.testServer.storage.write(async (tx) => countPromotionUse(tx, world.testServer.seller, await promotionId(world, 'TWICE')))],
  ['its last use', true, (world) => world.testServer.storage.write(async (tx) => countPromotionUse(tx, world.testServer.seller, await promotionId(world, 'TWICE')))],
  ['a use that is given back', true, (world) => world.testServer.storage.write(async (tx) => { for (let use = 0; use < 2; use += 1) await releasePromotionUse(tx, world.testServer.seller, await promotionId(world, 'TWICE')) })],
  ['another code', true, ({ carts, cartId }) => carts.promote(cartId, 'ROSES')],
  ['a code that is disabled', true, (world) => world.testServer.storage.write(async (tx) => disablePromotion(tx, world.testServer.merchantId, await promotionId(world, 'ROSES'), world.testServer.clock.now))],
  ['a code that is enabled', true, (world) => world.testServer.storage.write(async (tx) => enablePromotion(tx, world.testServer.merchantId, await promotionId(world, 'ROSES'), world.testServer.clock.now))],
  ['a product in the category of the code', true, ({ testServer }) => testServer.apply(withCard({ categories: ['bouquets'] }))],
  ['an hour, to the begin of a code', true, async ({ testServer, carts, cartId }) => { testServer.clock.now = Date.parse(soon); assert.equal((await carts.promote(cartId, 'HAPPY')).body.data.promotion.state, 'applied') }],
  ['a clock that is set back before it', true, async ({ testServer }) => { testServer.clock.now = Date.parse(soon) - 1 }],
  ['the begin once more', true, async ({ testServer }) => { testServer.clock.now = Date.parse(soon) }],
  ['the last moment of a code', true, async ({ testServer }) => { testServer.clock.now = Date.parse(later) - 1 }],
  ['the end of a code', true, async ({ testServer }) => { testServer.clock.now += 1 }],
  ['no code', true, ({ carts, cartId }) => carts.promote(cartId, null)],
  ['somebody else\'s hold', false, async ({ checkout }) => assert.equal((await checkout.open({ CARD: 998 })).status, 200)],
  ['a hold that is over', false, async ({ testServer }) => { testServer.clock.now += 16 * 60_000 }],
  ['a hold that is given back', true, async ({ testServer }) => { testServer.clock.now += 20 * 60_000; await expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now) }],
  ['somebody else\'s purchase', true, async ({ checkout }) => { const { secret, view } = await checkout.ready({ CARD: 998 }); await checkout.pay(secret, view) }],
  ['an address', false, async ({ carts, cartId, shared }) => { shared.address = (await carts.address(cartId, berlin)).body.data.addressToken }],
  ['an address that is erased', true, ({ testServer, shared }) => testServer.storage.write(async (tx) => eraseAddressExceptCity(tx, testServer.installationId, shared.address ?? ''))],
  ['a new price', true, ({ testServer }) => testServer.apply(withCard({}, { price: 500 }))],
  ['a payment under way', false, ({ testServer, key }) => testServer.storage.write(async (tx) => { setCartStatus(tx, key, 'lock'); freezeCartPrices(tx, key) })],
  ['a payment that failed', true, ({ testServer, key }) => testServer.storage.write(async (tx) => setCartStatus(tx, key, 'unlock'))],
  ['no line', false, async ({ carts, cartId }) => { for (const code of ['CARD', 'BOOK']) await carts.remove(cartId, code) }],
  ['a line again', true, ({ carts, cartId }) => carts.put(cartId, 'CARD', 2)],
  ['the last moment of the cart', true, async ({ testServer }) => { testServer.clock.now += 30 * 24 * 3_600_000 - 1 }],
  ['the end of the cart', false, async ({ testServer }) => { testServer.clock.now += 1 }],
  ['an end that is written down', false, ({ testServer }) => expireCarts(testServer.storage, testServer.app.payTools.carts, testServer.clock.now)],
]

anyEngine('a cached cart', (given) => {
  test('is the same as a cart from the database, after any change of the cart, its products, taxes or discounts', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 2, BOOK: 1 })
    const key = { installationId: testServer.installationId, cartId }
    const world: World = { testServer, carts, checkout: await checkoutOf(testServer), cartId, key, shared: {} }
    const reader = () => {
      const tools = { ...testServer.app.payTools.carts, pricebooks: createPricebooks() }
      const { getPublicCart } = cartOperations({ rootSecret: testSecret, tools })
      return () =>
        testServer.storage.read(async (db) => {
          const caller = { installationId: testServer.installationId, merchantId: testServer.merchantId }
          const now = new Date(testServer.clock.now)
          const answer = await getPublicCart({ db, caller, path: { cartId }, now } as Parameters<
            typeof getPublicCart
          >[0])
          assert.ok(answer instanceof RenderedReply)
          return answer.body
        })
    }
    const old = reader()
    const seen = new Set<string>()
    for (const [name, isKept, happen] of happenings) {
      await happen(world)
      const [told, again, fresh] = [await old(), await old(), await reader()()]
      assert.equal(String(told), String(fresh), name)
      assert.equal(String(again), String(fresh), name)
      assert.equal(Buffer.isBuffer(again), isKept, `${name}: ${isKept ? 'kept' : 'made anew'}`)
      assert.equal((await carts.read(cartId)).text, String(fresh), name)
      seen.add(String(fresh))
    }
    // Most of them changed what is seen, so that the comparison could fail.
    assert.ok(seen.size >= 25, `${seen.size} of ${happenings.length}`)
  })

  test('is not returned for a key of another installation', async () => {
    const testServer = await openTestServer(given)
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 1 })
    for (let time = 0; time < 2; time += 1) assert.equal((await carts.read(cartId)).status, 200)
    const foreign = await testServer.ask('getPublicCart', { path: { cartId }, key: testServer.keys.rival })
    assert.equal(foreign.status, 404)
  })
})
