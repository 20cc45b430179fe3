// A shopper who asks for more time gets it, within bounds, and the stock stays held; and the page offers the countries that the
// shop delivers to.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'

const minuteMs = 60_000

eachEngine('extending the time of a checkout', (given) => {
  let testServer: TestServer
  let checkout: Checkout

  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    checkout = await checkoutOf(testServer)
  })

  const open = async (expiresInSeconds: number) => {
    const { body } = await checkout.open({ CARD: 1 }, { expiresInSeconds })
    return { id: body.data.id as string, secret: secretOf(body.data.url) }
  }
  const read = async (id: string) => (await checkout.read(id)).body.data
  const inMinutes = (minutes: number) => new Date(testServer.clock.now + minutes * minuteMs).toISOString()

  test('sets its end to half an hour from now, without a new version', async () => {
    const { id, secret } = await open(300)
    const before = await read(id)
    testServer.clock.now += 4 * minuteMs
    const result = await testServer.app.checkout.keepOpen(secret)
    assert.deepEqual([result?.problem, result?.view.session.expiresAt], [null, inMinutes(30)])
    const after = await read(id)
    assert.deepEqual([after.expiresAt, after.version, after.status], [inMinutes(30), before.version, 'open'])
    testServer.clock.now += 10 * minuteMs
    const view = await testServer.app.checkout.look(secret)
    assert.deepEqual([view?.session.hold.status, view?.session.hold.expiresAt], ['held', inMinutes(15)])
  })

  test('never shortens the time, and never extends it beyond a day after the checkout was opened', async () => {
    const { id, secret } = await open(86_400)
    const { expiresAt } = await read(id)
    assert.equal((await testServer.app.checkout.keepOpen(secret))?.view.session.expiresAt, expiresAt)
    testServer.clock.now += 23 * 60 * minuteMs
    assert.equal((await testServer.app.checkout.keepOpen(secret))?.view.session.expiresAt, expiresAt)
    const { secret: short } = await open(1_800)
    const end = inMinutes(24 * 60)
    for (let turn = 0; turn < 60; turn += 1) {
      testServer.clock.now += 25 * minuteMs
      if ((await testServer.app.checkout.keepOpen(short))?.problem) break
    }
    assert.equal((await testServer.app.checkout.look(short))?.session.expiresAt, end)
  })

  test('is refused for an expired checkout, and the page still says that it has expired', async () => {
    const { id, secret } = await open(300)
    testServer.clock.now += 6 * minuteMs
    const result = await testServer.app.checkout.keepOpen(secret)
    assert.deepEqual([result?.problem, result?.view.session.status], [{ code: 'not_open' }, 'expired'])
    assert.equal((await read(id)).status, 'expired')
    const init = { method: 'POST', body: new URLSearchParams({ intent: 'time' }) }
    assert.match((await testServer.fetch(`/c/${secret}/details`, init)).text, /data-state="expired"/)
  })

  test('the checkout offers only countries with delivery, whatever the browser suggests', async () => {
    const { secret } = await open(300)
    const { text } = await testServer.fetch(`/c/${secret}`, { headers: { 'accept-language': 'fr-CA' } })
    const [, options = ''] = /<select id="country"[^>]*>(.*?)<\/select>/s.exec(text) ?? []
    const named = (market.shipping ?? []).flatMap(({ countries }) => countries).toSorted()
    const listed = [...options.matchAll(/<option value="(\w\w)"/g)].map(([, code]) => code).toSorted()
    assert.deepEqual(listed, named)
    assert.match(options, /<option value="\w\w" selected>/)
  })
})
