// Everything that can come of a purchase, by each protocol alone. One server for all of them; each answer is checked against the published
// schemas of its protocol and version.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type AgentBuyer, acpBuyerOf, mcpBuyer, mcpCatalog, type Seen, ucpBuyer } from '../harness/agentBuyers.ts'
import { letAgentsIn } from '../harness/agents.ts'
import { pageText } from '../harness/prose.ts'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { sentMembers } from '../harness/ucp.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'

const publishedAt = '2026-01-01T00:00:00.000Z'

// With a last unit for each protocol, a thing whose price changes, and a song.
function shopAt(price: number): ShopFile {
  const last = (at: number) => ({ code: `LAST-${at}`, options: { No: `${at}` }, price: 1_000, stock: 1 })
  return {
    ...bloom,
    products: [
      ...(bloom.products ?? []),
      {
        slug: 'last',
        name: 'Last',
        publishedAt,
        options: [{ name: 'No', values: ['0', '1', '2', '3', '4'] }],
        skus: [0, 1, 2, 3, 4].map(last),
      },
      { slug: 'fish', name: 'Fish of the day', publishedAt, skus: [{ code: 'FISH', price, stock: 1_000 }] },
      {
        slug: 'song',
        name: 'Song',
        publishedAt,
        digital: true,
        skus: [{ code: 'SONG', price: 99, stock: 1_000, requiresShipping: false }],
      },
    ],
    promotions: [{ code: 'SPRING', name: 'Spring', type: 'percentage', percentage: 1000 }],
  }
}

const chargesOf = async ({ storage }: TestServer, { id }: Pick<Seen, 'id'>) => {
  const [sessionId = ''] = id.split('.')
  const rows = await storage.read(
    (db) => db.sql`select id from payments where checkout_session_id = ${sessionId} and status = 'succeeded'`,
  )
  return rows.length
}

interface Case {
  testServer: TestServer
  buyer: AgentBuyer
  at: number
  // Of a message of UCP, as this protocol has it.
  named: (ucp: string, acp: string) => string
}

type Cases = Readonly<Record<string, (one: Case) => Promise<void>>>

const has = ({ codes }: Seen, code: string) => assert.ok(codes.includes(code), `${code} is not in ${codes.join()}`)

