// What software that buys costs beside what it does: its profile and search beside those of the open surface, a whole checkout beside one
// item of a cart, a completion beside a payment on the page, and MCP beside the same by REST.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Pool } from 'undici'
import { card, hidden } from '../../harness/fiveRequests.ts'
import { type Stretch, startWatch } from '../load.ts'
import { command, type Running, type StartOptions } from '../process.ts'
import { profiled } from '../profile.ts'
import { alternate, atMost, type Circumstances, type Findings, loadNotes, medianOf, type Row, ratioOf } from '../row.ts'
import { api, ask, makeShop, merchantSlug, newCart, openShop, type ShopData } from '../shop.ts'

export const agentRows: readonly Row[] = [
  {
    name: 'agents',
    question: 'Agents on SQLite: profile, search, a checkout replaced and completed, by REST and by MCP',
    run: runAgents,
  },
]

interface Request {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  headers?: Record<string, string>
  body?: string
  // Of the answer (default: 200).
  expected?: number
}

// In each turn.
const requestsEach = 600
const paymentsEach = 120
const shoppers = 8

const base = `/ucp/${merchantSlug}/test`
// It cannot be read, which says nothing in test mode.
const profile = 'http://127.0.0.1:9/profile.json'
const json = { 'content-type': 'application/json' }

function byRest(method: Request['method'], path: string, body?: object): Request {
  const headers = { ...json, 'ucp-agent': `profile="${profile}"`, 'idempotency-key': randomUUID() }
  return { method, path: base + path, headers, ...(body && { body: JSON.stringify(body) }) }
}

function byMcp(name: string, args: object): Request {
  const meta = { 'ucp-agent': { profile }, 'idempotency-key': randomUUID() }
  const params = { name, arguments: { meta, ...args } }
  return {
    method: 'POST',
    path: `${base}/mcp`,
    headers: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }
}

async function runAgents(circumstances: Circumstances): Promise<Findings> {
  const { folder } = circumstances
  const shop = await makeShop({ folder, databaseUrl: `sqlite:${join(folder, 'agents.db')}`, imported: 900 })
  await command(folder, ['agents', 'open', '--test', '--level', 'buy', '--who', 'anyone'], shop.settings)
  // Without its loops, which follow each order and fetch the pictures of the import: they would be counted with what is asked next.
  const script = { script: join(import.meta.dirname, '..', 'replacing.ts'), args: [] }
  const reads = await withServer(shop, { ...script, ...profiled(circumstances, 'agents') }, (place) =>
    measureReads(circumstances, place),
  )
  const payments = await withServer(shop, { ...script, ...profiled(circumstances, 'agents-payments') }, (place) =>
    measurePayments(circumstances, place),
  )
  const runs = { ...reads, ...payments }
  const side = (name: string, stretches: Partial<Stretch>[]) => ({ name, unit: 'request', runs: stretches })
  const sides = {
    identity: side('identity of the open surface', runs.identity),
    profile: side('profile', runs.profile),
    search: side('search of the open surface', runs.search),
    ucpSearch: side('search by UCP', runs.ucpSearch),
    mcpSearch: side('search by MCP', runs.mcpSearch),
    cart: side('putPublicCartItem', runs.cart),
    update: side('update of a checkout', runs.update),
    least: side('the least update with its guarantees', runs.least),
    mcpUpdate: side('update by MCP', runs.mcpUpdate),
    page: side('payment on the page', runs.page),
    complete: side('completion', runs.complete),
  }
  const added = (mcp: keyof typeof sides, rest: keyof typeof sides) =>
    (medianOf(sides[mcp], 'cpuUs') - medianOf(sides[rest], 'cpuUs')) / 1_000
  return {
    sides: Object.values(sides),
    ratios: [
      ratioOf('CPU of the profile against the identity', 'cpuUs', [sides.profile, sides.identity], atMost(1.2)),
      ratioOf(
        'CPU of a search against that of the open surface',
        'cpuUs',
        [sides.ucpSearch, sides.search],
        atMost(1.2),
      ),
      ratioOf('CPU of an update against putPublicCartItem', 'cpuUs', [sides.update, sides.cart], atMost(1.5)),
      ratioOf('CPU of the least update against putPublicCartItem', 'cpuUs', [sides.least, sides.cart], null),
      ratioOf(
        'CPU of an update against the least with its guarantees',
        'cpuUs',
        [sides.update, sides.least],
        atMost(1.3),
      ),
      ratioOf('CPU of a completion against a payment on the page', 'cpuUs', [sides.complete, sides.page], atMost(1.3)),
      { what: 'CPU that MCP adds to a search', value: added('mcpSearch', 'ucpSearch'), bar: atMost(0.3), unit: 'ms' },
      { what: 'CPU that MCP adds to an update', value: added('mcpUpdate', 'update'), bar: atMost(0.3), unit: 'ms' },
    ],
    notes: [
      `${requestsEach} requests, or ${paymentsEach} payments, of ${shoppers} callers in each turn. Payments are prepared before and not counted; the provider is the test provider, in the process, and what the loops do after an order is left out.`,
      'The search by UCP answers ten products whole, with their variants; that of the open surface answers rows of a list.',
      'The least update checks the body, reads and writes the same rows by the same statements in the same commits, prices the cart and stores an answer of the same size sealed. It renders nothing and has no log.',
      ...loadNotes(Object.values(sides)),
    ],
  }
}

