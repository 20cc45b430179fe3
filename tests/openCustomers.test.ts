// Shoppers who sign in at a storefront of its own: by a mailed code, for one browser and one origin.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { berlin } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { signIn } from '../harness/openRequests.ts'
import { openOrderTestServer, orderMarket } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { type AskOptions, assertError, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { type OperationId, operations } from '../src/contract/open/operations.ts'
import { publishableScopes } from '../src/contract/words.ts'
import { createCustomerKey, customerHash } from '../src/domain/checkout/customer.ts'
import {
  customerCodeMs,
  customerCodesMax,
  customerCodeTriesMax,
  storefrontSessionMs,
} from '../src/domain/customers/codes.ts'
import { forgetCustomer } from '../src/domain/customers/forget.ts'
import { createKey } from '../src/platform/access/keys.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'

const here = 'https://shop.example'
const there = 'https://other.example'

eachEngine('customers of a storefront', (given) => {
  let testServer: TestServer
  let checkout: Checkout
  let pageKey: string
  before(async () => {
    testServer = await openTestServer(given, { shops: [orderMarket, rival] })
    checkout = await checkoutOf(testServer)
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
    const owner = { id: testServer.installationId, ...testServer.seller }
    const input = { name: 'pages', scopes: publishableScopes, origins: [here, there], expiresAt: null }
    pageKey = (await testServer.storage.write((tx) => createKey(tx, testSecret, owner, input, testServer.clock.now)))
      .key
  })

  // A page of a storefront in one browser.
  function page(origin = here, key = pageKey) {
    const kept: { browserToken?: string; session?: string } = {}
    function ask(id: OperationId, { body, headers, ...options }: AskOptions = {}) {
      const isChange = operations[id].idempotency === 'required'
      return testServer.ask(id, {
        key,
        ...options,
        headers: { origin, ...(kept.session && { 'customer-session': kept.session }), ...headers },
        ...(isChange && { body: { idempotencyKey: randomUUID(), ...(body as object | undefined) } }),
      })
    }
    async function request(email: string) {
      const { browserToken } = kept
      const answer = await ask('requestCustomerCode', { body: { email, ...(browserToken && { browserToken }) } })
      kept.browserToken = answer.body.data?.browserToken
      return answer
    }
    async function open(code: string) {
      const { browserToken } = kept
      const { session } = (await ask('openCustomerSession', { body: { browserToken, code } })).body.data
      if (session) kept.session = session.token
      return session
    }
    async function signIn(email: string) {
      await request(email)
      assert.ok(await open((await mailed()).code))
    }
    return { kept, ask, request, open, signIn }
  }

  const mails = () =>
    testServer.storage.read(
      (db) => db.sql<{ id: string; sealed: string }>`
        select id, sealed from emails where kind = 'customer_code' order by created_at desc, id desc`,
    )
  async function mailed() {
    const [row] = await mails()
    const opened = row && decryptUserEmail(testSecret, row.id, row.sealed)
    assert.ok(opened?.code)
    return { email: opened.email, code: opened.code, path: opened.path }
  }

  async function bought(email: string): Promise<string> {
    const { sessionId, secret, view: ready } = await checkout.ready({ CARD: 1 })
    const { session, address } = ready
    const contact = { email, name: 'Ada', phone: '' }
    const details = { contact, address, shippingOptionId: session.shipping.optionId }
    const changed = await testServer.app.checkout.setDetails(secret, session.version, details)
    assert.equal((await checkout.pay(secret, changed?.view ?? ready)).problem, null)
    return (await checkout.read(sessionId)).body.data.orderId
  }

  test('a page signs a shopper in with the e-mailed code, and lists only the orders of that e-mail address', async () => {
    const orders = [await bought('ada@example.com'), await bought('Ada@Example.com')]
    await bought('bob@example.com')
    const shop = page()
    assert.equal((await shop.request('ada@example.com')).status, 200)
    const { email, code, path } = await mailed()
    assert.deepEqual([email, path], ['ada@example.com', undefined], 'the e-mail has no link to another host')
    assert.ok(await shop.open(`${code.slice(0, 3)} ${code.slice(3)}`))
    const customer = (await shop.ask('getCustomer')).body.data
    assert.deepEqual(
      [customer.email, customer.mode, customer.accountUrl],
      ['ada@example.com', 'test', `${testServer.origin}/account/bloom/test`],
    )
    const listed = (await shop.ask('listCustomerOrders')).body
    assert.deepEqual(listed.data.map(({ id }: { id: string }) => id).toSorted(), orders.toSorted())
    const { pathname } = new URL(listed.data[0].statusUrl)
    assert.equal((await testServer.fetch(pathname)).status, 200)
    assert.equal(await shop.open(code), null, 'a code works once')
    await shop.ask('endCustomerSession', { body: { token: shop.kept.session } })
    assertError(await shop.ask('getCustomer'), 'unauthenticated')
  })

  test('orders are listed in pages, each once, and the link to the next page works only for the same shopper', async () => {
    const orders = await openOrderTestServer(given)
    const quote = await orders.orders.quote({ items: { CARD: 1 } })
    const placed: string[] = []
    for (let count = 0; count < 101; count += 1) placed.push((await orders.orders.place({ quote })).orderId)
    const { storage, merchantId, clock } = orders
    await storage.write(async (tx) => {
      const hash = customerHash(await createCustomerKey(testSecret)(tx, clock.now), merchantId, 'ada@example.com')
      await tx.sql`update orders set email_hash = ${hash}`
    })
    const ask = (headers: Record<string, string>, query = '') => orders.ask('listCustomerOrders', { headers, query })
    const headers = await signIn(orders, { email: 'ada@example.com' })
    const { data: first, meta } = (await ask(headers)).body
    const query = meta.next.slice(meta.next.indexOf('?'))
    const { data: rest, meta: end } = (await ask(headers, query)).body
    const seen = [...first, ...rest].map(({ id }: { id: string }) => id)
    assert.deepEqual([first.length, seen.toSorted(), end.next], [100, placed.toSorted(), null])
    assertError(await ask(await signIn(orders, { email: 'bob@example.com' }), query), 'invalid_request')
  })

  test('a token or code of one origin is refused at another origin, on the account pages and for another shop', async () => {
    const shop = page()
    await shop.request('bound@example.com')
    const { code } = await mailed()
    const other = page(there)
    other.kept.browserToken = shop.kept.browserToken ?? ''
    assert.equal(await other.open(code), null)
    assert.ok(await shop.open(code))
    other.kept.session = shop.kept.session ?? ''
    for (const id of ['getCustomer', 'listCustomerOrders', 'listCustomerAddresses'] as const)
      assertError(await other.ask(id), 'unauthenticated')
    await other.ask('endCustomerSession', { body: { token: shop.kept.session } })
    assert.equal((await shop.ask('getCustomer')).status, 200, 'another origin does not end it')
    const cookie = `account-test-bloom=${shop.kept.session}`
    assert.match((await testServer.fetch('/account/bloom/test', { headers: { cookie } })).text, /name="email"/)
    const foreign = { key: testServer.keys.rival, headers: { 'customer-session': shop.kept.session ?? '' } }
    assertError(await testServer.ask('getCustomer', foreign), 'unauthenticated')
    assertError(await shop.ask('getCustomer', { headers: { origin: 'https://evil.example' } }), 'unauthenticated')
    // A server of the same shop is not that page either.
    assertError(await testServer.ask('getCustomer', { headers: foreign.headers }), 'unauthenticated')
  })

  test('the response to a request for a code is the same for an address with orders, one without orders, and one over its limit', async () => {
    await bought('known@example.com')
    const shapes = new Set<string>()
    const sent = (await mails()).length
    for (const email of ['known@example.com', ...Array.from({ length: 7 }, () => 'nowhe@example.com')]) {
      const { status, body, headers } = await page().request(email)
      const told = [...headers.keys()].toSorted()
      shapes.add(JSON.stringify([status, { ...body.data, browserToken: body.data.browserToken.length }, told]))
    }
    assert.equal(shapes.size, 1)
    assert.equal((await mails()).length - sent, 1 + customerCodesMax.requesterHour)
    assertError(await page().ask('requestCustomerCode', { body: { email: 'ada' } }), 'invalid_request')
  })

  test('a code allows five tries, also concurrent ones, and lasts ten minutes; repeating a request does not count as a try', async () => {
    const shop = page()
    await shop.request('tries@example.com')
    const { code } = await mailed()
    const wrong = code === '000000' ? '111111' : '000000'
    const body = { idempotencyKey: randomUUID(), browserToken: shop.kept.browserToken, code: wrong }
    for (let i = 0; i < 2 * customerCodeTriesMax; i += 1)
      assert.equal((await shop.ask('openCustomerSession', { body })).body.data.session, null)
    assert.ok(await shop.open(code), 'one try was used up')

    await shop.request('tries@example.com')
    const guessed = await mailed()
    const guesses = Array.from({ length: 3 * customerCodeTriesMax }, () => shop.open(wrong))
    assert.deepEqual(new Set(await Promise.all(guesses)), new Set([null]))
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ tries: number }>`select tries from customer_codes order by created_at desc, id desc limit 1`,
    )
    assert.equal(Number(row?.tries), customerCodeTriesMax)
    assert.equal(await shop.open(guessed.code), null)

    await shop.request('tries@example.com')
    const late = await mailed()
    testServer.clock.now += customerCodeMs
    assert.equal(await shop.open(late.code), null)
  })

  test('shoppers save, replace and remove addresses, which are not stored in clear text', async () => {
    const shop = page()
    await shop.signIn('book@example.com')
    const add = async (line1: string, more: object = {}) =>
      (await shop.ask('addCustomerAddress', { body: { address: { ...berlin, line1 }, ...more } })).body.data.id
    const bad = await shop.ask('addCustomerAddress', { body: { address: { ...berlin, postalCode: 'x' } } })
    assertError(bad, 'invalid_request')
    assert.equal(bad.body.error.issues[0].path, '/address/postalCode')
    const [first, second] = [await add('Linden 1'), await add('Linden 2')]
    assert.equal(await add('LINDEN 2'), second, 'the same address is one')
    const book = async () =>
      (await shop.ask('listCustomerAddresses')).body.data.map(
        ({ id, address, isDefault }: { id: string; address: { line1: string }; isDefault: boolean }) => [
          id,
          address.line1,
          isDefault,
        ],
      )
    assert.deepEqual(await book(), [
      [first, 'Linden 1', true],
      [second, 'LINDEN 2', false],
    ])
    testServer.clock.now += 1_000
    const path = { addressId: second }
    const address = { ...berlin, line1: 'Linden 9' }
    assert.equal((await shop.ask('replaceCustomerAddress', { path, body: { address, isDefault: true } })).status, 200)
    assert.deepEqual((await book())[0], [second, 'Linden 9', true])

    const stranger = page()
    await stranger.signIn('stranger@example.com')
    for (const [id, body] of [
      ['replaceCustomerAddress', { address }],
      ['removeCustomerAddress', {}],
    ] as const)
      assertError(await stranger.ask(id, { path, body }), 'customer_address_not_found')
    for (let i = 0; i < 20; i += 1)
      await stranger.ask('addCustomerAddress', { body: { address: { ...berlin, line1: `Weg ${i}` } } })
    const full = await stranger.ask('addCustomerAddress', { body: { address } })
    assertError(full, 'customer_address_limit')
    assert.equal(full.body.error.current.limit, 20)

    assert.equal((await shop.ask('removeCustomerAddress', { path })).status, 200)
    assert.equal((await book()).length, 1)
    const stored = await testServer.storage.read(async (db) =>
      JSON.stringify([
        await db.sql`select * from customer_addresses`,
        await db.sql`select * from idempotency_keys`,
        await db.sql`select * from customer_sessions`,
      ]),
    )
    for (const secret of ['Linden', 'Weg 1', 'book@', shop.kept.session ?? '', shop.kept.browserToken ?? ''])
      assert.ok(!stored.includes(secret), secret)
    assert.ok(!JSON.stringify(testServer.lines()).includes(shop.kept.session ?? ''))
  })

  test('a session ends after seven days, and when its shopper is erased, at every storefront', async () => {
    const email = 'gone@example.com'
    const [shop, other] = [page(), page(there)]
    await shop.signIn(email)
    await other.signIn(email)
    const { storage, merchantId, installationId } = testServer
    await shop.ask('addCustomerAddress', { body: { address: berlin } })
    const shopper = { merchantId, installationIds: [installationId], email, modes: ['test' as const] }
    await forgetCustomer(storage, testSecret, shopper, { isDryRun: false, includesUnsent: false })
    for (const one of [shop, other]) assertError(await one.ask('getCustomer'), 'unauthenticated')
    await shop.signIn(email)
    assert.deepEqual((await shop.ask('listCustomerAddresses')).body.data, [])
    testServer.clock.now += storefrontSessionMs
    assertError(await shop.ask('getCustomer'), 'unauthenticated')
  })

  test('the same idempotency key of two shoppers makes two separate requests', async () => {
    const [one, other] = [page(), page()]
    await one.signIn('one@example.com')
    await other.signIn('other@example.com')
    const body = { idempotencyKey: randomUUID(), address: berlin }
    const saved = (await one.ask('addCustomerAddress', { body })).body.data.id
    const answer = await other.ask('addCustomerAddress', { body })
    assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [200, null])
    assert.notEqual(answer.body.data.id, saved)
  })

  test('browsers may send the session header only to the operations for shoppers', async () => {
    const asked = { 'access-control-request-method': 'GET', origin: here }
    const allowed = async (path: string) =>
      (await testServer.fetch(path, { method: 'OPTIONS', headers: asked })).headers.get('access-control-allow-headers')
    assert.match((await allowed('/api/v1/open/customer/orders')) ?? '', /customer-session/)
    assert.doesNotMatch((await allowed('/api/v1/open/catalog/products')) ?? '', /customer-session/)
  })
})
