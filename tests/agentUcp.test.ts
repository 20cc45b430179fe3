// Whole purchases by the Universal Commerce Protocol alone.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  berlinDestination,
  buyer,
  isSignedAnswer,
  isSignedCall,
  letAgentsIn,
  paidBy,
  platformOf,
  shippingTo,
  signingPlatform,
  testProfile,
  typeOnPage,
} from '../harness/agents.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { bloom } from '../harness/shops.ts'
import { eachEngine, type Given, withoutLeases } from '../harness/storage.ts'
import { type Answer, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { assertUcp } from '../harness/ucp.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { ensureOrderEndpoint } from '../src/domain/agents/endpoints.ts'
import { createPlatformDirectory, newPlatformRow } from '../src/domain/agents/platforms.ts'
import { deleteOldPlatforms } from '../src/domain/agents/retention.ts'
import { setAgentSettings } from '../src/domain/agents/settings.ts'
import {
  type AgentCheckoutRow,
  findAgentSettingsRow,
  insertPlatformIfNew,
  listPlatforms,
  type PlatformRow,
  saveShownTotal,
} from '../src/domain/agents/store.ts'
import { refreshStaleProducts } from '../src/domain/catalog/refresh.ts'
import { setOnHand } from '../src/domain/inventory/levels.ts'
import { listEndpoints } from '../src/domain/webhooks/store.ts'
import { listTableNames } from '../src/platform/storage/catalogue.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const lineItems = (code: string, quantity = 1) => [{ item: { id: code }, quantity }]
const whole = (code = 'ROSE-12', quantity = 1) => ({
  line_items: lineItems(code, quantity),
  buyer,
  fulfillment: shippingTo(berlinDestination),
})

async function openShop(given: Given): Promise<{ testServer: TestServer; ask: ReturnType<typeof platformOf>['ask'] }> {
  const testServer = await openTestServer(given)
  await letAgentsIn(testServer)
  return { testServer, ask: platformOf(testServer).ask }
}

const change = (testServer: TestServer, id: AdminOperationId, body: object, path: Record<string, string> = {}) =>
  testServer.askAdmin(id, { path, body: { idempotencyKey: randomUUID(), ...body } })
const lastChange = async (testServer: TestServer) => (await testServer.askAdmin('listAdminChanges')).body.data[0].id

async function allRows({ storage }: TestServer): Promise<string> {
  return storage.read(async (db) => {
    const all: unknown[] = []
    for (const name of await listTableNames(db)) all.push(await db.sql`select * from ${new Fragment(name)}`)
    return JSON.stringify(all)
  })
}

const amountOf = (body: { totals: { type: string; amount: number }[] }, type: string) =>
  body.totals.find((total) => total.type === type)?.amount

eachEngine('UCP by REST', (given) => {
  test('a platform searches, opens a checkout, pays and reads its order without the checkout page', async () => {
    const { testServer, ask } = await openShop(given)
    const profile = (await testServer.fetch('/ucp/bloom/test/.well-known/ucp')).body
    assert.equal(profile.ucp.version, '2026-08-25')
    assertUcp('Profile', '2026-08-25', profile)
    const older = await testServer.fetch(new URL(profile.ucp.supported_versions['2026-04-08']).pathname)
    assertUcp('Profile', '2026-04-08', older.body)
    assert.equal(profile.ucp.payment_handlers['localhost.test_cards'][0].id, 'mock_payment_handler')

    const found = await ask('POST', '/catalog/search', { query: 'roses' })
    assert.equal(found.status, 200, found.text)
    const [roses] = found.body.products
    assert.equal(roses.title, 'Red roses')
    const variant = roses.variants.find(({ sku }: { sku: string }) => sku === 'ROSE-12')
    assert.deepEqual(variant.price, { amount: 3500, currency: 'EUR' })

    const context = { language: 'de-AT' }
    const created = await ask('POST', '/checkout-sessions', { line_items: lineItems(variant.id, 2), context })
    assert.equal(created.status, 201, created.text)
    assert.equal(created.body.status, 'incomplete')
    const locales = () => testServer.storage.read((db) => db.sql`select locale from checkout_sessions`)
    assert.deepEqual(await locales(), [{ locale: 'de-AT' }])
    assert.deepEqual(
      created.body.messages
        .filter(({ type }: { type: string }) => type === 'error')
        .map(({ code, path }: { code: string; path: string }) => [code, path]),
      [
        ['field_required', '$.buyer.email'],
        ['field_required', '$.fulfillment.methods[0].destinations'],
      ],
    )
    assert.equal(amountOf(created.body, 'total'), 7000)
    // In the buyer's language.
    const [asksEmail] = created.body.messages
    assert.deepEqual([asksEmail.content_type, asksEmail.content], ['plain', 'Bitte ausfüllen: E-Mail-Adresse.'])
    const last = created.body.totals.at(-1)
    assert.deepEqual([last.type, last.display_text], ['total', 'Gesamtbetrag'])
    const accepting = { 'accept-language': 'nl' }
    const none = await ask('GET', '/checkout-sessions/none', undefined, accepting)
    assert.equal(none.body.messages[0].content, 'Dit bestaat hier niet of niet meer.')

    const { id } = created.body
    const address = `/checkout-sessions/${id}`
    await ask('PUT', address, { ...whole(variant.id, 2), context: { language: 'fr-ca' } })
    const updated = await ask('PUT', address, whole(variant.id, 2))
    assert.equal(updated.body.status, 'ready_for_complete', updated.text)
    assert.deepEqual(await locales(), [{ locale: 'fr-CA' }])
    assert.deepEqual([amountOf(updated.body, 'fulfillment'), amountOf(updated.body, 'total')], [490, 7490])
    // A look that began before the update ends after it: what the platform was shown last stays.
    const [shown] = await testServer.storage.read(
      (db) => db.sql<AgentCheckoutRow>`
        select installation_id as "installationId", cart_id as "cartId", asked_sealed as "askedSealed" from agent_checkouts`,
    )
    assert.ok(shown)
    await testServer.storage.write((tx) => saveShownTotal(tx, { ...shown, shownTotal: 7000, askedSealed: null }, 1))
    assert.deepEqual(
      await testServer.storage.read(
        (db) => db.sql`select shown_total as "total", asked_sealed as "asked" from agent_checkouts`,
      ),
      [{ total: 7490, asked: shown.askedSealed }],
    )
    const [method] = updated.body.fulfillment.methods
    assert.equal(method.destinations[0].street_address, 'Ackerstraße 1')
    assert.equal(method.groups[0].selected_option_id, 'standard')

    const completed = await ask('POST', `${address}/complete`, paidBy('success_token'))
    assert.equal(completed.body.status, 'completed', completed.text)
    assert.deepEqual((await ask('GET', address)).body, completed.body)
    const { order } = completed.body
    assert.match(order.permalink_url, new RegExp(`^${testServer.origin}/o/`))

    const placed = (await ask('GET', `/orders/${order.id}`)).body
    assert.deepEqual(
      [placed.label, amountOf(placed, 'total'), placed.line_items[0].status],
      [order.label, 7490, 'processing'],
    )
    const [admin] = (await testServer.askAdmin('listAdminOrders')).body.data
    assert.deepEqual([admin.number, admin.paymentStatus, admin.total], [order.label, 'paid', 7490])
    const { host } = new URL(testProfile)
    assert.deepEqual([admin.agent.host, admin.agent.protocol], [host, 'ucp'])
    const { page, path } = await dashboardUserOf(testServer)
    await page.open(path('orders'))
    assert.ok(page.html.includes(`title="Bought through ${host}"`), page.html)

    const byAgents = () => testServer.askAdmin('listAdminOrders', { query: '?channel=agents' })
    assert.equal((await byAgents()).body.data[0]?.number, order.label)
    assert.equal((await testServer.askAdmin('getAdminHome')).body.data.agentOrders, 1)
    // An order of another channel is not one of them.
    await testServer.storage.write((tx) => tx.sql`update orders set agent_platform_id = null`)
    assert.deepEqual((await byAgents()).body.data, [])
    assert.equal((await testServer.askAdmin('getAdminHome')).body.data.agentOrders, 0)
    const { text } = await testServer.fetch('/metrics')
    assert.match(text, /^cartwright_agent_platforms\{status="seen"\} 1$/m)
    assert.match(
      text,
      /cartwright_agent_calls_total\{protocol="ucp",tool="ucpCompleteCheckout",outcome="answered"\} 1\n/,
    )
  })

  test('a search in several categories, given by slug or name, lists their products category by category, and no product twice', async () => {
    const { ask } = await openShop(given)
    const search = async (categories: readonly string[], pagination: object = {}) => {
      const answer = await ask('POST', '/catalog/search', { filters: { categories }, pagination })
      assert.equal(answer.status, 200, answer.text)
      const titles = answer.body.products.map(({ title }: { title: string }) => title)
      return { titles, pagination: answer.body.pagination }
    }
    assert.deepEqual((await search(['vases'])).titles, ['Glass vase'])
    assert.deepEqual((await search(['Vases', 'roses'])).titles, ['Glass vase', 'Red roses'])
    // Roses are bouquets too.
    assert.deepEqual((await search(['roses', 'none', 'bouquets'])).titles, ['Red roses', 'Peonies'])
    assert.deepEqual((await search(['bouquets', 'roses'])).titles, ['Red roses', 'Peonies'])
    const paged: string[] = []
    for (let cursor: string | undefined, page = 0; page < 9; page += 1) {
      const { titles, pagination } = await search(['roses', 'bouquets', 'vases'], {
        limit: 1,
        ...(cursor && { cursor }),
      })
      paged.push(...titles)
      cursor = pagination.cursor
      if (!pagination.has_next_page) break
    }
    assert.deepEqual(paged, ['Red roses', 'Peonies', 'Glass vase'])
    const wrong = await ask('POST', '/catalog/search', {
      filters: { categories: ['roses', 'vases'] },
      pagination: { cursor: '7.x' },
    })
    assert.equal(wrong.status, 400, wrong.text)
  })

  test('200: a repeated search never shows outdated stock, prices or URLs; 404 once the shop is closed to agents, and 403 for a blocked platform', async () => {
    const testServer = await openTestServer(given, { showsShops: true })
    await letAgentsIn(testServer)
    const { ask } = platformOf(testServer)
    const { storage, seller, clock } = testServer
    const search = () => ask('POST', '/catalog/search', { query: 'roses' })
    const roses = async () => (await search()).body.products[0]
    const variant = async (code: string) => (await roses()).variants.find(({ sku }: { sku: string }) => sku === code)
    const first = await search()
    assert.equal((await search()).text, first.text)
    const { id: skuId, price, availability } = await variant('ROSE-24')
    assert.deepEqual([price.amount, availability.available, (await roses()).url], [5900, true, undefined])

    // A list does not show that one variant of several is sold out.
    await storage.write((tx) => setOnHand(tx, seller, [{ skuId, onHand: 0 }], { now: clock.now, cause: null }))
    await refreshStaleProducts(storage, clock.now, 10)
    assert.equal((await variant('ROSE-24')).availability.available, false)
    await change(testServer, 'updateAdminSkus', { rows: [{ skuId, price: 4200 }] })
    assert.equal((await variant('ROSE-24')).price.amount, 4200)

    const { version } = (await testServer.askAdmin('getAdminSite')).body.data
    const opened = await change(testServer, 'openAdminSite', { expectedVersion: version })
    assert.equal(opened.status, 200, opened.text)
    const urlOf = async () => new URL((await roses()).url).pathname
    assert.equal(await urlOf(), '/test/shops/bloom/products/red-roses')
    const setRival = (closedAt: number | null) =>
      storage.write((tx) => tx.sql`update merchants set closed_at = ${closedAt} where slug = 'rival'`)
    await setRival(clock.now)
    assert.equal(await urlOf(), '/test/shop/products/red-roses')
    await setRival(null)
    await change(testServer, 'closeAdminSite', { expectedVersion: version + 1 })
    assert.equal((await roses()).url, undefined)

    await letAgentsIn(testServer, 'off')
    assert.equal((await search()).status, 404)
    await letAgentsIn(testServer)
    const { installationId = '' } = (await storage.read((db) => findAgentSettingsRow(db, seller))) ?? {}
    const [platform] = await storage.read((db) => listPlatforms(db, installationId, { after: null, limit: 1 }))
    const path = { platformId: platform?.id ?? '' }
    await change(testServer, 'updateAdminAgentPlatform', { expectedVersion: 1, status: 'blocked' }, path)
    assert.equal((await search()).status, 403)
  })

  test('the pages at /agents contain the MCP address of a shop only while the shop is open to agents', async () => {
    const { testServer } = await openShop(given)
    for (const path of ['/agents', '/agents/bloom']) {
      const page = await testServer.fetch(path)
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.ok(page.text.includes(`${testServer.origin}/ucp/bloom/test/mcp`), page.text)
      assert.match(page.text, /Test mode\.<\/strong> Nothing that is bought here/)
    }
    assert.match((await testServer.fetch('/llms.txt')).text, /\/agents\)/)
    await letAgentsIn(testServer, 'off')
    assert.match((await testServer.fetch('/agents')).text, /No shop is open to agents/)
    for (const path of ['/agents/bloom', '/agents/none', '/agents/%2e', '/llms.txt'])
      assert.equal((await testServer.fetch(path)).status, 404, path)
  })

  test('the profile of the server is that of the configured shop and mode, or else of the only shop that is open to agents, in live mode if possible', async () => {
    const endpointAt = async (agentsShop: string | null, isLiveToo: boolean) => {
      const testServer = await openTestServer(given, { agentsShop })
      await letAgentsIn(testServer)
      const { seller, storage, clock } = testServer
      const live = { level: 'browse' } as const
      if (isLiveToo) await storage.write((tx) => setAgentSettings(tx, { ...seller, mode: 'live' }, live, clock.now))
      const { status, body } = await testServer.fetch('/.well-known/ucp')
      return status === 200 ? body.ucp.services['dev.ucp.shopping'][0].endpoint.replace(testServer.origin, '') : status
    }
    assert.equal(await endpointAt(null, false), '/ucp/bloom/test')
    assert.equal(await endpointAt(null, true), '/ucp/bloom')
    assert.equal(await endpointAt('bloom/test', true), '/ucp/bloom/test')
    assert.equal(await endpointAt('bloom', false), 404)
  })

  test('a platform whose profile has version 2026-04-08 buys in that version, without the extensions that its profile does not list', async () => {
    const { testServer } = await openShop(given)
    const version = '2026-04-08'
    const names = ['checkout', 'fulfillment', 'order']
    const capabilities = Object.fromEntries(names.map((name) => [`dev.ucp.shopping.${name}`, [{ version }]]))
    const host = createServer((_, response) => response.end(JSON.stringify({ ucp: { version, capabilities } })))
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    given.later(async () => void host.close())
    const { ask } = platformOf(testServer, `http://127.0.0.1:${(host.address() as AddressInfo).port}/profile`)
    const created = await ask('POST', '/checkout-sessions', { ...whole(), discounts: { codes: ['NOPE'] } })
    assert.equal(created.body.ucp.version, version, created.text)
    // An extension that the platform does not list is neither read nor sent.
    assert.deepEqual(Object.keys(created.body.ucp.capabilities), [
      'dev.ucp.shopping.checkout',
      'dev.ucp.shopping.fulfillment',
    ])
    assert.equal(created.body.discounts, undefined)
    const paid = await ask('POST', `/checkout-sessions/${created.body.id}/complete`, paidBy('success_token'))
    assert.equal(paid.body.status, 'completed', paid.text)
  })

  test('after a decline the checkout can be paid with another idempotency key, and repeating a key does not charge again', async () => {
    const { testServer, ask } = await openShop(given)
    const { id } = (await ask('POST', '/checkout-sessions', whole())).body
    const key = (name: string) => ({ 'idempotency-key': `${name}-0123456789012345678901` })
    const path = `/checkout-sessions/${id}/complete`
    const declined = await ask('POST', path, paidBy('fail_token'), key('a'))
    assert.equal(declined.body.status, 'ready_for_complete')
    assert.deepEqual(declined.body.messages.at(-1).code, 'payment_failed')
    const again = await ask('POST', path, paidBy('fail_token'), key('a'))
    assert.deepEqual([again.headers.get('idempotency-replayed'), again.body], ['true', declined.body])
    const other = await ask('POST', path, paidBy('success_token'), key('a'))
    assert.deepEqual([other.status, other.body.code], [409, 'idempotency_conflict'])

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask('POST', path, paidBy('success_token'), key('b'))),
    )
    for (const { status } of answers) assert.equal(status, 200)
    const last = await ask('POST', path, paidBy('success_token'), key('b'))
    assert.equal(last.body.status, 'completed')
    const [charges] = await testServer.storage.read(
      (db) => db.sql<{ n: number }>`select count(*) as "n" from payments where status = 'succeeded'`,
    )
    assert.equal(Number(charges?.n), 1)
    const late = await ask('POST', path, paidBy('success_token'), key('c'))
    assert.deepEqual([late.status, late.body.code], [409, 'checkout_not_open'])
  })

  test('unavailable items are left out and quantities reduced, both are reported, and nothing is held', async () => {
    const testServer = await openTestServer(given, { showsShops: true })
    await letAgentsIn(testServer)
    const { ask } = platformOf(testServer)
    const wanted = [...lineItems('ROSE-24', 9), ...lineItems('VASE-1'), ...lineItems('NO-SUCH')]
    const { body, status } = await ask('POST', '/checkout-sessions', { ...whole(), line_items: wanted })
    assert.equal(status, 201)
    assert.deepEqual(
      body.line_items.map(({ quantity }: { quantity: number }) => quantity),
      [3],
    )
    const codes = body.messages.map(({ code }: { code: string }) => code)
    for (const code of ['quantity_adjusted', 'out_of_stock', 'not_found']) assert.ok(codes.includes(code), codes.join())
    assert.equal(body.status, 'incomplete')
    const holds = await testServer.storage.read((db) => db.sql`select owner_id from holds`)
    assert.deepEqual(holds, [])
    const none = await ask('POST', '/checkout-sessions', { line_items: lineItems('VASE-1') })
    assert.deepEqual([none.status, none.body.ucp.status, none.body.messages[0].code], [200, 'error', 'out_of_stock'])
    // The shop itself is where the buyer can go on, once it is open.
    assert.equal(none.body.continue_url, undefined)
    const { version } = (await testServer.askAdmin('getAdminSite')).body.data
    const opened = await change(testServer, 'openAdminSite', { expectedVersion: version })
    assert.equal(opened.status, 200, opened.text)
    const open = await ask('POST', '/checkout-sessions', { line_items: lineItems('VASE-1') })
    assert.match(open.body.continue_url ?? open.text, /^http.*\/shops\/bloom$/)
  })

  test('quantity units, context and other members of a request are applied, or refused with the error of the protocol', async () => {
    const { testServer, ask } = await openShop(given)
    const errorsIn = ({ body }: Answer) =>
      body.messages
        .filter(({ type }: { type: string }) => type !== 'info')
        .map(({ code, path }: { code: string; path?: string }) => [code, path])
    const sold = (code: string, quantity: number, unit?: object) => ({
      item: { id: code, ...(unit && { quantity_unit: unit }) },
      quantity,
    })
    const pieces = { unit: 'C62', scale: 0, display_text: 'pcs' }
    const kilos = { unit: 'KGM', scale: 2, display_text: 'kg' }

    // By the kilogram: nothing is opened, or the line stays as it was.
    const none = await ask('POST', '/checkout-sessions', { ...whole(), line_items: [sold('ROSE-12', 150, kilos)] })
    assert.deepEqual([none.body.ucp.status, none.body.messages[0].code], ['error', 'quantity_unit_mismatch'])
    const empty = await ask('POST', '/carts', { line_items: [sold('ROSE-12', 150, kilos)] })
    assert.deepEqual([empty.body.ucp.status, empty.body.messages[0].code], ['error', 'quantity_unit_mismatch'])
    const claims = { eligibility: ['com.example.gold'] }
    const created = await ask('POST', '/checkout-sessions', {
      ...whole(),
      line_items: [sold('ROSE-12', 2, pieces), sold('ROSE-24', 100, kilos)],
      context: claims,
    })
    assert.deepEqual(errorsIn(created), [
      ['quantity_unit_mismatch', undefined],
      ['eligibility_not_accepted', undefined],
    ])
    assert.equal(created.body.status, 'incomplete')
    const path = `/checkout-sessions/${created.body.id}`
    const kept = await ask('PUT', path, { ...whole(), line_items: [sold('ROSE-12', 150, kilos)] })
    assert.deepEqual([kept.body.line_items[0].quantity, errorsIn(kept)[0][0]], [2, 'quantity_unit_mismatch'])
    const cart = await ask('POST', '/carts', { line_items: lineItems('ROSE-12', 3) })
    const keptCart = await ask('PUT', `/carts/${cart.body.id}`, { line_items: [sold('ROSE-12', 1, kilos)] })
    assert.deepEqual(
      [keptCart.body.line_items[0].quantity, errorsIn(keptCart)],
      [3, [['quantity_unit_mismatch', undefined]]],
    )
    // As the protocol's own example sends it.
    const ofCart = await ask('POST', '/checkout-sessions', { cart_id: cart.body.id, line_items: [] })
    assert.deepEqual([ofCart.status, ofCart.body.line_items[0]?.quantity], [201, 3], ofCart.text)

    // A destination is named by the id that it was given. Another one changes nothing.
    const ready = await ask('PUT', path, whole())
    const [{ selected_destination_id: selected }] = ready.body.fulfillment.methods
    const naming = (id: string, quantity = 1) => ({
      ...whole('ROSE-12', quantity),
      fulfillment: { methods: [{ type: 'shipping', selected_destination_id: id }] },
    })
    const named = await ask('PUT', path, naming(selected, 2))
    const [method] = named.body.fulfillment.methods
    assert.deepEqual(
      [named.body.status, method.selected_destination_id, method.destinations[0].street_address],
      ['ready_for_complete', selected, 'Ackerstraße 1'],
    )
    const other = await ask('PUT', path, naming('dst_00000000000000000000', 3))
    assert.deepEqual(errorsIn(other), [['field_invalid', '$.fulfillment.methods[0].selected_destination_id']])
    assert.deepEqual(
      [other.body.line_items[0].quantity, other.body.fulfillment.methods[0].selected_destination_id],
      [2, selected],
    )
    const sentBeside = {
      ...shippingTo(berlinDestination).methods[0],
      selected_destination_id: 'dst_00000000000000000000',
    }
    const opened = await ask('POST', '/checkout-sessions', { ...whole(), fulfillment: { methods: [sentBeside] } })
    assert.equal(opened.body.fulfillment.methods[0].destinations, undefined)
    assert.ok(errorsIn(opened).some(([code]: [string]) => code === 'field_invalid'))

    // One payment instrument, whatever is marked.
    const [instrument] = paidBy('success_token').payment.instruments
    const two = await ask('POST', `${path}/complete`, {
      payment: { instruments: [instrument, { ...instrument, id: 'two', selected: false }] },
    })
    assert.deepEqual(errorsIn(two).at(-1), ['payment_failed', '$.payment.instruments'])
    const charges = await testServer.storage.read((db) => db.sql`select id from payments`)
    assert.deepEqual(charges, [])
  })

  test('an order shows its original quantities, and what was removed and returned', async () => {
    const { testServer, ask } = await openShop(given)
    const opened = await ask('POST', '/checkout-sessions', {
      ...whole(),
      line_items: [...lineItems('ROSE-12', 2), ...lineItems('ROSE-24')],
    })
    const paid = await ask('POST', `/checkout-sessions/${opened.body.id}/complete`, paidBy('success_token'))
    const [{ id: orderId, version }] = (await testServer.askAdmin('listAdminOrders')).body.data
    const [twelve, large] = opened.body.line_items.map(({ id }: { id: string }) => id)
    const edited = await change(
      testServer,
      'editAdminOrder',
      {
        expectedVersion: version,
        items: [
          { skuId: twelve, quantity: 1 },
          { skuId: large, quantity: 0 },
        ],
      },
      { orderId },
    )
    assert.equal(edited.status, 200, edited.text)
    const sent = await change(testServer, 'fulfilAdminOrder', { items: [{ skuId: twelve, quantity: 1 }] }, { orderId })
    assert.equal(sent.status, 200, sent.text)
    const shown = async () => (await ask('GET', `/orders/${paid.body.order.id}`)).body
    const lines = ({ line_items: items }: { line_items: { id: string; quantity: object; status: string }[] }) =>
      Object.fromEntries(items.map(({ id, quantity, status }) => [id, [quantity, status]]))
    const now = await shown()
    assert.deepEqual(lines(now), {
      [twelve]: [{ original: 2, total: 1, fulfilled: 1 }, 'fulfilled'],
      [large]: [{ original: 1, total: 0, fulfilled: 0 }, 'removed'],
    })
    const [edit] = now.adjustments
    assert.deepEqual(
      [
        edit.type,
        edit.line_items.toSorted((one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)),
      ],
      [
        'edit',
        [
          { id: twelve, quantity: -1 },
          { id: large, quantity: -1 },
        ].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      ],
    )
    const items = [{ skuId: twelve, quantity: 1 }]
    const back = await change(testServer, 'createAdminReturn', { items, reason: 'late' }, { orderId })
    assert.equal((await shown()).line_items[0].quantity.total, 1, 'what is announced has not come back')
    const returnId = back.body.data.id
    await change(testServer, 'receiveAdminReturn', {}, { returnId })
    const after = await shown()
    assert.deepEqual(lines(after)[twelve], [{ original: 2, total: 0, fulfilled: 1 }, 'removed'])
    const { occurred_at: _, ...returned } = after.adjustments[1]
    assert.deepEqual(returned, {
      ...{ id: returnId, type: 'return', status: 'completed' },
      line_items: [{ id: twelve, quantity: -1 }],
    })
  })

  test('a cart is filled, replaced, discounted and bought; a cancelled cart is not found', async () => {
    const { testServer, ask } = await openShop(given)
    await testServer.apply({
      ...bloom,
      promotions: [{ code: 'SPRING', name: 'Spring', type: 'percentage', percentage: 1000 }],
    })
    const created = await ask('POST', '/carts', { line_items: lineItems('ROSE-24', 2), buyer })
    assert.equal(created.status, 201, created.text)
    const path = `/carts/${created.body.id}`
    const replaced = await ask('PUT', path, {
      line_items: lineItems('ROSE-12', 2),
      buyer,
      discounts: { codes: ['spring', 'NOPE'] },
    })
    assert.deepEqual([amountOf(replaced.body, 'items_discount'), amountOf(replaced.body, 'total')], [-700, 6300])
    assert.deepEqual(replaced.body.discounts.applied[0].title, 'Spring')
    assert.deepEqual(
      replaced.body.messages.map(({ code, path: at }: { code: string; path: string }) => [code, at]),
      [['discount_code_invalid', '$.discounts.codes[1]']],
    )
    const body = {
      cart_id: created.body.id,
      line_items: lineItems('PEONY'),
      fulfillment: shippingTo(berlinDestination),
    }
    const checkout = await ask('POST', '/checkout-sessions', body)
    assert.deepEqual(
      [checkout.body.status, amountOf(checkout.body, 'total')],
      ['ready_for_complete', 6790],
      checkout.text,
    )
    const again = await ask('POST', '/checkout-sessions', body)
    assert.equal(again.body.id, checkout.body.id)
    const paid = await ask('POST', `/checkout-sessions/${checkout.body.id}/complete`, paidBy('success_token'))
    assert.equal(paid.body.status, 'completed', paid.text)

    const other = (await ask('POST', '/carts', { line_items: lineItems('ROSE-12') })).body
    assert.equal((await ask('POST', `/carts/${other.id}/cancel`)).body.id, other.id)
    assert.equal((await ask('GET', `/carts/${other.id}`)).body.messages[0].code, 'not_found')
  })

  test('429 after 30 carts were opened from one address', async () => {
    const testServer = await openTestServer(given, { rateLimit: { perSecond: 50, burst: 100 } })
    await letAgentsIn(testServer)
    const { ask } = platformOf(testServer)
    const statuses: number[] = []
    for (let count = 0; count < 31; count += 1)
      statuses.push((await ask('POST', '/carts', { line_items: lineItems('ROSE-12') })).status)
    assert.deepEqual([statuses[0], statuses[29], statuses[30]], [201, 201, 429])
  })

  test('when two platforms race for the last units, one buys and the other is not charged', async () => {
    const { testServer } = await openShop(given)
    const platforms = ['one', 'two'].map((name) => platformOf(testServer, `http://127.0.0.1:9/${name}.json`))
    const ready = await Promise.all(
      platforms.map(async ({ ask }) => ({
        ask,
        id: (await ask('POST', '/checkout-sessions', whole('ROSE-24', 3))).body.id,
      })),
    )
    const answers = await Promise.all(
      ready.map(({ ask, id }) => ask('POST', `/checkout-sessions/${id}/complete`, paidBy('success_token'))),
    )
    const statuses = answers.map(({ body }) => body.status).sort()
    assert.deepEqual(statuses, ['completed', 'incomplete'], answers.map(({ text }) => text).join('\n'))
    const loser = answers.find(({ body }) => body.status === 'incomplete')
    assert.ok(loser?.body.messages.some(({ code }: { code: string }) => code === 'out_of_stock'))
    const paid = await testServer.storage.read((db) => db.sql`select id from payments where status = 'succeeded'`)
    assert.equal(paid.length, 1)
  })

  test('after a challenge is passed on the checkout page, the platform reads a completed checkout', async () => {
    const { testServer, ask } = await openShop(given)
    const { id, continue_url: url } = (await ask('POST', '/checkout-sessions', whole())).body
    const path = `/checkout-sessions/${id}`
    const challenged = await ask('POST', `${path}/complete`, paidBy('challenge_token'))
    assert.deepEqual(
      [challenged.body.status, challenged.body.messages[0].code],
      ['requires_escalation', 'requires_3ds'],
    )
    const busy = await ask('PUT', path, whole('ROSE-12', 3))
    assert.deepEqual(
      [busy.status, busy.body.messages.at(-1).code, busy.body.line_items[0].quantity],
      [200, 'payment_in_progress', 1],
    )
    const secret = url.split('/').at(-1)
    const view = await testServer.app.checkout.look(secret)
    await testServer.app.checkout.answerChallenge(secret, view?.challenge?.paymentId ?? '', 'accept')
    assert.equal((await ask('GET', path)).body.status, 'completed')
  })

  test('what the shopper types on the checkout page is not sent to the platform and is neither stored nor logged in clear text', async () => {
    const { testServer } = await openShop(withoutLeases(given))
    const { ask, calls } = await signingPlatform(given, testServer)
    const { id, continue_url: url } = (await ask('POST', '/checkout-sessions', whole())).body
    await typeOnPage(testServer, url)
    const seen = await ask('GET', `/checkout-sessions/${id}`)
    assert.doesNotMatch(seen.text, /planted/i)
    assert.equal(seen.body.buyer, undefined)
    assert.equal(seen.body.fulfillment.methods[0].destinations[0].address_locality, 'Hamburg')
    const paid = await ask('POST', `/checkout-sessions/${id}/complete`, paidBy('success_token'))
    assert.equal(paid.body.status, 'completed', paid.text)
    const order = await ask('GET', `/orders/${paid.body.order.id}`)
    await testServer.app.dispatcher.dispatchDue()
    assert.ok(calls.length > 0)
    const told = calls.map(({ body, headers, path }) => JSON.stringify([body, headers, path])).join()
    const log = JSON.stringify(testServer.lines())
    const rows = await allRows(testServer)
    assert.ok(rows.includes(id.split('.')[0]) && log.includes('ucpCompleteCheckout'))
    assert.doesNotMatch(paid.text + order.text + told + log + rows, /planted/i)
    const file = given.engine === 'sqlite' ? testServer.url.slice('sqlite:'.length) : undefined
    for (const part of file === undefined ? [] : ['', '-wal'])
      assert.doesNotMatch((await readFile(file + part)).toString('latin1'), /planted/i)
  })

  test('200: the contact of a checkout is the one sent last, and a VAT number from the checkout page is not overwritten', async () => {
    const { testServer, ask } = await openShop(given)
    const { checkout } = testServer.app
    const { id, continue_url: url } = (await ask('POST', '/checkout-sessions', whole())).body
    const secret = url.split('/').at(-1)
    const customer = async () => (await checkout.look(secret))?.customer
    const put = async (email: string) => {
      const sent = { ...buyer, email }
      const updated = await ask('PUT', `/checkout-sessions/${id}`, { ...whole(), buyer: sent })
      assert.deepEqual([updated.status, updated.body.buyer], [200, sent], updated.text)
      assert.equal((await customer())?.email, email)
    }
    for (const email of [buyer.email, buyer.email, 'two@example.com', 'two@example.com']) await put(email)
    await typeOnPage(testServer, url)
    assert.equal((await customer())?.email, 'planted@example.com')
    assert.equal((await ask('GET', `/checkout-sessions/${id}`)).body.buyer, undefined)
    for (const email of ['two@example.com', 'two@example.com']) await put(email)

    const view = await checkout.look(secret)
    const details = {
      contact: { email: 'two@example.com', name: 'Ada Lovelace', phone: '' },
      address: { name: 'Ada Lovelace', line1: 'Ackerstraße 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
      shippingOptionId: null,
      vatId: 'FR40303265045',
    }
    assert.equal((await checkout.setDetails(secret, view?.session.version ?? 0, details))?.problem, null)
    for (const email of ['two@example.com', 'two@example.com', 'three@example.com', 'three@example.com']) {
      await put(email)
      assert.equal((await customer())?.vatId, 'FR40303265045')
    }
  })

  test('a platform that signs its requests can pay once it is approved, reads its orders, and is refused once it is blocked', async () => {
    const testServer = await openTestServer(given)
    await change(testServer, 'updateAdminAgents', { expectedVersion: 0, level: 'buy' })
    const platform = await signingPlatform(given, testServer)
    const { ask, profileUrl } = platform
    const created = await ask('POST', '/checkout-sessions', whole())
    assert.equal(created.status, 201, created.text)
    const codeOf = ({ body }: Answer) => [body.status, body.messages.at(-1)?.code]
    assert.deepEqual(codeOf(created), ['requires_escalation', 'payment_on_page'])

    const [listed] = (await testServer.askAdmin('listAdminAgentPlatforms')).body.data
    assert.deepEqual([listed.profileUrl, listed.status], [profileUrl, 'seen'])
    const path = { platformId: listed.id }
    const setStatus = async (status: string) => {
      const { version } = (await testServer.askAdmin('listAdminAgentPlatforms')).body.data[0]
      const body = { expectedVersion: version, status }
      return change(testServer, 'updateAdminAgentPlatform', body, path)
    }
    await setStatus('approved')
    const address = `/checkout-sessions/${created.body.id}`
    const unsigned = platformOf(testServer, profileUrl)
    assert.equal((await ask('GET', address)).body.status, 'ready_for_complete')
    assert.equal((await unsigned.ask('GET', address)).body.status, 'requires_escalation')
    const forged = await ask('POST', `${address}/complete`, paidBy('success_token'), {
      'idempotency-key': 'x'.repeat(22),
    })
    assert.deepEqual([forged.status, forged.body.code], [401, 'signature_invalid'])

    const paid = await ask('POST', `${address}/complete`, paidBy('success_token'))
    assert.equal(paid.body.status, 'completed', paid.text)
    const { keys } = (await testServer.fetch('/ucp/bloom/test/.well-known/ucp')).body
    assert.equal(await isSignedAnswer(paid, keys), true)
    assert.equal(await isSignedAnswer({ ...paid, text: `${paid.text} ` }, keys), false)
    const order = `/orders/${paid.body.order.id}`
    assert.equal((await ask('GET', order)).body.label, paid.body.order.label)
    assert.deepEqual((await unsigned.ask('GET', order)).body.messages[0].code, 'unauthorized')

    await testServer.app.dispatcher.dispatchDue()
    const sent = platform.calls.map(({ body }) => JSON.parse(body))
    assert.deepEqual(
      sent.map(({ id, label }) => [id, label]),
      sent.map(() => [paid.body.order.id, paid.body.order.label]),
    )
    assert.deepEqual([sent.length, platform.calls[0]?.path], [2, '/orders?from=shop'])
    for (const call of platform.calls) assert.equal(await isSignedCall(call, keys), true)
    const [bought] = (await testServer.askAdmin('listAdminOrders')).body.data
    const { agent } = (await testServer.askAdmin('getAdminOrder', { path: { orderId: bought.id } })).body.data
    assert.deepEqual(agent, {
      platformId: listed.id,
      host: new URL(profileUrl).host,
      protocol: 'ucp',
      version: '2026-08-25',
      proof: 'signature',
    })
    const [seen] = (await testServer.askAdmin('listAdminAgentPlatforms')).body.data
    assert.equal(seen.webhook.status, 'enabled')
    assert.deepEqual((await testServer.askAdmin('listAdminWebhookEndpoints')).body.data, [])

    await change(testServer, 'rotateAdminAgentSigningKey', {})
    const rotated = (await testServer.fetch('/ucp/bloom/test/.well-known/ucp')).body.keys
    assert.deepEqual([rotated.length, rotated[1].kid], [2, keys[0].kid])

    const blocked = await setStatus('blocked')
    const refused = await ask('GET', address)
    assert.deepEqual([refused.status, refused.body.code], [403, 'profile_not_trusted'])
    await change(testServer, 'undoAdminChange', {}, { changeId: await lastChange(testServer) })
    assert.equal((await ask('GET', address)).status, 200, blocked.text)
  })

  test('unknown platforms can use up neither the limit of platforms of a shop nor its limit of webhook endpoints', async () => {
    const { testServer } = await openShop(given)
    const { storage, clock, seller } = testServer
    const tools = {
      storage,
      rootSecret: testSecret,
      clock: () => new Date(clock.now),
      publicOrigin: () => testServer.origin,
    }
    const settings = await storage.read((db) => findAgentSettingsRow(db, seller))
    assert.ok(settings)
    const { installationId } = settings
    const key = { installationId, merchantId: seller.merchantId }
    const row = (at: number) => newPlatformRow(key, `https://p${at}.example/profile`, clock.now + at)
    const approved = { ...row(-1), status: 'approved' as const }
    await storage.write(async (tx) => {
      for (const one of [approved, ...Array.from({ length: 1_002 }, (_, at) => row(at))])
        await insertPlatformIfNew(tx, one)
    })
    const named = {
      slug: '',
      name: '',
      currency: 'EUR',
      hasAccounts: 0,
      signingKid: null,
      links: '{}',
    }
    const shop = { ...key, ...seller, ...named, level: 'buy', who: 'anyone' } as const
    const listen = (platform: PlatformRow) =>
      ensureOrderEndpoint(
        tools,
        { allowPrivate: false },
        { mode: 'test', platform, url: `${platform.profileUrl}/hook` },
        clock.now,
      )
    const platforms = createPlatformDirectory(tools, () => undefined)
    const newest = await platforms.see({ ...shop, reviewFrom: null, orderWebhooks: 1 }, 'https://new.example/profile')
    const living = await storage.read((db) => listPlatforms(db, installationId, { after: null, limit: 2_000 }))
    assert.equal(living.length, 1_001)
    assert.ok(living.some(({ id }) => id === newest.id) && living.some(({ id }) => id === approved.id))
    const strangers = living.filter(({ status }) => status === 'seen').slice(0, 41)
    for (const platform of strangers) await listen(platform)
    const counted = async () => (await storage.read((db) => listEndpoints(db, installationId))).length
    assert.equal(await counted(), 40)
    await listen(approved)
    assert.equal(await counted(), 41)
    await deleteOldPlatforms(storage, clock.now + 91 * 24 * 3_600_000)
    await deleteOldPlatforms(storage, clock.now + 91 * 24 * 3_600_000)
    await deleteOldPlatforms(storage, clock.now + 91 * 24 * 3_600_000)
    assert.equal(await counted(), 1)
  })

  test('a key that was created for a platform authenticates that platform and no other', async () => {
    const testServer = await openTestServer(given)
    await letAgentsIn(testServer)
    await change(testServer, 'updateAdminAgents', { expectedVersion: 1, who: 'signed' })
    const { profileUrl, setKeys } = await signingPlatform(given, testServer)
    setKeys([])
    const entered = await change(testServer, 'createAdminAgentPlatform', { profileUrl, status: 'seen' })
    const path = { platformId: entered.body.data.id }
    const made = await change(testServer, 'createAdminAgentKey', {}, path)
    const key = { 'x-api-key': made.body.data.secret }
    const { ask } = platformOf(testServer, profileUrl)
    assert.equal((await ask('POST', '/checkout-sessions', whole())).body.status, 'requires_escalation')
    const created = await ask('POST', '/checkout-sessions', whole(), key)
    assert.equal(created.body.status, 'ready_for_complete', created.text)
    const other = await platformOf(testServer, 'http://127.0.0.1:9/other.json').ask('POST', '/carts', whole(), key)
    assert.deepEqual([other.status, other.body.code], [403, 'profile_not_trusted'])
    const merchants = await ask('POST', '/carts', whole(), { authorization: `Bearer ${testServer.keys.admin}` })
    assert.deepEqual([merchants.status, merchants.body.code], [403, 'profile_not_trusted'])
    const rivals = await ask('POST', '/carts', whole(), { authorization: `Bearer ${testServer.keys.rivalAdmin}` })
    assert.deepEqual([rivals.status, rivals.body.code], [403, 'profile_not_trusted'])
    // Test and live are two worlds.
    const { seller, storage, clock } = testServer
    const live = { level: 'buy', who: 'signed' } as const
    await storage.write((tx) => setAgentSettings(tx, { ...seller, mode: 'live' }, live, clock.now))
    const inLive = await platformOf(testServer, profileUrl, 'bloom').ask('POST', '/carts', whole(), key)
    assert.deepEqual([inLive.status, inLive.body.code], [403, 'profile_not_trusted'], inLive.text)
    const wrong = await ask('POST', '/carts', whole(), { 'x-api-key': 'cwk_test_wrong' })
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'unauthorized'])
    const again = await change(testServer, 'createAdminAgentKey', {}, path)
    assert.equal((await ask('POST', '/carts', whole(), key)).status, 401, again.text)
  })

  test('a checkout of at least the amount that the merchant set must be confirmed by the buyer on the checkout page', async () => {
    const { testServer, ask } = await openShop(given)
    await change(testServer, 'updateAdminAgents', { expectedVersion: 1, reviewFrom: 5_000 })
    const one = await ask('POST', '/checkout-sessions', whole())
    assert.equal(one.body.status, 'ready_for_complete')
    const two = await ask('POST', '/checkout-sessions', whole('ROSE-12', 2))
    assert.deepEqual([two.body.status, two.body.messages.at(-1).code], ['requires_escalation', 'order_review'])
    const paid = await ask('POST', `/checkout-sessions/${two.body.id}/complete`, paidBy('success_token'))
    assert.equal(paid.body.status, 'requires_escalation')
  })

  test('a platform cannot use the ids of another platform, and a shop that is closed to agents is not found', async () => {
    const { testServer, ask } = await openShop(given)
    const { id } = (await ask('POST', '/checkout-sessions', whole())).body
    const cart = (await ask('POST', '/carts', whole())).body.id
    const bought = (await ask('POST', '/checkout-sessions', whole())).body.id
    const { order } = (await ask('POST', `/checkout-sessions/${bought}/complete`, paidBy('success_token'))).body
    const other = platformOf(testServer, 'http://127.0.0.1:9/other.json').ask
    // A caller without a profile, by MCP.
    const nobody = async (name: string, args: object) => {
      const params = { name, arguments: args }
      const { body } = await testServer.fetch('/ucp/bloom/test/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      return JSON.stringify(body.result.structuredContent)
    }
    const never = 'cks_00000000000000000000000000.AAAAAAAAAAAAAAAAAAAAAA'
    const unknown = (await ask('GET', `/checkout-sessions/${never}`)).text
    assert.equal(JSON.parse(unknown).messages[0].code, 'not_found')
    // A foreign tag is refused before a row is read, so the time does not tell them apart either.
    const bare = (tagged: string) => tagged.split('.')[0] ?? ''
    const answers = [
      ...[other('GET', `/checkout-sessions/${id}`), other('PUT', `/checkout-sessions/${id}`, whole())],
      ...[other('POST', `/checkout-sessions/${id}/cancel`), other('GET', `/carts/${cart}`)],
      ...[other('PUT', `/carts/${cart}`, whole()), other('POST', `/carts/${cart}/cancel`)],
      ...[other('POST', `/checkout-sessions/${id}/complete`, paidBy('success_token'))],
      ...[other('POST', '/checkout-sessions', { cart_id: cart }), other('GET', `/orders/${order.id}`)],
      ...[bare(id), `${id}x`, `${id}.x`, cart, order.id].map((wrong) => ask('GET', `/checkout-sessions/${wrong}`)),
      ...[ask('GET', `/carts/${bare(cart)}`), ask('GET', `/orders/${bare(order.id)}`), ask('GET', `/orders/${id}`)],
    ]
    for (const answer of await Promise.all(answers)) assert.deepEqual([answer.status, answer.text], [200, unknown])
    for (const told of [
      await nobody('get_checkout', { id }),
      await nobody('update_checkout', { id, checkout: whole() }),
      await nobody('get_cart', { id: cart }),
      await nobody('get_checkout', { id: bare(id) }),
    ])
      assert.equal(told, unknown)
    assert.equal((await ask('GET', `/checkout-sessions/${id}`)).body.status, 'ready_for_complete')
    assert.equal((await ask('GET', `/carts/${cart}`)).body.id, cart)
    await letAgentsIn(testServer, 'off')
    assert.equal((await ask('GET', `/checkout-sessions/${id}`)).status, 404)
    assert.equal((await testServer.fetch('/ucp/bloom/test/.well-known/ucp')).status, 404)
  })

  test('400 without a profile, with a short idempotency key or a wrong body; 405 for another method', async () => {
    const { testServer, ask } = await openShop(given)
    const nameless = await platformOf(testServer, null).ask('POST', '/catalog/search', { query: 'a' })
    assert.deepEqual([nameless.status, nameless.body.code], [400, 'invalid_profile_url'])
    const short = await ask('POST', '/checkout-sessions', whole(), { 'idempotency-key': 'short' })
    assert.deepEqual([short.status, short.body.code], [400, 'idempotency_key_required'])
    const wrong = await ask('POST', '/checkout-sessions', { line_items: [{ item: {}, quantity: 0 }] })
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'invalid_request'])
    assert.ok(wrong.body.issues.length > 0)
    assert.equal((await ask('PUT', '/checkout-sessions', {})).status, 405)
  })
})
