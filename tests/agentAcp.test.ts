// Whole purchases by the Agentic Commerce Protocol alone.

import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type AcpPlatform, acpBerlin, acpBuyer, acpPaidBy, acpPlatform, acpWhole, assertAcp } from '../harness/acp.ts'
import { letAgentsIn, typeOnPage } from '../harness/agents.ts'
import { openReceiver } from '../harness/receiver.ts'
import { bloom } from '../harness/shops.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { type Answer, openTestServer, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'

interface Shop {
  testServer: TestServer
  platform: AcpPlatform
  ask: AcpPlatform['ask']
}

async function openShop(given: Given): Promise<Shop> {
  const testServer = await openTestServer(given)
  await letAgentsIn(testServer)
  const platform = await acpPlatform(testServer)
  return { testServer, platform, ask: platform.ask }
}

interface Said {
  type: string
  code?: string
  param?: string
}

const errorsIn = ({ body }: Answer) =>
  body.messages.filter(({ type }: Said) => type === 'error').map(({ code, param }: Said) => [code, param])
const amountOf = (body: { totals: { type: string; amount: number }[] }, type: string) =>
  body.totals.find((total) => total.type === type)?.amount

const chargesIn = ({ storage }: TestServer) =>
  storage.read((db) => db.sql<{ amount: number }>`select amount from payments where status = 'succeeded'`)

