// Test and live are two worlds of one merchant: whatever happens in test mode, no live number moves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTwoModes } from './support/modes.ts'
import { eachEngine } from './support/storage.ts'

eachEngine('modes', (given) => {
  test('a test purchase leaves live stock, order numbers and promotion uses as they were', async () => {
    const { test: trial, live } = await openTwoModes(given)
    assert.equal(await live.available('card', 'CARD'), 1_000)
    const tried = await trial.buy({ CARD: 900 }, { promotionCode: 'HALF' })
    assert.equal(tried.number, 'T-1001')
    assert.equal(await trial.available('card', 'CARD'), 100)
    assert.equal(await live.available('card', 'CARD'), 1_000)
    const open = await live.ask('getPublicMerchantProduct', {
      path: { merchantSlug: 'bloom', productSlug: 'card' },
      key: null,
    })
    assert.equal(open.body.data.skus[0].availability, 'in_stock')
    // All three uses are there for live shoppers, and the whole stock.
    const bought = []
    for (const quantity of [500, 499, 1])
      bought.push((await live.buy({ CARD: quantity }, { promotionCode: 'HALF' })).number)
    assert.deepEqual(bought, ['1001', '1002', '1003'])
    assert.equal(await live.available('card', 'CARD'), 0)
    assert.equal(await trial.available('card', 'CARD'), 100)
  })
})
