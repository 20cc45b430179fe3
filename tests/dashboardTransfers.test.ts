// Import and export in the dashboard, without script.

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { createProduct, unusedName } from '../harness/admin/catalog.ts'
import { clearTransfers, runTransfers } from '../harness/admin/transfers.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { scriptless } from '../harness/scriptless.ts'
import { anyEngine } from '../harness/storage.ts'
import type { TestServer } from '../harness/testServer.ts'
import { newId } from '../src/platform/kit/ids.ts'

const header = 'Handle,Title,Variant SKU,Variant Price\n'

anyEngine('import and export in the dashboard', (given) => {
  let testServer: TestServer & { orders: Orders }
  let dashboardUser: DashboardUser
  before(async () => {
    testServer = await openOrderTestServer(given)
    dashboardUser = await dashboardUserOf(testServer)
  })
  beforeEach(() => clearTransfers(testServer))

  async function upload(file: string | Buffer | null, fields: Readonly<Record<string, string>> = {}) {
    const form = new FormData()
    for (const [name, value] of Object.entries({ kind: 'products', key: newId('req'), ...fields }))
      form.set(name, value)
    if (file !== null) form.set('file', new Blob([file]), 'summer.csv')
    const answer = await fetch(testServer.origin + dashboardUser.path('settings/transfers/new'), {
      method: 'POST',
      redirect: 'manual',
      headers: dashboardUser.headers,
      body: form,
    })
    return { status: answer.status, location: answer.headers.get('location') ?? '', text: await answer.text() }
  }

  async function download(path: string) {
    const answer = await fetch(testServer.origin + dashboardUser.path(path), { headers: dashboardUser.headers })
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    return { name: answer.headers.get('content-disposition'), bytes: Buffer.from(await answer.arrayBuffer()) }
  }

  const names = (bytes: Buffer) => [...new Set(bytes.toString('utf8').match(/T-\d+/g))]

  test('importing an exported product file changes nothing', async () => {
    await createProduct(testServer, { name: 'Käse, "mild"' })
    const { bytes, name } = await download('settings/export?of=products')
    assert.match(name ?? '', /^attachment; filename="products-test-\d{4}-\d\d-\d\d\.csv"$/)
    const { status, location } = await upload(bytes)
    assert.equal(status, 303)
    await runTransfers(testServer)
    const { page } = dashboardUser
    await page.open(location)
    assert.equal(page.heading(), 'summer.csv')
    assert.match(page.text(), /To confirm Nothing to change\./)
    assert.deepEqual(page.buttons().includes('Confirm'), false)
    await page.press('Discard')
    assert.match(page.text(), /Import discarded\..*No imports yet/s)
  })

  test('bad rows are reported with the reason, and the others are written once after the confirmation', async () => {
    const { page, path } = dashboardUser
    const slug = unusedName('bowl')
    const rows = [`${slug},Bowl,${unusedName('BOWL')},12.00`, `${slug}-2,Plate,${unusedName('PLATE')},twelve`]
    const { location } = await upload(`${header}${rows.join('\n')}\n`)
    await page.open(location)
    assert.match(page.text(), /The file is compared with the shop\..*Reload/s)
    await runTransfers(testServer)
    await page.open(location)
    assert.match(page.text(), /1 thing would change\./)
    assert.match(page.text(), new RegExp(`Line 3 ${slug}-2 [^.]*twelve`))
    assert.match(page.text(), new RegExp(`Line 2 New product ${slug}`))
    const other = scriptless(testServer.origin, dashboardUser.headers)
    await other.open(location)
    await page.press('Confirm')
    assert.match(page.text(), /Confirmed\. The changes are being written\./)
    await runTransfers(testServer)
    // What was written is not said to be discarded.
    await other.press('Discard')
    assert.match(other.text(), /It may be written already\..*Done/s)
    await page.open(location)
    assert.match(page.text(), /Done 1 thing was written\./)
    await page.open(path('settings/transfers'))
    assert.match(page.text(), /summer\.csv Products Done 1 1/)
    await page.open(path('settings/changes'))
    assert.match(page.text(), /confirmed an import/)
    const [found] = await testServer.storage.read(
      (db) => db.sql<{ count: number }>`
        select count(*) as "count" from products where merchant_id = ${testServer.merchantId} and slug like ${`${slug}%`}`,
    )
    assert.equal(Number(found?.count), 1)
  })

  test('a file of an unknown format is read after a person assigned its columns', async () => {
    const { page } = dashboardUser
    const { location } = await upload(`Article,Number,Price\n${unusedName('kettle')},${unusedName('KETTLE')},€ 12.50\n`)
    await runTransfers(testServer)
    await page.open(location)
    assert.match(page.text(), /Columns to assign Say what the columns of the file hold\./)
    assert.match(page.text(), /Article kettle-\S+/)
    const assign = async (...meanings: string[]) => {
      const answer = await fetch(`${testServer.origin}${location}/columns`, {
        method: 'POST',
        redirect: 'manual',
        headers: dashboardUser.headers,
        body: new URLSearchParams([
          ['key', newId('req')],
          ...['Article', 'Number', 'Price'].map((column): [string, string] => ['column', column]),
          ...meanings.map((meaning): [string, string] => ['as', meaning]),
        ]),
      })
      return { status: answer.status, text: await answer.text() }
    }
    const lacking = await assign('title', 'sku', '')
    assert.equal(lacking.status, 400)
    assert.match(lacking.text, /Choose a column for: Price\./)
    assert.match((await assign('title', 'price', 'price')).text, /Only one column can hold: Price\./)
    assert.equal((await assign('title', 'sku', 'price')).status, 303)
    await runTransfers(testServer)
    await page.open(location)
    assert.match(page.text(), /1 thing would change\./)
    assert.match(page.text(), /Line 2 New product kettle-/)
  })

  test('pieces with one key make one import, in any order and even if they are sent repeatedly', async () => {
    const key = newId('req')
    const text = `${header}${unusedName('cup')},Çup,${unusedName('CUP')},3.00\n`
    const [first, second] = [text.slice(0, 45), text.slice(45)]
    const answers = []
    for (const [piece, part] of [
      ['2', second],
      ['2', second],
      ['1', first],
      ['1', first],
    ] as const)
      answers.push(await upload(part, { key, piece, pieces: '2' }))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303, 303],
    )
    const [location = '', ...others] = new Set(answers.map((answer) => answer.location))
    assert.deepEqual(others, [])
    await runTransfers(testServer)
    await dashboardUser.page.open(location)
    assert.match(dashboardUser.page.text(), /1 thing would change\./)
    assert.match(dashboardUser.page.text(), /New product cup-/)
  })

  test('a file that is empty or not text is refused with the reason, and so is a sixth import that waits for pieces', async () => {
    for (const [file, reason] of [
      [null, /Choose a file that is not empty\./],
      ['', /Choose a file that is not empty\./],
      [Buffer.from([0xff, 0xfe, 0x41, 0]), /This is not UTF-8 text\./],
      [Buffer.from('Name\nCaf\xe9\n', 'latin1'), /This is not UTF-8 text\./],
    ] as const) {
      const { status, text } = await upload(file)
      assert.equal(status, 400)
      assert.match(text, reason)
    }
    assert.match((await upload(Buffer.alloc(8_200_000, 65))).text, /more than one form can send/)
    assert.match((await upload('a', { kind: 'orders' })).text, /not valid/)
    for (let count = 0; count < 5; count++) assert.equal((await upload(header)).status, 303)
    const { status, text } = await upload(header)
    assert.equal(status, 400)
    assert.match(text, /Five imports wait already\./)
  })

  test('the reason why a file is unreadable is in the language of the browser', async () => {
    const { location } = await upload(`${header}cup,"Cup`)
    await runTransfers(testServer)
    const answer = await fetch(testServer.origin + location, {
      headers: { ...dashboardUser.headers, 'accept-language': 'de' },
    })
    assert.match(await answer.text(), /Zeile 2: Das Anführungszeichen, das hier beginnt, wird nie geschlossen/)
  })

  test('a file in another encoding is read with the encoding that a person chooses', async () => {
    const { page } = dashboardUser
    const bytes = Buffer.from(`${header}${unusedName('cafe')},Caf\xe9 \x80,${unusedName('CAFE')},4.50\n`, 'latin1')
    const { status, location } = await upload(bytes, { encoding: 'windows-1252' })
    assert.equal(status, 303)
    await runTransfers(testServer)
    await page.open(location)
    await page.press('Confirm')
    await runTransfers(testServer)
    const { data } = (await testServer.askAdmin('listAdminProducts', { query: '?q=caf' })).body
    assert.ok(data.some(({ name }: { name: string }) => name === 'Café €'))
    assert.equal((await upload(bytes, { encoding: 'klingon' })).status, 400)
  })

  test('the Google feed is downloaded as a file with product links made from the given template', async () => {
    const { product } = await createProduct(testServer, { images: [{ url: 'https://pictures.example/a.jpg' }] })
    await dashboardUser.page.open(dashboardUser.path('settings/transfers'))
    assert.ok(dashboardUser.page.buttons().includes('Google feed'))
    assert.match(dashboardUser.page.text(), /Page of a product, with \{slug\}/)
    const link = encodeURIComponent('https://shop.example/p/{slug}')
    const answer = await fetch(testServer.origin + dashboardUser.path(`settings/export?of=google&link=${link}`), {
      headers: dashboardUser.headers,
    })
    assert.equal(answer.headers.get('content-type'), 'application/xml; charset=utf-8')
    assert.match(answer.headers.get('content-disposition') ?? '', /"google-test-\d{4}-\d\d-\d\d\.xml"$/)
    const text = await answer.text()
    assert.ok(text.startsWith('<?xml') && text.includes(`<link>https://shop.example/p/${product.slug}</link>`))
    await dashboardUser.page.open(dashboardUser.path('settings/export?of=google&link=nowhere'))
    assert.equal(dashboardUser.page.status, 400)
  })

  test('orders are exported with the filters of the list, by days of the shop’s time zone', async () => {
    const { body } = await testServer.askAdmin('getAdminShop')
    const expectedVersion = body.data.version
    await testServer.askAdmin('updateAdminShop', {
      body: { expectedVersion, timeZone: 'Pacific/Auckland', idempotencyKey: newId('req') },
    })
    // Both on 17 November in Auckland, and on two days in UTC.
    const early = await testServer.orders.place({ items: { CARD: 1 }, now: Date.parse('2026-11-16T11:30:00Z') })
    const late = await testServer.orders.place({ items: { CARD: 1 }, now: Date.parse('2026-11-17T10:30:00Z') })
    const after = await testServer.orders.place({ items: { CARD: 1 }, now: Date.parse('2026-11-17T11:30:00Z') })
    const unpaid = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    const { page, path } = dashboardUser
    await page.open(path('orders?view=all&from=2026-11-17&to=2026-11-17'))
    const shown = page.text()
    assert.deepEqual(
      [early, late, after].map(({ number }) => shown.includes(number)),
      [true, true, false],
    )
    const href = page.links().get('Export') ?? ''
    const inView = await download(href.slice(dashboardUser.path('').length))
    assert.deepEqual(names(inView.bytes), [early.number, late.number])
    await page.open(path('orders?view=unpaid'))
    const waiting = await download((page.links().get('Export') ?? '').slice(dashboardUser.path('').length))
    assert.deepEqual(names(waiting.bytes), [unpaid.number])
    await page.open(path('orders'))
    const toSend = names(
      (await download((page.links().get('Export') ?? '').slice(dashboardUser.path('').length))).bytes,
    )
    assert.ok(toSend.includes(early.number) && !toSend.includes(unpaid.number), toSend.join(' '))
  })

  test('an export with customers needs a POST, and each exported order gets an audit entry', async () => {
    const { orderId, number } = await testServer.orders.place({
      items: { CARD: 1 },
      now: Date.parse('2026-10-10T10:00:00Z'),
    })
    const send = (headers: Readonly<Record<string, string>>, shopPath: (path: string) => string) =>
      fetch(testServer.origin + shopPath('settings/export/customers'), {
        method: 'POST',
        headers,
        body: new URLSearchParams({ from: '2026-10-10', to: '2026-10-11' }),
      })
    const answer = await send(dashboardUser.headers, dashboardUser.path)
    const text = await answer.text()
    assert.match(text, /,Email,Phone,/)
    assert.deepEqual(names(Buffer.from(text)), [number])
    const { body } = await testServer.askAdmin('listAdminChanges', { query: `?subjectId=${orderId}` })
    assert.deepEqual(
      body.data.map(({ operation }: { operation: string }) => operation),
      ['listAdminCustomerExport'],
    )
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    assert.equal((await send(viewer.headers, viewer.path)).status, 403)
  })

  test('a viewer sees imports and exports without customers, and cannot upload', async () => {
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    const { location } = await upload(header)
    await viewer.page.open(viewer.path('settings/transfers'))
    assert.equal(viewer.page.status, 200)
    assert.doesNotMatch(viewer.page.text(), /Upload and compare|Orders with customers/)
    assert.match(viewer.page.text(), /Export Products Stock Discounts/)
    await viewer.page.open(location)
    assert.deepEqual([viewer.page.status, viewer.page.buttons().includes('Discard')], [200, false])
  })
})
