// What a look at a SKU costs may depend on holds that are over, never on how many there are: a product that everybody wants
// has thousands. On PostgreSQL also before it has gathered any statistics.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { planOf } from '../harness/plans.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { listCartLines, listOffers } from '../src/domain/carts/store.ts'
import { sumProducts } from '../src/domain/catalog/adminstore.ts'
import { listSkusByCode } from '../src/domain/catalog/store.ts'
import { listClaims, listHolds } from '../src/domain/inventory/store.ts'

const sessions = 100

eachEngine('queries of stock and holds', (given) => {
  test('for one SKU do not read the holds of other sessions', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const checkout = await checkoutOf(testServer)
    const items = { CARD: 1 }
    const { id: sessionId, cartId } = (await checkout.open(items)).body.data
    for (let others = 0; others < sessions; others += 1) assert.equal((await checkout.open(items)).status, 200)
    const { installationId, merchantId, seller, clock } = testServer
    const skuIds = [checkout.carts.sku('CARD')]
    const plans = await testServer.storage.read(async (db) => ({
      claims: await planOf(db, (tx) => listClaims(tx, seller, skuIds, { owner: sessionId, now: clock.now })),
      own: await planOf(db, (tx) => listHolds(tx, merchantId, sessionId)),
      lines: await planOf(db, (tx) => listCartLines(tx, { installationId, cartId }, clock.now)),
    }))
    if (given.engine === 'postgres') {
      assert.match(plans.lines, /actual time=\S+ rows=1/, 'the cart has its line')
      for (const plan of Object.values(plans)) assert.doesNotMatch(plan, /Rows Removed by Filter: \d\d/, plan)
    } else {
      assert.match(plans.claims, /\(owner_id=\? AND merchant_id=\?\)/)
      assert.match(plans.claims, /holds_by_sku \(merchant_id=\? AND sku_id=\? AND mode=\? AND expires_at<\?\)/)
      assert.match(plans.own, /\(owner_id=\? AND merchant_id=\?\)/)
      assert.match(
        plans.lines,
        /SEARCH h USING INDEX holds_by_sku \(merchant_id=\? AND sku_id=\? AND mode=\? AND expires_at<\?\)/,
      )
      assert.match(plans.lines, /SEARCH h USING INDEX \w+ \(owner_id=\?\)/)
    }
  })

  test('for many SKUs do not read the stock of all SKUs', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { merchantId, seller, clock } = testServer
    const names = Array.from({ length: 50 }, (_, place) => `name_${place}`)
    const plans = await testServer.storage.read(async (db) => [
      await planOf(db, (tx) => listSkusByCode(tx, merchantId, names)),
      await planOf(db, (tx) => listOffers(tx, seller, names, clock.now)),
      await planOf(db, (tx) => sumProducts(tx, seller, names)),
    ])
    for (const plan of given.engine === 'sqlite' ? plans : []) {
      assert.match(plan, /\(merchant_id=\? AND sku_id=\? AND mode=\?\)/)
      assert.doesNotMatch(plan, /stock_free/)
    }
  })
})
