// Software that buys: platforms race each other, the shopper's page and the operator; a server is killed during completions; one key is sent
// fifty times at once; callers without a profile ask for the same; checkouts that nobody pays; profiles that are hostile. Units, orders and
// charges agree afterwards, and what strangers make the server do is bounded.

import { randomUUID } from 'node:crypto'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setAgentSettings } from '../src/domain/agents/settings.ts'
import type { Reader } from '../src/platform/storage/storage.ts'
import { type Answer, type Caller, createCaller, crowd } from './caller.ts'
import { findBroken, letTimePass, untilSettled } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { look, pay as payOnPage } from './shopper.ts'

export const agentsRun: ServerRun = {
  name: 'agents',
  method:
    'platforms ∥ platforms, ∥ the shopper’s page and ∥ the operator for one checkout and for a last unit; a server killed at random moments of completions (at every step: crash-points); a completion sent fifty times at once; two callers without a profile who ask for the same in the same moment; checkouts that nobody pays; profiles that are slow, endless, redirect, are private, large, no JSON or full of keys; judged by charges, orders, stock, the invariants, time and memory',
  numbers: { races: 200, kills: 40, repeats: 50, opened: 10_000, hostile: 20 },
  short: { races: 4, kills: 2, repeats: 50, opened: 200, hostile: 1 },
  runOn: (ground, { races = 0, kills = 0, repeats = 0, opened = 0, hostile = 0 }, tools) =>
    runAgents(ground, { races, kills, repeats, opened, hostile }, tools),
}

export interface AgentNumbers {
  races: number
  kills: number
  // Of one completion.
  repeats: number
  // Checkouts of callers without a profile.
  opened: number
  // Of each kind of profile.
  hostile: number
}

const slug = 'agents'
// Ports below 1024 are not called. In test mode a profile that cannot be read says nothing.
const profileOf = (name: string) => `http://127.0.0.1:9/${name}.json`

export async function runAgents(ground: Ground, numbers: AgentNumbers, tools: RunTools): Promise<RunResult> {
  const { races, kills } = numbers
  const products = [
    product('MANY', 10_000_000),
    product('LAST', 1),
    ...Array.from({ length: races }, (_, at) => product(`ONE-${at}`, 1)),
  ]
  const shop = await makeShop(ground, [shopFile(slug, { products })])
  await shop.withStorage((storage) =>
    storage.write((tx) =>
      setAgentSettings(tx, { merchantId: standOf(shop).merchantId, mode: 'test' }, { level: 'buy', who: 'anyone' }, 0),
    ),
  )
  const caller = createCaller(64)
  const run = new AgentsRun(shop, caller, numbers, tools)
  try {
    await run.start()
    await run.race()
    await run.repeat()
    await run.twins()
    await run.openMany()
    await run.hostile()
    for (let kill = 0; kill < kills; kill += 1) await run.kill(kill)
    await run.settle()
    await run.stop()
    await run.judge()
    return { seen: run.seen, violations: [...run.violations].slice(0, 50) }
  } finally {
    await run.stop('SIGKILL')
    caller.close()
  }
}

interface Checkout {
  id: string
  url: string
  total: number
}

class AgentsRun {
  readonly shop: Shop
  readonly caller: Caller
  readonly numbers: AgentNumbers
  readonly tools: RunTools
  readonly violations = new Set<string>()
  readonly seen: Record<string, number> = {}
  #server: Server | undefined

  constructor(shop: Shop, caller: Caller, numbers: AgentNumbers, tools: RunTools) {
    this.shop = shop
    this.caller = caller
    this.numbers = numbers
    this.tools = tools
  }

  async start(): Promise<void> {
    // On this machine profiles of this machine are read.
    this.#server = await startServer({ ...this.shop, publicOrigin: 'http://localhost:9', isWeighed: true })
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const server = this.#server
    this.#server = undefined
    for (const line of defectsOf([server])) this.violations.add(line)
    await server?.end(signal)
  }

