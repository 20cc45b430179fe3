// The example storefront on a real server with the demo shop: as a shopper uses it in a browser, and as somebody who
// means ill sends forms to it.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { Browser, BrowserContextOptions, Route, Page as Tab } from 'playwright-core'
import { ar } from '../apps/storefront/languages/ar.ts'
import { de } from '../apps/storefront/languages/de.ts'
import { en, type Text, type TextKey } from '../apps/storefront/languages/en.ts'
import { es } from '../apps/storefront/languages/es.ts'
import { fr } from '../apps/storefront/languages/fr.ts'
import { ja } from '../apps/storefront/languages/ja.ts'
import { nl } from '../apps/storefront/languages/nl.ts'
import { warningsFor } from '../apps/storefront/safety.ts'
import { storefrontServer } from '../apps/storefront/server.ts'
import {
  createStorefront,
  type RenderedPage,
  type RenderedPages,
  type Storefront,
  type StorefrontRequest,
} from '../apps/storefront/shop.ts'
import { amountOf, money } from '../apps/storefront/words.ts'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { hostileHtml } from '../harness/hostileHtml.ts'
import { lasting } from '../harness/lasting.ts'
import { tempFolder } from '../harness/process.ts'
import { violations } from '../harness/readable.ts'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { CartwrightError } from '../packages/client/src/index.ts'
import { openInterfaceExamples } from '../src/contract/open/examples.ts'
import {
  categorySample,
  productSample,
  productSummarySample,
  cartSample as sampleCart,
} from '../src/contract/open/samples.ts'
import { sanitizeHtml } from '../src/domain/catalog/safehtml.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'

