import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer } from '../harness/testServer.ts'

eachEngine('listApiKeyCatalogCategories', (given) => {
  test('200 lists the tree in order, with paths and counts', async () => {
    const testServer = await openTestServer(given)
    const { body } = await testServer.ask('listApiKeyCatalogCategories', { key: testServer.keys.none })
    const [bouquets, roses, vases] = body.data
    assert.deepEqual(body.meta, { count: 3, next: null })
    assert.deepEqual([bouquets.slug, roses.slug, vases.slug], ['bouquets', 'roses', 'vases'])
    assert.deepEqual(bouquets, {
      id: bouquets.id,
      slug: 'bouquets',
      name: 'Bouquets',
      description: '',
      parentId: null,
      path: ['bouquets'],
      position: 1,
      productCount: 2,
      imageUrl: null,
      updatedAt: '2026-06-01T12:00:00.000Z',
    })
    assert.deepEqual([roses.parentId, roses.path, roses.productCount], [bouquets.id, ['bouquets', 'roses'], 1])
  })

  test('200 sorts by position, then name by code unit, then id, on both engines', async () => {
    const names = ['b', 'a', 'Z', 'ä', 'B', 'a']
    const categories = names.map((name, index) => ({ slug: `c${index}`, name, position: 7 }))
    const testServer = await openTestServer(given, {
      shops: [{ ...bloom, categories: [...categories, { slug: 'first', name: 'zz', position: 1 }], products: [] }],
    })
    const { body } = await testServer.ask('listApiKeyCatalogCategories')
    assert.deepEqual(
      body.data.map((row: { slug: string }) => row.slug),
      ['first', 'c2', 'c4', 'c1', 'c5', 'c0', 'c3'].sort((a, b) => order(body.data, a) - order(body.data, b)),
    )
    assert.deepEqual(
      body.data.map((row: { name: string }) => row.name),
      ['zz', 'B', 'Z', 'a', 'a', 'b', 'ä'],
    )
  })

  test('200 pages through 250 categories by the link in the response', async () => {
    const categories = Array.from({ length: 250 }, (_, index) => ({
      slug: `c${index}`,
      name: `C ${index}`,
      position: index,
    }))
    const testServer = await openTestServer(given, { shops: [{ ...bloom, categories, products: [] }] })
    const seen: string[] = []
    let link: string | null = '/api/v1/open/catalog/categories'
    while (link) {
      const { body } = await testServer.fetch(link, { headers: { authorization: testServer.keys.full } })
      assert.ok(body.meta.count <= 100)
      seen.push(...body.data.map((row: { slug: string }) => row.slug))
      link = body.meta.next
    }
    assert.deepEqual(
      seen,
      categories.map(({ slug }) => slug),
    )
  })

  test('200 contains only the categories of the merchant', async () => {
    const testServer = await openTestServer(given)
    const { body } = await testServer.ask('listApiKeyCatalogCategories', { key: testServer.keys.rival })
    assert.deepEqual(body, { data: [], meta: { count: 0, next: null } })
  })

  test('400 for a cursor of another list or another installation', async () => {
    const categories = Array.from({ length: 101 }, (_, index) => ({ slug: `c${index}`, name: `C ${index}` }))
    const testServer = await openTestServer(given, {
      shops: [
        { ...bloom, categories, products: [] },
        { ...bloom, merchant: { ...bloom.merchant, slug: 'other' } },
      ],
    })
    const { body } = await testServer.ask('listApiKeyCatalogCategories')
    const query = body.meta.next.slice(body.meta.next.indexOf('?'))
    assert.equal((await testServer.ask('listApiKeyCatalogCategories', { query })).status, 200)
    assertError(await testServer.ask('listApiKeyCatalogProducts', { query }), 'invalid_request')
    assertError(
      await testServer.ask('listApiKeyCatalogCategories', { query, key: testServer.keys.rival }),
      'invalid_request',
    )
  })
})

function order(rows: readonly { slug: string }[], slug: string): number {
  return rows.findIndex((row) => row.slug === slug)
}
