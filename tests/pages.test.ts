// The pages of the site in a real browser: readable for everyone, on a desktop and on a phone, in light and in dark,
// without script too, and without a word to any other host.

import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { type PageServer, servePages } from '../harness/pageServer.ts'
import { violations } from '../harness/readable.ts'
import { isWide } from '../harness/wide.ts'
import { sitePages } from '../src/web/docs/pages.ts'

const { after, before, describe, test } = browserSuite

let server: PageServer
let browser: Browser
let origin = ''

before(async () => {
  const pages = sitePages({
    origin: () => origin,
    version: '1.2.3',
    engine: 'sqlite',
    listShops: async () => [{ slug: 'hearth', name: 'Hearth & Hollow', productSlug: 'oak-bowl' }],
    demo: () => true,
  })
  server = await servePages(pages)
  origin = server.origin
  browser = await launchBrowser()
})

after(async () => {
  await browser.close()
  await server.close()
})

const sizes = { desktop: { width: 1280, height: 800 }, telephone: { width: 390, height: 844 } }
for (const path of ['/', '/docs', '/docs/extensions']) {
  for (const [device, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      // Colours do not hang on the width, and the reference is long.
      const isPair = (device === 'desktop') === (colorScheme === 'dark')
      if (!isWide && (path !== '/' ? device === 'desktop' || !isPair : isPair)) continue
      test(`${path} is accessible and fits the window on a ${device} in ${colorScheme} mode`, async () => {
        await visit(path, { viewport, colorScheme }, async (tab) => {
          // What is folded away must be as readable as the rest.
          await tab.evaluate(`for (const fold of document.querySelectorAll('details')) fold.open = true`)
          const overhang = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
          assert.equal(overhang, 0, 'wider than the window')
          // All parts of the reference are made alike, and axe needs seconds for the whole of them.
          if (!isWide)
            await tab.evaluate(`[...document.querySelectorAll('.operation')].slice(3).forEach((one) => one.remove())`)
          assert.deepEqual(await violations(tab), [])
        })
      })
    }
  }
}

describe('the reference', () => {
  test('shows its table of contents on a desktop without script, and folds it on a telephone', async () => {
    await visit('/docs/carts', { viewport: sizes.desktop, javaScriptEnabled: false }, async (tab) => {
      const link = tab.locator('.contents a[href="#getPublicCart"]')
      assert(await link.isVisible())
      await link.focus()
      assert.equal(await tab.locator('.contents a:focus').getAttribute('href'), '#getPublicCart')
      assert(await tab.locator('#getPublicCart').isVisible())
    })
    await visit('/docs', { viewport: sizes.telephone, javaScriptEnabled: false }, async (tab) => {
      const link = tab.locator('.contents a[href="/docs/carts#getPublicCart"]')
      assert(!(await link.isVisible()))
      await tab.locator('.contents summary').click()
      assert(await link.isVisible())
    })
  })

  test('filters its table of contents, copies examples and marks the current section with script', async () => {
    await visit(
      '/docs',
      { viewport: sizes.desktop, permissions: ['clipboard-read', 'clipboard-write'] },
      async (tab) => {
        await tab.getByLabel('Filter the contents').fill('cart cancel')
        assert.equal(await tab.locator('.contents li:visible').count(), 0)
        await tab.getByLabel('Filter the contents').fill('cancel')
        assert(await tab.locator('.contents a[href="/docs/orders#cancelStorefrontOrder"]').isVisible())
        assert(!(await tab.locator('.contents a[href="/docs/carts#getPublicCart"]').isVisible()))

        await tab.locator('.contents a[href="/docs/orders#cancelStorefrontOrder"]').click()
        await tab.waitForURL(/\/docs\/orders#cancelStorefrontOrder$/)
        await tab.locator('.contents a[href="#cancelStorefrontOrder"]').click()
        await tab.locator('.contents a[href="#cancelStorefrontOrder"][aria-current]').waitFor()

        await tab.getByLabel('Copy: Example request of cancelStorefrontOrder').click()
        assert.match(await tab.evaluate<string>('navigator.clipboard.readText()'), /^curl -X POST .*\/cancellations/)

        // Without a clipboard the text is selected, for the keyboard.
        await tab.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))')
        await tab.getByLabel('Copy: Example request of cancelStorefrontOrder').click()
        await tab.locator('.copy', { hasText: 'Press Ctrl+C' }).waitFor()
        assert.match(await tab.evaluate<string>('String(getSelection())'), /^curl -X POST .*\/cancellations/)
      },
    )
  })

  test('links into the former single page lead to an entry that links to the operation', async () => {
    await visit('/docs#setPublicCartAddress', { viewport: sizes.telephone, javaScriptEnabled: false }, async (tab) => {
      await tab.locator('#setPublicCartAddress a').click()
      await tab.waitForURL(/\/docs\/carts#setPublicCartAddress$/)
    })
  })

  test('a section that is opened by a link is not hidden by the fixed bar', async () => {
    for (const viewport of Object.values(sizes)) {
      await visit('/docs/carts#setPublicCartAddress', { viewport }, async (tab) => {
        const heading = await tab.locator('#setPublicCartAddress h2').boundingBox()
        const bar = await tab.locator(viewport === sizes.desktop ? '.bar' : '.contents').boundingBox()
        assert(heading && bar)
        assert(heading.y >= bar.y + bar.height && heading.y < viewport.height / 2, `at ${heading.y}`)
      })
    }
  })
})

// Opens a page and fails if it said anything on the console, refused something by its own policy, or asked another host.
async function visit(path: string, options: BrowserContextOptions, look: (tab: Tab) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options)
  const complaints: string[] = []
  const tab = await context.newPage()
  tab.on('console', (message) => complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(String(error)))
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`asked ${request.url()}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  try {
    await tab.goto(`${origin}${path}`, { waitUntil: 'load' })
    await look(tab)
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
  }
}