const environment = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(await tempFolder(), 'shop.db')}` }
const api = await serveHere(environment)
const demo = JSON.parse((await cartwright(['demo', '--json'], environment)).out) as Demo
// The name under which the server calls itself in the addresses of its pictures and its checkout.
const apiUrl = api.origin.replace('127.0.0.1', 'localhost')

interface Demo {
  keys: { full: string; catalog: string }
  products: { slug: string; skus: { id: string; stock: number }[] }[]
}

let storefront: Storefront
let server: Server
let browser: Browser
let origin = ''
let shop = ''

before(async () => {
  server = storefrontServer((request) => storefront(request))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
  shop = `${origin}/shop`
  storefront = createStorefront({ apiUrl, apiKey: demo.keys.full, basePath: '/shop', publicUrl: origin })
})

browserSuite.before(async () => {
  browser = await launchBrowser()
})

browserSuite.after(() => browser.close())

after(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('idle connections are kept open longer than a load balancer keeps them', () => {
  assert.ok(server.keepAliveTimeout > 60_000)
})

describe('in a browser without script', () => {
  browserSuite.test(
    'a shopper finds a mug, adds it to the cart, changes the quantity, tries codes and goes to the checkout',
    async () => {
      await visit('/', { javaScriptEnabled: false, reducedMotion: 'reduce' }, async (tab) => {
        await tab.getByRole('link', { name: 'Kitchen', exact: true }).first().click()
        await tab.getByRole('heading', { level: 1, name: 'Kitchen' }).waitFor()
        await tab.getByRole('link', { name: 'Mugs & bowls' }).click()
        await tab.getByRole('heading', { level: 1, name: 'Mugs & bowls' }).waitFor()
        await tab.getByRole('link', { name: 'Speckled stoneware mug' }).click()
        await tab.getByRole('heading', { level: 1, name: 'Speckled stoneware mug' }).waitFor()
        assert.equal(await tab.locator('.price').innerText(), '€24.00')
        assert.equal(await tab.locator('.price-note').innerText(), 'Tax included, plus delivery')
        assert.match(await tab.locator('.foot').innerText(), /Prices: Tax included, plus delivery\./)

        await tab.getByRole('link', { name: '350 ml' }).click()
        await tab.waitForURL(/sku=MUG-STO-350-/)
        await tab.getByRole('link', { name: 'Rust' }).click()
        await tab.waitForURL(/sku=MUG-STO-350-RUS/)
        assert.equal(await tab.locator('.price').innerText(), '€28.00')
        assert.equal(await tab.locator('.stock').innerText(), 'In stock')

        await tab.getByRole('button', { name: 'Add to cart' }).click()
        await tab.getByRole('heading', { level: 1, name: 'Your cart' }).waitFor()
        assert.match(await tab.locator('#said').innerText(), /^Added/)
        const line = (await tab.locator('.line-text').innerText()).split(/\n+/)
        assert.deepEqual(line, ['Speckled stoneware mug', '350 ml · Rust', '€28.00'])

        await tab.getByRole('button', { name: 'One Speckled stoneware mug, 350 ml, Rust more' }).click()
        await tab.locator('.count', { hasText: '2' }).waitFor()
        // A page at an anchor takes the focus there when it is complete, and with it what is being typed.
        await tab.waitForLoadState()
        // Enter in the field is Update, and not the first of the other buttons.
        await tab.getByRole('spinbutton').fill('5')
        await tab.getByRole('spinbutton').press('Enter')
        await tab.locator('.count', { hasText: '5' }).waitFor()
        await tab.waitForLoadState()
        assert.match(await tab.locator('.line-total').innerText(), /€140\.00$/)

        for (const [code, words] of [
          ['nonsense', /do not know this code/],
          ['SUMMER24', /has expired/],
          ['BIG20', /needs a cart of €500\.00/],
          ['welcome10', /WELCOME10 is applied/],
          ['soldout', /used up/],
        ] as const) {
          // Beside a code that is kept, the field for another one is folded away.
          const fold = tab.locator('details:not([open]) summary')
          if ((await fold.count()) > 0) await fold.click()
          await tab.getByRole('textbox', { name: 'Promotion code' }).fill(code)
          await tab.getByRole('button', { name: 'Apply' }).click()
          await tab.locator('#said', { hasText: words }).waitFor()
          await tab.waitForLoadState()
        }
        assert.match(await tab.locator('.totals').innerText(), /Discount\s+−€14\.00.*Total\s+€126\.00/s)

        const [checkout] = await Promise.all([
          tab.waitForResponse((response) => response.url() === `${shop}/cart/checkout`),
          tab.getByRole('button', { name: 'Check out' }).click(),
        ])
        assert.equal(checkout.status(), 303)
        assert.match(checkout.headers().location ?? '', hostedPage)
        // The browser followed: the policy of the cart's page lets its form lead there.
        await tab.waitForURL(hostedPage)

        await tab.goto(`${shop}/cart`)
        await tab.getByRole('button', { name: 'Remove', exact: false }).first().click()
        await tab.getByText('It is empty.').waitFor()
      })
    },
  )

  browserSuite.test('a shopper searches, filters, sorts, removes a filter, and misspells a word', async () => {
    await visit('/', { javaScriptEnabled: false, reducedMotion: 'reduce' }, async (tab) => {
      const names = () => tab.locator('.card-name').allInnerTexts()
      await tab.getByRole('searchbox', { name: 'Search the shop' }).fill('linen')
      await tab.getByRole('searchbox', { name: 'Search the shop' }).press('Enter')
      await tab.getByRole('heading', { level: 1, name: 'Results for “linen”' }).waitFor()
      const all = await names()
      assert.deepEqual(all.slice(0, 2), ['Linen apron', 'Linen tea towel'])
      assert.equal(await tab.locator('.result-count').innerText(), `${all.length} products`)

      await tab.getByRole('textbox', { name: 'Up to' }).fill('20,00')
      await tab.getByRole('combobox', { name: 'Sort by' }).selectOption('Price, low to high')
      await tab.locator('.toolbar').getByRole('button', { name: 'Show' }).click()
      await tab.getByRole('link', { name: 'Up to €20.00' }).waitFor()
      assert.match(tab.url(), /\?q=linen&min=&max=20%2C00&sort=price_asc$/)
      assert.ok((await names()).length < all.length)
      await tab.getByRole('link', { name: 'Up to €20.00' }).click()
      await tab.waitForURL(/\/search\?q=linen&sort=price_asc$/)
      assert.deepEqual((await names()).toSorted(), all.toSorted())

      await tab.getByRole('link', { name: /^Kitchen textiles \d/ }).click()
      await tab.waitForURL(/category=kitchen-textiles/)
      await tab.getByRole('checkbox', { name: /^Flax / }).check()
      await tab.locator('#filters').getByRole('button', { name: 'Show' }).click()
      await tab.getByRole('link', { name: 'Colour: Flax' }).waitFor()
      assert.ok((await names()).includes('Linen apron'))

      await tab.goto(`${shop}/search?q=stonewere`)
      assert.match(await tab.locator('.notice').innerText(), /results for “stoneware”/)
      await tab.goto(`${shop}/search?q=teleporter`)
      await tab.getByText('There is nothing here that fits').waitFor()
      await tab.getByRole('heading', { name: 'New in the shop' }).waitFor()
    })
  })

  test('a category is in the chosen order, and a long list has a second page', async () => {
    const seen: string[] = []
    let page = await get('/categories/kitchen?sort=name')
    assert.match(page, /15 products/)
    for (const [, name = ''] of page.matchAll(/class="card-name">([^<]*)</g)) seen.push(name)
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)),
    )
    page = await get('/search?max=1000')
    const [, href = ''] = /href="([^"]*after=[^"]*)" rel="next"/.exec(page) ?? []
    const second = await get(href.replace('/shop', '').replaceAll('&#38;', '&'))
    assert.match(second, />First page</)
    assert.doesNotMatch(second, /rel="next"/)
  })

  test('a malformed search uses what is valid, or redirects to a valid search or to the start page', async () => {
    for (const [path, location] of [
      ['/search', '/shop/'],
      ['/search?q=+&sort=best&option=x&min=a', '/shop/'],
      ['/search?q=mug&min=99999999999999999999&option=:&option=Colour:&stock=2', null],
      [`/search?q=${'x'.repeat(900)}`, null],
      ['/search?category=No+such', '/shop/'],
      ['/search?q=mug&after=bm8', '/shop/search?q=mug'],
    ] as const) {
      const response = await fetch(`${shop}${path}`, { redirect: 'manual' })
      const expected = location === null ? [200, null] : [303, location]
      assert.deepEqual([response.status, response.headers.get('location')], expected, path)
    }
  })

  browserSuite.test('a shopper who orders more than the stock sees how many are left', async () => {
    await visit('/products/wide-serving-bowl', { javaScriptEnabled: false, reducedMotion: 'reduce' }, async (tab) => {
      assert.match(await tab.locator('.stock').innerText(), /^Only 4 left/)
      await tab.getByLabel('Quantity').fill('3')
      await tab.getByRole('button', { name: 'Add to cart' }).click()
      await tab.getByText('At most 2 of these can go into one order.').waitFor()
    })
    await visit('/products/ribbed-vase', { javaScriptEnabled: false, reducedMotion: 'reduce' }, async (tab) => {
      assert.equal(await tab.locator('.stock').innerText(), 'Sold out')
      assert(await tab.getByRole('button', { name: 'Sold out' }).isDisabled())
    })
  })
})

browserSuite.describe('every page is accessible', () => {
  const sizes = { desktop: { width: 1280, height: 900 }, telephone: { width: 390, height: 844 } }
  const paths = [
    '/',
    '/categories/kitchen',
    '/search?q=linen',
    '/search?q=nothing-like-it',
    '/products/speckled-stoneware-mug',
    '/products/ribbed-vase',
    '/cart',
    '/nowhere',
  ]
  // The cart beside the page: it takes the focus, its forms change it there, and the page goes on where it was.
  async function useDrawer(tab: Tab): Promise<void> {
    const url = tab.url()
    const add = tab.getByRole('button', { name: 'Add to cart' })
    const drawer = tab.getByRole('dialog', { name: 'Your cart' })
    await add.click()
    await drawer.waitFor()
    assert.equal(await tab.locator(':focus').innerText(), 'Added to your cart.')
    assert.deepEqual(await violations(tab), [])
    await drawer.getByRole('button', { name: /^One Linen apron.* more$/ }).click()
    await tab.locator('.to-cart .count', { hasText: '2' }).waitFor()
    await drawer.getByRole('combobox', { name: 'Country of delivery' }).selectOption('FR')
    await drawer.getByRole('button', { name: 'Estimate' }).click()
    await drawer.getByText('Shipping (France)').waitFor()
    assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    await tab.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await add.click()
    await tab.locator('.to-cart .count', { hasText: '3' }).waitFor()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await drawer.waitFor({ state: 'hidden' })
    assert.equal(tab.url(), url)
  }

  for (const [device, viewport] of Object.entries(sizes)) {
    // Dark together with the telephone: each is looked at on every page, and once is enough.
    for (const colorScheme of device === 'desktop' ? (['light'] as const) : (['dark'] as const)) {
      test(`on a ${device} in ${colorScheme} mode`, async () => {
        await visit('/products/linen-apron', { viewport, colorScheme, reducedMotion: 'reduce' }, async (tab) => {
          await useDrawer(tab)
          for (const [place, path] of paths.entries()) {
            await tab.goto(`${shop}${path}`, { waitUntil: 'load' })
            // Each page in turns on one of the two, or on both.
            if (isWide || (device === 'desktop') === (place % 2 === 0))
              assert.deepEqual(await violations(tab), [], path)
            const overhang = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
            assert.equal(overhang, 0, `${path} is wider than the window`)
          }
        })
      })
    }
  }
})

describe('forms of the cart', () => {
  test('a sold-out SKU cannot be added, and its page shows the reason', async () => {
    const { location, page } = await post('/cart/add', added('ribbed-vase'))
    assert.match(location, /^\/shop\/products\/ribbed-vase\?.*say=sold_out/)
    assert.match(page, /Sorry, this is sold out\./)
  })

  test('quantities above the stock, above the limit of an order, and invalid ones are refused', async () => {
    const trowel = added('forged-hand-trowel', { quantity: '2' })
    const { cookie } = await post('/cart/add', trowel)
    assert.match((await post('/cart/add', { ...trowel, once: once() }, cookie)).page, /At most 2 of these/)
    assert.match((await post('/cart/add', added('merino-blanket', { quantity: '99999' }))).page, /whole number/)
    assert.match((await post('/cart/add', added('linen-apron', { quantity: 'many' }))).page, /whole number/)
    const blanket = demo.products.find(({ slug }) => slug === 'merino-blanket')
    const scarce = blanket?.skus.find(({ stock }) => stock === 9)?.id ?? ''
    const asked = await post('/cart/add', added('merino-blanket', { sku: scarce, quantity: '10' }))
    assert.match(asked.page, /Sorry, only 9 of these are left\./)
  })

  test('a double click adds once, and sending another form adds again', async () => {
    const form = added('jute-twine')
    const [first, second] = await Promise.all([post('/cart/add', form), post('/cart/add', form)])
    assert.equal(first.cookie, second.cookie)
    assert.match((await post('/cart/add', form, first.cookie)).page, /already in your cart/)
    const { page } = await post('/cart/add', { ...form, once: once() }, first.cookie)
    assert.deepEqual(quantitiesIn(page), [2])
  })

  test('a browser without cookies gets a page that explains it', async () => {
    const { location } = await post('/cart/add', added('jute-twine'))
    const page = await (await fetch(new URL(location, origin))).text()
    assert.match(page, /Please allow cookies/)
    assert.doesNotMatch(page, /Added to your cart/)
  })

  test('two concurrent additions to a cart both count', async () => {
    const { cookie } = await post('/cart/add', added('jute-twine'))
    await Promise.all([post('/cart/add', added('jute-twine'), cookie), post('/cart/add', added('jute-twine'), cookie)])
    assert.deepEqual(quantitiesIn(await get('/cart', cookie)), [3])
  })

  test('a form of an outdated cart page gets the current cart', async () => {
    const { cookie, page } = await post('/cart/add', added('jute-twine'))
    const [sku] = skusOf('jute-twine')
    const stale = { sku: sku?.id ?? '', version: versionIn(page) }
    await post('/cart/change', { ...stale, once: once(), quantity: '4' }, cookie)
    for (const [path, more] of [
      ['/cart/change', { quantity: '7' }],
      ['/cart/remove', {}],
      ['/cart/checkout', {}],
    ] as const) {
      const answer = await post(path, { ...stale, once: once(), ...more }, cookie)
      assert.match(answer.page, /changed in another window/)
      assert.deepEqual(quantitiesIn(answer.page), [4])
    }
  })

  test('a cart that no longer exists is replaced without an error', async () => {
    const unknown = `storefront_cart=cart_${'0'.repeat(25)}1`
    const response = await fetch(`${shop}/cart`, { headers: { cookie: unknown } })
    assert.match(response.headers.get('set-cookie') ?? '', /^storefront_cart=; .*Max-Age=0/)
    assert.match(await response.text(), /It is empty/)
    assert.equal((await post('/cart/code', { code: 'WELCOME10' }, unknown)).location, '/shop/cart')
    assert.equal((await post('/cart/checkout', { version: '1' }, unknown)).location, '/shop/cart')
    const { cookie, page } = await post('/cart/add', added('jute-twine'), unknown)
    assert.match(cookie, /^storefront_cart=cart_/)
    assert.notEqual(cookie, unknown)
    assert.deepEqual(quantitiesIn(page), [1])
  })

  test('the cookie is limited to its path and not readable by scripts', async () => {
    const { setCookie } = await post('/cart/add', added('jute-twine'))
    assert.match(setCookie, /^storefront_cart=cart_[0-9a-z]{26}; Path=\/shop; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
  })

  test('a form from another site is refused, with any combination of headers', async () => {
    const body = new URLSearchParams(added('jute-twine'))
    for (const headers of [
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { origin: 'http://localhost:1' },
      { origin, 'sec-fetch-site': 'cross-site' },
      { origin, 'sec-fetch-site': 'same-site' },
      {},
    ]) {
      const response = await fetch(`${shop}/cart/add`, { method: 'POST', body, headers, redirect: 'manual' })
      assert.equal(response.status, 403, JSON.stringify(headers))
      assert.equal(response.headers.get('set-cookie'), null)
      assert.match(await response.text(), /<html lang="en".*<h1[^>]*>Not sent from here/s)
    }
    const other = origin.replace('localhost', '127.0.0.1')
    const response = await fetch(`${other}/shop/cart/add`, {
      method: 'POST',
      body,
      headers: { origin: other },
      redirect: 'manual',
    })
    assert.equal(response.status, 303, 'the same shop under another name of its host')
  })

  test('405 for GET at the address of a form, and for POST at the address of a page', async () => {
    const refused = await fetch(`${shop}/cart/add`, { headers: { 'accept-language': 'fr-CH' } })
    assert.equal(refused.status, 405)
    assert.match(await refused.text(), /<html lang="fr-CH".*n’est pas dans cette boutique/s)
    assert.equal((await fetch(`${shop}/cart`, { method: 'POST', headers: { origin } })).status, 405)
  })
})

describe('pages', () => {
  test('no page contains the API key, and each has a content security policy', async () => {
    const { cookie } = await post('/cart/add', added('jute-twine'))
    for (const path of [
      '',
      '/',
      '/categories/desk',
      '/products/jute-twine',
      '/cart',
      '/thanks?session=no',
      '/nowhere',
    ]) {
      const response = await fetch(`${shop}${path}`, { headers: { cookie } })
      assert.doesNotMatch(await response.text(), /cwk_/, path)
      assert.doesNotMatch(JSON.stringify([...response.headers]), /cwk_/, path)
      assert.equal(
        response.headers.get('content-security-policy'),
        `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' ${apiUrl}; connect-src 'self'; form-action 'self' ${origin} ${apiUrl}; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
        path,
      )
      assert.equal(response.headers.get('referrer-policy'), 'same-origin')
    }
  })

  test('a page without a cart is the same for everyone and cacheable, and a page with a cart is never cached', async () => {
    const sharing = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60'
    for (const path of ['/', '/categories/desk', '/products/jute-twine', '/search?q=linen']) {
      const first = await fetch(`${shop}${path}`)
      assert.equal(first.headers.get('cache-control'), sharing, path)
      const [etag = '', page] = [first.headers.get('etag') ?? '', await first.text()]
      assert.equal(await get(path), page, path)
      assert.doesNotMatch(page, /name="once"/)
      const again = await fetch(`${shop}${path}`, { headers: { 'if-none-match': `"x", ${etag}` } })
      assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag])
      const changed = await fetch(`${shop}${path}`, { headers: { 'if-none-match': etag, 'accept-language': 'de' } })
      assert.equal(changed.status, 200)
    }
    const { cookie } = await post('/cart/add', added('jute-twine'))
    for (const path of ['/', '/products/jute-twine', '/cart']) {
      const { headers } = await fetch(`${shop}${path}`, { headers: { cookie } })
      assert.deepEqual([headers.get('cache-control'), headers.get('etag')], ['private, no-store', null], path)
      assert.match(headers.get('set-cookie') ?? '', /^storefront_count=1; Path=\/shop; Max-Age=2592000; SameSite=Lax$/)
    }
    assert.match(await get('/products/jute-twine', cookie), /name="once"/)
    const { headers } = await fetch(`${shop}/?say=added`)
    assert.equal(headers.get('cache-control'), 'private, no-store')
    // What is counted is not in a cart any more.
    const forgotten = await fetch(`${shop}/`, { headers: { cookie: 'storefront_count=3' } })
    assert.match(forgotten.headers.get('set-cookie') ?? '', /^storefront_count=0; .*Max-Age=0;/)
    assert.equal(forgotten.headers.get('cache-control'), 'private, no-store')
  })

  browserSuite.test('a cached page shows the number of items in the cart, and each view has a new key', async () => {
    await visit('/products/jute-twine', {}, async (tab) => {
      const keyOf = () => tab.locator('form.add input[name="once"]').inputValue()
      const first = await keyOf()
      assert.match(first, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      assert.equal(await tab.locator('[data-cart-count]').isVisible(), false)
      await tab.context().addCookies([{ name: 'storefront_count', value: '3', url: `${shop}/` }])
      await tab.evaluate(`dispatchEvent(new Event('pageshow'))`)
      assert.equal(await tab.locator('[data-cart-count] [aria-hidden]').innerText(), '3')
      await tab.getByRole('link', { name: 'Cart 3 items' }).waitFor()
      assert.notEqual(await keyOf(), first)
      assert.equal(await tab.locator('form.add input[name="once"]').count(), 1)
    })
  })

  browserSuite.test('search suggestions are announced, chosen with the keyboard, and lead to their pages', async () => {
    await visit('/', { reducedMotion: 'reduce' }, async (tab) => {
      const field = tab.getByRole('combobox', { name: 'Search the shop' })
      // The answer to two letters comes when the third is typed.
      const asked = Promise.withResolvers<Route>()
      await tab.route('**/search/suggest?q=mu', (route) => asked.resolve(route))
      await field.pressSequentially('mu', { delay: 5 })
      const late = await asked.promise
      await field.press('g')
      await late.fulfill({ json: { items: [] } }).catch(() => {})
      const options = tab.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
      await options.first().waitFor()
      const names = await tab.locator('.suggestion-name').allInnerTexts()
      assert.equal(names[0], 'Mugs & bowls')
      assert.ok(names.includes('Speckled stoneware mug'), names.join())
      assert.equal(await tab.locator('.search [role="status"]').textContent(), `${names.length} suggestions`)
      assert.deepEqual(await violations(tab), [])
      await field.press('ArrowDown')
      await field.press('ArrowDown')
      assert.equal(await field.getAttribute('aria-activedescendant'), 'suggestion-2')
      await field.press('Escape')
      assert.deepEqual(
        [await field.getAttribute('aria-expanded'), await options.count(), await field.inputValue()],
        ['false', 0, 'mug'],
      )
      await field.press('s')
      await options.first().waitFor()
      await field.press('ArrowDown')
      await field.press('Enter')
      await tab.getByRole('heading', { level: 1, name: 'Mugs & bowls' }).waitFor()
    })
    const strange = await fetch(`${shop}/search/suggest?q=${encodeURIComponent('<zzzz>')}`)
    assert.equal(((await strange.json()) as { items: unknown[] }).items.length, 0)
    assert.equal(strange.headers.get('x-robots-tag'), 'noindex')
    assert.deepEqual(await (await fetch(`${shop}/search/suggest`)).json(), { items: [] })
  })

  test('an unknown address gets a page with 404', async () => {
    for (const path of ['/products/no-such', '/products/..%2f..', '/categories/no-such', '/thanks', '/cart/x']) {
      const response = await fetch(`${shop}${path}`)
      assert.equal(response.status, 404, path)
      assert.match(await response.text(), /Alder &#38; Finch/, path)
    }
    assert.equal((await fetch(`${origin}/elsewhere`)).status, 404)
  })

  test('the 404 page suggests products by the words of the address', async () => {
    const asked = async (path: string) => {
      const response = await fetch(`${shop}${path}`)
      return { status: response.status, text: await response.text() }
    }
    const found = await asked('/old-catalogue/Beeswax_CANDLE.html')
    assert.equal(found.status, 404)
    assert.match(found.text, /Perhaps you are looking for this[\s\S]*href="[^"]*\/products\/[a-z-]*candle/)
    assert.match(found.text, /value="Beeswax CANDLE"/)
    for (const path of ['/x/%E0%A4%A', '/x/zzqqxx-vvkkww', `/x/${'a-'.repeat(700)}`])
      assert.match((await asked(path)).text, /New in the shop[\s\S]*class="card"/, path)
  })

  test('a link cannot make a page show a text from its parameters', async () => {
    assert.doesNotMatch(await get('/cart?say=<b>Call+us</b>'), /Call us|id="said"/)
    assert.doesNotMatch(await get('/cart?say=constructor'), /id="said"/)
    assert.match(await get('/cart?say=only_left&n=%3Cb%3E'), /only 0 of these/)
  })
})

