// Takes the pictures of docs/dashboard.md: a merchant's day in the demo shop, from an empty folder (`npm run docs:screens`).
// The server and its database are of this run and are removed after it.

import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { begin } from './process.ts'
import { saveScreen } from './screenFile.ts'
import { until } from './until.ts'

const folder = join(import.meta.dirname, '..', 'docs', 'images', 'dashboard')

interface Shot {
  name: string
  // (default: desktop, light)
  on?: 'telephone'
  isDark?: true
  // The page that was opened last is pictured.
  take(page: Page, at: (path: string) => string): Promise<void>
}

const shots: readonly Shot[] = [
  { name: '01-home', take: async (page, at) => void (await page.goto(at('home'))) },
  {
    name: '02-to-send',
    async take(page, at) {
      await page.goto(at('orders'))
      await page.locator('thead input[type=checkbox]').check()
    },
  },
  {
    name: '03-packing-slips',
    async take(page, at) {
      await page.goto(at('orders'))
      for (const row of [0, 1]) await page.locator('tbody input[type=checkbox]').nth(row).check()
      const opened = page.waitForEvent('popup')
      await page.getByRole('button', { name: 'Print packing slips' }).click()
      await (await opened).waitForLoadState()
    },
  },
  {
    name: '04-tracking-numbers',
    async take(page, at) {
      await page.goto(at('orders'))
      await page.locator('thead input[type=checkbox]').check()
      await page.getByRole('button', { name: /^Send/ }).click()
      await page.waitForURL(/orders\/send/)
      await page.fill('[name=carrier]', 'DHL')
      for (const [row, cell] of (await page.locator('[name^=tracking-]').all()).slice(0, 9).entries())
        await cell.fill(`00340434161094${8_027_310 + row * 17}`)
    },
  },
  { name: '05-order', take: (page, at) => openOrder(page, at, 'partially_refunded') },
  {
    name: '06-refund',
    async take(page, at) {
      await openOrder(page, at, 'paid')
      await page.getByRole('link', { name: 'Refund', exact: true }).click()
      await page.locator('[name^=quantity-]').first().fill('1')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: /^Refund €/ }).waitFor()
    },
  },
  {
    name: '07-search',
    on: 'telephone',
    async take(page, at) {
      await page.goto(at('search?q=Wiebe'))
      await page.locator('.result-name').first().waitFor()
    },
  },
  {
    name: '13-return',
    async take(page, at) {
      await openReturn(page, at)
      await page.getByRole('link', { name: 'Approve', exact: true }).click()
      await page.fill('[name=instructions]', 'Please send it to Alder & Finch, Lange Straße 12, 10117 Berlin.')
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('The customer gets an e-mail.').waitFor()
    },
  },
  {
    name: '14-exchange',
    async take(page, at) {
      await openReturn(page, at)
      await page.goto(`${page.url().split('?')[0]}/exchange`)
      await page.fill('[name=product-0]', 'LMP-ARC-CHA')
      await page.fill('[name=quantity-0]', '1')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Make the link' }).waitFor()
    },
  },
  {
    name: '15-edit',
    async take(page, at) {
      await page.goto(at('orders'))
      await page.locator('tbody a[href*="/orders/ord_"]').first().click()
      await page.getByRole('link', { name: 'Edit items' }).click()
      await page.fill('[name=product-0]', 'CND-SOY-FIG-220')
      await page.fill('[name=quantity-0]', '2')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page
        .getByText(/The customer pays/)
        .first()
        .waitFor()
    },
  },
  {
    name: '16-draft',
    async take(page, at) {
      await page.goto(at('drafts'))
      await page.locator('tbody a[href*="/drafts/dft_"]').first().click()
      await page.locator('#draft-link').waitFor()
    },
  },
  {
    name: '17-customer',
    async take(page, at) {
      await page.goto(at('customers?q=Wiebe'))
      await page.locator('tbody a[href*="/customers/cst_"]').first().click()
      await page.getByRole('button', { name: 'Show' }).first().click()
      await page.locator('address').first().waitFor()
    },
  },
  { name: '08-stock', take: async (page, at) => void (await page.goto(at('stock?stock=low'))) },
  {
    name: '09-prices',
    async take(page, at) {
      await page.goto(at('products/prices'))
      await page.fill('[name=percent]', '5')
      await page.getByRole('button', { name: 'Show new prices' }).click()
      await page.locator('table').first().waitFor()
    },
  },
  {
    name: '10-product',
    async take(page, at) {
      await page.goto(at('products?q=Speckled'))
      await page
        .getByRole('link', { name: /Speckled/ })
        .first()
        .click()
      await page.waitForURL(/products\/prd_/)
    },
  },
  { name: '11-reports', isDark: true, take: async (page, at) => void (await page.goto(at('reports?by=product'))) },
  { name: '12-webhooks', take: async (page, at) => void (await page.goto(at('developers'))) },
  { name: '13-agents', take: async (page, at) => void (await page.goto(at('settings/agents'))) },
  {
    name: '14-platforms',
    async take(page, at) {
      for (const host of ['shopping.example', 'assistant.example'])
        await page.request.post(`${new URL(at('')).origin}/ucp/alder-finch/test/catalog/search`, {
          headers: { 'ucp-agent': `profile="https://${host}/.well-known/ucp"` },
          data: { query: 'mug' },
        })
      await page.goto(at('settings/agents/platforms'))
    },
  },
  { name: '15-assistants', take: async (page, at) => void (await page.goto(at('developers/assistants'))) },
]

