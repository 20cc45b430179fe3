// Taking back changes of the catalog, promotions and the shop: what the open interface answers is what it was, byte for byte.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { createCategory, createProduct, createPromotion, productEntry, unusedName } from '../harness/admin/catalog.ts'
import { bloom, rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertAdminError, openTestServer, type TestServer } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { undoScopes } from '../src/contract/words.ts'
import { agentUndoer } from '../src/domain/agents/undo.ts'
import { refreshStaleProducts } from '../src/domain/catalog/refresh.ts'
import { catalogUndoer } from '../src/domain/catalog/undo.ts'
import type { CheckoutTools } from '../src/domain/checkout/sessions.ts'
import { draftUndoer } from '../src/domain/drafts/undo.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { replaceHolds } from '../src/domain/inventory/holds.ts'
import { sellStock } from '../src/domain/inventory/sales.ts'
import { makerUndoer } from '../src/domain/makers/undo.ts'
import { shopUndoer } from '../src/domain/merchants/undo.ts'
import { orderUndoer } from '../src/domain/orders/undo.ts'
import { promotionUndoer } from '../src/domain/promotions/undo.ts'
import { redirectUndoer } from '../src/domain/redirects/undo.ts'
import { siteUndoer } from '../src/domain/sites/undo.ts'
import { newId } from '../src/platform/kit/ids.ts'

type Path = Readonly<Record<string, string>>

test('each undoable kind of change has exactly one undoer', () => {
  const sites = { publicOrigin: () => '', showsShops: false, demo: undefined }
  const shop = shopUndoer({
    timeZoneChanged: async () => {},
    lookChanged: async () => {},
    publicOrigin: () => '',
    providerUrls: {},
  })
  const others = [catalogUndoer, promotionUndoer, redirectUndoer, makerUndoer, orderUndoer, agentUndoer]
  // Its kinds are asked for, not its work, so it needs no tools.
  const undoers = [...others, shop, siteUndoer(sites), draftUndoer({} as CheckoutTools)]
  assert.deepEqual(undoers.flatMap(({ kinds }) => kinds).sort(), Object.keys(undoScopes).sort())
})

