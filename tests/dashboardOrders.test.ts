// Orders at the dashboard without script, on both engines: found, sent, paid, refunded, cancelled and printed by a person, with what
// it leaves in the database and in the list of changes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unsettledPayment } from '../harness/admin/unsettled.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer, orderWorld } from '../harness/orders.ts'
import { scriptless } from '../harness/scriptless.ts'
import { anyEngine } from '../harness/storage.ts'
import { type TestServer, testSecret } from '../harness/testServer.ts'
import { readZip } from '../harness/zip.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { indexOrders } from '../src/domain/search/orders.ts'

anyEngine('orders in the dashboard', (given) => {
  let opened: Promise<TestServer & { orders: Orders }> | undefined
  const open = () => {
    opened ??= openOrderTestServer(given.shared)
    return opened
  }

  // Who did what, newest first.
  async function changesOf(testServer: TestServer, subjectId: string) {
    const { body } = await testServer.askAdmin('listAdminChanges', { query: `?subjectId=${subjectId}` })
    return body.data.map(({ operation, actor }: { operation: string; actor: { kind: string; id: string } }) => [
      operation,
      actor.kind === 'person' ? actor.id : actor.kind,
    ])
  }

  const statusOf = (page: { text(): string }) =>
    page.text().match(/Parcel sent\.|Payment recorded\.|Order cancelled\./)?.[0]

  test('an order to ship is found, shipped with its tracking number, and no longer in the list', async () => {
    const testServer = await open()
    const { page, path, userId } = await dashboardUserOf(testServer, { role: 'staff' })
    const { orderId, number } = await testServer.orders.place({ items: { 'ROSE-12': 1, CARD: 3 } })
    await page.open(path('orders'))
    assert.equal(page.heading(), 'Orders')
    assert.ok(page.links().get(number)?.endsWith(`/orders/${orderId}`))
    const { todo } = (await testServer.askAdmin('getAdminHome')).body.data
    assert.match(page.text(), new RegExp(`To send ${todo.toSend} Unpaid ${todo.awaitingPayment} All`))
    await page.open(path(`orders/${orderId}`))
    assert.match(page.text(), /Red roses.*€35\.00.*Card.*€3\.33.*Total €/)
    assert.ok(!page.text().includes('Ada Lovelace'), 'the address is not shown by itself')
    await page.open(page.links().get('Send') ?? '')
    assert.equal(page.field('trackingNumber')?.label, 'Tracking number (optional)')

    // Half of it, with an address that is none: what was typed stays, and nothing is sent.
    const sku = [...page.html.matchAll(/name="quantity-(sku_\w+)"/g)].map(([, id]) => id ?? '')
    await page.press('Send', { trackingUrl: 'ftp://x', carrier: 'DHL', [`quantity-${sku[1]}`]: '1' })
    assert.equal(page.status, 409)
    assert.deepEqual([page.field('trackingUrl')?.isInvalid, page.field('trackingUrl')?.value], [true, 'ftp://x'])
    assert.deepEqual([page.field('carrier')?.value, page.field(`quantity-${sku[1]}`)?.value], ['DHL', '1'])
    // Quantities that are none, or more than there is, are refused at their lines.
    for (const [typed, said] of [
      ['-1', 'Please enter a whole number from 0 to 999.'],
      ['1.5', 'Enter a whole number.'],
      ['4', 'Please enter a whole number from 0 to 3.'],
    ] as const) {
      await page.press('Send', { trackingUrl: '', [`quantity-${sku[1]}`]: typed })
      const { isInvalid, value, description } = page.field(`quantity-${sku[1]}`) ?? {}
      assert.deepEqual([isInvalid, value, description], [true, typed, said])
    }
    await page.press('Send', { trackingUrl: '', [`quantity-${sku[0]}`]: '', [`quantity-${sku[1]}`]: '' })
    assert.equal(page.field(`quantity-${sku[0]}`)?.description, 'Enter how many.')
    assert.deepEqual(await changesOf(testServer, orderId), [])
    const half = { [`quantity-${sku[0]}`]: '1', [`quantity-${sku[1]}`]: '1' }
    await page.press('Send', { trackingUrl: '', trackingNumber: '0034', ...half })
    assert.deepEqual([page.path.split('?')[0], statusOf(page)], [path(`orders/${orderId}`), 'Parcel sent.'])
    assert.match(page.text(), /Partly sent/)
    assert.match(page.text(), /DHL 0034 2 items/)
    await page.open(page.links().get('Send') ?? '')
    await page.press('Send')
    assert.deepEqual(await changesOf(testServer, orderId), [
      ['fulfilAdminOrder', userId],
      ['fulfilAdminOrder', userId],
    ])
    const { events } = await orderWorld(testServer, orderId)
    assert.deepEqual(events.map(([kind]) => kind).filter((kind) => kind === 'order.fulfilled').length, 1)
    await page.open(path('orders'))
    assert.ok(!page.links().has(number))
    await page.open(path('orders?view=all'))
    assert.ok(page.links().has(number))
    // A filter is of all orders, also where the address names no view.
    await page.open(path('orders?fulfillment=fulfilled'))
    assert.deepEqual([page.path, page.links().has(number)], [path('orders?fulfillment=fulfilled&view=all'), true])
  })

  test('an invoice is opened from its order as PDF; without a VAT id of the shop there is no XML, and the page says so', async () => {
    const testServer = await open()
    const { page, path, userId } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    const [document] = (await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}` })).body.data
    await page.open(path(`orders/${orderId}`))
    await page.press('PDF')
    assert.equal(page.html.slice(0, 8), '%PDF-1.7')
    // The shop of this test has no VAT id.
    await page.open(path(`orders/${orderId}`))
    await page.press('XML')
    assert.deepEqual([page.status, page.heading()], [409, `Invoice ${document.number}`])
    assert.match(page.text(), /no such file of this document/)
    assert.deepEqual(await changesOf(testServer, document.id), [
      ['getAdminDocument', userId],
      ['getAdminDocument', userId],
    ])
  })

  test('the documents of a period are downloaded as a ZIP file by people who may see customers', async () => {
    const testServer = await open()
    const { page, path, headers, userId } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    const [document] = (await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}` })).body.data
    await page.open(path(`reports/taxes?from=${document.day}&to=${document.day}`))
    assert.match(page.text(), /Documents \(ZIP\)/)
    const send = (from: string, sent: Readonly<Record<string, string>>, shopPath: (path: string) => string) =>
      fetch(`${testServer.origin}${shopPath('reports/documents/export')}?from=${from}&to=${document.day}`, {
        method: 'POST',
        headers: sent,
        body: new URLSearchParams(),
      })
    const answer = await send(document.day, headers, path)
    assert.equal(answer.headers.get('content-type'), 'application/zip')
    assert.match(answer.headers.get('content-disposition') ?? '', /filename="documents-test-[\d-]+\.zip"/)
    const files = readZip(Buffer.from(await answer.arrayBuffer()))
    assert.equal(String(files.get(`invoices/${document.number}.pdf`)?.subarray(0, 8)), '%PDF-1.7')
    assert.match(String(files.get('index.csv')), new RegExp(`${document.number},invoice,`))
    assert.deepEqual(await changesOf(testServer, document.id), [['listAdminDocumentExport', userId]])
    assert.equal((await send('2026-13-01', headers, path)).status, 400)
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    assert.equal((await send(document.day, viewer.headers, viewer.path)).status, 403)
    await viewer.page.open(viewer.path(`reports/taxes?from=${document.day}&to=${document.day}`))
    assert.doesNotMatch(viewer.page.text(), /ZIP/)
  })

  test('a shipment is corrected, and Undo restores the earlier values', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await page.open(path(`orders/${orderId}/send`))
    await page.press('Send', { trackingNumber: 'WRONG' })
    await page.open(page.links().get('Correct') ?? '')
    assert.equal(page.field('trackingNumber')?.value, 'WRONG')
    await page.press('Save', { trackingNumber: 'RIGHT' })
    assert.match(page.text(), /Parcel corrected\. Undo/)
    assert.match(page.text(), /RIGHT/)
    await page.press('Undo')
    assert.match(page.text(), /Change taken back\./)
    assert.match(page.text(), /WRONG/)
  })

  test('two corrections of one shipment in two tabs are both saved if they change different fields', async () => {
    const testServer = await open()
    const { page, path, headers } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await page.open(path(`orders/${orderId}/send`))
    await page.press('Send')
    const other = scriptless(testServer.origin, headers)
    const correct = page.links().get('Correct') ?? ''
    await page.open(correct)
    await other.open(correct)
    await page.press('Save', { trackingNumber: 'T-1' })
    await other.press('Save', { carrier: 'DHL', trackingUrl: 'nowhere' })
    assert.equal(other.status, 409)
    await other.press('Save', { trackingUrl: '' })
    assert.match(other.text(), /Parcel corrected\./)
    const { body } = await testServer.askAdmin('getAdminOrder', { path: { orderId } })
    const [{ carrier, trackingNumber }] = body.data.fulfillments
    assert.deepEqual([carrier, trackingNumber], ['DHL', 'T-1'])
  })

  test('sending the same form twice ships a part of an order once', async () => {
    const testServer = await open()
    const { page, path, headers } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 2 } })
    await page.open(path(`orders/${orderId}/send`))
    const { action = '', fields = [] } = page.forms().find((form) => form.action.endsWith('/send')) ?? {}
    const body = new URLSearchParams()
    for (const [name, value] of fields) body.append(name, name.startsWith('quantity-') ? '1' : value)
    for (const press of ['first', 'second']) {
      const answer = await fetch(testServer.origin + action, { method: 'POST', body, headers, redirect: 'manual' })
      assert.deepEqual([press, answer.status], [press, 303])
    }
    const { body: seen } = await testServer.askAdmin('getAdminOrder', { path: { orderId } })
    assert.deepEqual([seen.data.fulfillments.length, seen.data.items[0].fulfilled], [1, 1])
  })

  test('a refund that is confirmed in two tabs is made once, even while it is still pending', async () => {
    const testServer = await open()
    const { page, path, headers } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 3 } })
    const other = scriptless(testServer.origin, headers)
    for (const tab of [page, other]) {
      await tab.open(path(`orders/${orderId}/refund`))
      await tab.press('Continue', { amount: '1' })
    }
    await page.press('Refund €1.00')
    assert.match(page.text(), /Refund/)
    assert.equal((await orderWorld(testServer, orderId)).refunds.length, 1)
    await other.press('Refund €1.00')
    assert.deepEqual(
      [other.status, other.alerts()],
      [409, ['Someone changed this in the meantime. Please check it and try again.']],
    )
    assert.equal((await orderWorld(testServer, orderId)).refunds.length, 1)
    // Seen again, it is another one.
    await other.press('Continue')
    await other.press('Refund €1.00')
    assert.equal((await orderWorld(testServer, orderId)).refunds.length, 2)
  })

  test('one of three lines is refunded and restocked after a preview of the amount, and two presses refund once', async () => {
    const testServer = await open()
    const { page, path, headers, userId } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { 'ROSE-12': 1, CARD: 3, BOOK: 1 } })
    const before = await orderWorld(testServer, orderId)
    await page.open(path(`orders/${orderId}/refund`))
    await page.press('Continue')
    assert.deepEqual(
      [page.status, page.alerts()],
      [409, ['Please check the marked fields. Or an amount : Choose items or enter an amount.']],
    )
    const [, book = ''] = /Book of flowers<\/span>.*?name="quantity-(sku_\w+)"/s.exec(page.html) ?? []
    await page.press('Continue', { [`quantity-${book}`]: '1', amount: '5' })
    assert.match(page.field('amount')?.description ?? '', /Either items or an amount/)
    await page.press('Continue', { [`quantity-${book}`]: '1', amount: '', restock: 'on' })
    assert.match(
      page.text(),
      /Goes back to the customer €29\.95 Nothing was refunded yet\. Back into stock 1 × Book of flowers/,
    )
    assert.deepEqual(await orderWorld(testServer, orderId), before)

    const fields = [...page.html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
    const form = /<form class="form"[\s\S]*?<\/form>/.exec(page.html)?.[0] ?? ''
    const body = new URLSearchParams()
    for (const [whole, name = '', value = ''] of fields) if (form.includes(whole)) body.append(name, value)
    const press = () =>
      fetch(testServer.origin + path(`orders/${orderId}/refund`), { method: 'POST', body, headers, redirect: 'manual' })
    const answers = await Promise.all([press(), press()])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    )
    const after = await orderWorld(testServer, orderId)
    assert.deepEqual(
      after.refunds.map(([, amount]) => amount),
      [2995],
    )
    assert.equal(after.onHand.BOOK, (before.onHand.BOOK ?? 0) + 1)
    assert.deepEqual(await changesOf(testServer, orderId), [['refundAdminOrder', userId]])
    // What went back of a line is said, and not offered again.
    await page.open(path(`orders/${orderId}`))
    assert.match(page.text(), /Book of flowers BOOK 1 refunded/)
    await page.open(path(`orders/${orderId}/refund`))
    assert.equal(page.field(`quantity-${book}`), undefined)
    assert.match(page.text(), /Book of flowers BOOK Refunded/)
    // More than is left is refused, in words, at its field.
    await page.press('Continue', { amount: '5000' })
    assert.equal(page.status, 409)
    assert.match(page.field('amount')?.description ?? '', /more than can still be refunded/)
    assert.equal(page.field('amount')?.value, '5000')
    await page.press('Continue', { amount: 'lots' })
    assert.match(page.field('amount')?.description ?? '', /Enter an amount such as 12\.50/)
  })

  test('a payment without an outcome is listed from Home, and can be closed once a person confirms to have looked it up at the provider', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    const { orderId, paymentId } = await unsettledPayment(testServer, 15 * 24 * 3_600_000)
    await page.open(path('home'))
    await page.open(page.links().get('1 Payments without an outcome') ?? '')
    assert.equal(page.heading(), 'Payments without an outcome')
    await page.open(path(`payments/${paymentId}/close`))
    await page.press('Close payment')
    assert.match(page.field('outcome')?.description ?? '', /./)
    await page.press('Close payment', { outcome: 'succeeded' })
    assert.match(page.text(), /Please look there first\./)
    await page.press('Close payment', { outcome: 'succeeded', isSeen: 'on' })
    assert.equal(page.path.split('?')[0], path(`orders/${orderId}`))
    assert.match(page.text(), /Payment closed\./)
    assert.equal((await orderWorld(testServer, orderId)).paymentStatus, 'paid')
  })

  test('an unpaid order is marked as paid, after which it can be shipped, and is then cancelled', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    const unpaid = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    await page.open(path('orders?view=unpaid'))
    assert.ok(page.links().has(unpaid.number))
    await page.open(path(`orders/${unpaid.orderId}`))
    assert.ok(!page.links().has('Send'), 'it is not paid')
    await page.open(page.links().get('Mark as paid') ?? '')
    await page.press('Money has arrived')
    assert.equal(statusOf(page), 'Payment recorded.')
    assert.ok(page.links().has('Send'))

    await page.open(page.links().get('Cancel order') ?? '')
    await page.press('Cancel order', { reason: 'out_of_stock', note: 'Sorry' })
    assert.equal(statusOf(page), 'Order cancelled.')
    assert.match(page.text(), /Cancellation : Out of stock Sorry|Cancellation: Out of stock Sorry/)
    assert.equal((await orderWorld(testServer, unpaid.orderId)).status, 'cancelled')
    assert.ok(!page.links().has('Cancel order'))
    assert.ok(!page.buttons().includes('Packing slip'), 'nothing is sent')
    // A form from before is refused in words, and its page says what is true now.
    await page.open(path(`orders/${unpaid.orderId}/pay`))
    await page.press('Money has arrived')
    assert.deepEqual([page.status, page.alerts()], [409, ['No payment is expected for this order.']])
  })

  test('filters are saved as a personal view, opened by the name of the view, and removed', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    const other = await dashboardUserOf(testServer)
    await page.open(path('orders'))
    assert.ok(!page.buttons().includes('Save view'), 'the tabs are no views of one person')
    const filtered = path('orders?view=all&payment=paid&sort=oldest&done=sent')
    await page.open(filtered)
    await page.press('Save view', { name: ' Paid <first> ' })
    assert.match(page.text(), /View saved\./)
    await page.open(path('orders'))
    const href = page.links().get('Paid <first>') ?? ''
    assert.equal(href, path('orders?payment=paid&sort=oldest&view=all'))
    await other.page.open(path('orders'))
    assert.equal(other.page.links().get('Paid <first>'), undefined)
    await page.open(href)
    assert.match(page.html, /aria-current="page"><bdi>Paid &lt;first&gt;<\/bdi>/)
    // Under the same name, the later filters count.
    await page.open(path('orders?view=all&payment=refunded'))
    await page.press('Save view', { name: 'Paid <first>' })
    await page.open(path('orders'))
    assert.equal(page.links().get('Paid <first>'), path('orders?payment=refunded&view=all'))
    await page.open(page.links().get('Paid <first>') ?? '')
    await page.press('Remove view')
    assert.match(page.text(), /View removed\./)
    await page.open(path('orders'))
    assert.equal(page.links().get('Paid <first>'), undefined)
  })

  test('one press shows the name and the address, which is audited', async () => {
    const testServer = await open()
    const { page, path, userId } = await dashboardUserOf(testServer, { role: 'staff' })
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await page.open(path(`orders/${orderId}`))
    await page.press('Show name and address')
    assert.match(page.text(), /Unter den Linden 1/)
    assert.deepEqual(await changesOf(testServer, orderId), [['getAdminOrderCustomer', userId]])
    await page.open(path(`orders/${orderId}/customer`))
    assert.doesNotMatch(page.text(), /Unter den Linden/, 'by its address it shows nothing')
    assert.match(page.text(), /looked at name and address/)

    await page.open(path(`orders/${orderId}/edit`))
    await page.press('Correct the address')
    assert.equal(page.field('line1')?.value, 'Unter den Linden 1')
    assert.match(page.html, /name="postalCode"[\s\S]*name="city"/, 'in the order of the country')
    await page.press('Save address', { postalCode: 'x', line1: 'Torstrasse 2' })
    assert.deepEqual([page.status, page.field('postalCode')?.isInvalid], [409, true])
    assert.equal(page.field('line1')?.value, 'Torstrasse 2')
    await page.press('Save address', { postalCode: '10119' })
    assert.match(page.text(), /Order changed\./)
    assert.doesNotMatch(page.text(), /Torstrasse/)
    await page.press('Show name and address')
    assert.match(page.text(), /Torstrasse 2 10119 Berlin/)
    await page.open(path(`orders/${orderId}/address`))
    assert.doesNotMatch(page.text(), /Torstrasse/)
  })

  test('a note is added; an empty note is refused with an error at its field', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await page.open(path(`orders/${orderId}`))
    await page.press('Add note', { text: ' ' })
    assert.deepEqual([page.status, page.field('text')?.isInvalid], [409, true])
    await page.press('Add note', { text: 'Wants <b>red</b>\nribbon' })
    assert.match(page.text(), /Note added\./)
    assert.match(page.html, /Wants &lt;b&gt;red&lt;\/b&gt;\nribbon/)
  })

  test('many orders are shipped by one press with their tracking numbers; a refused order stays on the page with the reason', async () => {
    const testServer = await open()
    const { page, path, userId } = await dashboardUserOf(testServer)
    const placed = await Promise.all([1, 2, 3].map((count) => testServer.orders.place({ items: { CARD: count } })))
    const ids = placed.map(({ orderId }) => orderId)
    const query = ids.map((id) => `order=${id}`).join('&')
    await page.open(path(`orders/send?${query}`))
    assert.equal(page.heading(), 'Send 3 orders')
    const [first = '', second = '', third = ''] = ids
    // Someone else sends one in the meantime.
    await testServer.askAdmin('fulfilAdminOrder', { path: { orderId: second }, body: { idempotencyKey: second } })
    await page.press('Send 3 parcels', {
      carrier: 'DHL',
      [`tracking-${first}`]: 'A1',
      [`tracking-${second}`]: 'B2',
      [`tracking-${third}`]: 'C3',
    })
    assert.equal(page.heading(), 'Send 1 order')
    assert.deepEqual(
      [page.field(`tracking-${second}`)?.value, page.field(`tracking-${second}`)?.isInvalid],
      ['B2', true],
    )
    const sent = await testServer.askAdmin('getAdminOrder', { path: { orderId: third } })
    const { carrier, trackingNumber } = sent.body.data.fulfillments[0]
    assert.deepEqual([carrier, trackingNumber], ['DHL', 'C3'])
    assert.deepEqual(await changesOf(testServer, first), [['fulfilAdminOrders', userId]])

    const fourth = await testServer.orders.place({ items: { CARD: 1 } })
    await page.open(path(`orders/send?order=${fourth.orderId}`))
    const own = { carrier: 'Bike courier', [`tracking-${fourth.orderId}`]: 'B 7/1' }
    await page.press('Send 1 parcel', { ...own, link: 'https://bike.example/parcels' })
    assert.deepEqual(
      [page.status, page.field('link')?.isInvalid, page.field('link')?.value, page.field('carrier')?.value],
      [409, true, 'https://bike.example/parcels', 'Bike courier'],
    )
    await page.press('Send 1 parcel', { link: 'https://bike.example/parcels/{number}?from=shop' })
    const owned = (await testServer.askAdmin('getAdminOrder', { path: { orderId: fourth.orderId } })).body.data
    assert.equal(owned.fulfillments[0].trackingUrl, 'https://bike.example/parcels/B7%2F1?from=shop')
    assert.match(page.text(), /1 parcel sent\./)
    await page.open(path('orders/send'))
    assert.match(page.text(), /No order was selected/)
  })

  test('packing slips show the addresses, with an audit entry for each order, and receipts show the amounts', async () => {
    const testServer = await open()
    const { path, headers, userId } = await dashboardUserOf(testServer)
    const placed = await Promise.all([1, 2].map((count) => testServer.orders.place({ items: { CARD: count } })))
    const print = async (kind: string) => {
      const body = new URLSearchParams([
        ['kind', kind],
        ...placed.map(({ orderId }) => ['order', orderId] as [string, string]),
      ])
      const answer = await fetch(testServer.origin + path('orders/print'), { method: 'POST', body, headers })
      return { status: answer.status, text: await answer.text() }
    }
    const slips = await print('slips')
    assert.equal(slips.text.match(/Unter den Linden 1/g)?.length, 2)
    assert.doesNotMatch(slips.text, /€|\sstyle=/)
    for (const { orderId } of placed)
      assert.deepEqual(await changesOf(testServer, orderId), [['getAdminOrderCustomer', userId]])
    const receipts = await print('receipts')
    assert.deepEqual([receipts.status, receipts.text.match(/<article/g)?.length], [200, 2])
    assert.match(receipts.text, /Total.*€/)
    assert.doesNotMatch(receipts.text, /Linden/)
  })

  test('search finds an order by surname, postal code and number, and explains what can be found if it finds nothing', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    const { number, orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await indexOrders(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    for (const q of [number, 'Lovelace', '10117']) {
      await page.open(path(`search?q=${q}`))
      assert.ok(page.html.includes(`/orders/${orderId}"`), q)
    }
    await page.open(path('search?q=Lovel'))
    assert.match(page.text(), new RegExp(`${number} Ada Lovelace, Berlin`))
    await page.open(path('search?q=velace'))
    assert.match(
      page.text(),
      /Nothing found for “velace” Names, cities and e-mail addresses are found by the beginning/,
    )
    await page.open(path('orders?view=all'))
    assert.match(page.text(), new RegExp(`${number}.{0,40}Ada Lovelace`))
    const unpaid = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    await page.open(path(`orders?q=${number}`))
    assert.deepEqual([page.links().has(number), page.links().has(unpaid.number)], [true, false])
    await page.open(path(`orders?view=unpaid&q=${number}`))
    assert.ok(!page.links().has(number), 'it is paid')
    assert.ok(page.links().get('Search all orders')?.endsWith(`/orders?view=all&q=${number}`))
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    await viewer.page.open(viewer.path('orders?view=all'))
    assert.ok(viewer.page.text().includes(number) && !viewer.page.text().includes('Lovelace'))
  })

  test('a viewer sees no buttons for actions, and each action of a viewer gets 403 and changes nothing', async () => {
    const testServer = await open()
    const { page, path, headers } = await dashboardUserOf(testServer, { role: 'viewer' })
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    const before = await orderWorld(testServer, orderId)
    await page.open(path(`orders/${orderId}`))
    assert.deepEqual(
      page.buttons().filter((name) => !['Sign out', 'Search'].includes(name)),
      ['Receipt'],
    )
    assert.ok(['Send', 'Refund', 'Cancel order', 'Mark as paid', 'Correct'].every((name) => !page.links().has(name)))
    await page.open(path('orders'))
    assert.deepEqual(
      page.buttons().filter((name) => !['Sign out', 'Search'].includes(name)),
      ['Print receipts'],
    )
    for (const deed of ['send', 'refund', 'cancel', 'pay', 'notes', 'customer']) {
      const body = new URLSearchParams({ key: 'k'.repeat(10), text: 'x', amount: '1', step: 'refund', order: orderId })
      const answer = await fetch(testServer.origin + path(`orders/${orderId}/${deed}`), {
        method: 'POST',
        body,
        headers,
      })
      assert.equal(answer.status, 403, deed)
    }
    const slips = await fetch(testServer.origin + path('orders/print'), {
      method: 'POST',
      body: new URLSearchParams({ kind: 'slips', order: orderId }),
      headers,
    })
    assert.equal(slips.status, 403)
    assert.deepEqual([await orderWorld(testServer, orderId), await changesOf(testServer, orderId)], [before, []])
  })

  test('another merchant’s order gets the same response as an unknown one, at every address and form', async () => {
    const testServer = await open()
    const { path, headers } = await dashboardUserOf(testServer)
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string; slug: string }>`select id, slug from merchants where slug = 'rival'`,
    )
    assert.ok(row)
    const other = await dashboardUserOf(testServer, { slug: row.slug, merchantId: row.id })
    const never = `${orderId.slice(0, -4)}zzzz`
    for (const deed of ['', '/send', '/refund', '/cancel', '/pay', '/notes', '/customer', '/edit', '/address']) {
      const look = async (id: string) => {
        const answer = await fetch(testServer.origin + other.path(`orders/${id}${deed}`), { headers: other.headers })
        return [answer.status, (await answer.text()).replaceAll(id, '').replaceAll(/value="[\w-]{36}"/g, '')]
      }
      const found = await look(orderId)
      assert.equal(found[0], 404, deed)
      assert.deepEqual(found, await look(never))
    }
    // Nor is a live address of the same shop the way to a test order.
    const live = await fetch(`${testServer.origin}/admin/bloom/orders/${orderId}`, { headers })
    assert.equal(live.status, 404)
    assert.equal((await fetch(testServer.origin + path(`orders/${orderId}`), { headers })).status, 200)
  })

  test('the chosen number of rows is remembered, and links to further pages keep it', async () => {
    const testServer = await open()
    const { page, path, headers } = await dashboardUserOf(testServer)
    const quote = await testServer.orders.quote({ items: { CARD: 1 } })
    for (let count = 0; count < 51; count++) await testServer.orders.place({ items: { CARD: 1 }, quote })
    const rowsOf = ({ html }: { html: string }) => html.match(/<tr data-row>/g)?.length ?? 0
    const list = path('orders?view=all&payment=paid')
    await page.open(list)
    assert.equal(rowsOf(page), 20)
    const posted = await fetch(testServer.origin + path('orders/rows'), {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ rows: '50', back: list }),
    })
    const { location, 'set-cookie': cookie = '' } = Object.fromEntries(posted.headers)
    assert.deepEqual([posted.status, location], [303, list])
    assert.match(cookie, /^list_rows=50; Path=\/admin; Max-Age=31536000; HttpOnly; SameSite=Lax$/)
    const own = { ...headers, cookie: `${headers.cookie}; ${cookie.split(';')[0]}` }
    const again = scriptless(testServer.origin, own)
    await again.open(list)
    assert.equal(rowsOf(again), 50)
    const next = again.links().get('Next page') ?? ''
    assert.match(next, /payment=paid.*rows=50/)
    // In a tab that was open when another number was chosen.
    await page.open(next)
    assert.deepEqual([page.status, rowsOf(page) > 0], [200, true])
    assert.equal(page.links().get('First page'), list)
    for (const back of ['https://evil.example', `${list}\r\nx: y`, `${list}&q=漢`, `${path('orders')}.evil`]) {
      const led = await fetch(testServer.origin + path('orders/rows'), {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams({ rows: '50', back }),
      })
      assert.deepEqual([led.status, led.headers.get('location')], [303, path('orders')], back)
    }
  })

  test('all orders to ship are selected together, including those on further pages', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    const quote = await testServer.orders.quote({ items: { CARD: 1 } })
    for (let count = 0; count < 26; count++) await testServer.orders.place({ items: { CARD: 1 }, quote })
    const chosen = () => page.html.match(/ data-choose checked>/g)?.length ?? 0
    await page.open(path('orders'))
    assert.equal(chosen(), 0)
    // Orders of other tests are there, too.
    const all = [...page.links().keys()].find((name) => /^Select all \d+$/.test(name)) ?? ''
    await page.open(page.links().get(all) ?? '')
    assert.deepEqual([all, chosen() >= 26], [`Select all ${chosen()}`, true])
    assert.equal(page.links().get(all), undefined)
    // What else leads on from there begins without a choice.
    assert.doesNotMatch([...page.links().values()].join(' '), /chosen/)
    await page.open(path('orders?view=all'))
    assert.match(page.links().get('Select the first 100') ?? '', /view=all&rows=100&chosen=all$/)
    await page.open(path('orders?view=all&rows=100'))
    assert.equal(page.links().get('Select the first 100'), undefined)
  })

  test('a number of rows that is not offered is not stored, and the form redirects only to lists of the shop', async () => {
    const testServer = await open()
    const { path, headers } = await dashboardUserOf(testServer)
    for (const [rows, back] of [
      ['7', path('orders?view=all')],
      ['50', 'https://elsewhere.example/'],
      ['50', '//elsewhere.example/'],
      ['50', path('ordersx')],
    ] as const) {
      const body = new URLSearchParams({ rows, back })
      const posted = await fetch(testServer.origin + path('orders/rows'), {
        method: 'POST',
        redirect: 'manual',
        headers,
        body,
      })
      assert.equal(posted.headers.get('location'), rows === '7' ? back : path('orders'))
      assert.equal(posted.headers.has('set-cookie'), rows !== '7')
    }
  })
})
