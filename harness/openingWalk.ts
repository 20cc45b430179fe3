// A person opens a shop in a browser alone: from the link that an empty production start prints to a paid test order and an open shop, with
// the products in a file. What the hand does is counted, and what it would take a person is reckoned from that.

import type { BrowserContext, Locator, Page } from 'playwright-core'

export interface Opening {
  link: string
  merchant: {
    shop: string
    email: string
    password: string
    country: string
    legalName: string
    address: string
    color: string
    delivery: string
    iban: string
    terms: string
    privacy: string
  }
  logo: Buffer
  // Where a file with the products is, as another shop exports it, and how many it has.
  file: string
  products: number
}

export interface Walked {
  clicks: number
  keys: number
  pages: number
  // How long the browser was waited for, and how long a person takes for the rest.
  waitedMs: number
  handMs: number
  order: string
}

export type Shoot = (page: Page, name: string) => Promise<void>

// The keystroke-level model of Card, Moran and Newell (1980): a key of an average typist, a way of the pointer, a press of its button, the
// hand from keys to pointer and back, and the thought before each act. Reading is not part of it: 240 words a minute, and of a long page
// what is read in a minute.
const [keyMs, pointMs, pressMs, homeMs, thinkMs, wordMs, readMsMax] = [280, 1_100, 200, 800, 1_350, 250, 60_000]

export function createHand() {
  const sums = { clicks: 0, keys: 0, pages: 0, waitedMs: 0, handMs: 0 }
  const waited = async <Value>(work: Promise<Value>): Promise<Value> => {
    const startedAt = performance.now()
    const value = await work
    sums.waitedMs += performance.now() - startedAt
    return value
  }
  const point = () => {
    sums.clicks += 1
    sums.handMs += thinkMs + pointMs + pressMs
  }
  const press = (keys: number) => {
    sums.keys += keys
    sums.handMs += homeMs + keys * keyMs
  }
  return {
    sums,
    waited,
    async click(target: Locator): Promise<void> {
      point()
      await waited(target.click())
    },
    async type(target: Locator, text: string): Promise<void> {
      point()
      press(text.length)
      await waited(target.fill(text))
    },
    // A text that the person has: everything in the field is marked, and the other is put in its place.
    async paste(target: Locator, text: string): Promise<void> {
      point()
      press(4)
      await waited(target.fill(text))
    },
    // The list is opened, the first letters are typed, and the choice is confirmed.
    async choose(target: Locator, value: string): Promise<void> {
      point()
      press(4)
      await waited(target.selectOption(value))
    },
    // A file is found in the window of the system: two folders and the file.
    async attach(target: Locator, file: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
      for (let clicks = 0; clicks < 4; clicks += 1) point()
      await waited(target.setInputFiles(file))
    },
    async read(page: Page): Promise<void> {
      const words = (await page.locator('main').innerText()).split(/\s+/).length
      sums.pages += 1
      sums.handMs += Math.min(readMsMax, words * wordMs)
    },
  }
}

type Hand = ReturnType<typeof createHand>

export async function openShopByHand(context: BrowserContext, opening: Opening, shoot: Shoot): Promise<Walked> {
  const hand = createHand()
  const page = await context.newPage()
  const { link, merchant } = opening
  await hand.waited(page.goto(link))
  await hand.read(page)
  for (const name of ['shop', 'email', 'password'] as const)
    await hand.type(page.locator(`[name=${name}]`), merchant[name])
  await hand.click(page.locator('main form button'))
  await aboutTheShop(page, hand, opening, shoot)
  await theProducts(page, hand, opening, shoot)
  await howItSells(page, hand, opening, shoot)
  const order = await buyAndOpen(page, hand, opening, shoot)
  return { ...hand.sums, order }
}

async function step(page: Page, hand: Hand, name: string, shoot: Shoot): Promise<void> {
  await hand.waited(page.waitForURL(new RegExp(`/start/${name}$`)))
  await hand.read(page)
  await shoot(page, name)
}

const save = (page: Page) => page.getByRole('button', { name: 'Save and continue', exact: true })

