// More buyers than units: many at once for a hundred units, many for the last one, carts of three SKUs in opposite
// order, and edits that race the payment. Exactly the stock is sold, every loser gets a 409, and no one pays without an
// order.

import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type Caller, codeOf, createCaller, crowd, dataOf, undeclared } from './caller.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, shuffled, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { openSession, pay, readSession, sessionFrom } from './shopper.ts'

export const oversellRun: ServerRun = {
  name: 'oversell',
  method:
    'buyers on many connections for fewer units (open a session, some leave again, the others pay), the last unit, carts of three SKUs in opposite order, edits that race the payment; judged by the number of orders, the stock and the invariants',
  numbers: { rounds: 100, buyers: 1_000, connections: 200, units: 100, nodes: 1 },
  short: { rounds: 1, buyers: 150, connections: 50, units: 20 },
  runOn: (ground, { rounds = 0, buyers = 0, connections = 0, units = 0, nodes = 1 }, tools) =>
    runOversell(ground, { rounds, buyers, connections, units, nodes }, tools),
}

// The same with the buyers spread over three servers.
export const oversellOnNodesRun: ServerRun = {
  ...oversellRun,
  name: 'oversell-nodes',
  method: 'as oversell, with the buyers spread over several servers of one database',
  numbers: { ...oversellRun.numbers, nodes: 3 },
  engines: ['postgres'],
}

export interface OversellNumbers {
  rounds: number
  buyers: number
  connections: number
  units: number
  nodes: number
}

const kinds = ['MANY', 'LAST', 'FIRST', 'SECOND', 'THIRD', 'EDIT'] as const
type Kind = (typeof kinds)[number]

export async function runOversell(ground: Ground, numbers: OversellNumbers, tools: RunTools): Promise<RunResult> {
  const { rounds, connections, units, nodes } = numbers
  const stockOf: Readonly<Record<Kind, number>> = {
    MANY: units,
    LAST: 1,
    FIRST: units,
    SECOND: Math.ceil(units / 2),
    THIRD: units,
    EDIT: units,
  }
  const products = Array.from({ length: rounds }, (_, round) =>
    kinds.map((kind) => product(`${kind}-${round}`, stockOf[kind])),
  ).flat()
  const shop = await makeShop(ground, [shopFile('oversell', { products })])
  const caller = createCaller(connections)
  const servers: Server[] = []
  try {
    for (let node = 0; node < nodes; node += 1) servers.push(await startServer(shop))
    const market = new Market(shop, caller, servers, numbers, tools)
    for (let round = 0; round < rounds; round += 1) {
      await market.round(round, stockOf)
      tools.tell(`${round + 1} of ${rounds} rounds`)
    }
    for (const server of servers) {
      for (const line of defectsOf([server])) market.violations.add(line)
    }
    for (const sentence of await shop.withStorage(findBroken)) market.violations.add(sentence)
    return { seen: { nodes, ...market.seen }, violations: [...market.violations].slice(0, 50) }
  } finally {
    for (const server of servers) await server.end('SIGKILL')
    caller.close()
  }
}

// `sold`: paid, with an order. `left`: had it and gave it back. `short`: refused for lack of stock. `stale`: the cart
// was changed before the payment.
type Fate = 'sold' | 'left' | 'short' | 'stale'

class Market {
  readonly shop: Shop
  readonly caller: Caller
  readonly servers: readonly Server[]
  readonly numbers: OversellNumbers
  readonly random: () => number
  readonly violations = new Set<string>()
  readonly seen = { sold: 0, left: 0, short: 0, stale: 0, edited: 0, editsRefused: 0 }
  #keys = 0

  constructor(shop: Shop, caller: Caller, servers: readonly Server[], numbers: OversellNumbers, { random }: RunTools) {
    this.shop = shop
    this.caller = caller
    this.servers = servers
    this.numbers = numbers
    this.random = random
  }

  async round(round: number, stockOf: Readonly<Record<Kind, number>>): Promise<void> {
    const { buyers } = this.numbers
    const sku = (kind: Kind) => this.shop.sku(`${kind}-${round}`)
    const one = (kind: Kind) => () => [{ skuId: sku(kind), quantity: 1 }]
    const three = () => {
      const quantities = new Map(
        [sku('FIRST'), sku('SECOND'), sku('THIRD')].map((id) => [id, whole(this.random, 1, 2)]),
      )
      return shuffled(this.random, [...quantities]).map(([skuId, quantity]) => ({ skuId, quantity }))
    }
    const fewer = Math.ceil(buyers / 5)
    await this.#sellOut(buyers, one('MANY'))
    await this.#sellOut(fewer, one('LAST'))
    await this.#rush(fewer, three)
    await this.#editAndPay(Math.ceil(buyers / 10), sku('EDIT'))
    await this.#count(round, stockOf)
  }

