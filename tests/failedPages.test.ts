// A page that cannot be answered tells a shopper so in words, in their language and behind the same headers as ever; the log has
// the defect.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, openTestServer, type TestServer } from '../harness/testServer.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

const german = { headers: { 'accept-language': 'de' } }

eachEngine('an error page', (given) => {
  let testServer: TestServer
  let checkout: Checkout
  let secret: string
  let statusPath: string

  before(async () => {
    testServer = await openTestServer(given, { shops: [market], withShops: true })
    checkout = await checkoutOf(testServer)
    secret = (await checkout.ready({ CARD: 1 })).secret
    const bought = await checkout.ready({ CARD: 1 })
    await checkout.pay(bought.secret, bought.view)
    statusPath = (await checkout.look(bought.secret)).order?.statusPath ?? ''
    assert.equal((await testServer.fetch(statusPath)).status, 200)
  })

  async function brokenly(
    breaks: (storage: Storage) => Promise<unknown>,
    mends: typeof breaks,
    work: () => Promise<void>,
  ) {
    await breaks(testServer.storage)
    try {
      await work()
    } finally {
      await mends(testServer.storage)
    }
  }

  const setLinks = (text: string) => (storage: Storage) =>
    storage.write((tx) => tx.sql`update merchants set links = ${text} where id = ${testServer.merchantId}`)

  async function assertFailed(path: string, init: RequestInit = {}): Promise<void> {
    const good = await testServer.fetch('/c/nobody', german)
    const answer = await assertFailure(path, init)
    const names = [
      'content-type',
      'cache-control',
      'referrer-policy',
      'content-security-policy',
      'x-robots-tag',
      'vary',
    ]
    for (const name of names) assert.equal(answer.headers.get(name), good.headers.get(name), name)
  }

  async function assertFailure(path: string, init: RequestInit = {}): Promise<Answer> {
    const answer = await testServer.fetch(path, { ...init, headers: german.headers, redirect: 'manual' })
    assert.equal(answer.status, 500, path)
    assert.match(answer.text, /^<!doctype html>\n<html lang="de"/)
    assert.match(answer.text, /Der Fehler liegt bei uns\./)
    const requestId = answer.headers.get('x-request-id') ?? ''
    assert.match(requestId, /^req_/)
    const defects = testServer.lines().filter((line) => line.message === 'defect' && line.requestId === requestId)
    assert.equal(defects.length, 1)
    return answer
  }

  test('is shown for a GET and a POST of the checkout if rendering fails', async () => {
    const set = (text: string) => (storage: Storage) =>
      storage.write((tx) => tx.sql`update checkout_sessions set metadata = ${text} where status = 'open'`)
    await brokenly(set('not JSON'), set('{}'), async () => {
      await assertFailed(`/c/${secret}`)
      await assertFailed(`/c/${secret}/cancel`, { method: 'POST', body: new URLSearchParams() })
    })
    assert.equal((await testServer.fetch(`/c/${secret}`)).status, 200)
  })

  test('is shown for an order if rendering fails', async () => {
    await brokenly(setLinks('not JSON'), setLinks('{}'), () => assertFailed(statusPath))
    assert.equal((await testServer.fetch(statusPath)).status, 200)
  })

  test('of the shop is not cached and links to the cart, and the shop works again afterwards', async () => {
    const { version: expectedVersion } = (await testServer.askAdmin('getAdminSite')).body.data
    const { data } = (await testServer.askAdmin('openAdminSite', { body: { expectedVersion, idempotencyKey: 'open' } }))
      .body
    const shop = new URL(data.url).pathname
    await brokenly(setLinks('{"terms": not JSON'), setLinks('{}'), async () => {
      for (const path of ['', '/products/nothing', '/search?q=%3Cscript%3E', '/cart'].map((path) => shop + path)) {
        const answer = await assertFailure(path)
        assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
        assert.equal(answer.headers.get('cache-control'), 'no-store')
        assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
        assert.match(answer.text, /<h1>Gleich wieder da<\/h1>/)
        assert.ok(answer.text.includes(`<a href="${shop}/cart">`))
        assert.doesNotMatch(answer.text, /JSON|SyntaxError|<script/)
      }
    })
    assert.equal((await testServer.fetch(shop)).status, 200)
  })

  test('with 404 is shown for unknown addresses, and an address with a trailing slash is redirected', async () => {
    for (const path of [`/c/${secret}/`, `${statusPath}/`]) {
      const longer = await testServer.fetch(path, { redirect: 'manual' })
      assert.deepEqual([longer.status, longer.headers.get('location')], [303, path.slice(0, -1)])
    }
    const posted = { method: 'POST', body: new URLSearchParams() }
    for (const [path, init] of [
      ['/c/', {}],
      [`/c/${secret}/pay/again`, {}],
      [`/c/${secret}/pay/again`, posted],
      [`/c/${secret}`, posted],
      ['/o/', {}],
      [`${statusPath}/more`, {}],
    ] as const) {
      const answer = await testServer.fetch(path, { ...init, headers: german.headers })
      assert.equal(answer.status, 404, path)
      assert.match(answer.text, /^<!doctype html>\n<html lang="de"/)
    }
  })
})
