// Many concurrent requests with one key, for each operation that changes something: one effect and one answer for all
// of them, 409 for the key with another body, and no connection to the same key of another installation.

import { randomUUID } from 'node:crypto'
import type { OperationId } from '../src/contract/open/operations.ts'
import { runAdminIdempotency } from './adminidempotency.ts'
import { together } from './adminserver.ts'
import { type Answer, codeOf, createCaller, crowd, dataOf, undeclared } from './caller.ts'
import { runCustomerIdempotency } from './customeridempotency.ts'
import { openJournal } from './journal.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { berlin, makeShop, product, type Shop, type Stand, shopFile, standOf } from './shop.ts'
import { type CartData, openSession, pay, readSession, sessionFrom, successUrl } from './shopper.ts'

export const idempotencyRun: ServerRun = {
  name: 'idempotency',
  method:
    'requests at once with one key, half of them with it in the header, for each changing operation that takes an API key; judged by bytes, by the number of events, by 409 to another body and by another installation with the same key; each changing row of the admin surface alike, a twentieth of the keys, judged also by its entries in the list of changes; and what shoppers change who sign in, a fiftieth of them at two servers',
  numbers: { keys: 500, twins: 64, nodes: 1 },
  numbersOf: { postgres: { nodes: 2 } },
  short: { keys: 2, twins: 16 },
  runOn: async (ground, { keys = 0, twins = 0, nodes = 1 }, tools) =>
    together(
      await runIdempotency(ground, { keys, twins, nodes }, tools),
      await runAdminIdempotency(ground, { keys: Math.ceil(keys / 20), twins }, tools),
      await runCustomerIdempotency(ground, { keys: Math.ceil(keys / 50), twins }, tools),
    ),
}

export interface IdempotencyNumbers {
  keys: number
  twins: number
  // Servers of one database to which the identical requests are sent.
  nodes: number
}

type Path = Readonly<Record<string, string>>

interface Input {
  path?: Path
  body: object
  // Another request that would also be valid.
  other: object
}

interface Case {
  id: OperationId
  // Creates something for which the request is valid once.
  prepare(stand: Stand, preparing: Preparing): Promise<Input>
  // How many events one effect has (default: 1).
  events?: number
}

interface Preparing {
  cart(stand: Stand): Promise<string>
  // With an item that is sent, and an address.
  addressedCart(stand: Stand): Promise<string>
  session(stand: Stand): Promise<string>
  order(stand: Stand): Promise<string>
  delivery(stand: Stand): Promise<string>
  sku(stand: Stand, code: 'CARD' | 'BOOK'): string
}

const cases: readonly Case[] = [
  {
    id: 'createPublicCart',
    prepare: async (stand, { sku }) => ({
      body: { items: [{ skuId: sku(stand, 'CARD'), quantity: 2 }] },
      other: { items: [] },
    }),
  },
  {
    id: 'putPublicCartItem',
    prepare: async (stand, { cart, sku }) => ({
      path: { cartId: await cart(stand), skuId: sku(stand, 'CARD') },
      body: { quantity: 2 },
      other: { quantity: 3 },
    }),
  },
  {
    id: 'updatePublicCartItemQuantity',
    prepare: async (stand, { cart, sku }) => ({
      path: { cartId: await cart(stand), skuId: sku(stand, 'BOOK') },
      body: { quantity: 2 },
      other: { quantity: 3 },
    }),
  },
  {
    id: 'removePublicCartItem',
    prepare: async (stand, { cart, sku }) => ({
      path: { cartId: await cart(stand), skuId: sku(stand, 'BOOK') },
      body: {},
      other: { reason: 'another' },
    }),
  },
  {
    id: 'applyPublicCartPromotion',
    prepare: async (stand, { cart }) => ({
      path: { cartId: await cart(stand) },
      body: { code: 'TEN' },
      other: { code: null },
    }),
  },
  {
    id: 'setPublicCartAddress',
    prepare: async (stand, { cart }) => ({
      path: { cartId: await cart(stand) },
      body: { address: berlin },
      other: { address: { ...berlin, city: 'Potsdam' } },
    }),
  },
  {
    id: 'setPublicCartShipping',
    prepare: async (stand, { addressedCart }) => ({
      path: { cartId: await addressedCart(stand) },
      body: { optionId: 'express' },
      other: { optionId: 'standard' },
    }),
  },
  {
    id: 'createHostedCheckoutSession',
    prepare: async (stand, { cart }) => {
      const cartId = await cart(stand)
      return { body: { cartId, successUrl }, other: { cartId, successUrl, locale: 'de' } }
    },
    // That of the session, and that of the cart that refers to it.
    events: 2,
  },
  {
    id: 'cancelHostedCheckoutSession',
    prepare: async (stand, { session }) => ({
      path: { sessionId: await session(stand) },
      body: {},
      other: { reason: 'other' },
    }),
    events: 2,
  },
  {
    id: 'cancelStorefrontOrder',
    prepare: async (stand, { order }) => ({
      path: { orderId: await order(stand) },
      body: {},
      other: { reason: 'other' },
    }),
  },
  {
    id: 'replayInstallationWebhookDelivery',
    prepare: async (stand, { delivery }) => ({
      path: { id: await delivery(stand) },
      body: { allowSucceeded: true },
      other: { allowSucceeded: true, reason: 'another' },
    }),
    // It repeats an existing event.
    events: 0,
  },
]