interface Place {
  shop: ShopData
  server: Running
  pool: Pool
}

async function withServer<T>(
  shop: ShopData,
  options: Partial<StartOptions>,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const server = await openShop(shop, options)
  const pool = new Pool(server.origin, { connections: shoppers, pipelining: 1 })
  try {
    return await work({ shop, server, pool })
  } finally {
    await pool.close()
    await server.stop()
  }
}

async function measureReads(circumstances: Circumstances, { shop, server, pool }: Place) {
  const repeated = (make: (at: number) => Request) => async () =>
    measured(
      server,
      pool,
      Array.from({ length: requestsEach }, (_, at) => make(at)),
    )
  const bearer = { authorization: `Bearer ${shop.key}` }
  const leastPool = new Pool(`http://127.0.0.1:${await server.ask('least port')}`, { connections: shoppers })
  const checkouts = await Promise.all(Array.from({ length: shoppers }, () => openCheckout(pool, shop)))
  const carts = await Promise.all(Array.from({ length: shoppers }, () => newCart(server, shop, 3)))
  let number = 0
  const next = () => {
    number += 1
    return number
  }
  const of = <T>(list: readonly T[], at: number) => list[at % list.length] as T
  const updateOf = (at: number) => byRest('PUT', `/checkout-sessions/${of(checkouts, at)}`, checkoutBody(shop, next()))
  const query = (at: number) => ({ query: `product ${at % 90}`, pagination: { limit: 10 } })
  const runs = await alternate(circumstances, {
    identity: repeated(() => ({ method: 'GET', path: `${api}/installation/identity`, headers: bearer })),
    profile: repeated(() => ({ method: 'GET', path: `${base}/.well-known/ucp` })),
    search: repeated((at) => ({
      method: 'GET',
      path: `${api}/catalog/search?q=product+${at % 90}&limit=10`,
      headers: bearer,
    })),
    ucpSearch: repeated((at) => byRest('POST', '/catalog/search', query(at))),
    mcpSearch: repeated((at) => byMcp('search_catalog', { catalog: query(at) })),
    cart: repeated((at) => ({
      method: 'PUT',
      path: `${api}/storefront/carts/${of(carts, at)}/items/${shop.skuIds[0]}`,
      headers: { ...bearer, ...json },
      body: JSON.stringify({ idempotencyKey: randomUUID(), quantity: 100 + (next() % 800) }),
    })),
    update: repeated(updateOf),
    least: async () => {
      await send(leastPool, { method: 'POST', path: '/answer', body: await send(pool, updateOf(0)) })
      return measured(
        server,
        leastPool,
        Array.from({ length: requestsEach }, (_, at) => updateOf(at)),
      )
    },
    mcpUpdate: repeated((at) =>
      byMcp('update_checkout', { id: of(checkouts, at), checkout: checkoutBody(shop, next()) }),
    ),
  })
  await leastPool.close()
  return runs
}

