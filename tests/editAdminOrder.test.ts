// Edits of orders that were not sent: what they cost, where the money, the stock and the documents go, and what happens at once.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { berlin } from '../harness/carts.ts'
import { type OrderInput, type Orders, openOrderTestServer, refusingCard } from '../harness/orders.ts'
import { assertFound } from '../harness/sabotage.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertAdminError, type TestServer, testSecret } from '../harness/testServer.ts'
import { orderEditsMax } from '../src/contract/admin/edits.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { refusedTriesMax } from '../src/domain/payments/refunds.ts'
import { indexOrders } from '../src/domain/search/orders.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('editAdminOrder', (given) => {
  let testServer: TestServer & { orders: Orders }
  const skus = new Map<string, string>()
  before(async () => {
    testServer = await openOrderTestServer(given)
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

  test('200 takes units off a paid order: shown to the cent, then given back, restocked and documented', async () => {
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

  test('200 swaps items at the same price without moving money, and the new one can be refunded by line', async () => {
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

  test('200 changes what is awaited of an order that is paid by hand, in both directions', async () => {
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

  test('200 takes the difference of an order that was paid by hand, and all of it goes back as one', async () => {
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
    assert.deepEqual([order.payments.length, order.payments[0].amount, await stockOf('CARD')], [1, total, stock - 1])
    // What came beyond the total is taken first.
    done(await ask('recordAdminMoney', orderId, { amount: 400 }))
    const more = done(await edit(orderId, { CARD: 4 }))
    assert.deepEqual([more.order.moneyReceived.sum, more.order.moneyReceived.excess], [total + 400, 67])
    await issue()
    const back = done(await ask('refundAdminOrder', orderId, { byHand: true }))
    assert.equal(back.amount, total + 333)
    await issue()
    const sums = (await documentsOf(orderId)).map(({ kind, total: of }) => (kind === 'invoice' ? of : -of))
    assert.deepEqual([sums.length, sums.reduce((one, other) => one + other, 0)], [4, 0])
    const card = await place({ items: { CARD: 1 } })
    const refused = await edit(card.orderId, { CARD: 2 }, received)
    assert.equal(refused.body.error.current.reason, 'costs_more')
  })

  test('200 keeps the parts of the shipping by rate in agreement with order and documents', async () => {
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

  test('409 for less shipping where the shipping was refunded by line; more of it, and fewer items, are possible', async () => {
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

  test('200 takes off what cannot be sent, and the order is done; what was sent stays', async () => {
    const { orderId } = await place({ items: { CARD: 3 } })
    done(await ask('fulfilAdminOrder', orderId, { items: [{ skuId: skus.get('CARD'), quantity: 2 }] }))
    assertAdminError(await edit(orderId, { CARD: 1 }), 'order_edit_not_possible')
    const { order } = done(await edit(orderId, { CARD: 2 }))
    assert.deepEqual([order.status, order.fulfillmentStatus, order.items[0].quantity], ['completed', 'fulfilled', 2])
    assertAdminError(await edit(orderId, { CARD: 3 }), 'order_not_editable')
  })

  test('200 corrects the address within its country, and opens it for those who may see it', async () => {
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

  test('an order whose address was corrected is found by the new one, not by the old one', async () => {
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

  test('200 without an edit for what changes nothing, and 409 for one more than an order may have', async () => {
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

  test('200 adds an item by the prices of the order, whatever the prices of the shop contain now', async () => {
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

  test('4xx for what is paid and would cost more, for nothing left, nothing asked, too much, and of others', async () => {
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

  test('409 for a total that is not above what was refunded, in the preview too', async () => {
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

  test('a refund of an edit that fails waits for a person, and is owed again under the same edit', async () => {
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

  test('an edit and a parcel, a cancellation, a payment or another edit at once leave money and stock in agreement', async () => {
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
