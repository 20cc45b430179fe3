// The shopper's pages in a real browser: every state readable for everyone, on a desktop and on a phone, light and dark, from
// left to right and from right to left.

import assert from 'node:assert/strict'
import type { Browser, Page as Tab } from 'playwright-core'
import { berlinDestination, buyer, letAgentsIn, shippingTo } from '../harness/agents.ts'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { cards } from '../harness/checkout.ts'
import { desktop, fillCard, payButton, telephone, visitsWith } from '../harness/checkoutTab.ts'
import { type McpMessage, mcpPost } from '../harness/mcp.ts'
import { ordersOf } from '../harness/orders.ts'
import { openPageTestServer, type PageTestServer, pageShop, repriced } from '../harness/pageShop.ts'
import { violations } from '../harness/readable.ts'
import { givenEngine } from '../harness/storage.ts'
import { keepTabs } from '../harness/tabs.ts'
import { isWide } from '../harness/wide.ts'
import { fulfilOrder, refundOrder } from '../src/domain/orders/operator.ts'
import { newId } from '../src/platform/kit/ids.ts'

const { before, describe, test } = browserSuite

const minute = 60_000
const challengeCard = '4000002500003155'
const lateCard = '4000000000000259'

// How the service gets there, with the path of the page, and what the shopper does then.
interface State {
  make(): Promise<string>
  act?(tab: Tab): Promise<void>
  isBankSlow?: boolean
}

