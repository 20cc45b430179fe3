// Three people open their shops in a browser alone, each from an empty start in production to a paid test order, with a file of 200 products.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { launchBrowser } from '../harness/browser.ts'
import { shopifyCsv } from '../harness/catalog.ts'
import { type Opening, openShopByHand, type Shoot, type Walked } from '../harness/openingWalk.ts'
import { freePort } from '../harness/ports.ts'
import { serve } from '../harness/process.ts'
import type { Ground } from './place.ts'
import type { Numbers, RunResult, RunTools, ServerRun } from './runs.ts'

export const openShopRun: ServerRun = {
  name: 'open-shop',
  method:
    'three walks through the guide in a browser, each from an empty start in production to a paid test order and an open shop, with a file of products: clicks and keys are counted, and what they and reading take a person is reckoned by the keystroke-level model and added to what the browser was waited for',
  numbers: { products: 200, minutes: 20 },
  short: { products: 30 },
  engines: ['sqlite'],
  runOn: runOpenings,
}

const sizes = { desk: { width: 1280, height: 800 }, telephone: { width: 390, height: 844 } } as const
const texts = {
  terms: 'The law of the country of the seller applies.',
  privacy: 'We keep orders as long as the law asks.',
}
const password = 'four quiet red herons'

type Merchant = Opening['merchant']

export const walks: Readonly<Record<string, { size: keyof typeof sizes; merchant: Merchant }>> = {
  'Germany, desk': {
    size: 'desk',
    merchant: {
      ...{ shop: 'Töpferei Nord', email: 'ina@example.org', password, country: 'DE', legalName: 'Ina Nord' },
      ...{ address: 'Am Deich 1\n26721 Emden', color: '#33526b', delivery: '4.90' },
      ...{ iban: 'DE89 3704 0044 0532 0130 00', ...texts },
    },
  },
  'France, telephone': {
    size: 'telephone',
    merchant: {
      ...{ shop: 'Atelier Lumen', email: 'zoe@example.org', password, country: 'FR', legalName: 'Zoé Lumen SARL' },
      ...{ address: '3 rue du Port\n29900 Concarneau', color: '#8a4b2a', delivery: '6.50' },
      ...{ iban: 'FR76 3000 6000 0112 3456 7890 189', ...texts },
    },
  },
  'Austria, desk': {
    size: 'desk',
    merchant: {
      ...{ shop: 'Bergladen', email: 'max@example.org', password, country: 'AT', legalName: 'Max Huber e.U.' },
      ...{ address: 'Dorfplatz 4\n6450 Sölden', color: '#3c6b48', delivery: '5.20' },
      ...{ iban: 'AT61 1904 3002 3457 3201', ...texts },
    },
  },
}

async function runOpenings(ground: Ground, numbers: Numbers, { tell }: RunTools): Promise<RunResult> {
  const { products = 0, minutes = 0 } = numbers
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-opening-'))
  const file = join(folder, 'products_export.csv')
  await writeFile(file, [...shopifyCsv(products)].join(''))
  const seen: Record<string, string> = {}
  const violations: string[] = []
  try {
    for (const [name, walk] of Object.entries(walks)) {
      tell(name)
      const { clicks, keys, pages, waitedMs, handMs } = await openOne(await ground.freshUrl(), file, products, walk)
      const seconds = Math.round((waitedMs + handMs) / 1_000)
      seen[name] =
        `${seconds} s: ${Math.round(handMs / 1_000)} s for ${clicks} clicks, ${keys} keys and ${pages} pages to read, ${Math.round(waitedMs / 1_000)} s of waiting`
      if (seconds > minutes * 60) violations.push(`${name}: ${seconds} s`)
    }
    return { seen, violations }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Walk = (typeof walks)[string]

export async function openOne(
  databaseUrl: string,
  file: string,
  products: number,
  { size, merchant }: Walk,
  shoot: Shoot = async () => undefined,
): Promise<Walked> {
  const port = await freePort()
  const server = await serve({
    ...{
      CARTWRIGHT_DATABASE_URL: databaseUrl,
      CARTWRIGHT_SECRET: randomBytes(32).toString('base64url'),
      NODE_ENV: 'production',
    },
    ...{ CARTWRIGHT_PUBLIC_URL: `http://127.0.0.1:${port}`, PORT: String(port) },
  })
  const browser = await launchBrowser()
  const context = await browser.newContext({ locale: 'en-GB', viewport: sizes[size] })
  try {
    const [link = ''] = /http\S+\/admin\/setup\/\S+/.exec(server.printed()) ?? []
    const logo = await logoOf(context, merchant)
    return await openShopByHand(context, { link, merchant, logo, file, products }, shoot)
  } finally {
    await context.close()
    await browser.close()
    await server.stop()
  }
}

// The name of the shop on a transparent ground.
async function logoOf(context: BrowserContext, { shop, color }: Merchant): Promise<Buffer> {
  const page = await context.newPage()
  const style = `display:inline-block;padding:6px 2px;font:600 44px Georgia,serif;color:${color}`
  await page.setContent(`<span style="${style}">${shop}</span>`)
  const picture = await page.locator('span').screenshot({ omitBackground: true })
  await page.close()
  return picture
}
