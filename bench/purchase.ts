// Shoppers who buy: each opens a session with three items, loads its page, fills in the details, loads it again and
// pays, as a browser would, but with plain requests. Many at once, for a while.

import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { type Stretch, startWatch } from './load.ts'
import type { Running } from './process.ts'
import { api, type ShopData } from './shop.ts'

export interface Purchases {
  server: Running
  shop: ShopData
  shoppers: number
  seconds: number
}

// Numbers are per purchase, which is five requests.
export async function purchase({ server, shop, shoppers, seconds }: Purchases): Promise<Stretch> {
  const pool = new Pool(server.origin, { connections: shoppers, pipelining: 1 })
  const watch = await startWatch(server)
  const endsAt = performance.now() + seconds * 1_000
  const waitsMs: number[] = []
  await Promise.all(
    Array.from({ length: shoppers }, async (_, shopper) => {
      while (performance.now() < endsAt) {
        const startedAt = performance.now()
        await buy(pool, shop, shopper * 7 + waitsMs.length)
        waitsMs.push(performance.now() - startedAt)
      }
    }),
  )
  const stretch = await watch.end(waitsMs)
  await pool.close()
  return stretch
}

// Of shops that are compared: one purchase at each in turn, by a different shopper each time, as often as asked for. On a busy machine all
// of them then meet the same load.
export async function purchaseInTurn<Name extends string>(
  shops: Readonly<Record<Name, Pick<Purchases, 'server' | 'shop'>>>,
  times: number,
): Promise<Record<Name, Stretch>> {
  const sides = await Promise.all(
    (Object.keys(shops) as Name[]).map(async (name) => {
      const { server, shop } = shops[name]
      const pool = new Pool(server.origin, { connections: 1, pipelining: 1 })
      return { name, shop, pool, watch: await startWatch(server), waitsMs: [] as number[] }
    }),
  )
  for (let number = 0; number < times; number += 1)
    for (const { shop, pool, waitsMs } of number % 2 === 0 ? sides : sides.toReversed()) {
      const startedAt = performance.now()
      await buy(pool, shop, number, `${randomUUID()}@example.com`)
      waitsMs.push(performance.now() - startedAt)
    }
  const stretches = await Promise.all(
    sides.map(async ({ name, pool, watch, waitsMs }) => {
      await pool.close()
      return [name, await watch.end(waitsMs)] as const
    }),
  )
  return Object.fromEntries(stretches) as Record<Name, Stretch>
}

const card = { number: '4242424242424242', expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' }

// Returns the id of the paid session.
export async function buy(pool: Pool, shop: ShopData, number: number, email = 'ada@example.com'): Promise<string> {
  const items = [0, 1, 2].map((place) => ({
    skuId: shop.skuIds[(number + place * 31) % shop.skuIds.length] as string,
    quantity: 1,
  }))
  const opened = await send(pool, 'POST', `${api}/hosted/checkout/sessions`, {
    headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ idempotencyKey: randomUUID(), items, successUrl: 'http://localhost:9/thanks' }),
    expected: 200,
  })
  const { data } = JSON.parse(opened.text) as { data: { id: string; url: string } }
  const page = new URL(data.url).pathname
  const first = await send(pool, 'GET', page, { expected: 200 })
  await post(pool, `${page}/details`, {
    version: hidden(first.text, 'version'),
    email,
    phone: '',
    name: 'Ada Lovelace',
    country: 'DE',
    line1: 'Unter den Linden 1',
    city: 'Berlin',
    postalCode: '10117',
    shippingOptionId: 'standard',
  })
  const second = await send(pool, 'GET', page, { expected: 200 })
  const paid = await post(pool, `${page}/pay`, {
    version: hidden(second.text, 'version'),
    expectedTotal: hidden(second.text, 'expectedTotal'),
    attempt: hidden(second.text, 'attempt'),
    method: 'test:card',
    ...Object.fromEntries(Object.entries(card).map(([name, value]) => [`card.${name}`, value])),
  })
  if (!paid.location.startsWith('http://localhost:9/thanks'))
    throw new Error(`the purchase was not paid, but led to ${paid.location || paid.text.slice(0, 500)}`)
  return data.id
}

function hidden(text: string, name: string): string {
  const [, value] = new RegExp(`name="${name}" value="([^"]*)"`).exec(text) ?? []
  if (value === undefined) throw new Error(`the page has no field ${name}`)
  return value
}

function post(pool: Pool, path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  return send(pool, 'POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields).toString(),
    expected: 303,
  })
}

interface Answer {
  text: string
  location: string
}

interface Sent {
  headers?: Record<string, string>
  body?: string
  expected: number
}

async function send(pool: Pool, method: 'GET' | 'POST', path: string, sent: Sent): Promise<Answer> {
  const { headers = {}, body = null, expected } = sent
  const answer = await pool.request({ method, path, headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== expected)
    throw new Error(`${method} ${path.slice(0, 20)} answered ${answer.statusCode}: ${text.slice(0, 500)}`)
  return { text, location: String(answer.headers.location ?? '') }
}
