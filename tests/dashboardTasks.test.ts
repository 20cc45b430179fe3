// Ten tasks of a merchant's day, each from Home, with its clicks counted: how long work takes is how often one must press. Keys, figures
// and pastes are not clicks. The bounds are what was once counted by hand; the first three are those of the most used shop system.

import assert from 'node:assert/strict'
import type { Browser, Locator, Page } from 'playwright-core'
import { createProduct } from '../harness/admin/catalog.ts'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer, orderWorld } from '../harness/orders.ts'
import { paste } from '../harness/paste.ts'
import { anyEngine } from '../harness/storage.ts'
import { type TestServer, testSecret } from '../harness/testServer.ts'
import { indexOrders } from '../src/domain/search/orders.ts'
import { hashPassword } from '../src/domain/users/password.ts'

const { after, before, test } = browserSuite

const password = 'a garden of roses'

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser.close())

const clicksMax = {
  'find an order by surname': 1,
  'send three orders, each with its number': 6,
  'refund one line': 2,
  'cancel an order': 2,
  'make a product of twelve variants with two pictures': 5,
  'raise thirty prices by 5 %': 7,
  'count the stock from a spreadsheet': 4,
  'make a discount of 15 %': 3,
  'invite a colleague': 4,
  'take back a change of many': 1,
} as const

