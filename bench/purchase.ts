// Shoppers who buy three items each (harness/fiveRequests.ts). Many at once, for a while.

import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { purchaseTogether, type Send, type Wanted } from '../harness/fiveRequests.ts'
import { type Stretch, startWatch } from './load.ts'
import type { Running } from './process.ts'
import type { ShopData } from './shop.ts'

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

// Returns the id of the paid session.
export async function buy(pool: Pool, shop: ShopData, number: number, email = 'ada@example.com'): Promise<string> {
  const [sessionId] = await purchaseTogether(sendBy(pool), [wantedBy(shop, number, email)])
  return sessionId ?? ''
}

export function wantedBy({ key, skuIds }: ShopData, number: number, email = 'ada@example.com'): Wanted {
  return { key, skuIds: [0, 1, 2].map((place) => skuIds[(number + place * 31) % skuIds.length] as string), email }
}

export function sendBy(pool: Pool, onBytes: (bytes: number) => void = () => {}): Send {
  return async ({ method, path, headers = {}, body = null }) => {
    const answer = await pool.request({ method, path, headers, body })
    const text = await answer.body.text()
    onBytes(Buffer.byteLength(text))
    return { status: answer.statusCode, text, location: String(answer.headers.location ?? '') }
  }
}
