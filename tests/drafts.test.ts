// Orders that a merchant makes for a shopper: what they cost, who may change them, and what becomes of their stock.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createProduct } from '../harness/admin/catalog.ts'
import { draftOf } from '../harness/admin/drafts.ts'
import { berlin, type Carts, cartsOf } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { orderMarket } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { draftEmailsMax } from '../src/contract/admin/drafts.ts'
import { limits } from '../src/contract/limits.ts'
import { sweepAddresses } from '../src/domain/addresses/vault.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'

const dayMs = 24 * 60 * 60_000
const customer = { email: 'ada@example.com', name: 'Ada Lovelace' }

eachEngine('drafts', (given) => {
  let testServer: TestServer
  let carts: Carts
  let checkout: Checkout
  before(async () => {
    testServer = await openTestServer(given, { shops: [orderMarket, rival] })
    carts = await cartsOf(testServer)
    checkout = await checkoutOf(testServer)
  })

  const ready = { customer, address: berlin, shipping: { label: 'Courier', amount: 690 } }
  const read = async (draftId: string) => (await testServer.askAdmin('getAdminDraft', { path: { draftId } })).body.data
  const free = async (code: string): Promise<number> => {
    const [sku] = (await testServer.askAdmin('listAdminSkus', { query: `?q=${code}` })).body.data
    return sku.available
  }
  const cancel = (draftId: string) =>
    testServer.askAdmin('cancelAdminDraft', { path: { draftId }, body: { idempotencyKey: newId('req') } })

  test('preview, link, charge, order and lines have the same amounts', async () => {
    const items = [
      { skuId: carts.sku('ROSE-12'), quantity: 3, unitPrice: 3333 },
      { skuId: carts.sku('CARD'), quantity: 1 },
    ]
    const asked = { ...ready, items, discount: 1001 }
    const preview = await draftOf(testServer, { ...asked, dryRun: true })
    assert.equal(preview.draft, null)
    assert.deepEqual([preview.totals.discount, preview.totals.shipping], [1001, 690])
    const { draft } = await draftOf(testServer, { ...asked, expectedTotal: preview.totals.total })
    assert.deepEqual(draft.totals, preview.totals)
    const view = await checkout.look(secretOf(draft.url))
    assert.deepEqual([view.session.totals, view.isFixed], [preview.totals, true])
    const paid = await checkout.pay(secretOf(draft.url), view)
    assert.equal(paid.problem, null, JSON.stringify(paid.problem))
    const { status, order, url } = await read(draft.id)
    assert.deepEqual([status, url], ['paid', null])
    const sold = (await testServer.askAdmin('getAdminOrder', { path: { orderId: order.id } })).body.data
    const { refunded: _, refundPending: __, ...totals } = sold.totals
    assert.deepEqual(totals, preview.totals)
    assert.deepEqual(
      sold.items.map(({ unitPrice, total }: { unitPrice: number; total: number }) => [unitPrice, total]),
      preview.items.map(({ unitPrice, total }: { unitPrice: number; total: number }) => [unitPrice, total]),
    )
    assert.deepEqual([sold.payments[0].amount, sold.promotion], [preview.totals.total, null])
  })

  test('409 if the total is not the one that the merchant expected, and nothing is held', async () => {
    const before = await free('CARD')
    const body = {
      idempotencyKey: newId('req'),
      items: [{ skuId: carts.sku('CARD'), quantity: 1 }],
      expectedTotal: 1,
    }
    const answer = await testServer.askAdmin('createAdminDraft', { body })
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'total_changed'])
    assert.equal(await free('CARD'), before)
  })

  test('neither the shopper nor an API key can change items or discounts', async () => {
    const { draft } = await draftOf(testServer, { ...ready, discount: 100 })
    const secret = secretOf(draft.url)
    const view = await checkout.look(secret)
    const skuId = carts.sku('CARD')
    const { checkout: page } = testServer.app
    const raised = await page.changeQuantity(secret, view.session.version, skuId, 9)
    assert.equal(raised?.problem?.code, 'not_open')
    assert.equal((await page.applyCode(secret, view.session.version, 'GIFT'))?.problem?.code, 'not_open')
    const { cartId } = view.session
    const put = await testServer.ask('putPublicCartItem', {
      path: { cartId, skuId },
      body: { quantity: 9, idempotencyKey: newId('req') },
    })
    assert.deepEqual([put.status, put.body.code ?? put.body.error?.code], [409, 'cart_not_open'])
    const again = await checkout.open({}, { items: undefined, cartId })
    assert.equal(again.status, 409, again.text)
    assert.equal((await read(draft.id)).totals.total, draft.totals.total)
  })

  test('a price change in the catalog does not change an agreed price', async () => {
    const { draft } = await draftOf(testServer, ready)
    const [sku] = (await testServer.askAdmin('listAdminSkus', { query: '?q=CARD' })).body.data
    const raise = (price: number) =>
      testServer.askAdmin('updateAdminSkus', {
        body: { idempotencyKey: newId('req'), rows: [{ skuId: sku.id, price }] },
      })
    await raise(sku.price + 500)
    assert.equal((await checkout.look(secretOf(draft.url))).session.totals.total, draft.totals.total)
    await raise(sku.price)
  })

  test('the stock is held until the draft is cancelled or expires, and after that its link opens no new checkout', async () => {
    const before = await free('CARD')
    const { draft } = await draftOf(testServer, { ...ready, days: 2 })
    const other = (await draftOf(testServer, { ...ready, days: 1 })).draft
    testServer.clock.now += dayMs - 60_000
    assert.equal(await free('CARD'), before - 2)
    testServer.clock.now += 60_000
    await expireSessions(testServer.storage, testServer.app.payTools, testServer.clock.now, 100)
    assert.equal((await read(other.id)).status, 'expired')
    assert.equal(await free('CARD'), before - 1)
    const again = await testServer.app.checkout.startAgain(secretOf(other.url))
    assert.deepEqual(again, { problem: { code: 'not_open' } })
    assert.equal((await cancel(draft.id)).body.data.status, 'cancelled')
    assert.equal(await free('CARD'), before)
    const twice = await cancel(draft.id)
    assert.deepEqual([twice.status, twice.body.error.code], [409, 'draft_not_open'])
  })

  test('of a concurrent payment and cancellation one succeeds, and the stock is right', async () => {
    const before = await free('CARD')
    const { draft } = await draftOf(testServer, ready)
    const secret = secretOf(draft.url)
    const view = await checkout.look(secret)
    const [paid, cancelled] = await Promise.all([checkout.pay(secret, view), cancel(draft.id)])
    const { status } = await read(draft.id)
    assert.equal(status, cancelled.status === 200 ? 'cancelled' : 'paid')
    assert.equal(paid.problem === null, status === 'paid')
    assert.equal(await free('CARD'), status === 'paid' ? before - 1 : before)
  })

  const change = (draftId: string, body: object) =>
    testServer.askAdmin('updateAdminDraft', { path: { draftId }, body: { idempotencyKey: newId('req'), ...body } })
  const listed = async (draftId: string) =>
    (await testServer.askAdmin('listAdminDrafts')).body.data.find(({ id }: { id: string }) => id === draftId)

  test('the list shows the stored total, which is updated when the shopper enters an address and when the order is placed', async () => {
    const { draft } = await draftOf(testServer, { customer })
    assert.equal((await listed(draft.id)).total, draft.totals.total)
    const secret = secretOf(draft.url)
    const view = await checkout.look(secret)
    const contact = { email: customer.email, name: customer.name, phone: '' }
    const input = { contact, address: berlin, shippingOptionId: null }
    const set = await testServer.app.checkout.setDetails(secret, view.session.version, input)
    assert.equal(set?.problem, null)
    const priced = await read(draft.id)
    assert.ok(priced.totals.total > draft.totals.total)
    assert.equal((await listed(draft.id)).total, priced.totals.total)
    // Not priced anew: another stored number is what is shown.
    await testServer.storage.write((tx) => tx.sql`update drafts set total = 77 where id = ${draft.id}`)
    assert.equal((await listed(draft.id)).total, 77)
    await checkout.pay(secret, await checkout.look(secret))
    const { total, order } = await listed(draft.id)
    assert.equal(total, priced.totals.total)
    assert.ok(order)
    // One that was made before totals were stored.
    const { draft: old } = await draftOf(testServer, ready)
    await testServer.storage.write((tx) => tx.sql`update drafts set total = null where id = ${old.id}`)
    assert.equal((await listed(old.id)).total, old.totals.total)
  })

  test('changing a draft keeps its link, replaces items and terms, and adjusts the held stock', async () => {
    const before = { CARD: await free('CARD'), 'ROSE-12': await free('ROSE-12') }
    const { draft } = await draftOf(testServer, { ...ready, note: 'By phone' })
    const items = [
      { skuId: carts.sku('ROSE-12'), quantity: 2, unitPrice: 3000 },
      { skuId: carts.sku('CARD'), quantity: 3 },
    ]
    const preview = await change(draft.id, { items, discount: 500, shipping: null, dryRun: true })
    assert.equal(preview.body.data.draft, null, preview.text)
    assert.equal((await read(draft.id)).version, 1)
    const { total } = preview.body.data.totals
    const wrong = await change(draft.id, { items, expectedTotal: total })
    assert.deepEqual([wrong.status, wrong.body.error.code], [409, 'total_changed'])
    const answer = await change(draft.id, {
      ...{ items, discount: 500, shipping: null, note: null, days: 20, locale: 'de', expectedVersion: 1 },
      ...{ customer: { email: 'grace@example.com' }, expectedTotal: total },
    })
    assert.equal(answer.status, 200, answer.text)
    const after = answer.body.data.draft
    assert.deepEqual(
      [after.url, after.version, after.total, after.note, after.emailMasked, after.locale, after.terms],
      [draft.url, 2, total, null, 'g***@example.com', 'de', { discount: 500, shipping: null }],
    )
    assert.equal(Date.parse(after.expiresAt), testServer.clock.now + 20 * dayMs)
    const taken = [before.CARD - (await free('CARD')), before['ROSE-12'] - (await free('ROSE-12'))]
    assert.deepEqual(taken, [3, 2])
    const view = await checkout.look(secretOf(draft.url))
    assert.equal(view.session.totals.total, total)
    const late = await change(draft.id, { expectedVersion: 1, discount: 0 })
    assert.deepEqual([late.status, late.body.error.code], [409, 'version_conflict'])
    const card = carts.sku('CARD')
    const tooMany = await change(draft.id, { items: [{ skuId: card, quantity: before.CARD + 1 }] })
    assert.match(tooMany.body.error.code, /insufficient_stock|quantity_limit_exceeded/)
    assert.equal(before.CARD - (await free('CARD')), 3)
    assert.equal((await checkout.pay(secretOf(draft.url), view)).problem, null)
    const ended = await change(draft.id, { discount: 1 })
    assert.deepEqual([ended.status, ended.body.error.code], [409, 'draft_not_open'])
  })

  test('undo restores the items and prices of a changed draft, and cancels a new draft', async () => {
    const { draft } = await draftOf(testServer, { ...ready, discount: 100 })
    const items = [{ skuId: carts.sku('CARD'), quantity: 2, unitPrice: 1 }]
    await change(draft.id, { items, discount: 0 })
    const [edit, made] = (await read(draft.id)).changes
    const undo = (changeId: string) =>
      testServer.askAdmin('undoAdminChange', { path: { changeId }, body: { idempotencyKey: newId('req') } })
    const early = await undo(made.id)
    assert.deepEqual([early.status, early.body.error.code], [409, 'change_overtaken'])
    assert.equal((await undo(edit.id)).status, 200)
    const back = await read(draft.id)
    assert.deepEqual([back.items, back.totals], [draft.items, draft.totals])
    const { draft: other } = await draftOf(testServer, ready)
    const [creation] = (await read(other.id)).changes
    const answer = await undo(creation.id)
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await read(other.id)).status, 'cancelled')
    await change(draft.id, { note: 'Call Ada Lovelace back', customer: { name: 'Ada L.' } })
    const stored = await testServer.storage.read((db) => db.sql`select changes from audit_entries`)
    assert.doesNotMatch(JSON.stringify(stored), /Lovelace|Ada L/)
  })

  test('409 if the link cannot be e-mailed; the recipient of a sent e-mail is deleted when the shopper is erased', async () => {
    const send = (draftId: string) =>
      testServer.askAdmin('sendAdminDraft', { path: { draftId }, body: { idempotencyKey: newId('req') } })
    const codeOf = async (draftId: string) => (await send(draftId)).body.error?.code
    const { draft } = await draftOf(testServer, { ...ready, customer: { email: 'joan@example.com' } })
    assert.equal(await codeOf((await draftOf(testServer)).draft.id), 'draft_without_email')
    assert.equal(await codeOf(draft.id), 'mail_off')
    const { storage, clock, merchantId, installationId } = testServer
    await storage.write((tx) => setMailSwitch(tx, true, clock.now))
    for (let sent = 0; sent < draftEmailsMax; sent += 1) assert.equal((await send(draft.id)).status, 200)
    assert.equal(await codeOf(draft.id), 'draft_email_limit')
    await storage.write((tx) => setMailSwitch(tx, false, clock.now))
    const rows = () =>
      storage.read(
        (db) =>
          db.sql<{
            recipient: string | null
          }>`select recipient_hash as recipient from emails where kind = 'draft_link'`,
      )
    const all = await rows()
    assert.equal(all.length, draftEmailsMax)
    assert.ok(all.every(({ recipient }) => recipient !== null))
    const shopper = { merchantId, installationIds: [installationId], email: 'joan@example.com' }
    await forgetShopper(storage, testSecret, shopper, { isDryRun: false, includesUnsent: false })
    assert.ok((await rows()).every(({ recipient }) => recipient === null))
  })

  test('400 for a manual price above the limit or below zero', async () => {
    const skuId = carts.sku('CARD')
    const asked = [
      { items: [{ skuId, quantity: 1, unitPrice: limits.amountMax + 1 }] },
      { items: [{ skuId, quantity: 1 }], shipping: { label: 'Courier', amount: limits.amountMax + 1 } },
      { items: [{ skuId, quantity: 1 }], discount: limits.amountMax + 1 },
      { items: [{ skuId, quantity: 1, unitPrice: -1 }] },
      { items: [{ skuId, quantity: 1 }], discount: -1 },
    ]
    for (const one of asked) {
      const body = { idempotencyKey: newId('req'), ...ready, ...one }
      const answer = await testServer.askAdmin('createAdminDraft', { body })
      assert.deepEqual([answer.status, answer.body.error?.code], [400, 'invalid_request'], JSON.stringify(one))
    }
  })

  test('the agreed total and the typed address stay valid as long as the link', async () => {
    const { draft } = await draftOf(testServer, { customer, address: berlin, days: 30 })
    assert.ok(draft.shipping !== null && draft.totals.shipping > 0)
    testServer.clock.now += 29 * dayMs
    await sweepAddresses(testServer.storage, testServer.clock.now, 100)
    const { totals, shipping, status } = await read(draft.id)
    assert.deepEqual([totals, shipping, status], [draft.totals, draft.shipping, 'open'])
    const view = await checkout.look(secretOf(draft.url))
    assert.equal((await checkout.pay(secretOf(draft.url), view)).problem, null)
  })

  test('no stored response contains the link in clear text', async () => {
    const { draft } = await draftOf(testServer, ready)
    const secret = secretOf(draft.url)
    const stored = await testServer.storage.read(
      (db) => db.sql<{ answer: string }>`select answer from idempotency_keys`,
    )
    assert.ok(!JSON.stringify(stored).includes(secret))
  })

  test('a note about a draft is deleted when its shopper is erased', async () => {
    const email = 'grace@example.com'
    const { draft } = await draftOf(testServer, {
      ...ready,
      customer: { email, name: 'Grace' },
      note: 'Grace rang twice',
    })
    const { merchantId, installationId } = testServer
    const shopper = { merchantId, installationIds: [installationId], email }
    await forgetShopper(testServer.storage, testSecret, shopper, { isDryRun: false, includesUnsent: false })
    const { note, emailMasked } = await read(draft.id)
    assert.deepEqual([note, emailMasked], [null, null])
  })

  test('a complete SKU code is suggested first, even if many names contain it', async () => {
    const values = Array.from({ length: 9 }, (_, at) => `A-${at}`)
    const skus = values.map((code) => ({ code, name: code, price: 1, stock: 1, options: { Box: code } }))
    await createProduct(testServer, { name: 'Boxes for card', options: [{ name: 'Box', values }], skus })
    const { headers, path } = await dashboardUserOf(testServer)
    const { text } = await testServer.fetch(`${path('drafts/products')}?q=card`, { headers })
    const codes = JSON.parse(text).map(({ code }: { code: string }) => code)
    assert.deepEqual(codes, ['CARD', ...values.slice(0, 7)])
  })
})
