// Takes the pictures of docs/eu.md: a purchase in the demo shop with a reduction, its e-mail, its invoice and a withdrawal, in German on a
// telephone and in English on a desktop (`npm run docs:purchase`). The server and its database are of this run and are removed after it.

import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { fillCard, fillDetails, payButton } from './checkoutTab.ts'
import { type MailServer, openMailServer } from './mailserver.ts'
import { begin, runProcess } from './process.ts'
import { saveScreen } from './screenFile.ts'
import { until } from './until.ts'

const root = join(import.meta.dirname, '..')
// Another folder, with both languages at both sizes, is for looking at them.
const [given] = process.argv.slice(2)
const folder = given ?? join(root, 'docs', 'images', 'purchase')

const sizes = { desktop: { width: 1280, height: 960 }, telephone: { width: 390, height: 780 } } as const
const looks = [
  { locale: 'de-DE', size: 'telephone' },
  { locale: 'en-GB', size: 'desktop' },
  ...(given === undefined
    ? []
    : ([
        { locale: 'de-DE', size: 'desktop' },
        { locale: 'en-GB', size: 'telephone' },
      ] as const)),
] as const

interface Walk {
  page: Page
  origin: string
  mail: MailServer
  isNarrow: boolean
  shoot(name: string, shown?: Page): Promise<void>
}

const product = 'soy-candle-in-glass'

async function walk({ page, origin, mail, isNarrow, shoot }: Walk): Promise<void> {
  await page.goto(`${origin}/shop/categories/candles`)
  if (isNarrow) await toTop(page.locator(`main a[href*="/${product}"]`).first())
  await shoot('1-shop')
  await page.goto(`${origin}/shop/products/${product}`)
  if (isNarrow) await toTop(page.locator('h1'), 72)
  await shoot('2-product')
  await toTop(page.locator('.safety').first())
  await shoot('3-duties')
  await page.locator('form.add button.button').click()
  await page.getByRole('dialog').waitFor()
  await page.locator('form[action*=checkout] button.wide').first().click()
  await page.waitForURL(/\/c\//)
  await fillDetails(page)
  await page.locator('form[action$="/details"] button:not([name])').last().click()
  await page.locator('#card-number').waitFor({ state: 'visible' })
  await fillCard(page)
  await toTop(page.locator('.guarantee'), 88)
  await shoot('4-checkout')
  const before = mail.emails.length
  await payButton(page).click()
  await page.waitForURL(/\/(o|shop)\//)
  const confirmed = await until(() => mail.emails.slice(before).find(({ html }) => html?.includes('/o/')), 'the e-mail')
  const letter = await page.context().newPage()
  await letter.setContent(confirmed.html ?? '')
  await shoot('5-email', letter)
  const order = /href="([^"]*\/o\/[^"/]+)"/.exec(confirmed.html ?? '')?.[1] ?? ''
  const invoice = await until(async () => {
    await page.goto(order)
    return (
      (await page
        .locator('a[href*="/documents/"]')
        .first()
        .getAttribute('href')
        .catch(() => null)) ?? undefined
    )
  }, 'the invoice')
  await page.goto(new URL(invoice, origin).href)
  await shoot('6-invoice')
  await page.goto(order)
  await page.locator('a[href*="/w/"]').first().click()
  await page.fill('[name=name]', 'Ada Byron')
  await page.fill('[name=email]', 'ada@example.com')
  await page.locator('button.first').click()
  await page.locator('button[value=confirm]').waitFor()
  await shoot('7-withdrawal')
  await page.locator('button[value=confirm]').click()
  await page.locator('time').first().waitFor()
  await shoot('8-acknowledged')
}

// With so many pixels above it.
async function toTop(part: Locator, above = 24): Promise<void> {
  await part.evaluate((element, gap) => {
    element.style.scrollMarginTop = `${gap}px`
    element.scrollIntoView({ block: 'start' })
  }, above)
}

async function main(): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'cartwright-purchase-'))
  const mail = await openMailServer()
  const environment = {
    PORT: '0',
    HOST: '127.0.0.1',
    CARTWRIGHT_DATABASE_URL: `sqlite:${place}/shop.db`,
    CARTWRIGHT_MAIL_URL: mail.url,
    CARTWRIGHT_MAIL_FROM: 'hello@alder-finch.example.com',
  }
  const server = begin(['serve'], environment)
  const browser = await launchBrowser()
  try {
    let printed = ''
    server.stdout?.on('data', (text: string) => {
      printed += text
    })
    const port = await until(() => /"message":"listening".*?"port":(\d+)/.exec(printed)?.[1], 'the server')
    const [, email = '', password = ''] = await until(
      () => / {2}sign in +(\S+) +password (\S+)/.exec(printed) ?? undefined,
      'the demo shop',
    )
    const origin = `http://localhost:${port}`
    await reduce(place, environment)
    await writeTexts(browser, origin, { email, password })
    await mkdir(folder, { recursive: true })
    for (const { locale, size } of looks) {
      const context = await browser.newContext({ locale, viewport: sizes[size], reducedMotion: 'reduce' })
      const page = await context.newPage()
      const shoot = async (name: string, shown = page) => {
        await shown.waitForLoadState('networkidle')
        const file = join(folder, `${name}-${locale.slice(0, 2)}${given === undefined ? '' : `-${size}`}.webp`)
        await saveScreen(shown, file)
        process.stdout.write(`${file} ${(await stat(file)).size} bytes\n`)
      }
      await walk({ page, origin, mail, isNarrow: size === 'telephone', shoot })
      await context.close()
    }
  } finally {
    await browser.close()
    server.kill()
    await mail.close()
    await rm(place, { recursive: true, force: true })
  }
}

// From €18.90, which the candle has cost since the shop was made.
async function reduce(place: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const shop = await readFile(join(root, 'apps/demo/shop.yaml'), 'utf8')
  const file = join(place, 'reduced.yaml')
  await writeFile(file, shop.replace(/(code: CND-SOY-\w+-120,.*? price: )1890/g, '$11590, compareAtPrice: 1890'))
  const { code, out, err } = await runProcess(['apply', file], environment)
  if (code !== 0) throw new Error(out + err)
}

const texts = {
  en: {
    terms: 'We deliver within the European Union. A contract is concluded when we confirm the order.',
    withdrawal:
      'You have the right to withdraw from this contract within 14 days without giving any reason. The period ends 14 days after the day on which you receive the last goods.',
  },
  de: {
    terms: 'Wir liefern in die Europäische Union. Der Vertrag kommt mit unserer Bestätigung der Bestellung zustande.',
    withdrawal:
      'Sie haben das Recht, binnen vierzehn Tagen ohne Angabe von Gründen diesen Vertrag zu widerrufen. Die Frist beträgt vierzehn Tage ab dem Tag, an dem Sie die letzte Ware erhalten haben.',
  },
}

async function writeTexts(browser: Browser, origin: string, user: { email: string; password: string }): Promise<void> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await page.goto(`${origin}/admin`)
  await page.fill('[name=email]', user.email)
  await page.fill('[name=password]', user.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(/\/home/)
  for (const [language, kinds] of Object.entries(texts))
    for (const [kind, text] of Object.entries(kinds)) {
      await page.goto(`${origin}/admin/alder-finch/test/settings/texts/${kind}/${language}`)
      await page.fill('[name=text]', text)
      await page.locator('form:has([name=text]) .form-foot button').first().click()
      await page.waitForURL(/settings\/texts(\?|$)/)
    }
  await page.context().close()
}

await main()
