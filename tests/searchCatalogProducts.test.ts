import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { pottery, slopes, weighted } from '../harness/searchShop.ts'
import { rival } from '../harness/shops.ts'
import { anyEngine, eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { refreshStaleProducts } from '../src/domain/catalog/refresh.ts'

type Query = string | Record<string, string> | [string, string][]

async function searchIn(testServer: TestServer, query: Query) {
  return testServer.ask('searchCatalogProducts', { query: `?${new URLSearchParams(query)}` })
}

async function slugsIn(testServer: TestServer, query: Query): Promise<string[]> {
  const answer = await searchIn(testServer, query)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.map(({ slug }: { slug: string }) => slug)
}

eachEngine('searchCatalogProducts', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given.shared, { shops: [pottery, rival] })
  })
  const slugs = (query: Query) => slugsIn(testServer, query)

  test('200: rows are the same as in the list, and the response contains the facets of the result', async () => {
    const { body } = await searchIn(testServer, { q: 'stoneware' })
    const { body: list } = await testServer.ask('listApiKeyCatalogProducts')
    const rowOf = (slug: string) => list.data.find((row: { slug: string }) => row.slug === slug)
    assert.deepEqual(body.data, [rowOf('stone-mug'), rowOf('pitcher')])
    assert.deepEqual(body.meta, {
      count: 2,
      next: null,
      total: 2,
      correctedTo: null,
      leftOut: [],
      facets: {
        categories: [
          { slug: 'kitchen', name: 'Kitchen', count: 2 },
          { slug: 'cups', name: 'Drinkware', count: 2 },
        ],
        brands: [],
        options: [
          {
            name: 'Colour',
            values: [
              { value: 'Oat', count: 1 },
              { value: 'Plum', count: 1 },
            ],
          },
          {
            name: 'Size',
            values: [
              { value: 'Large', count: 1 },
              { value: 'Small', count: 1 },
            ],
          },
        ],
        price: { min: { amount: 1800, currency: 'EUR' }, max: { amount: 4500, currency: 'EUR' } },
        inStock: 2,
      },
    })
  })

  test('200 listRelatedProducts returns products in stock, the most similar first, never the product itself', async () => {
    const related = async (slug: string, query = '') => {
      const { status, body } = await testServer.ask('listRelatedProducts', { path: { slug }, query })
      return status === 200 ? body.data.map((row: { slug: string }) => row.slug) : body.error.code
    }
    // The bowl shares a tag and the kitchen with the mug, and is sold out.
    assert.deepEqual(await related('stone-mug'), ['pitcher'])
    assert.deepEqual(await related('creme-bowl'), ['stone-mug', 'pitcher'])
    assert.deepEqual(await related('creme-bowl', '?limit=1'), ['stone-mug'])
    assert.deepEqual(await related('surprise'), [])
    assert.equal(await related('no-such'), 'product_not_found')
    const [{ body }, { body: list }] = await Promise.all([
      testServer.ask('listRelatedProducts', { path: { slug: 'stone-mug' } }),
      testServer.ask('listApiKeyCatalogProducts'),
    ])
    assert.deepEqual(body, {
      data: list.data.filter(({ slug }: { slug: string }) => slug === 'pitcher'),
      meta: { count: 1 },
    })
    const strange = { key: testServer.keys.rival, path: { slug: 'stone-mug' } }
    assert.equal((await testServer.ask('listRelatedProducts', strange)).status, 404)
  })

  test('200 listSearchSuggestions returns products and categories for an incomplete word', async () => {
    const suggested = async (query: Record<string, string>) => {
      const { body } = await testServer.ask('listSearchSuggestions', { query: `?${new URLSearchParams(query)}` })
      const { products, categories, correctedTo } = body.data
      return [products.map(({ slug }: { slug: string }) => slug), categories, correctedTo]
    }
    assert.deepEqual(await suggested({ q: 'sto' }), [['stone-mug', 'pitcher'], [], null])
    assert.deepEqual(await suggested({ q: 'sto', limit: '1' }), [['stone-mug'], [], null])
    assert.deepEqual(await suggested({ q: 'DRINK' }), [
      ['stone-mug', 'pitcher'],
      [{ slug: 'cups', name: 'Drinkware', count: 2 }],
      null,
    ])
    assert.deepEqual(await suggested({ q: 'stonewere' }), [['stone-mug', 'pitcher'], [], 'stoneware'])
    assert.deepEqual(await suggested({ q: '"}]' }), [[], [], null])
    const rows = await testServer.ask('searchCatalogProducts', { query: '?q=stoneware' })
    const { body } = await testServer.ask('listSearchSuggestions', { query: '?q=stoneware' })
    assert.deepEqual(body.data.products, rows.body.data)
    for (const query of ['', '?q=', '?q=a&limit=11', `?q=${'x'.repeat(201)}`])
      assert.equal((await testServer.ask('listSearchSuggestions', { query })).status, 400, query)
  })

  test('200: letter case and accents do not matter', async () => {
    for (const q of ['creme', 'Crème', 'CRÈME', 'cre\u0300me']) assert.deepEqual(await slugs({ q }), ['creme-bowl'], q)
    for (const q of ['strasse', 'STRASSE', 'straße']) assert.deepEqual(await slugs({ q }), ['strasse'], q)
  })

  test('200: the last word may be incomplete, and words may be in any order', async () => {
    for (const q of ['speckled sto', 'mug speck', 'mug stoneware speckled', 'speckled-mug'])
      assert.deepEqual(await slugs({ q }), ['stone-mug'], q)
    const { body } = await searchIn(testServer, { q: 'sto pitcher' })
    assert.equal(body.meta.leftOut.length, 1, 'only the last')
  })

  test('200: all words must occur, in any fields', async () => {
    assert.deepEqual(await slugs({ q: 'mug' }), ['stone-mug', 'pitcher'])
    assert.deepEqual(await slugs({ q: 'mug plum' }), ['stone-mug'])
    assert.deepEqual(await slugs({ q: 'gift bowl kitchen' }), ['creme-bowl'])
    assert.deepEqual(await slugs({ q: 'drinkware tall' }), ['pitcher'])
    const { body } = await searchIn(testServer, { q: 'mug' })
    assert.deepEqual(body.meta.leftOut, [])
  })

  test('200: if no product has all words, the rarest are left out, and the response contains them', async () => {
    const leftOut = async (q: string, more = {}) => {
      const { body } = await searchIn(testServer, { q, ...more })
      return [body.meta.total, body.meta.leftOut]
    }
    assert.deepEqual(await leftOut('mug nowhere'), [2, ['nowhere']])
    assert.deepEqual(await leftOut('plum pitcher'), [2, ['pitcher']])
    assert.deepEqual(await leftOut('purple flying wooden mug'), [0, []], 'half of the words stay')
    assert.deepEqual(await leftOut('nowhere'), [0, []])
    assert.deepEqual(await leftOut('a nowhere'), [0, []], 'an article alone')
    assert.deepEqual(await leftOut('mug', { category: 'garden' }), [0, []], 'a filter is not the words')
    assert.deepEqual(await leftOut('plum mug', { maxPrice: '100' }), [0, []], 'a filter is not the words')
  })

  test('200: a plural finds the singular and the reverse', async () => {
    assert.deepEqual(await slugs({ q: 'mugs thrown' }), ['stone-mug'])
    assert.deepEqual(await slugs({ q: 'berry dishes' }), ['berry-dish'])
    assert.deepEqual(await slugs({ q: 'bowls' }), ['creme-bowl'])
  })

  test('200: a word with one wrong letter is corrected, and the response contains the correction', async () => {
    for (const q of ['stonewere', 'stnoeware', 'stonewaree', 'stoneare']) {
      const { body } = await searchIn(testServer, { q: `${q} speckled` })
      assert.deepEqual([body.meta.total, body.meta.correctedTo], [1, 'stoneware speckled'], q)
    }
    const { body } = await searchIn(testServer, { q: 'drinkwaer' })
    assert.deepEqual([body.meta.total, body.meta.correctedTo], [2, 'drinkware'], 'of a category')
    const { body: many } = await searchIn(testServer, { q: 'specled stonewre drinkwre kitchn' })
    assert.deepEqual([many.meta.correctedTo, many.meta.leftOut], ['speckled stoneware drinkware', ['kitchn']], 'three')
    assert.deepEqual(await slugs({ q: 'bowk' }), [], 'four letters are too few')
    assert.deepEqual(await slugs({ q: 'stenewere' }), [], 'two wrong letters')
    const { body: right } = await searchIn(testServer, { q: 'tall' })
    assert.equal(right.meta.correctedTo, null)
  })

  test('200: a SKU code or a barcode finds its product first', async () => {
    for (const q of ['MUG-STO-400', 'mug sto 400', 'mugsto400', 'Mug_Sto_400'])
      assert.deepEqual(await slugs({ q }), ['stone-mug'], q)
    assert.equal((await slugs({ q: 'mug-sto' }))[0], 'stone-mug', 'half typed')
    assert.deepEqual(await slugs({ q: 'DISH-9' }), ['berry-dish'])
    for (const category of ['kitchen', 'unknown'])
      assert.deepEqual(await slugs({ q: 'DISH-9', category }), [], `in ${category}`)
    for (const q of ['4006381333931', '4 006381 333931', '40063813'])
      assert.deepEqual(await slugs({ q }), ['berry-dish'], q)
  })

  test('200: queries may be in any script and contain punctuation', async () => {
    const expected = {
      فنجان: 'persian-cup',
      قهو: 'persian-cup',
      כד: 'hebrew-jug',
      茶壶: 'chinese-teapot',
      紫: 'chinese-teapot',
      紫砂茶壶: 'chinese-teapot',
      カップ: 'japanese-cup',
      湯呑み: 'japanese-cup',
      ｶｯﾌﾟ: 'japanese-cup',
      '🎁': 'surprise',
      'box 🎁': 'surprise',
    }
    for (const [q, slug] of Object.entries(expected)) assert.deepEqual(await slugs({ q }), [slug], q)
    for (const q of ['壶茶', '🎈', '"', "'", '* OR', 'a" OR "b', ':*', '\\', '!&|', '%', '\u202e', ' ', '\ud83c'])
      assert.deepEqual(await slugs({ q }), [], q)
  })

  test('200 with empty facets if nothing is found', async () => {
    const { body } = await searchIn(testServer, { q: 'teleporter' })
    const facets = { categories: [], brands: [], options: [], price: null, inStock: 0 }
    assert.deepEqual(body, {
      data: [],
      meta: { count: 0, next: null, total: 0, correctedTo: null, leftOut: [], facets },
    })
    assert.deepEqual(await slugs({ category: 'no-such' }), [])
  })

  test('200 filters by category with its subcategories, price, stock, tag and options', async () => {
    assert.deepEqual(await slugs({ category: 'kitchen' }), ['stone-mug', 'creme-bowl', 'pitcher'])
    assert.deepEqual(await slugs({ category: 'cups' }), ['stone-mug', 'pitcher'])
    assert.deepEqual(await slugs({ category: 'kitchen', minPrice: '2400', maxPrice: '3200' }), [
      'stone-mug',
      'creme-bowl',
    ])
    assert.deepEqual(await slugs({ category: 'kitchen', inStock: 'true' }), ['stone-mug', 'pitcher'])
    assert.deepEqual(await slugs({ tag: 'GIFT' }), ['stone-mug', 'creme-bowl'])
    assert.deepEqual(await slugs({ option: 'colour:plum' }), ['stone-mug', 'creme-bowl'])
    const both: [string, string][] = [
      ['option', 'Colour:Plum'],
      ['option', 'Colour:Oat'],
      ['option', 'Size:Large'],
    ]
    assert.deepEqual(await slugs(both), ['stone-mug'])
    assert.deepEqual(await slugs({ q: 'mug', inStock: 'true', maxPrice: '2000' }), ['stone-mug'])
  })

  test('200: each facet is counted without its own filter', async () => {
    const query: [string, string][] = [
      ['category', 'cups'],
      ['option', 'Colour:Oat'],
      ['inStock', 'true'],
      ['maxPrice', '3000'],
    ]
    const { body } = await searchIn(testServer, query)
    const { facets, total } = body.meta
    assert.equal(total, 1)
    // Without the category, the bowl is in the way of no filter but that of stock and colour.
    assert.deepEqual(facets.categories, [
      { slug: 'kitchen', name: 'Kitchen', count: 1 },
      { slug: 'cups', name: 'Drinkware', count: 1 },
    ])
    assert.deepEqual(facets.options[0], {
      name: 'Colour',
      values: [
        { value: 'Oat', count: 1 },
        { value: 'Plum', count: 1 },
      ],
    })
    assert.deepEqual(facets.price.max.amount, 2400)
    const { body: plum } = await searchIn(testServer, { option: 'Colour:Plum', inStock: 'true' })
    assert.equal(plum.meta.total, 1)
    assert.equal(plum.meta.facets.inStock, 1, 'without the filter of stock')
    assert.deepEqual(plum.meta.facets.options[0].values, [
      { value: 'Oat', count: 1 },
      { value: 'Plum', count: 1 },
    ])
    const { body: cheap } = await searchIn(testServer, { category: 'kitchen', maxPrice: '2000' })
    assert.deepEqual([cheap.meta.total, cheap.meta.facets.price.max.amount], [1, 4500])
    assert.deepEqual(
      cheap.meta.facets.categories.map(({ count }: { count: number }) => count),
      [1, 1, 1],
    )
  })

  test('200 for each sort order', async () => {
    const sorted = (sort: string) => slugs({ category: 'kitchen', sort })
    assert.deepEqual(await sorted('newest'), ['stone-mug', 'creme-bowl', 'pitcher'])
    assert.deepEqual(await sorted('relevance'), ['stone-mug', 'creme-bowl', 'pitcher'])
    assert.deepEqual(await sorted('price_asc'), ['stone-mug', 'creme-bowl', 'pitcher'])
    assert.deepEqual(await sorted('price_desc'), ['pitcher', 'creme-bowl', 'stone-mug'])
    assert.deepEqual(await sorted('name'), ['creme-bowl', 'stone-mug', 'pitcher'])
  })

  test('each page links to the next in every sort order; the cursor of another query gets 400', async () => {
    for (const sort of ['relevance', 'newest', 'price_asc', 'price_desc', 'name']) {
      const all = await slugs({ q: 'cup', minPrice: '1', sort })
      const kitchen = await slugs({ category: 'kitchen', sort })
      const seen: string[] = []
      let link: string | null = `/api/v1/open/catalog/search?category=kitchen&limit=1&sort=${sort}`
      while (link) {
        const { status, body } = await testServer.fetch(link, { headers: { authorization: testServer.keys.full } })
        assert.equal(status, 200)
        assert.equal(body.meta.total, 3)
        seen.push(...body.data.map(({ slug }: { slug: string }) => slug))
        link = body.meta.next
      }
      assert.deepEqual(seen, kitchen, sort)
      assert.ok(all.length <= 10)
    }
    const { body } = await searchIn(testServer, { category: 'kitchen', limit: '1' })
    const cursor = new URL(body.meta.next, testServer.origin).searchParams.get('cursor') ?? ''
    const other = await searchIn(testServer, { category: 'garden', limit: '1', cursor })
    assert.deepEqual([other.status, other.body.error.issues[0].path], [400, '/query/cursor'], 'of another query')
  })

  test('200: each merchant finds only its own products', async () => {
    const ask = (q: string) =>
      testServer.ask('searchCatalogProducts', { key: testServer.keys.rival, query: `?${new URLSearchParams({ q })}` })
    assert.equal((await ask('mug')).body.meta.total, 0)
    assert.equal((await ask('ROSE-12')).body.meta.total, 1)
  })
})

