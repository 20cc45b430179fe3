// Payments by redirect: a merchant with accounts at Stripe and Mollie, whose stand-ins run in this process; shoppers, banks
// and the dashboard there; webhooks that come late, twice, in another order or never. In the end their books and ours must agree.

import { setTimeout as pause } from 'node:timers/promises'
import {
  connectFakeProviders,
  type FakeProvider,
  openFakeMollie,
  openFakeStripe,
  type ShopperAct,
  urlsOf,
} from '../harness/fakeProviders.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { createPayTools, type PayTools } from '../src/domain/checkout/tools.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { makeProviderEventsDue } from '../src/domain/payments/accounts.ts'
import { readProviderEvents } from '../src/domain/payments/providerevents.ts'
import { payDueRefunds } from '../src/domain/payments/refunds.ts'
import { createPaymentWatch } from '../src/domain/payments/watch.ts'
import { listDeferred } from '../src/platform/jobs/store.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { createLog } from '../src/platform/log/log.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import type { Answer, Caller } from './caller.ts'
import { letTimePass } from './oracles.ts'
import { pick } from './random.ts'
import { noteDefect, publicUrl } from './servers.ts'
import { type Shop, standOf } from './shop.ts'
import { look, newForm, paidFrom, payByRedirect, post, type Session } from './shopper.ts'

// Asks a server that is open, again and again until one answers.
export type UntilAnswered = (ask: (origin: string) => Promise<Answer>) => Promise<Answer>

const acts: readonly ShopperAct[] = [
  ...Array<ShopperAct>(5).fill('pay'),
  'confirm',
  'confirm',
  'decline',
  'refuse',
  'later',
  'later',
  'leave',
]

// Where a shopper is, beside the requests of the server to the providers.
const shopperSteps = ['notice', 'return', 'back', 'wait'] as const

export class RedirectPayments {
  readonly fakeProviders: readonly FakeProvider[]
  readonly random: () => number
  readonly seen = { redirect: 0, paidByRedirect: 0, paidLate: 0, refundedThere: 0, disputes: 0 }
  // What a shopper left to itself: nobody will ask for it here.
  readonly #left: { fakeProvider: FakeProvider; reference: string }[] = []
  #origin: string | undefined
  #wanted: { step: string; reached: () => void } | undefined