eachEngine('undo', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given, { shops: [bloom, rival] })
  })

  const ask = (id: AdminOperationId, body: object, path: Path = {}): Promise<Answer> => {
    testServer.clock.now += 1_000
    return testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
  }
  async function done(id: AdminOperationId, body: object, path: Path = {}) {
    const answer = await ask(id, body, path)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const undo = (changeId: string, body: object = {}) => ask('undoAdminChange', body, { changeId })
  const lastChange = async (): Promise<string> => (await testServer.askAdmin('listAdminChanges')).body.data[0]?.id
  async function undone(changeId: string) {
    const answer = await undo(changeId)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.changes
  }

  const product = async (productId: string) =>
    (await testServer.askAdmin('getAdminProduct', { path: { productId } })).body.data
  const shop = async () => (await testServer.askAdmin('getAdminShop')).body.data

  // What the open interface answers, as text.
  async function openBodies(): Promise<Record<string, string>> {
    // Lists show a change of stock once the loop has rendered it.
    await refreshStaleProducts(testServer.storage, testServer.clock.now, 1_000)
    const list = await testServer.ask('listApiKeyCatalogProducts')
    const bodies = [
      ['products', list.text],
      ['categories', (await testServer.ask('listApiKeyCatalogCategories')).text],
    ]
    for (const { slug } of list.body.data) {
      bodies.push([slug, (await testServer.ask('getApiKeyCatalogProduct', { path: { slug } })).text])
      const path = { merchantSlug: 'bloom', productSlug: slug }
      bodies.push([`open ${slug}`, (await testServer.ask('getPublicMerchantProduct', { path, key: null })).text])
    }
    return Object.fromEntries(bodies)
  }

  // With what only the merchant sees. Versions are raised by every change, and what was created is archived or disabled.
  async function allBodies() {
    const { version: _, ...settings } = await shop()
    const promotions = (await testServer.askAdmin('listAdminPromotions')).body.data.flatMap(
      ({ promotion }: { promotion: { disabled: boolean } }) => (promotion.disabled ? [] : [promotion]),
    )
    const products = (await testServer.askAdmin('listAdminProducts')).body.data.map(
      ({ version: _, ...head }: { version: number }) => head,
    )
    return { open: await openBodies(), settings, promotions, products }
  }

  test('undoing a 5 % price increase of a category restores every public answer', async () => {
    const { data: categories } = (await testServer.askAdmin('listAdminCategories')).body
    const [{ id: categoryId }] = categories.filter(
      ({ category }: { category: { slug: string } }) => category.slug === 'roses',
    )
    const { data: members } = (await testServer.askAdmin('listAdminProducts', { query: `?categoryId=${categoryId}` }))
      .body
    const productIds = members.map(({ id }: { id: string }) => id)
    const raise = { productIds, change: { pricePercentage: 500 } }
    const before = await openBodies()
    const preview = await done('updateAdminProducts', { ...raise, dryRun: true })
    const prices = preview.data.flatMap(({ changes }: { changes: { members: { from: number; to: number }[] }[] }) =>
      changes.flatMap((change) => change.members.map(({ from, to }) => [from, to])),
    )
    assert.deepEqual(prices, [
      [3_500, 3_675],
      [5_900, 6_195],
    ])
    assert.deepEqual(await openBodies(), before)
    await done('updateAdminProducts', raise)
    const raised = await openBodies()
    assert.notDeepEqual(raised, before)
    const change = await lastChange()
    const planned = await done('undoAdminChange', { dryRun: true }, { changeId: change })
    assert.deepEqual(await openBodies(), raised)
    assert.deepEqual(await undone(change), planned.data.changes)
    assert.deepEqual(await openBodies(), before)
    // To take that back raises them again, also in what the answers say of the last change.
    await undone(await lastChange())
    assert.deepEqual(await openBodies(), raised)
    await undone(await lastChange())
  })

  test('two concurrent requests to undo one change have one effect', async () => {
    const { id, version, product: entry } = await createProduct(testServer)
    await done(
      'replaceAdminProduct',
      { expectedVersion: version, product: { ...entry, name: 'New' } },
      { productId: id },
    )
    const change = await lastChange()
    const answers = await Promise.all([undo(change), undo(change)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assertAdminError(answers.find(({ status }) => status === 409) as Answer, 'change_already_undone')
    const after = await product(id)
    assert.deepEqual([after.product.name, after.version], [entry.name, version + 2])
  })

  test('of a concurrent undo and edit, one succeeds and the other is refused', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, product: entry } = await createProduct(testServer, { name: 'First' })
      await done(
        'replaceAdminProduct',
        { expectedVersion: 1, product: { ...entry, name: 'Second' } },
        { productId: id },
      )
      const changeId = await lastChange()
      const edit = { expectedVersion: 2, product: { ...entry, name: 'Third' } }
      const asked = [() => undo(changeId), () => ask('replaceAdminProduct', edit, { productId: id })]
      const answers = await Promise.all((round % 2 === 0 ? asked : asked.toReversed()).map((one) => one()))
      const [undone, edited] = (round % 2 === 0 ? answers : answers.toReversed()) as [Answer, Answer]
      const outcome = [undone.status, edited.status, (await product(id)).product.name]
      const possible = [
        [200, 409, 'First'],
        [409, 200, 'Third'],
      ]
      assert.ok(
        possible.some((one) => JSON.stringify(one) === JSON.stringify(outcome)),
        JSON.stringify(outcome),
      )
      assertAdminError(
        undone.status === 409 ? undone : edited,
        undone.status === 409 ? 'change_overtaken' : 'version_conflict',
      )
    }
    assert.deepEqual(await testServer.storage.read((db) => findViolations(db)), [])
  })

  test('undo restores added and retired SKUs and the order of SKUs', async () => {
    const code = unusedName('SORT')
    const skuOf = (size: string) => ({ code: `${code}-${size}`, price: 1_000, stock: 3, options: { Size: size } })
    const { id, product: entry } = await createProduct(testServer, {
      options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
      skus: ['S', 'M', 'L'].map(skuOf),
    })
    const before = await openBodies()
    const skus = ['X', 'L', 'S'].map(skuOf)
    const changed = { ...entry, slug: unusedName('sorted'), options: [{ name: 'Size', values: ['S', 'L', 'X'] }], skus }
    await done('replaceAdminProduct', { expectedVersion: 1, product: changed }, { productId: id })
    const after = await openBodies()
    await undone(await lastChange())
    assert.deepEqual(await openBodies(), before)
    await undone(await lastChange())
    assert.deepEqual(await openBodies(), after)
    // Another order alone is a change too.
    const reversed = { ...(await product(id)).product, skus: skus.toReversed() }
    await done('replaceAdminProduct', { expectedVersion: 4, product: reversed }, { productId: id })
    await undone(await lastChange())
    assert.deepEqual(await openBodies(), after)
  })

  test('undoing a creation archives, removes or disables the created resource, and undoing that restores it', async () => {
    const before = await openBodies()
    const { id, product: entry } = await createProduct(testServer, { categories: ['vases'] })
    const made = await openBodies()
    await undone(await lastChange())
    assert.deepEqual([await openBodies(), (await product(id)).status], [before, 'archived'])
    const again = await ask('createAdminProduct', { product: { ...productEntry(), slug: entry.slug } })
    assertAdminError(again, 'product_exists')
    await undone(await lastChange())
    assert.equal((await product(id)).status, 'published')
    assert.deepEqual(Object.keys(await openBodies()), Object.keys(made))
    await undone(await lastChange())

    const category = await createCategory(testServer, { description: 'Left', position: 7 })
    await done('removeAdminCategory', { expectedVersion: 1 }, { categoryId: category.id })
    await undone(await lastChange())
    const { data } = (await testServer.askAdmin('listAdminCategories')).body
    const [back] = data.filter(({ id }: { id: string }) => id === category.id)
    assert.deepEqual([back.category, back.version > 1], [category.category, true])
    // It is as it was created, so that can be taken back too, once nothing is in it.
    const creation = (
      await testServer.askAdmin('listAdminChanges', { query: `?subjectId=${category.id}` })
    ).body.data.at(-1).id
    const child = await createCategory(testServer, { parent: category.category.slug })
    assertAdminError(await undo(creation), 'change_overtaken')
    await done('removeAdminCategory', { expectedVersion: 1 }, { categoryId: child.id })
    await undone(creation)
    assert.deepEqual(await openBodies(), before)

    const { id: promotionId } = await createPromotion(testServer)
    await undone(await lastChange())
    const path = { promotionId }
    assert.equal((await testServer.askAdmin('getAdminPromotion', { path })).body.data.status, 'disabled')
    await undone(await lastChange())
    assert.equal((await testServer.askAdmin('getAdminPromotion', { path })).body.data.status, 'active')
  })

  test('undo changes stock by the difference, so a sale is not undone; it is refused if it would remove held stock', async () => {
    const { skus } = await createProduct(testServer)
    const [{ id: skuId }] = skus
    const onHand = async () =>
      (await testServer.askAdmin('listAdminSkus', { query: `?q=${skus[0].code}` })).body.data[0].onHand
    await done('updateAdminSkus', { rows: [{ skuId, adjustBy: 10, price: 2_000 }] })
    const change = await lastChange()
    const moment = {
      now: testServer.clock.now,
      cause: null,
      soldTo: newId('ord'),
      expiresAt: testServer.clock.now + 3_600_000,
    }
    await testServer.storage.write((tx) =>
      sellStock(tx, testServer.seller, newId('ord'), [{ skuId, quantity: 2 }], moment),
    )
    await undone(change)
    assert.equal(await onHand(), 5)
    await undone(await lastChange())
    assert.equal(await onHand(), 15)
    const again = await lastChange()
    await testServer.storage.write((tx) =>
      replaceHolds(tx, testServer.seller, newId('crt'), [{ skuId, quantity: 6 }], moment),
    )
    const refused = await undo(again)
    assertAdminError(refused, 'change_overtaken')
    assert.deepEqual([refused.body.error.current.present, await onHand()], [15, 15])
    assert.deepEqual(await testServer.storage.read((db) => findViolations(db)), [])
  })

  test('undoing a change is refused as a whole if a later change overtook a part of it or the old values are no longer valid', async () => {
    const { id, version, product: entry } = await createProduct(testServer)
    const path = { productId: id }
    const [sku] = entry.skus
    const put = (expectedVersion: number, members: object) =>
      done('replaceAdminProduct', { expectedVersion, product: { ...entry, ...members } }, path)
    await put(version, { name: 'One', summary: 'Two' })
    const texts = await lastChange()
    await put(version + 1, { name: 'One', summary: 'Three' })
    const refused = await undo(texts)
    assertAdminError(refused, 'change_overtaken')
    const { subject, member, present } = refused.body.error.current
    assert.deepEqual([subject.id, member, present], [id, 'summary', 'Three'])
    // A price to compare with came since, which the old price is above.
    await put(version + 2, { skus: [{ ...sku, price: 500 }] })
    const cheaper = await lastChange()
    await put(version + 3, { skus: [{ ...sku, price: 500, compareAtPrice: 900 }] })
    assertAdminError(await undo(cheaper), 'change_overtaken')
    assert.equal((await product(id)).version, version + 4)
    // The slug went to another product.
    await put(version + 4, { slug: unusedName('moved'), skus: [{ ...sku, price: 500, compareAtPrice: 900 }] })
    const moved = await lastChange()
    await createProduct(testServer, { slug: entry.slug })
    assertAdminError(await undo(moved), 'change_overtaken')
    const { key: reader } = await testServer.newKey(['admin:read'])
    const options = { key: reader, path: { changeId: moved }, body: { idempotencyKey: newId('req') } }
    assertAdminError(await testServer.askAdmin('undoAdminChange', options), 'scope_missing')
  })

  test('disabling a payment method is recorded with its mode and can be undone', async () => {
    const { version } = await shop()
    const body = { expectedVersion: version, enabled: false }
    await done('updateAdminPaymentProvider', body, { provider: 'bank_transfer' })
    const change = await lastChange()
    assert.equal((await testServer.askAdmin('listAdminChanges')).body.data[0].mode, testServer.seller.mode)
    await undone(change)
    const { paymentMethods } = await shop()
    assert.ok(paymentMethods.every(({ enabled }: { enabled: boolean }) => enabled))
  })

  // Each answers undefined, or asks for one change. What is refused changes nothing.
  const steps: ((n: number) => Promise<unknown>)[] = [
    async (n) => {
      const { data } = (await testServer.askAdmin('listAdminProducts')).body
      const productIds = data.map(({ id }: { id: string }) => id)
      const changes = [
        { pricePercentage: (n % 40) * 100 - 2_000 },
        { status: (['hidden', 'published', 'archived'] as const)[n % 3] },
        { addTag: `tag ${n % 3}`, removeTag: 'gift' },
        { addCategory: 'vases', removeCategory: 'roses' },
      ]
      return ask('updateAdminProducts', { productIds, change: changes[n % changes.length] })
    },
    async (n) => {
      const [roses] = (await testServer.askAdmin('listAdminProducts', { query: '?q=roses' })).body.data
      if (!roses) return undefined
      const { id, version, product: entry } = await product(roses.id)
      const [first, ...others] = entry.skus
      const values = [...new Set([...entry.options[0].values, String(n % 50)])]
      const added = {
        ...first,
        code: unusedName('STEM'),
        options: { Stems: String(n % 50) },
        price: n + 1,
        compareAtPrice: null,
      }
      const changed = [
        {
          name: `Roses ${n}`,
          brand: n % 2 === 0 ? `Rosenhof ${n}` : null,
          description: '',
          descriptionHtml: `<b>${n}</b>`,
          metadata: { n: String(n) },
        },
        { options: [{ name: 'Stems', values }], skus: [added, first, ...others] },
        { skus: others.length > 0 ? others : [first] },
        { skus: [...others, first], slug: `red-roses-${n}` },
        { published: false },
      ]
      const body = { expectedVersion: version, product: { ...entry, ...changed[n % changed.length] } }
      return ask('replaceAdminProduct', body, { productId: id })
    },
    async (n) => {
      const { data } = (await testServer.askAdmin('listAdminSkus')).body
      const rows = data.slice(0, 3).map(({ id }: { id: string }) => ({ skuId: id, price: n, adjustBy: (n % 5) - 2 }))
      return ask('updateAdminSkus', { rows })
    },
    (n) => ask('createAdminProduct', { product: productEntry({ categories: ['vases'], published: n % 2 === 0 }) }),
    () => ask('createAdminCategory', { category: { slug: unusedName('shelf'), name: 'Shelf', parent: 'vases' } }),
    async (n) => {
      const { data } = (await testServer.askAdmin('listAdminCategories')).body
      const { id, version, category } = data[n % data.length]
      const path = { categoryId: id }
      if (n % 3 === 0) return ask('removeAdminCategory', { expectedVersion: version }, path)
      const changed = { ...category, name: `Name ${n}`, position: n % 9, parent: n % 2 === 0 ? 'bouquets' : null }
      return ask('replaceAdminCategory', { expectedVersion: version, category: changed }, path)
    },
    (n) =>
      ask('createAdminPromotion', {
        promotion: {
          code: unusedName('SAVE'),
          name: 'Save',
          type: 'fixed_amount',
          amount: n + 1,
          categories: ['roses'],
        },
      }),
    async (n) => {
      const { data } = (await testServer.askAdmin('listAdminPromotions')).body
      const { id, version, promotion } = data[n % data.length] ?? (await createPromotion(testServer))
      const { amount: _, percentage: __, ...rest } = promotion
      const changed = { ...rest, type: 'percentage', percentage: (n % 100) + 1, disabled: n % 2 === 0, usageLimit: n }
      return ask('replaceAdminPromotion', { expectedVersion: version, promotion: changed }, { promotionId: id })
    },
    async (n) => {
      const { version } = await shop()
      const changes = [{ name: `Bloom ${n}` }, { lowStockAt: n % 50 }, { timeZone: 'Asia/Tokyo' }, { color: '#00ff00' }]
      return ask('updateAdminShop', { expectedVersion: version, ...changes[n % changes.length] })
    },
    async (n) => {
      const { version, taxes } = await shop()
      const rate = { country: 'US', region: n % 2 === 0 ? 'CA' : 'NY', class: 'reduced', rate: n % 900 }
      const others = taxes.filter(({ country, region }: typeof rate) => country !== 'US' || region !== rate.region)
      return ask('replaceAdminTaxes', { expectedVersion: version, taxes: n % 3 === 0 ? others : [...others, rate] })
    },
    async (n) => {
      const { version, shipping } = await shop()
      const zone = { zone: `zone-${n % 3}`, countries: [['FR', 'AT', 'BE'][n % 3]], options: shipping[0].options }
      const others = shipping.filter(({ zone: word }: { zone: string }) => word !== zone.zone)
      const zones = n % 4 === 0 && others.length > 0 ? others : n % 2 === 0 ? [zone, ...others] : [...others, zone]
      return ask('replaceAdminShipping', { expectedVersion: version, shipping: zones })
    },
    async (n) => {
      const { version } = await shop()
      const body = { expectedVersion: version, enabled: n % 2 === 0, instructions: `To ${n}`, termDays: (n % 60) + 1 }
      return ask('updateAdminPaymentProvider', body, { provider: 'bank_transfer' })
    },
  ]

  test('undoing any sequence of changes from last to first restores every response', async () => {
    const step = fc.record({ kind: fc.nat({ max: steps.length - 1 }), n: fc.nat({ max: 9_999 }) })
    const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 14 }), async (wanted) => {
      const before = await allBodies()
      const entries: string[] = []
      for (const { kind, n } of wanted) {
        const last = await lastChange()
        await steps[kind]?.(n)
        const newest = await lastChange()
        if (newest !== last) entries.push(newest)
      }
      for (const entry of entries.reverse()) await undone(entry)
      assert.deepEqual(await allBodies(), before)
    })
    await fc.assert(property, { numRuns: isWide ? 40 : 3, endOnFailure: true })
    assert.deepEqual(await testServer.storage.read((db) => findViolations(db)), [])
  })
})
