// Requests generated from the schema of every operation: valid ones, which must never be a 400, and invalid ones, each
// broken in one place, which must be a 400 that names the place. Every answer must be one that the row declares, in its
// schema.

import {
  type OpenInterfaceOperation,
  type OperationId,
  operationIds,
  operations,
} from '../src/contract/open/operations.ts'
import { searchQuery, suggestionQuery } from '../src/contract/open/search.ts'
import type { TSchema } from '../src/contract/schema.ts'
import { runAdminContract } from './admincontract.ts'
import { together } from './adminserver.ts'
import { type Answer, type Caller, codeOf, createCaller, crowd, dataOf, undeclared } from './caller.ts'
import { openJournal } from './journal.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, shuffled, whole } from './random.ts'
import { brokenFrom, goodValue, type Json, type Known } from './requests.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, type Stand, shopFile, standOf } from './shop.ts'
import { type CartData, openSession, pay, readSession, type SessionData, sessionFrom } from './shopper.ts'

export const contractRun: ServerRun = {
  name: 'contract',
  method:
    'valid and invalid requests generated from the JSON Schema of every row (missing, unknown and doubled members, members of the answer sent back, every bound, every pattern, every type written as another); judged by the status, the place that a 400 names, and the schema of the answer; the rows of the admin surface with a tenth of the requests',
  numbers: { requests: 20_000 },
  short: { requests: 60 },
  runOn: async (ground, { requests = 0 }, tools) =>
    together(
      await runContract(ground, { requests }, tools),
      await runAdminContract(ground, { requests: Math.ceil(requests / 10) }, tools),
    ),
}

const atOnce = 8

export async function runContract(
  ground: Ground,
  { requests }: { requests: number },
  tools: RunTools,
): Promise<RunResult> {
  const webhooks = await openJournal()
  const products = ['ONE', 'TWO', 'THREE', 'FOUR'].map((code) =>
    product(code, 1_000_000_000, { isSent: code === 'TWO' }),
  )
  const promotions = [{ code: 'TEN', name: 'Ten', type: 'percentage', percentage: 1_000 } as const]
  const shop = await makeShop(ground, [shopFile('contract', { products, promotions })], { webhookUrl: webhooks.url })
  const caller = createCaller(atOnce)
  const server = await startServer(shop)
  const asking = new Asking(shop, caller, server, tools)
  try {
    await asking.furnish()
    for (const id of operationIds) {
      await crowd(Array.from({ length: requests }), atOnce, async (_, index) => {
        // Replaces what the requests have used up.
        if (index % 200 === 199) await asking.furnish()
        await asking.ask(id)
        tools.tell(`${id}: ${index + 1} of ${requests}`)
      })
    }
    if (!asking.seen.has('good: 200')) asking.violations.add('no valid request was answered with 200')
    for (const line of defectsOf([server])) asking.violations.add(line)
    for (const sentence of await shop.withStorage(findBroken)) asking.violations.add(sentence)
    return { seen: Object.fromEntries(asking.seen), violations: [...asking.violations].slice(0, 50) }
  } finally {
    await server.end('SIGKILL')
    caller.close()
    await webhooks.close()
  }
}

// A few existing ids of each kind.
interface Pool {
  cartId: string[]
  sessionId: string[]
  orderId: string[]
  endpointId: string[]
  deliveryId: string[]
}

class Asking {
  readonly shop: Shop
  readonly caller: Caller
  readonly server: Server
  readonly random: () => number
  readonly stand: Stand
  readonly violations = new Set<string>()
  readonly seen = new Map<string, number>([['operations', operationIds.length]])
  readonly known: Known
  readonly #pool: Pool = { cartId: [], sessionId: [], orderId: [], endpointId: [], deliveryId: [] }
  // Members of an operation's answer, to be sent where they are not allowed.
  readonly #strangers = new Map<OperationId, readonly string[]>()
  #keys = 0

