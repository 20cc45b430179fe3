// Three installations, two of one merchant, request each other's things with every kind of key. A thing of another
// installation is answered like one that never existed, byte for byte except the request id, and nothing of it changes.

import { randomUUID } from 'node:crypto'
import { until } from '../harness/until.ts'
import { adminOperationIds, adminOperations } from '../src/contract/admin/operations.ts'
import type { AdminOperation } from '../src/contract/admin/row.ts'
import {
  type OpenInterfaceOperation,
  type OperationId,
  operationIds,
  operations,
} from '../src/contract/open/operations.ts'
import { idPrefixes } from '../src/contract/words.ts'
import { newId } from '../src/platform/kit/ids.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { runAdminIsolation } from './adminisolation.ts'
import { together } from './adminserver.ts'
import { runAgentIsolation } from './agentisolation.ts'
import { type Answer, codeOf, createCaller, dataOf, undeclared } from './caller.ts'
import { runCustomerIsolation } from './customerisolation.ts'
import { openJournal } from './journal.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { median } from './quantile.ts'
import { shuffled } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { berlin, makeShop, product, type Shop, type Stand, shopFile } from './shop.ts'
import { type CartData, openSession, pay, readSession, sessionFrom, successUrl } from './shopper.ts'

export const isolationRun: ServerRun = {
  name: 'isolation',
  method:
    'three installations × every operation with a key × own, foreign, random and malformed ids × five kinds of key; foreign and malformed must be answered as random is, byte for byte except the request id, and the tables must not change; the times of foreign and random are compared and reported, not judged; every row of the admin surface alike, by another merchant and in the other mode; and every operation of a shopper who is signed in, by shoppers of the same shop, its other mode, another shop and another origin; everything that platforms, a caller without a profile and a merchant’s key may name by UCP, MCP and ACP, whose times may differ by 5 % in the median; and the first once more with the two merchants in two cells that share a process and a root secret, with keys and pages of the other cell',
  numbers: { rounds: 20, timings: 2_000 },
  short: { rounds: 1, timings: 100 },
  runOn: async (ground, { rounds = 0, timings = 0 }, tools) => {
    const ofOne = together(
      await runIsolation(ground, { rounds, timings }, tools),
      await runAdminIsolation(ground, { rounds }, tools),
      await runCustomerIsolation(ground, { rounds }, tools),
      await runAgentIsolation(ground, { rounds, timings }, tools),
    )
    const { seen, violations } = await runIsolation(ground, { rounds, timings: 0, areCells: true }, tools)
    const { probes, ownProbes, pages } = seen
    return together(ofOne, {
      seen: { cellProbes: probes ?? 0, cellOwnProbes: ownProbes ?? 0, cellPages: pages ?? 0 },
      violations: violations.map((violation) => `between cells: ${violation}`),
    })
  },
}

// What an installation has: its own ids, by their name in a path.
interface Belongings {
  stand: Stand
  // Where its server is.
  origin: string
  // Of the page of its checkout.
  secret: string
  slug: string
  cartId: string
  skuId: string
  sessionId: string
  orderId: string
  endpointId: string
  deliveryId: string
  // The idempotency keys with which its cart was created and changed.
  usedKeys: readonly string[]
}

type IdName = keyof Omit<Belongings, 'stand' | 'origin' | 'secret' | 'usedKeys'>

// Where an operation takes an id: in its path, or in its body.
interface IdParameter {
  operation: OperationId
  id: IdName
  // What else the request needs, from the caller's own things.
  path?: (own: Belongings) => Readonly<Record<string, string>>
  pathName?: string
  body?: (own: Belongings, id: string) => object
  // An id of another merchant in a body makes the body invalid; one of the same merchant is valid.
  refusal: string
}

