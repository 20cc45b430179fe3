// A merchant's day in a real browser, by keyboard alone and on a telephone; finding an order by what is sealed; large files; and a
// person from the invitation to the end of the session.

import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { runTransfers } from '../harness/admin/transfers.ts'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer, orderWorld } from '../harness/orders.ts'
import { violations } from '../harness/readable.ts'
import { anyEngine } from '../harness/storage.ts'
import { cheapCost, type TestServer, testSecret } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { sweepAddresses } from '../src/domain/addresses/vault.ts'
import { indexOrders } from '../src/domain/search/orders.ts'
import { hashPassword } from '../src/domain/users/password.ts'
import { totpCodeAt, totpStepAt } from '../src/domain/users/totp.ts'
import { createUser } from '../src/domain/users/users.ts'

const { after, before, test } = browserSuite

const password = 'four words nobody guesses'
const atDashboard: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, locale: 'en-GB' }
const onTelephone: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, locale: 'en-GB' }

let browser: Browser
before(async () => {
  browser = await launchBrowser()
})
after(() => browser.close())

// What one walk needs, whichever way a person works.
interface Hands {
  press(name: string | RegExp): Promise<void>
  type(label: string | RegExp, text: string): Promise<void>
  place(name: string): Promise<void>
}

// Only keys: what is meant must get the focus by Tab.
function keyboard(tab: Page): Hands {
  const focused = () =>
    tab.evaluate<string>(`(() => {
      const { activeElement: one } = document
      const name = one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent
      return one === document.body ? '' : name.replaceAll(/\\s+/g, ' ').trim()
    })()`)
  async function reach(name: string | RegExp) {
    const fits = (text: string) => (typeof name === 'string' ? text === name : name.test(text))
    const seen: string[] = []
    for (let steps = 0; steps < 150; steps++) {
      const text = await focused()
      if (fits(text)) return
      seen.push(text)
      await tab.keyboard.press('Tab')
    }
    assert.fail(`${name} was not reached: ${seen.join(' | ')}`)
  }
  return {
    async press(name) {
      await reach(name)
      const isBox = await tab.evaluate<boolean>(`document.activeElement.matches('[type=checkbox], [type=radio]')`)
      await tab.keyboard.press(isBox ? 'Space' : 'Enter')
    },
    async type(label, text) {
      await reach(label)
      await tab.keyboard.press('Control+A')
      await tab.keyboard.type(text)
    },
    place: (name) => keyboard(tab).press(name),
  }
}

function touch(tab: Page): Hands {
  const named = (name: string | RegExp) =>
    tab
      .getByRole('link', { name, exact: true })
      .or(tab.getByRole('button', { name, exact: true }))
      .or(tab.getByRole('checkbox', { name, exact: true }))
      .filter({ visible: true })
  return {
    press: (name) => named(name).first().tap(),
    type: (label, text) =>
      tab.getByLabel(label, { exact: true }).and(tab.locator('input')).filter({ visible: true }).first().fill(text),
    async place(name) {
      await tab.getByRole('button', { name: 'Menu' }).tap()
      await tab.locator('#side').getByRole('link', { name, exact: true }).tap()
    },
  }
}

