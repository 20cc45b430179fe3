// Two conflicting requests for the same session or order at the same moment. One of them wins, the other is refused;
// there is one terminal state with one terminal event, and stock and money change once.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { OperationId } from '../src/contract/open/operations.ts'
import { createPricebooks } from '../src/domain/carts/pricebook.ts'
import { createCustomerKey } from '../src/domain/checkout/customer.ts'
import { refreshSessions } from '../src/domain/checkout/refresh.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { together } from './adminserver.ts'
import { runAfterSalesRaces } from './aftersalesraces.ts'
import { type Answer, type Caller, codeOf, createCaller, crowd, undeclared } from './caller.ts'
import { findBroken, untilSettled } from './oracles.ts'
import type { Ground } from './place.ts'
import { whole } from './random.ts'
import { RedirectPayments } from './redirect.ts'
import { RedirectRaces } from './redirectraces.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, type Stand, shopFile, standOf } from './shop.ts'
import { openSession, type Paid, pay, readSession, type Session, sessionFrom } from './shopper.ts'

export const racesRun: ServerRun = {
  name: 'races',
  method:
    'cancel∥cancel of sessions and of orders, cancel∥pay, cancel∥expire, pay∥expire, edit∥pay, pay∥pay and replay∥replay, the expiry by a second process whose clock is ahead; payments at stand-ins of Stripe and Mollie: notices∥returns at answers that take up to 600 ms, notices∥returns∥schedule, and each of them ∥ the way back, giving up, cancellations, refunds of ours, refunds in the dashboard, debits that are decided and money that comes late; after the purchase, at two servers of one database: returns, receipts, refunds, exchanges and edits ∥ each other, ∥ parcels and cancellations, their links and drafts ∥ what withdraws them, drafts, edits and exchanges ∥ each other for the last units, codes of shoppers ∥ guesses, erasing ∥ all of it; judged by the answers, terminal events, stock, charges, the books of the stand-ins and the invariants',
  // `redirect`: of each that is about payments at the stand-ins. `after`: of each after the purchase.
  numbers: { times: 2_000, redirect: 500, after: 200 },
  short: { times: 12, redirect: 12, after: 3 },
  runOn: async (ground, { times = 0, redirect = 0, after = 0 }, tools) =>
    together(
      await runRaces(ground, { times, redirect }, tools),
      await runAfterSalesRaces(ground, { times: after }, tools),
    ),
}

const batch = 24

export interface RaceNumbers {
  times: number
  redirect: number
}

export async function runRaces(ground: Ground, numbers: RaceNumbers, tools: RunTools): Promise<RunResult> {
  const receiver = await openHoldingReceiver()
  const redirect = await RedirectPayments.open(tools.random)
  const shop = await makeShop(ground, [shopFile('races', { products: [product('THING', 1_000_000_000)] })], {
    webhookUrl: receiver.url,
    providerUrls: redirect.providerUrls,
  })
  await redirect.connect(shop)
  const caller = createCaller(4 * batch)
  const server = await startServer(shop)
  redirect.leadTo(server.origin)
  const storage = await openStorage(shop.url)
  const racing = new Racing(shop, caller, server, storage, receiver, tools)
  const paying = new RedirectRaces({
    ...{ shop, caller, server, storage, redirect },
    violations: racing.violations,
    open: (wanted) => racing.open(wanted),
    cancelOrder: (orderId) => racing.cancelOrder(orderId),
    count: (what) => racing.count(what),
  })
  async function runAll(races: RedirectRaces['races'], times: number): Promise<void> {
    for (const [name, race] of races)
      for (let done = 0; done < times; done += batch) {
        await race(Math.min(batch, times - done))
        tools.tell(`${name}: ${done + batch} of ${times}`)
      }
  }
  try {
    await runAll(racing.races, numbers.times)
    const unsettled = await untilSettled(storage, tools.tell, ['payments', 'refunds'])
    await runAll(paying.races, numbers.redirect)
    await server.end()
    const logged = [...defectsOf([server]), ...paying.errors, ...(await redirect.settle(shop))]
    // Where the dashboard was quicker, a refund of ours cannot be paid.
    const defects = logged.filter((line) => !line.includes('refund failed; refund it again or by hand'))
    racing.count('refunds that could not be paid any more', await countFailedRefunds(storage))
    const broken = [...(await findBroken(storage)), ...(await redirect.compare(storage))]
    for (const sentence of [...unsettled, ...defects, ...broken]) racing.violations.add(sentence)
    return { seen: Object.fromEntries(racing.seen), violations: [...racing.violations].slice(0, 50) }
  } finally {
    await storage.close()
    await server.end('SIGKILL')
    caller.close()
    await receiver.close()
    await redirect.close()
  }
}