anyEngine('ten tasks of a merchant', (given) => {
  let testServer: TestServer & { orders: Orders }
  let dashboardUser: DashboardUser
  let tab: Page
  let clicks = 0

  before(async () => {
    testServer = await openOrderTestServer(given)
    const passwordHash = await hashPassword(password, { ln: 4, r: 1, p: 1 })
    dashboardUser = await dashboardUserOf(testServer, { passwordHash })
    // A small window, as painting is most of what this costs.
    const context = await browser.newContext({ viewport: { width: 1000, height: 480 }, locale: 'en-GB' })
    await context.addCookies([{ name: 'staff_session', value: dashboardUser.token, url: testServer.origin }])
    tab = await context.newPage()
  })
  after(() => tab.context().close())

  async function click(what: Locator): Promise<void> {
    clicks += 1
    await what.click()
  }
  const link = (name: string | RegExp) => tab.getByRole('link', { name, exact: true })
  const button = (name: string | RegExp) => tab.getByRole('button', { name, exact: true })
  const picture = async (name: string) => ({
    name: `${name}.png`,
    mimeType: 'image/png',
    buffer: Buffer.from(
      await tab.evaluate<string>(`(() => {
        const canvas = document.createElement('canvas')
        canvas.getContext('2d').fillText('${name}', 20, 20)
        return canvas.toDataURL('image/png').split(',')[1]
      })()`),
      'base64',
    ),
  })

  // From the page that a task begins on; its way there is not counted.
  const begin = async (path: string) => {
    await tab.goto(testServer.origin + dashboardUser.path(path))
    clicks = 0
  }
  const counted: Partial<Record<keyof typeof clicksMax, number>> = {}
  const end = (task: keyof typeof clicksMax) => {
    counted[task] = clicks
  }

  async function sendThree(): Promise<void> {
    await begin('orders')
    for (const at of [0, 1, 2]) await click(tab.locator('[data-choose]').nth(at))
    await click(button('Send'))
    await click(tab.locator('[data-sheet] input:not([type=hidden])').first())
    await paste(tab, 'TRACK-1\nTRACK-2\nTRACK-3')
    await click(button('Send 3 parcels'))
    await tab.getByText('3 parcels sent.').waitFor()
    end('send three orders, each with its number')
  }

  async function refundAndCancel(): Promise<void> {
    const { orderId } = await testServer.orders.place({ items: { CARD: 3, BOOK: 1 } })
    await begin(`orders/${orderId}`)
    await click(link('Refund'))
    await tab.getByLabel('How many of Book of flowers to refund').fill('1')
    await tab.keyboard.press('Enter')
    await click(button('Refund €29.95'))
    await tab.getByText('Refund started.').waitFor()
    end('refund one line')
    assert.deepEqual(
      (await orderWorld(testServer, orderId)).refunds.map(([, amount]) => amount),
      [2995],
    )
    const other = await testServer.orders.place({ items: { CARD: 1 } })
    await begin(`orders/${other.orderId}`)
    await click(link('Cancel order'))
    await click(tab.getByRole('dialog').getByRole('button', { name: 'Cancel order' }))
    await tab.getByText('Order cancelled.').waitFor()
    end('cancel an order')
  }

  // The menu is on every page, so what begins there begins where the task before has ended.
  async function makeProduct(): Promise<void> {
    clicks = 0
    await click(link('Products'))
    await click(link('New product'))
    await tab.locator('[name=name]').fill('Workshop shirt')
    for (const [slot, [name, values]] of [
      ['Size', 'S, M, L'],
      ['Colour', 'Moss, Rust, Sand, Ink'],
    ].entries()) {
      await tab.locator(`[name="option.${slot}.name"]`).fill(name ?? '')
      await tab.locator(`[name="option.${slot}.values"]`).fill(values ?? '')
    }
    const chooser = tab.waitForEvent('filechooser')
    await click(tab.locator('[data-drop]'))
    await (await chooser).setFiles([await picture('moss'), await picture('rust')])
    await tab.locator('[name="image.1.alt"]').waitFor()
    await click(button('Make variants'))
    await tab.getByText('12 variants below.').waitFor()
    await tab.locator('[name="sku.0.price"]').focus()
    await paste(tab, Array.from({ length: 12 }, () => '29.90').join('\n'))
    await click(button('Save and publish'))
    await tab.getByText('Product created.').waitFor()
    assert.deepEqual(
      [await tab.locator('[name^="image."][name$=".alt"]').count(), await tab.locator('[name$=".price"]').count()],
      [2, 12],
    )
    end('make a product of twelve variants with two pictures')
  }

  async function raisePrices(): Promise<void> {
    const values = Array.from({ length: 15 }, (_, at) => `${at + 1}`)
    for (const tin of ['A', 'B'])
      await createProduct(testServer, {
        name: `Tin ${tin}`,
        options: [{ name: 'Size', values }],
        skus: values.map((size) => ({ code: `TIN-${tin}-${size}`, options: { Size: size }, price: 1000 })),
      })
    await begin('products?q=tin')
    await click(tab.getByLabel('Select all rows'))
    await click(button('Change prices'))
    await tab.locator('[name=percent]').fill('5')
    await click(button('Show new prices'))
    await click(button(/^Set 30 prices$/))
    await tab.getByText('2 products changed.').waitFor()
    end('raise thirty prices by 5 %')
    clicks = 0
    await click(button('Undo'))
    await tab.getByText('Change taken back.').waitFor()
    end('take back a change of many')
  }

  async function countStock(): Promise<void> {
    clicks = 0
    await click(link('Products').first())
    await click(link('Stock and prices'))
    await click(tab.locator('tbody tr:first-child .cell input').first())
    await paste(tab, '11\n12\n13')
    await click(button(/^Save/).first())
    await tab
      .getByText(/saved|changed/i)
      .first()
      .waitFor()
    end('count the stock from a spreadsheet')
  }

  async function discountAndInvite(): Promise<void> {
    clicks = 0
    await click(link('Discounts'))
    await click(link('New discount'))
    await tab.locator('[name=code]').fill('AUTUMN15')
    await tab.locator('[name=name]').fill('Autumn')
    await tab.locator('[name=percent]').fill('15')
    await click(button('Save'))
    await tab.waitForURL(/discounts\/prm_/)
    end('make a discount of 15 %')
    // The password was asked for long ago.
    testServer.clock.now += 3_600_000
    clicks = 0
    await click(link('Settings'))
    await click(link('People'))
    await click(link('Invite'))
    await tab.locator('[name=password]').fill(password)
    await tab.keyboard.press('Enter')
    await tab.getByLabel('E-mail', { exact: true }).fill('grace@bloom.example')
    await click(button('Invite'))
    await tab.locator('#secret').waitFor()
    end('invite a colleague')
  }

  test('no task takes more clicks than its recorded maximum', async () => {
    for (let count = 0; count < 3; count += 1) await testServer.orders.place({ items: { CARD: 1 } })
    await indexOrders(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    await begin('home')
    await tab.keyboard.press('/')
    await tab.keyboard.type('Lovela')
    await click(tab.getByRole('option', { name: /Ada Lovelace/ }).first())
    await tab.getByRole('heading', { level: 1, name: /^Order T-/ }).waitFor()
    end('find an order by surname')
    await sendThree()
    await refundAndCancel()
    await makeProduct()
    await raisePrices()
    await countStock()
    await discountAndInvite()
    assert.deepEqual(Object.keys(counted).sort(), Object.keys(clicksMax).sort())
    for (const [task, most] of Object.entries(clicksMax))
      assert.ok((counted[task as keyof typeof clicksMax] ?? 99) <= most, `${task}: ${JSON.stringify(counted)}`)
  })
})
