// The pay page with Stripe's frame in a real browser, from the open checkout to the shop.

import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { type PageServer, servePages } from '../harness/pageServer.ts'
import { violations } from '../harness/readable.ts'
import { givenEngine } from '../harness/storage.ts'
import { openStripeShop, type StripeShop } from '../harness/stripe/shop.ts'
import { keepTabs } from '../harness/tabs.ts'

const { after, before, test } = browserSuite

let browser: Browser
const tabs = keepTabs(() => browser, { timeoutMs: 10_000 })
const given = givenEngine('sqlite')
let shop: StripeShop
let checkout: Checkout
let thanks: PageServer
const secrets: string[] = []

before(async () => {
  thanks = await servePages([
    {
      path: '/thanks',
      name: 'thanks',
      answer: async () => ({
        status: 200,
        body: '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>The shop</h1>',
        headers: { 'content-type': 'text/html' },
      }),
    },
  ])
  shop = await openStripeShop(given, { shops: [market], now: Date.now() })
  checkout = await checkoutOf(shop.testServer)
  browser = await launchBrowser()
})
after(async () => {
  await browser?.close()
  await thanks?.close()
})

interface Visit {
  tab: Tab
  secret: string
  sessionId: string
  // Console lines of the pages, and errors that nobody caught.
  lines: string[]
}

// From the open checkout to the pay page.
async function visit(
  { locale = 'en', ...options }: BrowserContextOptions & { locale?: string },
  work: (visit: Visit) => Promise<void>,
): Promise<void> {
  const { sessionId, secret } = await checkout.ready(
    { 'ROSE-12': 1 },
    { successUrl: `${thanks.origin}/thanks`, locale },
  )
  secrets.push(secret)
  await tabs.use(options, async (tab) => {
    const lines: string[] = []
    tab.on('console', (message) => {
      const line = `${message.type()}: ${message.text()} ${message.location().url}`
      // The pictures of this shop are not there.
      if (!line.includes('/media/')) lines.push(line)
    })
    tab.on('pageerror', (error) => lines.push(String(error)))
    await tab.goto(`${shop.testServer.origin}/c/${secret}`)
    await tab.check('input[value="stripe:stripe"]')
    const next = locale === 'ar' ? /^الشراء والمتابعة إلى الدفع · / : /^Buy and continue to payment · €/
    assert.match(await tab.locator('#pay-button').innerText(), next)
    await tab.click('#pay-button')
    await tab.waitForSelector('[data-state="redirect"]')
    await work({ tab, secret, sessionId, lines })
  })
}

async function type(tab: Tab, number: string): Promise<void> {
  const frame = tab.frameLocator('#frame-element iframe')
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiration date').fill('12 / 40')
  await frame.getByLabel('Security code').fill('123')
}

async function payWith(tab: Tab, number: string): Promise<void> {
  await tab.waitForSelector('#frame-pay:enabled')
  await type(tab, number)
  await tab.click('#frame-pay')
}

// What judges the page speaks to its frames, and the browser remarks on it.
async function assertReadable(tab: Tab, lines: string[]): Promise<void> {
  const { length } = lines
  assert.deepEqual(await violations(tab), [])
  lines.length = length
}

async function orderOf(sessionId: string) {
  const session = (await checkout.read(sessionId)).body.data
  assert.equal(session.status, 'completed')
  const path = { orderId: session.orderId }
  return (await shop.testServer.ask('getStorefrontOrder', { path })).body.data
}

async function detailsOf(secret: string) {
  const view = await shop.testServer.app.checkout.look(secret)
  assert.ok(view?.address)
  return view
}

const charges = () => [...shop.there.books.charges.values()].filter(({ status }) => status === 'succeeded').length

test('a payment with 3-D Secure returns the shopper to the shop, and pays the order once', async () => {
  const before = charges()
  await visit({}, async ({ tab, secret, sessionId, lines }) => {
    const { customer, address } = await detailsOf(secret)
    await payWith(tab, '4000 0025 0000 3155')
    await tab.click('text=Accept')
    await tab.waitForURL(`${thanks.origin}/thanks`)
    const order = await orderOf(sessionId)
    assert.equal(order.paymentStatus, 'paid')
    const [payment] = await shop.testServer.storage.read(
      (db) => db.sql<{ brand: string; last4: string }>`
        select brand, last4 from payments where checkout_session_id = ${sessionId}`,
    )
    assert.deepEqual({ ...payment }, { brand: 'visa', last4: '3155' })
    assert.equal(charges() - before, 1)
    assert.deepEqual(lines, [], 'no violation of the policy, and no error')
    const [reference] = [...shop.there.books.billing.keys()].slice(-1)
    assert.deepEqual(shop.there.books.billing.get(reference ?? ''), {
      email: customer.email,
      name: customer.name || address?.name,
      ...((customer.phone || address?.phone) && { phone: customer.phone || address?.phone }),
      address: {
        line1: address?.line1,
        ...(address?.line2 && { line2: address.line2 }),
        city: address?.city,
        ...(address?.region && { state: address.region }),
        ...(address?.postalCode && { postal_code: address.postalCode }),
        country: address?.country,
      },
    })
  })
})