const cases: Cases = {
  async 'a decline leaves it ready, and another attempt pays'({ testServer, buyer, named }) {
    const { id } = await buyer.open({ code: 'ROSE-12' })
    const declined = await buyer.pay(id, 'fail_token')
    assert.equal(declined.state, 'ready_for_complete')
    has(declined, named('payment_failed', 'payment_declined'))
    assert.equal(await chargesOf(testServer, { id }), 0)
    const paid = await buyer.pay(id, 'success_token')
    assert.deepEqual([paid.state, await chargesOf(testServer, { id })], ['completed', 1])
    assert.equal((await buyer.pay(id, 'success_token')).status, 409)
    assert.equal((await buyer.change(id, { code: 'ROSE-12' })).status, 409)
  },

  async 'a challenge is finished on the page'({ testServer, buyer }) {
    const { id } = await buyer.open({ code: 'ROSE-12' })
    const asked = await buyer.pay(id, 'challenge_token')
    assert.equal(asked.state, 'requires_escalation')
    has(asked, 'requires_3ds')
    const secret = asked.continueUrl.split('/').at(-1) ?? ''
    const view = await testServer.app.checkout.look(secret)
    await testServer.app.checkout.answerChallenge(secret, view?.challenge?.paymentId ?? '', 'accept')
    const done = await buyer.look(id)
    assert.deepEqual([done.state, await chargesOf(testServer, { id })], ['completed', 1])
    assert.ok(done.orderId)
  },

  async 'silence of the provider is found out later'({ testServer, buyer }) {
    const { id } = await buyer.open({ code: 'ROSE-12' })
    const unheard = await buyer.pay(id, 'silent_token')
    assert.deepEqual([unheard.state, unheard.orderId], ['complete_in_progress', undefined])
    assert.equal((await buyer.change(id, { code: 'ROSE-12', quantity: 2 })).quantities[0], 1)
    testServer.clock.now += 120_000
    await recoverPayments(testServer.app.payTools)
    assert.deepEqual([(await buyer.look(id)).state, await chargesOf(testServer, { id })], ['completed', 1])
  },

  async 'what another buyer took meanwhile is not charged'({ testServer, buyer, at }) {
    const [first, second] = [await buyer.open({ code: `LAST-${at}` }), await buyer.open({ code: `LAST-${at}` })]
    assert.equal((await buyer.pay(first.id, 'success_token')).state, 'completed')
    const late = await buyer.pay(second.id, 'success_token')
    assert.equal(late.state, 'incomplete')
    has(late, 'out_of_stock')
    assert.equal(await chargesOf(testServer, second), 0)
    const none = await buyer.open({ code: `LAST-${at}` })
    assert.equal(none.id, undefined)
  },

  async 'a quantity is cut and said'({ buyer, named }) {
    const cut = await buyer.open({ code: 'ROSE-24', quantity: 9 })
    assert.deepEqual(cut.quantities, [3])
    has(cut, named('quantity_adjusted', 'limited_availability'))
  },

  async 'another price than the one that was shown is not charged'({ testServer, buyer, at, named }) {
    const opened = await buyer.open({ code: 'FISH' })
    await testServer.apply(shopAt(2_001 + at))
    const refused = await buyer.pay(opened.id, 'success_token')
    has(refused, named('total_changed', 'price_change'))
    assert.deepEqual([refused.total, await chargesOf(testServer, opened)], [2_491 + at, 0])
    assert.equal((await buyer.pay(opened.id, 'success_token')).state, 'completed')
  },

  async 'a code that does not hold is said, one that does is taken off'({ buyer }) {
    const refused = await buyer.open({ code: 'ROSE-12', discounts: ['NOPE'] })
    has(refused, 'discount_code_invalid')
    const held = await buyer.change(refused.id, { code: 'ROSE-12', discounts: ['SPRING'] })
    assert.deepEqual([refused.total, held.total], [3_990, 3_640])
    assert.equal((await buyer.pay(held.id, 'success_token')).state, 'completed')
  },

  async 'an address that is not whole is priced, and not paid'({ testServer, buyer, named }) {
    const partial = await buyer.open({ code: 'ROSE-12', address: 'partial' })
    assert.deepEqual([partial.state, partial.total], ['incomplete', 3_990])
    has(partial, named('field_required', 'missing'))
    assert.equal((await buyer.pay(partial.id, 'success_token')).state, 'incomplete')
    assert.equal(await chargesOf(testServer, partial), 0)
    const none = await buyer.open({ code: 'ROSE-12', address: 'none' })
    assert.deepEqual([none.state, none.total], ['incomplete', 3_500])
    const whole = await buyer.change(none.id, { code: 'ROSE-12' })
    assert.equal((await buyer.pay(whole.id, 'success_token')).state, 'completed')
  },

  async 'digital goods go to the page for consent'({ testServer, buyer, named }) {
    const song = await buyer.open({ code: 'SONG', address: 'none' })
    assert.equal(song.state, 'requires_escalation')
    has(song, named('consent_on_page', 'intervention_required'))
    assert.equal((await buyer.pay(song.id, 'success_token')).state, 'requires_escalation')
    assert.equal(await chargesOf(testServer, song), 0)
  },

  async 'cancelled, it is shown and cannot be paid'({ buyer }) {
    const { id } = await buyer.open({ code: 'ROSE-12' })
    assert.equal((await buyer.cancel(id)).state, 'canceled')
    assert.equal((await buyer.look(id)).state, 'canceled')
    assert.equal((await buyer.pay(id, 'success_token')).status, 409)
  },

  async 'the same key is one charge'({ testServer, buyer }) {
    if (buyer.name === 'UCP 2026-04-08') return
    const { id } = await buyer.open({ code: 'ROSE-12' })
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 5 }, () => buyer.pay(id, 'success_token', key)))
    for (const { status, state } of answers)
      assert.ok(status === 409 || ['completed', 'complete_in_progress'].includes(state), `${status} ${state}`)
    const last = await buyer.pay(id, 'success_token', key)
    assert.deepEqual([last.state, await chargesOf(testServer, { id })], ['completed', 1])
  },

  async 'a part is sent, a part is refunded, and the order says so'({ testServer, buyer }) {
    const opened = await buyer.open({ code: 'ROSE-12', quantity: 2 })
    const paid = await buyer.pay(opened.id, 'success_token')
    const [{ id: orderId }] = (await testServer.askAdmin('listAdminOrders')).body.data
    const skuId = opened.body.line_items[0].id
    const change = (id: 'fulfilAdminOrder' | 'refundAdminOrder', body: object) =>
      testServer.askAdmin(id, { path: { orderId }, body: { idempotencyKey: randomUUID(), ...body } })
    await change('fulfilAdminOrder', { items: [{ skuId, quantity: 1 }], carrier: 'DHL', trackingNumber: '0034' })
    await change('refundAdminOrder', { amount: 500 })
    await payRefunds({ ...testServer.app.payTools, onPaid: recordRefundEnd }, testServer.clock.now)
    if (!buyer.order) return
    const order = await buyer.order(paid.orderId ?? '')
    assert.deepEqual(
      [order.line_items[0].quantity.fulfilled, order.line_items[0].status, order.fulfillment.events.length],
      [1, 'partial', 1],
    )
    assert.equal(order.fulfillment.events[0].tracking_number, '0034')
    assert.deepEqual(order.adjustments[0].totals, [{ type: 'total', amount: -500 }])
  },

  // The last, since it moves the clock.
  async 'expired, it is shown and cannot be paid'({ testServer, buyer }) {
    const { id } = await buyer.open({ code: 'ROSE-12' })
    testServer.clock.now += 7 * 3_600_000
    assert.equal((await buyer.look(id)).state, 'canceled')
    assert.equal((await buyer.pay(id, 'success_token')).status, 409)
    assert.equal(await chargesOf(testServer, { id }), 0)
  },
}

