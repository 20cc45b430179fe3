// Test and live are two worlds of one merchant: whatever happens in test mode, no live number moves.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { cartwright } from '../harness/commandline.ts'
import { type ModeTestServer, openTwoModes, twoModes } from '../harness/modes.ts'
import { assertFound } from '../harness/sabotage.ts'
import { issuesOf } from '../harness/schemas.ts'
import { anyEngine } from '../harness/storage.ts'
import { testSecretText } from '../harness/testServer.ts'
import { eventSchemas } from '../src/contract/open/events.ts'
import type { EventKind, Mode } from '../src/contract/words.ts'
import { refreshStaleProducts } from '../src/domain/catalog/refresh.ts'

// Kinds of the events that an installation was told about a subject, each held against its schema and its mode.
async function announcedTo({ storage, installationId, mode }: ModeTestServer, subjectType: string): Promise<string[]> {
  const rows = await storage.read(
    (db) => db.sql<{ type: EventKind; sequence: number; body: string }>`
      select type, sequence, body from events
      where installation_id = ${installationId} and subject_type = ${subjectType} order by id`,
  )
  return rows.map(({ type, sequence, body }) => {
    const schema = eventSchemas.get(type)
    assert.ok(schema)
    const event = JSON.parse(body)
    assert.deepEqual(issuesOf(schema, event), [])
    assert.equal(event.mode, mode)
    return `${type} ${sequence}`
  })
}

