// What a purchase by a shopper or an agent, a cart write and a cart read ask of the database. The numbers are exact: a statement more is a
// decision, not an accident. `npm run bench -- purchase-counts` shows the same with CPU and bytes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  berlinDestination,
  buyer,
  letAgentsIn,
  paidBy,
  platformOf,
  shippingTo,
  testProfile,
} from '../harness/agents.ts'
import { berlin, cartsOf, market } from '../harness/carts.ts'
import { purchaseTogether, type Send } from '../harness/fiveRequests.ts'
import { countLoops } from '../harness/loopCounts.ts'
import type { StatementCounts } from '../harness/statements.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'

// Statements, transactions that read, commits, and at most so many round trips on PostgreSQL: an answer may arrive in two packets, and then
// what is sent after the first counts as earlier.
type Budget = readonly [statements: number, reads: number, commits: number, roundTrips: number]

const budgets: Record<'sqlite' | 'postgres', Record<string, Budget>> = {
  sqlite: {
    session: [12, 0, 1, 0],
    page: [2, 1, 0, 0],
    details: [6, 1, 1, 0],
    'page again': [2, 1, 0, 0],
    payment: [28, 1, 3, 0],
    'loop stale_products': [8, 1, 1, 0],
    'loop search': [6, 2, 1, 0],
    'loop customers': [6, 2, 1, 0],
    'loop sales': [11, 3, 1, 0],
    'loop documents': [43, 1, 1, 0],
    'cart write': [8, 0, 1, 0],
    'cart read': [2, 1, 0, 0],
    'cart read again': [1, 1, 0, 0],
    'priced cart read': [3, 1, 0, 0],
    'update by an agent': [11, 1, 1, 0],
    'completion by an agent': [37, 2, 4, 0],
  },
  postgres: {
    session: [12, 0, 1, 5],
    page: [2, 1, 0, 2],
    details: [6, 1, 1, 5],
    'page again': [2, 1, 0, 2],
    payment: [28, 1, 3, 13],
    'loop stale_products': [8, 1, 1, 5],
    'loop search': [7, 2, 1, 6],
    'loop customers': [7, 2, 1, 6],
    'loop sales': [13, 3, 1, 7],
    'loop documents': [44, 1, 1, 20],
    'cart write': [9, 0, 1, 3],
    'cart read': [2, 1, 0, 1],
    'cart read again': [1, 1, 0, 1],
    'priced cart read': [3, 1, 0, 2],
    'update by an agent': [11, 1, 1, 10],
    'completion by an agent': [37, 2, 4, 16],
  },
}

const wholeCheckout = {
  line_items: ['BOOK', 'CARD', 'ROSE-12'].map((id) => ({ item: { id }, quantity: 1 })),
  buyer,
  fulfillment: shippingTo(berlinDestination),
}

const twoOfEach = wholeCheckout.line_items.map((line) => ({ ...line, quantity: 2 }))

eachEngine('the number of statements', (given) => {
  test('equals its budget for a purchase, its background loops, a cart write and read, and an update and completion by an agent', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const { counted, keys, origin } = testServer
    const carts = await cartsOf(testServer)
    const send: Send = async ({ method, path, headers = {}, body }) => {
      const answer = await fetch(origin + path, { method, headers, redirect: 'manual', ...(body && { body }) })
      return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') ?? '' }
    }
    const wanted = { key: keys.full, skuIds: ['BOOK', 'CARD', 'ROSE-12'].map((code) => carts.sku(code)) }
    const loops = () => countLoops(testServer, counted)
    const found: Record<string, Budget> = {}
    // The first fills what is cached. A count is the least of two: on PostgreSQL the key is looked up once more when signals begin to arrive.
    function note(what: string): void {
      const counts = counted.take()
      const before = found[what]
      const now = budgetOf(counts)
      if (!before || counts.statements < before[0] || counts.roundTrips < before[3]) found[what] = now
    }

    await purchaseTogether(send, [wanted])
    await loops()
    const idle = await loops()
    for (let time = 0; time < 2; time += 1) await purchaseTogether(send, [wanted], async (step) => note(step))
    await purchaseTogether(send, [wanted])
    for (const [name, counts] of await loops()) {
      const before = idle.get(name)
      if (before && counts.statements > before.statements) found[`loop ${name}`] = budgetOf(counts)
    }

    const cartId = await carts.create({ BOOK: 1, CARD: 2, 'ROSE-12': 1 })
    await carts.patch(cartId, 'CARD', 3)
    for (const quantity of [4, 5]) {
      counted.take()
      await carts.patch(cartId, 'CARD', quantity)
      note('cart write')
      await carts.read(cartId)
      note('cart read')
    }
    await carts.read(cartId)
    note('cart read again')
    await carts.address(cartId, berlin)
    for (let time = 0; time < 2; time += 1) {
      counted.take()
      await carts.read(cartId)
      note('priced cart read')
    }
    await letAgentsIn(testServer)
    const agent = platformOf(testServer, testProfile, `${market.merchant.slug}/test`)
    for (let time = 0; time < 2; time += 1) {
      const opened = await agent.ask('POST', '/checkout-sessions', wholeCheckout)
      counted.take()
      await agent.ask('PUT', `/checkout-sessions/${opened.body.id}`, { ...wholeCheckout, line_items: twoOfEach })
      note('update by an agent')
      const { body } = await agent.ask('POST', `/checkout-sessions/${opened.body.id}/complete`, paidBy('success_token'))
      note('completion by an agent')
      assert.equal(body.status, 'completed', JSON.stringify(body))
    }
    const budget = budgets[given.engine]
    for (const [name, [statements, reads, commits, roundTrips]] of Object.entries(found)) {
      const most = budget[name]?.[3] ?? 0
      found[name] = [statements, reads, commits, roundTrips <= most ? most : roundTrips]
    }
    assert.deepEqual(found, budget)
  })
})

function budgetOf({ statements, reads, commits, roundTrips }: StatementCounts): Budget {
  return [statements, reads, commits, roundTrips]
}
