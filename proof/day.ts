// A busy day in short: shoppers fill carts, pay, cancel and are refunded, an operator ships parcels and refunds orders,
// a receiver gets all events, and the server is killed and restarted again and again; on PostgreSQL there are two
// servers, and one is killed at a time. Nothing may be lost, nothing may happen twice, every answer must be one that
// the contract declares, and memory must not grow.

import { setTimeout as pause } from 'node:timers/promises'
import { createCaller } from './caller.ts'
import { type Journal, openJournal } from './journal.ts'
import { judgeMemory, type Life, type Watch, watchLife } from './memory.ts'
import { countUnderWay } from './oracles.ts'
import type { Ground } from './place.ts'
import { quantile } from './quantile.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { runCommand, type Server } from './servers.ts'
import { makeShop } from './shop.ts'
import { Shopping, shoppingShop, usualCards, type WaitKind } from './shopping.ts'
import { countRows, judgeTables, type Sample, tablesPlot } from './tables.ts'

export const dayRun: ServerRun = {
  name: 'day',
  method:
    'catalog, carts, codes, addresses, sessions, pages, payments that are approved, declined, challenged or unanswered, orders, cancellations, refunds, parcels and webhooks all at once, while a server is killed by SIGKILL again and again (on PostgreSQL one of two); judged by a journal of acknowledged answers, a journal of webhooks, the invariants, `doctor`, the declared answers of every operation and the memory of every life',
  numbers: { minutes: 10, seconds: 0, killsEvery: 60, shoppers: 24, thinkMs: 100, keptMinutes: 0 },
  short: { minutes: 0, seconds: 6, killsEvery: 3 },
  runOn: (ground, { minutes = 0, seconds = 0, killsEvery = 0, shoppers = 0, thinkMs = 0, keptMinutes = 0 }, tools) =>
    runDay(ground, { seconds: minutes * 60 + seconds, killsEvery, shoppers, thinkMs, keptMinutes }, tools),
}

export interface DayNumbers {
  seconds: number
  // Seconds.
  killsEvery: number
  shoppers: number
  thinkMs: number
  // How long the servers keep ended rows, so a run sees their deletion. 0: the server's default.
  keptMinutes?: number
}

export async function runDay(ground: Ground, numbers: DayNumbers, tools: RunTools): Promise<RunResult> {
  const webhooks = await openJournal()
  const caller = createCaller(64)
  try {
    const shop = await makeShop(ground, [shoppingShop('day')], { webhookUrl: webhooks.url })
    const { shoppers, thinkMs, keptMinutes = 0 } = numbers
    const plan = {
      shoppers,
      thinkMs,
      cards: usualCards,
      ...(keptMinutes > 0 && { keptMs: keptMinutes * 60_000 }),
    }
    return await new Day(new Shopping(shop, caller, plan, tools), webhooks, numbers).run()
  } finally {
    caller.close()
    await webhooks.close()
  }
}

const patienceMs = 30_000
const countsMin = 100
const operatorRestMs = 4_000

interface Node {
  server: Server
  watch: Watch
}

class Day {
  readonly shopping: Shopping
  readonly webhooks: Journal
  readonly numbers: DayNumbers
  readonly seen = { kills: 0, refundsByHand: 0, parcels: 0, refusedByHand: 0 }
  // One list per server slot, the earliest process first.
  readonly lives: readonly Life[][]
  readonly backMs: number[] = []
  readonly tables: Sample[] = []
  readonly nodes: (Node | undefined)[] = []

  constructor(shopping: Shopping, webhooks: Journal, numbers: DayNumbers) {
    this.shopping = shopping
    this.webhooks = webhooks
    this.numbers = numbers
    this.lives = shopping.shop.engine === 'postgres' ? [[], []] : [[]]
  }