anyEngine('test and live mode', (given) => {
  test('a test purchase changes neither live stock, nor live order numbers, nor live uses of a promotion', async () => {
    const { test: trial, live } = await openTwoModes(given)
    assert.equal(await live.available('card', 'CARD'), 1_000)
    const tried = await trial.buy({ CARD: 900 }, { promotionCode: 'HALF' })
    assert.equal(tried.number, 'T-1001')
    assert.equal(await trial.available('card', 'CARD'), 100)
    assert.equal(await live.available('card', 'CARD'), 1_000)
    // All three uses are there for live shoppers, and the whole stock.
    const bought = []
    for (const quantity of [500, 499, 1])
      bought.push((await live.buy({ CARD: quantity }, { promotionCode: 'HALF' })).number)
    assert.deepEqual(bought, ['1001', '1002', '1003'])
    assert.equal(await live.available('card', 'CARD'), 0)
    assert.equal(await trial.available('card', 'CARD'), 100)
    assert.equal((await trial.buy({ CARD: 1 }, { promotionCode: 'HALF' })).number, 'T-1002')
  })

  test('a test session holds no live stock, and a test cancellation restocks no live stock', async () => {
    const { test: trial, live } = await openTwoModes(given)
    await trial.checkout.open({ BOOK: 90 }, { successUrl: 'https://localhost/' })
    assert.deepEqual([await trial.available('book', 'BOOK'), await live.available('book', 'BOOK')], [10, 100])
    const { orderId } = await trial.buy({ 'ROSE-24': 3 })
    const [, before] = [await live.buy({ 'ROSE-24': 1 }), await live.available('red-roses', 'ROSE-24')]
    const body = { idempotencyKey: randomUUID() }
    assert.equal((await trial.ask('cancelStorefrontOrder', { path: { orderId }, body })).status, 200)
    assert.equal(await trial.available('red-roses', 'ROSE-24'), 3)
    assert.deepEqual([before, await live.available('red-roses', 'ROSE-24')], [2, 2])
  })

  test('a cart, a list and a product show the stock of their own mode, also from the caches', async () => {
    const { test: trial, live } = await openTwoModes(given)
    const shown = async ({ ask, checkout, clock, storage }: ModeTestServer) => {
      await refreshStaleProducts(storage, clock.now, 100)
      const cartId = await checkout.carts.create({ CARD: 1 })
      const cart = async () => (await ask('getPublicCart', { path: { cartId } })).body.data.items[0].availableQuantity
      const list = async () =>
        (await ask('listApiKeyCatalogProducts')).body.data.find((row: { slug: string }) => row.slug === 'card')
          .availability
      const detail = async () => (await ask('getApiKeyCatalogProduct', { path: { slug: 'card' } })).body.data.skus[0]
      // Twice: the second answer may come from memory.
      const answers = []
      for (const round of [1, 2]) answers.push([round, await cart(), await list(), (await detail()).availableQuantity])
      return answers
    }
    await trial.buy({ CARD: 997 })
    assert.deepEqual(await shown(live), [
      [1, 1_000, 'in_stock', 1_000],
      [2, 1_000, 'in_stock', 1_000],
    ])
    assert.deepEqual(await shown(trial), [
      [1, 3, 'low_stock', 3],
      [2, 3, 'low_stock', 3],
    ])
    assert.deepEqual((await shown(live))[0], [1, 1_000, 'in_stock', 1_000])
  })

  test('a request without a key sees live mode as long as the merchant sells in it, and test mode otherwise', async () => {
    const { test: trial, live } = await openTwoModes(given)
    const path = { merchantSlug: 'bloom', productSlug: 'card' }
    const open = async () =>
      (await live.ask('getPublicMerchantProduct', { path, key: null })).body.data.skus[0].availability
    await trial.buy({ CARD: 999 })
    assert.equal(await open(), 'in_stock')
    await refreshStaleProducts(live.storage, live.clock.now, 100)
    assert.equal(await open(), 'in_stock')
    const { installationId, storage } = live
    await storage.write((tx) => tx.sql`update installations set disabled_at = 1 where id = ${installationId}`)
    assert.equal(await open(), 'low_stock')
  })

  test('orders, sessions and events contain their mode, and events of stock and promotions are only sent in their mode', async () => {
    const { test: trial, live } = await openTwoModes(given)
    for (const side of [trial, live]) {
      const { orderId, sessionId } = await side.buy({ CARD: 1 })
      const order = (await side.ask('getStorefrontOrder', { path: { orderId } })).body.data
      const [row] = (await side.ask('listStorefrontOrders')).body.data.orders
      const session = (await side.ask('getHostedCheckoutSession', { path: { sessionId } })).body.data
      assert.deepEqual([order.mode, row.mode, session.mode], [side.mode, side.mode, side.mode])
      assert.deepEqual(await announcedTo(side, 'order'), [
        'order.placed 1',
        ...(side.mode === 'test' ? ['order.paid 2'] : []),
      ])
      assert.ok((await announcedTo(side, 'cart')).length > 0)
      assert.ok((await announcedTo(side, 'checkout_session')).length > 0)
    }
    await trial.buy({ 'ROSE-24': 3 }, { promotionCode: 'LAST' })
    assert.deepEqual(await announcedTo(trial, 'sku'), ['inventory.depleted 1'])
    assert.deepEqual(await announcedTo(trial, 'promotion'), ['promotion.exhausted 2'])
    assert.deepEqual([await announcedTo(live, 'sku'), await announcedTo(live, 'promotion')], [[], []])
    // The sequences are each mode's own.
    await live.buy({ 'ROSE-24': 3 }, { promotionCode: 'LAST' })
    assert.deepEqual(await announcedTo(live, 'sku'), ['inventory.depleted 1'])
    assert.deepEqual(await announcedTo(live, 'promotion'), ['promotion.exhausted 2'])
    assert.deepEqual(await announcedTo(trial, 'sku'), ['inventory.depleted 1'])
  })

  test('limits of a promotion apply to each mode separately', async () => {
    const { test: trial, live } = await openTwoModes(given)
    const state = async ({ ask, checkout: { carts } }: ModeTestServer, code: string) => {
      const cartId = await carts.create({ CARD: 3 })
      const body = { idempotencyKey: randomUUID(), code }
      const { promotion } = (await ask('applyPublicCartPromotion', { path: { cartId }, body })).body.data
      return promotion.reason ?? promotion.state
    }
    await trial.buy({ CARD: 3 }, { promotionCode: 'LAST' })
    assert.deepEqual([await state(trial, 'LAST'), await state(live, 'LAST')], ['usage_limit_reached', 'applied'])
    await trial.buy({ CARD: 3 }, { promotionCode: 'MINE' })
    await live.buy({ CARD: 3 }, { promotionCode: 'MINE' })
    await assert.rejects(live.buy({ CARD: 3 }, { promotionCode: 'MINE' }), /customer_limit_reached/)
    await assert.rejects(trial.buy({ CARD: 3 }, { promotionCode: 'MINE' }), /customer_limit_reached/)
  })

  test('the operator can lower a usage limit below the number of test uses; the promotion is then exhausted', async () => {
    const { test: trial, live } = await openTwoModes(given)
    const limited = (usageLimit: number) => ({
      ...twoModes,
      promotions: [{ code: 'HALF', name: 'Half off', type: 'percentage' as const, percentage: 5_000, usageLimit }],
    })
    await trial.buy({ CARD: 3 }, { promotionCode: 'HALF' })
    await trial.buy({ CARD: 3 }, { promotionCode: 'HALF' })
    await live.buy({ CARD: 3 }, { promotionCode: 'HALF' })
    await live.apply(limited(1))
    assert.deepEqual(await announcedTo(trial, 'promotion'), ['promotion.exhausted 4'])
    assert.deepEqual(await announcedTo(live, 'promotion'), ['promotion.exhausted 3'])
    const settings = { CARTWRIGHT_DATABASE_URL: live.url, CARTWRIGHT_SECRET: testSecretText }
    for (const [mode, used] of [
      [[], 1],
      [['--test'], 2],
    ] as const) {
      const shown = JSON.parse((await cartwright(['promotions', 'show', 'HALF', '--json', ...mode], settings)).out)
      assert.deepEqual([shown.used, shown.promotion.usageLimit, shown.status], [used, 1, 'exhausted'])
    }
  })

  test('stock that the operator applies from a file is set in both modes', async () => {
    const { test: trial, live } = await openTwoModes(given)
    await trial.buy({ CARD: 1 })
    await live.apply(twoModes)
    assert.deepEqual([await trial.available('card', 'CARD'), await live.available('card', 'CARD')], [999, 1_000])
    await live.apply(twoModes, { stock: true })
    assert.deepEqual([await trial.available('card', 'CARD'), await live.available('card', 'CARD')], [1_000, 1_000])
  })

  test('a test order and its page are marked as a test', async () => {
    const { test: trial, live } = await openTwoModes(given)
    const texts: Record<Mode, string> = { test: '', live: '' }
    for (const side of [trial, live]) {
      const { secret, view } = await side.checkout.ready({ CARD: 1 }, { successUrl: 'https://localhost/' })
      texts[side.mode] += (await side.fetch(`/c/${secret}`)).text
      const method = side.mode === 'live' ? { provider: 'manual', method: 'bank_transfer' } : undefined
      const paid = method
        ? await side.app.checkout.pay(secret, {
            version: view.session.version,
            expectedTotal: view.session.totals.total,
            ...method,
            details: {},
            attempt: randomUUID(),
          })
        : await side.checkout.pay(secret, view)
      texts[side.mode] += (await side.fetch(paid?.view.order?.statusPath ?? '')).text
    }
    assert.equal(texts.test.match(/class="ribbon"/g)?.length, 2)
    assert.match(texts.test, /Order T-1001/)
    assert.match(texts.test, /This is a test order: no money moved, and nothing will be sent\./)
    assert.doesNotMatch(texts.live, /class="ribbon"|test order|T-1001/)
    assert.match(texts.live, /Order 1001/)
  })

  test('the command line lists live orders by default, and does not ship a test order as a live one', async () => {
    const { test: trial, live } = await openTwoModes(given)
    const settings = { CARTWRIGHT_DATABASE_URL: live.url, CARTWRIGHT_SECRET: testSecretText }
    const run = (...args: string[]) => cartwright(['orders', ...args], settings)
    const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)
    const tried = await trial.buy({ CARD: 1 })
    assert.equal((await run('list')).out, 'There are no live orders. Add --test to list test orders.\n')
    assert.deepEqual((await json('list')).orders, [])
    assert.match((await run('list', '--test')).out, /^T-1001 +test +placed +paid/)
    const sold = await live.buy({ CARD: 2 })
    const numbers = async (...more: string[]) =>
      (await json('list', ...more)).orders.map((order: { number: string; mode: Mode }) => [order.number, order.mode])
    assert.deepEqual(await numbers(), [['1001', 'live']])
    assert.deepEqual(await numbers('--test'), [['T-1001', 'test']])
    assert.match((await run('list')).out, /^1001 +live +placed +pending/)
    assert.deepEqual((await json('show', 't-1001')).order.id, tried.orderId)
    assert.deepEqual((await json('show', '1001')).order.mode, 'live')

    const refused = await run('fulfil', tried.orderId)
    assert.deepEqual(
      [refused.code, refused.err],
      [1, 'cartwright: Order T-1001 is a test order. To confirm, name the order by its number, or add --test.\n'],
    )
    assert.equal((await json('fulfil', tried.orderId, '--test')).order.status, 'completed')
    const again = await trial.buy({ CARD: 1 })
    assert.equal((await json('fulfil', again.number)).order.status, 'completed')
    await json('pay', '1001')
    assert.equal((await json('fulfil', sold.orderId)).order.status, 'completed')
  })

  test('doctor finds rows with the wrong mode', async () => {
    const { test: trial } = await openTwoModes(given)
    const { orderId } = await trial.buy({ CARD: 3 }, { promotionCode: 'HALF' })
    await trial.checkout.open({ BOOK: 1 }, { successUrl: 'https://localhost/' })
    await assertFound(trial.storage, [
      ['modes_apart', (tx) => tx.sql`update orders set mode = 'live' where id = ${orderId}`],
      ['modes_apart', (tx) => tx.sql`update orders set number = '1001' where id = ${orderId}`],
      ['modes_apart', (tx) => tx.sql`update holds set mode = 'live'`],
      ['modes_apart', (tx) => tx.sql`update stock_movements set mode = 'live' where owner_id = ${orderId}`],
      ['modes_apart', (tx) => tx.sql`update promotion_uses set mode = 'live'`],
      ['modes_apart', (tx) => tx.sql`update installations set mode = 'live'`],
      ['sku_has_stock', (tx) => tx.sql`delete from stock where mode = 'live'`],
    ])
  })
})
