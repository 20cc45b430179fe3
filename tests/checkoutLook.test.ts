// The merchant's logo and colour on the shopper's pages: from the shop file, checked there, and readable whatever the colour is.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { violations } from '../harness/readable.ts'
import { eachEngine, givenEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { palettesFor } from '../src/domain/sites/palette.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { contrast, parseColor } from '../src/platform/html/color.ts'
import { themeStyleSheet } from '../src/web/checkout/look.ts'

const looking = (look: Pick<ShopFile['merchant'], 'logo' | 'color'>): ShopFile => ({
  ...market,
  merchant: { ...market.merchant, ...look },
})

const logo = 'https://cdn.example/bloom.svg'

eachEngine('the logo and color of a merchant', (given) => {
  test('are on the checkout and on the order page until the shop file removes them', async () => {
    const testServer = await openTestServer(given, { shops: [looking({ logo, color: '#2C4C3E' })] })
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    const page = async (path: string) => (await testServer.fetch(path)).text
    const sheet = /<link rel="stylesheet" href="\/checkout\/color\/2c4c3e\.css">/
    const picture = `<img class="logo" src="${logo}" alt="${market.merchant.name}">`
    const open = await page(`/c/${secret}`)
    assert.match(open, sheet)
    assert.ok(open.includes(picture), open.slice(0, 2_000))
    assert.doesNotMatch(open, /class="monogram"/)
    await checkout.pay(secret, view)
    const path = (await checkout.look(secret)).order?.statusPath ?? ''
    const order = await page(path)
    assert.match(order, sheet)
    assert.ok(order.includes(picture))

    const { changes } = await applyShop(testServer.storage, market, {
      now: testServer.clock.now,
      stock: false,
      dryRun: false,
    })
    assert.deepEqual(
      changes.filter(({ what }) => what === 'merchant').map(({ members }) => members.map(({ member }) => member)),
      [['logo', 'color']],
    )
    const plain = await page(path)
    assert.doesNotMatch(plain, /checkout\/color|class="logo"/)
    assert.match(plain, /class="monogram"/)
  })
})

describe('a shop file', () => {
  const wrong = [
    ['color', 'green'],
    ['color', '#2c4'],
    ['color', '#2c4c3e;}'],
    ['logo', 'http://cdn.example/bloom.svg'],
    ['logo', 'javascript:alert(1)'],
    ['logo', 'data:image/png;base64,AAAA'],
    ['logo', '//cdn.example/bloom.svg'],
  ] as const
  for (const [member, value] of wrong) {
    test(`with the ${member} ${value} is refused with its path`, () => {
      const text = JSON.stringify({ ...market, merchant: { ...market.merchant, [member]: value } })
      const read = readShopFile(text, 1_000)
      assert.deepEqual('problems' in read && read.problems.map(({ path }) => path), [`/merchant/${member}`])
    })
  }
})

describe('the style sheet of a color', () => {
  const given = givenEngine('sqlite')
  let browser: Browser
  browserSuite.before(async () => {
    browser = await launchBrowser()
  })
  browserSuite.after(() => browser.close())

  // Too light, too dark, in between, and the ones in which neither black nor white text is comfortable.
  const colors = ['#ffffff', '#ffef5c', '#ff7a00', '#777777', '#2c4c3e', '#000000']

  const lineOf = (lines: string, name: string) => new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(lines)?.[1] ?? ''

  test('has the background colors of the storefront, and readable text on every background and on the button', () => {
    for (const text of colors) {
      const color = parseColor(text)
      assert.ok(color)
      const sheet = themeStyleSheet({ color, font: 'system', corners: 'round', scheme: 'auto' })
      const [everywhere = '', screen = '', dark = ''] = sheet.split('@media')
      const light = everywhere + screen
      const shop = palettesFor(text)
      assert.ok(shop)
      for (const [lines, palette, signals] of [
        // What is said of mistakes and warnings has colours of its own (tokens.css).
        [light, shop.light, ['#a3361d', '#765000', '#25643a']],
        [dark, shop.dark, ['#f29a82', '#e6b84a', '#8fd0a2']],
      ] as const) {
        const value = (name: string) => parseColor(lineOf(lines, name)) ?? [0, 0, 0]
        for (const ground of ['paper', 'sheet', 'well'] as const) {
          assert.equal(lineOf(lines, ground), palette[ground], `${text} ${ground}`)
          for (const ink of ['ink', 'ink-soft', 'accent'])
            assert.ok(contrast(value(ink), value(ground)) >= 4.5, `${text} ${ink} on ${ground}`)
          for (const signal of signals)
            assert.ok(contrast(parseColor(signal) ?? [0, 0, 0], value(ground)) >= 4.5, `${text} ${signal} on ${ground}`)
          assert.ok(contrast(value('field-line'), value(ground)) >= 3, `${text} field on ${ground}`)
        }
        for (const [one, other] of [
          ['action', 'action-ink'],
          ['action-over', 'action-ink'],
        ] as const)
          assert.ok(contrast(value(one), value(other)) >= 4.5, `${text} ${one}`)
      }
    }
  })

  browserSuite.test('has no accessibility violations in a browser, in light and dark mode', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    testServer.clock.now = Date.now()
    const { secret } = await (await checkoutOf(testServer)).ready({ CARD: 1 })
    const tab = await browser.newPage()
    const refused: string[] = []
    tab.on('console', (message) => refused.push(message.text()))
    for (const [place, color] of colors.entries()) {
      await testServer.apply(looking({ color }))
      await tab.emulateMedia({ colorScheme: place % 2 === 0 ? 'light' : 'dark' })
      await tab.goto(`${testServer.origin}/c/${secret}`)
      const shown = await tab.evaluate<string>(
        `getComputedStyle(document.getElementById('pay-button')).backgroundColor`,
      )
      assert.equal(shown, `rgb(${parseColor(color)?.join(', ')})`)
      assert.deepEqual(await violations(tab), [], color)
    }
    assert.deepEqual(refused, [])
    await tab.close()
  })

  browserSuite.test('prints the order page and the receipt on white without buttons, also in dark mode', async () => {
    const testServer = await openTestServer(given, { shops: [looking({ color: '#ffef5c' })] })
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    await checkout.pay(secret, view)
    const { order } = await checkout.look(secret)
    const tab = await browser.newPage()
    await tab.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const path of [order?.statusPath, `${order?.statusPath}/receipt`]) {
      await tab.goto(testServer.origin + path)
      const printed = await tab.evaluate<{
        ground: string
        text: string
        clicks: number
        grounds: string[]
      }>(`(() => {
        const style = (element) => getComputedStyle(element)
        const seen = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility())
        const grounds = seen.filter((one) => one.matches('main, main *')).map((one) => style(one).backgroundColor)
        return {
          ground: style(document.body).backgroundColor,
          text: style(document.querySelector('h1')).color,
          clicks: seen.filter((one) => one.matches('button, nav, main a')).length,
          grounds: [...new Set(grounds)].filter((color) => !/, 0\\)$|^rgb\\(255, 255, 255\\)$/.test(color)),
        }
      })()`)
      assert.deepEqual(printed, { ground: 'rgb(255, 255, 255)', text: 'rgb(0, 0, 0)', clicks: 0, grounds: [] }, path)
    }
    await tab.close()
  })

  test('is served for a valid color; anything else gets 404', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const answer = await testServer.fetch('/checkout/color/2c4c3e.css')
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
      [200, 'text/css; charset=utf-8', 'public, max-age=86400'],
    )
    for (const file of ['2C4C3E.css', 'red.css', '2c4c3e', '2c4c3e.css.map', '%3C%2Fstyle%3E.css'])
      assert.equal((await testServer.fetch(`/checkout/color/${file}`)).status, 404, file)
  })
})
