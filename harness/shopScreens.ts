// Takes the pictures of docs/online-store.md: three shops with different looks, on a desktop and on a telephone (`npm run docs:shop`). The
// server and its database are of this run and are removed after it. With a folder, every kind of page in every look, for looking at them.

import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { AdminSite } from '../src/contract/admin/site.ts'
import { launchBrowser } from './browser.ts'
import { fillCard, fillDetails, payButton } from './checkoutTab.ts'
import { begin, runProcess } from './process.ts'
import { saveScreen } from './screenFile.ts'
import { until } from './until.ts'

const [given] = process.argv.slice(2)
const folder = given ?? join(import.meta.dirname, '..', 'docs', 'images', 'shop')
const sizes = { desktop: { width: 1280, height: 800 }, telephone: { width: 390, height: 780 } } as const

const inDocs: ReadonlySet<string> = new Set(['home-desktop', 'product-telephone', 'checkout-desktop'])

type Published = AdminSite['published']
type Look = Omit<Published['look'], 'logo'>
type Home = Published['home']

interface ShownShop {
  name: string
  look: Look
  home: Home
  scheme?: 'light' | 'dark'
  locale: 'en-GB' | 'de-DE'
}

const shops: readonly ShownShop[] = [
  {
    ...{ name: 'green', locale: 'en-GB', home: null },
    look: { color: '#2c4c3e', font: 'classic', corners: 'round', density: 'airy', scheme: 'auto' },
  },
  {
    ...{ name: 'clay', locale: 'de-DE' },
    look: { color: '#a4432c', font: 'slab', corners: 'square', density: 'airy', scheme: 'light' },
    home: [
      {
        kind: 'hero',
        title: 'Aus Ton, von Hand',
        bodyHtml: '<p>Gedreht, glasiert und gebrannt in kleinen Auflagen.</p>',
        link: { kind: 'category', target: 'mugs-bowls', label: 'Zum Geschirr' },
        image: '/media/demo/category-kitchen.svg',
        imageAlt: 'Krug, Brett und Becher auf einem Tisch',
      },
      { kind: 'products', title: 'Neu im Laden', source: 'newest', limit: 4 },
      {
        kind: 'columns',
        title: '',
        columns: [
          { title: 'Zwei Tage', bodyHtml: '<p>So lange ist ein Paket in Deutschland unterwegs.</p>' },
          { title: 'Dreißig Tage', bodyHtml: '<p>So lange nehmen wir zurück, was nicht gefällt.</p>' },
          { title: 'Zehn Jahre', bodyHtml: '<p>So lange brennen wir jedes Stück nach.</p>' },
        ],
      },
      { kind: 'categories', title: 'Was es gibt' },
    ],
  },
  {
    ...{ name: 'night', locale: 'en-GB', scheme: 'dark' },
    look: { color: '#7c5cff', font: 'rounded', corners: 'soft', density: 'dense', scheme: 'dark' },
    home: [
      { kind: 'notice', bodyHtml: '<p>Free delivery from €60 this week.</p>', link: null },
      { kind: 'products', title: 'Just in', source: 'newest', limit: 8 },
      {
        kind: 'text',
        title: 'Made slowly',
        bodyHtml:
          '<p>Two people, one kiln and a garden full of beeswax. What we make is made <strong>once</strong>.</p>',
      },
    ],
  },
]

async function walk(page: Page, origin: string, shoot: Shoot): Promise<void> {
  const at = (path: string) => `${origin}/shop${path}`
  await page.goto(at('/'))
  await shoot('home')
  await page.goto(at('/products/speckled-stoneware-mug'))
  await shoot('product')
  if (given !== undefined) await lists(page, at, shoot)
  await page.goto(at('/products/beeswax-pillar-candle'))
  await page.locator('form.add button.button').click()
  await page.getByRole('dialog').waitFor()
  await shoot('drawer')
  await page.goto(at('/cart'))
  await shoot('cart')
  await page.locator('form[action*=checkout] button.wide').first().click()
  await page.waitForURL(/\/c\//)
  await shoot('checkout')
  if (given === undefined) return
  await fillDetails(page)
  await page.locator('form[action$="/details"] button:not([name])').last().click()
  await page.locator('#card-number').waitFor({ state: 'visible' })
  await fillCard(page)
  await shoot('paying')
  await payButton(page).click()
  await page.waitForURL(/\/(o|shop)\//)
  await shoot('thanks')
  await page.goto(`${origin}/account/alder-finch`)
  await shoot('account')
}

type Shoot = (name: string) => Promise<void>

async function lists(page: Page, at: (path: string) => string, shoot: Shoot): Promise<void> {
  await page.goto(at('/categories/mugs-bowls'))
  await shoot('category')
  await page.goto(at('/search?q=mug'))
  await shoot('search')
  await page.goto(at('/old-catalogue/beeswax_candle.html'))
  await shoot('missing')
}

async function dress(origin: string, key: string, { look, home }: ShownShop): Promise<void> {
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${origin}/api/v1/admin/site${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data: { version: number } }
    if (!response.ok) throw new Error(JSON.stringify(answer))
    return answer.data
  }
  const { version } = await ask('GET', '')
  const draft = { look: { logo: null, ...look }, home, menus: { head: null, foot: null } }
  const changed = await ask('PUT', '', { idempotencyKey: crypto.randomUUID(), expectedVersion: version, ...draft })
  await ask('POST', '/publish', { idempotencyKey: crypto.randomUUID(), expectedVersion: changed.version })
}

async function main(browser: Browser): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'cartwright-shops-'))
  const environment = { PORT: '0', HOST: '127.0.0.1', CARTWRIGHT_DATABASE_URL: `sqlite:${place}/shop.db` }
  const { out } = await runProcess(['demo', '--json'], environment)
  const { keys } = JSON.parse(out)
  const server = begin(['serve'], environment)
  try {
    let printed = ''
    server.stdout?.on('data', (text: string) => {
      printed += text
    })
    const port = await until(() => /"message":"listening".*?"port":(\d+)/.exec(printed)?.[1], 'the server')
    const origin = `http://localhost:${port}`
    await mkdir(folder, { recursive: true })
    for (const shop of shops) {
      await dress(origin, keys.admin, shop)
      for (const [size, viewport] of Object.entries(sizes)) {
        const { locale, scheme = 'light' } = shop
        const context = await browser.newContext({ locale, viewport, colorScheme: scheme, reducedMotion: 'reduce' })
        const page = await context.newPage()
        // The shop asks for its look once a minute.
        await until(async () => {
          const html = await (await page.goto(`${origin}/shop/?${crypto.randomUUID()}`))?.text()
          return (
            ((shop.look.color === null || html?.includes('/look.')) &&
              (shop.home === null || html?.includes('class="sections"'))) ||
            undefined
          )
        }, 'the look')
        await walk(page, origin, async (name) => {
          if (given === undefined && !inDocs.has(`${name}-${size}`)) return
          await page.waitForLoadState('networkidle')
          const file = join(folder, `${shop.name}-${name}-${size}.webp`)
          await saveScreen(page, file)
          process.stdout.write(`${file} ${(await stat(file)).size} bytes\n`)
        })
        await context.close()
      }
    }
  } finally {
    await browser.close()
    server.kill()
    await rm(place, { recursive: true, force: true })
  }
}

await main(await launchBrowser())
