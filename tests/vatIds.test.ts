// A firm gives its VAT number at the checkout: it is checked, the tax is left out where the buyer owes it, and order, invoice and
// reports say why.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { draftOf } from '../harness/admin/drafts.ts'
import { berlin, market, paris } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import type { Address } from '../src/contract/open/carts.ts'
import { createPayTools } from '../src/domain/checkout/tools.ts'
import { createVatChecks } from '../src/domain/checkout/vatcheck.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import type { AskVat } from '../src/domain/vat/asking.ts'
import { testRegister } from '../src/domain/vat/port.ts'
import { silentWatch } from '../src/ops/cli/money.ts'

const legal = { name: 'Bloom GmbH', address: ['Hafenstraße 12', '20457 Hamburg'], vatId: 'DE123456789' }
const french = 'FR40303265045'
const items = { BOOK: 2 }

eachEngine('VAT numbers', (given) => {
  let testServer: TestServer
  let checkout: Checkout
  before(async () => {
    const merchant = { ...market.merchant, legal, invoices: {} }
    testServer = await openTestServer(given, { shops: [{ ...market, merchant }] })
    checkout = await checkoutOf(testServer)
  })

  const contact = { email: 'ada@example.com', name: 'Jean Martin', phone: '' }
  async function give(secret: string, vatId: string, address: Address | null = paris) {
    const { session } = await checkout.look(secret)
    const details = { contact, address, shippingOptionId: null, vatId }
    const result = await testServer.app.checkout.setDetails(secret, session.version, details)
    assert.ok(result)
    return result
  }
  async function open(more: object = {}, wanted: Readonly<Record<string, number>> = items): Promise<string> {
    const answer = await checkout.open(wanted, more)
    assert.equal(answer.status, 200, answer.text)
    return secretOf(answer.body.data.url)
  }
  async function buy(secret: string): Promise<string> {
    const { problem, view } = await checkout.pay(secret, await checkout.look(secret))
    assert.equal(problem, null)
    return view.session.orderId ?? ''
  }
  const order = async (orderId: string) => (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
  async function invoice(orderId: string) {
    await issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    const { body } = await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}` })
    const documentId = body.data[0].id
    return (await testServer.askAdmin('getAdminDocument', { path: { documentId } })).body.data
  }

  test('a confirmed VAT number of another member state removes the tax, also in the invoice and the report', async () => {
    const secret = await open()
    const { view, problem } = await give(secret, ' fr 40 303 265 045')
    assert.equal(problem, null)
    // 29.95 has 4.99 of French tax in it, and 19.90 has 3.32.
    assert.deepEqual(view.session.totals, {
      ...{ subtotal: 4_992, discount: 0, shipping: 1_658, tax: 0, taxIncluded: false, total: 6_650 },
      taxReason: 'intra_community',
    })
    assert.deepEqual(
      [view.session.vat?.country, view.session.vat?.status, view.customer.vatId],
      ['FR', 'valid', french],
    )
    const page = (await testServer.fetch(`/c/${secret}`)).text
    assert.match(page, /No VAT is charged: you account for it/)
    assert.match(page, /Intra-Community supply, exempt from VAT/)

    const orderId = await buy(secret)
    const placed = await order(orderId)
    assert.equal(placed.totals.taxReason, 'intra_community')
    assert.equal(placed.items[0].unitPrice, 2_496)
    const { checkedAt, ...vat } = placed.vat
    assert.ok(checkedAt)
    assert.deepEqual(vat, { country: 'FR', status: 'valid', consultationNumber: null, nameMatch: 'unknown' })
    const customer = await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId } })
    assert.equal(customer.body.data.vatId, french)

    const document = await invoice(orderId)
    assert.deepEqual(
      [document.net, document.tax, document.total, document.country, document.buyer.vatId],
      [6_650, 0, 6_650, 'FR', french],
    )
    assert.deepEqual(document.rates, [{ rate: 0, reason: 'intra_community', net: 6_650, tax: 0, total: 6_650 }])
    const { data: report } = (await testServer.askAdmin('getAdminTaxReport')).body
    assert.deepEqual(
      report.rows.map(({ country, rate, reason, net }: Record<string, unknown>) => [country, rate, reason, net]),
      [['FR', 0, 'intra_community', 6_650]],
    )
    const ledger = async (format: string) =>
      (await testServer.askAdmin('listAdminLedger', { query: `?format=${format}` })).body.data.text as string
    assert.match(await ledger('plain'), /,FR,0,intra_community,66\.50,0\.00,66\.50,EUR/)
    assert.match(await ledger('datev'), /66,50;"S";"EUR";;;"";1360;8125;/)
    // Nothing of the number is in clear.
    const stored = await testServer.storage.read(
      (db) => db.sql`
      select c.vat || o.vat || o.customer_sealed || d.content || d.buyer_sealed as "text"
      from orders o join carts c on c.id = o.cart_id join documents d on d.order_id = o.id where o.id = ${orderId}`,
    )
    assert.ok(!JSON.stringify(stored).includes('40303265045'))

    const user = await dashboardUserOf(testServer)
    const shown = (await testServer.fetch(user.path(`orders/${orderId}`), { headers: user.headers })).text
    assert.match(shown, /No tax is charged: intra-Community supply/)
    assert.match(shown, /Confirmed in VIES on/)
    const receipt = await testServer.fetch(`${(await checkout.look(secret)).order?.statusPath}/receipt`)
    assert.match(receipt.text, /Intra-Community supply, exempt from VAT/)
  })

  test('items that an edit adds to an order without tax are not taxed either', async () => {
    const secret = await open()
    await give(secret, french)
    const orderId = await buy(secret)
    await invoice(orderId)
    const skuId = (code: string) => checkout.carts.sku(code)
    const body = {
      items: [
        { skuId: skuId('BOOK'), quantity: 1 },
        { skuId: skuId('CARD'), quantity: 2 },
      ],
    }
    const edited = await testServer.askAdmin('editAdminOrder', {
      path: { orderId },
      body: { ...body, idempotencyKey: randomUUID() },
    })
    assert.equal(edited.status, 200, edited.text)
    const { totals, items: shown, difference } = edited.body.data
    // 3.33 has 0.56 of French tax in it, and two of them 1.11.
    assert.deepEqual(totals, {
      ...{ subtotal: 2_496 + 555, discount: 0, shipping: 1_658, tax: 0, taxIncluded: false, total: 4_709 },
      taxReason: 'intra_community',
    })
    assert.deepEqual([shown[1].unitPrice, difference], [277, -1_941])
    await issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    const { body: listed } = await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}` })
    const rates = []
    for (const { id: documentId } of listed.data)
      rates.push(...(await testServer.askAdmin('getAdminDocument', { path: { documentId } })).body.data.rates)
    const rateOf = (total: number) => ({ rate: 0, reason: 'intra_community', net: total, tax: 0, total })
    assert.deepEqual(
      rates.toSorted((one, other) => one.total - other.total),
      [rateOf(555), rateOf(2_496), rateOf(6_650)],
    )
  })

  test('an unregistered VAT number, or one of the shop’s own state, does not change the tax', async () => {
    const secret = await open()
    const wrong = await give(secret, 'FR00000000000')
    assert.deepEqual([wrong.view.session.vat?.status, wrong.view.session.totals.taxReason], ['invalid', undefined])
    assert.equal(wrong.view.session.totals.tax, 1_330)
    assert.match((await testServer.fetch(`/c/${secret}`)).text, /not registered, so VAT is charged/)
    const own = await give(secret, 'DE 811 115 368')
    assert.deepEqual([own.view.session.vat?.status, own.view.session.totals.taxReason], ['valid', undefined])
    const home = await give(secret, french, berlin)
    assert.deepEqual([home.view.session.vat?.status, home.view.session.totals.taxReason], ['valid', undefined])
    // Taken back.
    const none = await give(secret, '')
    assert.deepEqual([none.view.session.vat, none.view.customer.vatId], [undefined, undefined])
    const document = await invoice(await buy(secret))
    assert.equal(document.buyer.vatId, null)
  })

  test('if the register does not respond, tax is charged, the page says so, and the check can be repeated', async () => {
    const secret = await open()
    const { view } = await give(secret, 'FR99999999999')
    assert.deepEqual([view.session.vat?.status, view.session.totals.tax], ['unavailable', 1_330])
    assert.match((await testServer.fetch(`/c/${secret}`)).text, /cannot be checked right now, so VAT is charged/)
    const cart = () =>
      testServer.storage.read(async (db) => {
        const [row] = await db.sql<{ vat: string }>`select vat from carts where id = ${view.session.cartId}`
        return JSON.parse(row?.vat ?? '{}') as { tries: number; status: string }
      })
    for (let tries = 2; tries <= 12; tries++) {
      // Clearing the field is not a new beginning.
      if (tries === 7) assert.equal((await give(secret, '')).view.session.vat, undefined)
      await give(secret, 'FR99999999999')
    }
    assert.deepEqual([(await cart()).tries, (await cart()).status], [12, 'unavailable'])
    // A number that was tried too often is not asked for, whichever it is.
    assert.equal((await give(secret, french)).view.session.vat?.status, 'unavailable')
    const placed = await order(await buy(secret))
    assert.deepEqual([placed.vat.status, placed.totals.tax], ['unavailable', 1_330])
  })

  test('a VAT number that is entered while another one is being checked is checked afterwards', async () => {
    const secret = await open()
    const { view } = await give(secret, french)
    const key = { installationId: testServer.installationId, sessionId: view.session.id }
    const pend = () =>
      testServer.storage.write(
        (tx) => tx.sql`update carts set vat = replace(replace(vat, '"status":"valid"', '"status":"pending"'),
          '"status":"invalid"', '"status":"pending"') where id = ${view.session.cartId}`,
      )
    const asked: string[] = []
    const began = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const ask: AskVat = async (merchantId, question) => {
      asked.push(question.id.text)
      began.resolve()
      await released.promise
      return testRegister(merchantId, question)
    }
    const tools = createPayTools({
      ...{ storage: testServer.storage, rootSecret: testSecret, publicOrigin: () => 'http://localhost' },
      ...{ clock: () => new Date(testServer.clock.now), watch: silentWatch(), cartsIdleMs: 60_000 },
      ...{ boundsTries: false, providerUrls: {} },
    })
    const start = createVatChecks(tools, { live: ask, test: ask })
    await pend()
    const first = start(key)
    await began.promise
    await give(secret, 'FR00000000000')
    await pend()
    const others = [start(key), start(key)]
    released.resolve()
    await Promise.all([first, ...others])
    assert.deepEqual(asked, [french, 'FR00000000000'])
    assert.equal((await checkout.look(secret)).session.vat?.status, 'invalid')
  })

  test('an invoice without tax distinguishes goods from services', async () => {
    const secret = await open({}, { BOOK: 1, COURSE: 1 })
    const { view } = await give(secret, french)
    assert.equal(view.session.totals.taxReason, 'intra_community')
    const { lines, rates } = await invoice(await buy(secret))
    assert.deepEqual(
      lines.map(({ code, reason }: { code: string; reason: string }) => [code, reason]),
      [
        ['BOOK', 'intra_community'],
        ['COURSE', 'reverse_charge'],
        ['', 'intra_community'],
      ],
    )
    assert.deepEqual(rates.map(({ reason }: { reason: string }) => reason).toSorted(), [
      'intra_community',
      'reverse_charge',
    ])
  })

  test('a malformed VAT number is refused at its field', async () => {
    const secret = await open()
    const { problem } = await give(secret, 'FR123')
    assert.equal(problem?.code, 'invalid')
    assert.deepEqual(problem?.code === 'invalid' && problem.issues.map(({ path, code }) => [path, code]), [
      ['/vatId', 'not_a_vat_id'],
    ])
    const refused = await checkout.open(items, { customer: { vatId: 'GB123456789' } })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.error.issues[0].path, '/customer/vatId')
  })

  test('a VAT number that a draft is changed to is checked before it removes the tax', async () => {
    const wanted = [{ skuId: checkout.carts.sku('BOOK'), quantity: 2 }]
    const { draft } = await draftOf(testServer, {
      customer: { email: contact.email, name: contact.name, vatId: french },
      ...{ address: paris, items: wanted },
    })
    const secret = secretOf(draft.url)
    assert.equal((await checkout.look(secret)).session.totals.taxReason, 'intra_community')
    const change = async (vatId: string) => {
      const body = { customer: { vatId }, idempotencyKey: randomUUID() }
      return testServer.askAdmin('updateAdminDraft', { path: { draftId: draft.id }, body })
    }
    const refused = await change('FR123')
    assert.deepEqual([refused.status, refused.body.error?.issues[0].path], [400, '/customer/vatId'])
    const changed = await change('fr 00 000 000 000')
    assert.equal(changed.body.data.draft.totals.taxReason, undefined, changed.text)
    const { session, customer } = await checkout.look(secret)
    assert.deepEqual([session.vat?.status, session.totals.taxReason], ['invalid', undefined])
    assert.equal(customer.vatId, 'FR00000000000')
  })

  test('an app can send the VAT number with the session, and digital goods are taxed at the buyer’s place', async () => {
    const answer = await checkout.open(
      { COURSE: 1 },
      { customer: { ...contact, phone: undefined, vatId: 'FR40303265045' } },
    )
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.data.vat.status, 'pending')
    assert.ok(!answer.text.includes('40303265045'))
    const { id: sessionId, url } = answer.body.data
    const secret = secretOf(url)
    await checkout.look(secret)
    const { data } = (await checkout.read(sessionId)).body
    assert.deepEqual([data.vat.status, data.totals.taxReason, data.totals.total], ['valid', 'reverse_charge', 8_250])
    const nameless = await testServer.app.checkout.setDetails(secret, data.version, {
      contact: { ...contact, name: '' },
      address: null,
      shippingOptionId: null,
      vatId: french,
    })
    assert.equal(nameless?.problem?.code, 'invalid')
    const document = await invoice(await buy(secret))
    assert.deepEqual(
      [document.total, document.country, document.buyer.name, document.rates[0].reason],
      [8_250, 'FR', 'Jean Martin', 'reverse_charge'],
    )
    // No number was given in another session of the same cart.
    const first = await checkout.open({ COURSE: 1 }, { customer: { vatId: french } })
    const { cartId, id } = first.body.data
    await testServer.ask('cancelHostedCheckoutSession', {
      path: { sessionId: id },
      body: { idempotencyKey: randomUUID() },
    })
    const second = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: randomUUID(), cartId, successUrl: 'http://localhost:9/thanks' },
    })
    assert.deepEqual([second.body.data.vat, second.body.data.totals.taxReason], [undefined, undefined])
  })
})