eachEngine('ACP', (given) => {
  test('a platform creates a session and pays without the checkout page, the order names the platform, and repeating an idempotency key does not charge again', async () => {
    const { testServer, platform, ask } = await openShop(given)
    assert.throws(() => assertAcp('CheckoutSession', { id: 'without the rest' }))
    for (const name of ['CheckoutSessionCreateRequest', 'CheckoutSessionCompleteRequest'])
      assertAcp(name, name.includes('Create') ? { ...acpWhole(), line_items: [{ id: 'ROSE-12' }] } : acpPaidBy('token'))
    const { buyer: _, ...nameless } = acpWhole('ROSE-12', 2)
    const created = await ask('POST', '/checkout_sessions', nameless)
    const [handler] = created.body.capabilities.payment.handlers
    assert.deepEqual(
      [handler.id, handler.psp, handler.requires_delegate_payment],
      ['mock_payment_handler', 'test', false],
    )
    const described = await testServer.fetch(new URL(handler.instrument_schemas[0]).pathname)
    assert.deepEqual([described.status, described.body.properties.type], [200, { enum: ['card'] }])
    assert.equal((await testServer.fetch('/acp/bloom/test/handlers/none/config.json')).status, 404)

    const address = `/checkout_sessions/${created.body.id}`
    const complete = `${address}/complete`
    const early = await ask('POST', complete, acpPaidBy('success_token'))
    assert.deepEqual([early.status, early.body.status], [200, 'not_ready_for_payment'])
    const key = { 'idempotency-key': 'pay' }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => ask('POST', complete, { ...acpPaidBy('success_token'), buyer: acpBuyer }, key)),
    )
    for (const { status, body, headers } of answers)
      if (status === 409) assert.deepEqual([body.code, headers.get('retry-after')], ['idempotency_in_flight', '1'])
      else assert.equal(status, 200)
    const paid = await ask('POST', complete, { ...acpPaidBy('success_token'), buyer: acpBuyer }, key)
    assert.deepEqual([paid.body.status, paid.headers.get('idempotent-replayed')], ['completed', 'true'], paid.text)
    assert.deepEqual(await chargesIn(testServer), [{ amount: 7490 }])
    const { order } = paid.body
    assert.equal(order.checkout_session_id, created.body.id)
    assert.match(order.permalink_url, new RegExp(`^${testServer.origin}/o/`))
    const [placed] = (await testServer.askAdmin('listAdminOrders')).body.data
    assert.deepEqual([placed.number, placed.total], [order.order_number, 7490])
    const { agent } = (await testServer.askAdmin('getAdminOrder', { path: { orderId: placed.id } })).body.data
    assert.deepEqual(
      [agent.platformId, agent.protocol, agent.version, agent.proof],
      [platform.id, 'acp', '2026-04-17', 'key'],
    )
    assert.equal((await ask('POST', complete, acpPaidBy('success_token'))).status, 409)
    assert.equal((await ask('POST', `${address}/cancel`)).status, 405)
  })

  test('after a decline the session can be paid again, a bank challenge continues on the checkout page, and a payment whose response is lost is looked up later', async () => {
    const { testServer, ask } = await openShop(given)
    const open = async () => `/checkout_sessions/${(await ask('POST', '/checkout_sessions', acpWhole())).body.id}`
    const address = await open()
    const declined = await ask('POST', `${address}/complete`, acpPaidBy('fail_token'), { 'idempotency-key': 'a' })
    assert.equal(declined.body.status, 'ready_for_payment')
    assert.deepEqual(errorsIn(declined), [['payment_declined', '$.payment_data']])
    const again = await ask('POST', `${address}/complete`, acpPaidBy('fail_token'), { 'idempotency-key': 'a' })
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [declined.text, 'true'])
    const other = await ask('POST', `${address}/complete`, acpPaidBy('success_token'), { 'idempotency-key': 'a' })
    assert.equal(other.status, 422)

    const challenged = await ask('POST', `${address}/complete`, acpPaidBy('challenge_token'))
    assert.deepEqual(
      [challenged.body.status, errorsIn(challenged)],
      ['requires_escalation', [['requires_3ds', undefined]]],
    )
    assert.match(challenged.body.continue_url, /\/c\//)
    assert.equal((await ask('POST', `${address}/cancel`)).status, 409)

    const silent = await open()
    const unanswered = await ask('POST', `${silent}/complete`, acpPaidBy('silent_token'))
    assert.deepEqual([unanswered.body.status, unanswered.body.order], ['in_progress', undefined], unanswered.text)
    testServer.clock.now += 120_000
    await recoverPayments(testServer.app.payTools)
    assert.equal((await ask('GET', silent)).body.status, 'completed')
    assert.equal((await chargesIn(testServer)).length, 1)
  })

  test('nothing is charged for sold-out items, at another price, without an address, or after the end of the session', async () => {
    const { testServer, ask } = await openShop(given)
    const open = async (wanted: object) => {
      const { body } = await ask('POST', '/checkout_sessions', wanted)
      return `/checkout_sessions/${body.id}`
    }
    const [first, second] = [await open(acpWhole('ROSE-24', 3)), await open(acpWhole('ROSE-24', 3))]
    assert.equal((await ask('POST', `${first}/complete`, acpPaidBy('success_token'))).body.status, 'completed')
    const late = await ask('POST', `${second}/complete`, acpPaidBy('success_token'))
    assert.equal(late.body.status, 'not_ready_for_payment', late.text)
    assert.ok(errorsIn(late).some(([code]: string[]) => code === 'out_of_stock'))

    const dear = await open(acpWhole())
    await testServer.apply({
      ...bloom,
      products: (bloom.products ?? []).map((product) => ({
        ...product,
        skus: product.skus.map((sku) => (sku.code === 'ROSE-12' ? { ...sku, price: 9000 } : sku)),
      })),
    })
    const changed = await ask('POST', `${dear}/complete`, acpPaidBy('success_token'))
    assert.deepEqual(
      [amountOf(changed.body, 'total'), changed.body.messages.map(({ code }: Said) => code)],
      [9490, [undefined, 'price_change']],
    )
    assert.equal((await chargesIn(testServer)).length, 1)
    const { fulfillment_details: _, ...placeless } = acpWhole()
    const unplaced = await ask('POST', `${await open(placeless)}/complete`, acpPaidBy('success_token'))
    assert.deepEqual(errorsIn(unplaced), [['missing', '$.fulfillment_details.address']])

    testServer.clock.now += 7 * 3_600_000
    assert.equal((await ask('GET', dear)).body.status, 'expired')
    assert.equal((await ask('POST', `${dear}/complete`, acpPaidBy('success_token'))).status, 409)
    assert.equal((await ask('POST', `${dear}/cancel`)).status, 405)
    assert.equal((await chargesIn(testServer)).length, 1)
  })

  test('an update leaves members unchanged that it does not send, and clears those sent as null', async () => {
    const { testServer, ask } = await openShop(given)
    const created = await ask('POST', '/checkout_sessions', {
      line_items: [{ id: 'ROSE-12' }],
      currency: 'usd',
      locale: 'de-AT',
    })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(
      [created.body.status, created.body.currency, created.body.protocol.version],
      ['not_ready_for_payment', 'eur', '2026-04-17'],
    )
    assert.deepEqual(errorsIn(created), [
      ['missing', '$.buyer.email'],
      ['missing', '$.fulfillment_details.address'],
    ])
    assert.ok(created.body.messages.some(({ content }: { content: string }) => content === 'Die Preise sind in EUR.'))
    assert.match(created.body.continue_url, new RegExp(`^${testServer.origin}/c/`))
    const locales = await testServer.storage.read((db) => db.sql`select locale from checkout_sessions`)
    assert.deepEqual(locales, [{ locale: 'de-AT' }])
    const address = `/checkout_sessions/${created.body.id}`

    const { postal_code: _, ...draft } = acpBerlin
    const located = await ask('POST', address, { fulfillment_details: { address: draft } })
    assert.deepEqual(errorsIn(located), [
      ['missing', '$.buyer.email'],
      ['missing', '$.fulfillment_details.address.postal_code'],
    ])
    assert.deepEqual(located.body.selected_fulfillment_options, [
      { type: 'shipping', option_id: 'standard', item_ids: [created.body.line_items[0].id] },
    ])
    const named = await ask('POST', address, { buyer: acpBuyer, fulfillment_details: { address: acpBerlin } })
    assert.deepEqual([errorsIn(named), named.body.status], [[], 'ready_for_payment'], named.text)
    const more = await ask('POST', address, { line_items: [{ id: 'ROSE-12', quantity: 2 }] })
    assert.deepEqual(
      ['items_base_amount', 'subtotal', 'fulfillment', 'total'].map((type) => amountOf(more.body, type)),
      [7000, 7000, 490, 7490],
    )
    const { buyer, fulfillment_details: details, line_items: lines } = more.body
    assert.deepEqual([buyer, details.address, lines[0].quantity], [acpBuyer, acpBerlin, 2])
    const cleared = await ask('POST', address, { fulfillment_details: null, discounts: { codes: ['NOPE'] } })
    assert.deepEqual(errorsIn(cleared), [['missing', '$.fulfillment_details.address']])
    assert.equal(cleared.body.discounts.rejected[0].reason, 'discount_code_invalid')
    assert.deepEqual((await ask('GET', address)).body, cleared.body)

    const cancelled = await ask('POST', `${address}/cancel`)
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'canceled'])
    for (const [path, status] of [
      [`${address}/cancel`, 405],
      [address, 409],
    ] as const)
      assert.equal((await ask('POST', path, path === address ? {} : undefined)).status, status)
    const { text } = await testServer.fetch('/metrics')
    assert.match(text, /cartwright_agent_calls_total\{protocol="acp",tool="acpCreateSession",outcome="answered"\} 1\n/)
  })

  test('the webhook of the platform gets a message of the protocol when its order is placed, shipped and refunded', async () => {
    const { testServer, platform, ask } = await openShop(given)
    const receiver = await openReceiver(given)
    const enter = (url: string, platformId = platform.id) =>
      testServer.askAdmin('createAdminAgentWebhook', {
        path: { platformId },
        body: { idempotencyKey: randomUUID(), url },
      })
    assert.equal((await enter('https://10.0.0.1/orders', 'plt_00000000000000000000000000')).status, 404)
    const first = (await enter('https://other.example/orders')).body.data
    const { secret, platform: shown } = (await enter(receiver.url)).body.data
    assert.notEqual(secret, first.secret)
    assert.equal(shown.webhook.status, 'enabled')
    assert.deepEqual((await testServer.askAdmin('listAdminWebhookEndpoints')).body.data, [])
    const { body } = await ask('POST', '/checkout_sessions', acpWhole('ROSE-12', 2))
    const paid = await ask('POST', `/checkout_sessions/${body.id}/complete`, acpPaidBy('success_token'))
    const [{ id: orderId }] = (await testServer.askAdmin('listAdminOrders')).body.data
    const change = (id: AdminOperationId, more: object) =>
      testServer.askAdmin(id, { path: { orderId }, body: { idempotencyKey: randomUUID(), ...more } })
    await change('fulfilAdminOrder', { carrier: 'DHL', trackingNumber: '0034' })
    await change('refundAdminOrder', { amount: 500 })
    await payRefunds({ ...testServer.app.payTools, onPaid: recordRefundEnd }, testServer.clock.now)
    await testServer.app.dispatcher.dispatchDue()

    const calls = receiver.received.map(({ headers, body: text }) => {
      const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['merchant-signature'])) ?? []
      assert.equal(createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex'), signature)
      const { type, data } = JSON.parse(text)
      assertAcp('Order', data)
      assert.deepEqual([data.id, data.checkout_session_id], [paid.body.order.id, body.id])
      return { type, data }
    })
    assert.deepEqual(new Set(calls.slice(1).map(({ type }) => type)), new Set(['order_update']))
    assert.equal(calls[0]?.type, 'order_create')
    const last = calls.at(-1)?.data
    assert.deepEqual(
      [last.status, amountOf(last, 'amount_refunded'), last.adjustments[0].amount],
      ['shipped', 500, 500],
    )
    assert.deepEqual([last.fulfillments[0].tracking_number, last.line_items[0].status], ['0034', 'fulfilled'])
  })

  test('what the shopper types on the checkout page is not sent to the platform, and is not overwritten by updates without it', async () => {
    const { testServer, ask } = await openShop(given)
    const { id, continue_url: url } = (await ask('POST', '/checkout_sessions', acpWhole())).body
    await typeOnPage(testServer, url)
    const updated = await ask('POST', `/checkout_sessions/${id}`, { line_items: [{ id: 'ROSE-12', quantity: 2 }] })
    const { buyer, fulfillment_details: details, status } = updated.body
    assert.deepEqual(
      [buyer, details.address.city, details.address.line_one, status],
      [undefined, 'Hamburg', '', 'ready_for_payment'],
    )
    const paid = await ask('POST', `/checkout_sessions/${id}/complete`, acpPaidBy('success_token'))
    assert.equal(paid.body.status, 'completed', paid.text)
    assert.doesNotMatch(updated.text + paid.text, /planted/i)
    const [{ id: orderId }] = (await testServer.askAdmin('listAdminOrders')).body.data
    const { address } = (await testServer.askAdmin('getAdminOrderCustomer', { path: { orderId } })).body.data
    assert.deepEqual([address.name, address.line1], ['Planted Name', 'Plantedstreet 7'])
  })

  test('an unknown item is left out and reported as long as it is requested', async () => {
    const { ask } = await openShop(given)
    const lines = [{ id: 'ROSE-12', quantity: 1 }, { id: 'nothing' }]
    const created = await ask('POST', '/checkout_sessions', { ...acpWhole(), line_items: lines })
    const address = `/checkout_sessions/${created.body.id}`
    assert.deepEqual([created.body.status, errorsIn(created)], ['not_ready_for_payment', [['not_found', undefined]]])
    const again = await ask('POST', address, { buyer: acpBuyer })
    assert.deepEqual(errorsIn(again), [['not_found', undefined]])
    const mended = await ask('POST', address, { line_items: [{ id: 'ROSE-12' }] })
    assert.equal(mended.body.status, 'ready_for_payment', mended.text)
    const none = await ask('POST', '/checkout_sessions', acpWhole('nothing'))
    assert.deepEqual([none.status, none.body.code, none.body.param], [400, 'not_found', '$.line_items'])
  })

  test('an idempotency key applies to one path; another body is refused, and a body with reordered members gets the stored answer', async () => {
    const { ask } = await openShop(given)
    const key = { 'idempotency-key': 'k', 'request-id': 'r-1' }
    const first = await ask('POST', '/checkout_sessions', acpWhole(), key)
    const reordered = Object.fromEntries(Object.entries(acpWhole()).toReversed())
    const again = await ask('POST', '/checkout_sessions', reordered, key)
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.deepEqual(
      ['idempotent-replayed', 'idempotency-key', 'request-id'].map((name) => again.headers.get(name)),
      ['true', 'k', 'r-1'],
    )
    const other = await ask('POST', '/checkout_sessions', acpWhole('ROSE-12', 2), key)
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_conflict'])
    const elsewhere = await ask('POST', `/checkout_sessions/${first.body.id}`, { coupons: [] }, key)
    assert.deepEqual([elsewhere.status, elsewhere.headers.get('idempotent-replayed')], [200, null])
  })

  test('401 without a key, 403 for a blocked platform, 400 for missing members, 404 for sessions of others', async () => {
    const { testServer, platform, ask } = await openShop(given)
    const whole = acpWhole()
    const { id } = (await ask('POST', '/checkout_sessions', whole)).body
    const nameless = await ask('GET', `/checkout_sessions/${id}`, undefined, { authorization: '' })
    assert.deepEqual([nameless.status, nameless.headers.get('www-authenticate')], [401, 'Bearer'])
    const merchants = await ask('GET', `/checkout_sessions/${id}`, undefined, {
      authorization: `Bearer ${testServer.keys.admin}`,
    })
    assert.deepEqual([merchants.status, merchants.body.code], [403, 'forbidden'])
    const old = await ask('GET', `/checkout_sessions/${id}`, undefined, { 'api-version': '2025-09-29' })
    assert.deepEqual(
      [old.status, old.body.code, old.body.supported_versions],
      [400, 'unsupported_api_version', ['2026-04-17']],
    )
    const keyless = await ask('POST', '/checkout_sessions', whole, { 'idempotency-key': '' })
    assert.deepEqual([keyless.status, keyless.body.code], [400, 'idempotency_key_required'])
    const wrong = await ask('POST', '/checkout_sessions', { line_items: [{ id: 'ROSE-12', quantity: 0 }] })
    assert.deepEqual([wrong.status, wrong.body.param], [400, '$.line_items[0].quantity'])

    const other = await acpPlatform(testServer, { profileUrl: 'http://127.0.0.1:8443/other' })
    const answers = await Promise.all([
      other.ask('GET', `/checkout_sessions/${id}`),
      other.ask('POST', `/checkout_sessions/${id}`, {}),
      other.ask('POST', `/checkout_sessions/${id}/cancel`),
      other.ask('POST', `/checkout_sessions/${id}/complete`, acpPaidBy('success_token')),
      ask('GET', `/checkout_sessions/${id.split('.')[0]}`),
      ask('GET', '/checkout_sessions/nothing'),
    ])
    for (const { status, text } of answers) assert.deepEqual([status, text], [404, answers[0]?.text])
    assert.equal((await ask('POST', '/nothing', {})).status, 404)

    const [seen] = (await testServer.askAdmin('listAdminAgentPlatforms')).body.data.filter(
      (one: { id: string }) => one.id === platform.id,
    )
    await testServer.askAdmin('updateAdminAgentPlatform', {
      path: { platformId: platform.id },
      body: { idempotencyKey: randomUUID(), expectedVersion: seen.version, status: 'blocked' },
    })
    assert.equal((await ask('GET', `/checkout_sessions/${id}`)).status, 403)
    await letAgentsIn(testServer, 'off')
    assert.equal((await other.ask('GET', `/checkout_sessions/${id}`)).status, 404)
  })
})
