// Edits of orders that were not sent: what they cost, where the money, the stock and the documents go, and what happens at once.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { berlin } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { type OrderInput, type Orders, openOrderTestServer, refusingCard } from '../harness/orders.ts'
import { assertFound } from '../harness/sabotage.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertAdminError, type TestServer, testSecret } from '../harness/testServer.ts'
import { orderEditsMax } from '../src/contract/admin/edits.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import type { AdminOrder } from '../src/contract/admin/orders.ts'
import type { CheckoutView } from '../src/domain/checkout/port.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { refusedTriesMax } from '../src/domain/payments/refunds.ts'
import { indexOrders } from '../src/domain/search/orders.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('editAdminOrder', (given) => {
  let testServer: TestServer & { orders: Orders }
  let checkout: Checkout
  const skus = new Map<string, string>()
  before(async () => {
    testServer = await openOrderTestServer(given)
    checkout = await checkoutOf(testServer)
    const rows = await testServer.storage.read(
      (db) =>
        db.sql<{ code: string; id: string }>`
          select code, id from skus where merchant_id = ${testServer.merchantId}`,
    )
    for (const { code, id } of rows) skus.set(code, id)
  })

  const ask = (id: AdminOperationId, orderId: string, body: object = {}): Promise<Answer> =>
    testServer.askAdmin(id, { path: { orderId }, body: { idempotencyKey: newId('req'), ...body } })
  const edit = (orderId: string, quantities: Readonly<Record<string, number>>, more: object = {}) => {
    const items = Object.entries(quantities).map(([code, quantity]) => ({ skuId: skus.get(code), quantity }))
    return ask('editAdminOrder', orderId, { ...(items.length > 0 && { items }), ...more })
  }
  const orderOf = async (orderId: string) =>
    (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
  const stockOf = async (code: string) => {
    const [row] = await testServer.storage.read(
      (db) =>
        db.sql<{ onHand: number }>`
          select on_hand as "onHand" from stock where sku_id = ${skus.get(code) ?? ''} and mode = 'test'`,
    )
    return row?.onHand ?? 0
  }
  const issue = () => issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
  const documentsOf = (orderId: string) =>
    testServer.storage.read(
      (db) =>
        db.sql<{ kind: string; total: number }>`
          select kind, total from documents where order_id = ${orderId} order by issued_at, kind desc, total`,
    )
  const place = (input: OrderInput) => testServer.orders.place(input)
  const done = (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }

  test('200 removes units from a paid order with the amounts of the preview, then refunds, restocks and documents them', async () => {
    const { orderId } = await place({ items: { 'ROSE-12': 2, CARD: 3 }, code: 'WELCOME10' })
    await issue()
    const was = await orderOf(orderId)
    const [roses, cards] = [await stockOf('ROSE-12'), await stockOf('CARD')]
    const preview = done(await edit(orderId, { 'ROSE-12': 1, CARD: 0 }, { dryRun: true }))
    assert.deepEqual([preview.refund, await stockOf('CARD')], [null, cards])
    assert.equal(preview.totals.total, was.totals.total + preview.difference)
    assert.ok(preview.difference < 0 && preview.totals.discount > 0)
    assertAdminError(await edit(orderId, { 'ROSE-12': 1, CARD: 0 }, { expectedTotal: 1 }), 'total_changed')
    const wanted = { expectedVersion: was.version, expectedTotal: preview.totals.total }
    const made = done(await edit(orderId, { 'ROSE-12': 1, CARD: 0 }, wanted))
    assert.deepEqual([made.totals, made.items, made.difference], [preview.totals, preview.items, preview.difference])
    assert.equal(made.refund.amount, -preview.difference)
    const { order } = made
    assert.deepEqual(
      [order.paymentStatus, order.totals.total, order.totals.refunded, order.items.length, order.itemCount],
      ['paid', preview.totals.total, 0, 1, 1],
    )
    assert.deepEqual([await stockOf('ROSE-12'), await stockOf('CARD')], [roses + 1, cards + 3])
    await testServer.orders.pay()
    await issue()
    assert.deepEqual(await documentsOf(orderId), [
      { kind: 'invoice', total: was.totals.total },
      { kind: 'credit_note', total: -preview.difference },
    ])
    const later = await orderOf(orderId)
    assert.deepEqual([later.refunds[0].status, later.paymentStatus], ['succeeded', 'paid'])
    assert.match(JSON.stringify(later.changes), /"member":"items"/)
    // What is left can be sent, and refunded to the last cent.
    done(await ask('fulfilAdminOrder', orderId))
    const rest = done(await ask('refundAdminOrder', orderId))
    assert.equal(rest.amount, preview.totals.total)
    await testServer.orders.pay()
    await issue()
    const sums = await documentsOf(orderId)
    assert.equal(
      sums.reduce((sum, { kind, total }) => sum + (kind === 'invoice' ? total : -total), 0),
      0,
    )
    assert.equal((await orderOf(orderId)).paymentStatus, 'refunded')
  })

  test('200 swaps items of the same price without a payment, and the new item can be refunded', async () => {
    const { orderId } = await place({ items: { CARD: 4 } })
    await issue()
    const was = await orderOf(orderId)
    const items = [
      { skuId: skus.get('CARD'), quantity: 1 },
      { skuId: skus.get('BOOK'), quantity: 1, unitPrice: 999 },
    ]
    const made = done(await ask('editAdminOrder', orderId, { items }))
    assert.deepEqual([made.difference, made.refund, made.order.refunds], [0, null, []])
    await issue()
    const documents = await documentsOf(orderId)
    assert.deepEqual(
      documents.map(({ total }) => total).toSorted((a, b) => a - b),
      [999, 999, was.totals.total],
    )
    // By amount, it is of both invoices.
    done(await ask('refundAdminOrder', orderId, { amount: 100 }))
    await testServer.orders.pay()
    await issue()
    const { body } = await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}&kind=credit_note` })
    const note = await testServer.askAdmin('getAdminDocument', { path: { documentId: body.data[0].id } })
    const { corrects, alsoCorrects } = note.body.data
    assert.deepEqual([body.data[0].total, alsoCorrects.length], [100, 1])
    assert.notEqual(corrects.number, alsoCorrects[0].number)
    const { lines } = done(await testServer.askAdmin('getAdminDocument', { path: { documentId: alsoCorrects[0].id } }))
    assert.deepEqual([lines[0].code, lines.length], ['BOOK', 1])
    const back = done(await ask('refundAdminOrder', orderId, { items: [{ skuId: skus.get('BOOK'), quantity: 1 }] }))
    assert.equal(back.amount, 999)
    await testServer.orders.pay()
    await issue()
    assert.equal((await documentsOf(orderId)).length, 5)
  })

  test('200 changes the amount due of an unpaid manual order, up and down', async () => {
    const { orderId } = await place({ items: { CARD: 2 }, isManual: true })
    const more = done(await edit(orderId, { CARD: 3, BOOK: 1 }, { shipping: 700 }))
    assert.deepEqual([more.refund, more.order.payments[0].amount], [null, more.totals.total])
    assert.deepEqual([more.totals.subtotal, more.totals.shipping], [3 * 333 + 2995, 700])
    const less = done(await edit(orderId, { CARD: 1, BOOK: 0 }, { shipping: 0 }))
    assert.deepEqual([less.totals.total, less.order.moneyReceived.due], [333, 333])
    const paid = done(await ask('payAdminOrder', orderId))
    assert.deepEqual([paid.paymentStatus, paid.payments[0].amount], ['paid', 333])
    await issue()
    assert.deepEqual(await documentsOf(orderId), [{ kind: 'invoice', total: 333 }])
  })

  test('200 records the difference of a manually paid order as a separate payment, which can be refunded too', async () => {
    const { orderId } = await place({ items: { CARD: 2 }, isManual: true })
    const was = done(await ask('payAdminOrder', orderId))
    await issue()
    const stock = await stockOf('CARD')
    for (const dryRun of [true, false]) {
      const answer = await edit(orderId, { CARD: 3, BOOK: 1 }, { dryRun })
      assertAdminError(answer, 'order_edit_not_possible')
      assert.equal(answer.body.error.current.reason, 'not_received')
    }
    const received = { differenceReceived: true }
    const preview = done(await edit(orderId, { CARD: 3, BOOK: 1 }, { ...received, dryRun: true }))
    assert.deepEqual([preview.difference, preview.order.payments[0].amount], [333 + 2995, was.totals.total])
    const { order } = done(
      await edit(orderId, { CARD: 3, BOOK: 1 }, { ...received, expectedTotal: preview.totals.total }),
    )
    const { total } = order.totals
    const { sum, due, excess, entries } = order.moneyReceived
    assert.deepEqual([order.paymentStatus, total, sum, due, excess], ['paid', preview.totals.total, total, 0, 0])
    assert.equal(entries.at(-1).amount, preview.difference)
    const paid = order.payments.map(({ amount }: { amount: number }) => amount)
    assert.deepEqual([paid, await stockOf('CARD')], [[was.totals.total, preview.difference], stock - 1])
    // What came beyond the total is taken first.
    done(await ask('recordAdminMoney', orderId, { amount: 400 }))
    const more = done(await edit(orderId, { CARD: 4 }))
    assert.deepEqual([more.order.moneyReceived.sum, more.order.moneyReceived.excess], [total + 400, 67])
    await issue()
    const back = done(await ask('refundAdminOrder', orderId, { byHand: true }))
    assert.equal(back.amount, total + 333)
    await issue()
    const sums = (await documentsOf(orderId)).map(({ kind, total: of }) => (kind === 'invoice' ? of : -of))
    // One credit note for each payment that gave back.
    assert.deepEqual([sums.length, sums.reduce((one, other) => one + other, 0)], [6, 0])
  })

  test('200 refunds an order with a card payment and a later manual payment, the newest payment first and each unit once', async () => {
    const { orderId } = await place({ items: { CARD: 2 } })
    await issue()
    const was = (await orderOf(orderId)).totals.total
    const { order } = done(await edit(orderId, { CARD: 3 }, { differenceReceived: true }))
    await issue()
    const [card, cash] = order.payments
    assert.deepEqual([card.amount, cash.amount, cash.provider], [was, 333, 'manual'])
    assert.deepEqual([order.moneyReceived.sum, order.moneyReceived.excess], [333, 0])
    const part = done(await ask('refundAdminOrder', orderId, { items: [{ skuId: skus.get('CARD'), quantity: 2 }] }))
    const refundsOf = ({ refunds }: AdminOrder) =>
      refunds.map(({ amount, paymentId, partOf, items }) => [amount, paymentId, partOf !== null, items])
    const skuId = skus.get('CARD')
    assert.equal(part.amount, 666)
    assert.deepEqual(refundsOf(part.order), [
      [333, cash.id, false, [{ skuId, quantity: 2 }]],
      [333, card.id, true, []],
    ])
    await testServer.orders.pay()
    const rest = done(await ask('cancelAdminOrder', orderId, {}))
    assert.equal(rest.cancellation.refund.amount, was + 333 - 666)
    await testServer.orders.pay()
    const ended = await orderOf(orderId)
    assert.deepEqual([ended.paymentStatus, ended.totals.refunded], ['refunded', was + 333])
    await issue()
    const sums = (await documentsOf(orderId)).map(({ kind, total: of }) => (kind === 'invoice' ? of : -of))
    assert.equal(
      sums.reduce((one, other) => one + other, 0),
      0,
    )
  })

  const linkOf = async (draftId: string) => {
    const { data } = (await testServer.askAdmin('getAdminDraft', { path: { draftId } })).body
    return { draft: data, secret: secretOf(data.url ?? '') }
  }
  const lookAt = async (secret: string) => {
    const view = await checkout.look(secret)
    if (view.customer.email !== '') return view
    const contact = { email: 'ada@example.com', name: 'Ada Lovelace', phone: '' }
    const details = { contact, address: null, shippingOptionId: null }
    await testServer.app.checkout.setDetails(secret, view.session.version, details)
    return checkout.look(secret)
  }
  const payLink = async (secret: string, view?: CheckoutView) => checkout.pay(secret, view ?? (await lookAt(secret)))
  const withdraw = (draftId: string) =>
    testServer.askAdmin('cancelAdminDraft', { path: { draftId }, body: { idempotencyKey: newId('req') } })
  const amountsOf = ({ payments }: AdminOrder) => payments.map(({ amount }) => amount)
  const booksOf = async (orderId: string) => {
    await testServer.orders.pay()
    await issue()
    const sums = (await documentsOf(orderId)).map(({ kind, total }) => (kind === 'invoice' ? total : -total))
    return sums.reduce((one, other) => one + other, 0)
  }

  test('an edit that costs more is paid by a link, and the order changes only when that is paid', async () => {
    const { orderId } = await place({ items: { CARD: 2, 'ROSE-12': 1 }, code: 'WELCOME10' })
    await issue()
    const was = await orderOf(orderId)
    const stock = await stockOf('CARD')
    const wish = { 'ROSE-12': 0, CARD: 4, BOOK: 2 }
    const preview = done(await edit(orderId, wish, { payByLink: true, dryRun: true }))
    assert.ok(preview.difference > 0)
    const asked = done(await edit(orderId, wish, { payByLink: true, expectedTotal: preview.totals.total }))
    const { draft, secret } = await linkOf(asked.draftId)
    assert.deepEqual([draft.total, draft.ofOrder.id, draft.order], [preview.difference, orderId, null])
    const waiting = await orderOf(orderId)
    assert.deepEqual([waiting.version, waiting.totals, waiting.openChange.draftId], [was.version, was.totals, draft.id])
    assert.deepEqual([await stockOf('CARD'), (await documentsOf(orderId)).length], [stock, 1])
    const view = await lookAt(secret)
    assert.deepEqual(
      [view.session.totals.total, view.change],
      [preview.difference, { number: was.number, kind: 'edit' }],
    )
    assert.ok(view.methods.every(({ provider }) => provider !== 'manual'))
    // Two presses at once, or the link in two hands: one payment.
    await Promise.all([payLink(secret, view), payLink(secret, view)])
    const paid = await orderOf(orderId)
    assert.deepEqual(amountsOf(paid), [was.totals.total, preview.difference])
    assert.deepEqual([paid.totals.total, paid.openChange, paid.paymentStatus], [preview.totals.total, null, 'paid'])
    assert.deepEqual([await stockOf('CARD'), paid.moneyReceived], [stock - 2, null])
    const ended = (await testServer.askAdmin('getAdminDraft', { path: { draftId: draft.id } })).body.data
    assert.deepEqual([ended.status, ended.order.id, ended.url], ['paid', orderId, null])
    assert.equal(await booksOf(orderId), preview.totals.total)
    // All of it can go back.
    assert.equal(done(await ask('refundAdminOrder', orderId)).amount, preview.totals.total)
    assert.equal(await booksOf(orderId), 0)
    assert.equal((await orderOf(orderId)).paymentStatus, 'refunded')
  })

  test('after an edit that was paid by a link, a cheaper edit refunds the exact difference, and later refunds end at zero', async () => {
    const { orderId } = await place({ items: { CARD: 1 } })
    await issue()
    const was = await orderOf(orderId)
    const asked = done(await edit(orderId, { CARD: 3 }, { payByLink: true }))
    await payLink((await linkOf(asked.draftId)).secret)
    const less = done(await edit(orderId, { CARD: 1 }))
    assert.deepEqual([less.difference, less.totals.total], [-666, was.totals.total])
    await booksOf(orderId)
    const { order } = done(
      await ask('refundAdminOrder', orderId, { items: [{ skuId: skus.get('CARD'), quantity: 1 }] }),
    )
    assert.equal(order.totals.refundPending, 333)
    await testServer.orders.pay()
    done(await ask('refundAdminOrder', orderId))
    assert.equal(await booksOf(orderId), 0)
    assertAdminError(await ask('refundAdminOrder', orderId), 'nothing_to_refund')
  })

  test('409 for a second change while one waits for its payment; the waiting change can be withdrawn, and its link ends with it or with the order', async () => {
    const { orderId } = await place({ items: { CARD: 1 } })
    const { draftId } = done(await edit(orderId, { CARD: 2 }, { payByLink: true }))
    const second = await edit(orderId, { CARD: 0, BOOK: 1 }, { payByLink: true })
    assert.equal(second.body.error.current.reason, 'change_open')
    const { secret } = await linkOf(draftId)
    const changed = await testServer.askAdmin('updateAdminDraft', {
      path: { draftId },
      body: { idempotencyKey: newId('req'), discount: 1 },
    })
    assertAdminError(changed, 'draft_not_open')
    const view = await lookAt(secret)
    done(await withdraw(draftId))
    await payLink(secret, view)
    assert.deepEqual(amountsOf(await orderOf(orderId)).length, 1)
    const again = done(await edit(orderId, { CARD: 2 }, { payByLink: true, linkDays: 1 }))
    const link = await linkOf(again.draftId)
    const seen = await lookAt(link.secret)
    done(await ask('cancelAdminOrder', orderId, {}))
    await payLink(link.secret, seen)
    await expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now)
    const over = await orderOf(orderId)
    assert.deepEqual([over.status, over.openChange, over.payments.length], ['cancelled', null, 1])
    assert.equal((await linkOf(again.draftId).catch(() => undefined))?.draft.status ?? 'expired', 'expired')
  })

  test('paying a link while the order is shipped, cancelled or refunded, or the change is withdrawn, leaves the amounts consistent', async () => {
    const rivals: Readonly<Record<string, (orderId: string, draftId: string) => Promise<Answer>>> = {
      send: (orderId) => ask('fulfilAdminOrder', orderId),
      cancel: (orderId) => ask('cancelAdminOrder', orderId, {}),
      withdraw: (_, draftId) => withdraw(draftId),
      refund: (orderId) => ask('refundAdminOrder', orderId, { items: [{ skuId: skus.get('CARD'), quantity: 2 }] }),
    }
    for (const [name, rival] of Object.entries(rivals)) {
      const { orderId } = await place({ items: { CARD: 2 } })
      const { draftId } = done(await edit(orderId, { CARD: 1, BOOK: 1 }, { payByLink: true }))
      const { secret } = await linkOf(draftId)
      const view = await lookAt(secret)
      await Promise.all([payLink(secret, view), rival(orderId, draftId)])
      await testServer.orders.pay()
      const { payments, items, refunds } = await orderOf(orderId)
      const hasBook = items.some(({ code }: { code: string }) => code === 'BOOK')
      assert.equal(payments.length, hasBook ? 2 : 1, name)
      assert.ok(refunds.length <= 2, name)
    }
    await testServer.orders.pay()
  })

  const failPending = (orderId: string) =>
    testServer.storage.write(
      (tx) => tx.sql`
        update refunds set refused_tries = ${refusedTriesMax - 1} where order_id = ${orderId} and status = 'pending'`,
    )

  test('an edit cannot remove a unit that one payment has refunded, even if the refund of another payment failed', async () => {
    const { orderId } = await place({ items: { CARD: 1 } })
    const { draftId } = done(await edit(orderId, { CARD: 2 }, { payByLink: true }))
    const { secret } = await linkOf(draftId)
    await checkout.pay(secret, await lookAt(secret), refusingCard)
    done(await ask('refundAdminOrder', orderId, { items: [{ skuId: skus.get('CARD'), quantity: 2 }] }))
    await failPending(orderId)
    await testServer.orders.pay()
    const { refunds, totals } = await orderOf(orderId)
    assert.deepEqual(
      [refunds.map(({ status }: { status: string }) => status), totals.refunded],
      [['failed', 'succeeded'], 333],
    )
    const all = await edit(orderId, { CARD: 0, BOOK: 1 }, { differenceReceived: true })
    assertAdminError(all, 'order_edit_not_possible')
    assert.deepEqual([all.body.error.current.reason, all.body.error.current.least], ['settled', 1])
    done(await edit(orderId, { CARD: 1, BOOK: 1 }, { differenceReceived: true }))
  })

  test('a cancellation shows the status of its latest refund, even after earlier refunds failed', async () => {
    const { orderId } = await place({ items: { CARD: 1 }, card: refusingCard })
    const { draftId } = done(await edit(orderId, { CARD: 2 }, { payByLink: true }))
    await payLink((await linkOf(draftId)).secret)
    done(await ask('cancelAdminOrder', orderId, {}))
    const fail = async () => {
      await failPending(orderId)
      await testServer.orders.pay()
      return (await orderOf(orderId)).cancellation.refund.status
    }
    assert.equal(await fail(), 'failed')
    done(await ask('refundAdminOrder', orderId))
    assert.equal(await fail(), 'failed')
    done(await ask('refundAdminOrder', orderId, { byHand: true }))
    const { cancellation, paymentStatus } = await orderOf(orderId)
    assert.deepEqual([cancellation.refund.status, paymentStatus], ['succeeded', 'refunded'])
  })

  test('a manual refund over several payments is recorded completely and once', async () => {
    const { orderId } = await place({ items: { CARD: 2 } })
    done(await edit(orderId, { CARD: 3 }, { differenceReceived: true }))
    done(await ask('refundAdminOrder', orderId, { items: [{ skuId: skus.get('CARD'), quantity: 2 }] }))
    const { amount, order } = done(await ask('refundAdminOrder', orderId, { amount: 666, byHand: true }))
    assert.deepEqual(
      [amount, order.totals.refunded, order.totals.refundPending, order.refunds.length],
      [666, 666, 0, 2],
    )
  })

  test('an edit with higher shipping costs that is paid by a link gives the order the new total', async () => {
    const { orderId } = await place({ items: { CARD: 1 } })
    await issue()
    const was = await orderOf(orderId)
    const { draftId, totals } = done(
      await edit(orderId, { CARD: 2 }, { payByLink: true, shipping: was.totals.shipping + 100 }),
    )
    await payLink((await linkOf(draftId)).secret)
    assert.deepEqual((await orderOf(orderId)).totals.total, totals.total)
    assert.equal(await booksOf(orderId), totals.total)
  })

  test('200 keeps the parts of the shipping costs by tax rate consistent with the order and its documents', async () => {
    const stored = async (orderId: string) => {
      const [row] = await testServer.storage.read(
        (db) =>
          db.sql<{ shipping: number; tax: number; parts: string }>`
            select shipping, shipping_tax as tax, shipping_taxes as parts from orders where id = ${orderId}`,
      )
      const parts = JSON.parse(row?.parts ?? '[]') as { rateBps: number; amount: number; tax: number }[]
      const sums = [0, 0]
      for (const { amount, tax } of parts)
        for (const [i, one] of [amount, tax].entries()) sums[i] = (sums[i] ?? 0) + one
      assert.deepEqual(sums, [row?.shipping, row?.tax])
      return parts.map(({ rateBps, amount, tax }) => [rateBps, amount, tax])
    }
    const items = { BOOK: 1, CARD: 3 }
    const { orderId } = await place({ items })
    await issue()
    // In proportion to 9.99 at 19 % and 29.95 at 7 %.
    assert.deepEqual(await stored(orderId), [
      [1900, 123, 20],
      [700, 367, 24],
    ])
    const less = done(await edit(orderId, {}, { shipping: 300 }))
    assert.equal(less.difference, -190)
    assert.deepEqual(await stored(orderId), [
      [1900, 75, 12],
      [700, 225, 15],
    ])
    await testServer.orders.pay()
    await issue()
    const { body } = await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}` })
    const notes = body.data.filter(({ kind }: { kind: string }) => kind === 'credit_note')
    const note = await testServer.askAdmin('getAdminDocument', { path: { documentId: notes[0].id } })
    assert.deepEqual(
      note.body.data.rates.map(({ rate, total, tax }: Record<string, number>) => [rate, total, tax]),
      [
        [1900, 48, 8],
        [700, 142, 9],
      ],
    )
    // Goods that go leave the shipping as it was charged.
    done(await edit(orderId, { BOOK: 0 }))
    assert.equal((await stored(orderId)).length, 2)
    // Of an order that awaits money it becomes free, and is charged again.
    const unpaid = await place({ items, isManual: true })
    done(await edit(unpaid.orderId, {}, { shipping: 0 }))
    assert.deepEqual(await stored(unpaid.orderId), [
      [1900, 0, 0],
      [700, 0, 0],
    ])
    const again = done(await edit(unpaid.orderId, {}, { shipping: 490 }))
    assert.deepEqual(await stored(unpaid.orderId), [
      [1900, 123, 20],
      [700, 367, 24],
    ])
    assert.equal(again.totals.total, unpaid.quote.totals.total)
  })

  test('409 for lower shipping costs after these were refunded; higher shipping costs and fewer items are possible', async () => {
    const { orderId } = await place({ items: { CARD: 6 } })
    const { amount } = done(await ask('refundAdminOrder', orderId, { shipping: true }))
    await testServer.orders.pay()
    const answer = await edit(orderId, {}, { shipping: amount - 1 })
    assertAdminError(answer, 'order_edit_not_possible')
    assert.equal(answer.body.error.current.reason, 'settled')
    assertAdminError(await edit(orderId, {}, { shipping: 0, dryRun: true }), 'order_edit_not_possible')
    const { totals } = done(await edit(orderId, { CARD: 2 }, { shipping: amount + 1 }))
    assert.deepEqual([totals.shipping, totals.total], [amount + 1, 2 * 333 + amount + 1])
    await assertFound(testServer.storage, [
      [
        'refunded_shipping_within_shipping',
        (tx) => tx.sql`update refund_lines set amount = amount + 2 where order_id = ${orderId}`,
      ],
    ])
  })

  test('200 removes items that were not shipped, which completes the order; shipped items cannot be removed', async () => {
    const { orderId } = await place({ items: { CARD: 3 } })
    done(await ask('fulfilAdminOrder', orderId, { items: [{ skuId: skus.get('CARD'), quantity: 2 }] }))
    assertAdminError(await edit(orderId, { CARD: 1 }), 'order_edit_not_possible')
    const { order } = done(await edit(orderId, { CARD: 2 }))
    assert.deepEqual([order.status, order.fulfillmentStatus, order.items[0].quantity], ['completed', 'fulfilled', 2])
    assertAdminError(await edit(orderId, { CARD: 3 }), 'order_not_editable')
  })

  test('200 corrects the address within its country, and people who may see addresses see the new one', async () => {
    const { orderId } = await place({ items: { CARD: 1 } })
    const address = { ...berlin, line1: 'Torstrasse 2', postalCode: '10119' }
    const preview = done(await edit(orderId, {}, { address, dryRun: true }))
    assert.equal(preview.difference, 0)
    done(await edit(orderId, {}, { address }))
    const seen = (await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId } })).body.data
    assert.equal(seen.address.line1, 'Torstrasse 2')
    const rows = await testServer.storage.read((db) => db.sql`select id from addresses where owner_id = ${orderId}`)
    assert.equal(rows.length, 1)
    const abroad = { ...berlin, country: 'FR', postalCode: '75001', city: 'Paris' }
    assertAdminError(await edit(orderId, {}, { address: abroad }), 'order_edit_not_possible')
    assertAdminError(await edit(orderId, {}, { address: { ...berlin, postalCode: 'x' } }), 'invalid_request')
  })

  test('an order whose address was corrected is found by the new address, not by the old one', async () => {
    const { orderId } = await place({ items: { CARD: 1 } })
    const index = () => indexOrders(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    const isFound = async (q: string) => {
      const { body } = await testServer.askAdmin('searchAdmin', { query: `?q=${encodeURIComponent(q)}` })
      return body.data.orders.some(({ id }: { id: string }) => id === orderId)
    }
    await index()
    assert.ok(await isFound('lovelace 10117'))
    done(
      await edit(orderId, {}, { address: { ...berlin, name: 'Grace Hopper', city: 'Potsdam', postalCode: '14467' } }),
    )
    await index()
    const words = ['hopper', 'potsdam 14467', 'lovelace', '10117', 'berlin']
    assert.deepEqual(await Promise.all(words.map(isFound)), [true, true, false, false, false])
  })

  test('200 without an edit if nothing changes, and 409 for more edits than allowed', async () => {
    const { orderId } = await place({ items: { CARD: 2 } })
    const address = { ...berlin, line1: 'Torstrasse 2' }
    done(await edit(orderId, {}, { address }))
    const was = await orderOf(orderId)
    const events = () => testServer.storage.read((db) => db.sql`select id from events where subject_id = ${orderId}`)
    const before = (await events()).length
    for (const same of [{ address }, { shipping: was.totals.shipping }, {}]) {
      const { order, difference } = done(await edit(orderId, { CARD: 2 }, same))
      assert.deepEqual([difference, order.version, order.changes], [0, was.version, was.changes])
    }
    assert.equal((await events()).length, before)
    await testServer.storage.write(
      (tx) => tx.sql`
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${orderEditsMax})
        insert into order_edits (merchant_id, id, mode, installation_id, order_id, total_before, total_after, parts, created_at)
        select o.merchant_id, 'edt_' || i, o.mode, o.installation_id, o.id, 0, 0, '{}', 0 from orders o, n where o.id = ${orderId}`,
    )
    for (const dryRun of [false, true]) {
      const answer = await edit(orderId, { CARD: 1 }, { dryRun })
      assertAdminError(answer, 'order_edit_not_possible')
      assert.equal(answer.body.error.current.reason, 'too_many_edits')
    }
  })

  test('200 prices an added item with the tax setting of the order, not with the present one of the shop', async () => {
    const { orderId } = await place({ items: { CARD: 1 }, isManual: true })
    const prices = async (priceTax: string) => {
      await testServer.storage.write(
        (tx) => tx.sql`update merchants set price_tax = ${priceTax} where id = ${testServer.merchantId}`,
      )
    }
    await prices('excluded')
    const { items, totals } = done(await edit(orderId, { BOOK: 2 }, { dryRun: true }))
    await prices('included')
    // 29.95 and 7 % of it.
    assert.deepEqual([items[1].unitPrice, totals.taxIncluded], [3205, true])
  })

  test('4xx for a paid order that would cost more, an empty order, an empty request, an outdated version, too many units and unknown ids', async () => {
    const { orderId } = await place({ items: { CARD: 1 } })
    assertAdminError(await edit(orderId, { CARD: 2 }), 'order_edit_not_possible')
    assertAdminError(await edit(orderId, { CARD: 0 }), 'order_edit_not_possible')
    assertAdminError(await edit(orderId, {}), 'invalid_request')
    assertAdminError(await edit(orderId, { CARD: 1 }, { expectedVersion: 9 }), 'version_conflict')
    assertAdminError(await edit(newId('ord'), { CARD: 1 }), 'order_not_found')
    const unpaid = await place({ items: { CARD: 1 }, isManual: true })
    const many = await edit(unpaid.orderId, { BOOK: 999 })
    assert.ok(['quantity_limit_exceeded', 'insufficient_stock'].includes(many.body.error.code), many.text)
    const items = [{ skuId: newId('sku'), quantity: 1 }]
    assertAdminError(await ask('editAdminOrder', unpaid.orderId, { items }), 'invalid_request')
  })

  test('409 for a total that is not above the refunded amount, also in the preview', async () => {
    const { orderId } = await place({ items: { CARD: 6 }, card: refusingCard })
    done(await edit(orderId, { CARD: 4 }))
    await testServer.storage.write(
      (tx) => tx.sql`update refunds set refused_tries = ${refusedTriesMax - 1} where order_id = ${orderId}`,
    )
    await testServer.orders.pay()
    const { totals } = await orderOf(orderId)
    const amount = totals.total - 2 * 333
    done(await ask('refundAdminOrder', orderId, { amount, byHand: true }))
    for (const [CARD, dryRun] of [
      [1, false],
      [1, true],
      [2, false],
      [2, true],
    ] as const) {
      const answer = await edit(orderId, { CARD }, { dryRun })
      assertAdminError(answer, 'order_edit_not_possible')
      assert.equal(answer.body.error.current.reason, 'refunded')
    }
    const { order } = done(await edit(orderId, { CARD: 3 }))
    assert.deepEqual([order.totals.total, order.totals.refunded], [totals.total - 333, amount])
  })

  test('a failed refund of an edit waits for a person, and can be recorded as paid by hand', async () => {
    const { orderId } = await place({ items: { CARD: 2 }, card: refusingCard })
    const { difference } = done(await edit(orderId, { CARD: 1 }))
    await testServer.storage.write(
      (tx) => tx.sql`update refunds set refused_tries = ${refusedTriesMax - 1} where order_id = ${orderId}`,
    )
    await testServer.orders.pay()
    const failed = await orderOf(orderId)
    assert.deepEqual([failed.refunds[0].status, failed.paymentStatus, failed.totals.refunded], ['failed', 'paid', 0])
    const again = done(await ask('refundAdminOrder', orderId, { byHand: true }))
    assert.equal(again.amount, -difference)
    const after = await orderOf(orderId)
    assert.deepEqual([after.refunds.length, after.refunds[1].status, after.totals.refunded], [2, 'succeeded', 0])
  })

  test('an edit that is concurrent with a shipment, cancellation, refund, payment or edit leaves money and stock consistent', async () => {
    const rivals: Readonly<Record<string, (orderId: string) => Promise<Answer>>> = {
      parcel: (orderId) => ask('fulfilAdminOrder', orderId),
      cancellation: (orderId) => ask('cancelAdminOrder', orderId),
      refund: (orderId) => ask('refundAdminOrder', orderId, { amount: 400 }),
      edit: (orderId) => edit(orderId, { CARD: 0, BOOK: 1 }),
    }
    for (const [name, rival] of Object.entries(rivals)) {
      const { orderId } = await place({ items: { CARD: 2, BOOK: 1 } })
      const answers = await Promise.all([edit(orderId, { CARD: 1 }), rival(orderId)])
      for (const { status, text } of answers) assert.ok(status === 200 || status === 409, `${name}: ${text}`)
      assert.ok(
        answers.some(({ status }) => status === 200),
        name,
      )
      const order = await orderOf(orderId)
      const sent = order.items.every((item: { quantity: number; fulfilled: number }) => item.fulfilled <= item.quantity)
      assert.ok(sent, name)
    }
    const { orderId } = await place({ items: { CARD: 2 }, isManual: true })
    const [edited, paid] = await Promise.all([edit(orderId, { CARD: 1 }), ask('payAdminOrder', orderId)])
    assert.deepEqual([edited.status, paid.status], [200, 200])
    for (const rival of ['refundAdminOrder', 'cancelAdminOrder', 'fulfilAdminOrder'] as const) {
      const more = await place({ items: { CARD: 2 }, isManual: true })
      done(await ask('payAdminOrder', more.orderId))
      const answers = await Promise.all([
        edit(more.orderId, { CARD: 3 }, { differenceReceived: true }),
        ask(rival, more.orderId, rival === 'refundAdminOrder' ? { amount: 400 } : {}),
      ])
      for (const { status, text } of answers) assert.ok(status === 200 || status === 409, `${rival}: ${text}`)
    }
    await testServer.orders.pay()
    await issue()
    const order = await orderOf(orderId)
    const documents = await documentsOf(orderId)
    assert.equal(
      documents.reduce((sum, { kind, total }) => sum + (kind === 'invoice' ? total : -total), 0),
      order.totals.total,
    )
  })
})
