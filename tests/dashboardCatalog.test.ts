// The catalog's screens of the dashboard without script: lists, bulk changes with a preview, stock and prices, categories.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { createProduct } from '../harness/admin/catalog.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { scriptless } from '../harness/scriptless.ts'
import { eachEngine } from '../harness/storage.ts'
import type { TestServer } from '../harness/testServer.ts'
import { openTestServer } from '../harness/testServer.ts'
import type { SkuEntry } from '../src/contract/entries.ts'
import { limits } from '../src/contract/limits.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('the catalog of the dashboard', (given) => {
  let testServer: TestServer
  let dashboardUser: DashboardUser
  before(async () => {
    testServer = await openTestServer(given)
    dashboardUser = await dashboardUserOf(testServer)
  })

  const post = (path: string, fields: readonly (readonly [string, string])[], given = dashboardUser) =>
    fetch(testServer.origin + given.path(path), {
      method: 'POST',
      redirect: 'manual',
      headers: given.headers,
      body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
    })
  // Of the form on the page that has a field of this name.
  const fieldsWith = (name: string) =>
    dashboardUser.page.forms().find(({ fields }) => fields.some(([one]) => one === name))?.fields ?? []
  const asked = async (path: string) => {
    const { key } = await testServer.newKey(['admin:read'])
    return (await testServer.fetch(`/api/v1/admin/${path}`, { headers: { authorization: `Bearer ${key}` } })).body.data
  }
  const skuOf = async (code: string) => (await asked(`skus?q=${code}`))[0]
  const categoryOf = async (slug: string) =>
    (await asked('categories')).find(({ category }: { category: { slug: string } }) => category.slug === slug)
  const shown = async (slug: string) => {
    const answer = await fetch(`${testServer.origin}/api/v1/catalog/merchants/bloom/products/${slug}`)
    return { status: answer.status, text: await answer.text() }
  }

  test('products are found by view, word and category; a viewer sees no buttons that change anything', async () => {
    const { page, path } = dashboardUser
    await page.open(path('products'))
    assert.match(page.text(), /Red roses Published .*€35\.00 – €59\.00 43 2 variants Roses/)
    assert.ok(page.buttons().includes('Archive'))
    await page.open(page.links().get('Hidden') ?? '')
    assert.match(page.text(), /Secret tulips/)
    assert.doesNotMatch(page.text(), /Red roses/)
    await page.open(path('products?q=ROSE-2'))
    assert.match(page.text(), /Red roses/)
    assert.doesNotMatch(page.text(), /Peonies/)
    await page.open(path('products?q=nothing'))
    assert.match(page.text(), /No product matches/)
    await page.open(path(`products?categoryId=${(await categoryOf('vases')).id}`))
    assert.match(page.text(), /Glass vase/)
    assert.doesNotMatch(page.text(), /Red roses/)
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    for (const screen of ['products', 'stock', 'categories']) {
      await viewer.page.open(viewer.path(screen))
      assert.equal(viewer.page.status, 200)
      assert.deepEqual(
        viewer.page.buttons().filter((name) => !['Apply', 'Search', 'Sign out'].includes(name)),
        [],
      )
      assert.equal(viewer.page.links().get('New product') ?? viewer.page.links().get('New category'), undefined)
    }
  })

  test('selected products are hidden by one press, and the change is undone by another', async () => {
    const { page, path } = dashboardUser
    const first = await shown('peonies')
    const [{ id }] = await asked('products?q=peonies')
    await page.open(path('products'))
    await page.press('Hide', { product: id })
    assert.match(page.text(), /1 product changed\. Undo/)
    assert.equal((await shown('peonies')).status, 404)
    await page.press('Undo')
    assert.match(page.text(), /Change taken back/)
    assert.deepEqual(await shown('peonies'), first)
  })

  test('a percentage price change shows each old and new price, is applied, and undone', async () => {
    const { page, path } = dashboardUser
    const first = await shown('red-roses')
    const { id } = await categoryOf('roses')
    await page.open(path(`products?categoryId=${id}`))
    assert.match(page.html, /<button [^>]*form="list-form"[^>]*>Change prices/)
    // Nothing is selected, so it is about all of the list.
    const all = await post('products/change', [
      ['do', 'prices'],
      ['back', path(`products?categoryId=${id}`)],
    ])
    await page.open(all.headers.get('location') ?? '')
    assert.equal(page.heading(), 'Change prices of 1 product')
    await page.press('Show new prices', { percent: 'five' })
    assert.deepEqual([page.status, page.field('percent')?.value], [400, 'five'])
    await page.press('Show new prices', { percent: '5' })
    assert.match(page.text(), /Red roses · 12 ROSE-12 €35\.00 €36\.75 Red roses · 24 ROSE-24 €59\.00 €61\.95/)
    assert.deepEqual(await shown('red-roses'), first)
    // Someone changes a price between the preview and the confirmation.
    const sku = await skuOf('ROSE-12')
    const { was } = { was: [`was.${sku.id}`, `${sku.onHand} ${sku.price} `] as const }
    const cells = [
      was,
      [`onHand.${sku.id}`, `${sku.onHand}`],
      [`price.${sku.id}`, '40'],
      [`compareAt.${sku.id}`, ''],
    ] as const
    assert.equal((await post('stock', cells)).status, 303)
    await page.press('Set 2 prices')
    assert.match(page.text(), /Prices have changed since.* ROSE-12 €40\.00 €42\.00/)
    assert.equal((await skuOf('ROSE-12')).price, 4_000)
    const again = fieldsWith('seen').filter(([name]) => name !== 'again')
    await page.press('Set 2 prices')
    assert.match(page.text(), /1 product changed/)
    assert.equal((await skuOf('ROSE-12')).price, 4_200)
    // Two more presses of the same button.
    for (let press = 0; press < 2; press += 1) {
      const pressed = await post('products/prices', again)
      assert.match(pressed.headers.get('location') ?? '', /[?&]done=products&n=1/)
      assert.equal((await skuOf('ROSE-12')).price, 4_200)
    }
    await page.press('Undo')
    assert.equal((await skuOf('ROSE-12')).price, 4_000)
  })

  test('a percentage price change uses the chosen price ending, and by default products without shipping keep their price', async () => {
    const { page, path } = dashboardUser
    await createProduct(testServer, {
      name: 'Voucher',
      skus: [{ code: 'VOUCHER', price: 2_500, requiresShipping: false }],
    })
    await createProduct(testServer, { name: 'Bowl', skus: [{ code: 'BOWL', price: 4_450 }] })
    const chosen = await post('products/change', [
      ['do', 'prices'],
      ['product', (await skuOf('VOUCHER')).productId],
      ['product', (await skuOf('BOWL')).productId],
      ['back', path('products')],
    ])
    await page.open(chosen.headers.get('location') ?? '')
    assert.equal(page.heading(), 'Change prices of 2 products')
    await page.press('Show new prices', { percent: '5', ending: '99' })
    await page.press('Set 1 price')
    assert.deepEqual([(await skuOf('BOWL')).price, (await skuOf('VOUCHER')).price], [4_699, 2_500])
  })

  test('a category is added to selected products', async () => {
    const { page, path } = dashboardUser
    const [{ id }] = await asked('products?q=peonies')
    const asking = await post('products/change', [
      ['do', 'category'],
      ['product', id],
    ])
    assert.equal(asking.status, 303)
    await page.open(asking.headers.get('location') ?? '')
    await page.press('Change products', { slug: 'vases' })
    const [{ categories }] = await asked('products?q=peonies')
    assert.deepEqual(categories, ['bouquets', 'vases'])
    await page.open(path('products'))
    assert.match(page.text(), /Bouquets, Vases/)
  })

  test('one save of stock and prices writes only changed values, and a change in between is not undone', async () => {
    const { page, path } = dashboardUser
    const [tulip, vase] = [await skuOf('TULIP'), await skuOf('VASE-1')]
    await page.open(path('stock'))
    assert.match(page.html, /<img class="thumb" src="[^"]*red-roses[^"]*" alt=""/)
    // Somebody counts the tulips meanwhile.
    const { key } = await testServer.newKey(['admin:catalog'])
    await testServer.fetch('/api/v1/admin/skus', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: newId('req'), rows: [{ skuId: tulip.id, adjustBy: -2 }] }),
    })
    await page.press('Save', {
      [`onHand.${tulip.id}`]: '20',
      [`onHand.${vase.id}`]: '12',
      [`price.${vase.id}`]: '21,50 €',
      reason: 'Counted',
    })
    assert.equal(page.status, 409)
    assert.match(page.alerts().join(' '), /1 row was not saved; 1 were/)
    assert.match(page.text(), /The stock changed in the meantime, by a sale or a count\. On hand now: 7\./)
    assert.equal(page.field(`onHand.${tulip.id}`)?.value, '20')
    assert.deepEqual([(await skuOf('TULIP')).onHand, (await skuOf('VASE-1')).onHand], [7, 12])
    assert.equal((await skuOf('VASE-1')).price, 2_150)
    await page.press('Save')
    assert.match(page.text(), /1 SKU saved\. Undo/)
    assert.equal((await skuOf('TULIP')).onHand, 20)
    await page.press('Undo')
    assert.equal((await skuOf('TULIP')).onHand, 7)
    await page.open(path(`stock/${vase.id}`))
    assert.match(page.text(), /Counted Counted .* \+12/)
  })

  test('saving a refused row again does not overwrite a price that was changed in another tab', async () => {
    const { page, path, headers } = dashboardUser
    const [tulip, vase] = [await skuOf('TULIP'), await skuOf('VASE-1')]
    const other = scriptless(testServer.origin, headers)
    await page.open(path('stock'))
    await other.open(path('stock'))
    await page.press('Save', { [`price.${tulip.id}`]: '17.77', [`onHand.${tulip.id}`]: String(tulip.onHand + 1) })
    await other.press('Save', { [`onHand.${tulip.id}`]: String(tulip.onHand + 5), [`price.${vase.id}`]: '1.11' })
    assert.deepEqual([other.status, other.field(`price.${tulip.id}`)?.value], [409, '17.77'])
    await other.press('Save')
    const { onHand, price } = await skuOf('TULIP')
    assert.deepEqual([onHand, price], [tulip.onHand + 5, 1_777])
    await other.press('Undo')
    await page.open(path('stock'))
    await page.press('Save', {
      [`price.${tulip.id}`]: String(tulip.price / 100),
      [`onHand.${tulip.id}`]: String(tulip.onHand),
      [`price.${vase.id}`]: String(vase.price / 100),
    })
  })

  test('when two tabs change one price, the second sees the other price and decides which one stays', async () => {
    const { page, path, headers } = dashboardUser
    const tulip = await skuOf('TULIP')
    const other = scriptless(testServer.origin, headers)
    await page.open(path('stock'))
    await other.open(path('stock'))
    await page.press('Save', { [`price.${tulip.id}`]: '16.10' })
    await other.press('Save', { [`price.${tulip.id}`]: '16.20', [`compareAt.${tulip.id}`]: '20' })
    assert.deepEqual([other.status, other.field(`price.${tulip.id}`)?.value], [409, '16.20'])
    assert.match(other.text(), /The price was changed in the meantime\. Price now: €16\.10\./)
    assert.equal((await skuOf('TULIP')).price, 1_610)
    await other.press('Save')
    const { price, compareAtPrice } = await skuOf('TULIP')
    assert.deepEqual([price, compareAtPrice], [1_620, 2_000])
    await other.press('Undo')
    await page.open(path('stock'))
    await page.press('Save', { [`price.${tulip.id}`]: String(tulip.price / 100) })
  })

  test('products with low stock are listed with the least stock first, or by code', async () => {
    const { page, path } = dashboardUser
    const [rose, vase] = [await skuOf('ROSE-24'), await skuOf('VASE-1')]
    const stock = async (ofRose: number, ofVase: number) => {
      await page.open(path('stock'))
      await page.press('Save', { [`onHand.${rose.id}`]: String(ofRose), [`onHand.${vase.id}`]: String(ofVase) })
    }
    const listed = () => page.text().match(/ROSE-24|VASE-1/g)
    await stock(2, 1)
    await page.open(path('stock?stock=low'))
    assert.deepEqual(listed(), ['VASE-1', 'ROSE-24'])
    await page.open(page.links().get('SKU') ?? '')
    assert.deepEqual(listed(), ['ROSE-24', 'VASE-1'])
    await page.open(page.links().get('Free') ?? '')
    assert.deepEqual(listed(), ['VASE-1', 'ROSE-24'])
    await stock(rose.onHand, vase.onHand)
  })

  test('a refused row that is no longer on the page is shown again as typed, with the reason', async () => {
    const { page, path } = dashboardUser
    const rose = await skuOf('ROSE-24')
    const count = async (onHand: number) => {
      const { key } = await testServer.newKey(['admin:catalog'])
      await testServer.fetch('/api/v1/admin/skus', {
        method: 'PATCH',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          idempotencyKey: newId('req'),
          rows: [{ skuId: rose.id, adjustBy: onHand - (await skuOf('ROSE-24')).onHand }],
        }),
      })
    }
    await count(1)
    await page.open(path('stock?stock=low&q=ROSE-24'))
    // Somebody counts them meanwhile, so they are not low any more.
    await count(500)
    await page.press('Save', { [`onHand.${rose.id}`]: '33', reason: 'Delivered' })
    assert.deepEqual(
      [page.status, page.field(`onHand.${rose.id}`)?.value, page.field('reason')?.value],
      [409, '33', 'Delivered'],
    )
    assert.match(page.text(), /On hand now: 500\./)
    await page.press('Save', { [`price.${rose.id}`]: 'cheap' })
    assert.deepEqual([page.status, page.field(`onHand.${rose.id}`)?.value], [400, '33'])
    await page.press('Save', { [`price.${rose.id}`]: String(rose.price / 100) })
    assert.equal((await skuOf('ROSE-24')).onHand, 33)
    await count(rose.onHand)
  })

  test('an invalid value in a cell stays as typed, and nothing is saved', async () => {
    const { page, path } = dashboardUser
    const [tulip, vase] = [await skuOf('TULIP'), await skuOf('VASE-1')]
    await page.open(path('stock'))
    await page.press('Save', { [`price.${tulip.id}`]: 'cheap', [`onHand.${vase.id}`]: '99' })
    assert.equal(page.status, 400)
    assert.match(page.text(), /Nothing was saved/)
    assert.deepEqual([page.field(`price.${tulip.id}`)?.value, page.field(`onHand.${vase.id}`)?.value], ['cheap', '99'])
    assert.equal((await skuOf('VASE-1')).onHand, vase.onHand)
    await page.press('Save', { [`price.${tulip.id}`]: '15.00', [`onHand.${vase.id}`]: String(vase.onHand) })
    assert.match(page.text(), /Nothing was changed/)
  })

  test('categories are created, edited with a check of the version, and removed only while empty', async () => {
    const { page, path } = dashboardUser
    await page.open(path('categories/new?parent=vases'))
    await page.press('Save', { name: 'Tall ones', position: 'first' })
    assert.deepEqual([page.status, page.field('name')?.value], [400, 'Tall ones'])
    await page.press('Save', { position: '4' })
    assert.match(page.text(), /Saved\. .*Vases.*Tall ones/)
    const made = await categoryOf('tall-ones')
    assert.deepEqual([made.path, made.category.position], [['vases', 'tall-ones'], 4])
    const second = await dashboardUserOf(testServer, { role: 'staff' })
    await second.page.open(second.path(`categories/${made.id}`))
    await page.open(path(`categories/${made.id}`))
    await page.press('Save', { name: 'High ones' }, { version: String(made.version) })
    await second.page.press('Save', { name: 'Very tall ones', position: 'first' })
    assert.equal(second.page.status, 400)
    await second.page.press('Save', { position: '4' })
    assert.equal(second.page.status, 409)
    assert.match(second.page.text(), /in the meantime: Name: High ones/)
    await second.page.press('Save')
    await page.open(path('categories'))
    assert.match(page.text(), /Very tall ones/)
    await page.open(path(`categories/${made.id}`))
    const removal = fieldsWith('do')
    await page.press('Remove category')
    assert.match(page.text(), /Removed\./)
    const removedBefore = await post(`categories/${made.id}`, removal)
    assert.match(removedBefore.headers.get('location') ?? '', /[?&]done=removed/)
    const vases = await categoryOf('vases')
    await page.open(path(`categories/${vases.id}`))
    await page.press('Remove category')
    assert.match(page.text(), /has products, categories below it/)
    await page.open(path(`categories/${newId('cat')}`))
    assert.match(page.text(), /This category does not exist any more/)
  })

  test('the picture of a category is uploaded, kept by a save without a picture, and removed', async () => {
    const { page, path } = dashboardUser
    const send = async (place: string, fields: Readonly<Record<string, string>>, file?: Blob) => {
      await page.open(path(place))
      const body = new FormData()
      for (const name of ['key', 'version', 'image', 'name', 'parent', 'position'])
        body.append(name, page.field(name)?.value ?? '')
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
      if (file) body.append('file', file, 'a.webp')
      const { headers } = dashboardUser
      const answer = await fetch(testServer.origin + path(place), { method: 'POST', redirect: 'manual', headers, body })
      return { status: answer.status, text: await answer.text() }
    }
    const bad = await send('categories/new', { name: 'Pictured' }, new Blob(['not a picture']))
    assert.deepEqual([bad.status, bad.text.includes('value="Pictured"')], [400, true])
    const picture = new Blob([new Uint8Array(await readFile(new URL('fixtures/pictures/lossy.webp', import.meta.url)))])
    assert.equal((await send('categories/new', { name: 'Pictured' }, picture)).status, 303)
    const { id, category: made } = await categoryOf('pictured')
    assert.match(made.image, /^\/media\/mer_/)
    assert.equal((await send(`categories/${id}`, { name: 'With picture' })).status, 303)
    const { category: kept } = await categoryOf('pictured')
    assert.deepEqual([kept.name, kept.image], ['With picture', made.image])
    assert.equal((await send(`categories/${id}`, { noPicture: 'on' })).status, 303)
    assert.equal((await categoryOf('pictured')).category.image ?? null, null)
  })

  // Product

  const pressed = async (path: string, button: string, typed: Readonly<Record<string, string>> = {}) => {
    await dashboardUser.page.open(path)
    await dashboardUser.page.press(button, typed)
  }

  test('a new product keeps typed values after a refusal, gets a row for each variant of its options, and is published', async () => {
    const { page, path } = dashboardUser
    await page.open(path('products/new'))
    await page.press('Save', { name: 'Linen apron', 'sku.0.code': 'ROSE-12', 'sku.0.price': 'a lot' })
    assert.deepEqual(
      [page.status, page.field('name')?.value, page.field('sku.0.price')?.value],
      [400, 'Linen apron', 'a lot'],
    )
    await page.press('Save', { 'sku.0.price': '45.00' })
    assert.equal(page.status, 409)
    assert.match(page.alerts().join(' '), /Another product has a variant with this SKU/)
    await page.press('Save', { 'sku.0.code': 'APRON', 'sku.0.price': 'much' })
    assert.match(page.html, /<a href="#sku-0-price" autofocus><bdi>APRON Price<\/bdi>: [^<]+<\/a>/)
    assert.match(page.html, /<input id="sku-0-price"[^>]* aria-invalid="true"/)
    await page.press('Make variants', { 'option.0.name': 'Size', 'sku.0.code': 'APRON', 'sku.0.price': '45.00' })
    const form = new URLSearchParams({ ...fieldsOf(page.html), do: 'variants', 'option.0.values': 'S, L' })
    const grid = await fetch(testServer.origin + path('products/new'), {
      method: 'POST',
      headers: dashboardUser.headers,
      body: form,
    })
    const text = await grid.text()
    assert.match(text, /2 variants below/)
    assert.match(text, /value="APRON-S"/)
    const saved = await fetch(testServer.origin + path('products/new'), {
      method: 'POST',
      redirect: 'manual',
      headers: dashboardUser.headers,
      body: new URLSearchParams({
        ...fieldsOf(text),
        'sku.1.stock': '4',
        seoTitle: 'Aprons of washed linen',
        seoDescription: 'Sewn in Brest.',
        do: 'publish',
      }),
    })
    assert.equal(saved.status, 303)
    const { text: answer } = await shown('linen-apron')
    const { data } = JSON.parse(answer)
    assert.deepEqual([data.seoTitle, data.seoDescription], ['Aprons of washed linen', 'Sewn in Brest.'])
    await page.open(saved.headers.get('location') ?? '')
    assert.match(page.text(), /› linen-apron Aprons of washed linen – Bloom Sewn in Brest\./)
    assert.deepEqual(
      data.skus.map((sku: { code: string; price: { amount: number } }) => [sku.code, sku.price.amount]),
      [
        ['APRON-S', 4_500],
        ['APRON-L', 4_500],
      ],
    )
    await page.open(saved.headers.get('location') ?? '')
    assert.match(page.text(), /Product created\./)
    assert.equal(page.heading(), 'Linen apron')
  })

  test('a brand is typed, set for many products, listed, searched by and filtered by', async () => {
    const { page, path } = dashboardUser
    const [{ id }] = await asked('products?q=peonies')
    const [other] = await asked('products?q=glass-vase')
    await page.open(path('products'))
    assert.deepEqual([page.field('brand'), / Brand /.test(page.text())], [undefined, false], 'no shop needs brands')
    await pressed(path(`products/${id}`), 'Save', { brand: ' Hof & Rose ' })
    assert.deepEqual(
      [page.field('brand')?.value, (await asked('brands'))[0]],
      ['Hof & Rose', { name: 'Hof & Rose', products: 1 }],
    )
    assert.match(page.html, /<datalist id="field-brand-list"><option value="Hof (?:&#38;|&amp;) Rose">/)
    await pressed(path(`products/${id}`), 'Save', { name: 'Peonies again' })
    assert.equal((await asked(`products/${id}`)).product.brand, 'Hof & Rose', 'another change leaves it')

    const asking = await post('products/change', [
      ['do', 'brand'],
      ['product', other.id],
    ])
    await page.open(asking.headers.get('location') ?? '')
    assert.match(page.text(), /Brand of 1 product/)
    await page.press('Change products', { brand: 'Glashütte' })
    assert.match(page.text(), /1 product changed\. Undo/)
    await page.open(path('products?brand=Glash%C3%BCtte'))
    assert.match(page.text(), /Glass vase .*Glashütte/)
    assert.doesNotMatch(page.text(), /Peonies/)
    assert.match(page.html, /<option value="Glashütte" selected>/)
    await page.open(path('products?brand=unheard'))
    assert.match(page.text(), /No product matches/)
    await page.open(path('products?q=hof+%26'))
    assert.match(page.text(), /Peonies again/)
    await page.open(path(`products/brand?product=${other.id}`))
    await page.press('Change products', { brand: '' })
    assert.equal((await asked(`products/${other.id}`)).product.brand, null)
    await pressed(path(`products/${id}`), 'Save', { brand: '', name: 'Peonies' })
    assert.deepEqual(await asked('brands'), [])
    await page.open(path('settings/changes'))
    assert.match(page.text(), /Brand –? ?.*Glashütte/)
  })

  test('a formatted description is previewed and saved, and a new plain text replaces it', async () => {
    const { page, path } = dashboardUser
    const [{ id }] = await asked('products?q=peonies')
    const saved = async () => ((await asked(`products/${id}`)) as { product: Record<string, unknown> }).product
    const source = '<h3>Peonies</h3>Cut <b onclick="x()">daily</b>'
    const safe = '<h3>Peonies</h3>\n<p>Cut <b>daily</b></p>'
    await pressed(path(`products/${id}`), 'Preview', { descriptionHtml: source })
    assert.deepEqual([page.status, page.field('descriptionHtml')?.value], [200, source])
    assert.ok(page.html.includes(`<div class="rich" dir="auto">${safe}</div>`))
    assert.equal((await saved()).descriptionHtml, null)
    // Also of a product that has neither name nor price yet.
    const count = (await asked('products')).length
    await pressed(path('products/new'), 'Preview', { descriptionHtml: source })
    assert.deepEqual([page.status, page.field('descriptionHtml')?.value, page.field('name')?.value], [200, source, ''])
    assert.ok(page.html.includes(`<div class="rich" dir="auto">${safe}</div>`))
    await page.press('Preview', { descriptionHtml: '&'.repeat(20_000) })
    assert.ok(page.html.includes('id="field-descriptionHtml-problem"'))
    assert.equal((await asked('products')).length, count)
    await pressed(path(`products/${id}`), 'Preview', { descriptionHtml: source })
    await page.press('Save')
    assert.deepEqual([(await saved()).descriptionHtml, (await saved()).description], [safe, 'Peonies\n\nCut daily'])
    await page.press('Save', { name: 'Peonies in May' })
    assert.equal((await saved()).descriptionHtml, safe)
    await page.press('Save', { description: 'Only in May.' })
    assert.deepEqual([(await saved()).descriptionHtml, (await saved()).description], [null, 'Only in May.'])
    await pressed(path(`products/${id}`), 'Save', { descriptionHtml: '&'.repeat(20_000) })
    assert.equal(page.status, 400)
    assert.ok(page.html.includes('id="field-descriptionHtml-problem"'))
  })

  test('a copy is a new product, a saved change is undone, and an archived product cannot be edited', async () => {
    const { page, path } = dashboardUser
    const [{ id }] = await asked('products?q=glass-vase')
    await page.open(path(`products/${id}`))
    await page.open(page.links().get('Copy') ?? '')
    assert.equal(page.field('name')?.value, 'Glass vase (copy)')
    await page.press('Save')
    assert.match(page.text(), /Product created\./)
    const first = await shown('glass-vase')
    await pressed(path(`products/${id}`), 'Save', { name: 'Crystal vase', 'sku.0.price': '30' })
    assert.match(page.text(), /Saved\. Undo/)
    assert.match((await shown('glass-vase')).text, /Crystal vase/)
    await page.press('Undo')
    assert.deepEqual(await shown('glass-vase'), first)
    await pressed(path(`products/${id}`), 'Archive')
    assert.match(page.text(), /Archived/)
    assert.deepEqual(page.field('name')?.isDisabled, true)
    await page.press('Take out of the archive')
    assert.equal(page.field('name')?.isDisabled, false)
    await page.press('Save and publish')
    assert.equal((await shown('glass-vase')).status, 200)
  })

  test('a save performs one read and one write of the product, and no other operation to offer Undo', async (t) => {
    const { page, path } = dashboardUser
    const [{ id }] = await asked('products?q=glass-vase')
    await page.open(path(`products/${id}`))
    const performed: string[] = []
    const { admin } = testServer.app
    const { perform } = admin
    t.after(() => Object.assign(admin, { perform }))
    admin.perform = (operation, given) => {
      performed.push(operation)
      return perform(operation, given)
    }
    const form = page.forms().find(({ fields }) => fields.some(([name]) => name === 'sku.0.price'))?.fields ?? []
    const answer = await post(`products/${id}`, [
      ...form.filter(([name]) => name !== 'do' && name !== 'summary'),
      ['summary', 'Blown by hand.'],
    ])
    assert.match(answer.headers.get('location') ?? '', /done=saved&change=chg_/)
    assert.deepEqual(performed, ['getAdminProduct', 'replaceAdminProduct'])
  })

  test('an emptied order limit and tax class return to their defaults', async () => {
    const { page, path } = dashboardUser
    const [{ id }] = await asked('products?q=glass-vase')
    const rules = async (): Promise<unknown> => {
      const { product } = await asked(`products/${id}`)
      return product.skus.map(({ maxPerOrder, taxClass }: SkuEntry) => [maxPerOrder, taxClass])
    }
    await pressed(path(`products/${id}`), 'Save', { maxPerOrder: '5', taxClass: 'reduced' })
    assert.deepEqual(await rules(), [[5, 'reduced']])
    await pressed(path(`products/${id}`), 'Save', { maxPerOrder: '', taxClass: '' })
    assert.deepEqual(await rules(), [[limits.quantityMax, 'standard']])
    await page.open(path(`products/${id}`))
    assert.deepEqual([page.field('maxPerOrder')?.value, page.field('taxClass')?.value], ['', 'standard'])
  })

  test('a picture is assigned to the variants with one option value, and the shop shows it for them', async () => {
    const { page, path } = dashboardUser
    const [red, moss] = ['https://pictures.example/red.webp', 'https://pictures.example/moss.webp']
    const { id } = await createProduct(testServer, {
      slug: 'dyed-scarf',
      name: 'Dyed scarf',
      images: [{ url: red }, { url: moss }],
      options: [{ name: 'Colour', values: ['Red', 'Moss'] }],
      skus: ['Red', 'Moss'].map((Colour) => ({ code: `SCARF-${Colour}`, price: 3_000, options: { Colour } })),
    })
    const pictures = async () =>
      JSON.parse((await shown('dyed-scarf')).text).data.skus.map(({ imageUrl }: { imageUrl: string }) => imageUrl)
    await page.open(path(`products/${id}`))
    assert.deepEqual([page.field('image.1.shows')?.value, await pictures()], ['', [null, null]])
    await page.press('Save', { 'image.1.shows': '0:Moss', status: 'published' })
    assert.deepEqual(await pictures(), [null, moss])
    await page.open(path(`products/${id}`))
    assert.deepEqual([page.field('image.0.shows')?.value, page.field('image.1.shows')?.value], ['', '0:Moss'])
    await page.press('Save', { 'image.0.shows': '0:Red', name: 'Dyed scarf' })
    assert.deepEqual(await pictures(), [red, moss])
    await pressed(path(`products/${id}`), 'Save', { 'image.1.remove': 'yes' })
    assert.deepEqual(await pictures(), [red, null])
  })

  test('when two people save one product, the second sees both versions and decides', async () => {
    const [{ id }] = await asked('products?q=red-roses')
    const second = await dashboardUserOf(testServer, { role: 'staff' })
    await dashboardUser.page.open(dashboardUser.path(`products/${id}`))
    await second.page.open(second.path(`products/${id}`))
    await dashboardUser.page.press('Save', { name: 'Scarlet roses', 'sku.1.price': '61.00', backorder: 'yes' })
    await second.page.press('Save', { name: 'Crimson roses', tags: 'gift, love', maxPerOrder: '3' })
    assert.equal(second.page.status, 409)
    assert.match(second.page.text(), /Name Scarlet roses Crimson roses .*ROSE-24 24 · 61\.00 .* 24 · 59\.00/s)
    assert.match(second.page.text(), /Selling .*When sold out: Can still be ordered.*At most per order: 3/s)
    assert.doesNotMatch(second.page.text(), /yes, yes|no, yes/)
    await second.page.press('Save the chosen versions', { 'choice.name': 'theirs' })
    assert.match(second.page.text(), /Saved\./)
    const { product: saved } = (await asked(`products/${id}`)) as {
      product: { name: string; tags: string[]; skus: { price: number }[] }
    }
    assert.deepEqual([saved.name, saved.tags, saved.skus[1]?.price], ['Scarlet roses', ['gift', 'love'], 6_100])
  })

  test('without script a picture is added, and a file that is not a picture is refused with the reason', async () => {
    const [{ id }] = await asked('products?q=peonies')
    const add = async (file: Blob) => {
      const body = new FormData()
      body.append('key', newId('req'))
      body.append('alt', 'A bunch')
      body.append('file', file, 'a.webp')
      const answer = await fetch(testServer.origin + dashboardUser.path(`products/${id}/picture`), {
        method: 'POST',
        redirect: 'manual',
        headers: dashboardUser.headers,
        body,
      })
      return { status: answer.status, text: await answer.text() }
    }
    const bad = await add(new Blob(['not a picture']))
    assert.equal(bad.status, 400)
    assert.match(bad.text, /This file cannot be used. Please choose a WebP, JPEG, PNG or AVIF file\./)
    const good = await add(
      new Blob([new Uint8Array(await readFile(new URL('fixtures/pictures/lossy.webp', import.meta.url)))]),
    )
    assert.equal(good.status, 303)
    const { product: saved } = await asked(`products/${id}`)
    assert.equal(saved.images[0].alt, 'A bunch')
    assert.equal((await fetch(testServer.origin + saved.images[0].url)).status, 200)
  })

  // Discounts

  const promotionOf = async (code: string) => (await asked(`promotions?q=${code}`))[0]

  test('discounts are created after a correction, stopped, undone, and edited with a check of the version', async () => {
    const { page, path } = dashboardUser
    await page.open(path('discounts'))
    assert.match(page.text(), /No discounts yet/)
    await page.open(page.links().get('New discount') ?? '')
    await page.press('Save', { code: 'SPRING', name: 'Spring', percent: 'ten' })
    assert.deepEqual([page.status, page.field('code')?.value, page.field('percent')?.isInvalid], [400, 'SPRING', true])
    await page.press('Save', { percent: '12,5', minimum: '20', startsAt: '2020-06-01T00:00', category: 'vases' })
    assert.match(page.text(), /Saved\./)
    assert.deepEqual([page.heading(), page.status], ['SPRING', 200])
    const made = await promotionOf('SPRING')
    assert.deepEqual(
      [made.status, made.promotion.percentage, made.promotion.minimumSubtotal, made.promotion.categories],
      ['active', 1_250, 2_000, ['vases']],
    )
    await page.open(path('discounts'))
    assert.match(page.text(), /SPRING Spring 12\.5 % from €20\.00 Active 0 from 1 Jun 2020/)
    await page.open(path(`discounts/${made.id}`))
    await page.press('Stop')
    assert.match(page.text(), /Discount stopped\. Undo/)
    assert.equal((await promotionOf('SPRING')).status, 'disabled')
    await page.press('Undo')
    assert.equal((await promotionOf('SPRING')).status, 'active')
    const second = await dashboardUserOf(testServer, { role: 'staff' })
    await second.page.open(second.path(`discounts/${made.id}`))
    await page.open(path(`discounts/${made.id}`))
    await page.press('Save', { name: 'Early spring' })
    await second.page.press('Save', { type: 'fixed_amount', amount: '5' })
    assert.equal(second.page.status, 409)
    assert.match(second.page.text(), /in the meantime: Early spring/)
    await second.page.press('Save')
    const { promotion } = await promotionOf('SPRING')
    assert.deepEqual([promotion.type, promotion.amount, promotion.percentage], ['fixed_amount', 500, undefined])
    assert.equal(promotion.name, 'Early spring')
    // A mistake in between does not hide that the other one saved.
    await second.page.open(second.path(`discounts/${made.id}`))
    await page.open(path(`discounts/${made.id}`))
    await page.press('Save', { usageLimit: '3', customerLimit: '1' })
    await second.page.press('Save', { name: 'Late spring', usageLimit: 'many' })
    assert.equal(second.page.status, 400)
    await second.page.press('Save', { usageLimit: '5' })
    assert.equal(second.page.status, 409)
    assert.match(second.page.text(), /in the meantime: Early spring.* Uses in all: 3/)
    assert.deepEqual(
      (['name', 'usageLimit', 'customerLimit'] as const).map((name) => second.page.field(name)?.value),
      ['Late spring', '5', '1'],
    )
    await second.page.press('Save')
    const { name, usageLimit, customerLimit } = (await promotionOf('SPRING')).promotion
    assert.deepEqual([name, usageLimit, customerLimit], ['Late spring', 5, 1])
    // Nothing that was typed is lost if a SKU is mistyped, or a category was removed while the form was open.
    await page.open(path('categories/new'))
    await page.press('Save', { name: 'Short-lived' })
    const shortLived = await categoryOf('short-lived')
    const typed = { name: 'Kept', category: 'short-lived' }
    await page.open(path('discounts/new'))
    await second.page.open(path('products/new'))
    const removed = scriptless(testServer.origin, dashboardUser.headers)
    await removed.open(path(`categories/${shortLived.id}`))
    await removed.press('Remove category')
    await page.press('Save', { ...typed, code: 'KEPT', percent: '1' })
    assert.deepEqual([page.status, page.field('code')?.value], [400, 'KEPT'])
    assert.match(page.alerts().join(), /This category does not exist any more/)
    await page.press('Save', { skus: 'MISTYPED' })
    assert.deepEqual([page.status, page.field('skus')?.isInvalid, page.field('code')?.value], [400, true, 'KEPT'])
    await second.page.press('Save', { ...typed, 'sku.0.code': 'KEPT', 'sku.0.price': '9.00' })
    assert.deepEqual([second.page.status, second.page.field('name')?.value], [409, 'Kept'])
    // What was typed is guarded against leaving, as it was before the save.
    const isTyped = (shown: { html: string }) => / data-guard data-typed="yes">/.test(shown.html)
    assert.equal(isTyped(second.page), true)
    await page.open(path('discounts/new'))
    assert.equal(isTyped(page), false)
    await page.press('Save', { code: 'spring', name: 'Again', percent: '1' })
    assert.deepEqual([page.status, page.field('code')?.isInvalid, isTyped(page)], [400, true, true])
    await page.open(path('discounts?status=expired'))
    assert.match(page.text(), /No discount matches/)
  })

  test('20 products are listed, or as many as a person chooses, and changing all of them returns to the list', async () => {
    const { page, path } = dashboardUser
    for (let count = 0; count < 30; count++) await createProduct(testServer, { name: `Tin ${count}` })
    const rows = () => page.html.match(/<tr data-row>/g)?.length ?? 0
    await page.open(path('products?q=tin'))
    assert.equal(rows(), 20)
    const chosen = await post('products/rows', [
      ['rows', '50'],
      ['back', path('products?q=tin')],
    ])
    assert.deepEqual(
      [chosen.headers.get('location'), chosen.headers.get('set-cookie')?.split(';')[0]],
      [path('products?q=tin'), 'list_rows=50'],
    )
    await page.open(page.links().get('Select the first 100') ?? '')
    assert.equal(rows(), 30)
    await page.press('Hide')
    assert.match(page.text(), /30 products changed\. Undo/)
    assert.doesNotMatch(page.html, / data-choose checked>/)
    await page.press('Undo')
    assert.match(page.text(), /Change taken back/)
  })

  test('20 rows of stock are shown, or as many as a person chooses, independently of the other lists', async () => {
    const { page, path } = dashboardUser
    for (let count = 0; count < 30; count++) await createProduct(testServer, { name: `Peg ${count}` })
    const rows = () => page.html.match(/name="was\./g)?.length ?? 0
    const list = path('stock?q=peg')
    const choose = async (of: string, count: string) => {
      const answer = await post(`${of}/rows`, [
        ['rows', count],
        ['back', list],
      ])
      return [answer.status, answer.headers.get('location'), answer.headers.get('set-cookie')?.split(';')[0]]
    }
    await page.open(list)
    assert.equal(rows(), 20)
    assert.deepEqual(await choose('stock', '200'), [303, list, 'sheet_rows=200'])
    assert.deepEqual(await choose('stock', '201'), [303, list, undefined])
    assert.deepEqual(await choose('products', '200'), [303, path('products'), undefined])
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    await viewer.page.open(list)
    for (const one of [page, viewer.page]) {
      await one.press('50')
      assert.deepEqual([one.status, one.path], [200, list])
    }
    // What is refused is shown again with as many rows as were there, whatever another tab has chosen.
    await page.open(`${list}&rows=50`)
    assert.equal(rows(), 30)
    const last = [...page.html.matchAll(/name="onHand\.(\w+)"/g)].at(-1)?.[1] ?? ''
    await page.press('Save', { [`onHand.${last}`]: 'many' })
    assert.deepEqual([page.status, rows(), page.field(`onHand.${last}`)?.value], [400, 30, 'many'])
  })
})

// What a browser would send with the form of a product.
function fieldsOf(text: string): Record<string, string> {
  const form = /<form class="form product"[\s\S]*?<\/form>/.exec(text)?.[0] ?? ''
  const unescaped = (value: string) => value.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
  const inputs = [...form.matchAll(/<input(?: [^>]*)? name="([^"]+)"[^>]*>/g)].flatMap(([tag, name = '']) =>
    tag.includes('type="checkbox"') && !tag.includes(' checked')
      ? []
      : [[name, unescaped(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')] as const],
  )
  const areas = [...form.matchAll(/<textarea[^>]* name="([^"]+)"[^>]*>([^<]*)</g)].map(
    ([, name = '', value = '']) => [name, unescaped(value)] as const,
  )
  return Object.fromEntries([...inputs, ...areas])
}