const idParameters: readonly IdParameter[] = [
  {
    operation: 'getInstallationWebhookSignatureFixture',
    id: 'endpointId',
    pathName: 'id',
    refusal: 'webhook_endpoint_not_found',
  },
  {
    operation: 'replayInstallationWebhookDelivery',
    id: 'deliveryId',
    pathName: 'id',
    body: () => ({ allowSucceeded: true }),
    refusal: 'webhook_delivery_not_found',
  },
  {
    operation: 'createHostedCheckoutSession',
    id: 'cartId',
    body: (_, cartId) => ({ cartId, successUrl }),
    refusal: 'cart_not_found',
  },
  {
    operation: 'getHostedCheckoutSession',
    id: 'sessionId',
    pathName: 'sessionId',
    refusal: 'checkout_session_not_found',
  },
  {
    operation: 'cancelHostedCheckoutSession',
    id: 'sessionId',
    pathName: 'sessionId',
    body: () => ({}),
    refusal: 'checkout_session_not_found',
  },
  { operation: 'getStorefrontOrder', id: 'orderId', pathName: 'orderId', refusal: 'order_not_found' },
  {
    operation: 'cancelStorefrontOrder',
    id: 'orderId',
    pathName: 'orderId',
    body: () => ({}),
    refusal: 'order_not_found',
  },
  { operation: 'getApiKeyCatalogProduct', id: 'slug', pathName: 'slug', refusal: 'product_not_found' },
  { operation: 'getPublicCart', id: 'cartId', pathName: 'cartId', refusal: 'cart_not_found' },
  ...(['updatePublicCartItemQuantity', 'removePublicCartItem', 'putPublicCartItem'] as const).flatMap(
    (operation): IdParameter[] => [
      {
        operation,
        id: 'cartId',
        pathName: 'cartId',
        path: ({ skuId }) => ({ skuId }),
        body: () => (operation === 'removePublicCartItem' ? {} : { quantity: 1 }),
        refusal: 'cart_not_found',
      },
      {
        operation,
        id: 'skuId',
        pathName: 'skuId',
        path: ({ cartId }) => ({ cartId }),
        body: () => (operation === 'removePublicCartItem' ? {} : { quantity: 1 }),
        refusal: 'cart_item_not_found',
      },
    ],
  ),
  {
    operation: 'applyPublicCartPromotion',
    id: 'cartId',
    pathName: 'cartId',
    body: () => ({ code: null }),
    refusal: 'cart_not_found',
  },
  // Before shipping, which is offered only to an address.
  {
    operation: 'setPublicCartAddress',
    id: 'cartId',
    pathName: 'cartId',
    body: () => ({ address: berlin }),
    refusal: 'cart_not_found',
  },
  {
    operation: 'setPublicCartShipping',
    id: 'cartId',
    pathName: 'cartId',
    body: () => ({ optionId: 'standard' }),
    refusal: 'cart_not_found',
  },
  {
    operation: 'createPublicCart',
    id: 'skuId',
    body: (_, skuId) => ({ items: [{ skuId, quantity: 1 }] }),
    refusal: 'invalid_request',
  },
  {
    operation: 'createHostedCheckoutSession',
    id: 'skuId',
    body: (_, skuId) => ({ items: [{ skuId, quantity: 1 }], successUrl }),
    refusal: 'invalid_request',
  },
]

const nouns: Readonly<Record<Exclude<IdName, 'slug'>, string>> = {
  cartId: idPrefixes.cart,
  skuId: idPrefixes.sku,
  sessionId: idPrefixes.checkoutSession,
  orderId: idPrefixes.order,
  endpointId: idPrefixes.webhookEndpoint,
  deliveryId: idPrefixes.webhookDelivery,
}

const malformedIds = ['x', '%00', '..', "x' or 1=1 --", 'é', '\u202e', 'x'.repeat(900), '0', 'null', '[object Object]']

interface CallerKind {
  name: string
  key: string | null
}

