// Mixed writes by several shoppers while the server is killed again and again, a fifth of the times during its start.
// Everything that was acknowledged to a shopper must be there afterwards, and the same request with the same key must
// get the same bytes.

import { setTimeout as pause } from 'node:timers/promises'
import { createCaller } from './caller.ts'
import { type Journal, openJournal } from './journal.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { startAndKill } from './servers.ts'
import { makeShop } from './shop.ts'
import { Shopping, shoppingShop, usualCards } from './shopping.ts'

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
  // How many of them a server acknowledges at most before it is killed.
  writes: number
}

const lifeMsMax = 20_000
const factsMax = 100

export async function runCrash(ground: Ground, numbers: CrashNumbers, tools: RunTools): Promise<RunResult> {
  const webhooks = await openJournal()
  const caller = createCaller(64)
  try {
    const shop = await makeShop(ground, [shoppingShop('crash')], { webhookUrl: webhooks.url })
    const plan = { shoppers: numbers.shoppers, thinkMs: 0, cards: usualCards }
    const shopping = new Shopping(shop, caller, plan, tools)
    return await new Crashing(shopping, webhooks, numbers).run()
  } finally {
    caller.close()
    await webhooks.close()
  }
}

class Crashing {
  readonly shopping: Shopping
  readonly webhooks: Journal
  readonly numbers: CrashNumbers
  readonly seen = { kills: 0, killsAtStart: 0 }
  #startMs = 1_000

  constructor(shopping: Shopping, webhooks: Journal, numbers: CrashNumbers) {
    this.shopping = shopping
    this.webhooks = webhooks
    this.numbers = numbers
  }

  async run(): Promise<RunResult> {
    const { acknowledged, violations, seen } = this.shopping
    await this.shopping.during(() => this.#killAgainAndAgain())
    await this.shopping.judge(this.webhooks, factsMax)
    if (acknowledged.length < this.numbers.cycles) violations.add('too little was acknowledged to prove anything')
    const { calls, duplicates } = this.webhooks
    return {
      seen: {
        ...this.seen,
        ...seen,
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
      await this.#live()
      openServers.close(server.origin)
      await server.end('SIGKILL')
      this.shopping.noteDefects(server)
      this.seen.kills += 1
      tell(`${cycle + 1} of ${this.numbers.cycles} cycles, ${acknowledged.length} acknowledged`)
    }
  }

  // Counted by writes and not by time, so a slow machine proves as much as a fast one. A later server may be killed
  // before it answered; the first may not, since without an answer there is nothing to check.
  async #live(): Promise<void> {
    const { acknowledged, random } = this.shopping
    const least = acknowledged.length === 0 ? Math.ceil(this.numbers.writes / 2) : 0
    const wanted = acknowledged.length + whole(random, least, this.numbers.writes)
    const deadline = performance.now() + lifeMsMax
    while (acknowledged.length < wanted && performance.now() < deadline) await pause(random() * 10)
    await pause(random() * 10)
  }
}