eachEngine('the search index', (given) => {
  test('finds and corrects a brand like a name', async () => {
    const testServer = await openTestServer(given, { shops: [slopes] })
    const sorted = async (query: Query) => (await slugsIn(testServer, query)).sort()
    assert.deepEqual(await sorted({ q: 'burton' }), ['about', 'custom', 'parka', 'shell'])
    assert.equal((await slugsIn(testServer, { q: 'burton' })).at(-1), 'about', 'what only mentions it comes last')
    assert.deepEqual(await sorted({ q: 'jackets burt' }), ['parka', 'shell'])
    const { body } = await searchIn(testServer, { q: 'burtn jacket' })
    assert.deepEqual([body.meta.total, body.meta.correctedTo], [2, 'burton jacket'])
    const { body: alone } = await searchIn(testServer, { q: 'burtn' })
    assert.deepEqual([alone.meta.total, alone.meta.correctedTo], [4, 'burton'], 'not the smock that is burnt')
    assert.deepEqual(await sorted({ q: 'uber' }), ['fleece'])
  })

  test('does not correct a query that finds nothing only because of a filter', async () => {
    const testServer = await openTestServer(given, { shops: [slopes] })
    const said = async (query: Query) => {
      const { body } = await searchIn(testServer, query)
      return [body.meta.total, body.meta.correctedTo, body.meta.leftOut]
    }
    assert.deepEqual(await said({ q: 'shell jacket' }), [1, null, []])
    assert.deepEqual(await said({ q: 'shell jacket', category: 'garden' }), [0, null, []], 'not the jackets of shelf')
    assert.deepEqual(await said({ q: 'shelff jacket', category: 'garden' }), [1, 'shelf jacket', []])
  })

  test('counts brands without their own filter, merges their spellings, and filters by several brands', async () => {
    const testServer = await openTestServer(given, { shops: [slopes] })
    const sorted = async (query: Query) => (await slugsIn(testServer, query)).sort()
    const brandsIn = async (query: Query) => (await searchIn(testServer, query)).body.meta.facets.brands
    const [burton, wool, press] = [
      { name: 'Burton', count: 3 },
      { name: 'Über Wool, Ltd.', count: 1 },
      { name: 'Hill Press', count: 1 },
    ]
    assert.deepEqual(await brandsIn({ inStock: 'true' }), [burton, press, wool])
    assert.deepEqual(await sorted({ brand: 'burton' }), ['custom', 'parka', 'shell'])
    assert.deepEqual(await brandsIn({ brand: 'burton' }), [burton, press, wool])
    assert.deepEqual(await sorted({ brand: 'burton', category: 'kitchen' }), ['parka', 'shell'])
    assert.deepEqual(await brandsIn({ brand: 'burton', category: 'kitchen' }), [{ name: 'BURTON', count: 2 }, wool])
    const both: [string, string][] = [
      ['brand', 'UBER wool, ltd.'],
      ['brand', 'Hill Press'],
    ]
    assert.deepEqual(await sorted(both), ['about', 'fleece'])
    assert.deepEqual(await sorted({ brand: 'wool' }), [], 'not a part of it')
    const { body } = await searchIn(testServer, { brand: 'Burton' })
    assert.deepEqual(
      body.meta.facets.categories.map(({ slug, count }: { slug: string; count: number }) => [slug, count]),
      [
        ['kitchen', 2],
        ['garden', 1],
      ],
    )
    // A new brand is found at once, and the old one no longer.
    const [custom] = slopes.products ?? []
    assert.ok(custom)
    await testServer.apply({ ...slopes, products: [{ ...custom, brand: 'Nitro' }] })
    assert.deepEqual(await sorted({ brand: 'burton' }), ['parka', 'shell'])
    assert.deepEqual(await sorted({ q: 'nitro' }), ['custom'])
  })

  test('ranks matches in name, brand, tags, category names, options, codes and description in this order', async () => {
    const testServer = await openTestServer(given, { shops: [weighted] })
    assert.deepEqual(await slugsIn(testServer, { q: 'x-marble-1' }), ['in-code', 'stand'], 'a whole code first')
    const expected = ['in-name', 'stand', 'in-brand', 'in-tag', 'in-category', 'in-option', 'in-code', 'in-description']
    assert.deepEqual(await slugsIn(testServer, { q: 'marble' }), expected)
    assert.deepEqual(await slugsIn(testServer, { q: 'marb' }), expected, 'half typed')
  })

  test('follows every change of words, price, stock, category and publication in the transaction of the change', async () => {
    const testServer = await openTestServer(given, { shops: [pottery] })
    const [mug, ...others] = pottery.products ?? []
    assert.ok(mug)
    await testServer.apply({
      ...pottery,
      products: [
        {
          ...mug,
          name: 'Glazed beaker',
          tags: ['new'],
          categories: ['garden'],
          skus: mug.skus.map((sku) => ({ ...sku, price: 99 })),
        },
      ],
    })
    assert.deepEqual(await slugsIn(testServer, { q: 'speckled' }), [])
    assert.deepEqual(await slugsIn(testServer, { q: 'beaker' }), ['stone-mug'])
    assert.deepEqual(await slugsIn(testServer, { category: 'garden', maxPrice: '99' }), ['stone-mug'])
    assert.deepEqual(await slugsIn(testServer, { tag: 'gift' }), ['creme-bowl'])

    assert.deepEqual(await slugsIn(testServer, { q: 'bowl', inStock: 'true' }), [])
    const restocked = others.map((product) => ({ ...product, skus: product.skus.map((sku) => ({ ...sku, stock: 7 })) }))
    await testServer.apply({ ...pottery, products: restocked.slice(0, 1) }, { stock: true })
    await refreshStaleProducts(testServer.storage, testServer.clock.now, 100)
    assert.deepEqual(await slugsIn(testServer, { q: 'bowl', inStock: 'true' }), ['creme-bowl'])

    await testServer.apply({ ...pottery, products: [], categories: [{ slug: 'garden', name: 'Terrace', position: 3 }] })
    assert.deepEqual(await slugsIn(testServer, { q: 'terrace' }), ['stone-mug', 'berry-dish'])

    await testServer.apply({ ...pottery, products: [{ ...mug, published: false }] })
    assert.deepEqual(await slugsIn(testServer, { q: 'beaker' }), [])
    assert.deepEqual(await slugsIn(testServer, { q: 'speckled' }), [])
  })

  test('pages through more than a thousand products in every sort order, without a total', async () => {
    const products = Array.from({ length: 1_100 }, (_, index) => ({
      slug: `plate-${index}`,
      name: index === 3 ? 'Painted plate' : `Item ${index}`,
      description: 'A plate that is painted.',
      publishedAt: `2026-01-0${1 + (index % 3)}T00:00:00.000Z`,
      skus: [{ code: `PL${index}`, price: 100 + (index % 7), stock: 1 }],
    }))
    const testServer = await openTestServer(given, { shops: [{ ...pottery, products }] })
    const { body } = await searchIn(testServer, { q: 'painted plate', limit: '2' })
    assert.equal(body.meta.total, null)
    assert.equal(body.data[0].slug, 'plate-3', 'the one with the words in its name')
    assert.equal(body.meta.facets.inStock, 1_100, 'facets are of the whole result')
    for (const sort of ['newest', 'price_asc', 'price_desc', 'name']) {
      const seen: { id: string; publishedAt: string; priceRange: { min: { amount: number } } }[] = []
      let link: string | null = `/api/v1/open/catalog/search?q=plate&limit=100&sort=${sort}`
      while (link) {
        const { body } = await testServer.fetch(link, { headers: { authorization: testServer.keys.full } })
        seen.push(...body.data)
        link = body.meta.next
      }
      assert.equal(new Set(seen.map(({ id }) => id)).size, 1_100, sort)
      const values = seen.map((row) => (sort === 'newest' ? row.publishedAt : row.priceRange.min.amount))
      const inOrder = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      if (sort !== 'name') assert.deepEqual(values, sort === 'price_asc' ? inOrder : inOrder.reverse(), sort)
    }
  })
})

anyEngine('searchCatalogProducts', (given) => {
  test('400 for a query that is empty, repeats a parameter, or has a value out of bounds', async () => {
    const testServer = await openTestServer(given)
    for (const [query, path] of [
      ['', '/query'],
      ['sort=newest&limit=5', '/query'],
      ['q=', '/query/q'],
      ['q=a&q=b', '/query/q'],
      [`q=${'x'.repeat(201)}`, '/query/q'],
      ['category=A', '/query/category'],
      ['minPrice=-1', '/query/minPrice'],
      ['maxPrice=1.5', '/query/maxPrice'],
      ['inStock=false', '/query/inStock'],
      ['option=Plum', '/query/option/0'],
      ['q=a&limit=0', '/query/limit'],
      ['q=a&limit=101', '/query/limit'],
      ['q=a&sort=best', '/query/sort'],
    ] as const) {
      const { status, body } = await searchIn(testServer, query)
      assert.deepEqual([status, body.error?.issues[0]?.path], [400, path], query)
    }
  })
})
