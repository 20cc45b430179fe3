// Three nodes of one PostgreSQL database, one of which after the other is killed or paused for longer than a lease.
// First servers with shoppers, who repeat at another node what got no answer; then nodes that deliver webhooks with a
// short lease. Nothing ends twice, and what a node left unfinished is taken over within one lease.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../src/platform/kit/ids.ts'
import { announce } from '../src/platform/outbox/announce.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { type Answer, type Caller, codeOf, createCaller, crowd, undeclared } from './caller.ts'
import { findUndelivered, hashOf, openJournal } from './journal.ts'
import { countUnderWay, findBroken, letTimePass, untilSettled } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { newForm, openingOf, pay, type Session, sessionFrom } from './shopper.ts'

export const nodesRun: ServerRun = {
  name: 'nodes',
  method:
    'three servers of one database, of which one is killed or stopped in each round while shoppers repeat at another what got no answer; and three nodes that deliver webhooks under a lease of 1.5 s, of which one is killed or stopped for two leases in each round; judged by equal bytes, terminal events, charges, deliveries and the time until somebody took over',
  numbers: { rounds: 100, shoppers: 8, stopMs: 3_000 },
  short: { rounds: 2, stopMs: 1_500 },
  engines: ['postgres'],
  runOn: (ground, { rounds = 0, shoppers = 0, stopMs = 0 }, tools) =>
    runNodes(ground, { rounds, shoppers, stopMs }, tools),
}

export interface NodesNumbers {
  rounds: number
  shoppers: number
  stopMs: number
}

const nodes = 3

export async function runNodes(ground: Ground, numbers: NodesNumbers, tools: RunTools): Promise<RunResult> {
  const violations = new Set<string>()
  const shopping = await withServers(ground, numbers, tools, violations)
  const delivering = await withDispatchers(ground, numbers, tools, violations)
  return { seen: { ...shopping, ...delivering }, violations: [...violations].slice(0, 50) }
}

// How long a shopper waits before asking another node.
const impatienceMs = 1_000

