// The dashboard in a real browser: a merchant's day with script and keyboard.

import assert from 'node:assert/strict'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer, orderWorld } from '../harness/orders.ts'
import { paste } from '../harness/paste.ts'
import { violations } from '../harness/readable.ts'
import { anyEngine } from '../harness/storage.ts'
import { cheapCost, type TestServer, testSecret } from '../harness/testServer.ts'
import { hashPassword } from '../src/domain/users/password.ts'
import { createUser } from '../src/domain/users/users.ts'

const { after, before, test } = browserSuite

let browser: Browser

before(async () => {
  browser = await launchBrowser()
})

after(async () => {
  await browser.close()
})

anyEngine('the dashboard in a browser', (given) => {
  let testServer: TestServer & { orders: Orders }
  let dashboardUser: DashboardUser
  let context: BrowserContext
  let tab: Page

  before(async () => {
    testServer = await openOrderTestServer(given)
    dashboardUser = await dashboardUserOf(testServer)
    ;({ context, tab } = await openTab(dashboardUser))
  })

  after(() => context.close())

  async function openTab({ token }: DashboardUser, look: BrowserContextOptions = {}) {
    const opened = await browser.newContext(look)
    await opened.addCookies([{ name: 'staff_session', value: token, url: testServer.origin }])
    return { context: opened, tab: await opened.newPage() }
  }

  const go = (path: string) => tab.goto(testServer.origin + dashboardUser.path(path))

  test('a person opens /admin, signs in, and sees Home with its orders', async () => {
    await testServer.orders.place({ items: { CARD: 1 } })
    const passwordHash = await hashPassword('four words nobody guesses', cheapCost)
    const input = { email: 'ada@bloom.example', passwordHash, merchantIds: [testServer.merchantId] }
    await testServer.storage.write((tx) => createUser(tx, testSecret, input, testServer.clock.now))
    const own = await browser.newContext({ reducedMotion: 'no-preference' })
    const page = await own.newPage()
    const fetched = ['style.css', 'live.js'].map((name) =>
      page.waitForEvent('requestfinished', (request) => request.url().includes(`/admin/${name}?`)),
    )
    await page.goto(`${testServer.origin}/admin`)
    await Promise.all(fetched)
    await page.getByLabel('E-mail').fill('ada@bloom.example')
    await page.getByLabel('Password').fill('four words nobody guesses')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page
      .locator('.todo')
      .filter({ hasText: /^\s*1\s*To send/ })
      .waitFor()
    // Style and script of the dashboard were fetched while one signed in.
    const loaded = await page.evaluate<Record<string, number>>(`Object.fromEntries(
      performance.getEntriesByType('resource').map(({ name, transferSize }) => [new URL(name).pathname, transferSize]))`)
    assert.deepEqual([loaded['/admin/style.css'], loaded['/admin/live.js']], [0, 0])
    await own.close()
  })

  test('an order is shipped in a dialog, the page confirms it, and its address has no query afterwards', async () => {
    const { orderId, number } = await testServer.orders.place({ items: { CARD: 2 } })
    await go('orders')
    await tab.getByRole('link', { name: number }).click()
    await tab.getByRole('link', { name: 'Send', exact: true }).click()
    const dialog = tab.getByRole('dialog', { name: `Send order ${number}` })
    await dialog.waitFor()
    assert.deepEqual(await violations(tab), [])
    await tab.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    // By its key, too.
    await tab.keyboard.press('f')
    await dialog.getByLabel('Tracking number').fill('0034')
    await dialog.getByRole('button', { name: 'Send' }).click()
    await tab.getByRole('status').getByText('Parcel sent.').waitFor()
    assert.equal(new URL(tab.url()).search, '')
    assert.equal((await orderWorld(testServer, orderId)).status, 'completed')
  })

  test('forty orders are selected, their tracking numbers pasted, and all shipped by one press', async () => {
    const quote = await testServer.orders.quote({ items: { CARD: 1 } })
    const placed = []
    for (let count = 0; count < 40; count++)
      placed.push(await testServer.orders.place({ items: { CARD: 1 }, quote, now: testServer.clock.now + count }))
    await go('orders')
    await tab.getByLabel('Select all rows').check()
    await tab.getByRole('link', { name: /^Select all \d+$/ }).click()
    await tab.waitForURL(/chosen=all/)
    // One order from before is there, too.
    for (const number of await others(placed)) await tab.getByLabel(`Select ${number}`, { exact: true }).uncheck()
    assert.match(await tab.locator('[data-bulk-count]').innerText(), /40 selected/)
    await tab.getByRole('button', { name: 'Send', exact: true }).click()
    await tab.getByRole('heading', { name: 'Send 40 orders' }).waitFor()
    const numbers = placed.map((_, index) => `TRACK-${index}`)
    await tab.locator('[data-sheet] input:not([type=hidden])').first().focus()
    await paste(tab, `${numbers.join('\r\n')}\r\n`)
    await tab.getByRole('button', { name: 'Send 40 parcels' }).click()
    await tab.getByText('40 parcels sent.').waitFor()
    const sent = await testServer.storage.read(
      (db) => db.sql<{ number: string }>`
        select tracking_number as "number" from fulfillments where tracking_number like 'TRACK-%'`,
    )
    assert.deepEqual(new Set(sent.map(({ number }) => number)), new Set(numbers))
  })

  async function others(placed: readonly { number: string }[]): Promise<string[]> {
    const shown = await tab.locator('.rows .row-link').allInnerTexts()
    return shown.filter((number) => !placed.some((order) => order.number === number))
  }

  test('pressing Refund twice refunds once', async () => {
    const { orderId } = await testServer.orders.place({ items: { 'ROSE-12': 1, CARD: 3, BOOK: 1 } })
    await go(`orders/${orderId}/refund`)
    await tab.getByLabel('How many of Book of flowers to refund').fill('1')
    await tab.getByLabel('Put these items back into stock').check()
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByRole('button', { name: 'Refund €29.95' }).dblclick()
    await tab.getByText('Refund started.').waitFor()
    assert.deepEqual(
      (await orderWorld(testServer, orderId)).refunds.map(([, amount]) => amount),
      [2995],
    )
  })

  test('screens, rows and search can be reached by the keyboard; shortcuts do nothing in a field, and can be turned off', async () => {
    const { number } = await testServer.orders.place({ items: { CARD: 1 } })
    await go('home')
    await tab.keyboard.press('g')
    await tab.keyboard.press('o')
    await tab.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await tab.keyboard.press('j')
    await tab.keyboard.press('x')
    assert.equal(await tab.locator('[data-choose]').first().isChecked(), true)
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: /^Order T-/ }).waitFor()
    await tab.keyboard.press('/')
    await tab.keyboard.type(`go${number}`)
    assert.equal(await tab.locator('.find input').inputValue(), `go${number}`)
    await tab.locator('.find input').fill(number)
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await tab.getByRole('searchbox').or(tab.getByRole('combobox')).fill(number)
    const answer = tab.getByRole('option', { name: number })
    await answer.waitFor()
    await tab.keyboard.press('ArrowDown')
    assert.equal(await answer.getAttribute('aria-selected'), 'true')
    await tab.keyboard.press('Escape')
    assert.equal(await answer.isVisible(), false)
    await tab.keyboard.type(' ')
    await answer.waitFor()
    await tab.keyboard.press('ArrowDown')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: `Order ${number}` }).waitFor()
    await tab.locator('h1').click()
    await tab.keyboard.press('?')
    await tab.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await tab.getByLabel('Turn off single-letter shortcuts on this device').check()
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('?')
    assert.equal(await tab.locator('#shortcuts:popover-open').count(), 0)
    await tab.evaluate('localStorage.clear()')
  })

  test('the list of orders to ship and its count refresh themselves', async () => {
    await tab.clock.install()
    await go('orders')
    const waiting = async () => /\d+/.exec((await tab.locator('.tabs [aria-current]').textContent()) ?? '')?.[0]
    const before = Number(await waiting())
    const { number } = await testServer.orders.place({ items: { CARD: 1 } })
    await tab.clock.fastForward(31_000)
    await tab.getByRole('link', { name: number }).waitFor()
    assert.equal(Number(await waiting()), before + 1, 'the tab says how many there are')
    await tab.close()
    tab = await context.newPage()
  })

  test('rows that were selected by a link and then deselected stay deselected when the list refreshes itself', async () => {
    await tab.clock.install()
    await go('orders?rows=100&chosen=all')
    const all = tab.getByLabel('Select all rows')
    assert.ok(await all.isChecked())
    await all.uncheck()
    await all.blur()
    const { number } = await testServer.orders.place({ items: { CARD: 1 } })
    await tab.clock.fastForward(31_000)
    await tab.getByRole('link', { name: number }).waitFor()
    assert.equal(await tab.locator('.rows :checked').count(), 0)
    await tab.close()
    tab = await context.newPage()
  })

  test('on a telephone the menu is behind a button', async () => {
    const opened = await openTab(dashboardUser, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      locale: 'de-DE',
    })
    await opened.tab.goto(testServer.origin + dashboardUser.path('orders'))
    await opened.tab.getByRole('button', { name: 'Menü' }).click()
    await opened.tab.getByRole('link', { name: 'Start' }).click()
    await opened.tab.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await opened.context.close()
  })
})
