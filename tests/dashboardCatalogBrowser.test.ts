// The catalog's screens in a real browser: two people at one product, prices with preview and undo, a pasted sheet, 250 variants with
// a picture.

import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { paste } from '../harness/paste.ts'
import { violations } from '../harness/readable.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { newId } from '../src/platform/kit/ids.ts'

const { after, before, test } = browserSuite

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser.close())

anyEngine('the catalog in a browser', (given) => {
  let testServer: TestServer
  let dashboardUser: DashboardUser
  let keys: { read: string; write: string }
  before(async () => {
    testServer = await openTestServer(given)
    dashboardUser = await dashboardUserOf(testServer)
    const [read, write] = [await testServer.newKey(['admin:read']), await testServer.newKey(['admin:catalog'])]
    keys = { read: read.key, write: write.key }
  })

  async function tabOf(one: DashboardUser, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ locale: 'en-GB', ...options })
    context.setDefaultTimeout(60_000)
    const [name = '', value = ''] = one.headers.cookie.split('=')
    await context.addCookies([{ name, value, url: testServer.origin }])
    return context.newPage()
  }
  const ask = async (path: string) =>
    (await testServer.fetch(`/api/v1/admin/${path}`, { headers: { authorization: `Bearer ${keys.read}` } })).body.data
  const create = (product: object) =>
    testServer.fetch('/api/v1/admin/products', {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.write}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: newId('req'), product }),
    })
  const shown = async (slug: string) =>
    (await fetch(`${testServer.origin}/api/v1/catalog/merchants/bloom/products/${slug}`)).text()

  test('when two people save one product, the second sees both versions side by side and decides', async () => {
    const { body } = await create({ slug: 'two', name: 'Two', skus: [{ code: 'TWO', price: 1_000 }] })
    const address = testServer.origin + dashboardUser.path(`products/${body.data.id}`)
    const second = await dashboardUserOf(testServer, { role: 'staff' })
    const [one, two] = [await tabOf(dashboardUser), await tabOf(second)]
    await Promise.all([one.goto(address), two.goto(address)])
    await one.fill('[name=name]', 'Two by the first')
    await one.keyboard.press('Control+s')
    await one.getByRole('status').getByText('Saved.').waitFor()
    await two.fill('[name=name]', 'Two by the second')
    await two.fill('[name=summary]', 'Kept')
    await two.keyboard.press('Control+s')
    const row = two.getByRole('row', { name: /^Name/ })
    assert.match((await row.textContent()) ?? '', /Two by the first.*Two by the second/)
    assert.deepEqual(await violations(two), [])
    await row.getByRole('radio', { name: 'Name: Theirs' }).check()
    await two.getByRole('button', { name: 'Save the chosen versions' }).click()
    await two.getByRole('status').getByText('Saved.').waitFor()
    const { product } = await ask(`products/${body.data.id}`)
    assert.deepEqual([product.name, product.summary], ['Two by the first', 'Kept'])
    await Promise.all([one.context().close(), two.context().close()])
  })

  test('raising prices of a category by 5 % with preview and confirmation, then undoing it, restores the catalog byte for byte', async () => {
    const [first] = await ask('categories')
    for (const number of [1, 2, 3])
      await create({
        slug: `priced-${number}`,
        name: `Priced ${number}`,
        categories: [first.category.slug],
        skus: [{ code: `PRICED-${number}`, price: 999 * number }],
      })
    const before = await Promise.all([1, 2, 3].map((number) => shown(`priced-${number}`)))
    const tab = await tabOf(dashboardUser)
    await tab.goto(`${testServer.origin}${dashboardUser.path('products')}?categoryId=${first.id}&q=priced`)
    await tab.check('[data-choose-all]')
    await tab.getByRole('button', { name: 'Change prices' }).click()
    await tab.fill('[name=percent]', '5')
    await tab.getByRole('button', { name: 'Show new prices' }).click()
    await tab.getByRole('row', { name: 'PRICED-2 €19.98 €20.98' }).waitFor()
    assert.deepEqual(await Promise.all([1, 2, 3].map((number) => shown(`priced-${number}`))), before)
    await tab.getByRole('button', { name: 'Set 3 prices' }).click()
    await tab.getByText('3 products changed.').waitFor()
    assert.match(await shown('priced-1'), /1049/)
    await tab.getByRole('button', { name: 'Undo' }).click()
    await tab.getByText('Change taken back.').waitFor()
    assert.deepEqual(await Promise.all([1, 2, 3].map((number) => shown(`priced-${number}`))), before)
    await tab.context().close()
  })

  test('200 × 2 cells are pasted and saved together; a sale in between is not undone', async () => {
    const skus = Array.from({ length: 200 }, (_, at) => ({
      code: `CELL-${String(at).padStart(3, '0')}`,
      options: { Number: String(at) },
      price: 1_000,
      stock: 5,
    }))
    const values = skus.map(({ options }) => options.Number)
    const { status } = await create({ slug: 'cells', name: 'Cells', options: [{ name: 'Number', values }], skus })
    assert.equal(status, 200)
    const tab = await tabOf(dashboardUser)
    await tab.goto(`${testServer.origin}${dashboardUser.path('stock')}?q=CELL-`)
    const cells = Array.from({ length: 200 }, (_, at) => `${at + 10}\t${at + 1}.50\t\t`).join('\n')
    const pasteAll = async () => {
      await tab.focus('tbody tr:first-child .cell input')
      await paste(tab, cells)
      return [await tab.textContent('[data-changed]'), await tab.textContent('[data-left-out]')]
    }
    assert.deepEqual(await pasteAll(), [
      '40 changed',
      'Pasted cells without a place on this page: 360. Show more rows, then paste again.',
    ])
    // What was typed is guarded against leaving; who stays can press again.
    const most = tab.getByRole('group', { name: 'Rows per page' }).getByRole('button', { name: '200' })
    const stayed = tab.waitForEvent('dialog').then((dialog) => dialog.dismiss())
    await most.click()
    await stayed
    assert.equal(await tab.textContent('[data-changed]'), '40 changed')
    assert.equal(await most.getAttribute('aria-busy'), null)
    tab.once('dialog', (dialog) => dialog.accept())
    await most.click()
    await tab.getByRole('button', { name: '200', pressed: true }).waitFor()
    assert.deepEqual(await pasteAll(), ['400 changed', ''])
    await tab.focus('tbody tr:last-child .cell:last-child input')
    await paste(tab, '\n1')
    assert.equal(await tab.textContent('[data-left-out]'), 'Pasted cells without a place here: 1.')
    await tab.focus('tbody tr:first-child .cell input')
    await tab.keyboard.press('ArrowDown')
    assert.equal(await tab.evaluate(`document.activeElement.getAttribute('aria-label')`), 'On hand, CELL-001')
    // Three of them leave the shop while one types.
    await testServer.fetch('/api/v1/admin/skus', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${keys.write}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        idempotencyKey: newId('req'),
        rows: [{ skuId: (await ask('skus?q=CELL-007'))[0].id, adjustBy: -3 }],
      }),
    })
    await tab.keyboard.press('Control+s')
    await tab.getByText('On hand now: 2.').waitFor()
    // What was refused is guarded as well.
    const guarded = tab.waitForEvent('dialog').then((dialog) => dialog.dismiss())
    await tab.getByRole('button', { name: '100', exact: true }).click()
    await guarded
    assert.equal(await tab.inputValue('[aria-label="On hand, CELL-007"]'), '17')
    const saved = await ask('skus?q=CELL-007')
    assert.deepEqual([saved[0].onHand, saved[0].price], [2, 1_000])
    const rest = [...(await ask('skus?q=CELL-000')), ...(await ask('skus?q=CELL-199'))]
    assert.deepEqual(
      rest.map(({ onHand, price }) => [onHand, price]),
      [
        [10, 150],
        [209, 20_050],
      ],
    )
    await tab.keyboard.press('Control+s')
    await tab.getByText('1 SKU saved.').waitFor()
    assert.deepEqual(
      (await ask('skus?q=CELL-007')).map(({ onHand }: { onHand: number }) => onHand),
      [17],
    )
    await tab.context().close()
  })

  test('no row of the list of products changes its height when its picture appears', async () => {
    const images = [{ url: `${testServer.origin}/favicon.svg`, alt: '', width: 40, height: 40 }]
    const { status } = await create({ slug: 'seen', name: 'Seen', images, skus: [{ code: 'SEEN', price: 1_000 }] })
    assert.equal(status, 200)
    const tab = await tabOf(dashboardUser)
    await tab.goto(`${testServer.origin}${dashboardUser.path('products')}?q=seen`)
    await tab.locator('img.thumb').waitFor()
    const heights = await tab.evaluate(`(() => {
      const row = document.querySelector('tr:has(img.thumb)')
      const after = row.offsetHeight
      document.querySelector('.thumbs').style.setProperty('--picture', 'none')
      return [row.offsetHeight - after, document.querySelector('img.thumb').offsetHeight]
    })()`)
    assert.deepEqual(heights, [0, 0])
    await tab.context().close()
  })

  test('a product with three options, 250 variants and a picture in three sizes is published, and the shop shows it immediately', async () => {
    const tab = await tabOf(dashboardUser)
    await tab.goto(testServer.origin + dashboardUser.path('products/new'))
    await tab.fill('[name=name]', 'Great shirt')
    await tab.fill('[name="sku.0.price"]', '29.90')
    const numbers = (count: number, word: string) =>
      Array.from({ length: count }, (_, at) => `${word}${at + 1}`).join(', ')
    for (const [slot, [name, values]] of Object.entries([
      ['Size', numbers(10, 'S')],
      ['Colour', numbers(5, 'C')],
      ['Fit', numbers(5, 'F')],
    ])) {
      await tab.fill(`[name="option.${slot}.name"]`, name ?? '')
      await tab.fill(`[name="option.${slot}.values"]`, values ?? '')
    }
    await tab.getByRole('button', { name: 'Make variants' }).click()
    await tab.getByText('250 variants below.').waitFor()
    const focused = () =>
      tab.evaluate<[id: string, isSeen: boolean]>(`(() => {
        const { activeElement: at } = document
        const { top, bottom } = at.getBoundingClientRect()
        return [at.id || at.getAttribute('href'), top >= 0 && bottom <= innerHeight]
      })()`)
    assert.deepEqual(await focused(), ['sku-0-price', true])
    const right = (of: string) => tab.locator(of).evaluate((part) => Math.round(part.getBoundingClientRect().right))
    assert.equal(await right('.columns'), await right('.head'), 'a wide table scrolls by itself')
    await tab.fill('[name="sku.7.price"]', 'much')
    await tab.getByRole('button', { name: 'Save', exact: true }).click()
    await tab.getByText('Please check the marked fields.').waitFor()
    assert.deepEqual(await focused(), ['#sku-7-price', true])
    await tab.keyboard.press('Enter')
    await until(async () => (await focused())[0] === 'sku-7-price')
    assert.deepEqual(await focused(), ['sku-7-price', true])
    await tab.fill('[name="sku.7.price"]', '29.90')
    await choosePicture(tab, 'shirt.png')
    await tab.fill('[name="image.0.alt"]', 'A shirt')
    await tab.getByRole('button', { name: 'Save and publish' }).click()
    await tab.getByText('Product created.').waitFor()
    const { data } = JSON.parse(await shown('great-shirt'))
    assert.equal(data.skus.length, 250)
    const sent = await fetch(new URL(data.imageUrl, testServer.origin))
    assert.deepEqual([sent.status, sent.headers.get('content-type')], [200, 'image/webp'])
    assert.match(data.imageUrl, /-1600\.webp$/)
    const sizes = await testServer.storage.read(
      (db) => db.sql<{ width: number }>`select width from pictures order by width`,
    )
    assert.deepEqual(
      sizes.map(({ width }) => Number(width)),
      [160, 640, 1_600],
    )
    await tab.context().close()
  })

  async function choosePicture(tab: Tab, name: string): Promise<void> {
    const [chooser] = await Promise.all([tab.waitForEvent('filechooser'), tab.click('[data-drop]')])
    const picture = await tab.evaluate<string>(`(() => {
      const canvas = document.createElement('canvas')
      canvas.width = 2000
      canvas.height = 1000
      canvas.getContext('2d').fillRect(0, 0, 900, 900)
      return canvas.toDataURL('image/png').split(',')[1]
    })()`)
    await chooser.setFiles({ name, mimeType: 'image/png', buffer: Buffer.from(picture, 'base64') })
  }

  // Uploads of the tab wait until they are let go.
  async function heldUploads(tab: Tab) {
    const { promise: letGo, resolve: go } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    await tab.route('**/pictures', async (route) => {
      begin()
      await letGo
      await route.continue()
    })
    return { begun, go }
  }

  test('text that is typed during a picture upload stays in its field, and saving waits for the picture', async () => {
    const tab = await tabOf(dashboardUser)
    await tab.goto(testServer.origin + dashboardUser.path('products/new'))
    await tab.fill('[name=name]', 'Typed meanwhile')
    await tab.fill('[name="sku.0.code"]', 'TYPED')
    await tab.fill('[name="sku.0.price"]', '5.00')
    const first = await heldUploads(tab)
    await choosePicture(tab, 'one.png')
    await first.begun
    const summary = tab.locator('[name=summary]')
    await summary.pressSequentially('Before and ')
    first.go()
    await tab.locator('[name="image.0.alt"]').waitFor()
    await tab.keyboard.type('after')
    assert.equal(await summary.inputValue(), 'Before and after')
    assert.equal(await tab.inputValue('[name="image.0.alt"]'), '')

    await tab.unroute('**/pictures')
    const second = await heldUploads(tab)
    await choosePicture(tab, 'two.png')
    await second.begun
    await summary.press('Control+s')
    await summary.press('Control+s')
    second.go()
    await tab.getByText('Product created.').waitFor()
    const [made] = await ask('products?q=typed%20meanwhile')
    const { product } = await ask(`products/${made.id}`)
    assert.deepEqual([product.summary, product.images.length], ['Before and after', 2])
    await tab.context().close()
  })

  test('when a session ends during a picture upload, the page says so, keeps typed values, and continues after the sign-in', async () => {
    const other = await dashboardUserOf(testServer)
    const tab = await tabOf(other)
    const until = (at: number) =>
      testServer.storage.write(
        (tx) => tx.sql`update user_sessions set expires_at = ${at} where user_id = ${other.userId}`,
      )
    await tab.goto(testServer.origin + other.path('products/new'))
    await tab.fill('[name=name]', 'Held')
    await tab.fill('[name="sku.0.code"]', 'HELD')
    await tab.fill('[name=description]', 'Line one\nand two')
    await tab.fill('[name="sku.0.price"]', '5.00')
    const uploads = await heldUploads(tab)
    await choosePicture(tab, 'held.png')
    await uploads.begun
    await tab.locator('[name=summary]').fill('Typed meanwhile')
    await tab.keyboard.press('Control+s')
    await until(testServer.clock.now)
    uploads.go()
    await tab.getByText('held.png: Your session ended before the file was taken.').waitFor()
    assert.match(tab.url(), /products\/new$/)
    const typed = ['name', 'description', 'summary'].map((name) => tab.inputValue(`[name=${name}]`))
    assert.deepEqual(await Promise.all(typed), ['Held', 'Line one\nand two', 'Typed meanwhile'])
    assert.equal(await tab.locator('[data-picture]').count(), 0)
    assert.deepEqual(await ask('products?q=held'), [])

    await until(testServer.clock.now + 3_600_000)
    await choosePicture(tab, 'held.png')
    await tab.locator('[name="image.0.alt"]').fill('A picture')
    await tab.keyboard.press('Control+s')
    await tab.getByText('Product created.').waitFor()
    const [made] = await ask('products?q=held')
    const { product } = await ask(`products/${made.id}`)
    assert.deepEqual([product.summary, product.description], ['Typed meanwhile', 'Line one\nand two'])
    assert.deepEqual(
      product.images.map(({ alt }: { alt: string }) => alt),
      ['A picture'],
    )
    await tab.context().close()
  })

  test('typed values stay when the connection is lost, and leaving the page asks first', async () => {
    const tab = await tabOf(dashboardUser)
    await tab.goto(testServer.origin + dashboardUser.path('products/new'))
    await tab.locator('[name=name]').pressSequentially('Half')
    await tab.context().setOffline(true)
    await tab.keyboard.press('Control+s')
    await tab.getByRole('alert').filter({ hasText: 'No connection. Nothing was saved' }).waitFor()
    assert.equal(await tab.inputValue('[name=name]'), 'Half')
    await tab.context().setOffline(false)
    const asked = new Promise<string>((resolve) => {
      tab.once('dialog', (dialog) => {
        resolve(dialog.type())
        dialog.dismiss().catch(() => {})
      })
    })
    await tab.evaluate(`location.href = '/admin'`)
    assert.equal(await asked, 'beforeunload')
    assert.equal(await tab.inputValue('[name=name]'), 'Half')
    await tab.context().close()
  })
})