describe('in seven languages', () => {
  const tables = { ar, de, en, es, fr, ja, nl } as const

  test('every language has every text, with the same placeholders and only plural forms of that language', () => {
    const valuesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
    for (const [language, table] of Object.entries(tables)) {
      const rules = new Intl.PluralRules(language)
      for (const [key, wanted] of Object.entries(en)) {
        const text: Text = table[key as TextKey]
        const expected = valuesIn(typeof wanted === 'string' ? wanted : wanted.other)
        if (typeof text === 'string') assert.deepEqual(valuesIn(text), expected, `${language} ${key}`)
        else {
          assert.deepEqual(valuesIn(text.other), expected, `${language} ${key}`)
          const known = [...rules.resolvedOptions().pluralCategories, 'zero']
          assert.deepEqual(
            Object.keys(text).filter((form) => !known.includes(form)),
            [],
            `${language} ${key} has forms that its language does not know`,
          )
        }
      }
    }
  })

  test('a page is in the first of the browser’s languages that the shop has', async () => {
    for (const [asked, locale, direction, word, price] of [
      ['nl-BE, de;q=0.8', 'nl-BE', 'ltr', 'In winkelwagen', '24,00'],
      ['it, de-CH;q=0.8, en;q=0.5', 'de-CH', 'ltr', 'In den Warenkorb', '24.00'],
      ['de-DE', 'de-DE', 'ltr', 'In den Warenkorb', '24,00'],
      ['fr', 'fr', 'ltr', 'Ajouter au panier', '24,00'],
      ['es-MX', 'es-MX', 'ltr', 'Añadir al carrito', '24.00'],
      ['ja', 'ja', 'ltr', 'カートに入れる', '24.00'],
      ['ar', 'ar', 'rtl', 'أضف إلى السلة', '24.00'],
      ['it, ../x, *', 'en', 'ltr', 'Add to cart', '24.00'],
    ] as const) {
      const response = await fetch(`${shop}/products/speckled-stoneware-mug`, { headers: { 'accept-language': asked } })
      const page = await response.text()
      assert.ok(page.includes(`<html lang="${locale}" dir="${direction}">`), asked)
      assert.ok(page.includes(word), asked)
      assert.ok(page.includes(price), asked)
      assert.match(response.headers.get('vary') ?? '', /accept-language/i)
      assert.match(page, /<h1 dir="auto">/)
    }
  })

  browserSuite.test('a shopper buys in Arabic without seeing any English', async () => {
    const options = { locale: 'ar', javaScriptEnabled: true, viewport: { width: 390, height: 844 } }
    await visit('/products/speckled-stoneware-mug', options, async (tab) => {
      assert.deepEqual(await violations(tab), [])
      await tab.getByRole('button', { name: String(ar['product.more']) }).click()
      await tab.waitForURL(/quantity=2/)
      assert.equal(await tab.locator('#quantity').inputValue(), '2')
      await tab.getByRole('button', { name: String(ar['product.add']) }).click()
      assert.equal(await tab.locator('dialog #said').innerText(), ar['notice.added'])
      assert.deepEqual(await violations(tab), [])
      await tab.goto(`${shop}/cart`)
      assert.deepEqual(await violations(tab), [])
      const words = await tab.locator('main').innerText()
      const foreign = words.replaceAll(
        /Speckled stoneware mug|250 ml|Oat|Standard, 2 to 3 working days|Express, next working day/g,
        '',
      )
      assert.doesNotMatch(foreign, /[a-z]{3}/i)
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    })
  })
})

