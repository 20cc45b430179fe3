// The stand-in for Stripe's script, frame and bank in a real browser, on a shop's page with a strict policy.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import Stripe from 'stripe'
import { launchBrowser } from '../harness/browser.ts'
import type { AccountMode } from '../harness/stripe/account.ts'
import { openStripe, type StandIn } from '../harness/stripe/standin.ts'

let standIn: StandIn
let mode: AccountMode
let client: Stripe
let browser: Browser
let shop: Server
let shopUrl: string

before(async () => {
  standIn = await openStripe()
  mode = standIn.account.test
  client = new Stripe(mode.secretKey, standIn.clientOptions)
  shop = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://shop')
    const sources = pathname === '/closed' ? '' : standIn.url
    if (pathname === '/pay.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(payScript)
    else {
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyWith(sources),
        'cross-origin-opener-policy': 'same-origin-allow-popups',
        'referrer-policy': 'no-referrer',
      })
      response.end(pathname.startsWith('/r/') ? '<h1>Returned</h1>' : payPage(searchParams.get('secret') ?? ''))
    }
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
  browser = await launchBrowser()
})
after(async () => {
  await browser?.close()
  shop?.closeAllConnections()
  shop?.close()
  await standIn?.close()
})

// As the pay page of the checkout: the provider's sources, and nothing inline.
function policyWith(sources: string): string {
  const [scripts, frames] = [`script-src 'self' ${sources}`, `frame-src ${sources}`]
  const rest = `connect-src 'self' ${sources}; img-src 'self' ${sources}; style-src 'self'; form-action 'self'`
  return `default-src 'none'; ${scripts}; ${frames}; ${rest}; base-uri 'none'; frame-ancestors 'none'`
}

const payPage = (secret: string) => `<!doctype html><html lang="en"><title>Pay</title>
<main data-key="${mode.publishableKey}" data-secret="${secret}"><div id="element"></div>
<button disabled>Pay</button><p role="alert"></p></main>
<script src="${standIn.url}/v3/"></script><script src="/pay.js"></script></html>`

const payScript = `
const { key, secret } = document.querySelector('main').dataset
const stripe = window.Stripe(key)
const elements = stripe.elements({ clientSecret: secret })
const element = elements.create('payment')
const button = document.querySelector('button')
element.on('ready', () => { button.disabled = false })
element.mount('#element')
button.addEventListener('click', async () => {
  const { error } = await stripe.confirmPayment({ elements, confirmParams: { return_url: location.origin + '/r/token?a=1' } })
  document.querySelector('[role=alert]').textContent = error.message
})`

interface Visit {
  page: Page
  intent: string
  complaints: string[]
}

async function visit(path = '/pay'): Promise<Visit> {
  const { id, client_secret: secret } = await client.paymentIntents.create({
    amount: 1999,
    currency: 'eur',
    automatic_payment_methods: { enabled: true },
  })
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(`${shopUrl}${path}?secret=${secret}`)
  return { page, intent: id, complaints }
}

async function type(page: Page, number: string): Promise<void> {
  const frame = page.frameLocator('iframe[title="Secure payment input frame"]')
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiration date').fill('12 / 34')
  await frame.getByLabel('Security code').fill('123')
}

const pay = (page: Page) => page.getByRole('button', { name: 'Pay' }).click()

async function returned(page: Page): Promise<Record<string, string>> {
  await page.getByRole('heading', { name: 'Returned' }).waitFor()
  return Object.fromEntries(new URL(page.url()).searchParams)
}

const statusOf = async (id: string) => (await client.paymentIntents.retrieve(id)).status

test('a card is typed in the frame, declined once, and pays', async () => {
  const { page, intent, complaints } = await visit()
  await pay(page)
  await page.getByText('Your card number is incomplete.').waitFor()
  await type(page, '4000 0000 0000 9995')
  await pay(page)
  await page.getByText('Your card has insufficient funds.').waitFor()
  assert.equal(await statusOf(intent), 'requires_payment_method')
  // The browser itself reports the answer 402 of the frame's request.
  assert.deepEqual(complaints.splice(0).length, 1)
  await type(page, '4242 4242 4242 4242')
  await pay(page)
  const { payment_intent_client_secret: secret, ...query } = await returned(page)
  assert.deepEqual(query, { a: '1', payment_intent: intent, redirect_status: 'succeeded' })
  assert.match(secret ?? '', new RegExp(`^${intent}_secret_`))
  assert.equal(await statusOf(intent), 'succeeded')
  assert.deepEqual(complaints, [])
  await page.close()
})

test('the bank is asked by a redirect, and accepts or refuses', async () => {
  for (const [button, status, redirect] of [
    ['Refuse', 'requires_payment_method', 'failed'],
    ['Accept', 'succeeded', 'succeeded'],
  ] as const) {
    const { page, intent, complaints } = await visit()
    await type(page, '4000 0025 0000 3155')
    await pay(page)
    await page.getByRole('button', { name: button }).click()
    assert.equal((await returned(page)).redirect_status, redirect)
    assert.equal(await statusOf(intent), status)
    assert.deepEqual(complaints, [])
    await page.close()
  }
})

test('an account is debited later', async () => {
  const { page, intent, complaints } = await visit()
  const frame = page.frameLocator('iframe')
  await frame.getByLabel('SEPA Direct Debit').check()
  await frame.getByLabel('IBAN').fill('DE89 3704 0044 0532 0130 00')
  await pay(page)
  assert.equal((await returned(page)).redirect_status, 'pending')
  assert.equal(await statusOf(intent), 'processing')
  assert.deepEqual(complaints, [])
  await page.close()
})

test('a policy without the sources of the provider blocks its script', async () => {
  const { page, complaints } = await visit('/closed')
  assert.match(complaints.join('\n'), /violates the following Content Security Policy directive: "script-src 'self'/)
  await page.close()
})
