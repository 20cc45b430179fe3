import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../../tests/support/carts.ts'
import { eachEngine } from '../../tests/support/storage.ts'
import { applyShop } from '../admin/apply.ts'
import { findCatalogVersion, raiseCatalogVersion } from '../catalog/store.ts'
import type { Tx } from '../storage/storage.ts'
import { createPricebooks } from './pricebook.ts'

eachEngine('price books', (given) => {
  test('keep nothing of a work that was rolled back', async () => {
    const storage = await given.open()
    const { merchantId } = await applyShop(storage, market, { now: 1_000, stock: false, dryRun: false })
    const pricebooks = createPricebooks()
    const setRates = async (tx: Tx, rateBps: number) => {
      await tx.sql`update tax_rates set rate_bps = ${rateBps} where merchant_id = ${merchantId}`
      await raiseCatalogVersion(tx, merchantId)
      return findCatalogVersion(tx, merchantId)
    }
    const undone = storage.write(async (tx) => {
      const version = await setRates(tx, 7)
      const { taxRates, offersOf } = await pricebooks(tx, merchantId, version)
      assert.ok(taxRates.every(({ rateBps }) => rateBps === 7))
      const [sku] = await tx.sql<{ id: string }>`select id from skus where merchant_id = ${merchantId} limit 1`
      await tx.sql`update skus set code = 'UNDONE' where merchant_id = ${merchantId} and id = ${sku?.id ?? ''}`
      assert.equal((await offersOf(tx, [sku?.id ?? ''], 1_000))[0]?.code, 'UNDONE')
      throw new Error(`undone ${version}`)
    })
    const told = await undone.then(String, (error: Error) => error.message)
    const version = await storage.write((tx) => setRates(tx, 9))
    assert.equal(told, `undone ${version}`)
    await storage.read(async (db) => {
      const { taxRates, offersOf } = await pricebooks(db, merchantId, version)
      assert.ok(taxRates.length > 0 && taxRates.every(({ rateBps }) => rateBps === 9))
      const skus = await db.sql<{ id: string }>`select id from skus where merchant_id = ${merchantId}`
      const offers = await offersOf(
        db,
        skus.map(({ id }) => id),
        1_000,
      )
      assert.ok(offers.every(({ code }) => code !== 'UNDONE'))
    })
  })
})