describe('the markup', () => {
  browserSuite.test('several pictures form a gallery that works with links', async () => {
    await visit(
      '/products/speckled-stoneware-mug',
      { javaScriptEnabled: false, reducedMotion: 'reduce' },
      async (tab) => {
        await tab.getByRole('link', { name: 'Picture 2 of 3' }).click()
        const slides = await tab.locator('.slides').boundingBox()
        const second = await tab.getByRole('img', { name: /bare clay foot below/ }).boundingBox()
        assert.ok(slides && second && Math.abs(slides.x - second.x) < 2, 'the second picture is in sight')
      },
    )
  })

  test('every page is valid HTML', async () => {
    const { HtmlValidate } = createRequire(import.meta.url)('html-validate') as typeof import('html-validate')
    const rules = JSON.parse(await readFile(new URL('../.htmlvalidate.json', import.meta.url), 'utf8'))
    const validator = new HtmlValidate(rules)
    for (const path of ['/', '/products/speckled-stoneware-mug', '/products/ribbed-vase', '/search?q=linen', '/cart']) {
      const { results } = await validator.validateString(await get(path))
      assert.deepEqual(
        results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`)),
        [],
        path,
      )
    }
  })

  test('the footer links to the legal pages of the merchant', async () => {
    const page = await (await fetch(`${api.origin}/shop`, { redirect: 'follow' })).text()
    for (const name of ['terms', 'privacy', 'returns', 'imprint'])
      assert.ok(page.includes(`href="https://example.com/alder-finch/${name}"`), name)
    assert.ok(page.includes('href="mailto:hello@alder-finch.example.com"'))
  })

  browserSuite.test('no page is wider than 320 pixels', async () => {
    const context = await browser.newContext({ viewport: { width: 320, height: 640 } })
    const tab = await context.newPage()
    for (const path of ['/', '/docs', '/shop', '/shop/products/speckled-stoneware-mug', '/shop/search?q=linen']) {
      await tab.goto(`${api.origin}${path}`)
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, path)
    }
    await context.close()
  })
})

describe('for search engines and messengers', () => {
  test('the structured data of a product contain the name, price and stock that its page shows', async () => {
    const page = await get('/products/speckled-stoneware-mug?sku=MUG-STO-350-RUS')
    const url = `${shop}/products/speckled-stoneware-mug`
    assert.equal(canonicalOf(page), url)
    const graph = graphOf(page)
    assert.deepEqual(
      ['type', 'title', 'url', 'site_name', 'locale'].map((name) => graph.get(`og:${name}`)),
      ['product', 'Speckled stoneware mug', url, 'Alder & Finch', 'en_US'],
    )
    assert.equal(graph.get('og:image'), `${apiUrl}/media/demo/stoneware-mug.svg`)
    assert.deepEqual([graph.get('product:price:amount'), graph.get('product:price:currency')], ['24.00', 'EUR'])
    const [group, trail] = dataOf(page)
    assert.equal(group?.['@type'], 'ProductGroup')
    const variant = group?.hasVariant.find(({ sku }: { sku: string }) => sku === 'MUG-STO-350-RUS')
    assert.equal(variant.name, 'Speckled stoneware mug, 350 ml, Rust')
    assert.deepEqual(variant.offers, {
      '@type': 'Offer',
      url: `${url}?sku=MUG-STO-350-RUS`,
      price: '28.00',
      priceCurrency: 'EUR',
      availability: 'https://schema.org/InStock',
      itemCondition: 'https://schema.org/NewCondition',
      seller: { '@type': 'Organization', name: 'Alder & Finch' },
    })
    assert.deepEqual(
      trail?.itemListElement.map(({ position, item }: { position: number; item: string }) => [position, item]),
      [
        [1, `${shop}/`],
        [2, `${shop}/categories/kitchen`],
        [3, `${shop}/categories/mugs-bowls`],
      ],
    )
    assert.deepEqual(group?.brand, { '@type': 'Brand', name: 'Kiln Nine' })
    // Where Cartwright mounts the shop, it knows which options are a size or a colour.
    const mounted = await (await fetch(`${api.origin}/shop/products/speckled-stoneware-mug`)).text()
    const [known] = dataOf(mounted)
    const rust = known?.hasVariant.find(({ sku }: { sku: string }) => sku === 'MUG-STO-350-RUS')
    assert.deepEqual(known?.variesBy, ['https://schema.org/size', 'https://schema.org/color'])
    assert.deepEqual([rust.size, rust.color, rust.additionalProperty], ['350 ml', 'Rust', undefined])
    assert.equal(group?.variesBy, undefined)
    assert.equal(variant.additionalProperty.length, 2)
    const vase = dataOf(await get('/products/ribbed-vase'))[0]
    assert.deepEqual([vase?.['@type'], vase?.offers.availability], ['Product', 'https://schema.org/OutOfStock'])
    const lamp = dataOf(await get('/products/pleated-table-lamp'))[0]
    assert.match(JSON.stringify(lamp), /BackOrder/)
  })

  test('the manufacturer, the responsible person in the EU and warnings are on the page and in the structured data', async () => {
    const lamp = await get('/products/arc-desk-lamp')
    const text = lamp.replaceAll(/<br>/g, '\n').replaceAll(/<[^>]*>/g, '')
    assert.match(
      text,
      /Arkon Lighting Ltd\n22 Foundry Lane\nSheffield S3 8GA\nUnited Kingdom\ncompliance@arkon\.example\.com/,
    )
    assert.match(text, /Responsible in the EU\s*Alder &#38; Finch GmbH\nHafenstraße 12\n20457 Hamburg\nGermany/)
    assert.deepEqual(dataOf(lamp)[0]?.manufacturer, {
      ...{ '@type': 'Organization', name: 'Arkon Lighting Ltd', email: 'compliance@arkon.example.com' },
      address: {
        ...{ '@type': 'PostalAddress', streetAddress: '22 Foundry Lane, Sheffield S3 8GA', addressCountry: 'GB' },
      },
    })
    assert.match(text, /Your legal guarantee\s+For at least 2 years after delivery/)
    assert.match(
      lamp,
      /Guarantee of the producer: 5 years<\/strong> <a href="https:\/\/arkon\.example\.com\/guarantee"/,
    )
    const candle = await get('/products/soy-candle-in-glass')
    assert.match(candle, /lang="en">Never leave a burning candle/)
    assert.doesNotMatch(candle, /Brennende Kerzen/)
    const warnings = [{ language: 'de', text: 'Heiß' }] as const
    assert.deepEqual(warningsFor([...warnings], 'fr'), warnings, 'rather in another language than not at all')
    assert.doesNotMatch(await get('/products/oak-chopping-board'), /id="safety"/)
  })

  test('a unit price is next to the price in lists, on the page and in the structured data', async () => {
    const page = await get('/products/soy-candle-in-glass?sku=CND-SOY-FIG-220')
    assert.ok(page.includes('<strong>€28.90</strong><small>220\u00a0g (€13.14/100\u00a0g)</small>'))
    assert.ok(
      (await get('/categories/candles')).includes('<span class="card-measure">120\u00a0g (€14.08/100\u00a0g)</span>'),
    )
    const variant = dataOf(page)[0]?.hasVariant.find(({ sku }: { sku: string }) => sku === 'CND-SOY-FIG-220')
    assert.deepEqual(variant.offers.priceSpecification, {
      '@type': 'UnitPriceSpecification',
      price: '28.90',
      priceCurrency: 'EUR',
      referenceQuantity: {
        ...{ '@type': 'QuantitativeValue', value: 220, unitCode: 'GRM' },
        valueReference: { '@type': 'QuantitativeValue', value: 100, unitCode: 'GRM' },
      },
    })
  })

  test('a brand links to all its products, and lists are filtered by brands', async () => {
    const page = await get('/products/bread-knife')
    assert.match(page, /<a href="\/shop\/search\?brand=Kerbe" dir="auto">Kerbe<\/a>/)
    const all = await get('/search?brand=Flachs+%26+Faden')
    assert.match(all, /<h1 dir="auto">Flachs &#38; Faden<\/h1>/)
    assert.equal(all.match(/class="card-brand">Flachs &#38; Faden</g)?.length, 4)
    const kitchen = await get('/categories/kitchen?brand=kerbe&brand=Nowhere')
    assert.match(kitchen, /<input type="checkbox" name="brand" value="Kerbe" checked>/)
    assert.match(kitchen, /<input type="checkbox" name="brand" value="Nowhere" checked>/, 'to take it back')
    assert.match(
      kitchen,
      /<input type="checkbox" name="brand" value="Kiln Nine"><span><bdi>Kiln Nine<\/bdi> <small>4<\/small>/,
    )
    assert.match(kitchen, /<a href="\/shop\/categories\/kitchen\?brand=Nowhere"><span aria-hidden="true">kerbe ×/)
    assert.equal(kitchen.match(/class="card"/g)?.length, 1)
    assert.doesNotMatch(await get('/products/gift-card'), /class="brand"/)
  })

  test('a category has one canonical address, and searches are not indexed', async () => {
    const kitchen = `${shop}/categories/kitchen`
    const page = await get('/categories/kitchen?sort=name&max=20')
    assert.equal(canonicalOf(page), kitchen)
    assert.doesNotMatch(page, /noindex/)
    assert.equal(dataOf(page)[0]?.itemListElement.at(-1).item, kitchen)
    for (const path of ['/search?q=linen', '/cart', '/nowhere', '/search?max=1000']) {
      const left = await get(path)
      assert.match(left, /<meta name="robots" content="noindex">/, path)
      assert.equal(canonicalOf(left), undefined, path)
    }
    assert.equal(canonicalOf(await get('/')), `${shop}/`)
  })

  test('a page has an alternate address for each language, and the start page describes the shop', async () => {
    const home = await get('/')
    const alternates = [...home.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g)]
    assert.deepEqual(
      alternates.map(([, language, href]) => [language, href]),
      [
        ...['en', 'de', 'fr', 'es', 'nl', 'ja', 'ar'].map((language) => [language, `${shop}/?lang=${language}`]),
        ['x-default', `${shop}/`],
      ],
    )
    const { headers } = await fetch(`${shop}/categories/kitchen?lang=de`, { headers: { 'accept-language': 'fr' } })
    assert.equal(headers.get('vary'), null)
    const german = await (await fetch(`${shop}/categories/kitchen?lang=de`)).text()
    assert.match(german, /<html lang="de"/)
    assert.equal(canonicalOf(german), `${shop}/categories/kitchen?lang=de`)
    assert.equal(graphOf(german).get('og:locale'), 'de_DE')
    assert.match(await get('/?lang=xx'), /<html lang="en"/)
    const [seller, site] = dataOf(home)[0]?.['@graph'] ?? []
    assert.deepEqual([seller['@type'], seller.name, seller.url], ['OnlineStore', 'Alder & Finch', `${shop}/`])
    assert.deepEqual(seller.hasMerchantReturnPolicy.merchantReturnLink, 'https://example.com/alder-finch/returns')
    assert.equal(site.potentialAction.target.urlTemplate, `${shop}/search?q={search_term_string}`)
    const [, href = ''] = /<link rel="manifest" href="([^"]+)">/.exec(home) ?? []
    const manifest = await fetch(new URL(href, origin))
    assert.equal(manifest.headers.get('content-type'), 'application/manifest+json; charset=utf-8')
    const { name, start_url, icons } = (await manifest.json()) as {
      name: string
      start_url: string
      icons: { src: string }[]
    }
    assert.deepEqual([name, start_url, icons[0]?.src], ['Alder & Finch', '/shop/', '/shop/icon.svg'])
    const [, tile = ''] = /<link rel="apple-touch-icon" href="([^"]+)">/.exec(home) ?? []
    const picture = await fetch(new URL(tile, origin))
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png'])
    assert.equal(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
      'PNG',
    )
    const [, rules = ''] = /^"(.+)"$/.exec((await fetch(`${shop}/`)).headers.get('speculation-rules') ?? '') ?? []
    const prefetch = await fetch(new URL(rules, origin))
    assert.equal(prefetch.headers.get('content-type'), 'application/speculationrules+json')
    const [rule] = ((await prefetch.json()) as { prefetch: { where: { href_matches: string[] } }[] }).prefetch
    assert.ok(rule?.where.href_matches.includes('/shop/products/*'))
    assert.doesNotMatch(JSON.stringify(rule), /cart|thanks|account/)
  })

  test('the feed for agents contains every SKU; the Google feed can be imported into an empty shop, whose export equals it', async () => {
    const answer = await fetch(`${api.origin}/shop/feed.xml`)
    const text = await answer.text()
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/xml; charset=utf-8'])
    assert.match(text, /^<\?xml .*<item>.*<\/rss>\n$/s)
    assert.ok(text.includes('<g:id>MUG-STO-250-OAT</g:id>'))
    const agents = await fetch(`${api.origin}/shop/feed.jsonl`)
    assert.deepEqual([agents.status, agents.headers.get('content-type')], [200, 'application/jsonl; charset=utf-8'])
    const lines = (await agents.text()).trimEnd().split('\n')
    const ids = lines.flatMap((line) => JSON.parse(line).variants.map(({ id }: { id: string }) => id))
    assert.equal(lines.length, demo.products.length)
    assert.ok(demo.products.every(({ skus }) => skus.every(({ id }) => ids.includes(id))))
    const head = await fetch(`${api.origin}/shop/feed.xml`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    // Read into an empty shop it is the same products, with the same options.
    const database = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(await tempFolder(), 'empty.db')}` }
    const [file, feed] = [join(await tempFolder(), 'empty.json'), join(await tempFolder(), 'feed.xml')]
    await writeFile(file, JSON.stringify({ merchant: { slug: 'empty', name: 'E', currency: 'EUR', country: 'DE' } }))
    // Pictures are taken from addresses with TLS.
    await writeFile(feed, text.replaceAll(/image_link>http:[^<]*\/media/g, 'image_link>https://pictures.example'))
    await cartwright(['apply', file], database)
    const report = JSON.parse((await cartwright(['import', feed, '--json'], database)).out)
    assert.deepEqual([report.refused, report.created], [[], demo.products.length])
    const link = `${apiUrl}/shop/products/{slug}`
    const again = await cartwright(['export', '--format', 'google', '--link', link], database)
    const itemsIn = (xml: string) =>
      xml
        .replaceAll(/<g:(?:additional_)?image_link>.*\n/g, '')
        .split(/<item>|<\/channel>/)
        .slice(1, -1)
        .toSorted()
    // A new shop knows no earlier prices, so it announces no reduction, and says so.
    assert.match(text, /<g:price>49\.00 EUR<\/g:price>\n<g:sale_price>39\.00 EUR/)
    assert.ok(report.notes.some((note: string) => /compare-at price of HLD-BRS-150 is stored but not shown/.test(note)))
    // Nor the makers of another one.
    const own =
      /<g:product_detail>\n<g:section_name>(?:Manufacturer|Responsible person in the EU|Safety)<[\s\S]*?<\/g:product_detail>\n/g
    assert.match(text, /<g:section_name>Manufacturer</)
    const unreduced = text
      .replaceAll(/<g:price>.*\n<g:sale_price>(.*)<\/g:sale_price>/g, '<g:price>$1</g:price>')
      .replaceAll(own, '')
    assert.deepEqual(itemsIn(again.out), itemsIn(unreduced))
  })

  test('robots.txt contains the sitemap, and the sitemap every page of the shop', async () => {
    const robots = await (await fetch(`${api.origin}/robots.txt`)).text()
    assert.match(robots, /^User-agent: \*\nAllow: \/shop\n/)
    for (const path of ['/admin', '/api/', '/c/', '/o/', '/shop/cart', '/shop/search'])
      assert.ok(robots.includes(`\nDisallow: ${path}\n`), path)
    const [, index = ''] = /\nSitemap: (.*)\n$/.exec(robots) ?? []
    assert.equal(index, `${apiUrl}/sitemap.xml`)
    const pieces = locationsIn(await xml('/sitemap.xml'))
    assert.deepEqual(pieces, [`${apiUrl}/sitemap/categories.xml`, `${apiUrl}/sitemap/products.xml`])
    const products = await xml('/sitemap/products.xml')
    assert.deepEqual(
      locationsIn(products),
      demo.products.map(({ slug }) => `${apiUrl}/shop/products/${slug}`).toSorted(),
    )
    assert.equal(products.match(/<lastmod>\d{4}-\d\d-\d\dT[\d:.]+Z<\/lastmod>/g)?.length, demo.products.length)
    assert.ok(locationsIn(await xml('/sitemap/categories.xml')).includes(`${apiUrl}/shop/categories/mugs-bowls`))
    const last = demo.products
      .map(({ slug }) => slug)
      .toSorted()
      .at(-2)
    assert.equal(locationsIn(await xml(`/sitemap/products.xml?after=${last}`)).length, 1)
    assert.equal((await fetch(`${api.origin}/sitemap/products.xml?after=%3Cb%3E`)).status, 404)
  })

  async function xml(path: string): Promise<string> {
    const response = await fetch(`${api.origin}${path}`)
    assert.equal(response.headers.get('content-type'), 'application/xml; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=3600')
    const etag = response.headers.get('etag') ?? ''
    assert.equal((await fetch(`${api.origin}${path}`, { headers: { 'if-none-match': etag } })).status, 304)
    return response.text()
  }

  const locationsIn = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url)
})

