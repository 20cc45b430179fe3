import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('getApiKeyCatalogProduct', (given) => {
  test('200 shows all members of a product', async () => {
    const testServer = await openTestServer(given)
    const { body, headers } = await testServer.ask('getApiKeyCatalogProduct', {
      path: { slug: 'red-roses' },
      key: testServer.keys.none,
    })
    const { data } = body
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(data.description, 'Cut in the morning.\n\nLast a week.')
    assert.deepEqual(data.merchant, { slug: 'bloom', name: 'Bloom' })
    assert.deepEqual(data.media, [
      { url: `${testServer.origin}/media/demo/red-roses.svg`, alt: 'Red roses', width: 1200, height: 1200 },
    ])
    assert.deepEqual(data.options, [{ name: 'Stems', values: ['12', '24'] }])
    assert.deepEqual(data.metadata, { supplier: 'north' })
    assert.deepEqual(data.skus, [
      {
        id: data.skus[0].id,
        code: 'ROSE-12',
        name: '12',
        options: [{ name: 'Stems', value: '12' }],
        price: { amount: 3500, currency: 'EUR' },
        compareAtPrice: null,
        priorPrice: null,
        measure: null,
        availability: 'in_stock',
        availableQuantity: 40,
        maxPerOrder: 10,
        requiresShipping: true,
        weightGrams: 900,
        imageUrl: null,
      },
      {
        id: data.skus[1].id,
        code: 'ROSE-24',
        name: '24',
        options: [{ name: 'Stems', value: '24' }],
        price: { amount: 5900, currency: 'EUR' },
        // Claimed from the first moment on: nothing is known of a higher price.
        compareAtPrice: null,
        priorPrice: null,
        measure: null,
        availability: 'low_stock',
        availableQuantity: 3,
        maxPerOrder: 999,
        requiresShipping: true,
        weightGrams: 1700,
        imageUrl: null,
      },
    ])
  })

  test('200 after each kind of change of the product, with the same ids', async () => {
    const testServer = await openTestServer(given)
    const ask = async () => (await testServer.ask('getApiKeyCatalogProduct', { path: { slug: 'red-roses' } })).body.data
    const before = await ask()
    const [roses] = bloom.products ?? []
    assert.ok(roses)
    const [twelve, twentyFour] = roses.skus
    assert.ok(twelve && twentyFour)

    testServer.clock.now += 1_000
    await testServer.apply({
      ...bloom,
      products: [{ ...roses, name: 'Redder roses', skus: [{ ...twelve, stock: 1 }] }],
    })
    const renamed = await ask()
    assert.equal(renamed.name, 'Redder roses')
    assert.equal(renamed.updatedAt, '2026-06-01T12:00:01.000Z')
    assert.deepEqual(
      renamed.skus.map((sku: { code: string }) => sku.code),
      ['ROSE-12'],
    )
    assert.equal(renamed.skus[0].id, before.skus[0].id)
    assert.equal(renamed.skus[0].availableQuantity, 40, 'a file names opening stock')

    await testServer.apply(
      { ...bloom, products: [{ ...roses, skus: [{ ...twelve, stock: 1 }, twentyFour] }] },
      { stock: true },
    )
    const restored = await ask()
    assert.deepEqual(
      restored.skus.map((sku: { id: string }) => sku.id),
      before.skus.map((sku: { id: string }) => sku.id),
    )
    assert.deepEqual(
      restored.skus.map((sku: { availableQuantity: number }) => sku.availableQuantity),
      [1, 3],
    )
    assert.equal(restored.availability, 'low_stock')

    await testServer.apply({ ...bloom, merchant: { ...bloom.merchant, name: 'Bloom & Co', lowStockAt: 0 } })
    const again = await ask()
    assert.equal(again.merchant.name, 'Bloom & Co')
    assert.equal(again.availability, 'in_stock')
  })

  test('404 for an unpublished product, an unknown one, and one of another merchant', async () => {
    const testServer = await openTestServer(given)
    for (const slug of ['secret-tulips', 'nothing', 'rival-only']) {
      assertError(await testServer.ask('getApiKeyCatalogProduct', { path: { slug } }), 'product_not_found')
    }
    assert.equal(
      (await testServer.ask('getApiKeyCatalogProduct', { path: { slug: 'rival-only' }, key: testServer.keys.rival }))
        .status,
      200,
    )
  })
})
