// A newcomer starts the server and buys something by clicking, from the start page to the thank-you page.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { launchBrowser } from '../harness/browser.ts'
import { cartwright } from '../harness/commandline.ts'
import { serve, tempFolder } from '../harness/process.ts'

test('start page → shop → product → cart → checkout → pay → thank-you, and the order is in the API', async () => {
  const folder = await tempFolder()
  const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'shop.db')}` }
  const server = await serve(settings)
  const origin = server.origin.replace('127.0.0.1', 'localhost')
  const browser = await launchBrowser()
  try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await page.goto(`${origin}/`)
    await page.getByRole('link', { name: 'Open the shop' }).click()
    await page.waitForURL(`${origin}/shop`)
    await page.locator('main a[href*="/products/"]').first().click()
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.waitForURL(/\/shop\/cart/)
    await page.getByRole('button', { name: 'Check out' }).click()
    await page.waitForURL(/\/c\//)
    await page.selectOption('[name=country]', 'DE')
    await page.locator('[name=region]').waitFor({ state: 'detached' })
    await page.fill('[name=email]', 'ada@example.com')
    await page.fill('[name=name]', 'Ada Lovelace')
    await page.fill('[name=line1]', 'Unter den Linden 1')
    await page.fill('[name=city]', 'Berlin')
    await page.fill('[name=postalCode]', '10117')
    await page.locator('#details-save').click()
    await page.locator('[name="card.number"]:enabled').fill('4242 4242 4242 4242')
    await page.fill('[name="card.expiry"]', '12/40')
    await page.fill('[name="card.cvc"]', '123')
    await page.fill('[name="card.name"]', 'Ada Lovelace')
    const total = (await page.getByRole('button', { name: /^Pay/ }).innerText()).replace('Pay ', '')
    await page.getByRole('button', { name: /^Pay/ }).click()
    await page.waitForURL(/\/shop\/thanks/)
    await page.getByText('Order T-1001').waitFor()
    await page.getByText(total).first().waitFor()
    assert.deepEqual([...hosts], [new URL(origin).host], 'no other host was asked for anything')
  } finally {
    await browser.close()
  }
  const listed = JSON.parse((await cartwright(['orders', 'list', '--test', '--json'], settings)).out)
  assert.equal(listed.orders.length, 1)
  assert.equal(listed.orders[0].paymentStatus, 'paid')
  assert.equal(await server.stop(), 0)
  assert.equal((await cartwright(['doctor'], settings)).code, 0)
})