export const repeatedOperations: readonly OperationId[] = cases.map(({ id }) => id)

// Two merchants, so they share neither SKUs nor anything else.
function fileOf(slug: string) {
  return shopFile(slug, {
    products: [
      product('BOOK', 1_000_000, { price: 2_995 }),
      product('CARD', 1_000_000, { price: 333 }),
      product('LAMP', 1_000_000, { isSent: true }),
    ],
    shipping: [
      {
        zone: 'home',
        countries: ['DE'],
        options: [
          { id: 'standard', label: 'Standard', amount: 490 },
          { id: 'express', label: 'Express', amount: 990 },
        ],
      },
    ],
    promotions: [{ code: 'TEN', name: 'Ten', type: 'percentage', percentage: 1_000 }],
  })
}

export async function runIdempotency(ground: Ground, numbers: IdempotencyNumbers, tools: RunTools): Promise<RunResult> {
  const { keys, twins } = numbers
  const nodes = ground.engine === 'sqlite' ? 1 : numbers.nodes
  const webhooks = await openJournal()
  const shop = await makeShop(ground, [fileOf('one'), fileOf('two')], { webhookUrl: webhooks.url })
  const caller = createCaller(twins)
  const violations = new Set<string>()
  const seen = {
    nodes,
    operations: cases.length,
    requests: 0,
    answersRepeated: 0,
    otherBodies: 0,
    otherInstallations: 0,
  }
  const servers: Server[] = []
  const [stand, rival] = [standOf(shop), standOf(shop, 1)]
  const origin = () => pick(tools.random, servers).origin

  async function send(
    id: OperationId,
    by: Stand,
    input: { path?: Path; body: object },
    key: string,
    isInHeader = false,
  ) {
    const { path = {}, body } = input
    const answer = isInHeader
      ? await caller.ask(origin(), id, { key: by.key, path, body, headers: { 'idempotency-key': key } })
      : await caller.ask(origin(), id, { key: by.key, path, body: { ...body, idempotencyKey: key } })
    const problem = undeclared(id, answer)
    if (problem) violations.add(problem)
    seen.requests += 1
    return answer
  }

  async function tryKey({ id, prepare, events = 1 }: Case, key: string): Promise<void> {
    const input = await prepare(stand, preparing)
    const before = await countOf(shop, id, stand)
    const answers = await Promise.all(
      Array.from({ length: twins }, (_, index) => send(id, stand, input, key, index % 2 === 1)),
    )
    const what = `${id} with ${twins} twins`
    const bad = answers.find(({ status }) => status !== 200)
    if (bad) violations.add(`${what} answered ${bad.status} ${codeOf(bad)} to one`)
    const texts = new Set(answers.map(({ text }) => text))
    if (texts.size !== 1) violations.add(`${what} gave ${texts.size} different answers`)
    const repeated = answers.filter(isRepeated).length
    seen.answersRepeated += repeated
    if (repeated !== twins - 1) violations.add(`${what} repeated ${repeated} answers`)
    const after = await countOf(shop, id, stand)
    if (after.events - before.events !== events || after.replays - before.replays !== (events === 0 ? 1 : 0))
      violations.add(`${what} had ${after.events - before.events} events and ${after.replays - before.replays} replays`)

    const other = await send(id, stand, { ...input, body: input.other }, key)
    if (codeOf(other) !== 'idempotency_key_reused')
      violations.add(`${id} with another body and the same key answered ${other.status} ${codeOf(other)}`)
    seen.otherBodies += 1

    const theirs = await send(id, rival, await prepare(rival, preparing), key)
    if (theirs.status !== 200 || isRepeated(theirs) || texts.has(theirs.text))
      violations.add(`${id} of another installation with the same key answered ${theirs.status}, repeated or alike`)
    seen.otherInstallations += 1
    const [first] = texts
    const own = await send(id, stand, input, key)
    if (own.text !== first) violations.add(`${id} has another answer after another installation used the key`)
  }

  const replayed = new Map<string, string>()
  const preparing: Preparing = {
    sku: (by, code) => shop.sku(code, by.merchantSlug),
    cart: (by) => cartWith(by, 'BOOK'),
    async addressedCart(by) {
      const cartId = await cartWith(by, 'LAMP')
      const body = { idempotencyKey: randomUUID(), address: berlin }
      dataOf(await caller.ask(origin(), 'setPublicCartAddress', { key: by.key, path: { cartId }, body }))
      return cartId
    },
    async session(by) {
      return sessionFrom(await openSession(caller, origin(), by, { items: itemsOf(by) })).id
    },
    async order(by) {
      const session = sessionFrom(await openSession(caller, origin(), by, { items: itemsOf(by) }))
      await pay(caller, origin(), session)
      return (await readSession(caller, origin(), by, session.id)).orderId ?? ''
    },
    // A finished one: each is replayed once in this run.
    async delivery(by) {
      await preparing.cart(by)
      const { installationId } = by
      for (;;) {
        const [row] = await shop.withStorage((storage) =>
          storage.read(
            (db) => db.sql<{ id: string }>`
              select id from webhook_deliveries where installation_id = ${installationId} and status = 'succeeded'
                and replay_of is null and id > ${replayed.get(installationId) ?? ''}
              order by id limit 1`,
          ),
        )
        if (!row) continue
        replayed.set(installationId, row.id)
        return row.id
      }
    },
  }
  async function cartWith(by: Stand, code: string): Promise<string> {
    const body = { idempotencyKey: randomUUID(), items: [{ skuId: shop.sku(code, by.merchantSlug), quantity: 1 }] }
    return dataOf<CartData>(await caller.ask(origin(), 'createPublicCart', { key: by.key, body })).id
  }
  const itemsOf = (by: Stand) => [{ skuId: shop.sku('BOOK', by.merchantSlug), quantity: 1 }]

  try {
    for (let node = 0; node < nodes; node += 1) servers.push(await startServer(shop))
    for (let key = 0; key < keys; key += 1) {
      // One after the other, because the events of one effect are counted.
      await crowd(cases, 1, (operation) => tryKey(operation, `${operation.id}-${key}`))
      tools.tell(`${key + 1} of ${keys} keys, ${seen.requests} requests`)
    }
    for (const line of defectsOf(servers)) violations.add(line)
    for (const sentence of await shop.withStorage(findBroken)) violations.add(sentence)
    return { seen, violations: [...violations].slice(0, 50) }
  } finally {
    for (const server of servers) await server.end('SIGKILL')
    caller.close()
    await webhooks.close()
  }
}

function isRepeated({ headers }: Answer): boolean {
  return headers['idempotency-replayed'] === 'true'
}

// The events that this operation could have caused, of the first installation. The server's loops announce refunds at
// any time, so only events caused by a request are counted.
async function countOf(shop: Shop, id: OperationId, { installationId }: Stand) {
  const [row] = await shop.withStorage((storage) =>
    storage.read(
      (db) => db.sql<{ events: number; replays: number }>`
        select (
          select count(*) from events where installation_id = ${installationId}
            and body like ${`%"operationId":"${id}"%`}) as "events",
          (select count(*) from webhook_deliveries
            where installation_id = ${installationId} and replay_of is not null) as "replays"`,
    ),
  )
  return row ?? { events: 0, replays: 0 }
}
