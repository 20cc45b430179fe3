// How often a browser may post: a bound for each checkout and one for each network, answered with a page that a person can
// read. Refused before anything is looked up, so one engine tells.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { shownShop } from '../harness/shownShop.ts'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { storefrontPages } from '../src/ops/cli/storefront.ts'

const given = givenEngine('sqlite')
const german = { 'accept-language': 'de' }

// What is taken at once, as the server counts it.
const sessionBurst = 20
const networkBurst = 60

describe('rate limits of browsers', () => {
  let testServer: TestServer
  let checkout: Checkout
  let networks = 0

  before(async () => {
    testServer = await openTestServer(given, {
      shops: [market],
      rateLimit: { perSecond: 100, burst: 200 },
      // Every test comes from networks of its own.
      trustedProxies: ['loopback'],
      extraPages: storefrontPages(() => shownShop),
    })
    checkout = await checkoutOf(testServer)
  })

  const newNetwork = () => `198.51.100.${++networks}`

  async function openCheckout(): Promise<string> {
    return (await checkout.ready({ CARD: 1 })).secret
  }

  function post(path: string, from: string, fields: Record<string, string> = {}) {
    return testServer.fetch(path, {
      method: 'POST',
      headers: { ...german, 'x-forwarded-for': from },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
  }

  async function repeat(times: number, work: () => Promise<{ status: number }>): Promise<number[]> {
    const statuses: number[] = []
    for (let i = 0; i < times; i += 1) statuses.push((await work()).status)
    return [...new Set(statuses)]
  }

  test('a checkout accepts a burst of posts from any networks, then two a second; other checkouts are not limited', async () => {
    const secret = await openCheckout()
    const path = `/c/${secret}/code`
    assert.deepEqual(await repeat(sessionBurst, () => post(path, newNetwork(), { code: '' })), [200])
    const refused = await post(path, newNetwork(), { code: 'WELCOME', version: '2' })
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.match(refused.text, /^<!doctype html>\n<html lang="de"/)
    assert.equal(refused.headers.get('cache-control'), 'no-store')
    assert.equal((await post(`/c/${await openCheckout()}/code`, newNetwork(), { code: '' })).status, 200)
    // Looking is not posting.
    assert.equal((await testServer.fetch(`/c/${secret}`)).status, 200)
    testServer.clock.now += 500
    assert.equal((await post(path, newNetwork(), { code: '' })).status, 200)
    assert.equal((await post(path, newNetwork(), { code: '' })).status, 429)
  })

  test('the page for 429 contains the typed values and a button that sends them again, but no card data', async () => {
    const secret = await openCheckout()
    await repeat(sessionBurst, () => post(`/c/${secret}/code`, newNetwork(), { code: '' }))
    const typed = { version: '7', email: 'grace@example.com', line1: '"><b>1', city: 'Berlin' }
    const kept = await post(`/c/${secret}/details`, newNetwork(), { ...typed, unknown: 'not kept' })
    assert.equal(kept.status, 429)
    assert.ok(kept.text.includes(`action="/c/${secret}/details"`))
    assert.match(kept.text, /name="email" value="grace@example\.com"/)
    assert.match(kept.text, /name="line1" value="&quot;&gt;&lt;b&gt;1"/)
    assert.doesNotMatch(kept.text, /not kept/)
    const paid = await post(`/c/${secret}/pay`, newNetwork(), { 'card.number': '4242424242424242' })
    assert.equal(paid.status, 429)
    assert.doesNotMatch(paid.text, /4242 ?4242|<form/)
    assert.ok(paid.text.includes(`href="/c/${secret}"`))
  })

  test('a network may post sixty times in a burst, then twenty a second, to all checkouts together; other networks are not limited', async () => {
    const from = newNetwork()
    const secret = await openCheckout()
    let made = 0
    const unknown = () => `/c/${String(++made).padStart(43, 'x')}/code`
    assert.deepEqual(await repeat(networkBurst, () => post(unknown(), from)), [404])
    const refused = await post(`/c/${secret}/code`, from, { code: '' })
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal(refused.headers.get('connection'), 'close')
    assert.match(refused.text, /^<!doctype html>\n<html lang="de"/)
    const shop = await post('/shop/cart/add', from)
    assert.equal(shop.status, 429)
    assert.match(shop.text, /^<!doctype html>\n<html lang="de" dir="ltr">.*<h1>Gleich wieder da/s)
    assert.equal((await post(`/c/${secret}/code`, newNetwork(), { code: '' })).status, 200)
    testServer.clock.now += 50
    assert.equal((await post(`/c/${secret}/code`, from, { code: '' })).status, 200)
  })

  test('changing a large cart counts several times against the post limit of its network', async () => {
    const codes = Array.from({ length: 40 }, (_, index) => `P-${index}`)
    const products = codes.map((code) => ({
      slug: code.toLowerCase(),
      name: code,
      publishedAt: '2026-01-01T00:00:00.000Z',
      skus: [{ code, price: 100, stock: 10, requiresShipping: false }],
    }))
    await testServer.apply({ ...market, products: [...(market.products ?? []), ...products] })
    const { open } = await checkoutOf(testServer)
    const opened = await open(Object.fromEntries(codes.map((code) => [code, 1])))
    const from = newNetwork()
    const path = `/c/${opened.body.data.url.split('/').at(-1)}/code`
    // Six each: one, and five for forty lines.
    assert.deepEqual(await repeat(networkBurst / 6, () => post(path, from, { code: '' })), [200])
    assert.equal((await post(path, from, { code: '' })).status, 429)
  })

  test('a network may load checkouts 120 times in a burst, then 40 times a second', async () => {
    const secret = await openCheckout()
    const from = newNetwork()
    const look = (network: string) => testServer.fetch(`/c/${secret}`, { headers: { 'x-forwarded-for': network } })
    assert.deepEqual(await repeat(120, () => look(from)), [200])
    const refused = await look(from)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
    assert.ok(refused.text.includes(`href="/c/${secret}"`))
    assert.equal((await look(newNetwork())).status, 200)
    testServer.clock.now += 25
    assert.equal((await look(from)).status, 200)
  })

  test('posts that exceed a limit get their 429 after a delay', async () => {
    const slow = await openTestServer(given, {
      shops: [market],
      rateLimit: { perSecond: 100, burst: 200 },
      refusedDelayMs: 120,
    })
    const init = { method: 'POST', body: new URLSearchParams() }
    const took = async (path: string) => {
      const startedAt = performance.now()
      const { status } = await slow.fetch(path, init)
      return { status, ms: performance.now() - startedAt }
    }
    for (const path of [`/c/${'x'.repeat(43)}/code`, '/oauth/interaction/some-id']) {
      let last = await took(path)
      for (let i = 0; i < networkBurst && last.status !== 429; i += 1) last = await took(path)
      assert.equal(last.status, 429)
      assert.ok(last.ms >= 115, `${path} was answered after ${last.ms} ms`)
    }
  })

  test('the storefront responds to too many requests with a page and 429', async () => {
    const from = newNetwork()
    assert.deepEqual(await repeat(networkBurst, () => post('/shop/cart/add', from)), [200])
    const refused = await post('/shop/cart/add', from)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
    assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(refused.text, /href="\/shop/)
  })

  test('the contract, the reference and the start page have the same limits as loading a checkout', async () => {
    for (const path of ['/openapi.json', '/docs', '/']) {
      const from = newNetwork()
      const look = (network: string) => testServer.fetch(path, { headers: { 'x-forwarded-for': network } })
      assert.deepEqual(await repeat(120, () => look(from)), [200])
      const refused = await look(from)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
      assert.ok(refused.text.length < 500)
      assert.equal((await look(newNetwork())).status, 200)
      testServer.clock.now += 25
      assert.equal((await look(from)).status, 200)
    }
  })

  test('OAuth pages respond with a page and 429, and endpoints for apps with JSON', async () => {
    const from = newNetwork()
    const interaction = '/oauth/interaction/some-id'
    const statuses = await repeat(networkBurst, () => post(interaction, from))
    assert.ok(!statuses.includes(429))
    const refused = await post(interaction, from)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
    assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(refused.text, /Too many requests/)
    const app = await post('/oauth/token', from)
    assert.equal(app.status, 429)
    assert.equal(app.body.error, 'temporarily_unavailable')
  })

  test('nothing is limited if limits are turned off', async () => {
    const open = await openTestServer(given, { shops: [market], rateLimit: null })
    const init = { method: 'POST', body: new URLSearchParams() }
    const path = `/c/${'x'.repeat(43)}/code`
    assert.deepEqual(await repeat(sessionBurst + networkBurst, () => open.fetch(path, init)), [404])
  })
})
