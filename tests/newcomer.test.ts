// A newcomer starts the server, buys something by clicking, from the start page to the thank-you page, and signs in to run the shop.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { serve, tempFolder } from '../harness/process.ts'

const { test } = browserSuite

test('a newcomer gets from the start page to a paid order, and signs in with the printed password; the printed API keys work', async () => {
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
    await page.getByRole('heading', { name: 'Your cart' }).waitFor()
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
    const [, email = '', password = ''] = / {2}sign in +(\S+) +password (\S+)/.exec(server.printed()) ?? []
    assert.match(server.printed(), new RegExp(` {2}admin +${origin}/admin\\n {2}sign in `))
    await page.goto(`${origin}/`)
    await page.getByRole('link', { name: 'Run the shop' }).click()
    await page.waitForURL(/\/admin\/sign-in/)
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${origin}/admin/alder-finch/test/home`)
    await page.getByText('Owner').waitFor()
    assert.deepEqual([...hosts], [new URL(origin).host], 'no other host was asked for anything')
  } finally {
    await browser.close()
  }
  const listed = JSON.parse((await cartwright(['orders', 'list', '--test', '--json'], settings)).out)
  assert.equal(listed.orders.length, 1)
  assert.equal(listed.orders[0].paymentStatus, 'paid')

  const keys = server.printed().matchAll(/ {2}key +(cwk_test_\w+) +(.+)/g)
  const [open, , , admin, ...others] = [...keys].map(([, key = '', words = '']) => ({ key, words }))
  assert.deepEqual([open?.words, admin?.words], ['the four open scopes', 'the eight admin scopes'])
  assert.deepEqual(others, [])
  const identity = await fetch(`${origin}/api/v1/open/installation/identity`, bearer(open?.key))
  const { data: shown } = (await identity.json()) as { data: { credential: { scopes: string[] } } }
  assert.equal(shown.credential.scopes.length, 4)
  const orders = await fetch(`${origin}/api/v1/admin/orders`, bearer(admin?.key))
  const { data: placed } = (await orders.json()) as { data: { number: string }[] }
  assert.equal(placed[0]?.number, 'T-1001')
  const ownersOnly = await fetch(`${origin}/api/v1/admin/keys`, bearer(admin?.key))
  assert.equal(ownersOnly.status, 200)
  assert.equal(await server.stop(), 0)

  const later = await serveHere(settings)
  assert.doesNotMatch(later.printed(), /cwk_|password \w{5}-/)
  assert.match(
    later.printed(),
    /To get new keys and a new password for the demo shop, run `npm run -s cartwright -- demo`/,
  )
  assert.equal(await later.stop(), 0)
  assert.equal((await cartwright(['doctor'], settings)).code, 0)
})

function bearer(key = '') {
  return { headers: { authorization: `Bearer ${key}` } }
}
