// A shopper in a shop with the products of the demo, on pages of any make: what is named is what a person sees and hears, not how the page
// is built. Walked through /shop, through the storefront as a program of its own and through the starters in examples/.

import assert from 'node:assert/strict'
import type { Browser, Page as Tab } from 'playwright-core'
import { desktop, fillCard, fillDetails, payButton, telephone } from './checkoutTab.ts'
import { violations } from './readable.ts'

export interface WalkedShop {
  // The address of its home, without a slash at the end.
  url: string
}

export interface WalkOptions {
  size: 'desktop' | 'telephone'
  hasScript: boolean
  colorScheme: 'light' | 'dark'
}

// The number of the order. Without script the walk ends at the checkout, whose own tests go on from there.
export async function walkShop(browser: Browser, shop: WalkedShop, options: WalkOptions): Promise<string> {
  const { size, hasScript, colorScheme } = options
  const context = await browser.newContext({
    ...{ locale: 'en-GB', reducedMotion: 'reduce', colorScheme, javaScriptEnabled: hasScript },
    viewport: size === 'desktop' ? desktop : telephone,
  })
  const errors: string[] = []
  context.on('weberror', (error) => errors.push(String(error.error())))
  try {
    const tab = await context.newPage()
    const readable = async () => {
      if (hasScript) assert.deepEqual(await violations(tab), [], tab.url())
    }
    await find(tab, shop, readable)
    await fill(tab, readable)
    if (!hasScript) return await reachCheckout(tab)
    const number = await pay(tab, readable)
    await backIn(tab, shop)
    assert.deepEqual(errors, [])
    return number
  } finally {
    await context.close()
  }
}

async function find(tab: Tab, { url }: WalkedShop, readable: () => Promise<void>): Promise<void> {
  const missing = await tab.goto(`${url}/no/such/thing`)
  assert.equal(missing?.status(), 404)
  await tab.getByRole('heading', { level: 1, name: 'Not here' }).waitFor()
  await tab.goto(`${url}/`)
  await readable()
  const search = tab.getByLabel('Search the shop')
  await search.fill('stonewere')
  await search.press('Enter')
  await tab.getByText('These are the results for “stoneware”').waitFor()
  await readable()
  await tab.getByRole('link', { name: 'Kitchen', exact: true }).first().click()
  await tab.getByRole('heading', { level: 1, name: 'Kitchen' }).waitFor()
  await tab.getByRole('link', { name: 'Mugs & bowls' }).first().click()
  await tab.getByRole('heading', { level: 1, name: 'Mugs & bowls' }).waitFor()
  await readable()
  await tab.getByRole('link', { name: 'Speckled stoneware mug' }).first().click()
  await tab.getByRole('heading', { level: 1, name: 'Speckled stoneware mug' }).waitFor()
  await tab.getByText('€24.00').first().waitFor()
  await tab.getByRole('link', { name: '350 ml' }).click()
  await tab.waitForURL(/sku=MUG-STO-350-/)
  await tab.getByRole('link', { name: 'Rust', exact: true }).click()
  await tab.waitForURL(/sku=MUG-STO-350-RUS/)
  await tab.getByText('€28.00').first().waitFor()
  await readable()
}

async function fill(tab: Tab, readable: () => Promise<void>): Promise<void> {
  await tab.getByRole('button', { name: 'Add to cart' }).click()
  await tab.getByRole('heading', { name: 'Your cart' }).waitFor()
  await tab.getByText('Added to your cart.').waitFor()
  const quantity = tab.getByRole('spinbutton', { name: 'Quantity of Speckled stoneware mug, 350 ml, Rust' })
  assert.equal(await quantity.inputValue(), '1')
  await tab.getByRole('button', { name: 'One Speckled stoneware mug, 350 ml, Rust more' }).click()
  await tab.getByText('€56.00').first().waitFor()
  assert.equal(await quantity.inputValue(), '2')
  await tab.getByRole('combobox', { name: 'Country of delivery' }).selectOption({ label: 'France' })
  await tab.getByRole('button', { name: 'Estimate' }).click()
  await tab.getByText('Shipping (France)').waitFor()
  await tab.getByRole('combobox', { name: 'Country of delivery' }).selectOption({ label: 'Germany' })
  await tab.getByRole('button', { name: 'Estimate' }).click()
  await tab.getByText('Shipping (Germany)').waitFor()
  await tab.getByRole('textbox', { name: 'Promotion code' }).fill('welcome10')
  await tab.getByRole('button', { name: 'Apply' }).click()
  await tab.getByText('WELCOME10 is applied').waitFor()
  await tab.getByText('−€5.60').waitFor()
  await readable()
}

async function reachCheckout(tab: Tab): Promise<string> {
  await tab.getByRole('button', { name: 'Check out' }).click()
  await tab.waitForURL(/\/c\/[\w-]{43}$/)
  return 'reached the checkout'
}

async function pay(tab: Tab, readable: () => Promise<void>): Promise<string> {
  const total = await tab
    .locator('dl > div', { hasText: /^Total/ })
    .locator('dd')
    .first()
    .innerText()
  await reachCheckout(tab)
  await fillDetails(tab)
  await tab.locator('form[action$="/details"] button:not([name])').last().click()
  await tab.locator('#card-number').waitFor({ state: 'visible' })
  // What was estimated is what is charged.
  await tab.getByText(total).first().waitFor()
  await fillCard(tab)
  await payButton(tab).click()
  await tab.waitForURL(/thanks\?session=cks_/)
  await tab.getByRole('heading', { level: 1, name: 'Thank you!' }).waitFor()
  await readable()
  const [number] = /T-\d+/.exec(await tab.locator('main').innerText()) ?? []
  assert.ok(number, 'the order has a number')
  return number
}

// The next cart begins empty.
async function backIn(tab: Tab, { url }: WalkedShop): Promise<void> {
  await tab.goto(`${url}/cart`)
  await tab.getByText('It is empty.').waitFor()
}
