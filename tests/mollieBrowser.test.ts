// One purchase by Mollie in a real browser: the form, the page that leads on by itself, the bank, and back to the shop.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { connectMollie } from '../harness/mollie/bench.ts'
import { openMollie } from '../harness/mollie/standin.ts'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'

const { test } = browserSuite

const given = givenEngine('sqlite')

test('a shopper is redirected to Mollie, pays, and returns to the shop without violations of the content security policy', async () => {
  const now = Date.parse('2026-06-01T12:00:00.000Z')
  const mollie = await openMollie({ clock: () => new Date(now) })
  given.later(() => mollie.close())
  const testServer = await openTestServer(given, { shops: [market], now, providerUrls: { mollie: mollie.url } })
  await connectMollie(testServer, mollie)
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<link rel="icon" href="data:,">Thank you'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  given.later(async () => server.closeAllConnections())
  given.later(async () => void server.close())
  const shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { secret } = await (await checkoutOf(testServer)).ready({ CARD: 1 }, { successUrl: `${shop}/thanks` })
  const browser = await launchBrowser()
  given.later(() => browser.close())
  const tab = await browser.newPage({ locale: 'en-GB' })
  tab.setDefaultTimeout(60_000)
  const complaints: string[] = []
  tab.on('console', (message) => complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(String(error)))

  await tab.goto(`${testServer.origin}/c/${secret}`)
  await tab.locator('input[value="mollie:online"]').check()
  await tab.locator('#pay-button', { hasText: 'Continue to payment' }).click()
  await tab.waitForURL(`${mollie.url}/**`)
  await tab.locator('button[value="pay"]').click()
  await tab.waitForURL(`${shop}/thanks**`)
  const { orders } = (await testServer.ask('listStorefrontOrders')).body.data
  assert.deepEqual(
    orders.map(({ paymentStatus }: { paymentStatus: string }) => paymentStatus),
    ['paid'],
  )
  assert.deepEqual(complaints, [])
  const pages = mollie.requests.filter(({ path }) => path.startsWith('/checkout/'))
  assert.ok(pages.length >= 2)
  assert.ok(!JSON.stringify(mollie.requests).includes(secret))
  // The bank's own page may say where it is; ours says nothing.
  assert.equal(pages[0]?.headers.referer, undefined)
})