  constructor(shop: Shop, caller: Caller, server: Server, { random }: RunTools) {
    this.shop = shop
    this.caller = caller
    this.server = server
    this.random = random
    this.stand = standOf(shop)
    const skus = ['ONE', 'TWO', 'THREE', 'FOUR'].map((code) => shop.sku(code))
    const quantity = (chance: () => number) => whole(chance, 1, 9)
    const items = (chance: () => number): Json =>
      shuffled(chance, skus)
        .slice(0, whole(chance, 1, 4))
        .map((skuId) => ({ skuId, quantity: quantity(chance) }))
    this.known = {
      items,
      skuId: (chance) => pick(chance, skus),
      cartId: (chance) => pick(chance, this.#pool.cartId),
      successUrl: (chance) => `http://localhost:${whole(chance, 1, 65_535)}/x?s={sessionId}&y=%20'"`,
      cancelUrl: () => 'https://localhost/back#there',
      address,
      // Its form is that of its country, which no schema expresses.
      vatId: (chance) => pick(chance, ['ATU12345678', 'de 123456789', 'NL123456789B01']),
      idempotencyKey: () => this.#key(),
    }
  }

  async furnish(): Promise<void> {
    const { caller, server, stand } = this
    const items = [{ skuId: this.shop.sku('ONE'), quantity: 1 }]
    const carts: string[] = []
    const sessions: string[] = []
    for (let count = 0; count < 4; count += 1) {
      const body = { items, idempotencyKey: this.#key() }
      carts.push(dataOf<CartData>(await caller.ask(server.origin, 'createPublicCart', { key: stand.key, body })).id)
      sessions.push(sessionFrom(await openSession(caller, server.origin, stand, { items })).id)
    }
    const bought = sessionFrom(await openSession(caller, server.origin, stand, { items }))
    await pay(caller, server.origin, bought)
    const { orderId } = await readSession(caller, server.origin, stand, bought.id)
    const answer = await caller.ask(server.origin, 'listInstallationWebhooks', { key: stand.key })
    const { endpoints } = dataOf<{ endpoints: { id: string; recentDeliveries: { id: string }[] }[] }>(answer)
    this.#pool.cartId = carts
    this.#pool.sessionId = sessions
    this.#pool.orderId = [orderId ?? '']
    this.#pool.endpointId = endpoints.map(({ id }) => id)
    this.#pool.deliveryId = endpoints.flatMap(({ recentDeliveries }) => recentDeliveries.map(({ id }) => id))
  }

  async ask(id: OperationId): Promise<void> {
    const row: OpenInterfaceOperation = operations[id]
    // Shoppers sign in by a code that is mailed: here all that such operations see is a key without a session.
    if (row.caller === 'oauth' || row.caller === 'customer') return this.#askUnknown(id)
    if (row.body === null) return this.#askWithout(id, row)
    const path = this.#path(id, row)
    const body = goodValue(row.body, this.known, this.random) as { [name: string]: Json }
    if (id === 'createHostedCheckoutSession') this.#oneOrTheOther(body)
    const broken =
      this.random() < 0.5 ? brokenFrom(row.body, body, this.#strangers.get(id) ?? [], this.random) : undefined
    if (broken) return this.#askBadly(id, row.body, path, broken)
    // The key is in the body, in the header or, equal, in both.
    const inBody = typeof body.idempotencyKey === 'string' ? body.idempotencyKey : undefined
    const header = inBody === undefined || this.random() < 0.2 ? (inBody ?? this.#key()) : undefined
    const answer = await this.#send(id, path, JSON.stringify(body), header)
    this.#count(`good: ${answer.status}`)
    if (answer.status === 400)
      this.violations.add(
        `${id} refuses a good body: ${answer.text.slice(0, 300)} to ${JSON.stringify(body).slice(0, 600)}`,
      )
    if (answer.status === 200) this.#learn(id, answer)
  }

  // The one rule about a whole body: a cart or items, and a version only with a cart.
  #oneOrTheOther(body: { [name: string]: Json }): void {
    if (body.cartId !== undefined && (body.items === undefined || this.random() < 0.5)) {
      delete body.items
      return
    }
    delete body.cartId
    delete body.expectedCartVersion
    body.items ??= this.known.items?.(this.random) ?? []
  }

  async #askBadly(id: OperationId, _: TSchema, path: Path, broken: { text: string; place: string; how: string }) {
    const answer = await this.#send(id, path, broken.text, this.random() < 0.5 ? this.#key() : undefined)
    this.#count(`bad, ${broken.how}`)
    const what = `${id}, ${broken.how} at ${broken.place}: ${broken.text.slice(0, 400)}`
    if (answer.status !== 400) return void this.violations.add(`${what} is answered ${answer.status} ${codeOf(answer)}`)
    const { error } = JSON.parse(answer.text) as { error: { code: string; issues: { path: string }[] } }
    if (!['invalid_request', 'idempotency_key_invalid', 'malformed_json'].includes(error.code))
      return void this.violations.add(`${what} is refused as ${error.code}`)
    // A violated rule about the whole, such as one of two members, is reported at the parent path.
    const isNamed = error.issues.some(
      ({ path: told }) =>
        broken.place === told || broken.place.startsWith(`${told}/`) || told.startsWith(`${broken.place}/`),
    )
    if (!isNamed) this.violations.add(`${what} is refused at ${error.issues.map(({ path: told }) => told).join(' ')}`)
  }

  // Reads: existing things, missing things, and undeclared parameters.
  async #askWithout(id: OperationId, row: OpenInterfaceOperation): Promise<void> {
    const isBad = this.random() < 0.3
    const query = isBad
      ? pick(this.random, ['?limit=none', '?cursor=', '?cursor=x', '?a=1&a=2', '?%00=1', '?fields[]=x'])
      : this.#goodQuery(row)
    const key = row.caller === 'anyone' ? null : this.stand.key
    const answer = await this.caller.ask(this.server.origin, id, { key, path: this.#path(id, row), query })
    this.#judge(id, answer)
    this.#count(isBad ? 'bad, query' : `good: ${answer.status}`)
    if (isBad ? answer.status !== 400 : ![200, 404].includes(answer.status))
      this.violations.add(`${id}${query} is answered ${answer.status} ${codeOf(answer)}`)
  }

  // A search needs one parameter besides its order, so words are always among them. A lowest price above the highest one is refused.
  #goodQuery({ query }: OpenInterfaceOperation): string {
    if (!query) return ''
    const { minPrice: _, ...values } = goodValue(query, this.known, this.random) as { [name: string]: Json }
    const text = new URLSearchParams()
    if (query === searchQuery || query === suggestionQuery) text.append('q', 'roses')
    for (const [name, value] of Object.entries(values))
      if (name !== 'q') for (const one of [value].flat()) text.append(name, String(one))
    return `?${text}`
  }

  // An app's operations accept no API key: any request with one is unauthenticated.
  async #askUnknown(id: OperationId): Promise<void> {
    const row: OpenInterfaceOperation = operations[id]
    const body = row.body ? goodValue(row.body, this.known, this.random) : undefined
    const answer = await this.caller.ask(this.server.origin, id, {
      key: this.stand.key,
      path: { keyId: 'x', addressId: 'x' },
      body,
    })
    this.#judge(id, answer)
    this.#count('with a key where a token is asked for')
    if (answer.status !== 401) this.violations.add(`${id} with an API key is answered ${answer.status}`)
  }

  async #send(id: OperationId, path: Path, body: string, idempotencyKey: string | undefined): Promise<Answer> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const answer = await this.caller.ask(this.server.origin, id, { key: this.stand.key, path, body, headers })
    this.#judge(id, answer)
    return answer
  }