  constructor(fakeProviders: readonly FakeProvider[], random: () => number) {
    this.fakeProviders = fakeProviders
    this.random = random
    for (const fakeProvider of fakeProviders)
      fakeProvider.route((url) => {
        this.#pass('notice')
        return url.replace(publicUrl, this.#origin ?? 'http://127.0.0.1:9')
      })
  }

  static async open(random: () => number): Promise<RedirectPayments> {
    return new RedirectPayments([await openFakeStripe(), await openFakeMollie()], random)
  }

  get providerUrls(): Readonly<Record<string, string>> {
    return urlsOf(this.fakeProviders)
  }

  get steps(): readonly string[] {
    return [...shopperSteps, ...this.fakeProviders.flatMap(({ steps }) => steps)]
  }

  // Accounts of the merchant of the first installation, as `payments connect` makes them.
  async connect(shop: Shop): Promise<void> {
    const { rootSecret, providerUrls } = shop
    const merchant = { merchantId: standOf(shop).merchantId, mode: 'test' } as const
    await shop.withStorage((storage) => {
      const parts = { storage, rootSecret, providerUrls, clock: () => new Date(), publicOrigin: () => publicUrl }
      return connectFakeProviders(this.fakeProviders, parts, merchant)
    })
  }

  // Where webhooks go; undefined: no server is there.
  leadTo(origin: string | undefined): void {
    this.#origin = origin
  }

  // Resolves when a request of this kind is under way: its answer is lost, before or after the work.
  at(step: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wanted = { step, reached: resolve }
    const fakeProvider = this.fakeProviders.find(({ steps }) => steps.includes(step))
    fakeProvider?.lose(step, this.random() < 0.5 ? 'before' : 'after', resolve)
    return promise
  }

  // Faults that were not met are forgotten.
  reset(): void {
    this.#wanted = undefined
    for (const fakeProvider of this.fakeProviders) fakeProvider.reset()
  }

  // Banks, the dashboard and webhooks, for as long as the work takes.
  async during(work: () => Promise<void>): Promise<void> {
    const isOver = { value: false }
    const others = Promise.all([
      this.#liveOn(isOver),
      ...this.fakeProviders.map((fakeProvider) => this.#notify(fakeProvider, isOver)),
    ])
    try {
      await work()
    } finally {
      isOver.value = true
      await others
    }
  }

  // Whether the shopper comes back, and does something with the order.
  async pay(session: Session, untilAnswered: UntilAnswered, caller: Caller): Promise<boolean> {
    const { random } = this
    const fakeProvider = pick(random, this.fakeProviders)
    const form = newForm()
    this.seen.redirect += 1
    const begun = await untilAnswered((origin) => payByRedirect(caller, origin, session, fakeProvider.method, form))
    if (paidFrom(begun) === 'told') return true
    const found = await this.#find(session, fakeProvider, untilAnswered, caller)
    if (!found) return false
    const { reference, returnPath } = found
    // Another tab goes back, before or after.
    const goesBack = random() < 0.2
    const back = () => {
      this.#pass('back')
      return untilAnswered((origin) => post(caller, origin, `/c/${session.secret}/back`, {}))
    }
    const act = pick(random, acts)
    const [isDone] = await Promise.all([this.#actSoon(fakeProvider, reference, act), goesBack && back()])
    if (act === 'decline' && random() < 0.5) fakeProvider.act(reference, 'pay')
    if (isDone && fakeProvider.isPaid(reference)) this.seen.paidByRedirect += 1
    if (goesBack && random() < 0.5 && fakeProvider.payClosed(reference)) this.seen.paidLate += 1
    if (random() < 0.3) {
      this.#left.push({ fakeProvider, reference })
      return false
    }
    this.#pass('return')
    if (returnPath !== undefined)
      await untilAnswered((origin) => caller.call(origin, { method: 'GET', path: returnPath }))
    if (random() < 0.3) await this.#wait(session, untilAnswered, caller)
    return true
  }

  async #actSoon(fakeProvider: FakeProvider, reference: string, act: ShopperAct): Promise<boolean> {
    await pause(this.random() * 20)
    return fakeProvider.act(reference, act)
  }

  async #wait({ secret }: Session, untilAnswered: UntilAnswered, caller: Caller): Promise<void> {
    this.#pass('wait')
    await untilAnswered((origin) => caller.call(origin, { method: 'GET', path: `/c/${secret}/wait` }))
  }

  // What the page leads to; undefined where the answer to the start was lost, and is found by schedule only.
  async #find(
    session: Session,
    fakeProvider: FakeProvider,
    untilAnswered: UntilAnswered,
    caller: Caller,
  ): Promise<{ reference: string; returnPath: string | undefined } | undefined> {
    for (let tries = 0; tries < 2; tries += 1) {
      const { text } = await untilAnswered((origin) => look(caller, origin, session.secret))
      const reference = fakeProvider.referenceIn(text)
      if (reference !== undefined) return { reference, returnPath: fakeProvider.returnPathIn(text, reference) }
      await this.#wait(session, untilAnswered, caller)
    }
    return undefined
  }

  #pass(step: string): void {
    if (this.#wanted?.step !== step) return
    const { reached } = this.#wanted
    this.#wanted = undefined
    setTimeout(reached, this.random() * 8)
  }

  async #notify(fakeProvider: FakeProvider, isOver: { value: boolean }): Promise<void> {
    while (!isOver.value) {
      await pause(20 + this.random() * 200)
      if (this.random() < 0.15) fakeProvider.drop()
      else if (this.#origin !== undefined)
        await fakeProvider.deliver({ isReversed: this.random() < 0.5, times: this.random() < 0.3 ? 2 : 1 })
    }
  }

  async #liveOn(isOver: { value: boolean }): Promise<void> {
    const { random } = this
    while (!isOver.value) {
      await pause(20 + random() * 200)
      for (const fakeProvider of this.fakeProviders) {
        if (random() < 0.5) fakeProvider.settleOne(random() < 0.7)
        if (random() < 0.2) fakeProvider.change()
      }
      const [left] = random() < 0.3 ? this.#left.splice(0, 1) : []
      if (!left?.fakeProvider.isPaid(left.reference)) continue
      if (random() < 0.3) {
        left.fakeProvider.refund(left.reference, random() < 0.3 ? 1 : random())
        this.seen.refundedThere += 1
      } else if (random() < 0.2) {
        left.fakeProvider.dispute(left.reference)
        this.seen.disputes += 1
      }
    }
  }

  // After all shoppers have gone: the banks decide everything, and the loops run until nothing is left to ask for. No server may be
  // running. Answers what did not come to an end, and what was logged as a defect.
  async settle(shop: Shop): Promise<string[]> {
    this.reset()
    const errors: string[] = []
    const { left, deferred } = await shop.withStorage(async (storage) => {
      const failed = await storage.read((db) => listDeferred(db, Date.now(), 20))
      const tools = payToolsFor(shop, storage, errors)
      let open = 1
      for (let round = 0; round < roundsMax && open > 0; round += 1) {
        for (const fakeProvider of this.fakeProviders) {
          fakeProvider.settleAll(() => this.random() < 0.7)
          fakeProvider.age(roundMs)
        }
        await letTimePass(storage, roundMs)
        await storage.write(async (tx) => makeProviderEventsDue(tx))
        await readProviderEvents(tools)
        while ((await recoverPayments(tools)) > 0) {}
        while ((await payDueRefunds({ ...tools, onPaid: recordRefundEnd }, Date.now(), 20)) > 0) {}
        open = await countOpen(storage)
      }
      return { left: open, deferred: failed.map(({ loop, rowId, errorCode }) => `${loop} ${rowId} ${errorCode}`) }
    })
    return [
      ...errors.map((line) => `logged while it was settled: ${line.slice(0, 1_000)}`),
      ...(left > 0
        ? [`${left} payments or refunds at the provider did not come to an end; had failed: ${deferred.join(', ')}`]
        : []),
    ]
  }

