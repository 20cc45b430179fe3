// Products, SKUs, stock and categories by the admin surface, and what the open catalog shows of it.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createCategory, createProduct, productEntry, unusedName } from '../harness/admin/catalog.ts'
import { createMaker, makerEntry } from '../harness/admin/makers.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertAdminError, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import type { SkuEntry, WarningEntry } from '../src/contract/entries.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { sellStock } from '../src/domain/inventory/sales.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

eachEngine('the admin catalog', (given) => {
  let testServer: TestServer & { orders: Orders }
  before(async () => {
    testServer = await openOrderTestServer(given)
  })

  async function ask(id: AdminOperationId, body: object, path: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
  }

  async function done(id: AdminOperationId, body: object, path: Readonly<Record<string, string>> = {}) {
    const answer = await ask(id, body, path)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  const product = async (productId: string) =>
    (await testServer.askAdmin('getAdminProduct', { path: { productId } })).body.data
  const shown = (slug: string) => testServer.ask('getApiKeyCatalogProduct', { path: { slug } })
  const countOf = async (slug: string) => {
    const { body } = await testServer.ask('listApiKeyCatalogCategories')
    return body.data.find((category: { slug: string }) => category.slug === slug).productCount
  }
  const events = async (subjectId: string) =>
    (
      await testServer.storage.read(
        (db) => db.sql<{ type: string }>`select type from events where subject_id = ${subjectId} order by sequence, id`,
      )
    ).map(({ type }) => type)

  test('a reduced price is shown with the lowest price of the 30 days before the reduction, and other prices without one', async () => {
    const began = testServer.clock.now
    const code = unusedName('SALE')
    const entry = productEntry({ skus: [{ code, price: 1_000, compareAtPrice: 1_500 }] })
    const { data } = await done('createAdminProduct', { product: entry })
    const [{ id: skuId }] = data.skus
    const set = (row: object) => done('updateAdminSkus', { rows: [{ skuId, ...row }] })
    const prices = async () => {
      const { skus, priorPrice } = (await shown(entry.slug)).body.data
      const { rows } = await testServer.storage.read(async (db) => ({
        rows: await db.sql<{ price: number }>`select price from price_history where sku_id = ${skuId} order by from_at`,
      }))
      const [{ price, compareAtPrice }] = skus
      assert.deepEqual(skus[0].priorPrice, priorPrice)
      return [price.amount, compareAtPrice?.amount ?? null, priorPrice?.amount ?? null, rows.map((row) => row.price)]
    }
    assert.deepEqual(await prices(), [1_000, null, null, [1_000]])
    assert.equal(data.skus[0].priorPrice, null)
    testServer.clock.now += 60_000
    await set({ price: 1_200, compareAtPrice: null })
    testServer.clock.now += 60_000
    await set({ price: 900, compareAtPrice: 2_000 })
    assert.deepEqual(await prices(), [900, 2_000, 1_000, [1_000, 1_200, 900]])
    const list = (await testServer.askAdmin('listAdminSkus', { query: `?productId=${data.id}` })).body.data
    assert.equal(list[0].priorPrice, 1_000)
    testServer.clock.now += 31 * 86_400_000
    await set({ price: 800 })
    assert.deepEqual(await prices(), [800, 2_000, 1_000, [1_000, 1_200, 900, 800]])
    // Hidden, its prices leave no trace; shown again, the reduction goes on.
    const status = (to: string) => done('updateAdminProducts', { productIds: [data.id], change: { status: to } })
    await status('hidden')
    await set({ price: 5_000, compareAtPrice: null })
    testServer.clock.now += 60_000
    await set({ price: 790, compareAtPrice: 5_000 })
    await status('published')
    assert.deepEqual(await prices(), [790, 5_000, 1_000, [1_000, 1_200, 900, 800, 790]])
    testServer.clock.now += 60_000
    await set({ price: 850 })
    assert.deepEqual(await prices(), [850, null, null, [900, 800, 790, 850]])
    testServer.clock.now = began
  })

  test('the unit price changes with price and content, in the catalog and in carts', async () => {
    const [small, large] = [unusedName('JAR'), unusedName('JAR')]
    const skus: SkuEntry[] = [
      { code: small, options: { Size: 's' }, price: 595, stock: 5, measure: { amount: 250, unit: 'g', per: '100g' } },
      { code: large, options: { Size: 'l' }, price: 1_999, stock: 5 },
    ]
    const entry = productEntry({ options: [{ name: 'Size', values: ['s', 'l'] }], skus })
    const other = { ...entry, skus: skus.map((sku) => ({ ...sku, measure: { amount: 1, unit: 'g', per: 'l' } })) }
    const refused = await ask('createAdminProduct', { product: other })
    assert.deepEqual([refused.status, refused.body.error.issues[0].path], [400, '/product/skus/0/measure/per'])
    const { data } = await done('createAdminProduct', { product: entry })
    const [{ id: skuId }] = data.skus
    const measure = { amount: 250, unit: 'g', per: '100g' }
    const answered = async () => {
      const { body } = await shown(entry.slug)
      assert.deepEqual(body.data.measure, body.data.skus[0].measure)
      return body.data.skus.map((sku: { measure: object | null }) => sku.measure)
    }
    assert.deepEqual(await answered(), [{ ...measure, price: { amount: 238, currency: 'EUR' } }, null])
    assert.deepEqual(
      data.product.skus.map((sku: { measure: object }) => sku.measure),
      [measure, null],
    )
    const missing = await testServer.askAdmin('listAdminSkus', { query: `?productId=${data.id}&measure=missing` })
    assert.deepEqual(
      missing.body.data.map(({ code }: { code: string }) => code),
      [large],
    )
    const cart = await testServer.ask('createPublicCart', {
      body: { idempotencyKey: newId('req'), items: [{ skuId, quantity: 2 }] },
    })
    assert.deepEqual(cart.body.data.items[0].measure, { ...measure, price: 238 })
    await done('updateAdminSkus', { rows: [{ skuId, price: 799 }] })
    assert.deepEqual(await answered(), [{ ...measure, price: { amount: 320, currency: 'EUR' } }, null])
    const changed = data.product.skus.map((sku: object) => ({ ...sku, measure: { amount: 75, unit: 'cl' } }))
    const { changes } = await done(
      'replaceAdminProduct',
      { expectedVersion: 2, product: { ...data.product, skus: changed } },
      { productId: data.id },
    )
    assert.deepEqual(changes[0].members.find(({ member }: { member: string }) => member === 'measure')?.to, {
      ...{ amount: 75, unit: 'cl', per: 'l' },
    })
    assert.equal((await answered())[1].price.amount, 2_665)
  })

  test('a new product is in the catalog immediately, and replacing it with the same data does not change it', async () => {
    const entry = productEntry({ categories: ['vases'], tags: ['new'], metadata: { row: '4' } })
    const html = { descriptionHtml: '<p onclick="x()">Tall</p>' }
    const planned = await done('createAdminProduct', { product: { ...entry, ...html }, dryRun: true })
    assert.deepEqual([planned.data.product.descriptionHtml, planned.changes.length], ['<p>Tall</p>', 2])
    assert.equal((await shown(entry.slug)).status, 404)
    assert.deepEqual(await events(planned.data.id), [])
    const { data, changes } = await done('createAdminProduct', { product: entry })
    assert.deepEqual([data.version, data.status, data.skus[0].onHand], [1, 'published', 7])
    assert.deepEqual(
      changes.map(({ kind, subject }: { kind: string; subject: { type: string } }) => `${kind} ${subject.type}`),
      ['create product', 'create sku'],
    )
    assert.equal((await shown(entry.slug)).body.data.skus[0].availableQuantity, 7)

    const path = { productId: data.id }
    const same = await done('replaceAdminProduct', { expectedVersion: 1, product: data.product }, path)
    assert.deepEqual([same.changes, same.data.version], [[], 1])
    assert.deepEqual(await events(data.id), ['product.created'])
  })

  test('replacing a product adds and retires SKUs, changes the slug, and keeps the stock', async () => {
    const { id, product: entry } = await createProduct(testServer)
    const skus = [
      { ...entry.skus[0], price: 1_500, stock: 500 },
      { code: unusedName('EXTRA'), price: 900, stock: 4 },
    ]
    const slug = unusedName('cup')
    const path = { productId: id }
    const changed = { ...entry, slug, options: [{ name: 'Size', values: ['S', 'L'] }] }
    const sized = skus.map((sku, index) => ({ ...sku, options: { Size: index === 0 ? 'S' : 'L' } }))
    const { data } = await done(
      'replaceAdminProduct',
      { expectedVersion: 1, product: { ...changed, skus: sized } },
      path,
    )
    assert.deepEqual([data.version, data.skus.map(({ onHand }: { onHand: number }) => onHand)], [2, [7, 4]])
    assert.equal((await shown(entry.slug)).status, 404)
    assert.deepEqual((await shown(slug)).body.data.priceRange.max.amount, 1_500)

    const fewer = { ...changed, options: [], skus: [{ ...skus[0], options: {} }] }
    const { changes } = await done('replaceAdminProduct', { expectedVersion: 2, product: fewer }, path)
    assert.ok(
      changes.some(
        ({ kind, subject }: { kind: string; subject: { name: string } }) =>
          kind === 'retire' && subject.name === skus[1]?.code,
      ),
    )
    assert.deepEqual(await events(id), ['product.created', 'product.updated', 'product.updated'])
  })

  test('replacing an outdated version of a product is refused with the present version; a dry run writes nothing', async () => {
    const { id, product: entry } = await createProduct(testServer)
    const path = { productId: id }
    const dry = await done(
      'replaceAdminProduct',
      { expectedVersion: 1, product: { ...entry, name: 'Dry' }, dryRun: true },
      path,
    )
    assert.deepEqual(dry.changes[0].members, [{ member: 'name', from: 'A mug', to: 'Dry' }])
    assert.equal((await product(id)).product.name, 'A mug')
    await done('replaceAdminProduct', { expectedVersion: 1, product: { ...entry, name: 'First' } }, path)
    const late = await ask('replaceAdminProduct', { expectedVersion: 1, product: { ...entry, name: 'Second' } }, path)
    assertAdminError(late, 'version_conflict')
    assert.deepEqual(late.body.error.current, await product(id))
  })

  test('the HTML of a description is sanitized, shown beside the plain text, and removed when only plain text is sent', async () => {
    const slug = unusedName('mug')
    const descriptionHtml = '<h1>Fired</h1><p onclick=x()>by <b>hand</b><script>x()</script>'
    const safe = '<h2>Fired</h2>\n<p>by <b>hand</b></p>'
    const entry = productEntry({ slug, descriptionHtml })
    const { data } = await done('createAdminProduct', { product: entry })
    assert.deepEqual([data.product.description, data.product.descriptionHtml], ['Fired\n\nby hand', safe])
    const { merchant, ...answer } = (await shown(slug)).body.data
    assert.deepEqual([answer.description, answer.descriptionHtml], ['Fired\n\nby hand', safe])
    const anyone = await testServer.ask('getPublicMerchantProduct', {
      path: { merchantSlug: merchant.slug, productSlug: slug },
    })
    assert.equal(anyone.body.data.descriptionHtml, safe)

    const path = { productId: data.id }
    const same = await done('replaceAdminProduct', { expectedVersion: 1, product: data.product }, path)
    assert.deepEqual([same.changes, same.data.version], [[], 1])
    const both = { ...data.product, description: 'By hand.' }
    const second = await done('replaceAdminProduct', { expectedVersion: 1, product: both }, path)
    assert.deepEqual([second.data.product.description, second.data.product.descriptionHtml], ['By hand.', safe])
    const { descriptionHtml: _, ...plain } = both
    const third = await done('replaceAdminProduct', { expectedVersion: 2, product: plain }, path)
    assert.equal(third.data.product.descriptionHtml, null)
    assert.deepEqual(third.changes[0].members, [{ member: 'descriptionHtml', from: safe, to: null }])
    assert.ok(!('descriptionHtml' in (await shown(slug)).body.data))

    for (const long of ['x'.repeat(65_537), '&'.repeat(20_000)]) {
      const refused = await ask(
        'replaceAdminProduct',
        { expectedVersion: 3, product: { ...plain, descriptionHtml: long } },
        path,
      )
      assertAdminError(refused, 'invalid_request')
      assert.equal(refused.body.error.issues[0].path, '/product/descriptionHtml')
    }
  })

  test('a manufacturer is stored once, shown with each product that names it, and cannot be removed while a product names it', async () => {
    const responsible = {
      name: 'Kiln EU',
      address: ['Ofenweg 9', '10115 Berlin'],
      country: 'DE',
      contact: 'eu@kiln.example',
    }
    const { id, version, maker } = await createMaker(testServer, { country: 'GB', responsible })
    const warnings: WarningEntry[] = [{ language: 'de', text: 'Nicht für\n\nKinder.' }, { text: 'Hot.' }]
    const made = await createProduct(testServer, { maker: maker.slug, warnings })
    const other = await createProduct(testServer)
    const { slug } = made.product
    const path = { merchantSlug: 'bloom', productSlug: slug }
    const safety = async () => {
      const [open, own] = await Promise.all([
        testServer.ask('getPublicMerchantProduct', { path, key: null }),
        shown(slug),
      ])
      assert.deepEqual(open.body.data.safety, own.body.data.safety)
      return own.body.data.safety
    }
    const { slug: _, responsible: __, ...party } = maker
    const stored = [
      { language: 'de', text: 'Nicht für\nKinder.' },
      { language: null, text: 'Hot.' },
    ]
    assert.deepEqual(await safety(), { makers: [party], responsible: [responsible], warnings: stored })
    assert.deepEqual(made.product.warnings, stored)
    assert.equal((await shown(other.product.slug)).body.data.safety, null)

    const changed = { ...maker, contact: 'https://kiln.example/safety', responsible: null }
    const replaced = await done('replaceAdminMaker', { expectedVersion: version, maker: changed }, { makerId: id })
    assert.deepEqual([replaced.data.productCount, replaced.data.maker], [1, changed])
    const after = { makers: [{ ...party, contact: changed.contact }], responsible: [], warnings: stored }
    assert.deepEqual(await safety(), after, 'at once')
    const { body: changes } = await testServer.askAdmin('listAdminChanges')
    const removal = { expectedVersion: version + 1 }
    assertAdminError(await ask('removeAdminMaker', removal, { makerId: id }), 'maker_in_use')
    const renamed = await ask(
      'replaceAdminMaker',
      { ...removal, maker: { ...changed, slug: 'kiln-x' } },
      { makerId: id },
    )
    assertAdminError(renamed, 'slug_not_changeable')
    await done('undoAdminChange', {}, { changeId: changes.data[0].id })
    assert.deepEqual((await safety()).responsible, [responsible])

    const heads = async (query: string) =>
      (await testServer.askAdmin('listAdminProducts', { query })).body.data.map((row: { id: string }) => row.id)
    assert.deepEqual(await heads(`?maker=${maker.slug}`), [made.id])
    const lacking = await heads('?lacks=maker&limit=200')
    assert.deepEqual([lacking.includes(made.id), lacking.includes(other.id)], [false, true])
    await done('updateAdminProducts', { productIds: [other.id], change: { maker: maker.slug } })
    assert.deepEqual((await heads(`?maker=${maker.slug}`)).sort(), [made.id, other.id].sort())
    await done('updateAdminProducts', { productIds: [made.id, other.id], change: { maker: null } })
    const { body: unnamed } = await testServer.askAdmin('listAdminChanges')
    await done('removeAdminMaker', { expectedVersion: version + 2 }, { makerId: id })
    const { body: removed } = await testServer.askAdmin('listAdminChanges')
    const undone = await ask('undoAdminChange', {}, { changeId: unnamed.data[0].id })
    assertAdminError(undone, 'change_overtaken')
    await done('undoAdminChange', {}, { changeId: removed.data[0].id })
    await done('undoAdminChange', {}, { changeId: unnamed.data[0].id })
    assert.deepEqual((await product(other.id)).product.maker, maker.slug)
  })

  test('an invalid manufacturer, and a product that names an unknown one, are refused with the path of the error', async () => {
    const unknown = productEntry({ maker: 'no-such-maker' })
    assertAdminError(await ask('createAdminProduct', { product: unknown }), 'maker_not_found')
    assertAdminError(await ask('createAdminProduct', { product: unknown, dryRun: true }), 'maker_not_found')
    const { id } = await createProduct(testServer)
    const bulk = { productIds: [id], change: { maker: 'no-such-maker' } }
    assertAdminError(await ask('updateAdminProducts', bulk), 'maker_not_found')
    const wrong: [object, string][] = [
      [{ contact: 'javascript:alert(1)' }, '/maker/contact'],
      [{ contact: 'http://kiln.example' }, '/maker/contact'],
      [{ country: 'XX' }, '/maker/country'],
      [{ address: [] }, '/maker/address'],
      [{ address: [' '] }, '/maker/address/0'],
      [{ name: ' ' }, '/maker/name'],
      [{ responsible: { name: 'A' } }, '/maker/responsible/address'],
    ]
    for (const [members, at] of wrong) {
      const answer = await ask('createAdminMaker', { maker: { ...makerEntry(), ...members } })
      assertAdminError(answer, 'invalid_request')
      assert.equal(answer.body.error.issues[0].path, at)
    }
    const { maker } = await createMaker(testServer)
    assertAdminError(await ask('createAdminMaker', { maker }), 'maker_exists')
  })

  test('a brand is shown, searched by, set for many products in one request, undone, and sent in webhooks', async () => {
    const brand = unusedName('Rosenhof')
    const { id, product: entry } = await createProduct(testServer, { brand: ` ${brand} ` })
    const plain = await createProduct(testServer)
    assert.deepEqual([entry.brand, plain.product.brand], [brand, null])
    const { slug } = entry
    const path = { merchantSlug: 'bloom', productSlug: slug }
    const list = async () => (await testServer.ask('listApiKeyCatalogProducts')).body.data
    const brandOf = (rows: { slug: string; brand: string }[]) => rows.find((row) => row.slug === slug)?.brand
    assert.equal((await shown(slug)).body.data.brand, brand)
    assert.equal((await testServer.ask('getPublicMerchantProduct', { path, key: null })).body.data.brand, brand)
    assert.equal((await shown(plain.product.slug)).body.data.brand, null)
    assert.equal(brandOf(await list()), brand)

    const heads = async (query: Record<string, string>) =>
      (await testServer.askAdmin('listAdminProducts', { query: `?${new URLSearchParams(query)}` })).body.data.map(
        (row: { id: string; brand: string }) => [row.id, row.brand],
      )
    const found = [[id, brand]]
    assert.deepEqual(await heads({ brand: brand.toUpperCase() }), found)
    assert.deepEqual(await heads({ brand: brand.slice(0, -1) }), [], 'not a part of it')
    assert.deepEqual(await heads({ q: brand.slice(1).toUpperCase() }), found)
    const skus = await testServer.askAdmin('listAdminSkus', { query: `?q=${brand}` })
    assert.deepEqual(
      skus.body.data.map(({ code }: { code: string }) => code),
      [entry.skus[0].code],
    )
    const anything = await testServer.askAdmin('searchAdmin', { query: `?q=${brand}` })
    assert.deepEqual(
      anything.body.data.products.map((row: { id: string }) => row.id),
      [id],
    )

    const productIds = [id, plain.id]
    const preview = await done('updateAdminProducts', { productIds, change: { brand: 'Kiln' }, dryRun: true })
    const member = { member: 'brand', from: null, to: 'Kiln' }
    assert.deepEqual(preview.data[1].changes[0].members, [member])
    await done('updateAdminProducts', { productIds, change: { brand: ' Kiln' } })
    assert.deepEqual((await heads({ brand: 'kiln' })).map(([one]: string[]) => one).sort(), productIds.toSorted())
    assert.equal(brandOf(await list()), 'Kiln')
    assert.deepEqual(await events(id), ['product.created', 'product.updated'])
    const { body: changes } = await testServer.askAdmin('listAdminChanges')
    await done('undoAdminChange', {}, { changeId: changes.data[0].id })
    assert.deepEqual([(await product(id)).product.brand, (await product(plain.id)).product.brand], [brand, null])
    await done('updateAdminProducts', { productIds: [id], change: { brand: null } })
    assert.deepEqual([brandOf(await list()), await heads({ brand })], [null, []])

    // Those of products that are not archived, by name, each page behind the one before. Each list is asked for again after a change.
    const brands = async () => (await testServer.askAdmin('listAdminBrands')).body.data
    assert.deepEqual(await brands(), [])
    const archived = await createProduct(testServer, { brand: 'Aaron' })
    assert.deepEqual(await brands(), [{ name: 'Aaron', products: 1 }])
    await done('updateAdminProducts', { productIds: [archived.id], change: { status: 'archived' } })
    assert.deepEqual(await brands(), [])
    for (const name of ['Aster', 'Aster', 'Birch']) {
      await createProduct(testServer, { brand: name, published: false })
      assert.equal((await brands()).at(-1).name, name)
    }
    const { body: first } = await testServer.askAdmin('listAdminBrands', { query: '?limit=1' })
    assert.deepEqual(first.data, [{ name: 'Aster', products: 2 }])
    const init = { headers: { authorization: `Bearer ${testServer.keys.admin}` } }
    const { body: second } = await testServer.fetch(first.meta.next, init)
    assert.deepEqual(second.data, [{ name: 'Birch', products: 1 }])
    const names = (await testServer.askAdmin('listAdminBrands')).body.data.map((row: { name: string }) => row.name)
    assert.deepEqual(names, ['Aster', 'Birch'])

    for (const wrong of ['', ' ', 'a\nb', 'x'.repeat(201)]) {
      const answer = await ask('createAdminProduct', { product: productEntry({ brand: wrong }) })
      assertAdminError(answer, 'invalid_request')
      assert.equal(answer.body.error.issues[0].path, '/product/brand', JSON.stringify(wrong))
    }
    assertAdminError(await ask('updateAdminProducts', { productIds, change: { brand: '  ' } }), 'invalid_request')
  })

  test('a product with a taken slug or code, an unknown category or invalid members is refused', async () => {
    const first = await createProduct(testServer)
    const [{ code }] = first.product.skus
    for (const [members, refusal] of [
      [{ slug: first.product.slug }, 'product_exists'],
      [{ skus: [{ code, price: 1 }] }, 'sku_exists'],
      [{ categories: ['no-such-shelf'] }, 'category_not_found'],
      [{ name: ' ' }, 'invalid_request'],
      [{ name: 'a\u0001/media/b' }, 'invalid_request'],
      [{ skus: [{ code: 'X', price: 5, compareAtPrice: 5 }] }, 'invalid_request'],
      [
        {
          skus: [
            { code: 'X', price: 5 },
            { code: 'X', price: 5 },
          ],
        },
        'invalid_request',
      ],
    ] as const)
      assertAdminError(await ask('createAdminProduct', { product: productEntry(members as object) }), refusal)
  })

  test('a change of products that have too many SKUs in total is refused, and so is the 2,001st category', async () => {
    const { id, skus } = await createProduct(testServer)
    const many = new Fragment('with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)')
    const fill = (productId: string) =>
      testServer.storage.write(
        (tx) => tx.sql`
          ${many} insert into skus (merchant_id, id, product_id, code, name, options, position, price, when_sold_out,
            max_per_order, delivery, tax_class, created_at, updated_at)
          select s.merchant_id, s.id || n.i, s.product_id, s.code || n.i, s.name, s.options, n.i, s.price, s.when_sold_out,
            77, s.delivery, s.tax_class, s.created_at, s.updated_at
          from skus s, n where s.product_id = ${productId} and s.position = 0`,
      )
    await fill(id)
    const body = { productIds: [id], change: { pricePercentage: 500 } }
    const refused = await ask('updateAdminProducts', body)
    assertAdminError(refused, 'change_too_large')
    assert.deepEqual(refused.body.error.current, { skuCount: 2_001, limit: 2_000 })
    const rows = [{ skuId: skus[0].id, price: 5 }]
    const filled = [id]
    assert.equal((await ask('updateAdminSkus', { rows })).status, 200)
    for (let i = 0; i < 4; i += 1) {
      const other = await createProduct(testServer)
      await fill(other.id)
      filled.push(other.id)
      rows.push({ skuId: other.skus[0].id, price: 5 })
    }
    assertAdminError(await ask('updateAdminSkus', { rows }), 'change_too_large')
    // Ten thousand at once take longer than a statement may, on a busy machine.
    for (const productId of filled)
      await testServer.storage.write((tx) => tx.sql`delete from skus where product_id = ${productId} and position > 0`)

    const { rivalAdmin: key } = testServer.keys
    const category = { slug: 'last', name: 'Last' }
    const asked = { key, body: { idempotencyKey: newId('req'), category } }
    await testServer.storage.write(
      (tx) => tx.sql`
        ${many} insert into categories (merchant_id, id, slug, name, description, position, product_count, created_at, updated_at)
        select m.id, 'cat_' || n.i, 'cat-' || n.i, 'C', '', 0, 0, 0, 0 from merchants m, n where m.slug = 'rival'`,
    )
    assertAdminError(await testServer.askAdmin('createAdminCategory', asked), 'category_limit')
    await testServer.storage.write((tx) => tx.sql`delete from categories where id = 'cat_7'`)
    const made = await testServer.askAdmin('createAdminCategory', {
      ...asked,
      body: { ...asked.body, idempotencyKey: newId('req') },
    })
    assert.equal(made.status, 200)
  })

  test('an archived product leaves the catalog and the lists, stays in orders, and can be restored', async () => {
    const { orderId } = await testServer.orders.place({ items: { BOOK: 1 } })
    const { body } = await testServer.askAdmin('listAdminProducts', { query: '?q=book' })
    const [{ id, version }] = body.data
    const before = await countOf('vases')
    const { data } = await done('updateAdminProducts', { productIds: [id], change: { status: 'archived' } })
    assert.deepEqual([data[0].outcome, (await product(id)).version], ['done', version + 1])
    assert.equal((await shown('book')).status, 404)
    assert.equal(await countOf('vases'), before - 1)
    assert.deepEqual((await testServer.askAdmin('listAdminProducts', { query: '?q=book' })).body.data, [])
    assert.deepEqual((await testServer.askAdmin('listAdminSkus', { query: '?q=book' })).body.data, [])
    const archived = await testServer.askAdmin('listAdminProducts', { query: '?status=archived&q=BOOK' })
    assert.deepEqual(
      archived.body.data.map(({ id: found }: { id: string }) => found),
      [id],
    )
    assert.equal((await testServer.orders.read(orderId)).body.data.items[0].code, 'BOOK')

    const path = { productId: id }
    const { product: entry } = await product(id)
    assertAdminError(
      await ask('replaceAdminProduct', { expectedVersion: version + 1, product: entry }, path),
      'product_archived',
    )
    await done('updateAdminProducts', { productIds: [id], change: { status: 'published' } })
    assert.equal((await shown('book')).status, 200)
    assert.equal(await countOf('vases'), before)
    assert.deepEqual(await events(id), ['product.unpublished', 'product.updated'])
  })

  test('a percentage price change of many products has a preview and one outcome for each product', async () => {
    const plain = await createProduct(testServer)
    const tight = await createProduct(testServer, {
      skus: [{ code: unusedName('TIGHT'), price: 1_000, compareAtPrice: 1_010 }],
    })
    const productIds = [plain.id, tight.id, 'prd_01h455vb4pex5vsknk084sn02q']
    const body = { productIds, change: { pricePercentage: 550 } }
    const preview = await done('updateAdminProducts', { ...body, dryRun: true })
    assert.deepEqual(
      preview.data.map(({ outcome, code }: { outcome: string; code: string | null }) => [outcome, code]),
      [
        ['done', null],
        ['refused', 'price_not_possible'],
        ['refused', 'product_not_found'],
      ],
    )
    assert.deepEqual(preview.data[0].changes[0].members, [{ member: 'price', from: 1_200, to: 1_266 }])
    assert.equal((await product(plain.id)).version, 1)
    const applied = await done('updateAdminProducts', body)
    assert.deepEqual(applied.data[0].changes, preview.data[0].changes)
    assert.equal((await shown(plain.product.slug)).body.data.skus[0].price.amount, 1_266)
    assert.equal((await product(tight.id)).version, 1)
    const again = await done('updateAdminProducts', {
      productIds: [plain.id],
      change: { addTag: 'sale', addCategory: 'vases' },
    })
    assert.equal(again.data[0].outcome, 'done')
    const unchanged = await done('updateAdminProducts', { productIds: [plain.id], change: { addTag: 'sale' } })
    assert.deepEqual([unchanged.data[0].outcome, (await product(plain.id)).version], ['unchanged', 3])
    const found = await testServer.askAdmin('listAdminProducts', { query: '?tag=sale' })
    assert.deepEqual(
      found.body.data.map(({ id }: { id: string }) => id),
      [plain.id],
    )
    assertAdminError(
      await ask('updateAdminProducts', { productIds: [plain.id], change: { addCategory: 'nowhere' } }),
      'category_not_found',
    )
  })

  test('stock is set only while it is still the count that was read, so a sale in between is not undone; movements name actor and reason', async () => {
    const { id, skus } = await createProduct(testServer)
    const skuId = skus[0].id
    const moment = { now: testServer.clock.now, cause: null, soldTo: newId('ord') }
    await testServer.storage.write((tx) =>
      sellStock(tx, testServer.seller, newId('ord'), [{ skuId, quantity: 2 }], moment),
    )
    const late = await done('updateAdminSkus', { rows: [{ skuId, price: 1_400, onHand: 20, expectedOnHand: 7 }] })
    assert.deepEqual(
      [late.data[0].code, late.data[0].message],
      ['stock_changed', 'The current stock is 5, which is not what the request expects.'],
    )
    assert.equal((await product(id)).product.skus[0].price, 1_200)

    const row = { skuId, price: 1_400, compareAtPrice: 1_800, onHand: 20, expectedOnHand: 5, reason: 'Counted' }
    const preview = await done('updateAdminSkus', { rows: [row], dryRun: true })
    assert.equal(preview.data[0].changes.length, 2)
    assert.equal((await product(id)).skus[0].onHand, 5)
    const set = await done('updateAdminSkus', { rows: [row] })
    assert.equal(set.data[0].outcome, 'done')
    await done('updateAdminSkus', { rows: [{ skuId, adjustBy: -3 }] })
    const after = await product(id)
    assert.deepEqual([after.skus[0].onHand, after.product.skus[0].price, after.version], [17, 1_400, 2])
    const below = await done('updateAdminSkus', {
      rows: [
        { skuId, adjustBy: -18 },
        { skuId: 'sku_01h455vb4pex5vsknk084sn02q', price: 1 },
      ],
    })
    assert.deepEqual(
      below.data.map(({ code }: { code: string }) => code),
      ['stock_not_possible', 'sku_not_found'],
    )
    const movements = (await testServer.askAdmin('listAdminStockMovements', { path: { skuId } })).body.data
    assert.deepEqual(
      movements
        .map(({ kind, delta, reason }: { kind: string; delta: number; reason: string | null }) => [kind, delta, reason])
        .sort(),
      [
        ['opening', 7, null],
        ['set', -3, null],
        ['set', 15, 'Counted'],
        ['sold', -2, null],
      ].sort(),
    )
    assert.ok(movements.some(({ actor }: { actor: { kind: string } | null }) => actor?.kind === 'key'))
    for (const rows of [
      [{ skuId, onHand: 1 }],
      [
        { skuId, adjustBy: 1 },
        { skuId, price: 1 },
      ],
      [{ skuId, adjustBy: 1, onHand: 1, expectedOnHand: 1 }],
    ])
      assertAdminError(await ask('updateAdminSkus', { rows }), 'invalid_request')
  })

  test('prices can be set on condition that they are still those that were read, so the change of another person is not overwritten', async () => {
    const { id, skus } = await createProduct(testServer)
    const skuId = skus[0].id
    const seen = { expectedPrice: 1_200, expectedCompareAtPrice: null }
    const set = (row: object) => done('updateAdminSkus', { rows: [{ skuId, ...row }] })
    assert.equal((await set({ price: 1_300, compareAtPrice: 1_500, ...seen })).data[0].outcome, 'done')
    const late = await set({ price: 1_400, expectedPrice: 1_200 })
    assert.deepEqual(
      [late.data[0].code, late.data[0].message],
      ['price_changed', 'The current price is 1300, which is not the price that the request expects.'],
    )
    const alsoLate = await set({ compareAtPrice: 1_600, expectedCompareAtPrice: null })
    assert.equal(alsoLate.data[0].code, 'price_changed')
    // What is wanted is there already.
    assert.equal((await set({ price: 1_300, expectedPrice: 1_200 })).data[0].outcome, 'unchanged')
    const { price, compareAtPrice } = (await product(id)).product.skus[0]
    assert.deepEqual([price, compareAtPrice], [1_300, 1_500])
    for (const row of [{ expectedPrice: 1_300 }, { expectedCompareAtPrice: null }])
      assertAdminError(await ask('updateAdminSkus', { rows: [{ skuId, ...row }] }), 'invalid_request')
  })

  test('lists of products and of SKUs by code, by stock and by filter continue on the next page without gaps or repeats', async () => {
    const init = { headers: { authorization: `Bearer ${testServer.keys.admin}` } }
    const skus = Array.from({ length: 110 }, (_, index) => ({
      code: `LIST-${String(index).padStart(3, '0')}`,
      price: 100,
      stock: index % 7,
      options: { Number: String(index) },
    }))
    const options = [{ name: 'Number', values: skus.map(({ options: { Number: value } }) => value) }]
    const { id } = await createProduct(testServer, { options, skus })
    const archived = await createProduct(testServer, { skus: [{ code: 'LIST-GONE', price: 100, stock: 0 }] })
    await done('updateAdminProducts', { productIds: [archived.id], change: { status: 'archived' } })
    for (const [filter, sort] of [`productId=${id}`, 'q=list-'].flatMap((one) => [
      [one, 'code'],
      [one, 'stock'],
    ])) {
      const found: { code: string; available: number }[] = []
      let answer = await testServer.askAdmin('listAdminSkus', { query: `?${filter}&sort=${sort}` })
      for (;;) {
        found.push(...answer.body.data)
        if (answer.body.meta.next === null) break
        answer = await testServer.fetch(answer.body.meta.next, init)
      }
      assert.equal(new Set(found.map(({ code }) => code)).size, 110)
      const wanted = found.toSorted((a, b) =>
        sort === 'code' ? a.code.localeCompare(b.code) : a.available - b.available,
      )
      const key = ({ code, available }: { code: string; available: number }) => (sort === 'code' ? code : available)
      assert.deepEqual(found.map(key), wanted.map(key))
    }
    for (const [filter, most] of [
      [`productId=${id}&stock=out`, 0],
      [`productId=${id}&stock=low`, 5],
      ['q=list-&stock=low', 5],
    ] as const) {
      const found: string[] = []
      let some = await testServer.askAdmin('listAdminSkus', { query: `?${filter}&limit=6` })
      for (;;) {
        assert.ok(some.body.data.length <= 6)
        found.push(...some.body.data.map(({ code }: { code: string }) => code))
        if (some.body.meta.next === null) break
        some = await testServer.fetch(some.body.meta.next, init)
      }
      assert.deepEqual(
        found,
        skus.filter(({ stock }) => stock <= most).map(({ code }) => code),
      )
    }
    const all = await testServer.askAdmin('listAdminSkus', { query: `?productId=${id}&limit=200` })
    assert.deepEqual([all.body.data.length, all.body.meta.next], [110, null])
    assertAdminError(await testServer.askAdmin('listAdminSkus', { query: '?limit=201' }), 'invalid_request')

    const ids: string[] = []
    for (let index = 0; index < 51; index += 1) {
      testServer.clock.now += 1
      ids.push((await createProduct(testServer, { name: 'Listed' })).id)
    }
    const first = await testServer.askAdmin('listAdminProducts', { query: '?q=listed' })
    const rest = await testServer.fetch(first.body.meta.next, init)
    const listed = [...first.body.data, ...rest.body.data].map((row: { id: string }) => row.id)
    assert.deepEqual(listed, ids.toReversed())
    const few = await testServer.askAdmin('listAdminProducts', { query: '?q=listed&limit=20' })
    assert.deepEqual(
      few.body.data.map((row: { id: string }) => row.id),
      listed.slice(0, 20),
    )
    const many = await testServer.askAdmin('listAdminProducts', { query: '?q=listed&limit=200' })
    assert.deepEqual([many.body.data.length, many.body.meta.next], [listed.length, null])
    assertAdminError(await testServer.askAdmin('listAdminProducts', { query: '?limit=201' }), 'invalid_request')
  })

  test('a category is created, moved and counted, and can be removed only when nothing uses it', async () => {
    const top = await createCategory(testServer)
    const low = await createCategory(testServer, { parent: top.category.slug })
    assert.deepEqual(low.path, [top.category.slug, low.category.slug])
    const made = await createProduct(testServer, { categories: [low.category.slug] })
    assert.deepEqual([await countOf(top.category.slug), await countOf(low.category.slug)], [1, 1])
    const moved = { ...low.category, parent: null }
    const { data } = await done('replaceAdminCategory', { expectedVersion: 1, category: moved }, { categoryId: low.id })
    assert.deepEqual([data.version, data.path, data.productCount], [2, [low.category.slug], 1])
    assert.equal(await countOf(top.category.slug), 0)
    for (const [body, refusal] of [
      [{ expectedVersion: 1, category: moved }, 'version_conflict'],
      [{ expectedVersion: 2, category: { ...moved, slug: 'other' } }, 'slug_not_changeable'],
      [{ expectedVersion: 2, category: { ...moved, parent: 'nowhere' } }, 'category_not_found'],
      [{ expectedVersion: 2, category: { ...moved, parent: low.category.slug } }, 'category_too_deep'],
    ] as const)
      assertAdminError(await ask('replaceAdminCategory', body, { categoryId: low.id }), refusal)
    assertAdminError(await ask('createAdminCategory', { category: low.category }), 'category_exists')
    assertAdminError(
      await ask('removeAdminCategory', { expectedVersion: 2 }, { categoryId: low.id }),
      'category_in_use',
    )
    await done('updateAdminProducts', { productIds: [made.id], change: { removeCategory: low.category.slug } })
    await done('removeAdminCategory', { expectedVersion: 2 }, { categoryId: low.id })
    const { body } = await testServer.askAdmin('listAdminCategories')
    assert.ok(!body.data.some(({ id }: { id: string }) => id === low.id))
  })

  test('the tests of this suite violate no invariant', async () => {
    assert.deepEqual(await testServer.storage.read(findViolations), [])
  })

  test('a name and a brand of ligatures, which are three times as long when folded, are stored and found', async () => {
    const ligatures = Array.from({ length: 200 }, (_, at) =>
      String.fromCodePoint(0xfd50 + ((at * 37) % 64), 0x4e00 + at),
    )
    const [name, brand] = [ligatures.slice(0, 100).join(''), ligatures.slice(100).join('')]
    const entry = { ...productEntry({}), name, brand }
    const { data } = await done('createAdminProduct', { product: entry })
    for (const query of [{ q: name.slice(0, 20) }, { brand }]) {
      const { body } = await testServer.askAdmin('listAdminProducts', { query: `?${new URLSearchParams(query)}` })
      assert.deepEqual(
        body.data.map(({ id }: { id: string }) => id),
        [data.id],
      )
    }
  })
})