async function withServers(
  ground: Ground,
  { rounds, shoppers, stopMs }: NodesNumbers,
  { random, tell }: RunTools,
  violations: Set<string>,
): Promise<Record<string, number>> {
  const journal = await openJournal()
  const shop = await makeShop(ground, [shopFile('nodes', { products: [product('THING', 1_000_000)] })], {
    webhookUrl: journal.url,
  })
  const caller = createCaller(64)
  const servers: (Server | undefined)[] = await Promise.all(Array.from({ length: nodes }, () => startServer(shop)))
  const seen = { kills: 0, stops: 0, acknowledged: 0, askedAgain: 0, unavailable: 0 }
  const acknowledged: {
    id: 'createHostedCheckoutSession' | 'cancelHostedCheckoutSession'
    path: object
    body: object
    hash: string
  }[] = []
  let isOver = false
  let keys = 0

  async function change(
    id: 'createHostedCheckoutSession' | 'cancelHostedCheckoutSession',
    path: Record<string, string>,
    wanted: object,
  ): Promise<Answer | undefined> {
    keys += 1
    const body = { ...wanted, idempotencyKey: `nodes-${keys}` }
    const { key } = standOf(shop)
    const answer = await untilAnswered((origin) => caller.ask(origin, id, { key, path, body }))
    if (!answer) return undefined
    const problem = undeclared(id, answer)
    if (problem) violations.add(problem)
    if (answer.status === 200) acknowledged.push({ id, path, body, hash: hashOf(answer.text) })
    return answer
  }

  async function untilAnswered<T extends Answer | string>(ask: (origin: string) => Promise<T>): Promise<T | undefined> {
    while (!isOver) {
      const living = servers.filter((server) => server !== undefined)
      const { origin } = pick(random, living)
      const answer = await Promise.race([
        ask(origin).catch(() => undefined),
        pause(impatienceMs, undefined, { ref: false }),
      ])
      if (answer !== undefined && (typeof answer === 'string' || answer.status !== 503)) return answer
      if (answer !== undefined) seen.unavailable += 1
      seen.askedAgain += 1
      await pause(20)
    }
    return undefined
  }

  async function shopAround(): Promise<void> {
    while (!isOver) {
      const opening = openingOf({ items: [{ skuId: shop.sku('THING'), quantity: 1 }] })
      const opened = await change('createHostedCheckoutSession', {}, opening)
      if (opened?.status !== 200) continue
      const session: Session = sessionFrom(opened)
      if (random() < 0.3) await change('cancelHostedCheckoutSession', { sessionId: session.id }, {})
      else {
        // The same form at any node: one payment.
        const form = newForm()
        await untilAnswered((origin) => pay(caller, origin, session, form))
      }
    }
  }

  try {
    const shopping = Array.from({ length: shoppers }, shopAround)
    const ended = Promise.allSettled(shopping)
    for (let round = 0; round < rounds; round += 1) {
      await pause(whole(random, 100, 600))
      const index = whole(random, 0, nodes - 1)
      const server = servers[index]
      if (server && random() < 0.5) {
        seen.stops += 1
        server.signal('SIGSTOP')
        await pause(stopMs)
        server.signal('SIGCONT')
      } else if (server) {
        seen.kills += 1
        servers[index] = undefined
        await server.end('SIGKILL')
        noteDefects(server, violations)
        servers[index] = await startServer(shop)
      }
      tell(`${round + 1} of ${rounds} rounds, ${acknowledged.length} acknowledged`)
    }
    isOver = true
    for (const result of await ended) if (result.status === 'rejected') throw result.reason
    for (const server of servers) await server?.end()
    await shop.withStorage(letTimePass)
    const last = await startServer(shop)
    servers.push(last)
    for (const problem of await shop.withStorage((storage) => untilSettled(storage, tell))) violations.add(problem)
    await repeatAll(caller, last, shop, acknowledged, violations)
    for (const server of servers) noteDefects(server, violations)
    const broken = await shop.withStorage(async (storage) => [
      ...(await findBroken(storage)),
      ...(await findUndelivered(storage, journal)),
    ])
    for (const sentence of broken) violations.add(sentence)
    seen.acknowledged = acknowledged.length
    return seen
  } finally {
    isOver = true
    for (const server of servers) {
      server?.signal('SIGCONT')
      await server?.end('SIGKILL')
    }
    caller.close()
    await journal.close()
  }
}

// A node that wakes up, or waits for one that is paused, finds its database unavailable for a moment: it logs that and
// retries.
function noteDefects(server: Server | undefined, violations: Set<string>): void {
  for (const line of defectsOf([server])) if (!line.includes('"name":"StorageUnavailable"')) violations.add(line)
}

async function repeatAll(
  caller: Caller,
  server: Server,
  shop: Shop,
  acknowledged: readonly {
    id: 'createHostedCheckoutSession' | 'cancelHostedCheckoutSession'
    path: object
    body: object
    hash: string
  }[],
  violations: Set<string>,
): Promise<void> {
  const { key } = standOf(shop)
  await crowd(acknowledged, 16, async ({ id, path, body, hash }) => {
    const answer = await caller.ask(server.origin, id, { key, path: path as Record<string, string>, body })
    if (answer.status !== 200 || hashOf(answer.text) !== hash)
      violations.add(`${id} was acknowledged, but its repetition is ${answer.status} ${codeOf(answer)} or other bytes`)
  })
}

const leaseMs = 1_500
// For polling the queue, the request, and a busy machine.
const slackMs = 2_500
const eventsPerRound = 30

