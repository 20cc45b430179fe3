// Platforms, a caller without a profile and the key of a merchant ask by UCP, MCP and ACP for carts, checkouts and orders that are not theirs.
// What is foreign is answered like what never was, byte for byte except the request id and in the same time, and nothing changes.

import { randomBytes, randomUUID } from 'node:crypto'
import { type UcpRow, ucpRows } from '../src/contract/agents/rows.ts'
import { idPrefixes } from '../src/contract/words.ts'
import { setAgentSettings } from '../src/domain/agents/settings.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { type Answer, type Call, createCaller, dataOf } from './caller.ts'
import type { Ground } from './place.ts'
import { median } from './quantile.ts'
import { shuffled } from './random.ts'
import type { RunResult, RunTools } from './runs.ts'
import { defectsOf, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile } from './shop.ts'

type Kind = 'cart' | 'checkout' | 'order'

// Ids as a caller was given them, with its tag.
type Belongings = Readonly<Partial<Record<Kind, string>>>

interface Asker {
  name: string
  protocol: 'ucp' | 'mcp' | 'acp'
  slug: string
  // Undefined: without a profile.
  platform?: string
  // Of a merchant by UCP, of a platform by ACP.
  key?: string
}

interface Question {
  name: string
  kind: Kind
  isRead: boolean
  call: (id: string) => Call
}

const slugs = ['agents', 'rival'] as const
const timed = ['one', 'one by MCP', 'nobody', 'first']
const json = { 'content-type': 'application/json' }
const idOf = { cart: idPrefixes.cart, checkout: idPrefixes.checkoutSession, order: idPrefixes.order } as const

// Of the median question, since one alone varies by a tenth on a busy machine; with fewer timings that one does too.
const ratioMax = 1.05
const judgedFrom = 1_000

export async function runAgentIsolation(
  ground: Ground,
  { rounds, timings }: { rounds: number; timings: number },
  tools: RunTools,
): Promise<RunResult> {
  const products = [product('OWN', 1_000_000)]
  const shop = await makeShop(
    ground,
    slugs.map((slug) => shopFile(slug, { products })),
  )
  for (const { merchantId } of shop.stands)
    await shop.withStorage((storage) =>
      storage.write((tx) => setAgentSettings(tx, { merchantId, mode: 'test' }, { level: 'buy', who: 'anyone' }, 0)),
    )
  const server = await startServer({ ...shop, publicOrigin: 'http://localhost:9' })
  const caller = createCaller(8)
  const run = new AgentIsolation(shop, (call) => caller.call(server.origin, call), tools)
  try {
    await run.furnish()
    for (let round = 0; round < rounds; round += 1) await run.probe()
    if (timings > 0) await run.time(timings)
    for (const line of defectsOf([server])) run.violations.add(line)
    return { seen: { ...run.seen }, violations: [...run.violations].slice(0, 50) }
  } finally {
    await server.end('SIGKILL')
    caller.close()
  }
}

class AgentIsolation {
  readonly shop: Shop
  readonly send: (call: Call) => Promise<Answer>
  readonly tools: RunTools
  readonly violations = new Set<string>()
  readonly seen: Record<string, string | number> = {}
  readonly #owners: { asker: Asker; has: Belongings }[] = []
  readonly #askers: Asker[] = []

  constructor(shop: Shop, send: (call: Call) => Promise<Answer>, tools: RunTools) {
    this.shop = shop
    this.send = send
    this.tools = tools
  }

