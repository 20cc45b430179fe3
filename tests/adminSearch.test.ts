// Search and home: orders are found by words that are sealed, until these are erased.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { failedDelivery } from '../harness/admin/developers.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { type Orders, orderMarket, ordersOf } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { sweepAddresses } from '../src/domain/addresses/vault.ts'
import { fillFoldedTexts } from '../src/domain/catalog/fold.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { indexOrders } from '../src/domain/search/orders.ts'
import { insertTokens, listOrdersOfTokens, wordRowsMax } from '../src/domain/search/store.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('admin search', (given) => {
  let testServer: TestServer & { orders: Orders }
  before(async () => {
    const opened = await openTestServer(given, { shops: [orderMarket, rival] })
    testServer = { ...opened, orders: await ordersOf(opened) }
  })

  const index = () => indexOrders(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
  const search = async (q: string, key = testServer.keys.admin) =>
    (await testServer.askAdmin('searchAdmin', { query: `?q=${encodeURIComponent(q)}`, key })).body.data
  const found = async (q: string) => (await search(q)).orders.map(({ id }: { id: string }) => id)

  test('orders are found by number, tracking number, name and address, and by e-mail address if they have one', async () => {
    const { orderId, number } = await testServer.orders.place({ items: { CARD: 1 } })
    const other = await testServer.orders.place({ items: { CARD: 1 } })
    assert.equal(await index(), 2)
    assert.equal(await index(), 0, 'each once')
    const body = { idempotencyKey: newId('req'), trackingNumber: 'JD-0146 0000' }
    await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body })
    assert.deepEqual(await found(number), [orderId])
    assert.deepEqual(await found(`#${number.toLowerCase()}`), [orderId])
    assert.deepEqual(await found('JD-0146 0000'), [orderId])
    const both = new Set([orderId, other.orderId])
    assert.deepEqual(new Set(await found('LOVELACE')), both)
    assert.deepEqual(new Set(await found('ada lovelace 10117')), both)
    assert.deepEqual(await found('ada martin'), [])
    assert.deepEqual(new Set(await found('lov ad')), both, 'by the beginning of each word')
    assert.deepEqual(new Set(await found('Berl')), both, 'by the city')
    assert.deepEqual([await found('l'), await found('velace')], [[], []], 'from two letters on, and not within a word')
    // Another beginning of the same words finds nothing.
    assert.deepEqual(await found('lovelaceyy'), [])
    for (const mistyped of ['ovelace', 'Lovelcae', 'ada lovalace 10117', 'lovellace'])
      assert.deepEqual(new Set(await found(mistyped)), both, mistyped)
    assert.deepEqual(
      [await found('adaa'), await found('ada lovalaec')],
      [[], []],
      'of five letters or more, one mistake',
    )
    const { key } = await testServer.newKey(['admin:read'])
    assert.deepEqual((await search('ovelace', key)).orders, [], 'names are for those who may see customers')

    const { ready, pay } = await checkoutOf(testServer)
    const { secret, view } = await ready({ CARD: 1 })
    const paid = (await pay(secret, view)).view.session.orderId
    await index()
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ masked: string }>`select email_masked as masked from orders where id = ${paid}`,
    )
    assert.match(row?.masked ?? '', /@/)
    assert.ok((await found('ada@example.com')).includes(paid))
    assert.deepEqual(await found('ada@example.org'), [])
  })

  test('any key that may read orders of the shop finds them by the code of an item', async () => {
    const { orderId } = await testServer.orders.place({ items: { BOOK: 1 } })
    const { key } = await testServer.newKey(['admin:read'])
    for (const q of ['BOOK', 'book'])
      assert.deepEqual(
        (await search(q, key)).orders.map(({ id }: { id: string }) => id),
        [orderId],
      )
    assert.deepEqual((await search('BOOK', testServer.keys.rivalAdmin)).orders, [])
  })

  test('getAdminOrderNames returns the customer names of a list of orders and audits the read, and returns no names if the shop settings mask them', async () => {
    const placed = [await testServer.orders.place(), await testServer.orders.place()]
    const orderIds = placed.map(({ orderId }) => orderId)
    const names = async (ids: readonly string[], key = testServer.keys.admin) =>
      testServer.askAdmin('getAdminOrderNames', { query: `?orderIds=${ids.join(',')}`, key })
    const looks = async () => {
      const query = '?operation=getAdminOrderNames'
      const { data } = (await testServer.askAdmin('listAdminChanges', { query })).body
      return data.map(({ changes }: { changes: { members: { to: unknown }[] }[] }) => changes[0]?.members[0]?.to)
    }
    const answer = await names(orderIds)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(
      new Set(answer.body.data.map(({ orderId, name }: { orderId: string; name: string }) => `${orderId} ${name}`)),
      new Set(orderIds.map((id) => `${id} Ada Lovelace`)),
    )
    const numbers = placed.map(({ number }) => number)
    assert.deepEqual(await looks(), [numbers])
    await names(orderIds.slice(0, 1))
    assert.equal((await looks()).length, 1, 'a part of what was just read')
    testServer.clock.now += 11 * 60_000
    await names(orderIds)
    assert.equal((await looks()).length, 2, 'again after a while')
    assert.deepEqual((await names(orderIds, testServer.keys.rivalAdmin)).body.data, [])
    const { key } = await testServer.newKey(['admin:read'])
    assert.equal((await names(orderIds, key)).status, 403)
    assert.equal((await names(["'"])).status, 400)

    const { version } = (await testServer.askAdmin('getAdminShop')).body.data
    const body = { idempotencyKey: newId('req'), expectedVersion: version, customerNames: 'masked' }
    assert.equal((await testServer.askAdmin('updateAdminShop', { body })).status, 200)
    testServer.clock.now += 11 * 60_000
    assert.deepEqual((await names(orderIds)).body.data, [])
    assert.equal((await looks()).length, 2, 'what is masked is no look')
  })

  test('listAdminOrders finds orders by number or customer data with q, and combines q with filters', async () => {
    const listed = async (query: string, key = testServer.keys.admin) =>
      (await testServer.askAdmin('listAdminOrders', { query, key })).body.data.map(({ id }: { id: string }) => id)
    const { orderId, number } = await testServer.orders.place({ items: { CARD: 1 } })
    await index()
    assert.deepEqual(await listed(`?q=${number}`), [orderId])
    const named = await listed('?q=lovelace')
    assert.deepEqual([named.includes(orderId), named.length > 1], [true, true])
    assert.deepEqual(await listed('?q=ada+lovelace+10117'), named)
    assert.ok(!(await listed('?q=lovelace&fulfillment=fulfilled')).includes(orderId))
    assert.deepEqual(await listed('?q=martin'), [])
    const { key } = await testServer.newKey(['admin:read'])
    assert.deepEqual([await listed('?q=lovelace', key), await listed(`?q=${number}`, key)], [[], [orderId]])
    assert.deepEqual(await listed(`?q=${number}`, testServer.keys.rivalAdmin), [])
  })

  test('a long code is found by any of its beginnings, and wildcard characters match only themselves', async () => {
    const begin = `${newId('req')}%`.padEnd(70, 'x')
    const skus = ['a', 'b'].map((end) => ({ code: begin + end, name: end, price: 1, stock: 1, options: { End: end } }))
    const slug = newId('req').replace('_', '-')
    const product = { slug, name: slug, options: [{ name: 'End', values: ['a', 'b'] }], skus }
    const made = await testServer.askAdmin('createAdminProduct', { body: { idempotencyKey: newId('req'), product } })
    assert.equal(made.status, 200, made.text)
    const codes = async (q: string) => (await search(q)).skus.map(({ code }: { code: string }) => code)
    assert.deepEqual(await codes(begin.slice(0, 40)), [`${begin}a`, `${begin}b`])
    assert.deepEqual(await codes(`${begin.toUpperCase()}B`), [`${begin}b`])
    assert.deepEqual(await codes(begin.replace('%', '_')), [])
    const listed = await testServer.askAdmin('listAdminProducts', { query: `?q=${encodeURIComponent(`${begin}b`)}` })
    assert.deepEqual(
      listed.body.data.map(({ id }: { id: string }) => id),
      [made.body.data.id],
    )
  })

  test('names and codes are found in any letter case, and tags only as they are written', async () => {
    const code = newId('req').toUpperCase()
    const skus = [{ code: `Ö${code}`, name: 'GRÜN', price: 1, stock: 1 }]
    const product = { slug: code.toLowerCase().replace('_', '-'), name: 'ÉCLAIR Œuf', tags: ['Été'], skus }
    const made = await testServer.askAdmin('createAdminProduct', { body: { idempotencyKey: newId('req'), product } })
    assert.equal(made.status, 200, made.text)
    const { id } = made.body.data
    const ids = async (operation: 'listAdminProducts' | 'listAdminSkus', query: string) =>
      (await testServer.askAdmin(operation, { query })).body.data.map(
        (row: { id: string; productId?: string }) => row.productId ?? row.id,
      )
    const check = async () => {
      for (const q of ['éclair', 'ÉCLAIR œUF', `ö${code.toLowerCase()}`]) {
        assert.deepEqual(await ids('listAdminProducts', `?q=${encodeURIComponent(q)}`), [id], q)
        assert.deepEqual(await ids('listAdminSkus', `?q=${encodeURIComponent(q)}`), [id], q)
      }
      assert.deepEqual(await ids('listAdminSkus', `?q=${encodeURIComponent('grün')}`), [id])
      const { products } = await search('éclair')
      assert.deepEqual(products, [{ id, slug: product.slug, name: product.name }])
      assert.deepEqual((await search(`Ö${code.toLowerCase()}`)).skus[0]?.code, `Ö${code}`)
    }
    await check()
    assert.deepEqual(await ids('listAdminProducts', `?tag=${encodeURIComponent('Été')}`), [id])
    assert.deepEqual(await ids('listAdminProducts', `?tag=${encodeURIComponent('été')}`), [])
    // Rows from before there was a folded text are filled in.
    await testServer.storage.write(async (tx) => {
      tx.send`update products set folded = null where id = ${id}`
      tx.send`update skus set folded = null where product_id = ${id}`
    })
    assert.equal(await fillFoldedTexts(testServer.storage, 100), 2)
    assert.equal(await fillFoldedTexts(testServer.storage, 100), 0)
    await check()
  })

  test('the index contains no word in clear text, and another merchant finds nothing', async () => {
    const rows = await testServer.storage.read((db) => db.sql<{ token: string }>`select token from search_tokens`)
    assert.ok(rows.length > 3)
    for (const { token } of rows) assert.match(token, /^[\w-]{22}$/)
    assert.ok(!JSON.stringify(rows).toLowerCase().includes('lovelace'))
    assert.deepEqual((await search('lovelace', testServer.keys.rivalAdmin)).orders, [])
  })

  test('a search for frequent words reads only the newest orders, and a search for a rare word finds old orders too', async () => {
    const mode = { merchantId: newId('mer'), mode: 'test' } as const
    const first = { ...mode, installationId: newId('ins'), orderId: 'ord_0' }
    await testServer.storage.write(async (tx) => {
      insertTokens(
        tx,
        ['be', 'mu', 'rare'].map((token) => ({ ...first, token })),
      )
      tx.send`
        with recursive numbers (n) as (select 10000 union all select n + 1 from numbers where n < ${10_000 + wordRowsMax})
        insert into search_tokens (merchant_id, mode, token, installation_id, order_id)
        select ${mode.merchantId}, ${mode.mode}, w.token, ${first.installationId}, 'ord_' || n
        from numbers cross join (select 'be' as token union all select 'mu') w`
    })
    const found = async (limit: number, ...words: string[][]) =>
      (await testServer.storage.read((db) => listOrdersOfTokens(db, mode, words, limit))).map(({ orderId }) => orderId)
    assert.deepEqual(await found(2, ['be', 'none']), ['ord_12000', 'ord_11999'])
    for (const rare of [['rare'], ['none', 'rare']]) {
      assert.deepEqual(await found(2, ['be'], rare, ['mu', 'none']), ['ord_0'])
      assert.deepEqual(await found(2, rare, ['be']), ['ord_0'])
    }
    assert.equal((await found(wordRowsMax * 2, ['be'], ['mu'])).length, wordRowsMax)
    assert.equal((await found(wordRowsMax * 2, ['be', 'mu'])).at(-1), 'ord_10001')
    assert.deepEqual(await found(2, ['be'], ['none']), [])
  })

  test('products are found by a part of the name, SKUs and promotions by the beginning of their code', async () => {
    const { products, skus } = await search('ROSE')
    assert.ok(products.length > 0)
    assert.ok(skus.some(({ code }: { code: string }) => code === 'ROSE-12'))
    assert.deepEqual(
      (await search('gif')).promotions.map(({ code }: { code: string }) => code),
      ['GIFT'],
    )
    assert.deepEqual(await search('%'), { orders: [], products: [], skus: [], promotions: [] })
  })

  test('an erased shopper and their shipments are no longer found', async () => {
    const { ready, pay } = await checkoutOf(testServer)
    const { secret, view } = await ready({ CARD: 1 })
    const orderId: string = (await pay(secret, view)).view.session.orderId ?? ''
    await index()
    const path = { orderId }
    const body = { idempotencyKey: newId('req'), trackingNumber: 'SECRET-1', trackingUrl: 'https://x.example/SECRET-1' }
    await testServer.askAdmin('fulfilAdminOrder', { path, body })
    await testServer.askAdmin('addAdminOrderNote', {
      path,
      body: { idempotencyKey: newId('req'), text: 'Rings twice.' },
    })
    assert.ok((await found('ada@example.com')).includes(orderId))
    const shopper = {
      merchantId: testServer.merchantId,
      installationIds: [testServer.installationId],
      email: 'ada@example.com',
    }
    const input = { isDryRun: false, includesUnsent: true }
    await forgetShopper(testServer.storage, testSecret, shopper, input)
    assert.deepEqual(await found('ada@example.com'), [])
    assert.deepEqual(await found('SECRET-1'), [])
    const order = await testServer.askAdmin('getAdminOrder', { path })
    assert.deepEqual(await found(order.body.data.number), [orderId])
    assert.ok(!order.text.includes('SECRET-1'))
    assert.deepEqual(order.body.data.notes, [])
    assert.equal(order.body.data.changes.length, 2)
  })

  test('an order whose address is erased is found by its number, and no longer by the name of the customer', async () => {
    const { orderId, number } = await testServer.orders.place({ items: { CARD: 1 } })
    await index()
    assert.ok((await found('lovelace')).includes(orderId))
    await testServer.storage.write(
      (tx) => tx.sql`update addresses set expires_at = ${testServer.clock.now} where owner_id = ${orderId}`,
    )
    await sweepAddresses(testServer.storage, testServer.clock.now, 10)
    assert.ok(!(await found('lovelace')).includes(orderId))
    assert.deepEqual(await found(number), [orderId])
  })

  test('getAdminHome counts orders to ship, unpaid orders and failing webhooks', async () => {
    const todo = async () => {
      const { todo: counts } = (await testServer.askAdmin('getAdminHome')).body.data
      const { toSend, awaitingPayment, withdrawals } = counts
      const { body } = await testServer.askAdmin('getAdminOrderCounts')
      assert.deepEqual(body.data, { toSend, awaitingPayment, withdrawals })
      return counts
    }
    const before = await todo()
    await testServer.orders.place({ items: { CARD: 1 } })
    await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    const { endpointId } = await failedDelivery(testServer)
    await testServer.storage.write(
      (tx) => tx.sql`update webhook_endpoints set failing_since = ${testServer.clock.now}, consecutive_failures = 1
        where id = ${endpointId}`,
    )
    const after = await todo()
    assert.deepEqual(after, {
      ...before,
      toSend: before.toSend + 1,
      awaitingPayment: before.awaitingPayment + 1,
      webhooksFailing: before.webhooksFailing + 1,
    })
  })
})