async function withDispatchers(
  ground: Ground,
  { rounds }: NodesNumbers,
  { random, tell }: RunTools,
  violations: Set<string>,
): Promise<Record<string, number>> {
  const calls = new Map<string, number[]>()
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const id = String(request.headers['webhook-id'])
      calls.set(id, [...(calls.get(id) ?? []), performance.now()])
      // Slow enough that a node is killed with requests in progress.
      setTimeout(() => response.writeHead(204).end(), whole(random, 20, 200))
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const shop = await makeShop(ground, [shopFile('delivering', { products: [product('THING', 1)] })], {
    webhookUrl: url,
  })
  const storage = await openStorage(shop.url)
  const children: ChildProcess[] = []
  const seen = { deliveries: 0, deliveryCalls: 0, calledTwice: 0, dispatcherKills: 0, dispatcherStops: 0 }
  try {
    for (let node = 0; node < nodes; node += 1) children.push(await startDispatcher(shop))
    for (let round = 0; round < rounds; round += 1) {
      await makeEvents(storage, standOf(shop).installationId)
      seen.deliveries += eventsPerRound
      await pause(whole(random, 0, 120))
      const index = whole(random, 0, nodes - 1)
      const child = children[index]
      if (child && random() < 0.5) {
        seen.dispatcherStops += 1
        child.kill('SIGSTOP')
        await pause(2 * leaseMs)
        child.kill('SIGCONT')
      } else if (child) {
        seen.dispatcherKills += 1
        child.kill('SIGKILL')
        await once(child, 'close')
        children[index] = await startDispatcher(shop)
      }
      await untilDelivered(storage, violations)
      tell(`${round + 1} of ${rounds} rounds of deliveries`)
    }
    for (const [id, at] of calls) {
      seen.deliveryCalls += at.length
      if (at.length > 1) seen.calledTwice += 1
      const longest = Math.max(...at.slice(1).map((later, index) => later - (at[index] ?? 0)), 0)
      if (longest > leaseMs + slackMs)
        violations.add(`event ${id} was taken over ${Math.round(longest)} ms after its call, the lease is ${leaseMs}`)
    }
    if (calls.size !== seen.deliveries) violations.add(`${calls.size} of ${seen.deliveries} events were delivered`)
    for (const sentence of [...(await findBroken(storage)), ...(await findDoubleEnds(storage))])
      violations.add(sentence)
    return seen
  } finally {
    for (const child of children) {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
    }
    await storage.close()
    receiver.close()
    receiver.closeAllConnections()
  }
}

async function startDispatcher({ url, rootSecretText }: Shop): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'dispatcher.ts')
  const args = ['--disable-warning=ExperimentalWarning', script, url, rootSecretText, String(leaseMs)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return child
}

async function makeEvents(storage: Storage, installationId: string): Promise<void> {
  await storage.write(async (tx) => {
    for (let number = 0; number < eventsPerRound; number += 1) {
      const subject = { type: 'cart', id: newId('cart') } as const
      const dataText = JSON.stringify({ cart: { id: subject.id } })
      await announce(tx, {
        installationId,
        mode: 'test',
        kind: 'cart.updated',
        subject,
        sequence: 1,
        dataText,
        cause: null,
        now: Date.now(),
      })
    }
  })
}

async function untilDelivered(storage: Storage, violations: Set<string>): Promise<void> {
  const deadline = performance.now() + 30_000
  while ((await countUnderWay(storage)).deliveries > 0) {
    if (performance.now() > deadline) {
      violations.add('deliveries did not come to an end within 30 s')
      return
    }
    await pause(50)
  }
}

// The receiver accepts every request, so each delivery has one outcome that counts, whichever node sent the request. A
// delivery that was finished twice has counted two. (An expired lease is not an outcome.)
async function findDoubleEnds(storage: Storage): Promise<string[]> {
  const rows = await storage.read(
    (db) => db.sql<{ id: string; attempts: number; status: string }>`
      select id, attempts, status from webhook_deliveries where status <> 'succeeded' or attempts <> 1 limit 5`,
  )
  return rows.map(({ id, attempts, status }) => `delivery ${id} is ${status} with ${attempts} outcomes`)
}