  // For one checkout, and for one last unit: who comes first gets it, once.
  async race(): Promise<void> {
    const { races } = this.numbers
    await crowd(
      Array.from({ length: races }, (_, at) => at),
      4,
      async (at) => {
        const code = `ONE-${at}`
        const [one, other] = await Promise.all([this.#open('one', code), this.#open('other', code)])
        const kind = pick(this.tools.random, ['platforms', 'page', 'operator', 'itself'] as const)
        const rivals: Record<typeof kind, () => Promise<unknown>> = {
          platforms: () => this.#pay('other', other.id),
          page: () => this.#payOnPage(one),
          operator: () => this.#withdraw(code),
          itself: () => this.#rest('one', 'POST', `/checkout-sessions/${one.id}/cancel`),
        }
        await Promise.all([this.#pay('one', one.id), rivals[kind]()])
        this.#count(kind)
        const sold = await this.#soldOf(code)
        if (sold > 1) this.violations.add(`${code} (${kind}) was sold ${sold} times`)
        if (sold === 0 && (kind === 'platforms' || kind === 'page'))
          this.violations.add(`${code} (${kind}) was not sold`)
        this.tools.tell(`${at + 1} of ${races} races`)
      },
    )
  }

  // One key, fifty times at once, and once more.
  async repeat(): Promise<void> {
    const { repeats } = this.numbers
    const { id } = await this.#open('one', 'MANY')
    const key = randomUUID()
    const pay = () => this.#pay('one', id, key)
    const answers = await Promise.all(Array.from({ length: repeats }, pay))
    const odd = answers.filter(({ status }) => status !== 200)
    if (odd.length > 0) this.violations.add(`a repeated completion was answered ${odd[0]?.status}`)
    const [first, again] = [await pay(), await pay()]
    if (statusOf(first) !== 'completed' || first.text !== again.text)
      this.violations.add(`a repeated completion is not answered alike: ${first.text} ${again.text}`)
    const charges = await this.#chargesOf(id)
    if (charges !== 1) this.violations.add(`one key charged ${charges} times`)
    this.#count('repeats', repeats)
  }

  // Without a profile, for the same goods, at once: two checkouts.
  async twins(): Promise<void> {
    const ids = await Promise.all(Array.from({ length: 8 }, async () => (await this.#openByMcp('MANY')).id))
    if (new Set(ids).size !== ids.length) this.violations.add('callers without a profile got the same checkout')
    this.#count('twins', ids.length)
  }

  // Nothing is held for them: a shopper buys the last unit.
  async openMany(): Promise<void> {
    const { opened } = this.numbers
    await crowd(
      Array.from({ length: opened }, (_, at) => at),
      16,
      async (at) => {
        const { id } = await this.#openByMcp('LAST')
        if (!id) this.violations.add('a checkout of nobody was not opened')
        if (at % 100 === 0) this.tools.tell(`${at} of ${opened} checkouts of nobody`)
      },
    )
    const held = await this.#number((db) => db.sql<{ n: number }>`select count(*) as "n" from holds`)
    if (held > 0) this.violations.add(`${held} units are held for checkouts that nobody pays`)
    const { id } = await this.#open('shopper', 'LAST')
    const paid = await this.#pay('shopper', id)
    if (statusOf(paid) !== 'completed') this.violations.add(`the last unit could not be bought: ${paid.text}`)
    this.#count('checkouts of nobody', opened)
  }

  // A stranger's document costs little time and memory, and other callers are answered meanwhile.
  async hostile(): Promise<void> {
    const server = this.#server
    if (!server) return
    const hosts = await openHostile()
    const before = await server.liveBytes()
    try {
      for (let round = 0; round < this.numbers.hostile; round += 1)
        for (const kind of hosts.kinds) {
          const startedAt = performance.now()
          const search = this.#rest(`${hosts.origin}/${kind}/${round}`, 'POST', '/catalog/search', { query: 'thing' })
          const beside = this.#rest('one', 'POST', '/catalog/search', { query: 'thing' })
          const [answer, other] = await Promise.all([search, beside])
          const tookMs = performance.now() - startedAt
          if (answer.status >= 500 && answer.status !== 503) this.violations.add(`${kind}: ${answer.status}`)
          if (other.status !== 200) this.violations.add(`beside ${kind}: ${other.status} ${other.text}`)
          if (tookMs > hostileMsMax) this.violations.add(`${kind} took ${Math.round(tookMs)} ms`)
          this.tools.tell(`${round + 1} of ${this.numbers.hostile} rounds of hostile profiles`)
          // At most five are read in a second.
          await pause(250)
        }
      const grown = Math.round(((await server.liveBytes()) - before) / 2 ** 20)
      if (grown > hostileMegabytesMax) this.violations.add(`hostile profiles left ${grown} MB`)
      this.seen['MB left by hostile profiles'] = grown
      this.#count('hostile profiles', this.numbers.hostile * hosts.kinds.length)
    } finally {
      hosts.close()
    }
  }

  // At a random moment of several completions. Each key is sent again to the next server.
  async kill(number: number): Promise<void> {
    const checkouts = await Promise.all(Array.from({ length: 6 }, () => this.#open('one', 'MANY')))
    const keyed = checkouts.map(({ id }) => ({ id, key: randomUUID() }))
    const pays = keyed.map(({ id, key }) => this.#pay('one', id, key).catch(() => undefined))
    await pause(whole(this.tools.random, 0, 60))
    await this.stop('SIGKILL')
    await Promise.all(pays)
    // A payment that was recorded and never asked for is given up after a while.
    await this.shop.withStorage((storage) => letTimePass(storage))
    await this.start()
    for (const { id, key } of keyed) await this.#untilPaid(id, key)
    this.#count('kills')
    this.tools.tell(`${number + 1} of ${this.numbers.kills} kills`)
  }

  // Only a running server pays back what was charged too late.
  async settle(): Promise<void> {
    await this.shop.withStorage(async (storage) => {
      for (const sentence of await untilSettled(storage, this.tools.tell, ['payments', 'refunds']))
        this.violations.add(sentence)
    })
  }

  async judge(): Promise<void> {
    await this.shop.withStorage(async (storage) => {
      for (const sentence of await findBroken(storage)) this.violations.add(sentence)
      const twice = await storage.read(
        (db) => db.sql<{ id: string }>`
          select checkout_session_id as "id" from payments where status = 'succeeded'
          group by checkout_session_id having count(*) > 1`,
      )
      for (const { id } of twice) this.violations.add(`${id} was charged more than once`)
    })
  }

  async #untilPaid(id: string, key: string): Promise<void> {
    const deadline = performance.now() + settleMsMax
    let current = key
    for (;;) {
      const answer = await this.#pay('one', id, current)
      const status = statusOf(answer)
      if (status === 'completed') break
      // The attempt was given up: another one pays.
      if (status === 'ready_for_complete') current = randomUUID()
      if (performance.now() > deadline) {
        const payments = await this.#paymentsOf(id)
        this.violations.add(
          `a completion that was cut off stays ${status}, with the payments ${payments}: ${answer.text.slice(0, 300)}`,
        )
        return
      }
      await pause(200)
    }
    const charges = await this.#chargesOf(id)
    if (charges !== 1) this.violations.add(`${id} was charged ${charges} times`)
  }

  async #open(platform: string, code: string): Promise<Checkout> {
    const body = {
      line_items: [{ item: { id: code }, quantity: 1 }],
      buyer: { email: 'ada@example.com', first_name: 'Ada', last_name: 'L' },
    }
    return checkoutIn(await patiently(() => this.#rest(platform, 'POST', '/checkout-sessions', body)))
  }

  async #openByMcp(code: string): Promise<Checkout> {
    const checkout = { line_items: [{ item: { id: code }, quantity: 1 }] }
    const params = { name: 'create_checkout', arguments: { checkout } }
    const answer = await patiently(() =>
      this.caller.call(this.#origin, {
        method: 'POST',
        path: `/ucp/${slug}/test/mcp`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    )
    const { result } = JSON.parse(answer.text)
    return checkoutIn({ ...answer, text: JSON.stringify(result.structuredContent) })
  }

  #pay(platform: string, id: string, key: string = randomUUID()): Promise<Answer> {
    return patiently(() => this.#rest(platform, 'POST', `/checkout-sessions/${id}/complete`, paidByToken, { key }))
  }

  async #payOnPage({ url, total }: Checkout): Promise<void> {
    const secret = url.split('/').at(-1) ?? ''
    const page = await look(this.caller, this.#origin, secret)
    const version = Number(/name="version" value="(\d+)"/.exec(page.text)?.[1])
    await payOnPage(this.caller, this.#origin, { secret, version, total })
  }

  // The operator counts one unit less.
  async #withdraw(code: string): Promise<void> {
    await this.caller.call(this.#origin, {
      method: 'PATCH',
      path: '/api/v1/admin/skus',
      headers: { authorization: `Bearer ${standOf(this.shop).key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: randomUUID(), rows: [{ skuId: this.shop.sku(code), adjustBy: -1 }] }),
    })
  }

  get #origin(): string {
    return this.#server?.origin ?? ''
  }

  #rest(
    platform: string,
    method: string,
    path: string,
    body?: object,
    { key = randomUUID(), origin = this.#origin }: { key?: string; origin?: string } = {},
  ): Promise<Answer> {
    const profile = platform.startsWith('http') ? platform : profileOf(platform)
    return this.caller.call(origin, {
      method,
      path: `/ucp/${slug}/test${path}`,
      headers: {
        'ucp-agent': `profile="${profile}"`,
        'idempotency-key': key,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    })
  }

  #soldOf(code: string): Promise<number> {
    return this.#number(
      (db) => db.sql<{ n: number }>`select coalesce(sum(quantity), 0) as "n" from order_lines where code = ${code}`,
    )
  }

  #chargesOf(id: string): Promise<number> {
    const [sessionId = ''] = id.split('.')
    return this.#number(
      (db) => db.sql<{ n: number }>`
        select count(*) as "n" from payments where checkout_session_id = ${sessionId} and status = 'succeeded'`,
    )
  }

  // Ages and due times in milliseconds from now.
  async #paymentsOf(id: string): Promise<string> {
    const [sessionId = ''] = id.split('.')
    const now = Date.now()
    const rows = await this.shop.withStorage((storage) =>
      storage.read(
        (db) => db.sql`
          select status, ${now} - created_at as "age", check_at - ${now} as "checkIn", looking_until - ${now} as "lookingFor"
          from payments where checkout_session_id = ${sessionId} order by created_at, id`,
      ),
    )
    return JSON.stringify(rows)
  }

  async #number(ask: (db: Reader) => Promise<{ n: number }[]>): Promise<number> {
    const [row] = await this.shop.withStorage((storage) => storage.read(ask))
    return Number(row?.n ?? 0)
  }

  #count(what: string, times = 1): void {
    this.seen[what] = (this.seen[what] ?? 0) + times
  }
}

const paidByToken = {
  payment: {
    instruments: [
      {
        id: '1',
        handler_id: 'mock_payment_handler',
        type: 'card',
        credential: { type: 'token', token: 'success_token' },
      },
    ],
  },
}

const settleMsMax = 30_000
// A profile may take five seconds; the machine may be slow.
const hostileMsMax = 12_000
const hostileMegabytesMax = 64

// On a starved machine a server may refuse requests before it does anything for them (pressure.ts): they are sent again when it says.
async function patiently(send: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + settleMsMax
  for (;;) {
    const answer = await send()
    if (answer.status !== 503 || performance.now() > deadline) return answer
    await pause(Number(answer.headers['retry-after'] ?? 1) * 1_000)
  }
}

function checkoutIn({ text, status }: Answer): Checkout {
  const body = JSON.parse(text) as Partial<Checkout> & {
    continue_url?: string
    totals?: { type: string; amount: number }[]
  }
  if (status >= 300 || body.id === undefined)
    throw new Error(`a checkout was not opened: ${status} ${text.slice(0, 300)}`)
  return {
    id: body.id,
    url: body.continue_url ?? '',
    total: body.totals?.find(({ type }) => type === 'total')?.amount ?? 0,
  }
}

function statusOf({ text }: Answer): string {
  return (JSON.parse(text) as { status?: string; code?: string }).status ?? text.slice(0, 200)
}

interface HostileHosts {
  origin: string
  kinds: readonly string[]
  close(): void
}

type Behave = (response: ServerResponse, host: { origin: string }) => void

const profileText = (more: object) => JSON.stringify({ ucp: { version: '2026-08-25', capabilities: {} }, ...more })

const hostileKinds: Readonly<Record<string, Behave>> = {
  // A byte at a time, for ever.
  slow: (response) => drip(response, ' ', 200),
  endless: (response) => drip(response, ' '.repeat(16_384), 0),
  silent: () => {},
  redirecting: (response, { origin }) => response.writeHead(302, { location: `${origin}/plain` }).end(),
  private: (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  large: (response) => void response.end(profileText({ padding: 'x'.repeat(10 * 2 ** 20) })),
  'no JSON': (response) => void response.end('{"ucp": '),
  deep: (response) => void response.end(`${'['.repeat(60_000)}${']'.repeat(60_000)}`),
  // Below the bound: what is kept of it must be small.
  'many keys': (response) =>
    void response.end(profileText({ keys: Array.from({ length: 10_000 }, (_, at) => ({ a: at })).slice(0, 9_000) })),
  'empty objects': (response) => void response.end(profileText({ keys: Array.from({ length: 40_000 }, () => ({})) })),
  'wrong types': (response) =>
    void response.end(JSON.stringify({ ucp: { version: '2026-08-25', capabilities: [1, { a: null }] }, keys: 'x' })),
}

function drip(response: ServerResponse, piece: string, everyMs: number): void {
  const go = (): void => {
    if (response.destroyed) return
    const isTaken = response.write(piece)
    if (isTaken) setTimeout(go, everyMs).unref()
    else response.once('drain', go)
  }
  go()
}

async function openHostile(): Promise<HostileHosts> {
  const host = { origin: '' }
  const server: HttpServer = createServer((request: IncomingMessage, response: ServerResponse) => {
    const kind = decodeURIComponent(request.url?.split('/')[1] ?? '')
    ;(hostileKinds[kind] ?? hostileKinds.silent)?.(response, host)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin: host.origin,
    kinds: Object.keys(hostileKinds).map(encodeURIComponent),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