  // One sentence for each payment of which the books differ.
  async compare(storage: Storage): Promise<string[]> {
    const there = new Map(this.fakeProviders.flatMap((fakeProvider) => [...fakeProvider.books()]))
    const [payments, disputes] = await storage.read((db) =>
      Promise.all([
        db.sql<PaymentHere>`
          select p.id, p.checkout_session_id as "sessionId", p.status, p.amount, p.order_id as "orderId",
            (select coalesce(sum(r.amount), 0) from refunds r
              join payments own on own.installation_id = r.installation_id and own.id = r.payment_id
              where r.installation_id = p.installation_id and coalesce(own.moved_from, own.id) = p.id
                and r.moved_to is null and r.status = 'succeeded') as "refunded"
          from payments p where p.account_id is not null and p.moved_from is null`,
        db.sql<{ paymentId: string; name: string }>`
          select payment_id as "paymentId", reference || ' ' || status as "name" from disputes`,
      ]),
    )
    const here = new Map(payments.map((payment) => [payment.id, payment]))
    const problems: string[] = []
    for (const [key, { charges }] of there)
      if (charges > 0 && !here.has(key)) problems.push(`${key} was charged, and is no payment of ours`)
    const paidSessions = new Set<string>()
    for (const payment of payments) {
      const { id, sessionId, status, amount, orderId, refunded } = payment
      const { charges, collected, refunded: refundedThere, disputes: disputesThere } = there.get(id) ?? nothing
      if (charges > 1) problems.push(`${id} was charged ${charges} times`)
      const ours = status === 'succeeded' ? amount - refunded : 0
      const theirs = collected - refundedThere
      if (ours !== theirs) problems.push(`${id} is ${status} with ${ours} here and ${theirs} there`)
      if (!['succeeded', 'declined', 'voided'].includes(status)) problems.push(`${id} is still ${status}`)
      if (status === 'succeeded' && orderId === null) problems.push(`${id} was paid and led to no order`)
      if (status === 'succeeded' && paidSessions.has(sessionId)) problems.push(`${sessionId} was paid twice`)
      if (status === 'succeeded') paidSessions.add(sessionId)
      const disputesHere = disputes.filter(({ paymentId }) => paymentId === id).map(({ name }) => name)
      const expected = disputesThere.map((name) => name.replace('needs_response', 'open'))
      if (disputesHere.toSorted().join() !== expected.toSorted().join())
        problems.push(`${id} has the disputes ${disputesHere.join()} here and ${expected.join()} there`)
    }
    return problems.slice(0, 20)
  }

  async close(): Promise<void> {
    for (const fakeProvider of this.fakeProviders) await fakeProvider.close()
  }
}

interface PaymentHere {
  id: string
  sessionId: string
  status: string
  amount: number
  orderId: string | null
  refunded: number
}

const nothing = { charges: 0, collected: 0, refunded: 0, disputes: [] }

// Longer than the longest wait between two looks.
const roundMs = 7 * 3_600_000
const roundsMax = 12

// The tools of a node in this process.
export function payToolsFor(shop: Shop, storage: Storage, errors: string[], clock = () => new Date()): PayTools {
  const write = (lines: string) => {
    for (const line of lines.split('\n')) noteDefect(errors, line)
  }
  return createPayTools({
    storage,
    rootSecret: shop.rootSecret,
    publicOrigin: () => publicUrl,
    clock,
    watch: createPaymentWatch(createLog({ level: 'warn', pretty: false, write })),
    cartsIdleMs: retentionDefaultsMs.carts,
    boundsTries: false,
    providerUrls: shop.providerUrls,
  })
}

async function countOpen(storage: Storage): Promise<number> {
  const [row] = await storage.read(
    (db) => db.sql<{ open: number }>`
      select (select count(*) from payments where check_at is not null and account_id is not null)
        + (select count(*) from refunds r join payments p on p.installation_id = r.installation_id and p.id = r.payment_id
          where r.try_at is not null and p.account_id is not null) as "open"`,
  )
  return row?.open ?? 0
}