const catalogQuestions = [
  ['search_catalog', { query: 'roses' }],
  ['lookup_catalog', { ids: ['ROSE-12', 'none'] }],
  ['get_product', { id: 'ROSE-12' }],
] as const

eachEngine('agent purchases', (given) => {
  test('every protocol passes every case, and the guide names every member that platforms sent in the cases', async () => {
    const testServer = await openTestServer(given)
    await testServer.apply(shopAt(2_000))
    await letAgentsIn(testServer)
    const buyers = [
      await ucpBuyer(given, testServer, '2026-08-25'),
      await ucpBuyer(given, testServer, '2026-04-08'),
      mcpBuyer(testServer, 'legacy'),
      mcpBuyer(testServer, 'modern'),
      await acpBuyerOf(testServer),
    ]
    const failures: string[] = []
    for (const [at, buyer] of buyers.entries())
      for (const [name, run] of Object.entries(cases)) {
        const named = (ucp: string, acp: string) => (buyer.name === 'ACP' ? acp : ucp)
        await run({ testServer, buyer, at, named }).catch((error: Error) => {
          failures.push(`${buyer.name}, ${name}: ${error.stack?.slice(0, 2_000)}`)
        })
      }
    assert.deepEqual(failures, [])
    // The catalog, too: the tables of the guide name every member that was sent.
    const catalog = mcpCatalog(testServer)
    for (const [name, asked] of catalogQuestions) await catalog(name, asked)
    const guide = await pageText('docs/agents.md')
    const sent = /\| UCP, sent \|[\s\S]*?\n\n/.exec(guide)?.[0] ?? ''
    const named = new Set([...sent.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => text.match(/\w+/g) ?? []))
    assert.deepEqual([...sentMembers].filter((name) => !named.has(name)).sort(), [])
  })
})
