// Exchanges: a new order in place of returned items, paid by what was paid for these. Money, stock and documents agree, also when several
// come at once. The invariants are checked when the test server closes.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sentOrder } from '../harness/admin/returns.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { type Answer, assertAdminError, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import type { CheckoutView } from '../src/domain/checkout/port.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
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
  let checkout: Checkout
  before(async () => {
    testServer = await openOrderTestServer(given)
    checkout = await checkoutOf(testServer)
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

  test('at the same price: an exchange has the amounts of its preview, places a paid order, and both orders name each other', async () => {
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
      [{ orderId: data.order.id, orderNumber: data.order.number, credit: 2995, refunded: 0, paid: 0 }],
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

  test('at a lower price: the rest is refunded to the card, and so is the new order when it is cancelled', async () => {
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

  test('the returned item gets a credit note and the new items an invoice, each with its own tax rate', async () => {
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

  test('an exchanged order can be exchanged again, and refunds still go to the first payment', async () => {
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

  test('a refund that the provider lists for the first payment is recorded at the order that the money was moved to', async () => {
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

  test('an exchange is refused for items that cost more, are free, unknown or too many, for an order with tax relief, for units already exchanged, and for an unknown return', async () => {
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

  const withdraw = (draftId: string) => ask('cancelAdminDraft', { draftId })
  const done = (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const returnOf = async (returnId: string) => done(await testServer.askAdmin('getAdminReturn', { path: { returnId } }))
  const draftOf = async (draftId: string) => done(await testServer.askAdmin('getAdminDraft', { path: { draftId } }))
  const secretOf = async (draftId: string) => ((await draftOf(draftId)).url as string | null)?.split('/').at(-1) ?? ''
  async function linked(returnId: string, code: string, quantity: number, more: object = {}) {
    const asked = done(
      await ask('exchangeAdminReturn', { returnId }, { ...wanting(code, quantity), payByLink: true, ...more }),
    )
    const draft = await draftOf(asked.draftId)
    return { asked, draft, secret: await secretOf(draft.id) }
  }
  // Orders of the test server know no e-mail address.
  const lookAt = async (secret: string) => {
    const { session } = await checkout.look(secret)
    const contact = { email: 'ada@example.com', name: 'Ada Lovelace', phone: '' }
    const details = { contact, address: null, shippingOptionId: null }
    await testServer.app.checkout.setDetails(secret, session.version, details)
    return checkout.look(secret)
  }
  const payLink = async (secret: string, view?: CheckoutView, card?: string) =>
    checkout.pay(secret, view ?? (await lookAt(secret)), card)
  const availableOf = async (code: string) => {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ left: number }>`
        select on_hand - held as "left" from stock where sku_id = ${sku(code)} and mode = 'test'`,
    )
    return row?.left ?? 0
  }
  // What the provider has kept of charges that no order came of.
  const strayMoney = async () => {
    await testServer.orders.pay()
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ kept: number }>`
        select coalesce(sum(t.amount - t.refunded), 0) as "kept" from test_charges t join payments p on p.id = t.key
        where p.order_id is null and t.state = 'approved'`,
    )
    return Number(row?.kept ?? 0)
  }
  const setOnHand = (code: string, onHand: number) =>
    testServer.storage.write(
      (tx) => tx.sql`update stock set on_hand = ${onHand} where sku_id = ${sku(code)} and mode = 'test'`,
    )
  const countOrders = async () => (await testServer.storage.read((db) => db.sql`select id from orders`)).length
  const asksBank = '4000002500003155'
  const issue = async () => {
    await testServer.orders.pay()
    const { rootSecret } = testServer.app.payTools
    while ((await issueDocuments(testServer.storage, rootSecret, { now: testServer.clock.now, limit: 50 })) > 0);
  }

  test('more expensive items: an exchange has the amounts of its preview, holds the items while its link is open, and is placed when the difference is paid', async () => {
    const { orderId, returnId } = await received({ CARD: 2 })
    const wish = { ...wanting('BOOK', 2), payByLink: true }
    const preview = done(await ask('exchangeAdminReturn', { returnId }, { ...wish, dryRun: true }))
    assert.deepEqual(
      [preview.credit, preview.totals.total, preview.difference, preview.moneyBack],
      [666, 5990, 5324, 0],
    )
    const [was, before] = [await orderOf(orderId), await availableOf('BOOK')]
    const { asked, draft, secret } = await linked(returnId, 'BOOK', 2, { expectedTotal: 5990, close: true })
    assert.deepEqual([asked.order, asked.refund, draft.total, draft.ofOrder.id], [null, null, 5324, orderId])
    // Nothing has moved, and the new items are held.
    const [waiting, held] = [await orderOf(orderId), await returnOf(returnId)]
    assert.deepEqual([waiting.version, waiting.totals.refunded], [was.version, 0])
    assert.deepEqual([held.status, held.openExchange.draftId, held.exchanges], ['received', draft.id, []])
    assert.equal(await availableOf('BOOK'), before - 2)

    const view = await lookAt(secret)
    assert.deepEqual([view.session.totals.total, view.change], [5324, { number: was.number, kind: 'exchange' }])
    const page = (await testServer.fetch(`/c/${secret}`)).text
    assert.match(
      page,
      new RegExp(`Exchange for items of order ${was.number}[^]*For returned items[^]*€6\\.66[^]*€53\\.24`),
    )
    assert.ok(view.methods.length > 0 && view.methods.every(({ provider }) => provider !== 'manual'))
    // Two presses at once, or the link in two hands: one payment and one order.
    await Promise.all([payLink(secret, view), payLink(secret, view)])
    await issue()
    const after = await returnOf(returnId)
    assert.deepEqual([after.status, after.openExchange, after.exchanges.length], ['closed', null, 1])
    const [{ orderId: placedId, credit, refunded, paid }] = after.exchanges
    assert.deepEqual([credit, refunded, paid], [666, 0, 5324])
    const placed = await orderOf(placedId)
    assert.deepEqual([placed.total, placed.paymentStatus, placed.exchangeOf.returnId], [5990, 'paid', returnId])
    assert.deepEqual(placed.payments.map(({ amount }: { amount: number }) => amount).sort(), [5324, 666])
    assert.equal(placed.shippingAddress.summary, was.shippingAddress.summary)
    const old = await orderOf(orderId)
    assert.deepEqual([old.totals.refunded, old.refunds[0].exchanged, old.openChange], [666, true, null])
    const ended = await draftOf(draft.id)
    assert.deepEqual([ended.status, ended.order.id, ended.ofOrder.id, ended.total], ['paid', placedId, orderId, 5324])
    const documents = await testServer.storage.read(
      (db) => db.sql`
        select kind, total from documents where order_id in (${orderId}, ${placedId}) and cause_id <> ${orderId} order by kind`,
    )
    assert.deepEqual(documents, [
      { kind: 'credit_note', total: 666 },
      { kind: 'invoice', total: 5990 },
    ])
    // All of it can go back: to the first card what came by it, and the rest by the payment of the link.
    await ask('cancelAdminOrder', { orderId: placedId })
    await issue()
    assert.equal((await orderOf(placedId)).paymentStatus, 'refunded')
    const charges = await testServer.storage.read(
      (db) => db.sql<{ refunded: number }>`
        select t.refunded from test_charges t join payments p on p.id = t.key
        where p.order_id in (${orderId}, ${placedId}) order by t.refunded`,
    )
    assert.deepEqual(
      charges.map((charge) => charge.refunded),
      [666, 5324],
    )
  })

  test('an exchange has at most one open link; it can be withdrawn, and ends when it expires or its return is closed', async () => {
    const { orderId, returnId } = await received({ CARD: 1 })
    const before = await availableOf('BOOK')
    const { draft, secret } = await linked(returnId, 'BOOK', 1)
    for (const [id, path, body] of [
      ['exchangeAdminReturn', { returnId }, wanting('CARD', 1)],
      ['editAdminOrder', { orderId }, { shipping: 0 }],
    ] as const) {
      const refused = await ask(id, path, body)
      assert.equal(refused.status, 409, refused.text)
      assert.equal(
        refused.body.error.current.reason,
        id === 'editAdminOrder' ? refused.body.error.current.reason : 'change_open',
      )
    }
    const view = await lookAt(secret)
    done(await withdraw(draft.id))
    await payLink(secret, view)
    assert.deepEqual([(await returnOf(returnId)).openExchange, await availableOf('BOOK')], [null, before])

    const late = await linked(returnId, 'BOOK', 1, { linkDays: 1 })
    testServer.clock.now += 25 * 3_600_000
    await payLink(late.secret)
    await expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now)
    assert.deepEqual([(await returnOf(returnId)).exchanges, await availableOf('BOOK')], [[], before])

    const other = await received({ CARD: 1 })
    const closed = await linked(other.returnId, 'BOOK', 1)
    const seen = await lookAt(closed.secret)
    done(await ask('closeAdminReturn', { returnId: other.returnId }))
    await payLink(closed.secret, seen)
    await expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now)
    const over = await orderOf(other.orderId)
    assert.deepEqual([over.openChange, over.totals.refunded, await availableOf('BOOK')], [null, 0, before])
  })

  test('paying the link while the return is refunded, closed or received, or the link is withdrawn, leaves everything consistent', async () => {
    const rivals: Readonly<Record<string, (returnId: string, draftId: string) => Promise<Answer>>> = {
      refund: (returnId) => ask('refundAdminReturn', { returnId }, { shipping: false }),
      close: (returnId) => ask('closeAdminReturn', { returnId }),
      receive: (returnId) => ask('receiveAdminReturn', { returnId }, { items: [{ skuId: sku('CARD'), quantity: 1 }] }),
      withdraw: (_, draftId) => withdraw(draftId),
    }
    for (const [name, rival] of Object.entries(rivals)) {
      const { orderId } = await sentOrder(testServer, { CARD: 2 })
      const items = [{ skuId: sku('CARD'), quantity: 2 }]
      const { id: returnId } = done(await ask('createAdminReturn', { orderId }, { items, reason: 'late' }))
      const { draft, secret } = await linked(returnId, 'BOOK', 1)
      const view = await lookAt(secret)
      await Promise.all([payLink(secret, view), rival(returnId, draft.id)])
      await testServer.orders.pay()
      const { exchanges, refunded } = await returnOf(returnId)
      const { totals } = await orderOf(orderId)
      // The exchange or the refund, never both; money without an order went back.
      assert.ok(exchanges.length === 0 || refunded === 0, name)
      assert.equal(totals.refunded, exchanges.length > 0 || refunded > 0 ? 666 : 0, name)
      assert.equal(await strayMoney(), 0, name)
    }
  })

  test('no order is placed if items are refunded or sold out during the bank challenge of a link, and its payment is refunded', async () => {
    const outcomes: Readonly<Record<string, (orderId: string, returnId: string) => Promise<unknown>>> = {
      refunded: (_, returnId) => ask('refundAdminReturn', { returnId }, { shipping: false }),
      refundedByAmount: (orderId) => ask('refundAdminOrder', { orderId }),
      soldOut: () => setOnHand('BOOK', 0),
    }
    for (const [name, meanwhile] of Object.entries(outcomes)) {
      const { orderId, returnId } = await received({ CARD: 1 })
      const { secret } = await linked(returnId, 'BOOK', 1)
      const onHand = await stockOf('BOOK')
      const { view } = await payLink(secret, undefined, asksBank)
      await meanwhile(orderId, returnId)
      const orders = await countOrders()
      await testServer.app.checkout.answerChallenge(secret, view.challenge?.paymentId ?? '', 'accept')
      await setOnHand('BOOK', onHand)
      assert.deepEqual(
        [(await returnOf(returnId)).exchanges, await countOrders(), await strayMoney()],
        [[], orders, 0],
        name,
      )
    }
  })

  test('of two concurrent exchanges, of an exchange and a refund, and of two exchanges for the last unit, one succeeds', async () => {
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

  test('an exchange that fails before the commit leaves nothing behind', async () => {
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

  test('in the dashboard an exchange is previewed and made by two presses, without script', {
    skip: !isOnce(given),
  }, async () => {
    const { returnId } = await received({ BOOK: 1 })
    const user = await dashboardUserOf(testServer)
    const { page } = user
    await page.open(user.path(`returns/${returnId}/exchange`))
    await page.press('Continue', { 'product-0': 'BOOK', 'quantity-0': '2' })
    assert.match(page.text(), /The customer pays\s+€29\.95/)
    await page.press('Make the link')
    assert.match(page.path, /\/drafts\/dft_/)
    await page.open(user.path(`returns/${returnId}`))
    assert.match(page.text(), /An exchange waits for €29\.95/)
    const { draftId } = (await testServer.askAdmin('getAdminReturn', { path: { returnId } })).body.data.openExchange
    await page.open(user.path(`returns/${returnId}/exchange`))
    await page.press('Continue', { 'product-0': 'CARD', 'quantity-0': '3' })
    assert.match(page.text(), /Withdraw its link first/)
    await withdraw(draftId)
    await page.press('Continue', { 'product-0': 'CARD', 'quantity-0': '3' })
    assert.match(page.text(), /Goes back to the customer\s+€19\.96/)
    await page.press('Place the new order')
    assert.match(page.path, new RegExp(`/returns/${returnId}`))
    const { status, exchanges } = (await testServer.askAdmin('getAdminReturn', { path: { returnId } })).body.data
    assert.deepEqual([status, exchanges[0].refunded, exchanges.length], ['closed', 1996, 1])
    await page.open(user.path(`orders/${exchanges[0].orderId}`))
    assert.match(page.text(), /Exchange for items of order/)
  })
})
