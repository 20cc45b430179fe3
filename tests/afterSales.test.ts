// After the purchase: what broke elsewhere, by the number of the report there, and what a person with a forwarded link, an erased person or a
// second change in hand may do. What a single operation does is tested where it is named.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { someCustomer } from '../harness/admin/customers.ts'
import { draftOf } from '../harness/admin/drafts.ts'
import { sentOrder } from '../harness/admin/returns.ts'
import { berlin } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertAdminError, type TestServer, testSecret } from '../harness/testServer.ts'
import { dumpOf } from '../proof/adminserver.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { eraseRequestedCustomers } from '../src/domain/customers/erase.ts'
import { linkCustomers } from '../src/domain/customers/link.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('changes after the purchase', (given) => {
  let testServer: TestServer & { orders: Orders }
  let checkout: Checkout
  before(async () => {
    testServer = await openOrderTestServer(given)
    checkout = await checkoutOf(testServer)
  })

  const ask = (id: AdminOperationId, path: Record<string, string>, body: object = {}): Promise<Answer> =>
    testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
  const done = (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const items = (wanted: Readonly<Record<string, number>>) =>
    Object.entries(wanted).map(([code, quantity]) => ({ skuId: checkout.carts.sku(code), quantity }))
  const edit = (orderId: string, wanted: Readonly<Record<string, number>>, more: object = {}) =>
    ask('editAdminOrder', { orderId }, { items: items(wanted), ...more })
  const orderOf = async (orderId: string) => done(await testServer.askAdmin('getAdminOrder', { path: { orderId } }))
  const draft = async (draftId: string) => done(await testServer.askAdmin('getAdminDraft', { path: { draftId } }))

  // Through the checkout, so the order knows its shopper.
  async function bought(wanted: Readonly<Record<string, number>>, email = 'ada@example.com'): Promise<string> {
    const { sessionId, secret, view } = await checkout.ready(wanted, {}, email)
    assert.equal((await checkout.pay(secret, view)).problem, null)
    return (await checkout.read(sessionId)).body.data.orderId
  }
  async function paid(draftId: string): Promise<void> {
    const secret = secretOf((await draft(draftId)).url)
    assert.equal((await checkout.pay(secret, await checkout.look(secret))).view.session.status, 'completed')
  }
  // What has not gone back of what was paid, and what the documents come to.
  async function booksOf(orderId: string) {
    await testServer.orders.pay()
    while ((await issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 50 })) > 0);
    const { payments, refunds } = await orderOf(orderId)
    const sumOf = (some: readonly { amount: number }[]) => some.reduce((sum, { amount }) => sum + amount, 0)
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ total: number }>`
        select sum(case when kind = 'invoice' then total else -total end) as "total" from documents where order_id = ${orderId}`,
    )
    return [sumOf(payments) - sumOf(refunds), Number(row?.total)]
  }

  test('medusa#10686, #10232, #13068: repeated edits up and down charge or refund exactly the difference, and nothing stays outstanding', async () => {
    const orderId = await bought({ CARD: 2 })
    const shipping = (await orderOf(orderId)).totals.shipping
    for (const [wish, difference, goods] of [
      [{ CARD: 5 }, 999, 5 * 333],
      [{ CARD: 1 }, -1332, 333],
      [{ CARD: 0, BOOK: 1 }, 2662, 2995],
      [{ BOOK: 2 }, 2995, 5990],
    ] as const) {
      const asked = done(await edit(orderId, wish, difference > 0 ? { payByLink: true } : {}))
      assert.equal(asked.difference, difference)
      if (asked.draftId) {
        const { total, url } = await draft(asked.draftId)
        const view = await checkout.look(secretOf(url))
        assert.deepEqual([total, view.session.totals.total], [difference, difference])
        await paid(asked.draftId)
      }
      const { totals, openChange } = await orderOf(orderId)
      assert.deepEqual([totals.total, totals.refunded, openChange], [goods + shipping, 0, null])
      assert.deepEqual(await booksOf(orderId), [totals.total, totals.total])
    }
  })

  test('medusa#11645: an edited order can be refunded by its new line, then in full, and never beyond its total', async () => {
    const orderId = await bought({ CARD: 1 })
    await paid(done(await edit(orderId, { BOOK: 1 }, { payByLink: true })).draftId)
    done(await ask('refundAdminOrder', { orderId }, { items: items({ BOOK: 1 }) }))
    await booksOf(orderId)
    const { totals } = await orderOf(orderId)
    assert.equal(totals.refunded, 2995)
    assert.equal(done(await ask('refundAdminOrder', { orderId })).amount, totals.total - 2995)
    assert.deepEqual(await booksOf(orderId), [0, 0])
    assertAdminError(await ask('refundAdminOrder', { orderId }), 'nothing_to_refund')
  })

  test('while a change waits for its payment, other edits and exchanges are refused; dry runs store nothing', async () => {
    const orderId = await bought({ CARD: 3 })
    done(await ask('fulfilAdminOrder', { orderId }, { items: items({ CARD: 2 }) }))
    const wish = { items: items({ CARD: 2 }), reason: 'late' }
    const returnId = done(await ask('createAdminReturn', { orderId }, wish)).id
    assertAdminError(await ask('createAdminReturn', { orderId }, wish), 'return_already_open')
    const exchange = { newItems: items({ BOOK: 1 }), payByLink: true }
    const before = await dumpOf(testServer.storage)
    const dry = { dryRun: true }
    done(await edit(orderId, { CARD: 5 }, { payByLink: true, ...dry }))
    done(await ask('exchangeAdminReturn', { returnId }, { ...exchange, ...dry }))
    done(await ask('refundAdminReturn', { returnId }, dry))
    done(await ask('refundAdminOrder', { orderId }, { amount: 1, ...dry }))
    done(await ask('createAdminDraft', {}, { items: items({ BOOK: 1 }), ...dry }))
    assert.equal(await dumpOf(testServer.storage), before)

    const { draftId } = done(await ask('exchangeAdminReturn', { returnId }, exchange))
    const refused = [
      await edit(orderId, { CARD: 5 }, { payByLink: true }),
      await edit(orderId, { CARD: 2 }),
      await ask('exchangeAdminReturn', { returnId }, exchange),
    ]
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.error.current.reason]),
      Array(3).fill([409, 'change_open']),
    )
    // A link that waits is taken back in the list of changes; what it paid is not.
    const { changes } = done(await testServer.askAdmin('getAdminReturn', { path: { returnId } }))
    done(await ask('undoAdminChange', { changeId: changes[0].id }))
    assert.equal((await draft(draftId)).status, 'cancelled')
    const again = done(await edit(orderId, { CARD: 5 }, { payByLink: true }))
    const [waits] = (await orderOf(orderId)).changes
    done(await ask('undoAdminChange', { changeId: waits.id }))
    assert.equal((await draft(again.draftId)).status, 'cancelled')
    await paid(done(await edit(orderId, { CARD: 5 }, { payByLink: true })).draftId)
    const entry = (await orderOf(orderId)).changes.find(
      ({ operation }: { operation: string }) => operation === 'editAdminOrder',
    )
    assertAdminError(await ask('undoAdminChange', { changeId: entry.id }), 'change_overtaken')
    assert.equal(done(await edit(orderId, { CARD: 2 })).difference, -999)
    const [written] = (await orderOf(orderId)).changes
    assertAdminError(await ask('undoAdminChange', { changeId: written.id }), 'change_not_undoable')
  })

  test('vendure#2690, medusa admin#418: the link of a draft can be read again, and is paid once however many people use it', async () => {
    const made = await draftOf(testServer, { customer: { email: 'ada@example.com' }, address: berlin })
    const { id, url, total } = made.draft
    assert.equal((await draft(id)).url, url)
    const listed = await testServer.askAdmin('listAdminDrafts')
    assert.ok(listed.body.data.some((one: { id: string }) => one.id === id))
    assert.ok(!listed.text.includes(secretOf(url)))
    const secret = secretOf(url)
    const view = await checkout.look(secret)
    // Forwarded: two people pay at once, with two cards, and a third comes late.
    await Promise.all([checkout.pay(secret, view), checkout.pay(secret, view, '5555555555554444')])
    await checkout.pay(secret, view)
    const { status, order, url: over } = await draft(id)
    assert.deepEqual([status, over], ['paid', null])
    const { payments } = await orderOf(order.id)
    assert.deepEqual(
      payments.map(({ amount }: { amount: number }) => amount),
      [total],
    )
    const [charged] = await testServer.storage.read(
      (db) => db.sql<{ kept: number }>`
        select coalesce(sum(c.amount - c.refunded), 0) as "kept" from test_charges c join payments p on p.id = c.key
        where c.state = 'approved' and p.checkout_session_id = ${view.session.id}`,
    )
    assert.equal(Number(charged?.kept), total)
  })

  test('the return of an erased customer contains no name, and can still be refunded but not exchanged', async () => {
    const email = 'erased@example.com'
    const orderId = await bought({ CARD: 3 }, email)
    done(await ask('fulfilAdminOrder', { orderId }))
    const { statusUrl } = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    const page = new URL(statusUrl).pathname
    const form = {
      [`quantity-${checkout.carts.sku('CARD')}`]: '2',
      reason: 'late',
      wish: 'refund',
      note: 'Ada was here',
    }
    const sent = await testServer.fetch(`${page}/return`, {
      ...{ method: 'POST', body: new URLSearchParams({ ...form, to: 'send' }), redirect: 'manual' },
      headers: { origin: testServer.origin },
    })
    assert.equal(sent.status, 303)
    const [{ id: returnId }] = (await testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })).body
      .data
    const { storage, clock } = testServer
    while ((await linkCustomers(storage, testSecret, { now: clock.now, limit: 100 })) > 0);
    const { customerId } = await orderOf(orderId)
    done(await ask('eraseAdminCustomer', { customerId }))
    while ((await eraseRequestedCustomers(storage, testSecret, { now: clock.now, limit: 10 })) > 0);

    const one = done(await testServer.askAdmin('getAdminReturn', { path: { returnId } }))
    assert.deepEqual([one.status, one.note], ['requested', null])
    const shown = await testServer.fetch(page)
    assert.ok(!/\bAda\b|Linden|erased@/.test(shown.text), 'the page of the order names no one')
    done(await ask('approveAdminReturn', { returnId }))
    done(await ask('receiveAdminReturn', { returnId }))
    // There is no address any more to send anything to.
    const exchange = await ask('exchangeAdminReturn', { returnId }, { newItems: items({ CARD: 1 }) })
    assert.equal(exchange.body.error.current.reason, 'no_address', exchange.text)
    assert.equal(done(await ask('refundAdminReturn', { returnId }, { shipping: false, close: true })).amount, 666)
    const { totals } = await orderOf(orderId)
    assert.deepEqual(await booksOf(orderId), [totals.total - 666, totals.total - 666])
    const names = await storage.read(
      (db) => db.sql`select id from emails where subject_id = ${returnId} and sealed is not null`,
    )
    assert.deepEqual(names, [])
    assert.notEqual(await someCustomer(testServer), customerId)
  })

  test('the secret of an order opens no checkout, and the secret of a draft opens no order page; both get the response for unknown secrets', async () => {
    const { statusSecret } = await sentOrder(testServer, { CARD: 1 })
    const { url } = (await draftOf(testServer)).draft
    const random = 'x'.repeat(43)
    const answers = []
    for (const path of [`/o/${secretOf(url)}`, `/c/${statusSecret}`, `/o/${random}`, `/c/${random}`]) {
      const { status, text } = await testServer.fetch(path, { redirect: 'manual' })
      answers.push([status, text.replaceAll(/[A-Za-z0-9_-]{43}|req_\w+/g, '')])
    }
    const [orderOfDraft, checkoutOfOrder, noOrder, noCheckout] = answers
    assert.deepEqual(orderOfDraft, noOrder)
    assert.deepEqual(checkoutOfOrder, noCheckout)
    assert.deepEqual([noOrder?.[0], noCheckout?.[0]], [404, 404])
  })
})