browserSuite.test('custom elements show a product, a button and a cart on a page of another site', async () => {
  const outside = createServer(lasting, (_, response) => {
    response.writeHead(200, {
      'content-type': 'text/html',
      'content-security-policy': `default-src 'none'; script-src ${apiUrl}; connect-src ${apiUrl}; img-src ${apiUrl}`,
    })
    response.end(`<!doctype html><html lang="en"><title>Mugs</title><script src="${apiUrl}/elements.js" data-key="${key}" defer></script>
<main><h1>Mugs</h1><cartwright-cart></cartwright-cart><cartwright-product slug="speckled-stoneware-mug"></cartwright-product>
<cartwright-buy product="jute-twine">Twine</cartwright-buy><cartwright-product slug="no-such">Gone</cartwright-product></main></html>`)
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  const page = `http://localhost:${(outside.address() as AddressInfo).port}`
  const made = await cartwright(['keys', 'create', '--name', 'Mugs', '--publishable', page, '--json'], environment)
  const key = JSON.parse(made.out).secret
  const script = await (await fetch(`${apiUrl}/elements.js`)).text()
  assert.ok(Buffer.byteLength(script) < 12_000, String(Buffer.byteLength(script)))
  const context = await browser.newContext()
  try {
    const tab = await context.newPage()
    const errors: string[] = []
    tab.on('pageerror', (error) => errors.push(String(error)))
    await tab.goto(page)
    const product = tab.locator('cartwright-product').first()
    await product.getByText('€24.00').waitFor()
    assert.deepEqual(await violations(tab), [])
    await product.getByRole('button', { name: 'Add to cart' }).click()
    await product.getByText('Added').waitFor()
    await tab.locator('cartwright-buy').getByRole('button', { name: 'Twine' }).click()
    await tab.getByRole('button', { name: 'Cart (2)' }).click()
    assert.equal(await tab.locator('cartwright-cart li').count(), 2)
    assert.deepEqual(await violations(tab), [])
    const quantity = tab.getByRole('spinbutton', { name: /^Quantity: Speckled/ })
    const focused = () =>
      tab.evaluate(
        'document.activeElement.shadowRoot.activeElement.ariaLabel ?? document.activeElement.shadowRoot.activeElement.textContent',
      )
    await quantity.fill('')
    await quantity.press('Enter')
    assert.equal(await quantity.inputValue(), '1', 'an empty field removes nothing')
    await quantity.fill('2')
    await quantity.press('Enter')
    await tab.getByRole('button', { name: 'Cart (3)', includeHidden: true }).waitFor({ state: 'attached' })
    assert.match(String(await focused()), /^Quantity: Speckled/)
    await quantity.fill('1')
    await tab.getByRole('button', { name: /^Remove: Jute/ }).press('Enter')
    await tab.getByText('Total €24.00').waitFor()
    assert.equal(await focused(), 'Close')
    assert.equal(await tab.locator('cartwright-product').nth(1).innerText(), 'Gone')
    await tab.reload()
    await tab.getByRole('button', { name: 'Cart (1)' }).click()
    await tab.getByRole('button', { name: 'Check out' }).click()
    await tab.waitForURL(hostedPage)
    assert.deepEqual(errors, [])
  } finally {
    await context.close()
    outside.closeAllConnections()
    outside.close()
  }
})

test('after payment the shopper sees the order, and the next cart is empty', async () => {
  const read = readShopFile(await readFile(new URL('../apps/demo/shop.yaml', import.meta.url), 'utf8'), Date.now())
  assert.ok('file' in read)
  const testServer = await openTestServer(givenEngine('sqlite'), { shops: [read.file] })
  const checkout = await checkoutOf(testServer)
  const { sessionId, secret, view } = await checkout.ready({ 'MUG-STO-250-OAT': 2 })
  const ask = createStorefront({
    apiUrl: testServer.origin,
    apiKey: testServer.keys.full,
    basePath: '',
    publicUrl: 'https://shop.example.com',
  })
  const thanks = { path: '/thanks', query: new URLSearchParams({ session: sessionId }) }
  const cookies = { storefront_cart: view.session.cartId }

  const unpaid = await ask(request({ ...thanks, cookies }))
  assert.match(String(unpaid.body), /Not paid yet.*href="http:\/\/127\.0\.0\.1:\d+\/c\/[\w-]{43}"/s)
  assert.match(unpaid.headers['set-cookie'] ?? '', /^storefront_count=2;/)

  await checkout.pay(secret, view)
  const paid = await ask(request({ ...thanks, cookies }))
  const page = String(paid.body)
  for (const words of ['Order T-1001', 'Thank you!', 'Berlin, DE', '250 ml · Oat · Quantity 2', '€48.00']) {
    assert.ok(page.includes(words), words)
  }
  assert.doesNotMatch(page, /Unter den Linden|Lovelace|ada@example\.com/)
  assert.equal(paid.headers['set-cookie'], 'storefront_cart=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure')
  assert.match(String((await ask(request({ path: '/cart', cookies }))).body), /It is empty/)

  // This shop is closed, and its own people see it.
  const closedDemo = createStorefront({
    ...{ apiUrl: testServer.origin, apiKey: testServer.keys.full, basePath: '', publicUrl: 'https://shop.example.com' },
    hosted: { dashboardUrl: 'https://shop.example.com/admin', isDemo: true },
  })
  const seen = await closedDemo(request({ path: '/', isInsider: async () => true }))
  assert.match(String(seen.body), /class="bar"><span>This shop is closed\./)
  assert.equal(seen.headers['cache-control'], 'private, no-store')
})

describe('on a fake API', () => {
  const productsPath = '/api/v1/open/catalog/products'
  const next = `${productsPath}?cursor=a%2Bb.c_`
  const evil = '<script>alert(1)</script>"\''

  test('a list continues only with the link to its next page, and not with any other address', async () => {
    const asked: string[] = []
    const ask = await storefrontOn((url) => {
      asked.push(url)
      if (url === productsPath) return list([productSummarySample], next)
      if (url === next) return list([{ ...productSummarySample, name: evil }], null)
      return undefined
    })
    const first = String((await ask(request({ path: '/' }))).body)
    const [, href = ''] = /href="([^"]*after=[^"]*)"/.exec(first) ?? []
    const [path = '', query = ''] = href.split('?')
    const second = String((await ask(request({ path, query: new URLSearchParams(query) }))).body)
    assert.ok(asked.includes(next))
    assert.doesNotMatch(second, /<script>|after=/)
    assert.ok(second.includes('&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;'))

    for (const link of [
      'https://elsewhere.example/',
      '//elsewhere.example',
      '/api/v1/open/installation/identity',
      'http://[',
    ]) {
      asked.length = 0
      const after = Buffer.from(link).toString('base64url')
      const answer = await ask(request({ path: '/', query: new URLSearchParams({ after }) }))
      assert.deepEqual([answer.status, answer.headers.location], [303, '/'], link)
      assert.deepEqual(asked, [], link)
    }
  })

  browserSuite.test(
    'a product name with any characters is unchanged on the page and in the structured data',
    async () => {
      const names = [
        '</script><script>alert(1)</script>',
        '<!-- "quoted" & \'more\'',
        'Mug \u{1f375} \u2028 مصباح',
        ']]>',
      ]
      for (const name of names) {
        const shown = {
          ...productSample,
          name,
          summary: name,
          description: name,
          media: [{ ...productSample.media[0], alt: name }],
        }
        const ask = await storefrontOn((url) => {
          if (url.startsWith(`${productsPath}/`)) return { data: shown }
          return url === productsPath ? list([], null) : undefined
        })
        const answer = await ask(request({ path: '/products/red-roses' }))
        const page = String(answer.body)
        assert.equal(dataOf(page)[0]?.name, name)
        assert.equal(graphOf(page).get('og:title'), name)
        assert.match(answer.headers['content-security-policy'] ?? '', /; script-src 'self'; (?!.*unsafe)/)
        const context = await browser.newContext({ javaScriptEnabled: false })
        const tab = await context.newPage()
        await tab.setContent(page)
        assert.equal(await tab.locator('h1').textContent(), name)
        assert.equal(await tab.locator('script:not([type="application/ld+json"], head > [src])').count(), 0)
        await context.close()
      }
    },
  )

  test('texts in sections, menus and pages are escaped: no script, event handler or unsafe address', async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>' onclick='x`
    const bodyHtml = sanitizeHtml(hostileHtml.join('') + evil)
    const links = ['javascript:alert(1)', 'data:text/html,x', '//evil.example', evil].flatMap((target) => [
      { kind: 'address' as const, target, label: evil },
      { kind: 'category' as const, target, label: evil },
      { kind: 'page' as const, target, label: evil },
    ])
    const kinds = ['hero', 'text', 'picture', 'columns', 'notice', 'categories', 'products'] as const
    const home = kinds.flatMap((kind) =>
      links.map((link) => ({
        ...{ kind, title: evil, bodyHtml, link, imageAlt: evil, columns: [{ title: evil, bodyHtml }] },
        ...{ image: link.target, source: 'newest' as const, imageSide: 'end' as const },
      })),
    )
    const shop = { ...openInterfaceExamples.getSite.reply.data, home, menus: { head: links, foot: links } }
    const ask = await storefrontOn((url) => {
      if (url.endsWith('/open/site')) return { data: shop }
      if (url.endsWith('/site/pages/about'))
        return { data: { slug: 'about', title: evil, description: evil, bodyHtml } }
      return url === productsPath ? list([], null) : undefined
    })
    for (const path of ['/', '/about']) {
      const { status, body } = await ask(request({ path }))
      assert.equal(status, 200)
      const faults: string[] = []
      for (const { tagName, attrs } of elementsOf(parse(String(body)))) {
        const attributeIn = (name: string) => attrs.find((one) => one.name === name)?.value ?? ''
        if (
          tagName === 'script' &&
          attributeIn('type') !== 'application/ld+json' &&
          !/^\/script\./.test(attributeIn('src'))
        )
          faults.push('a script')
        for (const { name, value } of attrs) {
          if (/^on|^style$/.test(name)) faults.push(`${tagName} ${name}`)
          if (/^(?:href|src|action)$/.test(name) && /^(?:javascript|data|vbscript):|^\/\//i.test(value))
            faults.push(`${tagName} ${name}=${value}`)
        }
      }
      assert.deepEqual(faults, [], path)
    }
  })

  browserSuite.test(
    'hostile HTML in a description runs no script, loads nothing and stays inside its element',
    async () => {
      const safe = hostileHtml.map(sanitizeHtml)
      const ask = await storefrontOn((url) => {
        if (url.startsWith(`${productsPath}/`))
          return { data: { ...productSample, descriptionHtml: sanitizeHtml(hostileHtml.join('')) } }
        return url === productsPath ? list([], null) : undefined
      })
      const answer = await ask(request({ path: '/products/red-roses' }))
      assert.match(answer.headers['content-security-policy'] ?? '', /default-src 'none'/)
      assert.match(answer.headers['content-security-policy'] ?? '', /; script-src 'self'; (?!.*unsafe)/)
      const context = await browser.newContext()
      const tab = await context.newPage()
      const done: string[] = []
      tab.on('dialog', (dialog) => {
        done.push(dialog.message())
        void dialog.dismiss()
      })
      context.on('request', (asked) => done.push(asked.url()))
      await context.route('**/*', (route) => route.abort())
      // Without the policy, which would hide what got through.
      await tab.setContent(String(answer.body).replaceAll(/<(?:link|img)[^>]*>/g, ''))
      done.length = 0
      assert.equal(await tab.locator('main .about > .description.rich').count(), 1)
      assert.equal(await tab.locator('main .about > .facts').count(), 1)
      // An entity that the sanitiser does not know stays an entity, and a browser writes its character.
      const known = safe.filter((text) => !/&(?!amp;|lt;|gt;|quot;|nbsp;)/.test(text))
      const reread = await tab.locator('.rich').evaluate(
        (place, texts) =>
          texts.filter((text) => {
            place.innerHTML = text
            return place.innerHTML !== text
          }),
        known,
      )
      assert.deepEqual(reread, [], 'a browser reads exactly what was written')
      assert.deepEqual(done, [])
      await context.close()
    },
  )

  test('only barcodes that are GTINs are in the structured data', async () => {
    const [one, two] = productSample.skus
    assert.ok(one && two)
    for (const [code, isTold] of [
      ['4006381333931', true],
      ['96385074', true],
      ['4006381333932', false],
      ['SHELF-7', false],
    ] as const) {
      const ask = await storefrontOn(
        (url) =>
          url.startsWith(`${productsPath}/`)
            ? { data: productSample }
            : url === productsPath
              ? list([], null)
              : undefined,
        { barcodes: async () => new Map([[one.id, code]]) },
      )
      const [group] = dataOf(String((await ask(request({ path: '/products/red-roses' }))).body))
      const told = group?.hasVariant.map(({ gtin }: { gtin?: string }) => gtin)
      assert.deepEqual(told, [isTold ? code : undefined, undefined], code)
    }
  })

  test('the address of a picture cannot add directives to the content security policy', async () => {
    const addresses = [
      'https://a;sandbox/x.png',
      "https://a,default-src/'x.png",
      'javascript:alert(1)',
      'https://b.example/x.png',
    ]
    const media = addresses.map((url) => ({ url, alt: '', width: null, height: null }))
    const ask = await storefrontOn((url) =>
      url.startsWith(`${productsPath}/`)
        ? { data: { ...productSample, media, skus: [{ ...productSample.skus[0], imageUrl: null }] } }
        : undefined,
    )
    const { headers, body } = await ask(request({ path: '/products/red-roses' }))
    assert.match(
      headers['content-security-policy'] ?? '',
      /; img-src 'self' https:\/\/shop\.bloom\.test https:\/\/b\.example; /,
    )
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /sandbox|,/)
    assert.equal(String(body).match(/<img src="([^"]*)" alt="" width="1200"/g)?.length, 2)
  })

  test('an uploaded picture is offered in four widths and two formats, and other pictures unchanged', async () => {
    const uploaded = `${apiUrl}/media/mer_${'0'.repeat(26)}/${'a'.repeat(32)}-1600.webp`
    const media = [uploaded, `${apiUrl}/media/demo/mug.svg`, uploaded.replace('1600', '150')]
    const ask = await storefrontOn((url) => {
      const shown = { ...productSample, media: media.map((one) => ({ url: one, alt: '', width: null, height: null })) }
      return url.startsWith(`${productsPath}/`) ? { data: shown } : undefined
    })
    const page = String((await ask(request({ path: '/products/red-roses' }))).body)
    const copies = (as: string) =>
      [160, 480, 960, 1600].map((width) => `${uploaded}?width=${width}&#38;as=${as} ${width}w`).join(', ')
    for (const sizes of ['(min-width: 56rem) 50vw, 100vw', '6rem']) {
      const [avif, webp] = ['avif', 'webp'].map((as) => `srcset="${copies(as)}" sizes="${sizes}"`)
      assert.ok(
        page.includes(`<picture><source type="image/avif" ${avif}><img src="${uploaded}" ${webp} alt=""`),
        sizes,
      )
    }
    const narrow = uploaded.replace('1600', '150')
    assert.ok(page.includes(`<source type="image/avif" srcset="${narrow}?width=150&#38;as=avif 150w"`))
    assert.equal(page.match(/<picture>/g)?.length, 4)
  })

  test('a product without a picture has a drawing instead', async () => {
    const bare = { ...productSample, imageUrl: null, media: [] }
    const ask = await storefrontOn((url) => {
      if (url.startsWith(`${productsPath}/`)) return { data: bare }
      return url === productsPath ? list([{ ...productSummarySample, slug: 'other', imageUrl: null }], null) : undefined
    })
    const page = String((await ask(request({ path: '/products/red-roses' }))).body)
    assert.equal(page.match(/class="no-picture"><svg [^>]*aria-hidden="true"/g)?.length, 2)
    assert.equal(graphOf(page).get('og:image'), undefined)
  })

  browserSuite.test('the header keeps its layout with sixty categories', async () => {
    const many = Array.from({ length: 60 }, (_, index) => {
      const slug = `type-${index}`
      return {
        ...categorySample,
        id: `${categorySample.id.slice(0, -2)}${10 + index}`,
        slug,
        name: `Type of thing ${index}`,
        path: [slug],
      }
    })
    const ask = await storefrontOn((url) => {
      if (url.startsWith('/api/v1/open/catalog/categories')) return list(many, null)
      return url === productsPath ? list([productSummarySample], null) : undefined
    })
    const body = String((await ask(request({ path: '/' }))).body)
    const [, sheet = ''] = /href="([^"]*style[^"]*)"/.exec(body) ?? []
    const style = String((await ask(request({ path: sheet }))).body)
    for (const width of [1280, 1024, 390, 320]) {
      const context = await browser.newContext({ viewport: { width, height: 700 } })
      const tab = await context.newPage()
      await tab.setContent(body.replace(/<link rel="stylesheet"[^>]*>/, `<style>${style}</style>`))
      for (const isOpen of [false, true]) {
        if (isOpen) await tab.getByText('More', { exact: false }).first().click()
        const box = await tab.locator('.to-cart').boundingBox()
        assert.ok(box && box.x + box.width <= width, `the cart is in sight at ${width}`)
        const overhang = await tab.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.equal(overhang, 0, `nothing is wider than ${width}`)
        assert.equal(await tab.getByRole('link', { name: 'Type of thing 59' }).isVisible(), isOpen)
      }
      await context.close()
    }
  })

  test('a refused key and an API that does not respond are explained on a page without details', async () => {
    const reported: unknown[] = []
    const refused = createStorefront({
      apiUrl,
      apiKey: 'cwk_test_wrong',
      basePath: '',
      publicUrl: origin,
      report: (error) => reported.push(error),
    })
    const answer = await refused(request({ path: '/' }))
    assert.equal(answer.status, 503)
    assert.match(String(answer.body), /not set up yet/)
    assert.equal(reported.length, 1)

    const silent = createStorefront({ apiUrl: 'http://127.0.0.1:9', apiKey: 'x', basePath: '', publicUrl: origin })
    for (const path of ['/', '/cart', '/products/a', '/nowhere']) {
      const { status, body } = await silent(request({ path }))
      assert.equal(status, 503, path)
      assert.match(String(body), /cannot answer right now/)
    }
  })

  test('a product is shown without related products if the server is too busy to list them', async () => {
    const reported: unknown[] = []
    const ask = await storefrontOn(
      (url) =>
        url.includes('/related')
          ? 'busy'
          : url.endsWith(`/products/${productSample.slug}`)
            ? { data: productSample }
            : undefined,
      { fetch: globalThis.fetch, report: (error) => reported.push(error) },
    )
    const { status, body } = await ask(request({ path: `/products/${productSample.slug}` }))
    assert.equal(status, 200)
    assert.ok(String(body).includes(productSample.name))
    assert.deepEqual(
      reported.map((error) => error instanceof CartwrightError && error.status),
      [503],
    )
  })

  test('a checkout at an unexpected host is offered as a link', async () => {
    const url = `https://pay.example.com/c/${'x'.repeat(43)}`
    const ask = await storefrontOn((asked) =>
      asked.endsWith('/sessions') ? { data: { url } } : asked === productsPath ? list([], null) : undefined,
    )
    const { status, body } = await ask(
      request({
        method: 'POST',
        path: '/cart/checkout',
        origin: 'http://localhost:1',
        form: new URLSearchParams({ version: '1' }),
        cookies: { storefront_cart: sampleCart.id },
      }),
    )
    assert.equal(status, 200)
    assert.ok(String(body).includes(`href="${url}"`))
  })

  test('cached pages do not keep responses of the API in memory', async () => {
    const kept = new Map<string, RenderedPage>()
    const rendered: RenderedPages = {
      bodyOf: async (address) => Buffer.from(address),
      find: (key) => kept.get(key),
      keep: (key, page) => kept.set(key, page),
    }
    const ask = await storefrontOn((url) => (url.startsWith(productsPath) ? list([], null) : undefined), { rendered })
    const first = await ask(request({ path: '/' }))
    assert.equal(first.status, 200)
    assert.equal((await ask(request({ path: '/' }))).body, first.body, 'the same bytes')
    const [page] = kept.values()
    assert.equal(kept.size, 1)
    assert.deepEqual(
      page?.parts.map((part) => (part instanceof Buffer ? 'bytes' : typeof part)),
      ['symbol', 'symbol', 'bytes'],
    )
  })

  test('a cached page is served for a second without reading, as long as nothing was committed', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const kept = new Map<string, RenderedPage>()
    const state = { mark: 1 as number | undefined, body: 'first', reads: 0 }
    const rendered: RenderedPages = {
      mark: () => state.mark,
      async bodyOf() {
        state.reads += 1
        return state.body
      },
      find: (key) => kept.get(key),
      keep: (key, page) => kept.set(key, page),
    }
    const ask = await storefrontOn((url) => (url.startsWith(productsPath) ? list([], null) : undefined), { rendered })
    const readsOf = async (change: () => void) => {
      change()
      const before = state.reads
      assert.equal((await ask(request({ path: '/' }))).status, 200)
      return state.reads - before
    }
    assert.equal(await readsOf(() => {}), 1)
    assert.equal(await readsOf(() => {}), 0, 'nothing was committed')
    assert.equal(await readsOf(() => (state.mark = 2)), 1, 'something was committed')
    assert.equal(await readsOf(() => {}), 0)
    assert.equal(await readsOf(() => t.mock.timers.tick(1_000)), 1, 'a second later')
    assert.equal(await readsOf(() => (state.mark = undefined)), 1, 'it is not known')
    assert.equal(await readsOf(() => {}), 1)
  })

  // Answers what is common to all pages, and what the test says.
  async function storefrontOn(
    answer: (url: string) => unknown,
    more: Partial<Parameters<typeof createStorefront>[0]> = {},
  ): Promise<Storefront> {
    const fake = createServer(lasting, (incoming, response) => {
      const url = incoming.url ?? ''
      const common = url.endsWith('/open/site')
        ? { data: { ...openInterfaceExamples.getSite.reply.data, home: null, menus: { head: null, foot: null } } }
        : url.endsWith('/categories')
          ? list([categorySample], null)
          : undefined
      // Related are those of the list.
      const own = answer(url)
      const isRelated = url.includes('/related') && own !== 'busy'
      const said = isRelated ? (answer(productsPath) ?? list([], null)) : (own ?? common)
      const status = said === 'busy' ? 503 : said ? 200 : 404
      const code = status === 503 ? 'unavailable' : 'cart_not_found'
      const refused = { error: { code, status, requestId: 'req', message: '', current: null } }
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(status === 200 ? said : refused))
    })
    await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve))
    after(() => {
      fake.closeAllConnections()
      fake.close()
    })
    const fakeUrl = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    return createStorefront({ apiUrl: fakeUrl, apiKey: 'key', basePath: '', publicUrl: 'http://localhost:1', ...more })
  }

  const list = (data: unknown[], link: string | null) => ({ data, meta: { count: data.length, next: link } })
})