  // Two platforms and a caller without a profile at one shop, the first platform at another, and two platforms with keys.
  async furnish(): Promise<void> {
    const [slug, elsewhere] = slugs
    const one: Asker = { name: 'one', protocol: 'ucp', slug, platform: 'http://127.0.0.1:9/one.json' }
    const other = { ...one, name: 'other', platform: 'http://127.0.0.1:9/other.json' }
    const there = { ...one, name: 'one elsewhere', slug: elsewhere }
    for (const asker of [one, other, there]) this.#owners.push({ asker, has: await this.#buy(asker) })
    const nobody: Asker = { name: 'nobody', protocol: 'mcp', slug }
    const opened = { cart: await this.#open(nobody, 'cart'), checkout: await this.#open(nobody, 'checkout') }
    this.#owners.push({ asker: nobody, has: opened })
    for (const name of ['first', 'second']) {
      const asker: Asker = { name, protocol: 'acp', slug, key: await this.#keyFor(`https://${name}.example`) }
      this.#owners.push({ asker, has: { checkout: await this.#open(asker, 'checkout') } })
    }
    const merchant = {
      ...one,
      name: 'a merchant',
      platform: 'http://127.0.0.1:9/shop.json',
      key: this.shop.stands[0]?.key ?? '',
    }
    this.#askers.push(
      ...this.#owners.map(({ asker }) => asker),
      { ...one, protocol: 'mcp', name: 'one by MCP' },
      merchant,
    )
  }

  async probe(): Promise<void> {
    const before = await this.#world()
    let probes = 0
    for (const asker of this.#askers)
      for (const question of questionsOf(asker)) {
        const wanted = comparable(await this.send(question.call(randomOf(question.kind))))
        for (const [what, id] of this.#foreignTo(asker, question.kind)) {
          const found = comparable(await this.send(question.call(id)))
          probes += 1
          if (found !== wanted)
            this.violations.add(
              `${question.name} by ${asker.name} of ${what} is answered ${found.slice(0, 200)}, what never was ${wanted.slice(0, 200)}`,
            )
        }
      }
    if ((await this.#world()) !== before) this.violations.add('agents have changed things of others')
    for (const { asker, has } of this.#owners)
      for (const question of questionsOf(asker).filter(({ isRead }) => isRead)) {
        const own = has[question.kind]
        if (own === undefined) continue
        const { text } = await this.send(question.call(own))
        if (!text.includes(own))
          this.violations.add(`${question.name} by ${asker.name} of its own: ${text.slice(0, 200)}`)
      }
    this.seen.agentProbes = Number(this.seen.agentProbes ?? 0) + probes
    this.tools.tell(`agents: ${this.seen.agentProbes} probes`)
  }

  // Each reading question, by each protocol, with what is foreign and what never was in turns.
  async time(timings: number): Promise<void> {
    const ratios: { name: string; ratio: number }[] = []
    for (const asker of this.#askers.filter(({ name }) => timed.includes(name)))
      for (const question of questionsOf(asker).filter(({ isRead }) => isRead)) {
        const foreign = this.#foreignTo(asker, question.kind)
        const took = { foreign: [] as number[], random: [] as number[] }
        for (let index = 0; index < timings; index += 1) {
          // Made before both: to make one takes time too.
          const calls = {
            foreign: question.call(foreign[index % foreign.length]?.[1] ?? ''),
            random: question.call(randomOf(question.kind)),
          }
          for (const kind of shuffled(this.tools.random, ['foreign', 'random'] as const))
            took[kind].push((await this.send(calls[kind])).tookMs)
        }
        const ratio = median(took.foreign) / median(took.random)
        const name = `${question.name} by ${asker.name}`
        ratios.push({ name, ratio })
        this.tools.tell(`agents: ${name} timed, ${ratio.toFixed(3)}`)
      }
    ratios.sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)))
    this.seen.agentTimed = ratios.length
    const ratio = median(ratios.map((one) => one.ratio))
    this.seen.agentTimedRatio = ratio.toFixed(3)
    if (timings >= judgedFrom && (ratio > ratioMax || ratio < 1 / ratioMax))
      this.violations.add(`what is foreign takes agents ${ratio.toFixed(3)} times as long as what never was`)
    const [worst] = ratios
    if (worst) this.seen.agentTimedWorst = `${worst.ratio.toFixed(3)} ${worst.name}`
  }

  // With the tag of its owner, and without one: by its own tag alone a caller finds a thing.
  #foreignTo(asker: Asker, kind: Kind): [string, string][] {
    return this.#owners
      .filter(({ asker: owner }) => !isSamePlatform(owner, asker))
      .flatMap(({ asker: owner, has }): [string, string][] => {
        const id = has[kind]
        if (id === undefined) return []
        const [bare = '', tag = ''] = id.split('.')
        return [
          [`what ${owner.name} has`, id],
          [`what ${owner.name} has, with another tag`, `${bare}.${[...tag].reverse().join('')}`],
        ]
      })
  }

  async #buy(asker: Asker): Promise<Belongings> {
    const bought = await this.#open(asker, 'checkout')
    const path = `${baseOf(asker)}/checkout-sessions/${bought}/complete`
    const answer = await this.send({ method: 'POST', path, headers: headersOf(asker), body: JSON.stringify(paid) })
    const { order } = JSON.parse(answer.text) as { order?: { id: string } }
    if (!order) throw new Error(`${asker.name} could not buy: ${answer.text.slice(0, 300)}`)
    return { cart: await this.#open(asker, 'cart'), checkout: await this.#open(asker, 'checkout'), order: order.id }
  }

  async #open(asker: Asker, kind: 'cart' | 'checkout'): Promise<string> {
    const headers = headersOf(asker)
    const post = (path: string, body: object): Call => ({ method: 'POST', path, headers, body: JSON.stringify(body) })
    const calls = {
      ucp: () => post(`${baseOf(asker)}/${kind === 'cart' ? 'carts' : 'checkout-sessions'}`, wish),
      mcp: () => toolCall(asker, `create_${kind}`, { [kind]: wish }),
      acp: () => post(`${baseOf(asker)}/checkout_sessions`, acpWish),
    }
    const answer = await this.send(calls[asker.protocol]())
    const [, id] = /"id":"([a-z]+_\w+\.[\w-]+)"/.exec(answer.text) ?? []
    if (id === undefined) throw new Error(`${asker.name} got no ${kind}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return id
  }

  async #keyFor(profileUrl: string): Promise<string> {
    const ask = async <T>(path: string, body: object) => {
      const headers = { authorization: `Bearer ${this.shop.stands[0]?.key}`, ...json }
      const text = JSON.stringify({ idempotencyKey: randomUUID(), ...body })
      return dataOf<T>(
        await this.send({ method: 'POST', path: `/api/v1/admin/agents/platforms${path}`, headers, body: text }),
      )
    }
    const { id } = await ask<{ id: string }>('', { profileUrl })
    return (await ask<{ secret: string }>(`/${id}/keys`, {})).secret
  }

  #world(): Promise<string> {
    return this.shop.withStorage((storage) =>
      storage.read(async (db) =>
        JSON.stringify([
          await db.sql`select id, version, status from carts order by id`,
          await db.sql`select id, version, status from checkout_sessions order by id`,
          await db.sql`select id, version, status from orders order by id`,
          await db.sql`select sku_id, mode, on_hand, held from stock order by sku_id, mode`,
        ]),
      ),
    )
  }
}

// A platform is one of a shop, whichever protocol it speaks.
function isSamePlatform(one: Asker, other: Asker): boolean {
  return (
    one.slug === other.slug && one.platform === other.platform && (one.platform !== undefined || one.key === other.key)
  )
}

const baseOf = ({ protocol, slug }: Asker) => `/${protocol === 'acp' ? 'acp' : 'ucp'}/${slug}/test`

function headersOf({ protocol, platform, key }: Asker): Record<string, string> {
  return {
    ...json,
    'idempotency-key': randomUUID(),
    ...(protocol === 'acp' && { 'api-version': '2026-04-17' }),
    ...(protocol === 'ucp' && platform !== undefined && { 'ucp-agent': `profile="${platform}"` }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
}

function toolCall(asker: Asker, name: string, args: object): Call {
  const profile = asker.platform === undefined ? {} : { 'ucp-agent': { profile: asker.platform } }
  const meta = { ...profile, 'idempotency-key': randomUUID() }
  const params = { name, arguments: { meta, ...args } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return { method: 'POST', path: `${baseOf(asker)}/mcp`, headers: json, body }
}

// Everything that names a thing.
function questionsOf(asker: Asker): Question[] {
  if (asker.protocol === 'acp') return acpQuestionsOf(asker)
  const rows = (Object.values(ucpRows) as UcpRow[]).filter(({ path }) => path.includes('{id}'))
  return rows.map((row) => {
    const kind = row.path.startsWith('/carts') ? 'cart' : row.path.startsWith('/orders') ? 'order' : 'checkout'
    const payload = row.kind === 'complete' ? paid : row.body === null ? undefined : wish
    const call = (id: string): Call =>
      asker.protocol === 'mcp'
        ? toolCall(asker, row.tool, { id, ...(row.payload !== null && { [row.payload]: payload ?? {} }) })
        : {
            method: row.method,
            path: baseOf(asker) + row.path.replace('{id}', id),
            headers: headersOf(asker),
            body: payload && JSON.stringify(payload),
          }
    return { name: row.tool, kind, isRead: row.kind === 'read', call }
  })
}

function acpQuestionsOf(asker: Asker): Question[] {
  const asked: readonly (readonly [string, string, string, object?])[] = [
    ['get a session', 'GET', ''],
    ['change a session', 'POST', '', {}],
    ['cancel a session', 'POST', '/cancel'],
    ['complete a session', 'POST', '/complete', acpPaid],
  ]
  return asked.map(([name, method, end, body]) => ({
    name,
    kind: 'checkout',
    isRead: method === 'GET',
    call: (id) => ({
      method,
      path: `${baseOf(asker)}/checkout_sessions/${id}${end}`,
      headers: headersOf(asker),
      body: body && JSON.stringify(body),
    }),
  }))
}

function randomOf(kind: Kind): string {
  return `${newId(idOf[kind])}.${randomBytes(16).toString('base64url')}`
}

// Everything by which a caller could tell two answers apart, but what a request brings itself.
function comparable({ status, headers, text }: Answer): string {
  const { 'x-request-id': requestId, date: _, ...rest } = headers
  for (const name of ['idempotency-key', 'signature', 'signature-input']) if (rest[name] !== undefined) rest[name] = ''
  return JSON.stringify([status, rest, text.replaceAll(String(requestId), '')])
}

const wish = {
  line_items: [{ item: { id: 'OWN' }, quantity: 1 }],
  buyer: { email: 'ada@example.com', first_name: 'Ada', last_name: 'L' },
}
const instrument = { type: 'card', credential: { type: 'token', token: 'success_token' } }
const paid = { payment: { instruments: [{ id: '1', handler_id: 'mock_payment_handler', ...instrument }] } }
const acpWish = { line_items: [{ id: 'OWN', quantity: 1 }], currency: 'eur', capabilities: {} }
const acpPaid = { payment_data: { handler_id: 'mock_payment_handler', instrument } }
