// Returns, from the page of the order to the money: by the shopper, by the merchant, and by both at once.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { requestedReturn, sentOrder } from '../harness/admin/returns.ts'
import { type Orders, openOrderTestServer, refusingCard } from '../harness/orders.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { type Answer, assertAdminError, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { refusedTriesMax } from '../src/domain/payments/refunds.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('returns', (given) => {
  let testServer: TestServer & { orders: Orders }
  before(async () => {
    testServer = await openOrderTestServer(given)
  })

  const ask = (id: AdminOperationId, path: Record<string, string>, body: object = {}): Promise<Answer> =>
    testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })

  async function opened(items: Readonly<Record<string, number>>, body: object = {}) {
    const sent = await sentOrder(testServer, items)
    const { items: lines } = (await testServer.askAdmin('getAdminOrder', { path: { orderId: sent.orderId } })).body.data
    const all = lines.map(({ skuId, quantity }: { skuId: string; quantity: number }) => ({ skuId, quantity }))
    const answer = await ask(
      'createAdminReturn',
      { orderId: sent.orderId },
      { items: all, reason: 'changed_mind', ...body },
    )
    return { ...sent, all, answer, returnId: answer.body.data?.id as string }
  }

  const orderOf = async (orderId: string) =>
    (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
  const stockOf = async (skuId: string) => {
    const [row] = await testServer.storage.read(
      (db) =>
        db.sql<{ onHand: number }>`select on_hand as "onHand" from stock where sku_id = ${skuId} and mode = 'test'`,
    )
    return row?.onHand ?? 0
  }
  const post = (secret: string, form: Record<string, string>, origin = testServer.origin) =>
    testServer.fetch(`/o/${secret}/return`, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'manual',
      headers: { origin },
    })

  test('a shopper requests a return in three steps without script, and nothing is stored before the last step', async () => {
    const { orderId, statusSecret, skuIds } = await sentOrder(testServer, { CARD: 2 })
    const [skuId = ''] = skuIds
    const page = await testServer.fetch(`/o/${statusSecret}`)
    assert.match(page.text, new RegExp(`href="/o/${statusSecret}/return"`))
    const first = await testServer.fetch(`/o/${statusSecret}/return`)
    assert.match(first.text, new RegExp(`name="quantity-${skuId}" min="0" max="2"`))
    const nothing = await post(statusSecret, { to: 'reason' })
    assert.deepEqual([nothing.status, /Choose at least one item/.test(nothing.text)], [409, true])
    const second = await post(statusSecret, { [`quantity-${skuId}`]: '1', to: 'reason' })
    assert.match(second.text, /value="does_not_fit"/)
    const third = await post(statusSecret, {
      [`quantity-${skuId}`]: '1',
      reason: 'late',
      note: 'Ring <twice>',
      to: 'check',
    })
    assert.match(third.text, /Ring &lt;twice&gt;/)
    const list = () => testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })
    assert.deepEqual((await list()).body.data, [])

    const form = { [`quantity-${skuId}`]: '1', reason: 'late', wish: 'exchange', note: 'Ring <twice>', to: 'send' }
    const done = await post(statusSecret, form)
    assert.deepEqual([done.status, done.headers.get('location')], [303, `/o/${statusSecret}#returns`])
    // The button pressed twice, or the page reloaded.
    assert.equal((await post(statusSecret, form)).status, 303)
    const [one, ...others] = (await list()).body.data
    assert.deepEqual(
      [one.status, one.reason, one.wish, one.openedBy, one.items[0].quantity, others],
      ['requested', 'late', 'exchange', 'shopper', 1, []],
    )
    assert.match((await testServer.fetch(`/o/${statusSecret}`)).text, /data-return="requested"/)
    const { body } = await testServer.askAdmin('getAdminReturn', { path: { returnId: one.id } })
    assert.equal(body.data.note, 'Ring <twice>')
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ note: string }>`select note_sealed as "note" from returns where id = ${one.id}`,
    )
    assert.ok(!row?.note.includes('Ring'))
    const reader = await testServer.newKey(['admin:read'])
    const seen = await testServer.askAdmin('getAdminReturn', { path: { returnId: one.id }, key: reader.key })
    assert.equal(seen.body.data.note, null)
  })

  test('a form from another site is refused, and an unsent order cannot be returned', async () => {
    const { statusSecret, skuIds } = await sentOrder(testServer, { CARD: 1 })
    const form = { [`quantity-${skuIds[0]}`]: '1', reason: 'late', to: 'send' }
    assert.equal((await post(statusSecret, form, 'https://evil.example')).status, 403)
    const unsent = await testServer.orders.place({ items: { CARD: 1 } })
    const page = await testServer.fetch(`/o/${unsent.statusSecret}/return`, { redirect: 'manual' })
    assert.equal(page.status, 303)
    const body = { items: [{ skuId: skuIds[0], quantity: 1 }], reason: 'late' }
    assertAdminError(await ask('createAdminReturn', { orderId: unsent.orderId }, body), 'return_not_possible')
    assert.equal((await testServer.fetch(`/o/${'x'.repeat(43)}/return`)).status, 404)
  })

  test('a return is approved with a text, received in two parcels with and without restocking, refunded exactly, and closed', async () => {
    const { returnId, skuId } = await requestedReturn(testServer)
    const approved = await ask('approveAdminReturn', { returnId }, { instructions: 'To Bloom', expectedVersion: 1 })
    assert.deepEqual([approved.body.data.status, approved.body.data.answer], ['approved', 'To Bloom'])
    assertAdminError(await ask('refuseAdminReturn', { returnId }, { text: 'No' }), 'return_not_changeable')

    const { orderId, returnId: second, all, skuIds } = await opened({ CARD: 3 })
    const [card = ''] = skuIds
    const onHand = await stockOf(card)
    const one = await ask(
      'receiveAdminReturn',
      { returnId: second },
      { items: [{ skuId: card, quantity: 1, restock: false }] },
    )
    assert.deepEqual(
      [one.body.data.status, one.body.data.items[0].received, one.body.data.items[0].restocked, await stockOf(card)],
      ['received', 1, 0, onHand],
    )
    const rest = await ask('receiveAdminReturn', { returnId: second })
    assert.deepEqual([rest.body.data.items[0].received, rest.body.data.items[0].restocked], [3, 2])
    assert.equal(await stockOf(card), onHand + 2)
    assertAdminError(await ask('receiveAdminReturn', { returnId: second }), 'return_not_possible')

    const { total } = await orderOf(orderId)
    const preview = await ask('refundAdminReturn', { returnId: second }, { dryRun: true })
    assert.deepEqual([preview.body.data.amount, preview.body.data.refund], [total, null])
    assert.equal((await orderOf(orderId)).totals.refundPending, 0)
    assertAdminError(
      await ask('refundAdminReturn', { returnId: second }, { expectedAmount: total - 1 }),
      'version_conflict',
    )
    const paid = await ask('refundAdminReturn', { returnId: second }, { expectedAmount: total, close: true })
    assert.deepEqual([paid.body.data.return.status, paid.body.data.return.refunded], ['closed', total])
    await testServer.orders.pay()
    assert.equal((await orderOf(orderId)).paymentStatus, 'refunded')
    assertAdminError(await ask('createAdminReturn', { orderId }, { items: all, reason: 'late' }), 'return_not_possible')
    assert.ok(skuId)
  })

  test('an order has one open return at a time, and no unit is returned twice', async () => {
    const { orderId, returnId, skuIds } = await opened({ CARD: 2 }, { reason: 'late' })
    const items = [{ skuId: skuIds[0], quantity: 1 }]
    assertAdminError(await ask('createAdminReturn', { orderId }, { items, reason: 'late' }), 'return_already_open')
    await ask('receiveAdminReturn', { returnId }, { items })
    await ask('closeAdminReturn', { returnId })
    const next = await ask('createAdminReturn', { orderId }, { items, reason: 'late' })
    assert.deepEqual([next.status, next.body.data.number.slice(-3)], [200, '-R2'])
    const { data: found } = (await testServer.askAdmin('searchAdmin', { query: `?q=${next.body.data.number}` })).body
    assert.deepEqual(
      found.orders.map(({ id }: { id: string }) => id),
      [orderId],
      'the number of a return finds its order',
    )
    await ask('closeAdminReturn', { returnId: next.body.data.id })
    const two = [{ skuId: skuIds[0], quantity: 2 }]
    assertAdminError(await ask('createAdminReturn', { orderId }, { items: two, reason: 'late' }), 'return_not_possible')
  })

  // medusa#10842, #11481, #13433: several refunds are refused or not counted.
  test('several refunds of one return add up to no more than was paid for the line', async () => {
    const { orderId, returnId, skuIds } = await opened({ CARD: 3 })
    const part = { items: [{ skuId: skuIds[0], quantity: 1 }], shipping: false }
    const amounts: number[] = []
    for (let i = 0; i < 3; i += 1) amounts.push((await ask('refundAdminReturn', { returnId }, part)).body.data.amount)
    const { items, totals } = await orderOf(orderId)
    assert.equal((amounts[0] as number) + (amounts[1] as number) + (amounts[2] as number), items[0].total)
    assert.equal(totals.refundPending, items[0].total)
    assertAdminError(await ask('refundAdminReturn', { returnId }, part), 'refund_not_possible')
    const left = { items: part.items }
    assertAdminError(await ask('refundAdminOrder', { orderId }, left), 'refund_not_possible')
  })

  test('a refund by amount reduces the amount that the return can refund', async () => {
    const { orderId, returnId } = await opened({ CARD: 2 })
    const { total } = await orderOf(orderId)
    await ask('refundAdminOrder', { orderId }, { amount: total - 100 })
    const { amount, capped } = (await ask('refundAdminReturn', { returnId })).body.data
    assert.deepEqual([amount, capped], [100, total - 100])
    assertAdminError(await ask('refundAdminReturn', { returnId }), 'nothing_to_refund')
  })

  test('a failed refund that is repeated at the order counts for the return again', async () => {
    const { orderId, quote } = await testServer.orders.place({ items: { CARD: 2 }, card: refusingCard })
    await ask('fulfilAdminOrder', { orderId })
    const items = [{ skuId: quote.lines[0]?.skuId, quantity: 1 }]
    const { id: returnId } = (await ask('createAdminReturn', { orderId }, { items, reason: 'damaged' })).body.data
    const { amount } = (await ask('refundAdminReturn', { returnId }, { shipping: false })).body.data
    await testServer.storage.write(
      (tx) => tx.sql`update refunds set refused_tries = ${refusedTriesMax - 1} where order_id = ${orderId}`,
    )
    await testServer.orders.pay()
    const failed = (await testServer.askAdmin('getAdminReturn', { path: { returnId } })).body.data
    assert.deepEqual([failed.refunded, failed.refunds[0].status], [0, 'failed'])
    assertAdminError(await ask('refundAdminReturn', { returnId }), 'refund_not_possible')
    await ask('refundAdminOrder', { orderId })
    const again = (await testServer.askAdmin('getAdminReturn', { path: { returnId } })).body.data
    assert.deepEqual(
      [again.refunded, again.refunds.map(({ status }: { status: string }) => status)],
      [amount, ['failed', 'pending']],
    )
  })

  test('concurrent refunds and receipts of a return take effect once, and concurrent requests open one return for a shipped order', async () => {
    const { orderId, returnId, skuIds } = await opened({ CARD: 2 })
    const [skuId = ''] = skuIds
    const onHand = await stockOf(skuId)
    const refunds = await Promise.all([1, 2, 3].map(() => ask('refundAdminReturn', { returnId })))
    assert.deepEqual(refunds.map(({ status }) => status).sort(), [200, 409, 409])
    const order = await orderOf(orderId)
    assert.equal(order.totals.refundPending, order.total)
    const receipts = await Promise.all([1, 2].map(() => ask('receiveAdminReturn', { returnId })))
    assert.deepEqual(receipts.map(({ status }) => status).sort(), [200, 409])
    assert.equal(await stockOf(skuId), onHand + 2)

    const sent = await sentOrder(testServer, { CARD: 1 })
    const body = { items: [{ skuId, quantity: 1 }], reason: 'late' }
    const opens = await Promise.all([1, 2].map(() => ask('createAdminReturn', { orderId: sent.orderId }, body)))
    assert.deepEqual(opens.map(({ status }) => status).sort(), [200, 409])

    const placed = await testServer.orders.place({ items: { CARD: 1 } })
    const [parcel, cancelled, returned] = await Promise.all([
      ask('fulfilAdminOrder', { orderId: placed.orderId }),
      ask('cancelAdminOrder', { orderId: placed.orderId }),
      ask('createAdminReturn', { orderId: placed.orderId }, body),
    ])
    assert.notEqual(parcel?.status, cancelled?.status)
    assert.ok(returned?.status === 409 || parcel?.status === 200)
  })

  test('an e-mail to the shopper is queued at each step of a return', async () => {
    await testServer.storage.write(
      (tx) =>
        tx.sql`insert into mail_switch (id, is_on, changed_at) values ('servers', 1, 0) on conflict (id) do update set is_on = 1`,
    )
    const { returnId } = await requestedReturn(testServer)
    await ask('approveAdminReturn', { returnId })
    await ask('receiveAdminReturn', { returnId })
    await ask('closeAdminReturn', { returnId })
    const kinds = await testServer.storage.read(
      (db) => db.sql<{ kind: string }>`select kind from emails where subject_id = ${returnId} order by kind`,
    )
    const wanted = ['return_approved', 'return_closed', 'return_received', 'return_requested']
    assert.deepEqual(
      kinds.map(({ kind }) => kind).filter((kind) => kind !== 'return_asked'),
      wanted,
    )
    await testServer.storage.write((tx) => tx.sql`update mail_switch set is_on = 0`)
  })

  test('the page that checks a return request exists in every language', { skip: !isOnce(given) }, async () => {
    const { statusSecret, skuIds, orderId } = await sentOrder(testServer, { CARD: 1 })
    await testServer.storage.write((tx) => tx.sql`update orders set locale = 'auto' where id = ${orderId}`)
    for (const language of ['de', 'nl', 'fr', 'es', 'ja', 'ar', 'en']) {
      const headers = { 'accept-language': language, origin: testServer.origin }
      const body = new URLSearchParams({ [`quantity-${skuIds[0]}`]: '1', reason: 'late', to: 'check' })
      const page = await testServer.fetch(`/o/${statusSecret}/return`, { method: 'POST', body, headers })
      assert.deepEqual([page.status, page.text.includes(`<html lang="${language}"`)], [200, true], language)
    }
  })
})
