// Mixed writes by several shoppers while the server is killed again and again, a fifth of the times while it starts. Whatever
// a shopper saw acknowledged must be there afterwards, and the same request with the same key must get the same bytes.

import { setTimeout as pause } from 'node:timers/promises'
import type { OperationId } from '../src/contract/operations.ts'
import { type Answer, type Caller, codeOf, createCaller, crowd, dataOf, undeclared } from './caller.ts'
import { findUnheard, hashOf, type Journal, openJournal } from './journal.ts'
import { findBroken, letTimePass, untilSettled } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, runCommand, type Server, startAndKill, startServer } from './servers.ts'
import { berlin, makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { type CartData, cards, confirm, newForm, pay, type Session, sessionFrom, successUrl } from './shopper.ts'

export const crashRun: ServerRun = {
  name: 'crash',
  method:
    'carts, items, codes, addresses, sessions, payments by form, cancellations and replays while the server is killed by SIGKILL, a fifth of the times during its start; judged by a journal of acknowledged answers, a journal of webhooks, the invariants and `doctor`',
  numbers: { cycles: 1_000, shoppers: 8, writes: 100 },
  numbersOf: { postgres: { cycles: 300 } },
  short: { cycles: 4, writes: 60 },
  runOn: (ground, { cycles = 0, shoppers = 0, writes = 0 }, tools) =>
    runCrash(ground, { cycles, shoppers, writes }, tools),
}

export interface CrashNumbers {
  cycles: number
  shoppers: number
  // How many of them a server lives to acknowledge, at most.
  writes: number
}

const lifeMsMax = 20_000

// One request that was answered with 200: what was asked, and what came.
interface Acknowledged {
  id: OperationId
  path: Readonly<Record<string, string>>
  body: object
  hash: string
}

// What is known of a thing by an answer.
interface Fact {
  kind: 'cart' | 'session' | 'order'
  id: string
  version: number
  // Where it can no longer change.
  status?: string
}

const codes = ['TEN', 'FIVER', 'MANY', 'NOSUCH'] as const
const skuCodes = ['SENT', 'PLAIN', 'DIGITAL', 'SCARCE', 'LATER'] as const

const shopOfRun = shopFile('crash', {
  products: [
    product('SENT', 1_000_000, { isSent: true, price: 1_999 }),
    product('PLAIN', 1_000_000, { isSent: true, price: 333 }),
    product('DIGITAL', 1_000_000, { price: 9_900 }),
    product('SCARCE', 60, { price: 500 }),
    product('LATER', 3, { price: 700, isBackordered: true }),
  ],
  promotions: [
    { code: 'TEN', name: 'Ten', type: 'percentage', percentage: 1_000 },
    { code: 'FIVER', name: 'Five off', type: 'fixed_amount', amount: 500 },
    { code: 'MANY', name: 'Many', type: 'percentage', percentage: 500, usageLimit: 1_000_000, customerLimit: 2 },
  ],
})

export async function runCrash(ground: Ground, numbers: CrashNumbers, tools: RunTools): Promise<RunResult> {
  const webhooks = await openJournal()
  const caller = createCaller(64)
  try {
    const shop = await makeShop(ground, [shopOfRun], { webhookUrl: webhooks.url })
    return await new Crashing(shop, caller, webhooks, numbers, tools).run()
  } finally {
    caller.close()
    await webhooks.close()
  }
}

// The run is over for this shopper.
class Over extends Error {}

class Crashing {
  readonly shop: Shop
  readonly caller: Caller
  readonly webhooks: Journal
  readonly numbers: CrashNumbers
  readonly random: () => number
  readonly tell: (text: string) => void
  readonly violations = new Set<string>()
  readonly seen = { kills: 0, killsAtStart: 0, lost: 0, repeated: 0, orders: 0, refusals: 0 }
  // The journal: it only ever grows.
  readonly acknowledged: Acknowledged[] = []
  readonly facts = new Map<string, Fact>()
  // Where the present server is; a new one after each kill.
  #open = Promise.withResolvers<string>()
  #isOver = false
  #keys = 0
  #startMs = 1_000

  constructor(shop: Shop, caller: Caller, webhooks: Journal, numbers: CrashNumbers, { random, tell }: RunTools) {
    this.shop = shop
    this.caller = caller
    this.webhooks = webhooks
    this.numbers = numbers
    this.random = random
    this.tell = tell
  }

  async run(): Promise<RunResult> {
    const shoppers = Array.from({ length: this.numbers.shoppers }, () => this.#shopAround())
    // A shopper who breaks must not be an unhandled rejection while the kills go on.
    const ended = Promise.allSettled(shoppers)
    try {
      await this.#killAgainAndAgain()
    } finally {
      this.#isOver = true
      this.#open.reject(new Over())
      this.#open.promise.catch(() => {})
    }
    for (const result of await ended) {
      if (result.status === 'rejected' && !(result.reason instanceof Over))
        this.violations.add(`a shopper met what must not be: ${String(result.reason)}`)
    }
    await this.#judge()
    if (this.acknowledged.length < this.numbers.cycles)
      this.violations.add('too little was acknowledged to prove anything')
    const { calls, duplicates } = this.webhooks
    return {
      seen: {
        ...this.seen,
        acknowledged: this.acknowledged.length,
        webhookCalls: calls,
        webhookDuplicates: duplicates,
      },
      violations: [...this.violations].slice(0, 50),
    }
  }

  async #killAgainAndAgain(): Promise<void> {
    let checked = 0
    for (let cycle = 0; cycle < this.numbers.cycles; cycle += 1) {
      if (this.random() < 0.2) {
        await startAndKill(this.shop, this.random() * this.#startMs)
        this.seen.killsAtStart += 1
      }
      const server = await this.#start()
      if (!server) return
      const fresh = this.acknowledged.slice(checked)
      checked = this.acknowledged.length
      const old = Array.from({ length: Math.min(20, checked) }, () => pick(this.random, this.acknowledged))
      await this.#repeat(server, [...fresh, ...old])
      await this.#lookAtFacts(server)
      this.#open.resolve(server.origin)
      await this.#live()
      this.#open = Promise.withResolvers()
      await server.end('SIGKILL')
      this.#noteDefects(server)
      this.seen.kills += 1
      this.tell(`${cycle + 1} of ${this.numbers.cycles} cycles, ${this.acknowledged.length} acknowledged`)
    }
  }

  // By writes and not by time, so that a slow machine is proved as well as a fast one. A later life may be over before
  // anybody was answered; the first may not, since without an answer there is nothing to hold it to.
  async #live(): Promise<void> {
    const least = this.acknowledged.length === 0 ? Math.ceil(this.numbers.writes / 2) : 0
    const wanted = this.acknowledged.length + whole(this.random, least, this.numbers.writes)
    const deadline = performance.now() + lifeMsMax
    while (this.acknowledged.length < wanted && performance.now() < deadline) await pause(this.random() * 10)
    await pause(this.random() * 10)
  }

  async #start(): Promise<Server | undefined> {
    const startedAt = performance.now()
    try {
      const server = await startServer(this.shop)
      this.#startMs = performance.now() - startedAt
      return server
    } catch (error) {
      this.violations.add(`after a kill it does not open again: ${(error as Error).message}`)
      return undefined
    }
  }

  #noteDefects(server: Server): void {
    for (const line of defectsOf([server])) this.violations.add(line)
  }

  // Every request again, with its key: the same bytes.
  async #repeat(server: Server, entries: readonly Acknowledged[]): Promise<void> {
    const { key } = standOf(this.shop)
    await crowd(entries, 16, async ({ id, path, body, hash }) => {
      const answer = await this.caller.ask(server.origin, id, { key, path, body })
      this.seen.repeated += 1
      if (answer.status !== 200 || hashOf(answer.text) !== hash)
        this.violations.add(
          `${id} was acknowledged, and repeated it is ${answer.status} ${codeOf(answer)} or other bytes`,
        )
      else if (answer.headers['idempotency-replayed'] !== 'true')
        this.violations.add(`${id} was acknowledged and was done a second time`)
    })
  }

  // A hundred things of which something was acknowledged: none is gone, and none is older than it was.
  async #lookAtFacts(server: Server): Promise<void> {
    const known = [...this.facts.values()]
    const some = known.length <= 100 ? known : Array.from({ length: 100 }, () => pick(this.random, known))
    const { key } = standOf(this.shop)
    await crowd(some, 16, async ({ kind, id, version, status }) => {
      const ask = {
        cart: () => this.caller.ask(server.origin, 'getPublicCart', { key, path: { cartId: id } }),
        session: () => this.caller.ask(server.origin, 'getHostedCheckoutSession', { key, path: { sessionId: id } }),
        order: () => this.caller.ask(server.origin, 'getStorefrontOrder', { key, path: { orderId: id } }),
      }
      const answer = await ask[kind]()
      if (answer.status !== 200) return void this.violations.add(`${kind} ${id} was acknowledged and is gone`)
      const now = dataOf<{ version: number; status: string }>(answer)
      if (now.version < version) this.violations.add(`${kind} ${id} was at version ${version} and is at ${now.version}`)
      if (status !== undefined && now.status !== status)
        this.violations.add(`${kind} ${id} was ${status} and is ${now.status}`)
    })
  }

  #note(fact: Fact): void {
    const known = this.facts.get(fact.id)
    if (!known || known.version <= fact.version)
      this.facts.set(fact.id, { ...fact, ...(known?.status && !fact.status && { status: known.status }) })
  }

  // One change with a key of its own, asked for until somebody answers.
  async #change(id: OperationId, path: Readonly<Record<string, string>>, wanted: object): Promise<Answer> {
    this.#keys += 1
    const body = { ...wanted, idempotencyKey: `crash-${this.#keys}` }
    const { key } = standOf(this.shop)
    const answer = await this.#untilAnswered((origin) => this.caller.ask(origin, id, { key, path, body }))
    const problem = undeclared(id, answer)
    if (problem) this.violations.add(problem)
    if (answer.status === 200) this.acknowledged.push({ id, path, body, hash: hashOf(answer.text) })
    else this.seen.refusals += 1
    return answer
  }

  async #untilAnswered<T extends { status: number } | string>(ask: (origin: string) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#isOver) throw new Over()
      const origin = await this.#open.promise
      try {
        const answer = await ask(origin)
        if (typeof answer === 'string' || answer.status !== 503) return answer
      } catch (error) {
        if (!(error instanceof Error && isLost(error))) throw error
        this.seen.lost += 1
      }
      // The server is dead or about to be noticed as such.
      await pause(10)
    }
  }

  async #shopAround(): Promise<void> {
    while (!this.#isOver) await this.#buy()
  }

  async #buy(): Promise<void> {
    const cart = await this.#fill()
    if (!cart || this.random() < 0.2) return
    const session = await this.#openSession(cart)
    if (!session) return
    if (this.random() < 0.15) {
      const path = { sessionId: session.id }
      const answer = await this.#change('cancelHostedCheckoutSession', path, { reason: 'abandoned' })
      if (answer.status === 200) this.#noteSession(answer)
      return
    }
    const orderId = await this.#pay(session)
    if (orderId === null) return
    this.seen.orders += 1
    if (this.random() < 0.3) {
      const answer = await this.#change('cancelStorefrontOrder', { orderId }, { note: 'by the proof' })
      if (answer.status === 200) this.#note({ kind: 'order', id: orderId, version: 1, status: 'cancelled' })
    }
    if (this.random() < 0.2) await this.#replay()
  }

  async #fill(): Promise<string | undefined> {
    const { random, shop } = this
    const items = [...new Set([pick(random, skuCodes), pick(random, skuCodes)])]
    const wanted = items.map((code) => ({ skuId: shop.sku(code), quantity: whole(random, 1, 3) }))
    const made = await this.#change('createPublicCart', {}, { items: wanted })
    if (made.status !== 200) return undefined
    const cartId = this.#noteCart(made)
    for (let edits = whole(random, 0, 4); edits > 0; edits -= 1) await this.#edit(cartId)
    await this.#change('setPublicCartAddress', { cartId }, { address: berlin })
    return cartId
  }

  async #edit(cartId: string): Promise<void> {
    const { random } = this
    const skuId = this.shop.sku(pick(random, skuCodes))
    const edits = [
      () => this.#change('putPublicCartItem', { cartId, skuId }, { quantity: whole(random, 1, 4) }),
      () => this.#change('updatePublicCartItemQuantity', { cartId, skuId }, { quantity: whole(random, 0, 4) }),
      () => this.#change('removePublicCartItem', { cartId, skuId }, {}),
      () => this.#change('applyPublicCartPromotion', { cartId }, { code: pick(random, codes) }),
    ]
    const answer = await pick(random, edits)()
    if (answer.status === 200 && 'version' in dataOf<object>(answer)) this.#noteCart(answer)
  }

  #noteCart(answer: Answer): string {
    const { id, version } = dataOf<CartData>(answer)
    this.#note({ kind: 'cart', id, version })
    return id
  }

  #noteSession(answer: Answer): Session {
    const session = sessionFrom(answer)
    const isOver = ['completed', 'cancelled', 'expired'].includes(session.status)
    this.#note({ kind: 'session', id: session.id, version: session.version, ...(isOver && { status: session.status }) })
    return session
  }

  async #openSession(cartId: string): Promise<Session | undefined> {
    const customer = { email: `shopper-${whole(this.random, 1, 1_000_000)}@example.com` }
    const answer = await this.#change('createHostedCheckoutSession', {}, { cartId, successUrl, customer })
    return answer.status === 200 ? this.#noteSession(answer) : undefined
  }

  // Answers with the order, or null where there is none (yet).
  async #pay(session: Session): Promise<string | null> {
    const form = newForm(
      pick(this.random, [
        ...Array<string>(7).fill(cards.approved),
        cards.declined,
        cards.challenged,
        cards.approvedUnheard,
        cards.declinedUnheard,
        cards.unasked,
      ]),
    )
    await this.#untilAnswered((origin) => pay(this.caller, origin, session, form))
    if (form.card === cards.challenged) {
      const isAccepted = this.random() < 0.7
      await this.#untilAnswered((origin) => confirm(this.caller, origin, session.secret, isAccepted))
    }
    const stand = standOf(this.shop)
    const path = { sessionId: session.id }
    const { orderId } = this.#noteSession(
      await this.#untilAnswered((origin) =>
        this.caller.ask(origin, 'getHostedCheckoutSession', { key: stand.key, path }),
      ),
    )
    if (orderId !== null) this.#note({ kind: 'order', id: orderId, version: 1 })
    return orderId
  }

  async #replay(): Promise<void> {
    const { key } = standOf(this.shop)
    const answer = await this.#untilAnswered((origin) => this.caller.ask(origin, 'listInstallationWebhooks', { key }))
    const { endpoints } = dataOf<{ endpoints: { recentDeliveries: { id: string; status: string }[] }[] }>(answer)
    const done = endpoints[0]?.recentDeliveries.filter(({ status }) => status === 'succeeded') ?? []
    if (done.length === 0) return
    const { id } = pick(this.random, done)
    await this.#change('replayInstallationWebhookDelivery', { id }, { allowSucceeded: true })
  }

  // Once more from the beginning, with time enough for everything that was cut off.
  async #judge(): Promise<void> {
    await this.shop.withStorage(letTimePass)
    const server = await this.#start()
    if (!server) return
    try {
      for (const problem of await this.shop.withStorage((storage) => untilSettled(storage, this.tell)))
        this.violations.add(problem)
      await this.#repeat(server, this.acknowledged)
      await this.#lookAtFacts(server)
    } finally {
      await server.end()
    }
    this.#noteDefects(server)
    const broken = await this.shop.withStorage(async (storage) => [
      ...(await findBroken(storage)),
      ...(await findUnheard(storage, this.webhooks)),
    ])
    for (const sentence of broken) this.violations.add(sentence)
    const doctor = await runCommand(this.shop, ['doctor'])
    if (doctor.code !== 0) this.violations.add(`doctor says: ${doctor.said}`)
  }
}

function isLost(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code ?? '') || error.message === 'the answer was cut off'
}