async function countFailedRefunds(storage: Storage): Promise<number> {
  const [row] = await storage.read(
    (db) =>
      db.sql<{ count: number }>`select count(*) as "count" from refunds where kind = 'refund' and status = 'failed'`,
  )
  return row?.count ?? 0
}

class Racing {
  readonly shop: Shop
  readonly caller: Caller
  readonly server: Server
  // The storage of this process: a second node with its own clock.
  readonly storage: Storage
  readonly receiver: HoldingReceiver
  readonly random: () => number
  readonly stand: Stand
  readonly violations = new Set<string>()
  // How often each race ended in which way.
  readonly seen = new Map<string, number>()
  readonly races: readonly (readonly [string, (times: number) => Promise<void>])[]
  #keys = 0
  #replayed = ''
  #laterMs = 0

  constructor(
    shop: Shop,
    caller: Caller,
    server: Server,
    storage: Storage,
    receiver: HoldingReceiver,
    { random }: RunTools,
  ) {
    this.shop = shop
    this.caller = caller
    this.server = server
    this.storage = storage
    this.receiver = receiver
    this.random = random
    this.stand = standOf(shop)
    this.races = [
      ['cancel∥cancel', (times) => this.#cancelSessions(times)],
      ['cancel∥cancel of orders', (times) => this.#cancelOrders(times)],
      ['cancel∥pay', (times) => this.#cancelOrPay(times)],
      ['cancel∥expire', (times) => this.#cancelOrExpire(times)],
      ['pay∥expire', (times) => this.#payOrExpire(times)],
      ['edit∥pay', (times) => this.#editOrPay(times)],
      ['pay∥pay', (times) => this.#payTwice(times)],
      ['replay∥replay', (times) => this.#replay(times)],
    ]
  }

  async #cancelSessions(times: number): Promise<void> {
    await this.#each(times, async (session) => {
      const answers = await this.#both(
        () => this.#cancel(session),
        () => this.#cancel(session),
      )
      this.#oneWinner('cancel∥cancel', session.id, answers, 'checkout_session_not_open')
      await this.#expectStatus(session, ['cancelled'])
    })
  }

  async #cancelOrders(times: number): Promise<void> {
    await this.#each(times, async (session) => {
      await this.#pay(session)
      const { orderId } = await readSession(this.caller, this.server.origin, this.stand, session.id)
      if (orderId === null) return void this.violations.add(`${session.id} was paid but has no order`)
      const cancel = () => this.cancelOrder(orderId)
      this.#oneWinner('cancel∥cancel of orders', orderId, await this.#both(cancel, cancel), 'order_not_cancellable')
    })
  }

  async #cancelOrPay(times: number): Promise<void> {
    await this.#each(times, async (session) => {
      const [cancelled, paid] = await this.#against(() => this.#cancel(session), session)
      const isCancelled = cancelled.status === 200
      this.count(`cancel∥pay: ${isCancelled ? 'cancelled' : 'paid'}`)
      if (!isCancelled && !['payment_in_progress', 'checkout_session_not_open'].includes(codeOf(cancelled)))
        this.violations.add(`${session.id} could not be cancelled: ${codeOf(cancelled)}`)
      if (isCancelled === (paid === 'completed'))
        this.violations.add(`${session.id} was ${isCancelled ? '' : 'not '}cancelled, but the shopper saw ${paid}`)
      await this.#expectStatus(session, [isCancelled ? 'cancelled' : 'completed'])
    })
  }

  async #cancelOrExpire(times: number): Promise<void> {
    const sessions = await this.open(times)
    const [cancels] = await Promise.all([
      crowd(sessions, batch, async (session) => ({ session, answer: await this.#cancelSoon(session) })),
      this.#expireAll(),
    ])
    for (const { session, answer } of cancels) {
      const isCancelled = answer.status === 200
      this.count(`cancel∥expire: ${isCancelled ? 'cancelled' : 'expired'}`)
      if (!isCancelled && codeOf(answer) !== 'checkout_session_not_open')
        this.violations.add(`${session.id} could not be cancelled: ${codeOf(answer)}`)
      await this.#expectStatus(session, [isCancelled ? 'cancelled' : 'expired'])
    }
  }

  async #payOrExpire(times: number): Promise<void> {
    const sessions = await this.open(times)
    const [payments] = await Promise.all([
      crowd(sessions, batch, async (session) => {
        await pause(whole(this.random, 0, 30))
        return { session, paid: await this.#pay(session) }
      }),
      this.#expireAll(),
    ])
    for (const { session, paid } of payments) {
      this.count(`pay∥expire: ${paid === 'completed' ? 'paid' : 'expired'}`)
      await this.#expectStatus(session, [paid === 'completed' ? 'completed' : 'expired'])
    }
  }

  async #editOrPay(times: number): Promise<void> {
    await this.#each(times, async (session) => {
      const path = { cartId: session.cartId, skuId: this.shop.sku('THING') }
      const [edited, paid] = await this.#against(
        () => this.#change('updatePublicCartItemQuantity', path, { quantity: 3 }),
        session,
      )
      const isEdited = edited.status === 200
      this.count(`edit∥pay: ${isEdited ? 'edited' : 'paid'}`)
      if (!isEdited && !['cart_locked', 'cart_not_open'].includes(codeOf(edited)))
        this.violations.add(`${session.cartId} could not be edited: ${codeOf(edited)}`)
      if (isEdited === (paid === 'completed'))
        this.violations.add(`${session.id} was ${isEdited ? '' : 'not '}edited, but the shopper saw ${paid}`)
      await this.#expectStatus(session, [isEdited ? 'open' : 'completed'])
    })
  }

  // Two tabs, each with its own form: one charge, one order.
  async #payTwice(times: number): Promise<void> {
    await this.#each(times, async (session) => {
      await this.#both(
        () => this.#pay(session),
        () => this.#pay(session),
      )
      this.count('pay∥pay: paid')
      await this.#expectStatus(session, ['completed'])
    })
  }

  // The receiver delays every repeated request, so a replay is in progress until it is released.
  async #replay(times: number): Promise<void> {
    await this.open(times)
    const deliveries = await this.#succeededDeliveries(times)
    this.receiver.hold()
    const answers = await crowd(deliveries, batch, async (id) => {
      const replay = () => this.#change('replayInstallationWebhookDelivery', { id }, { allowSucceeded: true })
      return { id, answers: await this.#both(replay, replay) }
    })
    for (const { id, answers: both } of answers) this.#oneWinner('replay∥replay', id, both, 'replay_in_progress')
    this.receiver.release()
  }

  // Each is replayed in one race only.
  async #succeededDeliveries(times: number): Promise<string[]> {
    const deadline = performance.now() + 60_000
    for (;;) {
      const rows = await this.storage.read(
        (db) => db.sql<{ id: string }>`
          select id from webhook_deliveries where status = 'succeeded' and replay_of is null and id > ${this.#replayed}
          order by id limit ${times}`,
      )
      if (rows.length === times) {
        this.#replayed = rows.at(-1)?.id ?? ''
        return rows.map(({ id }) => id)
      }
      if (performance.now() > deadline) throw new Error('too few deliveries finished')
      await pause(50)
    }
  }

  // A node whose clock is an hour ahead: for it, every open session has expired.
  async #expireAll(): Promise<void> {
    const tools = {
      carts: {
        pricebooks: createPricebooks(),
        pictureUrl: (picture: string) => picture,
        idleMs: retentionDefaultsMs.carts,
        refreshSessions: refreshSessions,
      },
      rootSecret: this.shop.rootSecret,
      customerKey: createCustomerKey(this.shop.rootSecret),
      publicOrigin: () => 'https://shop.test',
      startVatCheck: async () => {},
    }
    await pause(whole(this.random, 0, 20))
    while ((await expireSessions(this.storage, tools, Date.now() + 3_600_000)) > 0) {}
  }

  async #each(times: number, race: (session: Session) => Promise<void>): Promise<void> {
    await crowd(await this.open(times), batch / 2, race)
  }

  open(times: number): Promise<Session[]> {
    const items = [{ skuId: this.shop.sku('THING'), quantity: 2 }]
    return crowd(Array.from({ length: times }), batch, async () =>
      sessionFrom(await openSession(this.caller, this.server.origin, this.stand, { items })),
    )
  }

  async #cancelSoon(session: Session): Promise<Answer> {
    await pause(whole(this.random, 0, 30))
    return this.#cancel(session)
  }

  cancelOrder(orderId: string): Promise<Answer> {
    return this.#change('cancelStorefrontOrder', { orderId }, {})
  }

  #cancel({ id }: Session): Promise<Answer> {
    return this.#change('cancelHostedCheckoutSession', { sessionId: id }, {})
  }

  async #change(id: OperationId, path: Readonly<Record<string, string>>, body: object): Promise<Answer> {
    this.#keys += 1
    const idempotencyKey = `race-${this.#keys}`
    const { key } = this.stand
    const answer = await this.caller.ask(this.server.origin, id, { key, path, body: { ...body, idempotencyKey } })
    const problem = undeclared(id, answer)
    if (problem) this.violations.add(problem)
    return answer
  }

  // At once, or one of them a moment later, chosen at random.
  #both<A, B>(one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
    return Promise.all([this.#soon(one), this.#soon(other)])
  }

  async #soon<T>(run: () => Promise<T>): Promise<T> {
    if (this.random() < 0.5) await pause(this.random() * 25)
    return run()
  }

  #pay(session: Session): Promise<Paid> {
    return pay(this.caller, this.server.origin, session)
  }

  // One of the two starts later; which, and by how much, is adjusted by who won before, so either wins about as often
  // on every machine.
  async #against(run: () => Promise<Answer>, session: Session): Promise<[Answer, Paid]> {
    const laterMs = this.#laterMs + (this.random() - 0.5) * 8
    const [answer, paid] = await Promise.all([
      pause(Math.max(0, laterMs)).then(run),
      pause(Math.max(0, -laterMs)).then(() => this.#pay(session)),
    ])
    this.#laterMs = Math.min(200, Math.max(-200, this.#laterMs + (answer.status === 200 ? 1 : -1)))
    return [answer, paid]
  }

  #oneWinner(name: string, subject: string, answers: readonly Answer[], refusal: string): void {
    const won = answers.filter(({ status }) => status === 200).length
    const told = answers.filter((answer) => codeOf(answer) === refusal).length
    this.count(`${name}: one won`)
    if (won !== 1 || told !== answers.length - 1)
      this.violations.add(`${name} of ${subject}: ${answers.map(codeOf).join(', ')}`)
  }

  async #expectStatus(session: Session, expected: readonly string[]): Promise<void> {
    const { status } = await readSession(this.caller, this.server.origin, this.stand, session.id)
    if (!expected.includes(status))
      this.violations.add(`${session.id} is ${status}, but should be ${expected.join(' or ')}`)
  }

  count(what: string, times = 1): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + times)
  }
}

interface HoldingReceiver {
  url: string
  // From now on a request with a known id waits.
  hold(): void
  release(): void
  close(): Promise<void>
}

async function openHoldingReceiver(): Promise<HoldingReceiver> {
  const heard = new Set<string>()
  const waiting = new Set<ServerResponse>()
  let isHolding = false
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const id = String(request.headers['webhook-id'])
      if (isHolding && heard.has(id)) return void waiting.add(response)
      heard.add(id)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    hold: () => {
      isHolding = true
    },
    release: () => {
      isHolding = false
      for (const response of waiting) response.writeHead(204).end()
      waiting.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
