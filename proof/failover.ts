// A primary that is killed, and one that becomes a standby, with shoppers connected: with synchronous replication
// nothing acknowledged is lost, callers see only 503 during the failover, and the servers find the new primary by
// themselves.

import { setTimeout as pause } from 'node:timers/promises'
import { freshDatabase } from '../harness/postgres.ts'
import { createCaller } from './caller.ts'
import { type Journal, openJournal } from './journal.ts'
import { type Pair, startPair } from './pair.ts'
import type { Ground } from './place.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server } from './servers.ts'
import { makeShop } from './shop.ts'
import { Shopping, shoppingShop, usualCards } from './shopping.ts'

export const failoverRun: ServerRun = {
  name: 'failover',
  method:
    'two servers behind a relay to a PostgreSQL primary with a synchronous standby; in turn the primary is killed and its sessions are cut, or it becomes a standby and sessions are left with it; judged as crash is, by the answers in between (503 and nothing else), the time from the switch of the relay to the next acknowledged change, and the lines of the log',
  numbers: { rounds: 10, shoppers: 6, backMs: 3_000 },
  short: { rounds: 2, backMs: 15_000 },
  engines: ['postgres'],
  // It has servers of its own.
  onCells: false,
  runOn: (_, { rounds = 0, shoppers = 0, backMs = 0 }, tools) => runFailover({ rounds, shoppers, backMs }, tools),
}

export interface FailoverNumbers {
  rounds: number
  shoppers: number
  // How soon after the relay was switched a change must be acknowledged.
  backMs: number
}

const nodes = 2
const factsMax = 100
// Between two rounds, so each has something to lose.
const writesPerRound = 30
// How long any step may take on a busy machine before the run gives up.
const patienceMs = 120_000
// An outage is one log line and its end another; a server may recover briefly in between.
const outagesPerRoundMax = 3

export async function runFailover(numbers: FailoverNumbers, tools: RunTools): Promise<RunResult> {
  const pair = await startPair()
  const webhooks = await openJournal()
  const caller = createCaller(64)
  try {
    const ground: Ground = {
      engine: 'postgres',
      freshUrl: async () => (await freshDatabase({ cluster: pair.url })).url,
    }
    const shop = await makeShop(ground, [shoppingShop('failover')], { webhookUrl: webhooks.url })
    const plan = { shoppers: numbers.shoppers, thinkMs: 0, cards: usualCards }
    return await new FailingOver(new Shopping(shop, caller, plan, tools), pair, webhooks, numbers).run()
  } finally {
    caller.close()
    await webhooks.close()
    await pair.close()
  }
}

class FailingOver {
  readonly shopping: Shopping
  readonly pair: Pair
  readonly webhooks: Journal
  readonly numbers: FailoverNumbers
  readonly seen = { kills: 0, switches: 0, strayedSessions: 0, longestBackMs: 0, outageLines: 0 }

  constructor(shopping: Shopping, pair: Pair, webhooks: Journal, numbers: FailoverNumbers) {
    this.shopping = shopping
    this.pair = pair
    this.webhooks = webhooks
    this.numbers = numbers
  }

  async run(): Promise<RunResult> {
    const { shopping, webhooks } = this
    const servers: Server[] = []
    try {
      for (let node = 0; node < nodes; node += 1) {
        const server = await shopping.start()
        if (!server) throw new Error('a server did not start')
        servers.push(server)
        shopping.openServers.open(server.origin)
      }
      await shopping.during(() => this.#failAgainAndAgain(servers))
    } finally {
      for (const server of servers) await server.end('SIGTERM')
    }
    this.#judgeLogs(servers)
    await shopping.judge(webhooks, factsMax)
    const { acknowledged, violations, seen } = shopping
    const { calls, duplicates } = webhooks
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

  async #failAgainAndAgain(servers: readonly Server[]): Promise<void> {
    const { acknowledged, tell } = this.shopping
    for (let round = 0; round < this.numbers.rounds; round += 1) {
      await this.#until('a round has something to lose', acknowledged.length + writesPerRound)
      await (round % 2 === 0 ? this.#killPrimary() : this.#demotePrimary(servers))
      tell(`${round + 1} of ${this.numbers.rounds} rounds, ${acknowledged.length} acknowledged`)
    }
    await this.#until('it sells on', acknowledged.length + writesPerRound)
  }

  async #killPrimary(): Promise<void> {
    this.seen.kills += 1
    await this.pair.kill()
    await this.pair.promote()
    await this.#turn({ isCutting: true })
    await this.pair.rebuild()
  }

  async #demotePrimary(servers: readonly Server[]): Promise<void> {
    this.seen.switches += 1
    await this.pair.switchOver()
    for (const { origin } of servers) await this.#untilReadOnly(origin)
    this.seen.strayedSessions += this.pair.strayed()
    await this.#turn({ isCutting: false })
  }

  async #turn(options: { isCutting: boolean }): Promise<void> {
    const { acknowledged, violations } = this.shopping
    this.pair.turn(options)
    const turnedAt = performance.now()
    await this.#until('a change is acknowledged again', acknowledged.length + 1)
    const backMs = Math.round(performance.now() - turnedAt)
    this.seen.longestBackMs = Math.max(this.seen.longestBackMs, backMs)
    if (backMs > this.numbers.backMs)
      violations.add(`a change was acknowledged ${backMs} ms after the relay was switched`)
  }

  // The server has noticed the standby.
  async #untilReadOnly(origin: string): Promise<void> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      const { status, text } = await this.shopping.caller.call(origin, { method: 'GET', path: '/readyz' })
      if (status === 503 && text.includes('cannot be written')) return
      if (performance.now() > deadline)
        throw new Error(`/readyz does not report a read-only database, but ${status} ${text}`)
      await pause(50)
    }
  }

  async #until(what: string, wanted: number): Promise<void> {
    const { acknowledged } = this.shopping
    const deadline = performance.now() + patienceMs
    while (acknowledged.length < wanted) {
      if (performance.now() > deadline) throw new Error(`${what}: not within ${patienceMs / 1000} s`)
      await pause(10)
    }
  }

  // A loop's row that failed through a lost connection is retried, and logged so; anything else is a defect.
  #judgeLogs(servers: readonly Server[]): void {
    const { violations } = this.shopping
    for (const line of defectsOf(servers)) if (!line.includes('"name":"StorageUnavailable"')) violations.add(line)
    for (const server of servers) {
      const lines = [...server.unavailable().values()].reduce((sum, count) => sum + count, 0)
      this.seen.outageLines += lines
      if (lines > outagesPerRoundMax * this.numbers.rounds)
        violations.add(
          `${lines} lines tell of ${this.numbers.rounds} outages: ${[...server.unavailable().keys()].join('; ')}`,
        )
    }
  }
}
