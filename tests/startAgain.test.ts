// Starting again from a checkout that has ended: one new checkout for each that ended, however often it is asked for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'

async function counts(testServer: TestServer) {
  const [row] = await testServer.storage.read(
    (db) => db.sql<{ sessions: number; carts: number; held: number }>`
      select (select count(*) from checkout_sessions) as "sessions", (select count(*) from carts) as "carts",
        (select coalesce(sum(quantity), 0) from holds) as "held"`,
  )
  assert.ok(row)
  return row
}

eachEngine('starting a checkout again', (given) => {
  async function openScene() {
    const testServer = await openTestServer(given, { shops: [market] })
    const checkout = await checkoutOf(testServer)
    // As the form of the page is posted.
    const again = async (secret: string) => {
      const answer = await testServer.fetch(`/c/${secret}/again`, {
        method: 'POST',
        body: new URLSearchParams(),
        redirect: 'manual',
      })
      return { status: answer.status, leadsTo: answer.headers.get('location')?.split('/').at(-1) ?? '' }
    }
    return { testServer, checkout, again }
  }

  test('leads to one new checkout, even if the button is pressed many times', async () => {
    const { testServer, checkout, again } = await openScene()
    const { secret } = await checkout.ready({ CARD: 20 })
    await testServer.app.checkout.cancel(secret)
    const pressed = await Promise.all(Array.from({ length: 8 }, () => again(secret)))
    assert.deepEqual([...new Set(pressed.map(({ status }) => status))], [303])
    const [successor, ...others] = new Set(pressed.map(({ leadsTo }) => leadsTo))
    assert.deepEqual(others, [])
    assert.equal((await again(secret)).leadsTo, successor)
    assert.deepEqual(await counts(testServer), { sessions: 2, carts: 1, held: 20 })
  })

  test('leads to the order once the new checkout was bought, and then holds no stock', async () => {
    const { testServer, checkout, again } = await openScene()
    const { secret } = await checkout.ready({ CARD: 20 })
    testServer.clock.now += 31 * 60_000
    const { leadsTo } = await again(secret)
    await checkout.pay(leadsTo, await checkout.look(leadsTo))
    const before = await counts(testServer)
    assert.equal(before.held, 0)
    const pressed = await Promise.all(Array.from({ length: 8 }, () => again(secret)))
    assert.deepEqual([...new Set(pressed.map((one) => one.leadsTo))], [leadsTo])
    assert.deepEqual(await counts(testServer), before)
    assert.equal((await checkout.look(leadsTo)).session.status, 'completed')
  })

  test('keeps values that were typed while the checkout expired, without script and not in the URL', async () => {
    const { testServer, checkout } = await openScene()
    const { body } = await checkout.open({ CARD: 2 })
    const secret = body.data.url.split('/').at(-1) as string
    const post = (path: string, fields: Record<string, string>) =>
      testServer.fetch(path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    const typed = { email: 'ada@example', name: 'Ada "<b>" Byron', line1: 'Weg 12', city: 'Leipzig', country: 'DE' }
    testServer.clock.now += 31 * 60_000
    const expired = await post(`/c/${secret}/details`, { version: '1', ...typed })
    assert.equal(expired.status, 200)
    assert.match(expired.text, /data-state="expired"/)
    // Read from the page, as a browser does.
    const fieldsOf = (text: string, form: string) => {
      const [, inside = ''] = new RegExp(`<form[^>]*action="${form}"[^>]*>(.*?)</form>`, 's').exec(text) ?? []
      const decoded = (value: string) => value.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>')
      return Object.fromEntries(
        [...inside.matchAll(/<input[^>]* name="(\w+)"[^>]* value="([^"]*)"/g)].map(
          ([, name = '', value = '']) => [name, decoded(value)] as const,
        ),
      )
    }
    assert.deepEqual(fieldsOf(expired.text, `/c/${secret}/again`), typed)
    assert.match(expired.text, /Weg 12/)
    assert.doesNotMatch(expired.text, /<b>/)
    const opened = await post(`/c/${secret}/again`, typed)
    assert.equal(opened.status, 200)
    assert.equal(opened.headers.get('location'), null)
    assert.match(opened.text, /data-state="open"/)
    const [, successor = ''] = /action="\/c\/([\w-]+)\/details"/.exec(opened.text) ?? []
    assert.notEqual(successor, secret)
    const { email, name, line1, city } = fieldsOf(opened.text, `/c/${successor}/details`)
    assert.deepEqual(
      { email, name, line1, city },
      { email: typed.email, name: typed.name, line1: 'Weg 12', city: 'Leipzig' },
    )
    // Sent twice it is the same checkout, and whoever only has the link sees nothing of it.
    assert.match((await post(`/c/${secret}/again`, typed)).text, new RegExp(`/c/${successor}/details`))
    assert.doesNotMatch((await testServer.fetch(`/c/${secret}`)).text, /Weg 12/)
    assert.doesNotMatch((await testServer.fetch(`/c/${successor}`)).text, /Weg 12/)
  })

  test('creates one new cart if another checkout has bought the old one', async () => {
    const { testServer, checkout, again } = await openScene()
    const { secret, view } = await checkout.ready({ CARD: 3 })
    await testServer.app.checkout.cancel(secret)
    const { cartId } = view.session
    const { body } = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: 'b', cartId, successUrl: 'http://localhost/x', customer: { email: 'b@example.com' } },
    })
    const other = body.data.url.split('/').at(-1)
    assert.equal((await checkout.pay(other, await checkout.look(other))).view.session.status, 'completed')
    const pressed = await Promise.all(Array.from({ length: 6 }, () => again(secret)))
    assert.equal(new Set(pressed.map(({ leadsTo }) => leadsTo)).size, 1)
    assert.deepEqual(await counts(testServer), { sessions: 3, carts: 2, held: 3 })
  })

  test('a second time leads to the same new checkout, which may have ended and can itself be started again', async () => {
    const { testServer, checkout, again } = await openScene()
    const { secret } = await checkout.ready({ CARD: 2 })
    await testServer.app.checkout.cancel(secret)
    const second = (await again(secret)).leadsTo
    await testServer.app.checkout.cancel(second)
    assert.equal((await again(secret)).leadsTo, second)
    const third = (await again(second)).leadsTo
    assert.notEqual(third, second)
    assert.equal((await checkout.look(third)).session.status, 'open')
    assert.deepEqual(await counts(testServer), { sessions: 3, carts: 1, held: 2 })
  })
})