export async function runIsolation(
  ground: Ground,
  { rounds, timings, areCells = false }: { rounds: number; timings: number; areCells?: boolean },
  tools: RunTools,
): Promise<RunResult> {
  const webhooks = await openJournal()
  const caller = createCaller(8)
  const { server, shops } = await (areCells ? startCells : startOne)(ground, webhooks.url)
  const violations = new Set<string>()
  const seen = { probes: 0, ownProbes: 0, pages: 0, idParameters: idParameters.length, timedRatio: '', timedWorst: '' }

  async function send(
    idParameter: IdParameter,
    key: string | null,
    own: Belongings,
    id: string,
    idempotencyKey: string = randomUUID(),
  ) {
    const { operation, pathName, path, body } = idParameter
    return caller.ask(own.origin, operation, {
      key,
      path: { ...path?.(own), ...(pathName === undefined ? {} : { [pathName]: id }) },
      ...(body && { body: { ...body(own, id), idempotencyKey } }),
    })
  }

  async function furnish({ shop, origin }: PlacedShop, stand: Stand): Promise<Belongings> {
    const code = stand.merchantSlug === 'rival' ? 'THEIRS' : 'OWN'
    const skuId = shop.sku(code, stand.merchantSlug)
    const items = [{ skuId, quantity: 1 }]
    const usedKeys = [randomUUID(), randomUUID()]
    // With something that is sent, so it offers shipping.
    const sent = { skuId: shop.sku(`${code}-SENT`, stand.merchantSlug), quantity: 1 }
    const make = { items: [...items, sent], idempotencyKey: usedKeys[0] }
    const { id: cartId } = dataOf<CartData>(
      await caller.ask(origin, 'createPublicCart', { key: stand.key, body: make }),
    )
    const change = { path: { cartId, skuId }, body: { quantity: 2, idempotencyKey: usedKeys[1] } }
    await caller.ask(origin, 'updatePublicCartItemQuantity', { key: stand.key, ...change })
    const open = sessionFrom(await openSession(caller, origin, stand, { items }))
    const bought = sessionFrom(await openSession(caller, origin, stand, { items }))
    await pay(caller, origin, bought)
    const { orderId } = await readSession(caller, origin, stand, bought.id)
    const { endpointId, deliveryId } = await finishedDelivery(shop, stand)
    const slug = code.toLowerCase()
    const { secret } = open
    return {
      ...{ stand, origin, secret, slug, cartId, skuId, usedKeys },
      ...{ sessionId: open.id, orderId: orderId ?? '', endpointId, deliveryId },
    }
  }

  async function finishedDelivery(
    shop: Shop,
    { installationId }: Stand,
  ): Promise<{ endpointId: string; deliveryId: string }> {
    for (;;) {
      const [row] = await shop.withStorage((storage) =>
        storage.read(
          (db) => db.sql<{ endpointId: string; deliveryId: string }>`
            select endpoint_id as "endpointId", id as "deliveryId" from webhook_deliveries
            where installation_id = ${installationId} and status = 'succeeded' and replay_of is null order by id limit 1`,
        ),
      )
      if (row) return row
    }
  }

  // Everything that is not the caller's own must look as if it never existed.
  async function probe(
    idParameter: IdParameter,
    own: Belongings,
    others: readonly Belongings[],
    by: CallerKind,
  ): Promise<void> {
    const isShared = idParameter.id === 'skuId' || idParameter.id === 'slug'
    const foreign = others.filter(({ stand }) => !isShared || stand.merchantId !== own.stand.merchantId)
    const random =
      idParameter.id === 'slug' ? `no-${randomUUID()}` : newId(nouns[idParameter.id] as Parameters<typeof newId>[0])
    const expected = await send(idParameter, by.key, own, random)
    const wanted = comparable(expected)
    judge(idParameter, by, expected)
    const inBody = idParameter.pathName === undefined
    const asked: readonly (readonly [string, string, string?])[] = [
      ...foreign.map((other) => ['foreign', other[idParameter.id]] as const),
      // With a key that its owner has used: the caller must not get the stored answer.
      ...foreign.flatMap((other) => other.usedKeys.map((key) => ['foreign', other[idParameter.id], `${key}`] as const)),
      // In a body the schema prescribes the form of an id, and refuses any other.
      ...(inBody ? [] : malformedIds.map((id) => ['malformed', id] as const)),
      ...(inBody || idParameter.id === 'slug' ? [] : [['malformed', own[idParameter.id].toUpperCase()] as const]),
    ]
    for (const [kind, id, key] of asked) {
      const answer = await send(idParameter, by.key, own, id, key)
      seen.probes += 1
      if (comparable(answer) !== wanted)
        violations.add(
          `${idParameter.operation} by ${by.name}: ${kind} ${idParameter.id} is answered ${answer.status} ${codeOf(answer)}, random ${expected.status} ${codeOf(expected)}`,
        )
    }
  }

  function judge({ operation, refusal }: IdParameter, by: CallerKind, answer: Answer): void {
    const row: OpenInterfaceOperation = operations[operation]
    const mayAsk =
      by.name === 'full' ||
      (by.name === 'read' && (row.scope === null || row.scope === 'catalog:read')) ||
      (by.name === 'bare' && row.scope === null)
    const isUnknown = by.name === 'wrong' || by.name === 'none' || by.name === 'other cell'
    const expected = isUnknown ? 'unauthenticated' : mayAsk ? refusal : 'scope_missing'
    const problem = undeclared(operation, answer)
    if (problem) violations.add(problem)
    if (codeOf(answer) !== expected)
      violations.add(
        `${operation} by ${by.name} of something that never was answers ${codeOf(answer)}, not ${expected}`,
      )
  }

  // Lists show only the caller's own things, and a page link of one installation does not work for another.
  async function lists(own: Belongings, others: readonly Belongings[]): Promise<void> {
    const strangers = others.flatMap((other) => {
      const { cartId, sessionId, orderId, endpointId, deliveryId, stand, skuId, slug } = other
      const always = [cartId, sessionId, orderId, endpointId, deliveryId, stand.installationId]
      return stand.merchantId === own.stand.merchantId ? always : [...always, skuId, `"${slug}"`, stand.merchantId]
    })
    for (const id of operationIds.filter(
      (known) => operations[known].caller === 'key' && !operations[known].path.includes('{'),
    )) {
      if (operations[id].method !== 'GET') continue
      const answer = await caller.ask(own.origin, id, { key: own.stand.key })
      seen.ownProbes += 1
      const problem = undeclared(id, answer)
      if (problem) violations.add(problem)
      const found = strangers.find((stranger) => answer.text.includes(stranger))
      if (found !== undefined) violations.add(`${id} shows ${found}, which is another installation's`)
      const [, cursor] = /\?cursor=([^"]+)"/.exec(answer.text) ?? []
      if (cursor === undefined) continue
      for (const other of others) {
        const theirs = await caller.ask(other.origin, id, { key: other.stand.key, query: `?cursor=${cursor}` })
        seen.probes += 1
        const forgedThere = await caller.ask(other.origin, id, { key: other.stand.key, query: '?cursor=forged' })
        if (comparable(theirs) !== comparable(forgedThere))
          violations.add(`${id} follows the page link of another installation: ${theirs.status}`)
      }
      const mine = await caller.ask(own.origin, id, { key: own.stand.key, query: `?cursor=${cursor}` })
      if (mine.status !== 200) violations.add(`${id} does not follow its own link: ${mine.status}`)
    }
  }

  // At another cell the page of a checkout was never there, and a key is not one.
  async function strangersAt(own: Belongings, other: Belongings): Promise<void> {
    const pageOf = async (secret: string) => {
      const { status, text } = await caller.call(other.origin, { method: 'GET', path: `/c/${secret}` })
      return JSON.stringify([status, text.replaceAll(secret, '').replaceAll(/req_\w+/g, '')])
    }
    seen.pages += 1
    const foreign = await pageOf(own.secret)
    if (foreign !== (await pageOf(`${own.secret.slice(0, -4)}AAAA`)))
      violations.add(`the page of a checkout is known to another cell: ${foreign.slice(0, 300)}`)
    for (const id of adminOperationIds) {
      const { method, path } = adminOperations[id] as AdminOperation
      const body = method === 'GET' ? {} : { body: JSON.stringify({ idempotencyKey: randomUUID() }) }
      const headers = { authorization: `Bearer ${own.stand.key}`, 'content-type': 'application/json' }
      const answer = await caller.call(other.origin, {
        ...{ method, path: path.replaceAll(/\{\w+\}/g, own.cartId), ...body },
        headers,
      })
      seen.probes += 1
      if (answer.status !== 401) violations.add(`${id} answers the key of another cell ${answer.status}`)
    }
  }

  async function time(own: Belongings, other: Belongings): Promise<void> {
    const ratios: { name: string; ratio: number }[] = []
    for (const idParameter of idParameters.filter(
      ({ operation }) => operations[operation].method === 'GET' && operation !== 'getApiKeyCatalogProduct',
    )) {
      const took = { foreign: [] as number[], random: [] as number[] }
      for (let index = 0; index < timings; index += 1) {
        const random = newId(nouns[idParameter.id as Exclude<IdName, 'slug'>] as Parameters<typeof newId>[0])
        for (const kind of shuffled(tools.random, ['foreign', 'random'] as const)) {
          const answer = await send(
            idParameter,
            own.stand.key,
            own,
            kind === 'foreign' ? other[idParameter.id] : random,
          )
          took[kind].push(answer.tookMs)
        }
      }
      ratios.push({ name: idParameter.operation, ratio: median(took.foreign) / median(took.random) })
    }
    ratios.sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)))
    seen.timedRatio = median(ratios.map(({ ratio }) => ratio)).toFixed(3)
    const [worst] = ratios
    if (worst) seen.timedWorst = `${worst.ratio.toFixed(3)} ${worst.name}`
  }

  try {
    const all: Belongings[] = []
    for (const placed of shops) for (const stand of placed.shop.stands) all.push(await furnish(placed, stand))
    // Loops announce some of it seconds later.
    for (const { shop } of shops) await until(() => shop.withStorage(isAnnounced))
    const before = await worlds(shops)
    for (let round = 0; round < rounds; round += 1) {
      for (const own of all) {
        const others = all.filter((other) => other !== own)
        const { key, readKey, bareKey } = own.stand
        const kinds: readonly CallerKind[] = [
          { name: 'full', key },
          { name: 'read', key: readKey },
          { name: 'bare', key: bareKey },
          { name: 'wrong', key: `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` },
          { name: 'none', key: null },
          ...others.flatMap(({ origin, stand }) =>
            origin === own.origin ? [] : [{ name: 'other cell', key: stand.key }],
          ),
        ]
        for (const by of kinds)
          for (const idParameter of shuffled(tools.random, idParameters)) await probe(idParameter, own, others, by)
        await lists(own, others)
        for (const other of others) if (other.origin !== own.origin) await strangersAt(own, other)
        tools.tell(`${round + 1} of ${rounds} rounds, ${seen.probes} probes`)
      }
    }
    if ((await worlds(shops)) !== before)
      violations.add('something changed although every request was for things of others')
    // The owners may do all of it.
    for (const own of all) {
      for (const idParameter of idParameters) {
        const answer = await send(idParameter, own.stand.key, own, own[idParameter.id])
        seen.ownProbes += 1
        if (answer.status !== 200 && !ownRefusals.has(codeOf(answer)))
          violations.add(
            `${idParameter.operation} of its own ${idParameter.id} answers ${answer.status} ${codeOf(answer)}`,
          )
      }
    }
    const [own, , other] = all
    if (own && other && timings > 0) await time(own, other)
    for (const line of defectsOf([server])) violations.add(line)
    for (const { shop } of shops) for (const sentence of await shop.withStorage(findBroken)) violations.add(sentence)
    return { seen, violations: [...violations].slice(0, 50) }
  } finally {
    await server.end('SIGKILL')
    caller.close()
    await webhooks.close()
  }
}

