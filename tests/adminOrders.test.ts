// The merchant's orders by the admin surface: whichever installation sold them, in one mode.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { unsettledPayment } from '../harness/admin/unsettled.ts'
import { type Orders, openOrderTestServer, refusingCard } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertAdminError, type TestServer } from '../harness/testServer.ts'
import { cancelUnpaidOrders } from '../src/domain/orders/unpaid.ts'
import { refusedTriesMax } from '../src/domain/payments/refunds.ts'
import { personCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'

eachEngine('admin orders', (given) => {
  let testServer: TestServer & { orders: Orders }
  before(async () => {
    testServer = await openOrderTestServer(given)
  })

  const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

  async function entriesOf(orderId: string) {
    const rows = await testServer.storage.read(
      (db) => db.sql<{ actor: string; operation: string; changes: string }>`
        select e.actor_kind || ' ' || e.actor_id as actor, e.operation, e.changes from audit_subjects s
        join audit_entries e on e.merchant_id = s.merchant_id and e.id = s.entry_id
        where s.merchant_id = ${testServer.merchantId} and s.subject_id = ${orderId} order by e.id`,
    )
    return rows.map(({ changes, ...row }) => ({ ...row, changes: JSON.parse(changes) }))
  }

  test('listAdminOrders returns the 50 newest orders and a link that keeps the filters, and on request the oldest first', async () => {
    const quote = await testServer.orders.quote({ items: { CARD: 1 } })
    const placed: string[] = []
    for (let i = 0; i < 53; i += 1) {
      testServer.clock.now += 1_000
      placed.push((await testServer.orders.place({ quote })).orderId)
    }
    const newest = placed.toReversed()
    const first = await testServer.askAdmin('listAdminOrders', { query: '?payment=paid&toSend=true' })
    assert.deepEqual([ids(first), first.body.meta.count], [newest.slice(0, 50), 50])
    const next: string = first.body.meta.next
    assert.match(next, /^\/api\/v1\/admin\/orders\?payment=paid&toSend=true&cursor=/)
    const init = { headers: { authorization: `Bearer ${testServer.keys.admin}` } }
    const second = await testServer.fetch(next, init)
    assert.deepEqual([ids(second), second.body.meta.next], [newest.slice(50), null])
    const changed = await testServer.fetch(next.replace('payment=paid', 'payment=pending'), init)
    assertAdminError(changed, 'invalid_request')

    const oldest = await testServer.askAdmin('listAdminOrders', { query: '?sort=oldest' })
    assert.deepEqual(ids(oldest), placed.slice(0, 50))
    assert.deepEqual(ids(await testServer.fetch(oldest.body.meta.next, init)), placed.slice(50))
    const few = await testServer.askAdmin('listAdminOrders', { query: '?limit=20' })
    assert.deepEqual(ids(few), newest.slice(0, 20))
    assert.deepEqual(ids(await testServer.fetch(few.body.meta.next, init)), newest.slice(20, 40))
    const many = await testServer.askAdmin('listAdminOrders', { query: '?limit=200' })
    assert.deepEqual([ids(many), many.body.meta.next], [newest, null])
    assertAdminError(await testServer.askAdmin('listAdminOrders', { query: '?limit=201' }), 'invalid_request')
    const [row] = first.body.data
    assert.deepEqual([row.city, row.country, row.installation.id], ['Berlin', 'DE', testServer.installationId])
  })

  test('listAdminOrders filters by status, payment, fulfillment, time and installation', async () => {
    testServer.clock.now += 60_000
    const from = new Date(testServer.clock.now).toISOString()
    const paid = (await testServer.orders.place()).orderId
    const transfer = (await testServer.orders.place({ isManual: true })).orderId
    const onDelivery = (await testServer.orders.place({ isManual: true, method: 'cash_on_delivery' })).orderId
    const cancelled = (await testServer.orders.place()).orderId
    await testServer.orders.cancel(cancelled)
    const list = async (query: string) => new Set(ids(await testServer.askAdmin('listAdminOrders', { query })))
    assert.deepEqual(await list(`?from=${from}&payment=pending`), new Set([transfer, onDelivery]))
    assert.deepEqual(await list(`?from=${from}&toSend=true`), new Set([paid, onDelivery]))
    assert.deepEqual(await list(`?from=${from}&toSend=false`), new Set([transfer, cancelled]))
    assert.deepEqual(await list(`?from=${from}&status=cancelled`), new Set([cancelled]))
    assert.deepEqual(await list(`?from=${from}&fulfillment=fulfilled`), new Set())
    assert.deepEqual(await list(`?from=${from}&to=${from}`), new Set())
    assert.equal((await list(`?from=${from}&installationId=${testServer.installationId}`)).size, 4)
    assert.equal((await list(`?from=${from}&installationId=ins_01h455vb4pex5vsknk084sn02q`)).size, 0)
    assertAdminError(await testServer.askAdmin('listAdminOrders', { query: '?from=yesterday' }), 'invalid_request')
  })

  test('getAdminOrderCustomer shows who ordered; the audit entry records the read and contains no personal data', async () => {
    const { orderId, number } = await testServer.orders.place()
    const shown = await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId } })
    const { address, label } = shown.body.data
    assert.equal(address.city, 'Berlin')
    assert.deepEqual([label[0], label.at(-1)], [address.name, 'GERMANY'])
    const [entry, ...more] = await entriesOf(orderId)
    assert.deepEqual(more, [])
    assert.deepEqual(entry?.changes, [{ kind: 'look', what: 'order', id: orderId, name: number, members: [] }])
    const order = await testServer.askAdmin('getAdminOrder', { path: { orderId } })
    assert.equal(order.body.data.changes[0].actor.name, 'admin')
    for (const text of [order.text, JSON.stringify(entry)])
      for (const secret of [address.line1, address.name, address.postalCode]) assert.ok(!text.includes(secret), secret)
  })

  test('fulfilAdminOrder ships a part of the items, then the rest; the audit entries have the old and new values', async () => {
    const { orderId } = await testServer.orders.place({ items: { 'ROSE-12': 2, CARD: 3 } })
    const path = { orderId }
    const { items, version } = (await testServer.askAdmin('getAdminOrder', { path })).body.data
    const rose = items.find(({ code }: { code: string }) => code === 'ROSE-12').skuId
    const body = { idempotencyKey: newId('req'), expectedVersion: version, carrier: 'DHL', trackingNumber: '0034' }
    const tooMany = { ...body, items: [{ skuId: rose, quantity: 3 }] }
    assertAdminError(await testServer.askAdmin('fulfilAdminOrder', { path, body: tooMany }), 'fulfillment_not_possible')
    const part = { ...body, items: [{ skuId: rose, quantity: 1 }], trackingUrl: 'https://dhl.example/0034' }
    const sent = await testServer.askAdmin('fulfilAdminOrder', { path, body: part })
    assert.equal(sent.status, 200)
    const { order, fulfillment } = sent.body.data
    assert.deepEqual(fulfillment.items, [{ skuId: rose, quantity: 1 }])
    assert.equal(fulfillment.trackingUrl, 'https://dhl.example/0034')
    assert.deepEqual([order.status, order.fulfillmentStatus], ['processing', 'partially_fulfilled'])
    assert.deepEqual(order.allowed, ['fulfilAdminOrder', 'refundAdminOrder', 'editAdminOrder'])
    const stale = { ...body, idempotencyKey: newId('req') }
    const refused = await testServer.askAdmin('fulfilAdminOrder', { path, body: stale })
    assertAdminError(refused, 'version_conflict')
    assert.equal(refused.body.error.current.order.fulfillmentStatus, 'partially_fulfilled')
    const rest = await testServer.askAdmin('fulfilAdminOrder', { path, body: { idempotencyKey: newId('req') } })
    assert.deepEqual([rest.body.data.order.status, rest.body.data.order.allowed], ['completed', ['refundAdminOrder']])
    const entries = await entriesOf(orderId)
    assert.deepEqual(
      entries.map(({ operation, changes }) => [operation, changes[0].members, changes[1].what]),
      [
        [
          'fulfilAdminOrder',
          [
            { member: 'status', from: 'placed', to: 'processing' },
            { member: 'fulfillmentStatus', from: 'unfulfilled', to: 'partially_fulfilled' },
          ],
          'fulfillment',
        ],
        [
          'fulfilAdminOrder',
          [
            { member: 'status', from: 'processing', to: 'completed' },
            { member: 'fulfillmentStatus', from: 'partially_fulfilled', to: 'fulfilled' },
          ],
          'fulfillment',
        ],
      ],
    )
    const again = { idempotencyKey: newId('req') }
    assertAdminError(await testServer.askAdmin('fulfilAdminOrder', { path, body: again }), 'order_not_fulfillable')
  })

  test('fulfilAdminOrder refuses an unpaid order', async () => {
    const { orderId } = await testServer.orders.place({ isManual: true })
    const body = { idempotencyKey: newId('req') }
    assertAdminError(await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body }), 'order_not_paid')
    assert.deepEqual(await entriesOf(orderId), [])
  })

  test('refundAdminOrder refunds each line once at the price paid, restocks it, and refunds the shipping once', async () => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 3 }, code: 'WELCOME10' })
    const path = { orderId }
    const { items, totals } = (await testServer.askAdmin('getAdminOrder', { path })).body.data
    const [line] = items
    const onHand = async () => {
      const [row] = await testServer.storage.read(
        (db) => db.sql<{ n: number }>`
          select on_hand as n from stock where merchant_id = ${testServer.merchantId} and mode = 'test' and sku_id = ${line.skuId}`,
      )
      return row?.n ?? 0
    }
    const before = await onHand()
    const ask = (body: object) =>
      testServer.askAdmin('refundAdminOrder', { path, body: { idempotencyKey: newId('req'), ...body } })
    const one = { items: [{ skuId: line.skuId, quantity: 1 }], restock: true }
    const planned = await ask({ ...one, dryRun: true })
    assert.deepEqual([planned.status, planned.body.data.refund, await onHand()], [200, null, before])
    const first = await ask(one)
    const { amount, refund, restocked, order } = first.body.data
    assert.equal(amount, planned.body.data.amount)
    assert.deepEqual([refund.amount, order.paymentStatus], [amount, 'refunding'])
    assert.deepEqual(restocked, one.items)
    assert.equal(await onHand(), before + 1)
    const rest = await ask({ items: [{ skuId: line.skuId, quantity: 2 }], shipping: true })
    assert.equal(amount + rest.body.data.amount, totals.total)
    assertAdminError(await ask(one), 'refund_not_possible')
    assertAdminError(await ask({ shipping: true }), 'refund_not_possible')
    assertAdminError(await ask({ amount: 1, shipping: true }), 'invalid_request')
    assertAdminError(await ask({ amount: 1, restock: true }), 'invalid_request')
    assertAdminError(await ask({}), 'nothing_to_refund')
    await testServer.orders.pay()
    const { paymentStatus } = (await testServer.askAdmin('getAdminOrder', { path })).body.data
    assert.equal(paymentStatus, 'refunded')
  })

  test('refundAdminOrder refunds an amount, and never more than what is left to refund', async () => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    const path = { orderId }
    const ask = (body: object) =>
      testServer.askAdmin('refundAdminOrder', { path, body: { idempotencyKey: newId('req'), ...body } })
    const { total } = (await testServer.askAdmin('getAdminOrder', { path })).body.data
    assertAdminError(await ask({ amount: total + 1, dryRun: true }), 'refund_amount_too_high')
    assertAdminError(await ask({ amount: total + 1 }), 'refund_amount_too_high')
    assert.equal((await ask({ amount: 1 })).body.data.order.paymentStatus, 'refunding')
    assertAdminError(await ask({}), 'refund_pending')
    assert.equal((await ask({ amount: total - 1 })).body.data.amount, total - 1)
    assert.equal((await entriesOf(orderId)).length, 2)
  })

  test('refundAdminOrder answers 409 for an amount that the provider cannot pay, and records no refund', async () => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    const path = { orderId }
    // As if it had been paid in dinars, of which Stripe does not pay the third digit.
    await testServer.storage.write(async (tx) => {
      await tx.sql`update orders set currency = 'KWD' where id = ${orderId}`
      await tx.sql`update payments set currency = 'KWD', provider = 'stripe' where order_id = ${orderId}`
    })
    const ask = (body: object) =>
      testServer.askAdmin('refundAdminOrder', { path, body: { idempotencyKey: newId('req'), ...body } })
    for (const dryRun of [true, false]) {
      const answer = await ask({ amount: 7, dryRun })
      assertAdminError(answer, 'refund_amount_not_payable')
      assert.match(answer.body.error.message, /^stripe cannot refund 7 minor units of order /)
    }
    assert.deepEqual((await testServer.askAdmin('getAdminOrder', { path })).body.data.refunds, [])
    assert.equal((await ask({ amount: 10, dryRun: true })).body.data.amount, 10)
    await testServer.storage.write(async (tx) => {
      await tx.sql`update orders set currency = 'EUR' where id = ${orderId}`
      await tx.sql`update payments set currency = 'EUR', provider = 'test' where order_id = ${orderId}`
    })
  })

  test('fulfilAdminOrder and updateAdminFulfillment add a tracking link for a known carrier, and the storefront shows it', async () => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    const path = { orderId }
    const body = { idempotencyKey: newId('req'), trackingNumber: '1Z999AA10123456784' }
    const { fulfillment } = (await testServer.askAdmin('fulfilAdminOrder', { path, body })).body.data
    assert.deepEqual(
      [fulfillment.carrier, fulfillment.trackingUrl],
      ['UPS', 'https://www.ups.com/track?tracknum=1Z999AA10123456784'],
    )
    const shown = (await testServer.orders.read(orderId)).body.data.fulfillments[0]
    assert.equal(shown.trackingUrl, fulfillment.trackingUrl)
    const parcel = { ...path, fulfillmentId: fulfillment.id }
    const correct = async (members: object) => {
      const corrected = { idempotencyKey: newId('req'), ...members }
      return (await testServer.askAdmin('updateAdminFulfillment', { path: parcel, body: corrected })).body.data
        .trackingUrl
    }
    assert.equal(await correct({ carrier: 'gls', trackingNumber: '12345678' }), 'https://gls-group.eu/track/12345678')
    assert.equal(await correct({ trackingUrl: 'https://bike.example/7' }), 'https://bike.example/7')
    assert.equal(await correct({ trackingUrl: null, carrier: 'Bike courier' }), null)
    const other = await testServer.orders.place({ items: { CARD: 1 } })
    const unnamed = { ...body, idempotencyKey: newId('req'), carrier: null }
    const sent = await testServer.askAdmin('fulfilAdminOrder', { path: { orderId: other.orderId }, body: unnamed })
    assert.deepEqual([sent.body.data.fulfillment.carrier, sent.body.data.fulfillment.trackingUrl], [null, null])
  })

  test('fulfilAdminOrders reports an outcome for each order; a dry run reports the same outcomes and writes nothing', async () => {
    const [first, second] = [
      await testServer.orders.place({ items: { CARD: 1 } }),
      await testServer.orders.place({ items: { CARD: 1 } }),
    ]
    const third = await testServer.orders.place({ items: { CARD: 1 } })
    const unpaid = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    const unknown = 'ord_01h455vb4pex5vsknk084sn02q'
    const rows = [
      { orderId: second.orderId, trackingNumber: 'B' },
      { orderId: unknown },
      { orderId: unpaid.orderId },
      { orderId: first.orderId, trackingNumber: 'A', expectedVersion: 2 },
      { orderId: third.orderId },
    ]
    const ask = (more: object) =>
      testServer.askAdmin('fulfilAdminOrders', { body: { rows, idempotencyKey: newId('req'), ...more } })
    const outcomes = (answer: { body: { data: { id: string; outcome: string; code: string | null }[] } }) =>
      answer.body.data.map(({ id, outcome, code }) => [id, outcome, code])
    const expected = [
      [second.orderId, 'done', null],
      [unknown, 'refused', 'order_not_found'],
      [unpaid.orderId, 'refused', 'order_not_paid'],
      [first.orderId, 'done', null],
      [third.orderId, 'done', null],
    ]
    const planned = await ask({ dryRun: true })
    assert.deepEqual(outcomes(planned), expected)
    assert.deepEqual(await entriesOf(first.orderId), [])
    const sent = await ask({})
    assert.deepEqual(outcomes(sent), expected)
    assert.deepEqual(sent.body.data[0].changes[0], planned.body.data[0].changes[0])
    assert.deepEqual(sent.body.meta, { done: 3, unchanged: 0, refused: 2, dryRun: false })
    const [entry, ...more] = await entriesOf(first.orderId)
    assert.deepEqual(more, [])
    assert.deepEqual(
      new Set(entry?.changes.map(({ name }: { name: string }) => name)),
      new Set([first.number, second.number, third.number]),
    )
    assert.deepEqual(
      outcomes(await ask({})).map(([, outcome]) => outcome),
      Array(5).fill('refused'),
    )
  })

  test('payAdminOrder, cancelAdminOrder and addAdminOrderNote change the order and are audited', async () => {
    const key = () => ({ idempotencyKey: newId('req') })
    const awaited = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    const path = { orderId: awaited.orderId }
    const paid = await testServer.askAdmin('payAdminOrder', { path, body: key() })
    assert.equal(paid.body.data.paymentStatus, 'paid')
    assertAdminError(await testServer.askAdmin('payAdminOrder', { path, body: key() }), 'payment_not_awaited')
    await testServer.askAdmin('addAdminOrderNote', { path, body: { ...key(), text: 'Red paper, please.' } })
    const cancelled = await testServer.askAdmin('cancelAdminOrder', {
      path,
      body: { ...key(), reason: 'out_of_stock' },
    })
    const { cancellation, order } = cancelled.body.data
    assert.deepEqual(
      [order.status, cancellation.status, cancellation.reason],
      ['cancelled', 'refund_pending', 'out_of_stock'],
    )
    assert.deepEqual(
      order.notes.map(({ text, actor }: { text: string; actor: { name: string } }) => [text, actor.name]),
      [['Red paper, please.', 'admin']],
    )
    const entries = await entriesOf(awaited.orderId)
    assert.deepEqual(
      entries.map(({ operation }) => operation),
      ['payAdminOrder', 'addAdminOrderNote', 'cancelAdminOrder'],
    )
    assert.ok(!JSON.stringify(entries).includes('Red paper'))
    assertAdminError(await testServer.askAdmin('cancelAdminOrder', { path, body: key() }), 'order_not_cancellable')
  })

  test('recordAdminMoney records a transfer that arrives in parts or is too high, and one that is accepted as sufficient', async () => {
    const key = () => ({ idempotencyKey: newId('req') })
    const order = await testServer.orders.place({ items: { CARD: 1 }, isManual: true, paymentDueAt: 1 })
    const { orderId } = order
    const path = { orderId }
    const record = (body: { amount: number; settles?: boolean }) =>
      testServer.askAdmin('recordAdminMoney', { path, body: { ...key(), ...body } })
    const first = (await record({ amount: 100 })).body.data
    const { total } = first
    const { entries: _, ...sums } = first.moneyReceived
    assert.deepEqual([first.paymentStatus, sums], ['pending', { sum: 100, due: total - 100, excess: 0 }])
    // It is not cancelled by itself, though it is overdue.
    assert.equal(await cancelUnpaidOrders(testServer.storage, testServer.clock.now, 10), 0)
    assertAdminError(await record({ amount: -101 }), 'money_not_recordable')
    assertAdminError(await record({ amount: 0 }), 'money_not_recordable')
    const second = (await record({ amount: total })).body.data
    assert.deepEqual([second.paymentStatus, second.moneyReceived.excess], ['paid', 100])
    const third = (await record({ amount: -100 })).body.data
    assert.deepEqual([third.paymentStatus, third.moneyReceived.sum, third.moneyReceived.excess], ['paid', total, 0])
    const amounts = third.moneyReceived.entries.map(({ amount }: { amount: number }) => amount)
    assert.deepEqual(amounts, [100, total, -100])
    const events = await testServer.storage.read(
      (db) => db.sql<{ type: string }>`select type from events where subject_id = ${orderId} and type = 'order.paid'`,
    )
    assert.equal(events.length, 1)
    const less = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    const settled = await testServer.askAdmin('recordAdminMoney', {
      path: { orderId: less.orderId },
      body: { ...key(), amount: total - 2, settles: true },
    })
    assert.deepEqual([settled.body.data.paymentStatus, settled.body.data.moneyReceived.sum], ['paid', total - 2])
    // Of one that was cancelled, all that came is to go back.
    const given = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
    const there = { path: { orderId: given.orderId } }
    await testServer.askAdmin('recordAdminMoney', { ...there, body: { ...key(), amount: 5 } })
    await testServer.askAdmin('cancelAdminOrder', { ...there, body: key() })
    const { body } = await testServer.askAdmin('getAdminOrder', there)
    assert.deepEqual([body.data.paymentStatus, body.data.moneyReceived.excess], ['voided', 5])
    const card = await testServer.orders.place({ items: { CARD: 1 } })
    const other = { path: { orderId: card.orderId }, body: { ...key(), amount: 5 } }
    assertAdminError(await testServer.askAdmin('recordAdminMoney', other), 'payment_not_awaited')
  })

  test('returnAdminOrder and a manual refund are recorded without a call to the provider', async () => {
    const key = () => ({ idempotencyKey: newId('req') })
    const { orderId } = await testServer.orders.place({
      items: { CARD: 1 },
      isManual: true,
      method: 'cash_on_delivery',
    })
    const path = { orderId }
    assertAdminError(await testServer.askAdmin('returnAdminOrder', { path, body: key() }), 'order_not_sent')
    const sent = await testServer.askAdmin('fulfilAdminOrder', { path, body: key() })
    assert.ok(sent.body.data.order.allowed.includes('returnAdminOrder'))
    const back = await testServer.askAdmin('returnAdminOrder', { path, body: { ...key(), restock: true } })
    assert.deepEqual([back.body.data.paymentStatus, back.body.data.status], ['voided', 'completed'])
    assertAdminError(await testServer.askAdmin('returnAdminOrder', { path, body: key() }), 'payment_not_awaited')
    const paid = await testServer.orders.place({ items: { CARD: 1 } })
    const refunded = await testServer.askAdmin('refundAdminOrder', {
      path: { orderId: paid.orderId },
      body: { ...key(), amount: 5, byHand: true },
    })
    const { refund, order } = refunded.body.data
    assert.deepEqual([refund.amount, order.totals.refunded, order.paymentStatus], [5, 5, 'partially_refunded'])
  })

  test('closeAdminPayment settles a payment that its provider does not report, and only once', async () => {
    const day = 24 * 3_600_000
    const close = (paymentId: string, outcome: string) =>
      testServer.askAdmin('closeAdminPayment', { path: { paymentId }, body: { idempotencyKey: newId('req'), outcome } })
    const listed = async () => ids(await testServer.askAdmin('listAdminUnsettledPayments'))
    const waiting = async () => (await testServer.askAdmin('getAdminHome')).body.data.todo.paymentsUnsettled
    const young = await unsettledPayment(testServer, 1_800_000)
    const old = await unsettledPayment(testServer, 15 * day)
    const older = await unsettledPayment(testServer, 16 * day)
    // A bank debit may take two weeks.
    assert.deepEqual([await listed(), await waiting()], [[older.paymentId, old.paymentId], 2])
    assertAdminError(await close(young.paymentId, 'succeeded'), 'payment_not_closable')
    const seen = await testServer.askAdmin('getAdminPayment', { path: { paymentId: old.paymentId } })
    const { order, status, closable } = seen.body.data
    assert.deepEqual([order.id, status, closable], [old.orderId, 'pending', true])

    const paid = await close(old.paymentId, 'succeeded')
    assert.deepEqual([paid.body.data.status, paid.body.data.closable], ['succeeded', false])
    assertAdminError(await close(old.paymentId, 'declined'), 'payment_not_closable')
    const declined = await close(older.paymentId, 'declined')
    assert.equal(declined.status, 200, declined.text)
    const statusOf = async (orderId: string) => {
      const { data } = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body
      return [data.status, data.paymentStatus]
    }
    assert.deepEqual(
      [await statusOf(old.orderId), await statusOf(older.orderId)],
      [
        ['placed', 'paid'],
        ['cancelled', 'voided'],
      ],
    )
    assert.deepEqual([await listed(), await waiting()], [[], 0])
    const [entry, ...others] = await entriesOf(old.paymentId)
    assert.deepEqual([entry?.operation, others.length], ['closeAdminPayment', 0])
    assert.deepEqual(
      entry?.changes.map(({ what, members }: { what: string; members: { member: string }[] }) => [
        what,
        members.map(({ member }) => member),
      ]),
      [
        ['payment', ['status']],
        ['order', ['paymentStatus']],
      ],
    )
    assertAdminError(await close(newId('pay'), 'declined'), 'payment_not_found')
  })

  test('admin operations can be called without HTTP as a person, in one shop and mode, and the audit entry names that person', async () => {
    const { orderId } = await testServer.orders.place()
    const userId = newId('usr')
    const person = { userId, merchantId: testServer.merchantId, mode: 'test', scopes: ['admin:orders'] } as const
    const asked = { principal: personCaller(person), path: { orderId }, body: {}, key: 'form-1' }
    const refusal = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code
    const { admin } = testServer.app
    await assert.rejects(
      admin.perform('fulfilAdminOrder', { ...asked, principal: personCaller({ ...person, scopes: ['admin:read'] }) }),
      refusal('scope_missing'),
    )
    await assert.rejects(
      admin.perform('fulfilAdminOrder', { ...asked, principal: personCaller({ ...person, mode: 'live' }) }),
      refusal('order_not_found'),
    )
    const [first, second] = [
      await admin.perform('fulfilAdminOrder', asked),
      await admin.perform('fulfilAdminOrder', asked),
    ]
    assert.deepEqual([first.status, second.isReplayed, String(second.body)], [200, true, String(first.body)])
    assert.deepEqual(
      (await entriesOf(orderId)).map(({ actor }) => actor),
      [`person ${userId}`],
    )
  })

  test('listAdminOrders can filter by orders with an open dispute', async () => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 1 } })
    await testServer.storage.write(
      (tx) => tx.sql`
        insert into disputes (installation_id, id, merchant_id, payment_id, reference, amount, currency, status, created_at, updated_at)
        select installation_id, 'dsp_1', ${testServer.merchantId}, id, 'dp_1', amount, currency, 'open', 0, 0
        from payments where order_id = ${orderId}`,
    )
    const disputed = async (query = '') =>
      ids(await testServer.askAdmin('listAdminOrders', { query: `?attention=dispute_open${query}` }))
    assert.deepEqual(await disputed(), [orderId])
    assert.deepEqual(await disputed('&toSend=false'), [])
    const csv = await testServer.askAdmin('listAdminExport', { query: '?of=orders&attention=dispute_open' })
    assert.equal(csv.body.data.text.trim().split('\n').length, 2)
    await testServer.storage.write((tx) => tx.sql`update disputes set status = 'won'`)
    assert.deepEqual(await disputed(), [])
  })

  test('a line whose refund failed, and that was then refunded by amount, is not refunded again', async () => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 2 }, card: refusingCard })
    const order = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
    const [{ skuId }] = order.items
    const refund = (body: object) =>
      testServer.askAdmin('refundAdminOrder', { path: { orderId }, body: { idempotencyKey: newId('req'), ...body } })
    const items = [{ skuId, quantity: 2 }]
    const failed = await refund({ items })
    assert.equal(failed.status, 200, failed.text)
    await testServer.storage.write(
      (tx) => tx.sql`
      update refunds set tries = ${refusedTriesMax - 1}, refused_tries = ${refusedTriesMax - 1}, try_at = 1
      where order_id = ${orderId}`,
    )
    await testServer.orders.pay()
    const troubled = (word: string) => testServer.askAdmin('listAdminOrders', { query: `?attention=${word}` })
    assert.deepEqual(ids(await troubled('refund_failed')), [orderId])
    assert.deepEqual(ids(await troubled('dispute_open')), [])
    const { amount } = failed.body.data
    const retried = await refund({ amount })
    assert.equal(retried.status, 200, retried.text)
    assertAdminError(await refund({ items: [{ skuId, quantity: 1 }] }), 'refund_not_possible')
  })
})
