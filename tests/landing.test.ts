// Purchases in a browser at providers that take their time, while their notices arrive: who paid lands in the shop, whichever of
// notice and return is heard first.

import assert from 'node:assert/strict'
import type { Browser, Page as Tab } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { connectMollie } from '../harness/mollie/bench.ts'
import { type MollieStandIn, openMollie } from '../harness/mollie/standin.ts'
import { type PageServer, servePages } from '../harness/pageServer.ts'
import { anyEngine, type Given } from '../harness/storage.ts'
import { openStripeShop, type StripeShop } from '../harness/stripe/shop.ts'
import { keepTabs } from '../harness/tabs.ts'
import type { TestServer } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { wakeLoops } from '../src/ops/cli/loops.ts'
import { startWorkers } from '../src/platform/jobs/workers.ts'
import { createLog } from '../src/platform/log/log.ts'

const { after, before, test } = browserSuite

const latenciesMs = [0, 50, 200, 600]
// Of each provider at each latency.
const purchases = isWide ? 16 : 1
const atOnce = 4

anyEngine('a shopper who paid returns to the shop', (given) => {
  let browser: Browser
  const tabs = keepTabs(() => browser, { timeoutMs: 20_000 })
  let shop: Shop

  before(async () => {
    shop = await openShop(given.shared)
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
  })

  for (const latencyMs of latenciesMs)
    test(`if the provider responds after ${latencyMs} ms`, async () => {
      shop.stripe.standIn.network.latencyMs = latencyMs
      shop.mollie.latencyMs = latencyMs
      const before = shop.charges()
      const wanted = Array.from({ length: 2 * purchases }, (_, place) => (place % 2 === 0 ? buyByStripe : buyByMollie))
      const sessions: string[] = []
      const buyer = async () => {
        for (let buy = wanted.shift(); buy; buy = wanted.shift()) {
          const { sessionId, secret } = await shop.checkout.ready({ CARD: 1 }, { successUrl: shop.thanksUrl })
          sessions.push(sessionId)
          await tabs.use({ locale: 'en-GB' }, async (tab) => {
            await tab.goto(`${shop.testServer.origin}/c/${secret}`)
            await buy(tab, shop)
            await tab.waitForURL(shop.thanksUrl)
          })
        }
      }
      await Promise.all(Array.from({ length: atOnce }, buyer))
      for (const id of sessions) {
        const { status, orderId } = (await shop.checkout.read(id)).body.data
        const { paymentStatus } = (await shop.testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
        assert.deepEqual([status, paymentStatus], ['completed', 'paid'])
      }
      assert.deepEqual([sessions.length, shop.charges() - before], [2 * purchases, 2 * purchases])
    })

  test('from every open tab of the checkout, if it is paid in one of them', async () => {
    shop.stripe.standIn.network.latencyMs = 50
    const { sessionId, secret } = await shop.checkout.ready({ CARD: 1 }, { successUrl: shop.thanksUrl })
    await tabs.use({ locale: 'en-GB' }, async (tab) => {
      await tab.goto(`${shop.testServer.origin}/c/${secret}`)
      await toStripe(tab)
      const second = await tab.context().newPage()
      await second.goto(`${shop.testServer.origin}/c/${secret}`)
      await second.waitForSelector('#frame-pay:enabled')
      await payAtStripe(second)
      await Promise.all([second.waitForURL(shop.thanksUrl), tab.waitForURL(shop.thanksUrl)])
      await second.close()
    })
    assert.equal((await shop.checkout.read(sessionId)).body.data.status, 'completed')
  })
})

interface Shop {
  testServer: TestServer
  checkout: Checkout
  stripe: StripeShop
  mollie: MollieStandIn
  thanksUrl: string
  // That took money, at both.
  charges(): number
}

async function openShop(given: Given): Promise<Shop> {
  const thanks: PageServer = await servePages([
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
  given.later(() => thanks.close())
  const mollie = await openMollie()
  given.later(() => mollie.close())
  const stripe = await openStripeShop(given, { shops: [market], now: Date.now() }, { mollie: mollie.url })
  const { testServer, there } = stripe
  // Time passes here.
  Object.defineProperty(testServer.clock, 'now', { get: () => Date.now() })
  await connectMollie(testServer, mollie)
  there.webhooks.deliverAtOnce()
  const { books, webhooks } = mollie.profile.test
  webhooks.deliverAtOnce()
  const log = createLog({ level: 'silent', pretty: false, write: () => {} })
  const work = async () => (await recoverPayments(testServer.app.payTools)) < 0
  const workers = startWorkers([{ name: 'payments', everyMs: 1_000, work }], log, { firstMs: 1_000 })
  const stop = wakeLoops(testServer.storage, workers)
  given.later(async () => {
    stop()
    await workers.drain()
    await Promise.all([there.webhooks.idle(), webhooks.idle()])
  })
  const charges = () =>
    [...there.books.charges.values()].filter(({ status }) => status === 'succeeded').length +
    [...books.payments.values()].filter(({ status }) => status === 'paid').length
  return {
    ...{ testServer, stripe, mollie, charges },
    checkout: await checkoutOf(testServer),
    thanksUrl: `${thanks.origin}/thanks`,
  }
}

async function buyByStripe(tab: Tab): Promise<void> {
  await toStripe(tab)
  await payAtStripe(tab)
}

async function toStripe(tab: Tab): Promise<void> {
  await tab.check('input[value="stripe:stripe"]')
  await tab.click('#pay-button')
  await tab.waitForSelector('#frame-pay:enabled')
}

async function payAtStripe(tab: Tab): Promise<void> {
  const frame = tab.frameLocator('#frame-element iframe')
  await frame.getByLabel('Card number').fill('4242 4242 4242 4242')
  await frame.getByLabel('Expiration date').fill('12 / 40')
  await frame.getByLabel('Security code').fill('123')
  await tab.click('#frame-pay')
}

async function buyByMollie(tab: Tab, { mollie }: Shop): Promise<void> {
  await tab.check('input[value="mollie:online"]')
  await tab.click('#pay-button')
  await tab.waitForURL(`${mollie.url}/**`)
  await tab.click('button[value="pay"]')
}