  #judge(id: OperationId, answer: Answer): void {
    const problem = undeclared(id, answer)
    if (problem) this.violations.add(problem)
  }

  #path(id: OperationId, { path }: OpenInterfaceOperation): Path {
    const { random } = this
    const things: Readonly<Record<string, readonly string[]>> = {
      ...this.#pool,
      skuId: [this.shop.sku('ONE'), this.shop.sku('TWO')],
      slug: ['one', 'two'],
      productSlug: ['one', 'two'],
      merchantSlug: ['contract'],
      id: id === 'replayInstallationWebhookDelivery' ? this.#pool.deliveryId : this.#pool.endpointId,
    }
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    return Object.fromEntries(
      names.map((name) => {
        const there = things[name] ?? []
        const isThere = there.length > 0 && random() < 0.85
        return [name, isThere ? pick(random, there) : pick(random, ['unknown', 'cart_x', '%2e', '😀', '1', 'true'])]
      }),
    )
  }

  // Each member of the answer may be tried in a request.
  #learn(id: OperationId, answer: Answer): void {
    if (this.#strangers.has(id)) return
    const names = new Set<string>()
    function collect(value: unknown): void {
      if (typeof value !== 'object' || value === null) return
      for (const [name, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) names.add(name)
        collect(inner)
      }
    }
    collect(dataOf<SessionData>(answer))
    this.#strangers.set(id, [...names])
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1)
  }

  #key(): string {
    this.#keys += 1
    return `contract-${this.#keys}`
  }
}

type Path = Readonly<Record<string, string>>

// Addresses that follow the rules of their country, which no schema expresses.
function address(random: () => number): Json {
  const text = () => `${pick(random, ['Ada', 'Jürgen', 'O’Neill', 'Łukasz', '山田'])} ${whole(random, 1, 999)}`
  const more = { company: text(), line2: text(), phone: '+49 30 123456' }
  const chosen = Object.entries(more).filter(() => random() < 0.5)
  return {
    name: text(),
    line1: text(),
    city: 'Berlin',
    postalCode: '10117',
    country: 'DE',
    ...Object.fromEntries(chosen),
  }
}