interface PlacedShop {
  shop: Shop
  origin: string
}

const manyProducts = () => Array.from({ length: 101 }, (_, index) => product(`MORE-${index}`, 5))

function sharedFile() {
  return shopFile('shared', {
    products: [product('OWN', 1_000), product('OWN-SENT', 1_000, { isSent: true }), ...manyProducts()],
    installations: ['One', 'Two'].map((name) => ({ name, mode: 'test' as const })),
  })
}

function rivalFile() {
  return shopFile('rival', {
    products: [product('THEIRS', 1_000), product('THEIRS-SENT', 1_000, { isSent: true }), ...manyProducts()],
  })
}

async function startOne(ground: Ground, webhookUrl: string): Promise<{ server: Server; shops: PlacedShop[] }> {
  const shop = await makeShop(ground, [sharedFile(), rivalFile()], { webhookUrl })
  const server = await startServer(shop)
  return { server, shops: [{ shop, origin: server.origin }] }
}

// Two names of this machine for the hosts of the cells.
async function startCells(ground: Ground, webhookUrl: string): Promise<{ server: Server; shops: PlacedShop[] }> {
  const one = await makeShop(ground, [sharedFile()], { webhookUrl })
  const { rootSecretText } = one
  const two = await makeShop(ground, [rivalFile()], { webhookUrl, rootSecretText })
  const hosts = ['127.0.0.1', 'localhost']
  const cells = [one, two].map(({ url }, index) => ({ origin: `http://${hosts[index]}`, databaseUrl: url }))
  const server = await startServer({ url: '', rootSecretText, cells })
  const { port } = new URL(server.origin)
  const shops = [one, two].map((shop, index) => ({ shop, origin: `http://${hosts[index]}:${port}` }))
  for (const { origin } of cells) await until(async () => (await fetch(`${server.origin}/readyz?cell=${origin}`)).ok)
  return { server, shops }
}

