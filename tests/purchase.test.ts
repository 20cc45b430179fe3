// The shopper's page before the real checkout service, in a real browser: what is shown is what is charged, and nothing happens twice.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { market } from '../harness/carts.ts'
import { type Checkout, cards, checkoutOf } from '../harness/checkout.ts'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'

const { after, before, describe, test } = browserSuite

const challengeCard = '4000002500003155'
const laterApproved = '4000000000000259'

describe('a purchase in the browser', () => {
  const given = givenEngine('sqlite')
  let testServer: TestServer
  let checkout: Checkout
  let browser: Browser
  let shop: Server
  let shopUrl = ''
  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    // The page counts down by the browser's clock.
    testServer.clock.now = Date.now()
    checkout = await checkoutOf(testServer)
    browser = await launchBrowser()
    shop = createServer((request, response) => response.end(`back at the shop ${request.url}`))
    shop.listen(0, '127.0.0.1')
    await once(shop, 'listening')
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  })
  after(async () => {
    await browser.close()
    shop.close()
  })

  async function open(items: Record<string, number>, more: object = {}): Promise<{ id: string; url: string }> {
    const { body } = await checkout.open(items, {
      successUrl: `${shopUrl}/thanks?s={sessionId}`,
      cancelUrl: `${shopUrl}/cart`,
      locale: 'en',
      ...more,
    })
    return body.data
  }

  async function visit(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    await page.goto(url)
    return page
  }

  async function fillDetails(page: Page): Promise<void> {
    await page.waitForLoadState()
    if ((await page.locator('[name=country]').inputValue()) !== 'DE') {
      await page.selectOption('[name=country]', 'DE')
      const useCountry = page.locator('button[value=country]')
      if (await useCountry.isVisible()) await useCountry.click()
      await page.locator('[name=region]').waitFor({ state: 'detached' })
    }
    await page.fill('[name=email]', 'ada@example.com')
    await page.fill('[name=name]', 'Ada Lovelace')
    await page.fill('[name=line1]', 'Unter den Linden 1')
    await page.fill('[name=city]', 'Berlin')
    await page.fill('[name=postalCode]', '10117')
    // Without script going on is a page of its own, and everything must be there before the clock moves.
    await page.waitForLoadState()
    const hasScript = (await page.locator('body[data-sync]').count()) > 0
    const nextPage = hasScript ? undefined : page.waitForEvent('load')
    await page.locator('#details-save').click()
    await nextPage
    if (hasScript) await page.locator('body[data-sync=""]').waitFor()
    await page.locator('[name="card.number"]:enabled').waitFor()
  }

  async function fillCard(page: Page, number: string): Promise<void> {
    // A page at an anchor takes the focus there when it is complete, and with it what is being typed.
    await page.waitForLoadState()
    await page.fill('[name="card.number"]', number)
    await page.fill('[name="card.expiry"]', '12 / 40')
    await page.fill('[name="card.cvc"]', '123')
    await page.fill('[name="card.name"]', 'Ada Lovelace')
  }

  const payButton = (page: Page) => page.getByRole('button', { name: /^Pay/ })
  const sessionOf = async (id: string) => (await checkout.read(id)).body.data
  const ordersOf = (id: string) =>
    testServer.storage.read(
      (db) => db.sql<{ id: string; total: number }>`select id, total from orders where checkout_session_id = ${id}`,
    )

  for (const javaScriptEnabled of [true, false]) {
    test(`after edits, a code, an address and a payment the shopper returns to the shop, and the order has the total that was shown (${javaScriptEnabled ? 'with' : 'without'} script)`, async () => {
      const { id, url } = await open({ 'ROSE-12': 1, CARD: 3 })
      const page = await visit(url, { javaScriptEnabled })
      const quantity = page.locator('input[name=quantity][type=number]').first()
      await quantity.fill('2')
      await quantity.press('Enter')
      await page.getByText('€79.99').first().waitFor()
      await page.waitForLoadState()
      await page.locator('#code-fold > summary').click()
      await page.fill('[name=code]', 'welcome10')
      await page.locator('[name=code]').press('Enter')
      await page.getByText('WELCOME10').first().waitFor()
      await fillDetails(page)
      // 2 × 35.00 + 3 × 3.33 = 79.99; 10 % is 8.00; shipping 4.90.
      assert.equal(await payButton(page).innerText(), 'Pay €76.89')
      await fillCard(page, cards.approved)
      await payButton(page).click()
      await page.waitForURL(`${shopUrl}/thanks?s=${id}`)
      const { status, totals, orderId } = await sessionOf(id)
      assert.deepEqual(
        [status, totals],
        [
          'completed',
          { subtotal: 7999, discount: 800, shipping: 490, tax: totals.tax, taxIncluded: true, total: 7689 },
        ],
      )
      const order = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
      assert.deepEqual([order.total, order.totals.tax, order.payments[0].amount], [7689, totals.tax, 7689])
      // Back, reload and a second tab find it paid.
      await page.goto(url)
      await page.getByText(order.number).first().waitFor()
      assert.equal((await ordersOf(id)).length, 1)
      await page.context().close()
    })
  }

  test('a declined payment can be repeated with another card', async () => {
    const { id, url } = await open({ CARD: 1 })
    const page = await visit(url)
    await fillDetails(page)
    await fillCard(page, cards.insufficientFunds)
    await payButton(page).click()
    await page.getByRole('alert').first().waitFor()
    assert.equal((await sessionOf(id)).lastPaymentError.code, 'insufficient_funds')
    await fillCard(page, cards.approved)
    await payButton(page).click()
    await page.waitForURL(/\/thanks/)
    assert.equal((await ordersOf(id)).length, 1)
    await page.context().close()
  })

  test('a payment is completed after the shopper passes the challenge of the bank', async () => {
    const { id, url } = await open({ CARD: 1 })
    const page = await visit(url)
    await fillDetails(page)
    await fillCard(page, challengeCard)
    await payButton(page).click()
    await page.locator('button[value=accept]').click()
    await page.waitForURL(/\/thanks/)
    assert.equal((await sessionOf(id)).status, 'completed')
    await page.context().close()
  })

  test('an outcome that is unknown at first becomes known while the shopper waits', async () => {
    const { id, url } = await open({ CARD: 1 })
    const page = await visit(url)
    await fillDetails(page)
    await fillCard(page, laterApproved)
    await payButton(page).click()
    await page.waitForURL(/\/thanks/)
    assert.equal((await sessionOf(id)).status, 'completed')
    assert.equal((await ordersOf(id)).length, 1)
    await page.context().close()
  })

  test('a double click in one tab and a click in another make one order', async () => {
    const { id, url } = await open({ CARD: 1 })
    const [one, two] = [await visit(url), await visit(url)]
    await fillDetails(one)
    await two.goto(url)
    for (const page of [one, two]) await fillCard(page, cards.approved)
    await Promise.all([payButton(one).dblclick(), payButton(two).click()])
    await one.waitForURL(/\/thanks|\/c\//)
    await until(async () => (await sessionOf(id)).status === 'completed', 'the order')
    const charges = await testServer.storage.read(
      (db) =>
        db.sql`select t.key from test_charges t join payments p on p.id = t.key where p.checkout_session_id = ${id} and t.state = 'approved'`,
    )
    assert.deepEqual([(await ordersOf(id)).length, charges.length], [1, 1])
    for (const page of [one, two]) await page.context().close()
  })

  test('a changed price is shown and must be confirmed before it is charged', async () => {
    const { id, url } = await open({ BOOK: 1 })
    const page = await visit(url)
    await fillDetails(page)
    const products = (market.products ?? []).map((product) =>
      product.slug === 'book' ? { ...product, skus: product.skus.map((sku) => ({ ...sku, price: 3500 })) } : product,
    )
    await testServer.apply({ ...market, products })
    await fillCard(page, cards.approved)
    await payButton(page).click()
    await page.getByText('€39.90').first().waitFor()
    assert.equal((await ordersOf(id)).length, 0)
    await fillCard(page, cards.approved)
    await page.getByRole('button', { name: /39\.90/ }).click()
    await page.waitForURL(/\/thanks/)
    assert.equal((await ordersOf(id))[0]?.total, 3990)
    await page.context().close()
  })

  test('sold-out stock is reported, and nothing is charged', async () => {
    const { id, url } = await open({ 'ROSE-24': 3 }, { expiresInSeconds: 86_400 })
    const page = await visit(url)
    await fillDetails(page)
    // The shopper is silent until the hold is over, and somebody else buys.
    testServer.clock.now += 20 * 60_000
    const other = await checkout.ready({ 'ROSE-24': 2 })
    assert.equal((await checkout.pay(other.secret, other.view)).view.session.status, 'completed')
    await fillCard(page, cards.approved)
    await payButton(page).click()
    await page.getByRole('alert').first().waitFor()
    assert.deepEqual([(await sessionOf(id)).status, (await ordersOf(id)).length], ['open', 0])
    await page.context().close()
  })

  test('an expired checkout page offers to start again with the same items', async () => {
    const { url } = await open({ CARD: 4 })
    testServer.clock.now += 31 * 60_000
    await expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now)
    const page = await visit(url)
    await page.getByRole('button', { name: /again/i }).click()
    await page.waitForURL((address) => address.href !== url && address.pathname.startsWith('/c/'))
    assert.equal(await page.locator('input[name=quantity][type=number]').first().inputValue(), '4')
    await page.context().close()
  })

  test('Arabic pages are right to left, and an unknown link gets 404', async () => {
    const { url } = await open({ CARD: 1 }, { locale: 'ar' })
    const page = await visit(url, { viewport: { width: 390, height: 844 } })
    assert.deepEqual(
      [await page.locator('html').getAttribute('dir'), await page.locator('html').getAttribute('lang')],
      ['rtl', 'ar'],
    )
    const response = await page.goto(`${testServer.origin}/c/${'A'.repeat(43)}`)
    assert.equal(response?.status(), 404)
    await page.context().close()
  })

  test('no log line contains the secret of a page', () => {
    const secrets = /"[^"]*\/c\/[\w-]{43}/
    assert.ok(!testServer.lines().some((line) => secrets.test(JSON.stringify(line))))
  })
})
