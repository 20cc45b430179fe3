// What one caller must not learn from the admin surface through another's request, a search or an undo.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { checkoutOf } from '../harness/checkout.ts'
import { type Orders, orderMarket, ordersOf } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { adminScopes } from '../src/contract/words.ts'
import { sweepAddresses } from '../src/domain/addresses/vault.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { eraseRequestedCustomers } from '../src/domain/customers/erase.ts'
import { linkCustomers } from '../src/domain/customers/link.ts'
import { indexOrders } from '../src/domain/search/orders.ts'
import { insertTokens } from '../src/domain/search/store.ts'
import { personCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'

eachEngine('privacy of the admin surface', (given) => {
  let testServer: TestServer & { orders: Orders }
  before(async () => {
    const opened = await openTestServer(given, { shops: [orderMarket, rival] })
    testServer = { ...opened, orders: await ordersOf(opened) }
  })

  const index = () => indexOrders(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
  const found = async (q: string, key = testServer.keys.admin): Promise<string[]> => {
    const answer = await testServer.askAdmin('searchAdmin', { query: `?q=${encodeURIComponent(q)}`, key })
    return answer.body.data.orders.map(({ id }: { id: string }) => id)
  }
  async function buy(): Promise<string> {
    const { ready, pay } = await checkoutOf(testServer)
    const { secret, view } = await ready({ 'ROSE-12': 1 })
    return (await pay(secret, view)).view.session.orderId ?? ''
  }

  test('the link of an invitation is returned again only to the person who created it', async () => {
    const body = { idempotencyKey: newId('req'), email: 'boss@example.com', role: 'staff' }
    const principal = personCaller({ userId: newId('usr'), ...testServer.seller, scopes: adminScopes })
    const invite = async () =>
      String((await testServer.app.admin.perform('inviteAdminMember', { principal, body })).body)
    const made = await invite()
    assert.match(made, /\/admin\/invitations\//)
    assert.equal(await invite(), made)
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
    const repeated = await testServer.askAdmin('inviteAdminMember', { body })
    assert.deepEqual([repeated.status, repeated.body.data.link], [200, null], 'a key makes its own, and sees none')
    await testServer.storage.write((tx) => setMailSwitch(tx, false, testServer.clock.now))
  })

  test('orders are found by customer data only with the scope for customers', async () => {
    const orderId = await buy()
    await index()
    const { key } = await testServer.newKey(['admin:read'])
    assert.ok((await found('ada@example.com')).includes(orderId))
    for (const q of ['ada@example.com', 'lovelace', '10117']) assert.deepEqual(await found(q, key), [], q)
    const number = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data.number
    assert.deepEqual(await found(number, key), [orderId])
  })

  test('an address that is erased while its order is being indexed cannot be found afterwards', async () => {
    const orderId = await buy()
    await testServer.storage.write(
      (tx) => tx.sql`update addresses set expires_at = ${testServer.clock.now} where owner_id = ${orderId}`,
    )
    // The search has read the address and is about to commit its words.
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const indexing = testServer.storage.write(async (tx) => {
      const [order] = await tx.sql<{ installationId: string }>`
        select installation_id as "installationId" from orders where id = ${orderId} ${tx.forUpdate}`
      const { merchantId, mode } = testServer.seller
      insertTokens(tx, [
        { merchantId, mode, orderId, installationId: order?.installationId ?? '', token: 'token-of-ada' },
      ])
      locked.resolve()
      await held.promise
    })
    await locked.promise
    let isErased = false
    const erasing = sweepAddresses(testServer.storage, testServer.clock.now, 10).then(() => {
      isErased = true
    })
    // SQLite has one writer at a time. On PostgreSQL the sweep must be seen to wait.
    if (given.engine === 'postgres')
      await until(async () => {
        const waiting = await testServer.storage.read(
          (db) => db.sql`
            select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return isErased || waiting.length > 0
      })
    held.resolve()
    await Promise.all([indexing, erasing])
    const left = await testServer.storage.read(
      (db) => db.sql`select token from search_tokens where order_id = ${orderId}`,
    )
    assert.deepEqual(left, [])
  })

  test('an order whose address was erased is not indexed by the words of the address', async () => {
    const orderId = await buy()
    await testServer.storage.write(
      (tx) => tx.sql`update addresses set expires_at = ${testServer.clock.now} where owner_id = ${orderId}`,
    )
    await sweepAddresses(testServer.storage, testServer.clock.now, 10)
    await index()
    for (const q of ['ada@example.com', 'lovelace']) assert.ok(!(await found(q)).includes(orderId), q)
  })

  test('the tracking number of an erased shopper is in no audit entry, and no undo restores it', async () => {
    const orderId = await buy()
    const path = { orderId }
    await testServer.askAdmin('fulfilAdminOrder', { path, body: { idempotencyKey: newId('req') } })
    const order = (await testServer.askAdmin('getAdminOrder', { path })).body.data
    const parcel = { orderId, fulfillmentId: order.fulfillments[0].id }
    const corrected = { idempotencyKey: newId('req'), trackingNumber: 'PRIVATE-77' }
    const answer = await testServer.askAdmin('updateAdminFulfillment', { path: parcel, body: corrected })
    assert.equal(answer.status, 200, answer.text)
    const latest = async () => (await testServer.askAdmin('listAdminChanges')).body.data[0].id
    const undo = async () =>
      testServer.askAdmin('undoAdminChange', {
        path: { changeId: await latest() },
        body: { idempotencyKey: newId('req') },
      })
    assert.equal((await undo()).status, 200)
    const shopper = {
      merchantId: testServer.merchantId,
      installationIds: [testServer.installationId],
      email: 'ada@example.com',
    }
    await forgetShopper(testServer.storage, testSecret, shopper, { isDryRun: false, includesUnsent: true })
    assert.doesNotMatch((await testServer.askAdmin('listAdminChanges')).text, /PRIVATE-77/)
    await undo()
    assert.deepEqual(await found('PRIVATE-77'), [])
  })

  const link = () => linkCustomers(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
  const erase = () => eraseRequestedCustomers(testServer.storage, testSecret, { now: testServer.clock.now, limit: 10 })
  async function buyAs(email: string): Promise<{ orderId: string; customerId: string }> {
    const { ready, pay } = await checkoutOf(testServer)
    const { secret, view } = await ready({ CARD: 1 }, {}, email)
    const orderId = (await pay(secret, view)).view.session.orderId ?? ''
    await Promise.all([link(), link()])
    const { customerId } = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
    return { orderId, customerId }
  }
  const customers = async (q?: string) =>
    (await testServer.askAdmin('listAdminCustomers', { query: q === undefined ? '' : `?q=${encodeURIComponent(q)}` }))
      .body.data

  test('orders with one e-mail address in any letter case belong to one customer, whose totals are those of the orders', async () => {
    const first = await buyAs('grace@example.com')
    testServer.clock.now += 1_000
    const second = await buyAs('GRACE@Example.com')
    assert.equal(second.customerId, first.customerId)
    await index()
    const [row, ...others] = await customers('grace@example.com')
    assert.deepEqual(others, [])
    const path = { orderId: second.orderId }
    const order = (await testServer.askAdmin('getAdminOrder', { path })).body.data
    assert.deepEqual([row.id, row.orderCount, row.spent], [first.customerId, 2, 2 * order.totals.total])
    assert.equal(row.emailMasked, order.customer.emailMasked)
    const refunded = { idempotencyKey: newId('req'), amount: 100 }
    assert.equal((await testServer.askAdmin('refundAdminOrder', { path, body: refunded })).status, 200)
    assert.equal((await customers('grace@example.com'))[0].spent, 2 * order.totals.total - 100)
    const query = `?customerId=${first.customerId}`
    const listed = (await testServer.askAdmin('listAdminOrders', { query })).body.data
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [second.orderId, first.orderId],
    )
    assert.deepEqual((await testServer.askAdmin('listAdminReturns', { query })).body.data, [])
  })

  test('listAdminCustomers and getAdminCustomer show no names or full e-mail addresses; getAdminCustomerDetails and getAdminCustomerData do, and are audited', async () => {
    const { customerId } = await buyAs('hedy@example.com')
    const path = { customerId }
    const masked = [
      await testServer.askAdmin('listAdminCustomers'),
      await testServer.askAdmin('getAdminCustomer', { path }),
    ]
    for (const { text } of masked) assert.doesNotMatch(text, /hedy@|Lovelace|Linden/)
    const details = (await testServer.askAdmin('getAdminCustomerDetails', { path })).body.data
    assert.deepEqual([details.email, details.addresses.length], ['hedy@example.com', 1])
    const file = (await testServer.askAdmin('getAdminCustomerData', { path })).body.data
    assert.deepEqual([file.email, file.orders.length], ['hedy@example.com', 1])
    const { changes } = (await testServer.askAdmin('getAdminCustomer', { path })).body.data
    assert.deepEqual(
      changes.map(({ operation }: { operation: string }) => operation),
      ['getAdminCustomerData', 'getAdminCustomerDetails'],
    )
    const { key } = await testServer.newKey(['admin:read', 'admin:orders'])
    assert.equal((await testServer.askAdmin('listAdminCustomers', { key })).status, 403)
  })

  test('a request to erase a customer keeps an order that is still to be shipped; without such orders, the background loop then erases the customer completely', async () => {
    const { orderId, customerId } = await buyAs('rosa@example.com')
    const path = { customerId }
    const note = { idempotencyKey: newId('req'), text: 'Calls at night.' }
    assert.equal((await testServer.askAdmin('addAdminCustomerNote', { path, body: note })).status, 200)
    const asked = async () => {
      const answer = await testServer.askAdmin('eraseAdminCustomer', { path, body: { idempotencyKey: newId('req') } })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    }
    const { orders: erased, kept } = await asked()
    assert.deepEqual([erased, kept.map(({ id }: { id: string }) => id)], [0, [orderId]])
    await erase()
    const left = (await testServer.askAdmin('getAdminCustomer', { path })).body.data
    assert.deepEqual([left.orderCount, left.eraseAskedAt, left.notes.length], [1, null, 1])
    await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body: { idempotencyKey: newId('req') } })
    assert.deepEqual(await asked(), { orders: 1, kept: [] })
    assert.notEqual((await testServer.askAdmin('getAdminCustomer', { path })).body.data.eraseAskedAt, null)
    await Promise.all([erase(), erase()])
    assert.equal((await testServer.askAdmin('getAdminCustomer', { path })).status, 404)
    const rows = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from customer_notes where customer_id = ${customerId}`,
    )
    assert.deepEqual(rows, [])
    const who = (await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId } })).body.data
    assert.deepEqual([who.email, who.address], [null, null])
    await link()
    assert.equal((await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data.customerId, null)
  })
})
