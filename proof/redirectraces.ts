// Races about redirect payments: webhooks, returns, the schedule, the way back, cancellations, and refunds made in the provider's
// dashboard, all at the same moment. Each payment ends once; in the end the books of both sides agree.

import { setTimeout as pause } from 'node:timers/promises'
import type { FakeProvider, ShopperAct } from '../harness/fakeProviders.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { refundOrder } from '../src/domain/orders/operator.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { type Answer, type Caller, codeOf, crowd } from './caller.ts'
import { pick } from './random.ts'
import { payToolsFor, type RedirectPayments } from './redirect.ts'
import type { Server } from './servers.ts'
import { type Shop, type Stand, standOf } from './shop.ts'
import { look, newForm, payByRedirect, post, readSession, type Session } from './shopper.ts'

export interface RedirectRaceParts {
  shop: Shop
  caller: Caller
  server: Server
  // Of this process, which is a second node.
  storage: Storage
  redirect: RedirectPayments
  violations: Set<string>
  open(times: number): Promise<Session[]>
  cancelOrder(orderId: string): Promise<Answer>
  count(what: string): void
}

// A payment of which the shopper has the page.
interface Begun {
  session: Session
  fakeProvider: FakeProvider
  reference: string
  returnPath: string
}

const minute = 60_000
const atOnce = 12
const latenciesMs = [0, 50, 200, 600]

export class RedirectRaces {
  readonly races: readonly (readonly [string, (times: number) => Promise<void>])[]
  // What the second node logged as a defect.
  readonly errors: string[] = []
  readonly #parts: RedirectRaceParts
  readonly #stand: Stand
  // By how much a shopper pays later, at most; adjusted by who won before, so either wins about as often on every machine.
  #laterMs = 150