test('typed amounts are parsed in the common notations', () => {
  const typed: [string, string, number | null][] = [
    ['12', 'EUR', 1200],
    ['12.5', 'EUR', 1250],
    [' 12,50 ', 'EUR', 1250],
    ['12.345', 'KWD', 12345],
    ['1500', 'JPY', 1500],
    ['15.5', 'JPY', null],
    ['12.345', 'EUR', null],
    ['', 'EUR', null],
    ['-1', 'EUR', null],
    ['1e3', 'EUR', null],
  ]
  for (const [text, currency, amount] of typed) assert.equal(amountOf(text, currency), amount, `${text} ${currency}`)
})

test('amounts have the decimals of their currency', () => {
  assert.deepEqual(
    [
      money(1999, 'EUR'),
      money(5, 'USD'),
      money(1999, 'JPY'),
      money(12345, 'KWD'),
      money(100, 'HUF'),
      money(0, 'GBP'),
      money(Number.MAX_SAFE_INTEGER, 'EUR'),
    ].map((text) => text.replaceAll('\u00a0', ' ')),
    ['€19.99', '$0.05', '¥1,999', 'KWD 12.345', 'HUF 1.00', '£0.00', '€90,071,992,547,409.91'],
  )
})

const hostedPage = /^http:\/\/localhost:\d+\/c\/[\w-]{43}$/

