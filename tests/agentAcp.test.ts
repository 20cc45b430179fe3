// Whole purchases by the Agentic Commerce Protocol alone.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type AcpPlatform, acpBerlin, acpBuyer, acpPlatform, acpWhole } from '../harness/acp.ts'
import { letAgentsIn } from '../harness/agents.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { type Answer, openTestServer, type TestServer } from '../harness/testServer.ts'

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

eachEngine('ACP', (given) => {
  test('a session grows by updates: what is not sent stays, null clears it', async () => {
    const { testServer, ask } = await openShop(given)
    const created = await ask('POST', '/checkout_sessions', { line_items: [{ id: 'ROSE-12' }], currency: 'usd' })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(
      [created.body.status, created.body.currency, created.body.protocol.version],
      ['not_ready_for_payment', 'eur', '2026-04-17'],
    )
    assert.deepEqual(errorsIn(created), [
      ['missing', '$.buyer.email'],
      ['missing', '$.fulfillment_details.address'],
    ])
    assert.ok(created.body.messages.some(({ content }: { content: string }) => content === 'Prices are in EUR.'))
    assert.match(created.body.continue_url, new RegExp(`^${testServer.origin}/c/`))
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
    assert.deepEqual(errorsIn(named), [['intervention_required', undefined]], named.text)
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

  test('what cannot be had is left out or cut, and said until it is not asked for', async () => {
    const { ask } = await openShop(given)
    const lines = [{ id: 'ROSE-12', quantity: 1 }, { id: 'nothing' }]
    const created = await ask('POST', '/checkout_sessions', { ...acpWhole(), line_items: lines })
    const address = `/checkout_sessions/${created.body.id}`
    assert.deepEqual([created.body.status, errorsIn(created)], ['not_ready_for_payment', [['not_found', undefined]]])
    const again = await ask('POST', address, { buyer: acpBuyer })
    assert.deepEqual(errorsIn(again), [['not_found', undefined]])
    const mended = await ask('POST', address, { line_items: [{ id: 'ROSE-12' }] })
    assert.equal(mended.body.status, 'requires_escalation', mended.text)
    const none = await ask('POST', '/checkout_sessions', acpWhole('nothing'))
    assert.deepEqual([none.status, none.body.code, none.body.param], [400, 'not_found', '$.line_items'])
  })

  test('a key is one change of one path; another body is refused, the same meaning is not another', async () => {
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

  test('401 without a key, 403 for a blocked platform, 400 for what is missing, 404 for what is of others', async () => {
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