  constructor(parts: RedirectRaceParts) {
    this.#parts = parts
    this.#stand = standOf(parts.shop)
    this.races = [
      ['notice∥return', (times) => this.#land(times)],
      ['notice∥return∥schedule', (times) => this.#learn(times)],
      ['back∥pay by redirect', (times) => this.#goBack(times)],
      ['give up∥pay by redirect', (times) => this.#giveUp(times)],
      ['cancel∥refund there', (times) => this.#cancel(times)],
      ['refund∥refund there', (times) => this.#refund(times)],
      ['cancel∥debit', (times) => this.#debit(times)],
      ['late money∥schedule', (times) => this.#late(times)],
    ]
  }

  // Each payment is made, its notice is sent and its shopper comes back within milliseconds, at providers that take their time. Who
  // paid is told so by the return itself. Some had a look-up a moment before.
  async #land(times: number): Promise<void> {
    const begun = await this.#begin(times)
    const latencyMs = pick(this.#random, latenciesMs)
    for (const fakeProvider of this.#parts.redirect.fakeProviders) fakeProvider.slowDown(latencyMs)
    try {
      await crowd(begun, atOnce, async (one) => {
        if (this.#random() < 0.3) await this.#comeBack(one)
        one.fakeProvider.act(one.reference, 'pay')
        const heard = this.#soon(() => this.#hear())
        await pause(this.#random() * 2 * latencyMs)
        const { text } = await this.#comeBack(one)
        if (!text.includes('Your order is placed'))
          this.#parts.violations.add(`notice∥return: ${one.reference} was paid, and its shopper was told otherwise`)
        await heard
      })
    } finally {
      for (const fakeProvider of this.#parts.redirect.fakeProviders) fakeProvider.slowDown(0)
    }
    for (const one of begun) await this.#expect(`notice∥return at ${latencyMs} ms`, one, 'completed')
  }

  // Paid, and everybody hears of it at once.
  async #learn(times: number): Promise<void> {
    const begun = await this.#begin(times)
    for (const { fakeProvider, reference } of begun)
      fakeProvider.act(reference, pick(this.#random, ['pay', 'confirm'] as const))
    await this.#together(begun, { aheadMs: 10 * minute })
    for (const one of begun) await this.#expect('notice∥return∥schedule', one, 'completed')
  }

  // The shopper has two tabs: in one of them the way back, in the other the payment.
  async #goBack(times: number): Promise<void> {
    const begun = await this.#begin(times)
    await this.#together(begun, { act: 'pay', back: true })
    for (const one of begun) await this.#ended('back∥pay by redirect', one)
  }

  // A node whose clock is so far ahead that nobody may pay any more.
  async #giveUp(times: number): Promise<void> {
    const begun = await this.#begin(times)
    await this.#together(begun, { act: 'pay', aheadMs: 40 * minute })
    for (const one of begun) await this.#ended('give up∥pay by redirect', one)
  }

  async #cancel(times: number): Promise<void> {
    await this.#withOrders(times, 'pay', async (orders) => {
      await Promise.all([
        ...orders.map(([orderId]) => this.#soon(() => this.#parts.cancelOrder(orderId))),
        ...orders.map(([, one]) => this.#soon(async () => one.fakeProvider.refund(one.reference, this.#share()))),
        this.#hear(),
        this.#schedule(0),
      ])
      for (const _ of orders) this.#parts.count('cancel∥refund there')
    })
  }

  async #refund(times: number): Promise<void> {
    const { storage } = this.#parts
    const { installationId } = this.#stand
    const refund = async (orderId: string, total: number) => {
      const input = { amount: Math.max(1, Math.floor(total * this.#share())), reason: null }
      try {
        await storage.write((tx) =>
          refundOrder(tx, { installationId, orderId }, input, { now: Date.now(), cause: null }),
        )
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
      }
    }
    await this.#withOrders(times, 'pay', async (orders) => {
      await Promise.all([
        ...orders.map(([orderId, { session }]) => this.#soon(() => refund(orderId, session.total))),
        ...orders.map(([, one]) => this.#soon(async () => one.fakeProvider.refund(one.reference, this.#share()))),
        this.#hear(),
        this.#schedule(0),
      ])
      for (const _ of orders) this.#parts.count('refund∥refund there')
    })
  }

  // The bank decides while the order is cancelled.
  async #debit(times: number): Promise<void> {
    await this.#withOrders(times, 'later', async (orders) => {
      await Promise.all([
        ...orders.map(([orderId]) => this.#soon(() => this.#parts.cancelOrder(orderId))),
        ...this.#parts.redirect.fakeProviders.map((fakeProvider) =>
          this.#soon(async () => {
            for (const _ of orders) fakeProvider.settleOne(this.#random() < 0.5)
          }),
        ),
        this.#hear(),
        this.#schedule(7 * 60 * minute),
      ])
      for (const _ of orders) this.#parts.count('cancel∥debit')
    })
  }

  // Closed here and there, and paid there all the same.
  async #late(times: number): Promise<void> {
    const begun = await this.#begin(times)
    await crowd(begun, atOnce, (one) => this.#back(one))
    for (const { fakeProvider, reference } of begun)
      this.#parts.count(`late money∥schedule: ${fakeProvider.payClosed(reference) ? 'given back' : 'not closed'}`)
    await this.#together(begun, { aheadMs: 10 * minute })
  }

  // The order of each, by the shopper's return.
  async #withOrders(
    times: number,
    act: ShopperAct,
    race: (orders: readonly (readonly [string, Begun])[]) => Promise<void>,
  ): Promise<void> {
    const begun = await this.#begin(times)
    const orders = await crowd(begun, atOnce, async (one) => {
      one.fakeProvider.act(one.reference, act)
      await this.#comeBack(one)
      const { orderId } = await this.#read(one)
      if (orderId === null) this.#parts.violations.add(`${one.reference} was paid, and the return found no order`)
      return orderId === null ? undefined : ([orderId, one] as const)
    })
    await race(orders.filter((order) => order !== undefined))
  }

  async #together(
    begun: readonly Begun[],
    { act, back = false, aheadMs = 0 }: { act?: ShopperAct; back?: boolean; aheadMs?: number },
  ): Promise<void> {
    await Promise.all([
      ...begun.map((one) => this.#soon(() => this.#comeBack(one))),
      ...(act ? begun.map((one) => this.#actLater(one, act)) : []),
      ...(back ? begun.map((one) => this.#soon(() => this.#back(one))) : []),
      this.#hear(),
      this.#hear(),
      this.#schedule(aheadMs),
    ])
  }

  async #actLater({ fakeProvider, reference }: Begun, act: ShopperAct): Promise<void> {
    await pause(this.#random() * this.#laterMs)
    fakeProvider.act(reference, act)
  }

  // All webhooks, some of them twice, in any order.
  async #hear(): Promise<void> {
    await pause(this.#random() * 30)
    for (const fakeProvider of this.#parts.redirect.fakeProviders)
      await fakeProvider.deliver({ isReversed: this.#random() < 0.5, times: this.#random() < 0.5 ? 2 : 1 })
  }

  // A second node, whose clock is ahead.
  async #schedule(aheadMs: number): Promise<void> {
    const { shop, storage } = this.#parts
    const tools = payToolsFor(shop, storage, this.errors, () => new Date(Date.now() + aheadMs))
    await pause(this.#random() * 30)
    while ((await recoverPayments(tools)) > 0) {}
  }

  async #begin(times: number): Promise<Begun[]> {
    const { caller, server, redirect } = this.#parts
    const begun = await crowd(await this.#parts.open(times), atOnce, async (session) => {
      const fakeProvider = pick(this.#random, redirect.fakeProviders)
      fakeProvider.change()
      await payByRedirect(caller, server.origin, session, fakeProvider.method, newForm())
      const { text } = await look(caller, server.origin, session.secret)
      const reference = fakeProvider.referenceIn(text)
      const returnPath = reference && fakeProvider.returnPathIn(text, reference)
      if (reference && returnPath) return { session, fakeProvider, reference, returnPath }
      this.#parts.violations.add(`the page of ${session.id} leads nowhere`)
      return undefined
    })
    return begun.filter((one) => one !== undefined)
  }

  async #comeBack({ returnPath }: Begun): Promise<Answer> {
    const { caller, server, violations } = this.#parts
    const answer = await caller.call(server.origin, { method: 'GET', path: returnPath })
    if (answer.status !== 200) violations.add(`a return was answered ${answer.status} ${codeOf(answer)}`)
    return answer
  }

  async #back({ session }: Begun): Promise<void> {
    const { caller, server, violations } = this.#parts
    const { status } = await post(caller, server.origin, `/c/${session.secret}/back`, {})
    if (status !== 200 && status !== 303) violations.add(`the way back was answered ${status}`)
  }

  #read({ session }: Begun): Promise<Session> {
    const { caller, server } = this.#parts
    return readSession(caller, server.origin, this.#stand, session.id)
  }

  // What was not paid is open again, or waits at the provider where the provider does not close it; what was paid may not be known yet.
  async #ended(name: string, one: Begun): Promise<void> {
    const { status } = await this.#read(one)
    const isPaid = one.fakeProvider.isPaid(one.reference)
    this.#parts.count(`${name}: ${isPaid ? 'paid' : status}`)
    this.#laterMs = Math.min(1_000, Math.max(1, this.#laterMs * (isPaid ? 1.1 : 0.9)))
    const expected = isPaid ? ['completed', 'processing'] : ['open', 'processing']
    if (!expected.includes(status))
      this.#parts.violations.add(`${name}: ${one.reference} is ${isPaid ? '' : 'not '}paid, and its session ${status}`)
  }

  async #expect(name: string, one: Begun, expected: string): Promise<void> {
    const { status } = await this.#read(one)
    this.#parts.count(`${name}: ${status}`)
    if (status !== expected)
      this.#parts.violations.add(`${name}: ${one.reference} was paid, and its session is ${status}`)
  }

  // All of it, or a part.
  #share(): number {
    return this.#random() < 0.3 ? 1 : this.#random()
  }

  async #soon<T>(run: () => Promise<T>): Promise<T> {
    if (this.#random() < 0.5) await pause(this.#random() * 25)
    return run()
  }

  get #random(): () => number {
    return this.#parts.redirect.random
  }
}
