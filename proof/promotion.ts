// A code with a limited number of uses, wanted by many more; a code that each customer may use once, tried several
// times at once; and orders with a code, each cancelled by several requests at once. Exactly the allowed uses are made,
// and each is released once.

import { codeOf, createCaller, crowd, dataOf } from './caller.ts'
import { findBroken, untilSettled } from './oracles.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, startServer } from './servers.ts'
import { makeShop, product, shopFile, standOf } from './shop.ts'
import { newForm, openSession, pay, readSession, type Session, sessionFrom } from './shopper.ts'

export const promotionRun: ServerRun = {
  name: 'promotion',
  method:
    'payments at once with a code of limited uses, several payments at once of each customer with a code for one use, and several cancellations at once of one order; judged by the orders that used the code, and by the refunds of payments without one',
  numbers: { rounds: 50, redemptions: 1_000, limit: 50, customers: 50, connections: 100 },
  short: { rounds: 1, redemptions: 60, limit: 10, customers: 6, connections: 40 },
  runOn: (ground, { rounds = 0, redemptions = 0, limit = 0, customers = 0, connections = 0 }, tools) =>
    runPromotion(ground, { rounds, redemptions, limit, customers, connections }, tools),
}

export interface PromotionNumbers {
  rounds: number
  redemptions: number
  limit: number
  customers: number
  connections: number
}

const perCustomer = 4

export async function runPromotion(ground: Ground, numbers: PromotionNumbers, tools: RunTools): Promise<RunResult> {
  const { rounds, redemptions, limit, customers, connections } = numbers
  const percentage = { name: 'Half', type: 'percentage', percentage: 5_000 } as const
  const promotions = Array.from({ length: rounds }, (_, round) => [
    { ...percentage, code: `FIFTY-${round}`, usageLimit: limit },
    { ...percentage, code: `ONCE-${round}`, customerLimit: 1 },
  ]).flat()
  const file = shopFile('promotion', { products: [product('THING', 1_000_000)], promotions })
  const shop = await makeShop(ground, [file])
  const caller = createCaller(connections)
  const violations = new Set<string>()
  const seen = { redeemed: 0, refused: 0, reopened: 0, customersServed: 0, cancelled: 0, cancelRefused: 0 }
  const server = await startServer(shop)
  const stand = standOf(shop)
  const items = [{ skuId: shop.sku('THING'), quantity: 1 }]

  async function open(promotionCode: string, email?: string): Promise<Session> {
    return sessionFrom(
      await openSession(caller, server.origin, stand, {
        items,
        promotionCode,
        ...(email === undefined ? {} : { email }),
      }),
    )
  }

  // The order, or null: if the code is used up, the session is open again and nothing is charged.
  async function redeem(session: Session): Promise<string | null> {
    const paid = await pay(caller, server.origin, session, newForm())
    const { status, orderId } = await readSession(caller, server.origin, stand, session.id)
    if ((paid === 'completed') !== (status === 'completed'))
      violations.add(`${session.id} is ${status}, but the shopper saw ${paid}`)
    if (status === 'completed') return orderId
    if (status !== 'open') violations.add(`${session.id} is ${status} after a payment without a use`)
    seen.reopened += 1
    return null
  }

  async function usesOf(code: string): Promise<{ used: number; orders: number }> {
    const [row] = await shop.withStorage((storage) =>
      storage.read(
        (db) => db.sql<{ used: number; orders: number }>`
          select p.test_used as "used", (select count(*) from orders o where o.promotion_id = p.id and o.status <> 'cancelled') as "orders"
          from promotions p where p.code = ${code}`,
      ),
    )
    return row ?? { used: -1, orders: -1 }
  }

  async function expectUses(code: string, expected: number): Promise<void> {
    const { used, orders } = await usesOf(code)
    if (used !== expected || orders !== expected)
      violations.add(`${code} was used ${used} times by ${orders} orders, not ${expected}`)
  }

  async function limited(round: number): Promise<void> {
    const code = `FIFTY-${round}`
    // All are opened while the code is still valid, so all of them pay with it.
    const sessions = await crowd(Array.from({ length: redemptions }), connections, () => open(code))
    const orders = (await crowd(sessions, connections, redeem)).filter((order) => order !== null)
    seen.redeemed += orders.length
    seen.refused += sessions.length - orders.length
    await expectUses(code, limit)
    const [first] = orders
    if (first === undefined) return
    await cancelAtOnce(first)
    await expectUses(code, limit - 1)
    // A released use can be used once more, and only once.
    const late = await crowd(Array.from({ length: 5 }), 5, () => open(code))
    const again = (await crowd(late, 5, redeem)).filter((order) => order !== null)
    if (again.length < 1) violations.add(`${code} was released but could not be used again`)
    await expectUses(code, limit)
  }

  async function cancelAtOnce(orderId: string): Promise<void> {
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        caller.ask(server.origin, 'cancelStorefrontOrder', {
          key: stand.key,
          path: { orderId },
          body: { idempotencyKey: `cancel-${orderId}-${index}` },
        }),
      ),
    )
    const good = answers.filter(({ status }) => status === 200).length
    const refused = answers.filter((answer) => codeOf(answer) === 'order_not_cancellable').length
    seen.cancelled += good
    seen.cancelRefused += refused
    if (good !== 1 || refused !== answers.length - 1)
      violations.add(`${orderId} was cancelled ${good} times and refused ${refused} times of ${answers.length}`)
  }

  async function oncePerCustomer(round: number): Promise<void> {
    const code = `ONCE-${round}`
    const tries = Array.from({ length: customers * perCustomer }, (_, index) => {
      const name = `${round}-${index % customers}`
      // The same customer in different spellings.
      return index < customers ? `buyer-${name}@example.com` : `Buyer-${name}@EXAMPLE.com`
    })
    const sessions = await crowd(tries, connections, (email) => open(code, email))
    const orders = (await crowd(sessions, connections, redeem)).filter((order) => order !== null)
    // A session whose code was removed may still be sold, without it.
    const withCode = await crowd(orders, 16, async (orderId) => {
      const answer = await caller.ask(server.origin, 'getStorefrontOrder', { key: stand.key, path: { orderId } })
      return dataOf<{ promotion: object | null }>(answer).promotion !== null
    })
    seen.customersServed += withCode.filter(Boolean).length
    await expectUses(code, customers)
  }

  try {
    for (let round = 0; round < rounds; round += 1) {
      await limited(round)
      await oncePerCustomer(round)
      tools.tell(`${round + 1} of ${rounds} rounds`)
    }
    const broken = await shop.withStorage(async (storage) => [
      // A loop of the server refunds charges without an order.
      ...(await untilSettled(storage, tools.tell, ['payments', 'refunds'])),
      ...(await findBroken(storage)),
    ])
    for (const sentence of [...defectsOf([server]), ...broken]) violations.add(sentence)
    return { seen, violations: [...violations].slice(0, 50) }
  } finally {
    await server.end('SIGKILL')
    caller.close()
  }
}