anyEngine('daily work in the dashboard', (given) => {
  let testServer: TestServer & { orders: Orders }
  let dashboardUser: DashboardUser
  before(async () => {
    testServer = await openOrderTestServer(given)
    dashboardUser = await dashboardUserOf(testServer)
    const input = {
      email: 'ada@bloom.example',
      passwordHash: await hashPassword(password, cheapCost),
      merchantIds: [testServer.merchantId],
    }
    await testServer.storage.write((tx) => createUser(tx, testSecret, input, testServer.clock.now))
  })

  async function openTab({ token }: DashboardUser, look: BrowserContextOptions = atDashboard): Promise<Page> {
    const context = await browser.newContext(look)
    await context.addCookies([{ name: 'staff_session', value: token, url: testServer.origin }])
    return context.newPage()
  }

  const heading = (tab: Page, name: string | RegExp) => tab.getByRole('heading', { level: 1, name }).waitFor()

  for (const [name, look, handsOf] of [
    ['by keyboard alone', atDashboard, keyboard],
    ['on a telephone', onTelephone, touch],
  ] as const)
    test(`${name}: sign in, ship ten orders, refund one, change a price, search`, async () => {
      const quote = await testServer.orders.quote({ items: { CARD: 2 } })
      const placed = []
      for (let count = 0; count < 10; count++)
        placed.push(await testServer.orders.place({ quote, now: testServer.clock.now + count }))
      const context = await browser.newContext(look)
      const tab = await context.newPage()
      const hands = handsOf(tab)
      await tab.goto(`${testServer.origin}/admin`)
      await hands.type('E-mail', 'ada@bloom.example')
      await hands.type('Password', password)
      await hands.press('Sign in')
      await heading(tab, 'Home')

      await hands.place('Orders')
      await heading(tab, 'Orders')
      if (look === atDashboard) await hands.press('Select all rows')
      else for (const { number } of placed) await hands.press(`Select ${number}`)
      await hands.press('Send')
      await heading(tab, 'Send 10 orders')
      await hands.press('Send 10 parcels')
      await tab.getByText('10 parcels sent.').waitFor()

      const [first] = placed
      assert.ok(first)
      if (look === onTelephone) await hands.press('Search')
      await hands.type(look === atDashboard ? 'Search' : /^Order number, name/, first.number)
      await tab.keyboard.press('Enter')
      await heading(tab, 'Search')
      await hands.press(new RegExp(`^${first.number}`))
      await heading(tab, `Order ${first.number}`)
      await hands.press('Refund')
      await hands.type(/^How many of .* to refund$/, '1')
      await hands.press('Continue')
      await tab.getByRole('button', { name: /^Refund €/ }).waitFor()
      await hands.press(/^Refund €/)
      await tab.getByText('Refund started.').waitFor()
      const world = await orderWorld(testServer, first.orderId)
      assert.equal(world.refunds.length, 1)

      await hands.place('Products')
      await heading(tab, 'Products')
      await hands.press('Stock and prices')
      await heading(tab, 'Stock and prices')
      const price = look === atDashboard ? '4.20' : '4.30'
      await hands.type('Price, CARD', price)
      await hands.press('Save')
      await tab.getByText('1 SKU saved.').waitFor()
      const [sku] = await testServer.storage.read(
        (db) => db.sql<{ price: number }>`
          select price from skus where merchant_id = ${testServer.merchantId} and code = 'CARD'`,
      )
      assert.equal(Number(sku?.price), Number(price) * 100)
      await context.close()
    })

  test('an order is found by surname, e-mail address and number; once its address is erased, by its number, but not by surname or postal code', async () => {
    const { ready, pay } = await checkoutOf(testServer)
    const { secret, view } = await ready({ CARD: 1 })
    const orderId = (await pay(secret, view)).view.session.orderId ?? ''
    const index = () => indexOrders(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    while ((await index()) > 0);
    const { number } = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
    const tab = await openTab(dashboardUser)
    await tab.goto(testServer.origin + dashboardUser.path('home'))
    const finds = async (text: string) => {
      await tab.keyboard.press('/')
      await tab.keyboard.type(text)
      await tab.keyboard.press('Enter')
      await tab.waitForURL((url) => url.searchParams.get('q') === text)
      return tab.locator(`main a[href$="/orders/${orderId}"]`).count()
    }
    for (const text of ['Lovelace', 'ada@example.com', number]) assert.equal(await finds(text), 1, text)
    const expired = testServer.clock.now
    await testServer.storage.write(
      (tx) => tx.sql`update addresses set expires_at = ${expired} where owner_id = ${orderId}`,
    )
    await sweepAddresses(testServer.storage, testServer.clock.now, 10)
    assert.deepEqual([await finds('Lovelace'), await finds('10117'), await finds(number)], [0, 0, 1])
    await tab.context().close()
  })

  // Of 100 products.
  const variants = isWide ? 100 : 20
  test(`a file of ${100 * variants} rows is sent in pieces, and its three invalid rows are named; importing an export changes nothing`, async () => {
    const tab = await openTab(dashboardUser)
    await tab.goto(testServer.origin + dashboardUser.path('settings/transfers'))
    const [file] = await Promise.all([
      tab.waitForEvent('download'),
      tab.locator('.card', { hasText: 'Orders without dates' }).getByRole('link', { name: 'Products' }).click(),
    ])
    await tab.getByLabel('File', { exact: true }).setInputFiles(await file.path())
    await tab.getByRole('button', { name: 'Upload and compare' }).click()
    await tab.getByText('The file is compared with the shop.').waitFor()
    await runTransfers(testServer)
    // The page reads itself again soon.
    await tab.getByText('Nothing to change.').waitFor()

    // Letters of several bytes, so pieces would be cut amid one.
    const text = 'ßé€😀'.repeat(isWide ? 2_000 : 300)
    const rows = ['Handle,Title,Body (HTML),Option1 Name,Option1 Value,Variant SKU,Variant Price']
    for (let product = 0; product < 100; product++)
      for (let variant = 0; variant < variants; variant++) {
        const head = variant === 0 ? `Bulk ${product},${text},Size` : ',,'
        const price = product % 40 === 0 && variant === 10 ? 'free' : '12.00'
        rows.push(`bulk-${product},${head},s${variant},BULK-${product}-${variant},${price}`)
      }
    const buffer = Buffer.from(rows.join('\n'))
    const posts: string[] = []
    tab.on('request', (request) => {
      if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
    })
    await tab.goto(testServer.origin + dashboardUser.path('settings/transfers'))
    await tab.getByLabel('File', { exact: true }).setInputFiles({ name: 'bulk.csv', mimeType: 'text/csv', buffer })
    await tab.getByRole('button', { name: 'Upload and compare' }).dblclick()
    await heading(tab, 'bulk.csv')
    assert.equal(posts.length, Math.ceil(buffer.length / 262_128))
    assert.ok(posts.length > 1)
    await runTransfers(testServer)
    await tab.getByText('100 things would change.').waitFor()
    assert.deepEqual(await violations(tab, ['best-practice']), [])
    await tab.setViewportSize({ width: 360, height: 740 })
    await tab.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await violations(tab, ['best-practice']), [])
    assert.ok(await tab.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), 'scrolls sideways')
    const refused = await tab
      .locator('table', { hasText: 'Rows that cannot be taken' })
      .locator('tbody tr')
      .allInnerTexts()
    assert.deepEqual(
      refused.map((row) => row.match(/^Line (\d+).*"free"/s)?.[1]),
      [0, 40, 80].map((product) => String(product * variants + 12)),
    )
    await tab.getByRole('button', { name: 'Discard' }).click()
    await tab.getByText('Import discarded.').waitFor()
    await tab.context().close()
  })

  test('a person is invited by a link, turns on a second factor, and must sign in again when an owner ends the sessions', async () => {
    const tab = await openTab(dashboardUser)
    await tab.goto(testServer.origin + dashboardUser.path('settings/people/invite'))
    await tab.getByLabel('E-mail', { exact: true }).fill('grace@bloom.example')
    await tab.getByRole('button', { name: 'Invite' }).click()
    const link = await tab.locator('#secret').inputValue()

    const context = await browser.newContext(atDashboard)
    const page = await context.newPage()
    await page.goto(link)
    await page.reload()
    await page.locator('[name=password]').fill(password)
    await page.locator('main button').first().click()
    await page.getByRole('link', { name: 'Home', exact: true }).waitFor()
    assert.equal((await page.goto(link))?.status(), 404, 'the link was used')

    const signIn = async () => {
      await page.goto(`${testServer.origin}/admin/sign-in?next=/admin/account`)
      await page.locator('[name=email]').fill('grace@bloom.example')
      await page.locator('[name=password]').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await page.goto(`${testServer.origin}/admin/account`)
    await page.getByRole('link', { name: 'Set up an authenticator app' }).click()
    await page.locator('.qr').waitFor()
    const text = await page.locator('main').innerText()
    const secret = fromBase32(/((?:[A-Z2-7]{4} ){3,}[A-Z2-7]{1,4})/.exec(text)?.[1] ?? '')
    const code = () => totpCodeAt(secret, totpStepAt(testServer.clock.now))
    await page.locator('[name=code]').fill(code())
    await page
      .locator('form', { has: page.locator('[name=code]') })
      .getByRole('button')
      .click()
    const [recovery = ''] = (await page.getByLabel('Your recovery codes').inputValue()).split('\n')

    const enter = async (typed: string) => {
      await context.clearCookies()
      await signIn()
      await page.locator('[name=code]').fill(typed)
      await page
        .locator('form', { has: page.locator('[name=code]') })
        .getByRole('button')
        .first()
        .click()
      await page.waitForLoadState()
      return page.url().endsWith('/account')
    }
    assert.equal(await enter(code()), false, 'this code turned it on')
    testServer.clock.now += 60_000
    assert.equal(await enter(code()), true)
    assert.equal(await enter(code()), false, 'a used code')
    assert.equal(await enter(recovery), true)
    assert.equal(await enter(recovery), false, 'a used recovery code')
    testServer.clock.now += 60_000
    assert.equal(await enter(code()), true)

    await page.goto(testServer.origin + dashboardUser.path('orders'))
    await tab.goto(testServer.origin + dashboardUser.path('settings/people'))
    await tab.getByRole('link', { name: 'Edit grace@bloom.example' }).click()
    await tab.getByRole('dialog').getByRole('link', { name: 'End sessions' }).click()
    await tab.getByRole('button', { name: 'End sessions' }).click()
    await tab.getByText('Sessions ended.').waitFor()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.waitForURL(/\/admin\/sign-in\?next=/)
    await context.close()
    await tab.context().close()
  })
})

function fromBase32(text: string): Buffer {
  const bits = [...text.replaceAll(' ', '')]
    .map((character) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