async function openOrder(page: Page, at: (path: string) => string, payment: string): Promise<void> {
  await page.goto(at(`orders?view=all&payment=${payment}`))
  await page.locator('tbody a[href*="/orders/ord_"]').first().click()
  await page.waitForURL(/orders\/ord_/)
}

// One that a shopper has asked for on the page of the order, or the newest that is open.
async function openReturn(page: Page, at: (path: string) => string): Promise<void> {
  await page.goto(at('returns'))
  const rows = page.locator('tbody tr')
  const asked = rows.filter({ hasText: 'Requested' })
  const row = (await asked.count()) > 0 ? asked.first() : rows.first()
  await row.locator('a[href*="/returns/ret_"]').first().click()
  await page.waitForURL(/returns\/ret_/)
}

const sizes = { desktop: { width: 1280, height: 800 }, telephone: { width: 390, height: 780 } } as const

async function main(only: readonly string[]): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'cartwright-screens-'))
  const server = begin(['serve'], {
    PORT: '0',
    HOST: '127.0.0.1',
    CARTWRIGHT_DATABASE_URL: `sqlite:${join(place, 'shop.db')}`,
    CARTWRIGHT_DEMO_HISTORY: 'on',
  })
  const browser = await launchBrowser()
  try {
    let printed = ''
    server.stdout?.on('data', (text: string) => {
      printed += text
    })
    const port = await until(() => /"message":"listening".*?"port":(\d+)/.exec(printed)?.[1], 'the server')
    await until(() => printed.includes('order history of the demo shop created') || undefined, 'the history')
    const [, email = '', password = ''] = / {2}sign in +(\S+) +password (\S+)/.exec(printed) ?? []
    const origin = `http://localhost:${port}`
    const at = (path: string) => `${origin}/admin/alder-finch/test/${path}`
    const entrance = await (await browser.newContext()).newPage()
    await entrance.goto(`${origin}/admin`)
    await entrance.fill('[name=email]', email)
    await entrance.fill('[name=password]', password)
    await entrance.getByRole('button', { name: 'Sign in', exact: true }).click()
    await entrance.waitForURL(/\/home/)
    // Loops index the orders for the search, and count the sales.
    await until(async () => {
      await entrance.goto(at('search?q=Wiebe'))
      return (await entrance.locator('.result-name').count()) > 0 || undefined
    }, 'an order in the search')
    await until(async () => {
      await entrance.goto(at('reports?by=product'))
      return (await entrance.locator('tbody tr').count()) > 10 || undefined
    }, 'the report')
    const storageState = await entrance.context().storageState()
    await mkdir(folder, { recursive: true })
    for (const { name, on = 'desktop', isDark, take } of shots) {
      if (only.length > 0 && !only.includes(name)) continue
      const context = await browser.newContext({
        storageState,
        viewport: sizes[on],
        colorScheme: isDark ? 'dark' : 'light',
        locale: 'en-GB',
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      await take(page, at)
      const shown = context.pages().at(-1) ?? page
      await shown.waitForLoadState('networkidle')
      await saveScreen(shown, join(folder, `${name}.webp`))
      await context.close()
      process.stdout.write(`${name} ${(await stat(join(folder, `${name}.webp`))).size} bytes\n`)
    }
  } finally {
    await browser.close()
    server.kill()
    await rm(place, { recursive: true, force: true })
  }
}

await main(process.argv.slice(2))