test('a decline is announced, and another card pays in the same frame', async () => {
  const before = charges()
  await visit({ viewport: { width: 390, height: 844 } }, async ({ tab, sessionId, lines }) => {
    await tab.waitForSelector('#frame-pay:enabled')
    await tab.click('#frame-pay')
    const problem = tab.locator('#frame-problem[role="alert"]')
    await problem.filter({ hasText: 'card number is incomplete' }).waitFor()
    await payWith(tab, '4000 0000 0000 9995')
    await problem.filter({ hasText: 'insufficient funds' }).waitFor()
    assert.equal(await tab.locator('#frame-pay').isEnabled(), true)
    await assertReadable(tab, lines)
    await type(tab, '4242 4242 4242 4242')
    assert.equal(await problem.textContent(), '', 'an old message is not about what is typed now')
    await tab.click('#frame-pay')
    await tab.waitForURL(`${thanks.origin}/thanks`)
    assert.equal((await orderOf(sessionId)).paymentStatus, 'paid')
    assert.equal(charges() - before, 1)
    // The browser reports the 402 by itself.
    assert.deepEqual(
      lines.filter((line) => !line.includes('402')),
      [],
    )
  })
})

test('the button is disabled while the payment is confirmed, and after a refused 3-D Secure the frame can be used again', async () => {
  await visit({}, async ({ tab, secret }) => {
    await tab.waitForSelector('#frame-pay:enabled')
    await tab.reload()
    await tab.waitForSelector('#frame-pay:enabled')
    assert.doesNotMatch((await tab.locator('main').textContent()) ?? '', /Your payment was not completed/)
    const held = shop.standIn.network.hold({ method: 'POST', path: /confirm$/ })
    await payWith(tab, '4000 0025 0000 3155')
    await held.arrived
    assert.deepEqual(
      [await tab.locator('#frame-pay').isDisabled(), await tab.locator('#frame-pay').textContent()],
      [true, 'One moment…'],
    )
    held.release()
    await tab.click('text=Refuse')
    await tab.waitForSelector('#frame-pay:enabled')
    assert.match((await tab.locator('main').textContent()) ?? '', /Your payment was not completed/)
    assert.ok(!tab.url().includes(secret), 'the address of the page does not name it while the script of Stripe runs')
    await tab.reload()
    await tab.waitForSelector('#frame-pay:enabled')
    await tab.click('text=Back to your order')
    await tab.waitForSelector('[data-state="open"]')
    assert.equal((await checkout.look(secret)).session.lastPaymentError, null)
  })
})

test('going back right after the payment shows the order', async () => {
  await visit({}, async ({ tab, sessionId }) => {
    await tab.waitForSelector('#frame-pay:enabled')
    const [payment] = await shop.testServer.storage.read(
      (db) => db.sql<{ reference: string }>`select reference from payments where checkout_session_id = ${sessionId}`,
    )
    shop.there.pay(payment?.reference ?? '')
    await tab.click('text=Back to your order')
    await tab.waitForURL(`${thanks.origin}/thanks`)
    assert.equal((await orderOf(sessionId)).paymentStatus, 'paid')
  })
})

test('without script there are links back and to another payment method', async () => {
  await visit({ javaScriptEnabled: false }, async ({ tab }) => {
    const text = (await tab.locator('main').textContent()) ?? ''
    assert.match(text, /This way to pay needs JavaScript/)
    assert.equal(await tab.locator('#frame-pay').isVisible(), false)
    await tab.click('text=Back to your order')
    await tab.waitForSelector('[data-state="open"]')
    await tab.check('input[value="manual:bank_transfer"]')
    await tab.click('#pay-button')
    await tab.waitForURL(/thanks|\/c\//)
    assert.doesNotMatch(await tab.content(), /needs JavaScript/)
  })
})

test('the page is right to left in Arabic, and readable in dark mode', async () => {
  await visit({ locale: 'ar', colorScheme: 'dark' }, async ({ tab, lines }) => {
    await tab.waitForSelector('#frame-pay:enabled')
    assert.equal(await tab.locator('html').getAttribute('dir'), 'rtl')
    assert.match((await tab.locator('main').textContent()) ?? '', /العودة إلى طلبك/)
    await assertReadable(tab, lines)
    assert.deepEqual(lines, [])
  })
})

test('a Stripe script that does not load is reported on the page', async () => {
  await tabs.use({}, async (tab) => {
    const { secret } = await checkout.ready({ 'ROSE-12': 1 })
    await tab.route(`${shop.standIn.url}/endive/stripe.js`, (route) => route.abort())
    await tab.goto(`${shop.testServer.origin}/c/${secret}`)
    await tab.check('input[value="stripe:stripe"]')
    await tab.click('#pay-button')
    await tab.locator('#frame-problem').filter({ hasText: 'could not be loaded' }).waitFor()
    assert.equal(await tab.locator('#frame-pay').isDisabled(), true)
  })
})

test('the secret of the checkout page is sent to no other host', () => {
  assert.ok(secrets.length > 4)
  assert.ok(
    shop.standIn.heard.some((line) => line.includes('/v3/page?url=')),
    'the script reported the address of the page',
  )
  for (const secret of secrets) assert.ok(!shop.standIn.heard.some((line) => line.includes(secret)))
})