  async run(): Promise<RunResult> {
    const { shopping, webhooks } = this
    const startedAt = performance.now()
    await shopping.during(() => this.#liveThrough())
    const tookSeconds = (performance.now() - startedAt) / 1_000
    for (const place of this.lives.keys()) await this.#end(place, 'SIGTERM')
    const { deliveries } = await shopping.shop.withStorage(countUnderWay)
    await shopping.judge(webhooks, Number.POSITIVE_INFINITY)
    const { orders, unavailable } = shopping.seen
    const reasons = [...shopping.whyUnavailable]
    const shed = unavailable - reasons.reduce((sum, [, times]) => sum + times, 0)
    // An overloaded server sheds requests without a log line.
    if (shed > 0) reasons.push(['shed by a server that could not keep up', shed])
    const why = reasons.map(([reason, times]) => `${times} times ${reason}`).join(', ')
    if (orders === 0) shopping.violations.add('nothing was bought, so nothing was proved')
    if (unavailable > 0) shopping.violations.add(`${unavailable} answers were 503, which no operation declares: ${why}`)
    const memory = this.lives.map((lives, place) =>
      judgeMemory(lives, this.lives.length === 1 ? 'memory' : `memory of node ${place + 1}`),
    )
    for (const { violations } of memory) for (const violation of violations) shopping.violations.add(violation)
    const keptMs = (this.numbers.keptMinutes ?? 0) * 60_000
    if (keptMs > 0) for (const violation of judgeTables(this.tables, keptMs)) shopping.violations.add(violation)
    const kept = keptMs > 0 ? `what is over is kept for ${this.numbers.keptMinutes} minutes` : 'retention as it comes'
    return {
      pictures: {
        tables: tablesPlot(this.tables, `${shopping.shop.engine}; ${kept}; ${orders.toLocaleString('en')} orders`),
      },
      seen: {
        ...this.seen,
        'back after a kill, ms': this.backMs.map((ms) => ms.toFixed(0)).join(' '),
        ...shopping.seen,
        'orders a minute': Math.round((orders * 60) / tookSeconds),
        acknowledged: shopping.acknowledged.length,
        'answers a second': Math.round(Object.values(shopping.waitsMs).flat().length / tookSeconds),
        ...this.#waits(),
        webhookCalls: webhooks.calls,
        webhookDuplicates: webhooks.duplicates,
        'webhooks still owed at the end of the day': deliveries,
        ...Object.assign({}, ...memory.map(({ seen }) => seen)),
      },
      violations: [...shopping.violations].slice(0, 50),
    }
  }

  async #liveThrough(): Promise<void> {
    await Promise.all([...this.lives.keys()].map((place) => this.#open(place)))
    const killsEveryMs = this.numbers.killsEvery * 1_000
    const endsAt = performance.now() + this.numbers.seconds * 1_000
    const operating = this.#operate()
    const counting = this.#countTables()
    try {
      for (let place = 0; ; place = (place + 1) % this.lives.length) {
        const left = endsAt - performance.now()
        this.shopping.tell(
          `${this.seen.kills} kills, ${this.shopping.seen.orders} orders, ${Math.round(left / 1_000)} s to go`,
        )
        // The last server runs to the end.
        if (left < 1.5 * killsEveryMs) return void (await pause(Math.max(0, left)))
        await pause(killsEveryMs)
        await this.#untilBought()
        await this.#replace(place)
        if (!this.nodes[place]) return
      }
    } finally {
      this.shopping.openServers.end()
      await Promise.all([operating, counting])
    }
  }

  // Without an order there is nothing to check, however slow the machine is.
  async #untilBought(): Promise<void> {
    const deadline = performance.now() + patienceMs
    while (this.shopping.seen.orders === 0 && performance.now() < deadline) await pause(20)
  }

  async #open(place: number): Promise<void> {
    const kept = this.numbers.keptMinutes ?? 0
    const names = ['carts', 'checkouts', 'customers', 'completed', 'answers', 'texts', 'log']
    const retention = kept > 0 ? names.map((name) => `${name}=${kept}m`).join(',') : ''
    const server = await this.shopping.start({ isWeighed: true, retention })
    if (!server) return
    this.nodes[place] = { server, watch: watchLife(server) }
    this.shopping.openServers.open(server.origin)
  }

  async #replace(place: number): Promise<void> {
    const killedAt = performance.now()
    await this.#end(place, 'SIGKILL')
    this.seen.kills += 1
    await this.#open(place)
    this.backMs.push(performance.now() - killedAt)
  }

  async #end(place: number, signal: NodeJS.Signals): Promise<void> {
    const node = this.nodes[place]
    if (!node) return
    const { server, watch } = node
    this.nodes[place] = undefined
    this.shopping.openServers.close(server.origin)
    this.lives[place]?.push(watch.end())
    await server.end(signal)
    this.shopping.noteDefects(server)
  }

  async #countTables(): Promise<void> {
    const startedAt = performance.now()
    const everyMs = Math.max(1_000, (this.numbers.seconds * 1_000) / countsMin)
    for (let dueAt = 0; !this.shopping.openServers.isOver; await pause(100)) {
      const atMs = performance.now() - startedAt
      if (atMs < dueAt) continue
      dueAt = atMs + everyMs
      // A server that is migrating at its start may be in the way.
      const rows = await this.shopping.shop.withStorage(countRows).catch(() => undefined)
      if (rows) this.tables.push({ atMs, rows })
    }
  }

  // Through the command line, beside the running servers.
  async #operate(): Promise<void> {
    const { shopping } = this
    for (;;) {
      // In small steps, so the end of the day need not wait.
      for (let at = performance.now() + operatorRestMs; performance.now() < at; await pause(100))
        if (shopping.openServers.isOver) return
      const orders = [...shopping.facts.values()].filter(({ kind, status }) => kind === 'order' && status === undefined)
      if (orders.length > 0) await this.#operateOn(pick(shopping.random, orders).id)
    }
  }

  async #operateOn(orderId: string): Promise<void> {
    const { shop, random, violations } = this.shopping
    const isRefund = random() < 0.7
    const words = isRefund
      ? ['orders', 'refund', orderId, '--amount', String(whole(random, 1, 300))]
      : ['orders', 'fulfil', orderId]
    const { code, said } = await runCommand(shop, [...words, '--json'])
    if (code === 0) {
      const { order } = JSON.parse(said) as { order: { id: string; version: number } }
      this.shopping.note({ kind: 'order', id: order.id, version: order.version })
      this.seen[isRefund ? 'refundsByHand' : 'parcels'] += 1
      // A cancelled or already refunded order is refused in one line; a longer output is a defect.
    } else if (code === 1 && !said.includes('    at ')) this.seen.refusedByHand += 1
    else violations.add(`${words.join(' ')} ended with ${code}: ${said.slice(0, 1_000)}`)
  }

  #waits(): Record<string, string> {
    const kinds: readonly WaitKind[] = ['changes', 'reads', 'pages', 'payments']
    return Object.fromEntries(
      kinds.map((kind) => {
        const waits = this.shopping.waitsMs[kind]
        const at = (share: number) => quantile(waits, share).toFixed(0)
        return [`${kind}, ms`, `p50 ${at(0.5)}, p99 ${at(0.99)}, of ${waits.length.toLocaleString('en')}`]
      }),
    )
  }
}
