// `shoppers forget` erases a person and nothing else: what was bought stays, others stay, and what is under way goes on.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { berlin } from '../harness/carts.ts'
import { type Checkout, cards, checkoutOf, secretOf } from '../harness/checkout.ts'
import { cartwright } from '../harness/commandline.ts'
import { orderMarket } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret, testSecretText } from '../harness/testServer.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { createCustomerKey } from '../src/domain/checkout/customer.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { fulfilOrder } from '../src/domain/orders/operator.ts'
import { sweepWebhooks } from '../src/domain/webhooks/sweep.ts'
import { discardSecretVersions } from '../src/platform/secrets/rootsecret.ts'
import { deriveKey, parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { listTables } from '../src/platform/storage/catalogue.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const unheard = '4000000000000275'
const ada = 'ada@example.com'

async function forget(testServer: TestServer, ...words: string[]) {
  const settings = { CARTWRIGHT_DATABASE_URL: testServer.url, CARTWRIGHT_SECRET: testSecretText }
  const { code, out, err } = await cartwright(['shoppers', 'forget', ...words, '--json'], settings)
  assert.equal(err, '')
  return { code, ...JSON.parse(out) }
}

// Every row of every table, as text.
async function dump(testServer: TestServer): Promise<Map<string, string[]>> {
  return testServer.storage.read(async (db) => {
    const all = new Map<string, string[]>()
    for (const { name } of await listTables(db)) {
      const rows = await db.sql<object>`select * from ${new Fragment(name)}`
      all.set(name, rows.map((row) => JSON.stringify(row)).toSorted())
    }
    return all
  })
}

// Events of orders that still have their text.
async function textsOf({ storage }: TestServer): Promise<string[]> {
  const rows = await storage.read(
    (db) => db.sql<{ type: string }>`select type from events where body <> '' and subject_type = 'order' order by id`,
  )
  return rows.map(({ type }) => type)
}

async function ready(checkout: Checkout, testServer: TestServer, email: string, items = { CARD: 1 }) {
  const opened = await checkout.open(items, { promotionCode: 'WELCOME10' })
  const secret = secretOf(opened.body.data.url)
  const seen = await checkout.look(secret)
  const contact = { email, name: 'Augusta Byron', phone: '+49 30 1234567' }
  const details = { contact, address: berlin, shippingOptionId: null }
  assert.equal((await testServer.app.checkout.setDetails(secret, seen.session.version, details))?.problem, null)
  return { sessionId: opened.body.data.id as string, secret, view: await checkout.look(secret) }
}

async function buy(checkout: Checkout, testServer: TestServer, email: string) {
  const { sessionId, secret, view } = await ready(checkout, testServer, email)
  assert.equal((await checkout.pay(secret, view)).problem, null)
  return { sessionId, orderId: (await checkout.read(sessionId)).body.data.orderId as string }
}

async function send(testServer: TestServer, orderId: string): Promise<void> {
  const { storage, installationId, clock } = testServer
  const parcel = { carrier: 'DHL', trackingNumber: '00340434161094042557', items: null }
  await storage.write((tx) =>
    fulfilOrder(tx, { installationId, orderId }, { ...parcel, anyway: true }, { now: clock.now, cause: null }),
  )
}

eachEngine('a shopper', (given) => {
  test('is erased, except from unsent orders and payments in progress; the orders themselves stay', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const sent = await buy(checkout, testServer, ada)
    await send(testServer, sent.orderId)
    const unsent = await buy(checkout, testServer, 'Ada@Example.com')
    const open = await ready(checkout, testServer, ada)
    const paying = await ready(checkout, testServer, ada)
    await checkout.pay(paying.secret, paying.view, unheard)
    const other = await buy(checkout, testServer, 'eve@example.com')
    await send(testServer, other.orderId)
    const orderOf = async (orderId: string) =>
      (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    const before = {
      rows: await dump(testServer),
      order: await orderOf(sent.orderId),
      other: await orderOf(other.orderId),
    }

    const planned = await forget(testServer, '--email', ada, '--dry-run')
    assert.deepEqual(await dump(testServer), before.rows, 'nothing is written')
    const kept = [
      { type: 'checkout_session', id: paying.sessionId, reason: 'payment_in_progress' },
      { type: 'order', id: unsent.orderId, number: (await orderOf(unsent.orderId)).number, reason: 'unsent' },
    ]
    const { eventTexts, ...counts } = planned.erased
    assert.deepEqual(counts, { checkoutSessions: 3, orders: 1, addresses: 2, withdrawals: 0 })
    assert.ok(eventTexts > 10)
    assert.deepEqual([planned.code, planned.dryRun, planned.kept, planned.pendingTexts], [1, true, kept, 0])

    const done = await forget(testServer, '--email', 'ADA@example.com')
    assert.deepEqual(done, { ...planned, dryRun: false })
    const order = await orderOf(sent.orderId)
    assert.deepEqual(order, {
      ...before.order,
      customer: { emailMasked: null },
      shippingAddress: { ...before.order.shippingAddress, summary: 'DE' },
      fulfillments: [{ ...before.order.fulfillments[0], trackingNumber: null, trackingUrl: null }],
    })
    assert.deepEqual(await orderOf(other.orderId), before.other, 'others are as they were')
    assert.equal((await orderOf(unsent.orderId)).customer.emailMasked, 'A***@Example.com')
    for (const id of [sent.sessionId, unsent.sessionId, open.sessionId])
      assert.equal((await checkout.read(id)).body.data.customer.emailMasked, null)
    const address = (await checkout.read(open.sessionId)).body.data.address
    assert.equal(address, null)

    // The open page asks again, and what was under way goes on.
    const seen = await checkout.look(open.secret)
    assert.deepEqual(seen.customer, { email: '', name: '', phone: '' })
    assert.equal((await checkout.pay(open.secret, seen)).problem?.code, 'invalid')
    assert.equal((await checkout.read(paying.sessionId)).body.data.customer.emailMasked, 'a***@example.com')
    assert.equal((await checkout.look(paying.secret)).customer.email, ada)

    const again = await forget(testServer, '--email', ada)
    assert.deepEqual(again.erased, { checkoutSessions: 0, orders: 0, addresses: 0, eventTexts: 0, withdrawals: 0 })
    assert.deepEqual([again.code, again.kept], [1, kept])
    await send(testServer, unsent.orderId)
    const rest = await forget(testServer, '--email', ada)
    assert.deepEqual([rest.erased.orders, rest.kept.length], [1, 1])
  })

  test('is erased from every table except the responses that are stored by idempotency key', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    const { orderId } = await buy(checkout, testServer, ada)
    const declined = await ready(checkout, testServer, ada)
    await checkout.pay(declined.secret, declined.view, cards.declined)
    const done = await forget(testServer, '--email', ada, '--unsent')
    assert.deepEqual([done.code, done.kept, done.erased.orders], [0, [], 1])
    const [sealed] = await testServer.storage.read(
      (db) => db.sql`
        select (select count(*) from checkout_sessions where customer_sealed is not null or email_masked is not null
            or email_hash is not null) as "sessions",
          (select count(*) from orders where customer_sealed is not null or email_masked is not null
            or email_hash is not null) as "orders",
          (select count(*) from promotion_uses where email_hash is not null) as "uses",
          (select count(*) from addresses where row_key is not null or sealed <> '' or city <> ''
            or postal_code_prefix is not null) as "addresses"`,
    )
    assert.deepEqual(sealed, { sessions: 0, orders: 0, uses: 0, addresses: 0 })
    // Stored answers hold the masked e-mail and the town for seven days at most.
    const rows = await dump(testServer)
    rows.delete('idempotency_keys')
    const text = [...rows.values()].flat().join('\n')
    for (const part of ['a***@', 'Berlin', 'Augusta', 'Byron', '1234567']) assert.ok(!text.includes(part), part)
    assert.equal((await testServer.ask('getStorefrontOrder', { path: { orderId } })).status, 200)
  })

  test('is found again once a forgotten version of the root secret is added again', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const { storage, merchantId, installationId, clock } = testServer
    await buy(await checkoutOf(testServer), testServer, ada)
    const newer = '2:the-secret-that-took-the-place-of-the-lost-one'
    const alone = parseRootSecret(newer) as RootSecret
    await discardSecretVersions(storage, alone, [1], clock.now)
    await storage.write((tx) => createCustomerKey(alone)(tx, clock.now))
    const shopper = { merchantId, installationIds: [installationId], email: ada }
    const input = { isDryRun: false, includesUnsent: true }
    assert.equal((await forgetShopper(storage, alone, shopper, input)).orders, 0)
    const both = parseRootSecret(`${newer},1:${testSecretText}`) as RootSecret
    const { orders, checkoutSessions } = await forgetShopper(storage, both, shopper, input)
    assert.deepEqual([orders, checkoutSessions], [1, 1])
  })

  test('is found by the hashes of an earlier release', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const checkout = await checkoutOf(testServer)
    await buy(checkout, testServer, ada)
    const former = createHmac('sha256', deriveKey(testSecret, 'customer e-mail')).update(ada).digest('base64url')
    await testServer.storage.write(async (tx) => {
      await tx.sql`update checkout_sessions set email_hash = ${former}`
      await tx.sql`update orders set email_hash = ${former}`
    })
    const { erased } = await forget(testServer, '--email', 'ada@EXAMPLE.com', '--unsent')
    assert.deepEqual([erased.checkoutSessions, erased.orders], [1, 1])
  })

  test('is erased from the bodies of pending webhooks only after these were delivered', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    await webhooksOf(testServer).add({ events: ['order.placed'], status: 'paused' })
    const checkout = await checkoutOf(testServer)
    await buy(checkout, testServer, ada)
    const { code, pendingTexts, erased } = await forget(testServer, '--email', ada, '--unsent')
    assert.deepEqual([code, pendingTexts, erased.orders], [1, 1, 1])
    const rows = await testServer.storage.read(
      (db) => db.sql<{ type: string }>`select type from events where body <> ''`,
    )
    assert.ok(rows.some(({ type }) => type === 'order.placed'))
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.deepEqual(await textsOf(testServer), ['order.placed'], 'it is still owed')
    await testServer.storage.write(
      (tx) =>
        tx.sql`update webhook_deliveries set status = 'succeeded', due_at = null, finished_at = ${testServer.clock.now}`,
    )
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.deepEqual(await textsOf(testServer), [])
    assert.ok(!(await dump(testServer)).get('events')?.some((row) => row.includes('a***@')))
    assert.deepEqual((await dump(testServer)).get('forgotten_texts'), [])
  })

  test('is found although the merchant has a thousand other installations, and so is an order by its id', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const { orderId } = await buy(await checkoutOf(testServer), testServer, ada)
    await testServer.storage.write(
      (tx) => tx.sql`
        with recursive n (i) as (select 1 union all select n.i + 1 from n where n.i < 1000)
        insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
        select 'ins_00' || n.i, ${testServer.merchantId}, 'App ' || n.i, 'test', '[]', 0 from n`,
    )
    const settings = { CARTWRIGHT_DATABASE_URL: testServer.url, CARTWRIGHT_SECRET: testSecretText }
    const shown = await cartwright(['orders', 'show', orderId], settings)
    assert.deepEqual([shown.code, shown.err], [0, ''])
    assert.equal((await forget(testServer, '--email', ada, '--unsent')).erased.orders, 1)
  })

  test('who is unknown is reported as such', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const settings = { CARTWRIGHT_DATABASE_URL: testServer.url, CARTWRIGHT_SECRET: testSecretText }
    const words = ['shoppers', 'forget', '--email', 'nobody@example.com']
    const told = await cartwright(words, settings)
    assert.deepEqual(told, { code: 0, out: 'nothing is stored about this shopper\n', err: '' })
    for (const wrong of [['forget'], ['forget', '--email', 'nobody'], ['list']])
      assert.equal((await cartwright(['shoppers', ...wrong], settings)).code, 2)
  })
})
