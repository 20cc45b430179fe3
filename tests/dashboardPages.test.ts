// Every page of the dashboard is valid HTML, and can be read by everyone on a desktop and on a telephone.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { frameParts } from '../harness/dashboard.ts'
import { type SeenPage, type WalkedDashboard, walkDashboard } from '../harness/dashboardPages.ts'
import { layoutFaults, violations } from '../harness/readable.ts'
import { anyEngine } from '../harness/storage.ts'
import { isWide } from '../harness/wide.ts'
import { screens } from '../src/web/dashboard/screens.ts'

interface HtmlValidateModule {
  HtmlValidate: new (
    rules: unknown,
  ) => {
    validateString(html: string): Promise<{
      results: readonly {
        messages: readonly { ruleId: string; message: string; line: number; column: number }[]
      }[]
    }>
  }
}

const { HtmlValidate } = createRequire(import.meta.url)('html-validate') as HtmlValidateModule

const looks = [
  { viewport: { width: 1_280, height: 800 }, colorScheme: 'light', locale: 'en-GB' },
  { viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'de-DE' },
  { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark', locale: 'de-DE' },
  { viewport: { width: 360, height: 740 }, colorScheme: 'light', locale: 'en-GB' },
] as const

// Where each page is pictured in each look that is shown, to be looked at by a person.
const shotsFolder = process.env.CARTWRIGHT_TEST_SHOTS

function shotName(path: string, { viewport, colorScheme, locale }: (typeof looks)[number]): string {
  const name = path.replace(/^\/admin\/[\w-]+\/(?:test\/)?/, '').replaceAll(/[^\w-]+/g, '.')
  return `${name.slice(0, 120)}.${viewport.width}.${colorScheme}.${locale.slice(0, 2)}.png`
}

anyEngine('the pages of the dashboard', (given) => {
  let testServer: WalkedDashboard['testServer']
  let dashboardUser: WalkedDashboard['dashboardUser']
  let pages: WalkedDashboard['pages']

  before(async () => {
    ;({ testServer, dashboardUser, pages } = await walkDashboard(given))
  })

  test('every page is valid HTML', async () => {
    const rules = new URL('../.htmlvalidate.json', import.meta.url)
    const validator = new HtmlValidate(JSON.parse(await readFile(rules, 'utf8')))
    const found: string[] = []
    // Pages of one screen differ in their data.
    const first = new Set(pagesToSee())
    const isTaken = ({ path, html }: SeenPage) => isWide || first.has(path) || !html.startsWith('<!doctype')
    for (const { path, html } of pages.filter(isTaken)) {
      const { results } = await validator.validateString(html)
      // The validator keeps the loop busy, and a server in the same process that is too late refuses requests.
      await setImmediate()
      for (const { messages } of results)
        for (const { ruleId, message, line, column } of messages)
          found.push(
            `${path} ${ruleId}: ${message} ${html.split('\n')[line - 1]?.slice(Math.max(0, column - 60), column + 60)}`,
          )
    }
    assert.deepEqual(found.slice(0, 20), [])
  })

  // One page of each screen, and those that were asked for by their query.
  function pagesToSee(): string[] {
    const patterns = screens.map(({ path }) => new RegExp(`^${dashboardUser.path(path).replaceAll(/:\w+/g, '[^/]+')}$`))
    const seen = new Set<RegExp | undefined>()
    return pages
      .filter(({ path, html }) => {
        const pattern = path.includes('?') ? undefined : patterns.find((one) => one.test(path))
        const isNew = pattern === undefined || !seen.has(pattern)
        seen.add(pattern)
        // Some answers are for scripts.
        return isNew && html.startsWith('<!doctype')
      })
      .map(({ path }) => path)
  }

  browserSuite.test('every page is accessible, and no word or price is broken across lines', async () => {
    const browser = await launchBrowser()
    const paths = pagesToSee()
    const found: string[] = []
    // `npm run proof -- browser` shows each page in every look, and `npm test` in one of two.
    for (const [turn, look] of (isWide ? looks : looks.slice(0, 2)).entries()) {
      const context = await browser.newContext(look)
      await context.addCookies([{ name: 'staff_session', value: dashboardUser.token, url: testServer.origin }])
      const tab = await context.newPage()
      for (const [place, path] of paths.filter((_, at) => isWide || at % 2 === turn).entries()) {
        await tab.goto(testServer.origin + path)
        if (shotsFolder) await tab.screenshot({ path: join(shotsFolder, shotName(path, look)), fullPage: true })
        // What all pages have is looked at on the first of them.
        const rules = await violations(tab, ['best-practice'], {
          except: place === 0 ? [] : frameParts,
          // Two fifths of axe's time. Pages are made of the same pieces, in the colours of one sheet.
          without: isWide || place % 3 === 0 ? [] : ['color-contrast'],
        })
        const faults = await layoutFaults(tab)
        await tab.evaluate(`document.documentElement.setAttribute('dir', 'rtl')`)
        const isWider = await tab.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        )
        const all = [...rules, ...faults, ...(isWider ? ['scrolls sideways from right to left'] : [])]
        found.push(...all.map((fault) => `${path} ${look.viewport.width} ${look.colorScheme} ${fault}`))
      }
      await context.close()
    }
    await browser.close()
    assert.ok(paths.length > 120, `${paths.length} pages`)
    assert.deepEqual(found, [])
  })
})