async function aboutTheShop(page: Page, hand: Hand, { merchant, logo }: Opening, shoot: Shoot): Promise<void> {
  await step(page, hand, 'shop', shoot)
  await hand.choose(page.locator('[name=country]'), merchant.country)
  await hand.type(page.locator('[name=legalName]'), merchant.legalName)
  await hand.type(page.locator('[name=address]'), merchant.address)
  await hand.click(save(page))
  await step(page, hand, 'taxes', shoot)
  await hand.click(page.locator('[name=confirmed]'))
  await hand.click(save(page))
  await step(page, hand, 'look', async () => undefined)
  await hand.type(page.locator('[name=color]'), merchant.color)
  await hand.attach(page.locator('[name=file]'), { name: 'logo.png', mimeType: 'image/png', buffer: logo })
  await hand.click(page.getByRole('button', { name: 'Save and see it' }))
  await hand.waited(page.locator('img.guide-logo').waitFor())
  await shoot(page, 'look')
  await hand.click(save(page))
}

async function theProducts(page: Page, hand: Hand, { file, products }: Opening, shoot: Shoot): Promise<void> {
  await step(page, hand, 'products', shoot)
  await hand.click(page.locator('main').getByRole('link', { name: 'Import', exact: true }))
  await hand.attach(page.getByLabel('File', { exact: true }), file)
  await hand.click(page.getByRole('button', { name: 'Upload and compare' }))
  const confirm = page.getByRole('button', { name: 'Confirm', exact: true })
  await hand.waited(confirm.waitFor({ timeout: 120_000 }))
  await hand.read(page)
  await shoot(page, 'import')
  await hand.click(confirm)
  await hand.waited(page.getByText(`${products} things were written.`).waitFor({ timeout: 120_000 }))
  await hand.click(page.getByRole('link', { name: 'Set up your shop' }))
}

async function howItSells(page: Page, hand: Hand, { merchant }: Opening, shoot: Shoot): Promise<void> {
  await step(page, hand, 'delivery', shoot)
  await hand.type(page.locator('[name=home-amount]'), merchant.delivery)
  await hand.click(save(page))
  await step(page, hand, 'payment', shoot)
  const transfer = page.locator('.card', { hasText: 'Bank transfer' })
  await hand.click(transfer.getByRole('link', { name: 'Turn on' }))
  await hand.type(page.locator('[name=holder]'), merchant.legalName)
  await hand.type(page.locator('[name=iban]'), merchant.iban)
  await hand.click(page.getByRole('button', { name: 'Save', exact: true }))
  await hand.click(page.getByRole('link', { name: 'Set up your shop' }))
  await step(page, hand, 'legal', shoot)
  await hand.paste(page.locator('[name=terms]'), merchant.terms)
  await hand.paste(page.locator('[name=privacy]'), merchant.privacy)
  await hand.click(save(page))
}

async function buyAndOpen(page: Page, hand: Hand, { merchant }: Opening, shoot: Shoot): Promise<string> {
  await step(page, hand, 'open', shoot)
  const opened = page.context().waitForEvent('page')
  await hand.click(page.getByRole('link', { name: 'Open the test shop' }))
  const shop = await opened
  await hand.read(shop)
  await shoot(shop, 'test-shop')
  await hand.click(shop.locator('main a[href*="/products/"]').first())
  await hand.click(shop.getByRole('button', { name: 'Add to cart' }))
  await hand.click(shop.getByRole('button', { name: 'Check out' }))
  await hand.waited(shop.waitForURL(/\/c\//))
  // A neighbour: postal codes are checked by country.
  const [, line1 = '', postalCode = '', city = ''] = /^(.+)\n(\d+) (.+)$/.exec(merchant.address) ?? []
  const buyer = { email: 'ada@example.com', name: 'Ada Lovelace', line1, city, postalCode }
  for (const [name, value] of Object.entries(buyer)) await hand.type(shop.locator(`[name=${name}]`), value)
  await hand.click(shop.locator('#details-save'))
  const card = { number: '4242 4242 4242 4242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' }
  for (const [name, value] of Object.entries(card))
    await hand.type(shop.locator(`[name="card.${name}"]:enabled`), value)
  await hand.click(shop.getByRole('button', { name: /^(Pay|Order)/ }))
  await hand.waited(
    shop
      .getByText(/Order T-\d+/)
      .first()
      .waitFor(),
  )
  const [order = ''] = /T-\d+/.exec(await shop.locator('main').innerText()) ?? []
  await hand.waited(page.reload())
  await page.getByText('There is a test order: it works.').waitFor()
  await shoot(page, 'tested')
  await hand.click(page.getByRole('button', { name: 'Open the shop' }))
  await hand.waited(page.getByText('Your shop is open.').waitFor())
  return order
}
