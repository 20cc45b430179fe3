// A merchant's day after the purchase in a real browser: a return, an exchange, an edit that costs more, a draft that is paid by its link, and a
// customer who is found, exported and erased. The shopper is at a telephone of their own.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { fillCard, payButton } from '../harness/checkoutTab.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { violations } from '../harness/readable.ts'
import { anyEngine } from '../harness/storage.ts'
import { type TestServer, testSecret } from '../harness/testServer.ts'
import { eraseRequestedCustomers } from '../src/domain/customers/erase.ts'
import { linkCustomers } from '../src/domain/customers/link.ts'
import { indexOrders } from '../src/domain/search/orders.ts'
import { newId } from '../src/platform/kit/ids.ts'

const { after, before, test } = browserSuite

const atDashboard: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, locale: 'en-GB' }
const onTelephone: BrowserContextOptions = {
  ...{ viewport: { width: 390, height: 780 }, locale: 'en-GB', reducedMotion: 'reduce' },
}

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser.close())

anyEngine('after-sales screens of the dashboard', (given) => {
  let testServer: TestServer & { orders: Orders }
  let merchant: Page
  let shopper: Page
  let path: (path: string) => string
  before(async () => {
    testServer = await openOrderTestServer(given)
    const user = await dashboardUserOf(testServer)
    path = user.path
    const context = await browser.newContext(atDashboard)
    await context.addCookies([{ name: 'staff_session', value: user.token, url: testServer.origin }])
    merchant = await context.newPage()
    shopper = await (await browser.newContext(onTelephone)).newPage()
  })
  after(async () => {
    for (const tab of [merchant, shopper]) await tab.context().close()
  })

  const go = (to: string) => merchant.goto(testServer.origin + path(to))
  const press = (name: string | RegExp) =>
    merchant
      .getByRole('button', { name, exact: true })
      .or(merchant.getByRole('link', { name, exact: true }))
      .filter({ visible: true })
      .first()
      .click()
  const says = (text: string | RegExp) => merchant.getByText(text).filter({ visible: true }).first().waitFor()
  const isSound = async (tab: Page) => {
    assert.deepEqual(await violations(tab, ['best-practice']), [])
    assert.ok(await tab.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), 'scrolls sideways')
  }

  async function bought(items: Readonly<Record<string, number>>, email: string) {
    const { ready, pay, read } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready(items, {}, email)
    await pay(secret, view)
    const { orderId } = (await read(sessionId)).body.data
    const { number, statusUrl } = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    return { orderId, number, page: new URL(statusUrl).pathname }
  }
  const orderOf = async (orderId: string) =>
    (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data

  async function send(orderId: string): Promise<void> {
    const body = { idempotencyKey: newId('req') }
    const sent = await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body })
    assert.equal(sent.status, 200, sent.text)
  }
  // Within the sheet that a link of the page has opened.
  const confirm = (name: string | RegExp) =>
    merchant.getByRole('dialog').getByRole('button', { name, exact: true }).click()

  // The link that the merchant is shown, in the hands of the shopper.
  async function payLink(amount: string): Promise<void> {
    const link = await merchant.locator('#draft-link').inputValue()
    await shopper.goto(link)
    await shopper.getByText(amount).first().waitFor()
    await isSound(shopper)
    await fillCard(shopper)
    await payButton(shopper).click()
    await payButton(shopper).waitFor({ state: 'detached' })
  }

  test('a return is requested in three steps, approved, received, and refunded by two presses', async () => {
    const { orderId, page } = await bought({ CARD: 3 }, 'return@example.com')
    await send(orderId)
    await shopper.goto(`${testServer.origin}${page}/return`)
    await shopper.locator('input[name^=quantity-]').fill('2')
    await isSound(shopper)
    await shopper.locator('main button[type=submit], main button').first().click()
    await shopper.locator('[name=reason]').first().waitFor()
    const late = shopper.locator('[name=reason][value=late]')
    await ((await late.count()) > 0 ? late.check() : shopper.locator('select[name=reason]').selectOption('late'))
    await shopper.locator('main button').first().click()
    await shopper.locator('main button').first().click()
    await shopper.waitForURL(/#returns$/)

    await go('returns')
    await merchant.locator('tbody a[href*="/returns/ret_"]').first().click()
    await press('Approve')
    await merchant.getByLabel('How to send the items').fill('To Bloom, Hauptstr. 1')
    await confirm('Approve')
    await says('Approved. The customer gets an e-mail.')
    await shopper.goto(testServer.origin + page)
    await shopper.getByText('To Bloom, Hauptstr. 1').waitFor()
    await press('Receive items')
    await confirm('Receive items')
    await says('Items received.')
    await press('Refund')
    await confirm('Continue')
    await merchant.getByRole('button', { name: 'Refund €6.66' }).waitFor()
    await isSound(merchant)
    await press('Refund €6.66')
    await says('Refund started. The money is on its way.')
    assert.equal((await orderOf(orderId)).totals.refundPending, 666)
  })

  test('an exchange for a more expensive item gives the merchant a link by which the shopper pays the difference', async () => {
    const { orderId } = await bought({ CARD: 2 }, 'exchange@example.com')
    await send(orderId)
    await go(`orders/${orderId}`)
    await press('Return')
    await merchant.locator('input[name^=quantity-]').first().fill('2')
    await confirm('Open return')
    await says('Return opened.')
    await press('Exchange')
    await merchant.locator('[name=product-0]').fill('BOOK')
    await merchant.locator('[name=quantity-0]').fill('1')
    await merchant.getByRole('button', { name: 'Continue' }).click()
    await says('€23.29')
    await isSound(merchant)
    await press('Make the link')
    await payLink('€23.29')
    const { returns } = await returnsOf(orderId)
    assert.equal(returns[0].exchanges[0].paid, 2329)
  })

  test('an edit that costs more waits until it is paid by a link, and is then applied', async () => {
    const { orderId } = await bought({ CARD: 1 }, 'edit@example.com')
    await go(`orders/${orderId}`)
    await press('Edit items')
    await merchant.locator('[name=product-0]').fill('BOOK')
    await merchant.locator('[name=quantity-0]').fill('1')
    await merchant.getByRole('button', { name: 'Continue' }).click()
    await says('€29.95')
    await isSound(merchant)
    await press('Edit order')
    await payLink('€29.95')
    const { items, payments } = await orderOf(orderId)
    assert.deepEqual([items.length, payments.length], [2, 2])
  })

  test('a draft for a customer on the phone is priced before it is created, and paid by its link', async () => {
    await go('drafts/new')
    await merchant.locator('[name=product-0]').fill('COURSE')
    await merchant.locator('[name=quantity-0]').fill('1')
    await merchant.locator('[name=email]').fill('draft@example.com')
    await merchant.locator('[name=name]').fill('Grace Hopper')
    await press('Preview')
    await says('€99.00')
    await isSound(merchant)
    await press('Make the link')
    await payLink('€99.00')
    await merchant.reload()
    await merchant.getByRole('link', { name: /^Go to order / }).click()
    await merchant.getByText('Course').first().waitFor()
  })

  test('a customer is found by e-mail, shown, exported and erased', async () => {
    const { orderId } = await bought({ CARD: 1 }, 'found@example.com')
    await send(orderId)
    const { storage, clock } = testServer
    while ((await linkCustomers(storage, testSecret, { now: clock.now, limit: 100 })) > 0);
    while ((await indexOrders(storage, testSecret, { now: clock.now, limit: 100 })) > 0);
    await go('customers')
    await merchant.locator('[name=q]').last().fill('found@example.com')
    await merchant.keyboard.press('Enter')
    await merchant.waitForURL(/q=found/)
    assert.equal(await merchant.locator('tbody tr').count(), 1)
    await merchant.locator('tbody a[href*="/customers/cst_"]').first().click()
    await merchant.getByRole('button', { name: 'Show name and addresses' }).click()
    await says('found@example.com')
    await isSound(merchant)
    const [file] = await Promise.all([merchant.waitForEvent('download'), press('Data as a file')])
    const data = JSON.parse(await readFile(await file.path(), 'utf8'))
    assert.deepEqual([data.email, data.orders.length], ['found@example.com', 1])
    await press('Erase')
    await confirm(/^Erase/)
    await merchant.waitForURL(/customers$/)
    while ((await eraseRequestedCustomers(storage, testSecret, { now: clock.now, limit: 10 })) > 0);
    await merchant.goto(`${testServer.origin}${path('customers')}?q=found%40example.com`)
    assert.equal(await merchant.locator('tbody a[href*="/customers/cst_"]').count(), 0)
    const [row] = await storage.read(
      (db) => db.sql<{ hash: string | null }>`select email_hash as "hash" from orders where id = ${orderId}`,
    )
    assert.equal(row?.hash, null)
  })

  async function returnsOf(orderId: string) {
    const { data } = (await testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })).body
    return { returns: data }
  }
})