function measurePayments(circumstances: Circumstances, { shop, server, pool }: Place) {
  const each = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: paymentsEach }, make))
  return alternate(circumstances, {
    page: async () => measured(server, pool, await each(() => readyOnPage(server, pool, shop))),
    complete: async () => {
      const ids = await each(() => openCheckout(pool, shop))
      const requests = ids.map((id) => byRest('POST', `/checkout-sessions/${id}/complete`, paid))
      return measured(server, pool, requests)
    },
  })
}

const paid = {
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

// Three lines with a code and an address, as a platform sends it.
function checkoutBody({ skuIds }: ShopData, at: number): object {
  return {
    line_items: [0, 1, 2].map((place) => ({ item: { id: skuIds[place] }, quantity: place === 0 ? 1 + (at % 90) : 2 })),
    buyer: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
    discounts: { codes: ['CODE7'] },
    fulfillment: {
      methods: [
        {
          type: 'shipping',
          destinations: [
            {
              street_address: 'Unter den Linden 1',
              address_locality: 'Berlin',
              postal_code: '10117',
              address_country: 'DE',
            },
          ],
        },
      ],
    },
  }
}

async function openCheckout(pool: Pool, shop: ShopData): Promise<string> {
  const opened = await send(pool, { ...byRest('POST', '/checkout-sessions', checkoutBody(shop, 0)), expected: 201 })
  return (JSON.parse(opened) as { id: string }).id
}

// A checkout of the same goods whose shopper has only to press the button.
async function readyOnPage(server: Running, pool: Pool, shop: ShopData): Promise<Request> {
  const cartId = await newCart(server, shop, 3)
  const address = {
    name: 'Ada Lovelace',
    line1: 'Unter den Linden 1',
    city: 'Berlin',
    postalCode: '10117',
    country: 'DE',
  }
  await ask(server, shop.key, 'PUT', `${api}/storefront/carts/${cartId}/address`, { address })
  const { data } = (await ask(server, shop.key, 'POST', `${api}/hosted/checkout/sessions`, {
    cartId,
    successUrl: 'http://localhost:9/thanks',
    customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
  })) as { data: { url: string } }
  const { pathname: path } = new URL(data.url)
  const text = await send(pool, { method: 'GET', path })
  const fields = {
    version: hidden(text, 'version'),
    expectedTotal: hidden(text, 'expectedTotal'),
    attempt: hidden(text, 'attempt'),
    method: 'test:card',
    ...Object.fromEntries(Object.entries(card).map(([name, value]) => [`card.${name}`, value])),
  }
  return {
    method: 'POST',
    path: `${path}/pay`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields).toString(),
    expected: 303,
  }
}

async function measured(server: Running, pool: Pool, requests: readonly Request[]): Promise<Stretch> {
  const watch = await startWatch(server)
  const waitsMs: number[] = []
  const left = [...requests]
  await Promise.all(
    Array.from({ length: shoppers }, async () => {
      for (let request = left.pop(); request; request = left.pop()) {
        const startedAt = performance.now()
        await send(pool, request)
        waitsMs.push(performance.now() - startedAt)
      }
    }),
  )
  return watch.end(waitsMs)
}

async function send(pool: Pool, { method, path, headers = {}, body = '', expected = 200 }: Request): Promise<string> {
  const answer = await pool.request({ method, path, headers, body: body === '' ? null : body })
  const text = await answer.body.text()
  const isError = text.includes('"status":"error"') || text.includes('"isError":true')
  if (answer.statusCode !== expected || isError)
    throw new Error(`${method} ${path.slice(0, 40)} answered ${answer.statusCode}: ${text.slice(0, 500)}`)
  return text
}