  // After the rush, later buyers take what others gave back, until nothing is left.
  async #sellOut(buyers: number, items: () => Items): Promise<void> {
    await this.#rush(buyers, items)
    for (let patience = 100; patience > 0; patience -= 1) {
      if ((await this.#buy(items(), false)) === 'short') return
    }
    this.violations.add('what should be sold out is not')
  }

  async #rush(buyers: number, items: () => Items): Promise<void> {
    const carts = Array.from({ length: buyers }, () => ({ items: items(), mayLeave: this.random() < 0.1 }))
    await crowd(carts, this.numbers.connections, ({ items, mayLeave }) => this.#buy(items, mayLeave))
  }

  async #buy(items: Items, mayLeave: boolean): Promise<Fate> {
    const stand = standOf(this.shop)
    const opened = await openSession(this.caller, this.#origin(), stand, { items })
    if (!this.#isGood('createHostedCheckoutSession', opened)) return this.#fate('short')
    const session = sessionFrom(opened)
    if (mayLeave) {
      const left = await this.caller.ask(this.#origin(), 'cancelHostedCheckoutSession', {
        key: stand.key,
        path: { sessionId: session.id },
        body: { idempotencyKey: this.#key() },
      })
      this.#isGood('cancelHostedCheckoutSession', left)
      return this.#fate('left')
    }
    const paid = await pay(this.caller, this.#origin(), session)
    if (paid === 'completed') return this.#fate('sold')
    const { status } = await readSession(this.caller, this.#origin(), stand, session.id)
    this.violations.add(`${session.id} holds its stock but the sale failed: ${paid}, ${status}`)
    return this.#fate('short')
  }

  // Two edits and a payment of the same cart at once: the payment is for what the page showed, or there is none.
  async #editAndPay(times: number, skuId: string): Promise<void> {
    const stand = standOf(this.shop)
    await crowd(Array.from({ length: times }), Math.ceil(this.numbers.connections / 4), async () => {
      const opened = await openSession(this.caller, this.#origin(), stand, { items: [{ skuId, quantity: 1 }] })
      if (!this.#isGood('createHostedCheckoutSession', opened)) return
      const session = sessionFrom(opened)
      const edit = (quantity: number) =>
        this.caller.ask(this.#origin(), 'updatePublicCartItemQuantity', {
          key: stand.key,
          path: { cartId: session.cartId, skuId },
          body: { idempotencyKey: this.#key(), quantity },
        })
      const [paid, ...edits] = await Promise.all([
        this.#soon(() => pay(this.caller, this.#origin(), session)),
        edit(whole(this.random, 2, 4)),
        edit(whole(this.random, 2, 4)),
      ])
      for (const answer of edits)
        this.seen[this.#isGood('updatePublicCartItemQuantity', answer) ? 'edited' : 'editsRefused'] += 1
      const after = await readSession(this.caller, this.#origin(), stand, session.id)
      if ((after.status === 'completed') !== (paid === 'completed'))
        this.violations.add(`${session.id} is ${after.status}, but the shopper saw ${paid}`)
      if (paid !== 'completed') return void this.#fate('stale')
      this.#fate('sold')
      const order = await this.caller.ask(this.#origin(), 'getStorefrontOrder', {
        key: stand.key,
        path: { orderId: after.orderId ?? '' },
      })
      const { total, itemCount } = dataOf<{ total: number; itemCount: number }>(order)
      if (total !== session.total || itemCount !== 1)
        this.violations.add(`${session.id} was shown ${session.total} and paid ${total} for ${itemCount}`)
    })
  }

  // What was sold, what is held and what is left, after each round.
  async #count(round: number, stockOf: Readonly<Record<Kind, number>>): Promise<void> {
    const rows = await this.shop.withStorage((storage) =>
      storage.read(
        (db) => db.sql<{ code: string; onHand: number; held: number; sold: number }>`
          select s.code, t.on_hand as "onHand", t.held, coalesce(sum(l.quantity), 0) as "sold" from skus s
          join stock t on t.merchant_id = s.merchant_id and t.sku_id = s.id and t.mode = 'test'
          left join order_lines l on l.merchant_id = s.merchant_id and l.sku_id = s.id
          where s.code like ${`%-${round}`} group by s.code, t.on_hand, t.held`,
      ),
    )
    for (const { code, onHand, held, sold } of rows) {
      const kind = kinds.find((known) => code === `${known}-${round}`)
      if (!kind) continue
      if (sold + onHand !== stockOf[kind])
        this.violations.add(`${code}: ${sold} sold and ${onHand} left of ${stockOf[kind]}`)
      if ((kind === 'MANY' || kind === 'LAST') && (onHand !== 0 || held !== 0))
        this.violations.add(`${code}: ${onHand} left and ${held} held, though more were wanted`)
      if (held > onHand) this.violations.add(`${code}: ${held} held of ${onHand}`)
    }
  }

  // Either 200, or a refusal which says that another buyer was faster.
  #isGood(id: Parameters<typeof undeclared>[0], answer: Answer): boolean {
    const problem = undeclared(id, answer)
    if (problem) this.violations.add(problem)
    const code = codeOf(answer)
    if (answer.status !== 200 && !faster.has(code)) this.violations.add(`${id} answered ${answer.status} ${code}`)
    return answer.status === 200
  }

  // At once or a moment later, so each side wins sometimes.
  async #soon<T>(run: () => Promise<T>): Promise<T> {
    if (this.random() < 0.5) await pause(this.random() * 20)
    return run()
  }

  #fate(fate: Fate): Fate {
    this.seen[fate] += 1
    return fate
  }

  #origin(): string {
    return pick(this.random, this.servers).origin
  }

  #key(): string {
    this.#keys += 1
    return `oversell-${this.#keys}`
  }
}

type Items = readonly { skuId: string; quantity: number }[]

const faster: ReadonlySet<string> = new Set(['insufficient_stock', 'cart_locked', 'cart_not_open'])
