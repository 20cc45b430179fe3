// Exchanges: a new order in place of returned items, paid by what was paid for these. Money, stock and documents agree, also when several
// come at once. The invariants are checked when the test server closes.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sentOrder } from '../harness/admin/returns.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { pausesOf } from '../harness/pauses.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { type Answer, assertAdminError, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { exchangeReturn } from '../src/domain/exchanges/exchange.ts'
import { planExchange } from '../src/domain/exchanges/plan.ts'
import { lockOrderFacts } from '../src/domain/orders/change.ts'
import { recordProviderState } from '../src/domain/orders/providerstate.ts'
import type { ProviderRefund } from '../src/domain/payments/port.ts'
import { lockAdminReturn } from '../src/domain/returns/adminlook.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('exchanges', (given) => {
  let testServer: TestServer & { orders: Orders }
  let skus: Map<string, string>
  before(async () => {
    testServer = await openOrderTestServer(given)
    const rows = await testServer.storage.read(
      (db) =>
        db.sql<{ id: string; code: string }>`select id, code from skus where merchant_id = ${testServer.merchantId}`,
    )
    skus = new Map(rows.map(({ id, code }) => [code, id]))
  })

  const ask = (id: AdminOperationId, path: Record<string, string>, body: object = {}): Promise<Answer> =>
    testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
  const sku = (code: string) => skus.get(code) as string
  const orderOf = async (orderId: string) =>
    (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
  const stockOf = async (code: string) => {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ onHand: number }>`
        select on_hand as "onHand" from stock where sku_id = ${sku(code)} and mode = 'test'`,
    )
    return row?.onHand ?? 0
  }

  async function received(items: Readonly<Record<string, number>>) {
    const { orderId } = await sentOrder(testServer, items)
    const all = Object.entries(items).map(([code, quantity]) => ({ skuId: sku(code), quantity }))
    const opened = await ask('createAdminReturn', { orderId }, { items: all, reason: 'does_not_fit', wish: 'exchange' })
    const returnId = opened.body.data.id as string
    await ask('receiveAdminReturn', { returnId })
    return { orderId, returnId }
  }
  const wanting = (code: string, quantity: number, unitPrice?: number) => ({
    newItems: [{ skuId: sku(code), quantity, ...(unitPrice !== undefined && { unitPrice }) }],
  })

  test('at the same price: previewed to the cent, then placed and paid at once, and both name each other', async () => {
    const { orderId, returnId } = await received({ BOOK: 1 })
    const preview = await ask('exchangeAdminReturn', { returnId }, { ...wanting('BOOK', 1), dryRun: true })
    const { credit, totals, moneyBack, order, refund } = preview.body.data
    assert.deepEqual([preview.status, credit, totals.total, totals.shipping, moneyBack], [200, 2995, 2995, 0, 0])
    assert.deepEqual([order, refund, (await orderOf(orderId)).totals.refunded], [null, null, 0])
    for (const [member, code] of [
      ['expectedCredit', 'version_conflict'],
      ['expectedTotal', 'total_changed'],
    ] as const)
      assertAdminError(await ask('exchangeAdminReturn', { returnId }, { ...wanting('BOOK', 1), [member]: 2994 }), code)

    const onHand = await stockOf('BOOK')
    const expected = { expectedCredit: credit, expectedTotal: 2995, close: true }
    const made = await ask('exchangeAdminReturn', { returnId }, { ...wanting('BOOK', 1), ...expected })
    const { data } = made.body
    assert.deepEqual([data.return.status, data.return.refunds, data.return.refunded], ['closed', [], 0])
    assert.deepEqual(
      data.return.exchanges.map(({ at: _, ...one }: { at: string }) => one),
      [{ orderId: data.order.id, orderNumber: data.order.number, credit: 2995, refunded: 0 }],
    )
    const placed = await orderOf(data.order.id)
    assert.deepEqual(
      [placed.status, placed.paymentStatus, placed.total, placed.payments.length, placed.payments[0].amount],
      ['placed', 'paid', 2995, 1, 2995],
    )
    assert.deepEqual([placed.exchangeOf.returnId, placed.exchangeOf.orderId], [returnId, orderId])
    assert.equal(placed.shippingAddress.summary, (await orderOf(orderId)).shippingAddress.summary)
    const old = await orderOf(orderId)
    assert.deepEqual([old.paymentStatus, old.totals.refunded, old.exchangeOf], ['partially_refunded', 2995, null])
    assert.deepEqual([old.refunds[0].exchanged, old.refunds[0].amount], [true, 2995])
    assert.equal(await stockOf('BOOK'), onHand - 1)
    const events = await testServer.storage.read(
      (db) => db.sql<{ type: string }>`
        select type from events where subject_id in (${returnId}, ${data.order.id}) order by subject_type, sequence`,
    )
    assert.deepEqual(
      events.map(({ type }) => type),
      ['order.placed', 'order.paid', 'return.approved', 'return.received', 'return.exchanged', 'return.closed'],
    )
    assert.equal(placed.changes[0].operation, 'exchangeAdminReturn')
  })

  test('at a lower price: the rest goes back to the card, and so does the new order when it is cancelled', async () => {
    const { orderId, returnId } = await received({ BOOK: 2 })
    const made = (await ask('exchangeAdminReturn', { returnId }, wanting('CARD', 3))).body.data
    assert.deepEqual([made.credit, made.totals.total, made.moneyBack, made.refund.amount], [5990, 999, 4991, 4991])
    assert.equal((await orderOf(made.order.id)).paymentStatus, 'paid')
    await testServer.orders.pay()
    const placed = await orderOf(made.order.id)
    assert.deepEqual([placed.paymentStatus, placed.refunds[0].status, placed.totals.refunded], ['paid', 'succeeded', 0])
    await ask('cancelAdminOrder', { orderId: made.order.id })
    await testServer.orders.pay()
    assert.equal((await orderOf(made.order.id)).paymentStatus, 'refunded')
    // By the provider: the first charge has given back both, and nothing for the refund that moved.
    const [charge] = await testServer.storage.read(
      (db) => db.sql<{ refunded: number }>`
        select t.refunded from test_charges t join payments p on p.id = t.key where p.order_id = ${orderId}`,
    )
    assert.equal(charge?.refunded, 5990)
    // The delivery is what is left of the first order.
    const old = await orderOf(orderId)
    const left = await ask('refundAdminOrder', { orderId }, { dryRun: true })
    assert.equal(left.body.data.amount, old.total - 5990)
  })

  test('documents: a credit note for what came back and an invoice for the new items, by their own rates', async () => {
    const { orderId, returnId } = await received({ BOOK: 1 })
    const made = (await ask('exchangeAdminReturn', { returnId }, wanting('CARD', 2))).body.data
    await testServer.orders.pay()
    const { rootSecret } = testServer.app.payTools
    while ((await issueDocuments(testServer.storage, rootSecret, { now: testServer.clock.now, limit: 50 })) > 0);
    const documents = await testServer.storage.read(
      (db) => db.sql<{ kind: string; total: number; tax: number }>`
        select kind, total, tax from documents where order_id in (${orderId}, ${made.order.id}) and cause_id <> ${orderId}
        order by kind`,
    )
    assert.deepEqual(documents, [
      { kind: 'credit_note', total: 2995, tax: 196 },
      { kind: 'invoice', total: 666, tax: 106 },
    ])
  })

  test('an exchanged order can be returned and exchanged again, and the money still goes back by the first payment', async () => {
    const { orderId, returnId } = await received({ BOOK: 1 })
    const first = (await ask('exchangeAdminReturn', { returnId }, wanting('BOOK', 1))).body.data.order.id
    await ask('fulfilAdminOrder', { orderId: first })
    const items = [{ skuId: sku('BOOK'), quantity: 1 }]
    const again = (await ask('createAdminReturn', { orderId: first }, { items, reason: 'damaged' })).body.data.id
    const second = (await ask('exchangeAdminReturn', { returnId: again }, wanting('CARD', 1))).body.data
    assert.equal(second.moneyBack, 2995 - 333)
    await ask('cancelAdminOrder', { orderId: second.order.id })
    await testServer.orders.pay()
    const [charge] = await testServer.storage.read(
      (db) => db.sql<{ refunded: number }>`
        select t.refunded from test_charges t join payments p on p.id = t.key where p.order_id = ${orderId}`,
    )
    assert.equal(charge?.refunded, 2995)
  })

  test('what a provider lists for the first payment is recorded for the order to which the money moved', async () => {
    const { orderId, returnId } = await received({ BOOK: 1 })
    const { order } = (await ask('exchangeAdminReturn', { returnId }, wanting('BOOK', 1))).body.data
    const part = await ask('refundAdminOrder', { orderId: order.id }, { amount: 1000 })
    await testServer.orders.pay()
    const { installationId, clock } = testServer
    const record = (refunds: ProviderRefund[]) =>
      testServer.storage.write(async (tx) => {
        const facts = await lockOrderFacts(tx, { installationId, orderId })
        const [payment] = facts?.payments ?? []
        if (!payment) throw new Error('the order has no payment')
        return recordProviderState(tx, facts, payment, { refunds, dispute: null }, clock.now)
      })
    const [key] = part.body.data.order.refunds.map(({ id }: { id: string }) => id)
    const failed = { reference: 're_1', key, amount: 1000, state: 'failed' } as const
    await record([{ ...failed, state: 'succeeded' }])
    assert.equal((await orderOf(order.id)).totals.refunded, 1000)
    await record([failed])
    assert.deepEqual((await orderOf(order.id)).totals.refunded, 0)
    // Made there by hand, and more than the first order has left.
    await record([failed, { reference: 're_2', key: null, amount: 2995, state: 'succeeded' }])
    const [first, placed] = [await orderOf(orderId), await orderOf(order.id)]
    assert.deepEqual([first.totals.refunded, placed.totals.refunded, placed.paymentStatus], [2995, 2995, 'refunded'])
    // The test provider has no part in this: its books are put right for the invariants.
    await testServer.storage.write(
      (tx) => tx.sql`
      update test_charges set refunded = 2995 where key in (select id from payments where order_id = ${orderId})`,
    )
  })

  test('refused: dearer items, a gift, unknown items, digital or missing ones, units twice, another shop', async () => {
    const { orderId, returnId } = await received({ CARD: 2 })
    const dearer = await ask('exchangeAdminReturn', { returnId }, wanting('BOOK', 1))
    assertAdminError(dearer, 'exchange_not_possible')
    assert.deepEqual(dearer.body.error.current, { reason: 'costs_more', credit: 666, total: 2995 })
    assertAdminError(await ask('exchangeAdminReturn', { returnId }, wanting('CARD', 1, 0)), 'exchange_not_possible')
    const relieve = (relief: string | null) =>
      testServer.storage.write((tx) => tx.sql`update orders set tax_relief = ${relief} where id = ${orderId}`)
    await relieve('intra_community')
    const untaxed = await ask('exchangeAdminReturn', { returnId }, wanting('BOOK', 1, 600))
    assert.equal(untaxed.body.error.current.reason, 'vat_number')
    await relieve(null)
    const unknown = await ask('exchangeAdminReturn', { returnId }, { newItems: [{ skuId: newId('sku'), quantity: 1 }] })
    assert.equal(unknown.body.error.issues[0].path, '/newItems/0/skuId')
    const short = await ask('exchangeAdminReturn', { returnId }, wanting('BOOK', 5000, 0))
    assert.ok([400, 409].includes(short.status), short.text)
    assert.equal((await orderOf(orderId)).totals.refunded, 0)
    const item = { items: [{ skuId: sku('CARD'), quantity: 2 }] }
    assert.equal((await ask('exchangeAdminReturn', { returnId }, { ...wanting('BOOK', 1, 600), ...item })).status, 200)
    assertAdminError(
      await ask('exchangeAdminReturn', { returnId }, { ...wanting('CARD', 1), ...item }),
      'refund_not_possible',
    )
    assertAdminError(await ask('exchangeAdminReturn', { returnId }, wanting('CARD', 1)), 'nothing_to_refund')
    const missing = await ask('exchangeAdminReturn', { returnId: newId('ret') }, wanting('CARD', 1))
    assertAdminError(missing, 'return_not_found')
  })

  test('races: an exchange twice, an exchange and a refund, and the last unit for two returns', async () => {
    const one = await received({ CARD: 3 })
    const twice = await Promise.all(
      [1, 2].map(() => ask('exchangeAdminReturn', { returnId: one.returnId }, wanting('CARD', 3))),
    )
    assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 409])
    const two = await received({ CARD: 3 })
    const both = await Promise.all([
      ask('exchangeAdminReturn', { returnId: two.returnId }, wanting('CARD', 3)),
      ask('refundAdminReturn', { returnId: two.returnId }, { shipping: false }),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    assert.equal((await orderOf(two.orderId)).totals.refunded + (await orderOf(two.orderId)).totals.refundPending, 999)

    const left = await stockOf('COURSE')
    const takers = [await received({ CARD: 9 }), await received({ CARD: 9 })]
    const taken = await Promise.all(
      takers.map(({ returnId }) => ask('exchangeAdminReturn', { returnId }, wanting('COURSE', left, 10))),
    )
    assert.deepEqual(taken.map(({ status }) => status).sort(), [200, 409])
    assertAdminError(taken.find(({ status }) => status === 409) as Answer, 'insufficient_stock')
    assert.equal(await stockOf('COURSE'), 0)
  })

  test('one that is ended in the middle leaves nothing behind', async () => {
    const { orderId, returnId } = await received({ CARD: 2 })
    const counts = () =>
      testServer.storage.read(
        (db) => db.sql`
          select (select count(*) from orders) as "orders", (select count(*) from refunds) as "refunds",
            (select count(*) from payments) as "payments", (select count(*) from checkout_sessions) as "sessions"`,
      )
    const [before, stock, tools] = [await counts(), await stockOf('CARD'), testServer.app.payTools]
    const context = { now: testServer.clock.now, cause: null }
    const ended = testServer.storage.write(async (tx) => {
      const found = await lockAdminReturn(tx, testServer.seller, returnId, undefined)
      const parts = { pricebooks: tools.carts.pricebooks, rootSecret: tools.rootSecret }
      const plan = await planExchange(tx, parts, found, wanting('CARD', 1), context.now)
      await exchangeReturn(tools, tx, found, { plan, ...wanting('CARD', 1) }, context)
      throw new Error('killed')
    })
    await assert.rejects(ended, /killed/)
    assert.deepEqual([await counts(), await stockOf('CARD')], [before, stock])
    assert.equal((await orderOf(orderId)).totals.refunded, 0)
  })

  test('in the dashboard: previewed and made by two presses, without script', { skip: !isOnce(given) }, async () => {
    const { returnId } = await received({ BOOK: 1 })
    const user = await dashboardUserOf(testServer)
    const { page } = user
    await page.open(user.path(`returns/${returnId}/exchange`))
    await page.press('Continue', { 'product-0': 'BOOK', 'quantity-0': '2' })
    assert.equal(page.status, 409)
    assert.match(page.text(), /The new items cost €59\.90, and the returned ones are worth €29\.95/)
    await page.press('Continue', { 'product-0': 'CARD', 'quantity-0': '3' })
    assert.match(page.text(), /Goes back to the customer\s+€19\.96/)
    await page.press('Place the new order')
    assert.match(page.path, new RegExp(`/returns/${returnId}`))
    const { status, exchanges } = (await testServer.askAdmin('getAdminReturn', { path: { returnId } })).body.data
    assert.deepEqual([status, exchanges[0].refunded, exchanges.length], ['closed', 1996, 1])
    await page.open(user.path(`orders/${exchanges[0].orderId}`))
    assert.match(page.text(), /Exchange for items of order/)
  })

  test('random returns, refunds and exchanges never exceed what was paid, and add up', async (t) => {
    const below = pausesOf(t)
    const upTo = (most: number) => 1 + below(most)
    const isIn = (percent: number) => below(100) < percent
    for (let round = 0; round < 3; round += 1) {
      const { orderId, returnId } = await received({ CARD: upTo(6), BOOK: upTo(3) })
      const { total } = await orderOf(orderId)
      for (let step = 0; step < 4; step += 1) {
        const code = isIn(50) ? 'CARD' : 'BOOK'
        const items = [{ skuId: sku(code), quantity: upTo(2) }]
        const deduction = isIn(30) ? upTo(300) : 0
        if (isIn(30)) await ask('refundAdminReturn', { returnId }, { items, deduction, shipping: false })
        else await ask('exchangeAdminReturn', { returnId }, { items, deduction, ...wanting('CARD', upTo(9)) })
        if (isIn(50)) await testServer.orders.pay()
      }
      const { totals, paymentStatus } = await orderOf(orderId)
      assert.ok(totals.refunded + totals.refundPending <= total, paymentStatus)
      const { exchanges } = (await testServer.askAdmin('getAdminReturn', { path: { returnId } })).body.data
      for (const { orderId: id, credit, refunded } of exchanges) {
        const placed = await orderOf(id)
        assert.deepEqual([placed.total + refunded, placed.payments[0].amount], [credit, credit])
      }
    }
    await testServer.orders.pay()
  })
})
