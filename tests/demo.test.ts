// The demo shop as a newcomer plays with it: every code and its outcome, every number explained.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ensureDemoSite, makeDemoShop } from '../apps/demo/shop.ts'
import { berlin, cartsOf } from '../harness/carts.ts'
import { anyEngine, eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer, testSecret } from '../harness/testServer.ts'
import { findMerchant, listInstallations } from '../src/domain/merchants/store.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'
import { createKey } from '../src/platform/access/keys.ts'
import type { Tx } from '../src/platform/storage/storage.ts'

const read = readShopFile(
  await readFile(new URL('../apps/demo/shop.yaml', import.meta.url), 'utf8'),
  Date.parse('2026-06-01T12:00:00.000Z'),
)
assert.ok('file' in read)
const demo = read.file

anyEngine('the demo shop', (given) => {
  test('a cart is created, filled, changed, discounted, given an address and read', async () => {
    const testServer = await openTestServer(given, { shops: [demo] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create()
    await carts.put(cartId, 'MUG-STO-250-OAT', 1)
    await carts.put(cartId, 'BOK-LOF-EN', 1)
    const filled = await carts.patch(cartId, 'MUG-STO-250-OAT', 2)
    // Two mugs at 24.00 with 19 % inside: 4800 − 4800/1.19 = 766. A book at 32.00 with 7 %: 3200 − 3200/1.07 = 209.
    assert.deepEqual(filled.body.data.totals, {
      subtotal: 8000,
      discount: 0,
      shipping: 0,
      tax: 975,
      taxIncluded: true,
      total: 8000,
    })

    for (const [code, amount, tax] of [
      ['WELCOME10', 800, 878], // 480 + 320; inside 4320 and 2880: 690 + 188
      ['FIVEOFF', 500, 914], // 300 + 200; inside 4500 and 3000: 718 + 196
      ['KITCHEN15', 1200, 829], // the bread book is for the kitchen too; inside 4080 and 2720: 651 + 178
      ['MUGS3', 300, 927], // 300 off the mugs; inside 4500: 718, and 209
      ['ONCE', 1000, 854], // 600 + 400; inside 4200 and 2800: 671 + 183
    ] as const) {
      const { body } = await carts.promote(cartId, code)
      assert.equal(body.data.promotion.state, 'applied', code)
      assert.deepEqual([body.data.totals.discount, body.data.totals.total], [amount, 8000 - amount], code)
      assert.equal(body.data.totals.tax, tax, code)
    }
    for (const [code, reason] of [
      ['BIG20', 'minimum_not_met'],
      ['SHIPFREE', 'no_shipping_to_discount'],
    ] as const) {
      const { body } = await carts.promote(cartId, code)
      assert.deepEqual([body.data.promotion.state, body.data.promotion.reason], ['pending', reason])
    }
    for (const [code, reason] of [
      ['SUMMER24', 'expired'],
      ['FUTURE99', 'not_started'],
      ['STOPPED', 'disabled'],
      ['SOLDOUT', 'usage_limit_reached'],
      ['TENBUCKS', 'currency_mismatch'],
      ['NOSUCHCODE', 'not_found'],
    ] as const) {
      const { body } = await carts.promote(cartId, code)
      assert.deepEqual([body.data.promotion.state, body.data.promotion.reason], ['rejected', reason])
    }

    // SHIPFREE is still on the cart and waits. 80.00 ships free to Germany, so there is nothing to discount yet.
    const addressed = await carts.address(cartId, berlin)
    assert.deepEqual(
      addressed.body.data.shippingOptions.map(({ id, amount }: { id: string; amount: number }) => [id, amount]),
      [
        ['standard', 0],
        ['express', 990],
      ],
    )
    await carts.remove(cartId, 'BOK-LOF-EN')
    // One mug does not ship free: 4.90, which the code takes off.
    const { body } = await carts.patch(cartId, 'MUG-STO-250-OAT', 1)
    assert.deepEqual(body.data.promotion, { state: 'applied', code: 'SHIPFREE', amount: 490 })
    assert.deepEqual(body.data.totals, {
      subtotal: 2400,
      discount: 490,
      shipping: 490,
      tax: 383,
      taxIncluded: true,
      total: 2400,
    })
    assert.deepEqual(body.data.address.summary, 'Berlin, DE')
  })

  test('scarce, sold-out, backordered and limited SKUs are reported as such', async () => {
    const testServer = await openTestServer(given, { shops: [demo] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'LMP-PLT-PLU': 2 })
    assert.equal((await carts.read(cartId)).body.data.items[0].availability, 'backorder')
    assertError(await carts.put(cartId, 'VAS-RIB-320', 1), 'insufficient_stock')
    assertError(await carts.put(cartId, 'BWL-SRV-340', 3), 'quantity_limit_exceeded')
    const blanket = await carts.put(cartId, 'BLK-MER-L-LIC', 10)
    assertError(blanket, 'insufficient_stock')
    assert.equal(blanket.body.error.current.available, 9)
  })
})

eachEngine('keys of the demo shop', (given) => {
  test('the number of working demo keys is limited, also with many newer keys of other names, and demo keys without an expiry get one', async () => {
    const testServer = await openTestServer(given)
    const { storage, clock } = testServer
    const { installation: shown } = await makeDemoShop(storage, testSecret, clock.now)
    const installation = await storage.read(async (db) => {
      const merchant = await findMerchant(db, 'alder-finch')
      return (await listInstallations(db, merchant?.id ?? '')).find(({ id }) => id === shown.id)
    })
    assert.ok(installation)
    const create = (tx: Tx, name: string) =>
      createKey(tx, testSecret, installation, { name, scopes: [], expiresAt: null }, clock.now)
    await storage.write(async (tx) => {
      for (let made = 0; made < 12; made += 1) await create(tx, 'Demo key: full')
      await create(tx, 'Demo key: window')
      for (let made = 0; made < 100; made += 1) await create(tx, 'another')
    })
    const living = (name: string) =>
      storage.read(
        (db) => db.sql<{ expiresAt: number | null }>`
          select expires_at as "expiresAt" from credentials
          where installation_id = ${installation.id} and name = ${name} and revoked_at is null`,
      )

    await ensureDemoSite(storage, clock.now)
    const ends = [await living('Demo key: storefront'), await living('Demo key: window')]
      .flat()
      .map(({ expiresAt }) => expiresAt)
    assert.deepEqual([...new Set(ends)], [clock.now + 86_400_000])
    await makeDemoShop(storage, testSecret, clock.now)
    assert.equal((await living('Demo key: full')).length, 10)
    assert.equal((await living('another')).length, 100)
  })
})
