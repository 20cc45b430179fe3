// The receipt at an order's secret address, and the packing slip that the operator prints.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { cartwright } from '../harness/commandline.ts'
import { ordersOf } from '../harness/orders.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { openTestServer, settingsOf, type TestServer } from '../harness/testServer.ts'
import { refundOrder } from '../src/domain/orders/operator.ts'

const legal = {
  name: 'Bloom & Söhne GmbH',
  address: ['Hafenstraße 12', '20457 Hamburg'],
  vatId: 'DE123456789',
  registration: 'HRB 1 <Hamburg>',
}

// What a reader sees of a page, without its marks.
function textOf(page: string): string {
  return page
    .replace(/^[\s\S]*<body[^>]*>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replace(/[\s\u00a0\u2068\u2069]+/g, ' ')
}

eachEngine('receipts', (given) => {
  const open = (engine: Given) =>
    openTestServer(engine, { shops: [{ ...market, merchant: { ...market.merchant, legal } }] })

  async function buy(testServer: TestServer, items: Readonly<Record<string, number>>, more: object = {}) {
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready(items, more)
    assert.equal((await checkout.pay(secret, view)).problem, null)
    const { order } = await checkout.look(secret)
    assert.ok(order)
    return order
  }

  test('the tax rates of the lines and of the shipping costs are stored with the order', async () => {
    const testServer = await open(given)
    await buy(testServer, { 'ROSE-12': 1, BOOK: 2 })
    const lines = await testServer.storage.read(
      (db) => db.sql<{ rate: number }>`select tax_rate_bps as "rate" from order_lines order by position`,
    )
    const [order] = await testServer.storage.read(
      (db) => db.sql<{ rate: number | null; taxes: string }>`
        select shipping_tax_rate_bps as "rate", shipping_taxes as "taxes" from orders`,
    )
    assert.deepEqual(
      lines.map(({ rate }) => rate),
      [1900, 700],
    )
    // As the goods: 490 × 3500 / 9490 = 180.72 → 181.
    assert.deepEqual(
      [order?.rate, JSON.parse(order?.taxes ?? 'null')],
      [
        null,
        [
          { rateBps: 1900, amount: 181, tax: 29 },
          { rateBps: 700, amount: 309, tax: 20 },
        ],
      ],
    )
  })

  test('a paid order links to its receipt, which has the seller, the tax by rate and the payment', async () => {
    const testServer = await open(given)
    const order = await buy(testServer, { 'ROSE-12': 1, BOOK: 2 }, { locale: 'de' })
    const path = `${order.statusPath}/receipt`
    assert.match((await testServer.fetch(order.statusPath)).text, new RegExp(`href="${path}">Beleg<`))
    const answer = await testServer.fetch(path)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
    const text = textOf(answer.text)
    for (const expected of [
      `Beleg ${order.number}`,
      'Bloom & Söhne GmbH Hafenstraße 12 20457 Hamburg USt-IdNr. DE123456789 HRB 1 <Hamburg>',
      // Two books of 29.95 with 7 %: 59.90 holds 3.92.
      '2 55,98 € 7 % 3,92 € 59,90 €',
      'Bezahlt am 1. Juni 2026 Visa ···· 4242',
    ])
      assert.ok(text.includes(expected), `${expected} is not in ${text}`)
    // Nothing of the shopper: the address of the page is passed on.
    assert.doesNotMatch(text, /Lovelace|ada@|Berlin/)
    // Days are those of the shop, where it is the second of June already.
    await testServer.storage.write(
      (tx) => tx.sql`update merchants set time_zone = 'Pacific/Kiritimati' where id = ${testServer.merchantId}`,
    )
    assert.match(textOf((await testServer.fetch(path)).text), /Datum 2\. Juni 2026 .* Bezahlt am 2\. Juni 2026/)
    assert.match(textOf((await testServer.fetch(order.statusPath)).text), /2\. Juni 2026/)
    assert.doesNotMatch((await testServer.fetch(order.statusPath)).text, /1\. Juni 2026/)
  })

  test('the amounts by tax rate add up to what was paid, and a refund is shown with its date', async () => {
    const testServer = await open(given)
    const { installationId, storage, clock } = testServer
    const orders = await ordersOf(testServer)
    const { orderId, statusSecret, quote } = await orders.place({ items: { 'ROSE-12': 1, BOOK: 1 } })
    const read = async () => textOf((await testServer.fetch(`/o/${statusSecret}/receipt`)).text)
    const amounts = (text: string) =>
      [...text.matchAll(/€([\d,]+\.\d\d)/g)].map(([, amount = '']) => Number(amount.replace(/[,.]/g, '')))
    const [, byRate = ''] = /Tax by rate (.*) Payment/.exec(await read()) ?? []
    const gross = amounts(byRate).filter((_, index) => index % 3 === 2)
    assert.equal(
      gross.reduce((sum, amount) => sum + amount, 0),
      quote.totals.total,
    )
    const input = { amount: 500, reason: null, isByHand: false }
    await storage.write((tx) => refundOrder(tx, { installationId, orderId }, input, { now: clock.now, cause: null }))
    assert.match(await read(), /Refund on its way -€5\.00/)
    clock.now += 24 * 3_600_000
    await orders.pay()
    assert.match(await read(), /Refunded on June 2, 2026 -€5\.00/)
  })

  test('an order from before tax rates were stored has a receipt without tax rates', async () => {
    const testServer = await open(given)
    const { statusPath } = await buy(testServer, { BOOK: 1 })
    await testServer.storage.write(async (tx) => {
      await tx.sql`update order_lines set tax_rate_bps = null`
      await tx.sql`update orders set shipping_tax_rate_bps = null`
    })
    const { status, text } = await testServer.fetch(`${statusPath}/receipt`)
    assert.equal(status, 200)
    assert.doesNotMatch(textOf(text), /rate|%/)
  })

  test('the receipt of an unpaid order redirects to its order page, and an unknown link gets 404', async () => {
    const testServer = await open(given)
    const { statusSecret } = await (await ordersOf(testServer)).place({ isManual: true })
    const answer = await testServer.fetch(`/o/${statusSecret}/receipt`, { redirect: 'manual' })
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/o/${statusSecret}`])
    assert.doesNotMatch((await testServer.fetch(`/o/${statusSecret}`)).text, /receipt/)
    for (const wrong of ['/o/x/receipt', `/o/${statusSecret}x/receipt`, '/o/%0d%0aset-cookie:a=b/receipt'])
      assert.equal((await testServer.fetch(wrong)).status, 404)
  })

  test('the packing slip contains the items that are still to be sent and the address, without prices', async () => {
    const testServer = await open(given)
    const { number } = await buy(testServer, { 'ROSE-12': 3, BOOK: 1 })
    const run = (...args: string[]) =>
      cartwright(['orders', ...args, '--merchant', market.merchant.slug], settingsOf(testServer))
    const whole = await run('slip', number)
    assert.equal(whole.code, 0, whole.err)
    const text = textOf(whole.out)
    for (const expected of ['Ada Lovelace', 'Berlin', 'ROSE-12 3', 'BOOK 1', legal.name, number])
      assert.ok(text.includes(expected), `${expected} is not in ${text}`)
    assert.doesNotMatch(text, /€|Sent before/)
    assert.equal((await run('fulfil', number, '--items', 'ROSE-12=2', '--anyway')).code, 0)
    assert.match(textOf((await run('slip', number, '--json')).out), /Sent before/)
    assert.match(textOf((await run('slip', number)).out), /ROSE-12 2 1/)
  })
})
