import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'

const slugsOf = (answer: { body: { data: { slug: string }[] } }) => answer.body.data.map(({ slug }) => slug)

eachEngine('listApiKeyCatalogProducts', (given) => {
  test('200 lists published products, newest first', async () => {
    const testServer = await openTestServer(given)
    const answer = await testServer.ask('listApiKeyCatalogProducts', { key: testServer.keys.none })
    assert.deepEqual(slugsOf(answer), ['red-roses', 'glass-vase', 'peonies'])
    assert.deepEqual(answer.body.meta, { count: 3, next: null })
    const [roses, vase, peonies] = answer.body.data
    assert.deepEqual(roses, {
      id: roses.id,
      slug: 'red-roses',
      name: 'Red roses',
      brand: null,
      summary: 'A dozen or two.',
      categories: ['roses'],
      imageUrl: `${testServer.origin}/media/demo/red-roses.svg`,
      imageAlt: 'Red roses',
      priceRange: { min: { amount: 3500, currency: 'EUR' }, max: { amount: 5900, currency: 'EUR' } },
      priorPrice: null,
      measure: null,
      availability: 'in_stock',
      skuCount: 2,
      tags: ['gift'],
      publishedAt: '2026-03-01T00:00:00.000Z',
      updatedAt: '2026-06-01T12:00:00.000Z',
    })
    assert.deepEqual([vase.availability, vase.imageUrl, vase.imageAlt], ['out_of_stock', null, null])
    assert.equal(peonies.availability, 'backorder')
  })

  test('200 contains changes immediately: a new price, an unpublished and a published product', async () => {
    const testServer = await openTestServer(given)
    await testServer.ask('listApiKeyCatalogProducts')
    const [roses, vase, peonies, tulips] = bloom.products ?? []
    assert.ok(roses && vase && peonies && tulips)
    await testServer.apply({
      ...bloom,
      products: [
        { ...roses, skus: roses.skus.map((sku) => ({ ...sku, price: 4000, compareAtPrice: null })) },
        { ...vase, published: false },
        { ...tulips, published: true },
      ],
    })
    const answer = await testServer.ask('listApiKeyCatalogProducts')
    assert.deepEqual(slugsOf(answer), ['secret-tulips', 'red-roses', 'peonies'])
    assert.equal(answer.body.data[1].priceRange.min.amount, 4000)
    assert.equal(answer.body.data[0].publishedAt, '2026-06-01T12:00:00.000Z')
  })

  test('200 pages through 350 products with equal timestamps, each once, also while the catalog changes', async () => {
    const products = Array.from({ length: 350 }, (_, index) => ({
      slug: `p${index}`,
      name: `P ${index}`,
      publishedAt: `2026-01-0${1 + (index % 3)}T00:00:00.000Z`,
      skus: [{ code: `P${index}`, price: 100 + index, stock: 1 }],
    }))
    const testServer = await openTestServer(given, { shops: [{ ...bloom, products }] })
    const seen: { id: string; publishedAt: string }[] = []
    let link: string | null = '/api/v1/open/catalog/products'
    let pages = 0
    while (link) {
      const { body } = await testServer.fetch(link, { headers: { authorization: testServer.keys.full } })
      seen.push(...body.data)
      link = body.meta.next
      pages += 1
      // A newer product comes to the front and must not shift what is still to come.
      await testServer.apply({
        ...bloom,
        products: [{ slug: `new${pages}`, name: 'New', skus: [{ code: `NEW${pages}`, price: 1 }] }],
      })
    }
    assert.equal(pages, 4)
    assert.equal(new Set(seen.map(({ id }) => id)).size, 350)
    const inOrder = seen.toSorted((a, b) =>
      a.publishedAt === b.publishedAt ? (a.id < b.id ? -1 : 1) : a.publishedAt > b.publishedAt ? -1 : 1,
    )
    assert.deepEqual(seen, inOrder)
  })

  test('200 contains only the products of the merchant', async () => {
    const testServer = await openTestServer(given)
    assert.deepEqual(slugsOf(await testServer.ask('listApiKeyCatalogProducts', { key: testServer.keys.rival })), [
      'rival-only',
    ])
  })
})