describe('the checkout page', () => {
  const given = givenEngine('sqlite')
  let shop: PageTestServer
  let browser: Browser
  const tabs = keepTabs(() => browser, { timeoutMs: 10_000 })
  const visit = visitsWith(tabs, () => shop)
  before(async () => {
    shop = await openPageTestServer(given)
    browser = await launchBrowser()
    given.later(() => browser.close())
  })

  async function paid(card: string = cards.approved): Promise<string> {
    const { secret, path } = await shop.ready()
    await shop.checkout.pay(secret, await shop.checkout.look(secret), card)
    return path
  }

  const states: Readonly<Record<string, State>> = {
    new: { make: async () => (await shop.open()).path },
    'ready to pay': { make: async () => (await shop.ready()).path },
    'with a code': {
      make: async () => {
        const { secret, path } = await shop.ready()
        await shop.testServer.app.checkout.applyCode(secret, (await shop.view({ secret })).session.version, 'WELCOME10')
        return path
      },
    },
    'with a pending code and nothing to send': {
      make: async () => {
        const { secret, path } = await shop.open({ COURSE: 1 })
        await shop.testServer.app.checkout.applyCode(secret, 1, 'BIG')
        assert.equal((await shop.view({ secret })).session.promotion.state, 'pending')
        return path
      },
    },
    'many items': {
      make: async () => {
        const pencils = Array.from({ length: 9 }, (_, grade) => [`PENCIL-${grade}`, 1] as const)
        return (await shop.open(Object.fromEntries(pencils))).path
      },
    },
    empty: {
      make: async () => {
        const { secret, path } = await shop.open({ MUG: 1 })
        await shop.testServer.app.checkout.changeQuantity(secret, 1, shop.checkout.carts.sku('MUG'), 0)
        return path
      },
    },
    'wrong fields': {
      make: async () => (await shop.open()).path,
      act: async (tab) => {
        await tab.locator('#details-save').click()
        await tab.locator('#problem').waitFor()
      },
    },
    'a rejected code': {
      make: async () => (await shop.ready()).path,
      act: async (tab) => {
        await unfold(tab)
        await tab.locator('#code-fold > summary').click()
        await tab.locator('#code').fill('OLD')
        await tab.locator('#code-apply').click()
        await tab.locator('#code-error').waitFor()
      },
    },
    declined: { make: () => paid(cards.declined) },
    'a changed total': {
      make: async () => (await shop.ready()).path,
      act: async (tab) => {
        await shop.during(repriced({ MUG: 2900 }), async () => {
          await fillCard(tab)
          await payButton(tab).click()
          await tab.locator('#payment-notice').getByRole('alert').waitFor()
        })
      },
    },
    'stock gone, price changed, and about to expire': {
      make: async () => {
        const { path } = await shop.ready({ MUG: 2, 'BOWL-A': 3, 'BOWL-B': 1 })
        // The stock is held for a quarter of an hour, and then another shopper buys.
        shop.testServer.clock.now += 26 * minute
        const other = await shop.checkout.ready({ 'BOWL-A': 2 })
        await shop.checkout.pay(other.secret, other.view)
        const { products = [], ...rest } = repriced({ MUG: 2900 })
        const isSold = (slug: string) => slug !== 'bowl-b'
        await shop.testServer.apply({
          ...rest,
          products: products.map((product) => ({ ...product, published: isSold(product.slug) })),
        })
        const { session } = await shop.view({ secret: path.slice(3) })
        assert.deepEqual(
          session.messages.map(({ code }) => code),
          ['price_changed', 'insufficient_stock', 'item_unavailable'],
        )
        return path
      },
      act: () => shop.testServer.apply(pageShop, { stock: true }),
    },
    'no delivery method for the address': {
      make: async () => {
        const { secret, path } = await shop.open()
        const contact = { email: 'ada@example.com', name: 'Ada Byron', phone: '' }
        const address = {
          name: 'Ada Byron',
          line1: 'Aðalstræti 2',
          city: 'Reykjavík',
          postalCode: '101',
          country: 'IS',
        }
        await shop.testServer.app.checkout.setDetails(secret, 1, { contact, address, shippingOptionId: null })
        const { session } = await shop.view({ secret })
        assert.deepEqual(
          session.messages.map(({ code }) => code),
          ['no_shipping_option'],
        )
        return path
      },
    },
    processing: { make: () => paid(lateCard), isBankSlow: true },
    challenge: { make: () => paid(challengeCard) },
    paid: { make: () => paid() },
    'to be paid by bank transfer': {
      make: async () => {
        const { secret, path } = await shop.ready()
        const { version, totals } = (await shop.view({ secret })).session
        await shop.testServer.app.checkout.pay(secret, {
          version,
          expectedTotal: totals.total,
          provider: 'manual',
          method: 'bank_transfer',
          details: {},
          attempt: newId('pay'),
        })
        return path
      },
    },
    expired: {
      make: async () => {
        const { path } = await shop.ready()
        shop.testServer.clock.now += 31 * minute
        return path
      },
    },
    cancelled: {
      make: async () => {
        const { secret, path } = await shop.ready()
        await shop.testServer.app.checkout.cancel(secret)
        return path
      },
    },
    lost: { make: async () => `/c/${'A'.repeat(43)}` },
    'order status, partly sent and partly refunded': {
      make: async () => {
        const { order, session } = await shop.checkout.look((await paid()).slice(3))
        const key = { installationId: shop.testServer.installationId, orderId: session.orderId ?? '' }
        const moment = { now: shop.testServer.clock.now, cause: null }
        await shop.testServer.storage.write(async (tx) => {
          const items = new Map([['MUG', 1]])
          await fulfilOrder(tx, key, { carrier: 'DHL', trackingNumber: '00340434161094021501', items }, moment)
          await refundOrder(tx, key, { amount: 1490, reason: null }, moment)
        })
        assert.deepEqual(await (await ordersOf(shop.testServer)).pay(), ['succeeded'])
        return order?.statusPath ?? ''
      },
    },
  }

  describe('every state is accessible', () => {
    // Each state on one of the two in turns, or on both. Right-to-left and dark together with the telephone.
    const devices = [
      { name: 'desktop', viewport: desktop, locale: 'en-GB', colorScheme: 'light' },
      { name: 'telephone', viewport: telephone, locale: 'ar', colorScheme: 'dark' },
    ] as const

    for (const [place, [name, { make, act, isBankSlow = false }]] of Object.entries(states).entries()) {
      for (const { name: device, ...options } of isWide ? devices : devices.slice(place % 2).slice(0, 1)) {
        test(`${name} on a ${device}, ${options.locale}, ${options.colorScheme}`, async () => {
          const look = async (tab: Tab) => {
            await act?.(tab)
            await tab.evaluate(`for (const fold of document.querySelectorAll('details')) fold.open = true`)
            // All countries are made alike, and axe looks at each.
            if (!isWide)
              await tab.evaluate(
                `for (const option of [...document.querySelectorAll('#country option:not(:checked)')].slice(5)) option.remove()`,
              )
            assert.deepEqual(await violations(tab, ['best-practice']), [])
            assert.equal(await overhang(tab), 0, 'too wide')
            assert.equal(await tab.locator('h1').count(), 1)
            assert.equal(await tab.locator('html').getAttribute('dir'), options.locale === 'ar' ? 'rtl' : 'ltr')
            // Left before the bank answers: this page then goes on to the shop by itself, in the middle of the next visit.
            if (isBankSlow) await tab.goto('about:blank')
          }
          const run = async () => visit(await make(), look, { ...options, hasFailures: name === 'lost' })
          await (isBankSlow ? shop.whileBankIsSlow(run) : run())
        })
      }
    }

    test('at 400 % zoom the page does not scroll sideways', async () => {
      const { path } = await shop.ready()
      await visit(path, async (tab) => {
        await tab.setViewportSize({ width: 320, height: 256 })
        await unfold(tab)
        assert.equal(await overhang(tab), 0)
        await tab.setViewportSize(desktop)
      })
    })
  })

  describe('on a telephone', () => {
    for (const javaScriptEnabled of [true, false]) {
      test(`the folded order summary stays open after a change, script ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
        const { path } = await shop.open()
        const look = async (tab: Tab) => {
          const quantity = tab.getByLabel('Quantity of Speckled stoneware mug')
          assert.ok(!(await quantity.isVisible()))
          await unfold(tab)
          await quantity.fill('3')
          await quantity.press('Enter')
          await tab.locator('.grand', { hasText: '€98.90' }).waitFor()
          // Without script it is the anchor that unfolds it, when the page is complete.
          await quantity.waitFor()
        }
        await visit(path, look, { viewport: telephone, javaScriptEnabled })
      })
    }
  })

  test('the chosen payment method decides the fields and the label of the button', async () => {
    const { path } = await shop.ready()
    const look = async (tab: Tab) => {
      assert.equal(await payButton(tab).innerText(), 'Pay €75.80')
      await tab.getByLabel('Bank transfer').check()
      assert.equal(await payButton(tab).innerText(), 'Order with obligation to pay · €75.80')
      assert.ok(!(await tab.getByLabel('Card number').isVisible()))
      await tab.getByLabel('Card', { exact: true }).check()
      assert.ok(await tab.getByLabel('Card number').isVisible())
    }
    await visit(path, look, { javaScriptEnabled: false })
  })

  test('a chat program without a profile sends the buyer to the checkout page, and reads the order after the payment', async () => {
    await letAgentsIn(shop.testServer, 'browse')
    const call = async (name: string, args: object) => {
      const message: McpMessage = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }
      return (await mcpPost(shop.testServer, '/ucp/alder-finch/test/mcp', message)).body.result.structuredContent
    }
    const line_items = [{ item: { id: 'MUG' }, quantity: 1 }]
    const opened = await call('create_checkout', {
      checkout: { line_items, buyer, fulfillment: shippingTo(berlinDestination) },
    })
    let thanks = ''
    await visit(new URL(opened.continue_url).pathname, async (tab) => {
      assert.equal(await payButton(tab).innerText(), 'Pay €32.90')
      await fillCard(tab)
      await payButton(tab).click()
      await payButton(tab).waitFor({ state: 'detached' })
      thanks = await tab.locator('main').innerText()
    })
    const { status, order } = await call('get_checkout', { id: opened.id })
    assert.equal(status, 'completed')
    assert.match(thanks, new RegExp(`\\b${order.label}\\b`))
  })
})

function overhang(tab: Tab): Promise<number> {
  return tab.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}

async function unfold(tab: Tab): Promise<void> {
  const summary = tab.locator('.fold > summary')
  if (await summary.isVisible()) await summary.click()
}
