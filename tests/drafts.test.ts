// Orders that a merchant makes for a shopper: what they cost, who may change them, and what becomes of their stock.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { draftOf } from '../harness/admin/drafts.ts'
import { berlin, type Carts, cartsOf } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { orderMarket } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { limits } from '../src/contract/limits.ts'
import { sweepAddresses } from '../src/domain/addresses/vault.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { newId } from '../src/platform/kit/ids.ts'

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

  test('the preview, the link, the charge, the order and its lines agree to the cent', async () => {
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

  test('409 where it would cost something else than the merchant was shown, and nothing is held', async () => {
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

  test('the shopper changes neither items nor discounts, and no key of the app does', async () => {
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

  test('a price that changes in the catalog does not change what was agreed', async () => {
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

  test('the stock is held until the draft ends, by a cancellation or by time, and then the link opens nothing', async () => {
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

  test('a payment and a cancellation at once: one of them wins, and the stock agrees', async () => {
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

  test('400 where a price by hand is larger than a price can be, so sums of orders stay exact', async () => {
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

  test('what was agreed on counts as long as the link, with the address that the merchant typed', async () => {
    const { draft } = await draftOf(testServer, { customer, address: berlin, days: 30 })
    assert.ok(draft.shipping !== null && draft.totals.shipping > 0)
    testServer.clock.now += 29 * dayMs
    await sweepAddresses(testServer.storage, testServer.clock.now, 100)
    const { totals, shipping, status } = await read(draft.id)
    assert.deepEqual([totals, shipping, status], [draft.totals, draft.shipping, 'open'])
    const view = await checkout.look(secretOf(draft.url))
    assert.equal((await checkout.pay(secretOf(draft.url), view)).problem, null)
  })

  test('the link is stored nowhere in clear: who reads the database pays for no one', async () => {
    const { draft } = await draftOf(testServer, ready)
    const secret = secretOf(draft.url)
    const stored = await testServer.storage.read(
      (db) => db.sql<{ answer: string }>`select answer from idempotency_keys`,
    )
    assert.ok(!JSON.stringify(stored).includes(secret))
  })

  test('what the people of the shop wrote about a draft goes when its shopper is erased', async () => {
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
})
