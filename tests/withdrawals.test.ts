// The page on which shoppers withdraw from a contract, and what becomes of it: rows, e-mails, admin operations.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { type MailServer, openMailServer } from '../harness/mailserver.ts'
import { ordersOf } from '../harness/orders.ts'
import { poison } from '../harness/poison.ts'
import { rival } from '../harness/shops.ts'
import { anyEngine, eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { postWithdrawal, typedWithdrawal, withdraw } from '../harness/withdrawals.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { sendDueEmails } from '../src/domain/emails/send.ts'
import { findMerchantFace } from '../src/domain/merchants/store.ts'
import { openWithdrawnReturns } from '../src/domain/withdrawals/openreturn.ts'
import { deleteOldWithdrawals } from '../src/domain/withdrawals/retention.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { parseMailUrl } from '../src/platform/kit/mailurl.ts'

const abroad = {
  ...rival,
  shipping: [{ zone: 'us', countries: ['US'], options: [{ id: 'post', label: 'Post', amount: 500 }] }],
}

const shopFile = { ...market, merchant: { ...market.merchant, supportEmail: 'help@bloom.example' } }

eachEngine('withdrawals', (given) => {
  let mailServer: MailServer
  let testServer: TestServer
  let orders: Awaited<ReturnType<typeof ordersOf>>
  let slug: string
  const shop = () => ({ origin: testServer.origin, slug })

  before(async () => {
    mailServer = await openMailServer()
    const target = parseMailUrl(`smtp://127.0.0.1:${mailServer.port}`)
    assert.ok(!('problem' in target))
    testServer = await openTestServer(given, { shops: [shopFile, abroad], mail: { target, from: 'shop@example.com' } })
    orders = await ordersOf(testServer)
    slug = market.merchant.slug
  })

  after(() => mailServer.close())

  const listed = async () => (await testServer.askAdmin('listAdminWithdrawals')).body.data

  test('without script a shopper withdraws in two steps, the text and its confirmation', async () => {
    const { number } = await orders.place({ items: { CARD: 1 } })
    const form = await (await fetch(`${testServer.origin}/w/${slug}?order=${number}`)).text()
    assert.match(form, new RegExp(`name="order"[^>]* value="${number}"`))
    const names = [...form.matchAll(/<(?:input|select|textarea)[^>]* name="(\w+)"/g)].map(([, name]) => name)
    assert.deepEqual(names, ['name', 'order', 'email', 'items'], 'no reason, no password')
    const before = await listed()
    const review = await postWithdrawal(shop(), { ...typedWithdrawal, order: number })
    const page = await review.text()
    assert.match(page, />Confirm withdrawal</)
    assert.deepEqual(await listed(), before, 'nothing is received before it is confirmed')
    const [, attempt = ''] = /name="attempt" value="(\w+)"/.exec(page) ?? []
    testServer.clock.now += 1_000
    const confirm = { ...typedWithdrawal, order: number, attempt, step: 'confirm' }
    const first = await (await postWithdrawal(shop(), confirm)).text()
    assert.match(first, /We have received your withdrawal/)
    for (const text of ['Ada Lovelace', number, 'ada@example.com']) assert.ok(first.includes(text), text)
    testServer.clock.now += 60_000
    const again = await (await postWithdrawal(shop(), confirm)).text()
    assert.equal(again, first, 'sent twice, it is one withdrawal with the time of its receipt')
    const [received, ...others] = await listed()
    assert.equal(others.length, before.length)
    assert.equal(received.order.number, number)
    assert.equal(received.status, 'received')
    assert.equal(Date.parse(received.refundDueAt) - Date.parse(received.receivedAt), 14 * 86_400_000)
  })

  test('missing fields are asked for again, and typed values are kept', async () => {
    const answer = await postWithdrawal(shop(), { name: 'Ada', order: '', email: 'ada', step: 'confirm' })
    const text = await answer.text()
    assert.equal(answer.status, 200)
    assert.match(text, /value="Ada"/)
    assert.equal(text.match(/class="error"/g)?.length, 2)
  })

  test('the response does not reveal whether an order exists', async () => {
    const { number } = await orders.place({ items: { CARD: 1 } })
    const other = number.replace(/\d(?=\d{3}$)|^T-\d/, (digits) => digits.replace(/\d/, '9'))
    assert.equal(other.length, number.length)
    testServer.clock.now += 1_000
    const pages = await Promise.all([number, other].map((order) => withdraw(shop(), { order })))
    const [real, guessed] = pages.map((text) => text.replaceAll(number, '#').replaceAll(other, '#'))
    assert.equal(guessed, real)
    const [one, two] = await listed()
    assert.deepEqual([one.order === null, two.order === null].sort(), [false, true])
  })

  test('a shop that sells only outside the EU has no withdrawal page and no link to it', async () => {
    assert.equal((await fetch(`${testServer.origin}/w/${abroad.merchant.slug}`)).status, 404)
    assert.equal((await fetch(`${testServer.origin}/w/nothing-here`)).status, 404)
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from merchants where slug = ${abroad.merchant.slug}`,
    )
    const face = await testServer.storage.read((db) => findMerchantFace(db, row?.id ?? ''))
    assert.equal(face?.offersWithdrawal, false)
  })

  test('orders and sessions contain the address of the withdrawal page, and the order page links to it', async () => {
    const { orderId, number, statusSecret } = await orders.place({ items: { CARD: 1 } })
    const order = await testServer.ask('getStorefrontOrder', { path: { orderId } })
    const url = `${testServer.origin}/w/${slug}?order=${number}`
    assert.equal(order.body.data.withdrawalUrl, url)
    const session = await (await checkoutOf(testServer)).open({ CARD: 1 })
    assert.equal(session.body.data.withdrawalUrl, `${testServer.origin}/w/${slug}`)
    const page = await (await fetch(`${testServer.origin}/o/${statusSecret}`)).text()
    assert.ok(page.includes(`href="/w/${slug}?order=${number}"`))
    assert.match(page, /Withdraw from contract here/)
  })

  test('the shopper gets the statement with its time, the merchant the order number, and typed text never becomes a link', async () => {
    const { mail } = testServer.app
    assert.ok(mail)
    const typed = { name: 'Ada https://evil.example', order: 'T-4711', items: 'the www.evil.example vase' }
    await withdraw(shop(), typed)
    while ((await sendDueEmails(mail)) > 0);
    const [toShopper, toMerchant] = ['ada@example.com', 'help@bloom.example'].map((to) =>
      mailServer.emails.findLast((email) => email.to.includes(to)),
    )
    assert.match(toShopper?.headers.subject ?? '', /received your withdrawal/)
    const plain = toShopper?.text.replaceAll('\u2060', '') ?? ''
    for (const text of [...Object.values(typed), 'Received: ']) assert.ok(plain.includes(text), text)
    assert.doesNotMatch(`${toShopper?.text} ${toShopper?.html}`, /https:\/\/evil|evil\.example/)
    assert.match(toMerchant?.text ?? '', /T-4711/)
    assert.doesNotMatch(toMerchant?.text ?? '', /\bAda\b|ada@/)
  })

  test('a withdrawal can be settled repeatedly, each time by its current version; each read of the statement is audited', async () => {
    testServer.clock.now += 1_000
    await withdraw(shop(), { order: 'T-77, the big one', email: 'grace@example.com', items: 'the blue one' })
    const [row] = await listed()
    const path = { withdrawalId: row.id }
    const statement = await testServer.askAdmin('getAdminWithdrawalStatement', { path })
    assert.deepEqual(statement.body.data, {
      name: 'Ada Lovelace',
      order: 'T-77, the big one',
      email: 'grace@example.com',
      items: 'the blue one',
    })
    const settle = (outcome: string, expectedVersion: number) =>
      testServer.askAdmin('settleAdminWithdrawal', {
        path,
        body: { idempotencyKey: newId('req'), outcome, expectedVersion },
      })
    const settled = await settle('unknown', 1)
    assert.deepEqual([settled.body.data.status, settled.body.data.outcome], ['settled', 'unknown'])
    assert.equal((await settle('accepted', 1)).status, 409)
    assert.equal((await settle('accepted', 2)).body.data.outcome, 'accepted')
    const changes = await testServer.askAdmin('listAdminChanges')
    const kinds = changes.body.data.map(({ operation }: { operation: string }) => operation)
    assert.deepEqual(
      kinds.filter((operation: string) => /Withdrawal/.test(operation)),
      ['settleAdminWithdrawal', 'settleAdminWithdrawal', 'getAdminWithdrawalStatement'],
    )
  })

  // As a shopper buys it on the page, with an e-mail address.
  async function bought(quantity: number): Promise<{ orderId: string; number: string }> {
    const checkout = await checkoutOf(testServer)
    const { sessionId, secret, view } = await checkout.ready({ CARD: quantity })
    assert.equal((await checkout.pay(secret, view)).problem, null)
    const { orderId } = (await checkout.read(sessionId)).body.data
    const { number } = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    return { orderId, number }
  }

  test('a withdrawal with the e-mail address of the order opens a return of the sent items, once, also after a crash', async () => {
    const { storage, clock } = testServer
    const round = () => openWithdrawnReturns(storage, testSecret, { now: ++clock.now, limit: 100 })
    while ((await round()) > 0);
    const { orderId, number } = await bought(2)
    const fulfil = { path: { orderId }, body: { idempotencyKey: newId('req') } }
    assert.equal((await testServer.askAdmin('fulfilAdminOrder', fulfil)).status, 200)
    await withdraw(shop(), { order: number, email: 'ADA@example.com', items: 'the blue one' })
    assert.equal((await listed())[0].returnId, null)
    // A round that ends between the return and the note that it was opened leaves neither.
    const heal = await poison(storage, 'withdrawals', 'old.return_due_at is not null')
    await assert.rejects(round())
    await heal()
    assert.deepEqual((await testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })).body.data, [])
    await storage.write((tx) => tx.sql`delete from deferred_rows`)
    const counts = await Promise.all([round(), round()])
    assert.ok(counts.some((count) => count > 0))
    const [row] = await listed()
    const found = (await testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })).body.data
    assert.deepEqual(
      found.map(({ id, status }: { id: string; status: string }) => [id, status]),
      [[row.returnId, 'requested']],
    )
    const one = (await testServer.askAdmin('getAdminReturn', { path: { returnId: row.returnId } })).body.data
    assert.deepEqual([one.note, one.items[0].quantity, one.openedBy], ['the blue one', 2, 'shopper'])
    assert.equal(await round(), 0)
    // A second statement is of the same return.
    await withdraw(shop(), { order: number, email: 'ada@example.com' })
    await round()
    assert.equal((await listed())[0].returnId, row.returnId)
  })

  test('a withdrawal with another address, or of an unsent order, opens no return, but the merchant can open one', async () => {
    const { storage, clock } = testServer
    const round = () => openWithdrawnReturns(storage, testSecret, { now: ++clock.now, limit: 100 })
    const press = (withdrawalId: string) =>
      testServer.askAdmin('openAdminWithdrawalReturn', {
        path: { withdrawalId },
        body: { idempotencyKey: newId('req') },
      })
    const { orderId, number } = await bought(1)
    await withdraw(shop(), { order: number, email: 'ada@example.com' })
    await round()
    const [early] = await listed()
    assert.deepEqual([early.returnId, early.order.emailMatches], [null, true])
    const refused = await press(early.id)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'return_not_possible'])
    await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body: { idempotencyKey: newId('req') } })
    await withdraw(shop(), { order: number, email: 'eve@example.com' })
    await round()
    const [other] = await listed()
    assert.deepEqual([other.returnId, other.order.emailMatches], [null, false])
    const opened = await press(other.id)
    assert.equal(opened.status, 200, opened.text)
    const { returnId } = opened.body.data
    assert.equal((await testServer.askAdmin('getAdminReturn', { path: { returnId } })).body.data.status, 'approved')
    await withdraw(shop(), { order: 'T-99999999', email: 'eve@example.com' })
    assert.equal((await press((await listed())[0].id)).body.error.code, 'order_not_found')
  })

  test('erasing a shopper deletes the statement, and old statements are deleted', async () => {
    const { storage, merchantId, installationId, clock } = testServer
    clock.now += 1_000
    await withdraw(shop(), { order: 'T-9', email: 'erase@example.com' })
    const shopper = { merchantId, installationIds: [installationId], email: 'Erase@example.com' }
    const input = { isDryRun: false, includesUnsent: false }
    const { withdrawals } = await forgetShopper(storage, testSecret, shopper, input)
    assert.equal(withdrawals, 1)
    const [row] = await listed()
    const path = { withdrawalId: row.id }
    assert.equal((await testServer.askAdmin('getAdminWithdrawalStatement', { path })).body.data, null)
    const now = clock.now
    assert.equal(await deleteOldWithdrawals(storage, { endedBy: now - 1_000_000, now }), 0)
    assert.ok((await deleteOldWithdrawals(storage, { endedBy: now + 1_000_000, now })) > 0)
    assert.deepEqual(await listed(), [])
  })
})

anyEngine('a flood of withdrawals', (given) => {
  test('withdrawals are limited by network address, and the page for 429 can send the typed values again', async () => {
    const testServer = await openTestServer(given, {
      shops: [market, rival],
      rateLimit: { perSecond: 100, burst: 200 },
    })
    const shop = { origin: testServer.origin, slug: market.merchant.slug }
    const statuses: number[] = []
    let last = ''
    for (let times = 0; times < 40; times += 1) {
      const answer = await postWithdrawal(shop, { ...typedWithdrawal, attempt: newId('wdr'), step: 'confirm' })
      statuses.push(answer.status)
      last = await answer.text()
    }
    assert.deepEqual(
      [200, 429].map((status) => statuses.filter((one) => one === status).length),
      [30, 10],
    )
    assert.match(last, /name="name" value="Ada Lovelace"/)
  })
})