async function isAnnounced(storage: Storage): Promise<boolean> {
  const waiting = await storage.read(
    (db) => db.sql`select 1 from carts where untold_since is not null union all select 1 from document_causes limit 1`,
  )
  return waiting.length === 0
}

async function worlds(shops: readonly PlacedShop[]): Promise<string> {
  const texts: string[] = []
  for (const { shop } of shops) texts.push(await shop.withStorage(worldOf))
  return texts.join('\n')
}

// The operations run one after the other, so a later one may find the cart without its line or the session ended.
const ownRefusals: ReadonlySet<string> = new Set([
  'cart_item_not_found',
  'checkout_session_not_open',
  'cart_empty',
  'replay_in_progress',
])

// Everything by which a caller could tell two answers apart.
function comparable({ status, headers, text }: Answer): string {
  const { 'x-request-id': requestId, date: _, ...rest } = headers
  return JSON.stringify([status, rest, text.replaceAll(String(requestId), '')])
}

// What the callers could have changed. The server's loops send webhooks meanwhile, so those are only counted.
async function worldOf(storage: Storage): Promise<string> {
  return storage.read(async (db) =>
    JSON.stringify([
      await db.sql`select id, version, status from carts order by id`,
      await db.sql`select cart_id, sku_id, quantity from cart_lines order by cart_id, sku_id`,
      await db.sql`select id, version, status from checkout_sessions order by id`,
      await db.sql`select id, version, status from orders order by id`,
      await db.sql`select count(*) as "n" from events`,
      await db.sql`select count(*) as "n" from webhook_deliveries where replay_of is not null`,
      await db.sql`select count(*) as "n" from idempotency_keys`,
      await db.sql`select sku_id, mode, on_hand, held from stock order by sku_id, mode`,
    ]),
  )
}
