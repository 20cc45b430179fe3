// Mixed writes by several shoppers while the server is killed again and again, a fifth of the times during its start.
// Everything that was acknowledged to a shopper must be there afterwards, and the same request with the same key must
// get the same bytes.

import { setTimeout as pause } from 'node:timers/promises'
import { openMailServer } from '../harness/mailserver.ts'
import { createCaller } from './caller.ts'
import { type Journal, openJournal } from './journal.ts'
import { agedMs, letTimePass } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import { RedirectPayments } from './redirect.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { startAndKill } from './servers.ts'
import { makeShop } from './shop.ts'
import { Shopping, shoppingShop, usualCards } from './shopping.ts'

export const crashRun: ServerRun = {
  name: 'crash',
  method:
    'carts, items, codes, addresses, sessions, payments by form and at stand-ins of Stripe and Mollie, cancellations and replays, and after the purchase edits, parcels, returns, refunds, exchanges, drafts, their links, and sign-ins by mailed codes, while the server is killed by SIGKILL, a fifth of the times during its start, and every second time at a step of a redirect payment; notices come late, twice, reordered or never; judged by a journal of acknowledged answers, a journal of webhooks, the books of the stand-ins, the invariants and `doctor`',
  numbers: { cycles: 1_000, shoppers: 8, writes: 100 },
  numbersOf: { postgres: { cycles: 300 } },
  short: { cycles: 4, writes: 60 },
  runOn: (ground, { cycles = 0, shoppers = 0, writes = 0 }, tools) =>
    runCrash(ground, { cycles, shoppers, writes }, tools),
}

export interface CrashNumbers {
  cycles: number
  shoppers: number
  // How many of them a server acknowledges at most before it is killed.
  writes: number
}

const lifeMsMax = 20_000
// Loops have their first round after two seconds.
const stepMsMax = 6_000
const factsMax = 100

export async function runCrash(ground: Ground, numbers: CrashNumbers, tools: RunTools): Promise<RunResult> {
  const webhooks = await openJournal()
  const redirect = await RedirectPayments.open(tools.random)
  const mail = await openMailServer()
  const caller = createCaller(64)
  try {
    const { providerUrls } = redirect
    const options = { webhookUrl: webhooks.url, providerUrls, mailUrl: mail.url }
    const shop = await makeShop(ground, [shoppingShop('crash')], options)
    await redirect.connect(shop)
    const plan = { shoppers: numbers.shoppers, thinkMs: 0, cards: usualCards, redirect, afterwards: mail }
    const shopping = new Shopping(shop, caller, plan, tools)
    return await new Crashing(shopping, redirect, webhooks, numbers).run()
  } finally {
    caller.close()
    await webhooks.close()
    await redirect.close()
    await mail.close()
  }
}

class Crashing {
  readonly shopping: Shopping
  readonly redirect: RedirectPayments
  readonly webhooks: Journal
  readonly numbers: CrashNumbers
  readonly seen = { kills: 0, killsAtStart: 0 }
  // How often it was killed at a step of a redirect payment.
  readonly killedAt = new Map<string, number>()
  #startMs = 1_000

  constructor(shopping: Shopping, redirect: RedirectPayments, webhooks: Journal, numbers: CrashNumbers) {
    this.shopping = shopping
    this.redirect = redirect
    this.webhooks = webhooks
    this.numbers = numbers
  }

  async run(): Promise<RunResult> {
    const { acknowledged, violations, seen } = this.shopping
    await this.redirect.during(() => this.shopping.during(() => this.#killAgainAndAgain()))
    await this.shopping.judge(this.webhooks, factsMax)
    if (acknowledged.length < this.numbers.cycles) violations.add('too little was acknowledged to prove anything')
    const { calls, duplicates } = this.webhooks
    return {
      seen: {
        ...this.seen,
        ...seen,
        ...this.shopping.merchant.seen,
        ...this.redirect.seen,
        'killed at': [...this.killedAt].map(([step, times]) => `${step} ${times}`).join(', '),
        acknowledged: acknowledged.length,
        webhookCalls: calls,
        webhookDuplicates: duplicates,
      },
      violations: [...violations].slice(0, 50),
    }
  }

  async #killAgainAndAgain(): Promise<void> {
    const { shop, random, acknowledged, openServers, tell } = this.shopping
    let checked = 0
    for (let cycle = 0; cycle < this.numbers.cycles; cycle += 1) {
      if (random() < 0.1) await this.#letTimePass()
      if (random() < 0.2) {
        await startAndKill(shop, random() * this.#startMs)
        this.seen.killsAtStart += 1
      }
      const startedAt = performance.now()
      const server = await this.shopping.start()
      if (!server) return
      this.#startMs = performance.now() - startedAt
      const fresh = acknowledged.slice(checked)
      checked = acknowledged.length
      const old = Array.from({ length: Math.min(20, checked) }, () => pick(random, acknowledged))
      await this.shopping.repeat(server, [...fresh, ...old])
      await this.shopping.lookAtFacts(server, factsMax)
      openServers.open(server.origin)
      this.redirect.leadTo(server.origin)
      await this.#live()
      openServers.close(server.origin)
      this.redirect.leadTo(undefined)
      await server.end('SIGKILL')
      this.redirect.reset()
      this.shopping.noteDefects(server)
      this.seen.kills += 1
      tell(`${cycle + 1} of ${this.numbers.cycles} cycles, ${acknowledged.length} acknowledged`)
    }
  }

  // Half an hour and more, in which shoppers are given up here who go on there.
  async #letTimePass(): Promise<void> {
    await this.shopping.shop.withStorage((storage) => letTimePass(storage))
    for (const fakeProvider of this.redirect.fakeProviders) fakeProvider.age(agedMs)
  }

  // Every second server is killed when a redirect payment is at a certain step, before or after its provider did the work.
  async #live(): Promise<void> {
    const { acknowledged, random } = this.shopping
    if (acknowledged.length === 0 || random() < 0.5) return this.#liveByWrites()
    const step = pick(random, this.redirect.steps)
    const late = pause(stepMsMax, 'late' as const, { ref: false })
    const met = await Promise.race([this.redirect.at(step).then(() => 'met' as const), late])
    if (met === 'met') this.killedAt.set(step, (this.killedAt.get(step) ?? 0) + 1)
  }

  // Counted by writes and not by time, so a slow machine proves as much as a fast one. A later server may be killed
  // before it answered; the first may not, since without an answer there is nothing to check.
  async #liveByWrites(): Promise<void> {
    const { acknowledged, random } = this.shopping
    const least = acknowledged.length === 0 ? Math.ceil(this.numbers.writes / 2) : 0
    const wanted = acknowledged.length + whole(random, least, this.numbers.writes)
    const deadline = performance.now() + lifeMsMax
    while (acknowledged.length < wanted && performance.now() < deadline) await pause(random() * 10)
    await pause(random() * 10)
  }
}