const once = () => crypto.randomUUID()

function skusOf(slug: string): { id: string; stock: number }[] {
  return demo.products.find((product) => product.slug === slug)?.skus ?? []
}

// The form of a product's page.
function added(slug: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { once: once(), product: slug, code: 'X', sku: skusOf(slug)[0]?.id ?? '', quantity: '1', ...more }
}

async function get(path: string, cookie = ''): Promise<string> {
  return (await fetch(`${shop}${path}`, { headers: { cookie } })).text()
}

// Sends a form and reads the page to which it leads.
async function post(path: string, form: Readonly<Record<string, string>>, cookie = '') {
  const response = await fetch(`${shop}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { origin, cookie },
    redirect: 'manual',
  })
  assert.equal(response.status, 303, await response.text())
  const location = response.headers.get('location') ?? ''
  const setCookie = response.headers.get('set-cookie') ?? ''
  const present = setCookie.split(';')[0] || cookie
  const page = await (await fetch(new URL(location, origin), { headers: { cookie: present } })).text()
  return { location, setCookie, cookie: present, page }
}

function quantitiesIn(page: string): number[] {
  return [...page.matchAll(/type="number" name="quantity" value="(\d+)"/g)].map(([, quantity]) => Number(quantity))
}

function canonicalOf(page: string): string | undefined {
  return /<link rel="canonical" href="([^"]*)">/.exec(page)?.[1]
}

function plainText(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

function graphOf(page: string): Map<string, string> {
  const tags = page.matchAll(/<meta property="([^"]*)" content="([^"]*)">/g)
  return new Map([...tags].map(([, name = '', content = '']) => [name, plainText(content)]))
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests check.
function dataOf(page: string): Record<string, any>[] {
  return [...page.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(([, text = '']) =>
    JSON.parse(text),
  )
}

function versionIn(page: string): string {
  return /name="version" value="(\d+)"/.exec(page)?.[1] ?? ''
}

function request(told: Partial<StorefrontRequest> & { path: string }): StorefrontRequest {
  return { method: 'GET', query: new URLSearchParams(), cookies: {}, form: null, origin: null, ...told }
}

// Opens a page and fails if anything complained, or if anybody was asked but the shop and, for pictures and for its
// checkout, the API's own host.
async function visit(path: string, options: BrowserContextOptions, look: (tab: Tab) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options)
  const complaints: string[] = []
  const tab = await context.newPage()
  tab.on('console', (message) => {
    // The page that is not there is part of the tour.
    if (!/404/.test(message.text())) complaints.push(message.text())
  })
  tab.on('pageerror', (error) => complaints.push(String(error)))
  context.on('request', (asked) => {
    const url = new URL(asked.url())
    const isKnown =
      url.origin === origin || (url.origin === apiUrl && /^\/(media|c)\//.test(url.pathname)) || isOfHosted(asked.url())
    if (!isKnown) complaints.push(`asked ${url}`)
  })
  // The hosted page loads its own sheet and script.
  function isOfHosted(url: string): boolean {
    return hostedPage.test(tab.url()) && new URL(url).origin === apiUrl
  }
  try {
    await tab.goto(`${shop}${path}`, { waitUntil: 'load' })
    await look(tab)
    assert.deepEqual(complaints, [])
  } finally {
    await context.close()
  }
}

function elementsOf(node: DefaultTreeAdapterTypes.Node): DefaultTreeAdapterTypes.Element[] {
  const below = 'childNodes' in node ? node.childNodes.flatMap(elementsOf) : []
  return 'tagName' in node ? [node, ...below] : below
}
