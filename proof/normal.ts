// A normal caller beside hostile ones: what it waits for, and how long.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from './caller.ts'
import type { Server } from './servers.ts'
import { type Shop, standOf } from './shop.ts'
import { openSession, sessionFrom } from './shopper.ts'

const normalEveryMs = 20

export const normalPaths = ['product read', 'cart change', 'checkout page'] as const
export type Took = Readonly<Record<(typeof normalPaths)[number], number[]>>

// A normal caller: sends requests at a steady pace, one after the other.
export async function normalCallerFor(shop: Shop, server: Server, caller: Caller, violations: Set<string>) {
  const { origin } = server
  const { key } = standOf(shop)
  const items = [{ skuId: shop.sku('THING'), quantity: 1 }]
  const session = sessionFrom(await openSession(caller, origin, standOf(shop), { items }))
  const made = await caller.ask(origin, 'createPublicCart', { key, body: { idempotencyKey: randomUUID(), items } })
  const cartId = (JSON.parse(made.text) as { data: { id: string } }).data.id
  let turn = 0
  const calls = {
    'product read': () => caller.ask(origin, 'getApiKeyCatalogProduct', { key, path: { slug: 'thing' } }),
    'cart change': () =>
      caller.ask(origin, 'updatePublicCartItemQuantity', {
        key,
        path: { cartId, skuId: shop.sku('THING') },
        body: { idempotencyKey: randomUUID(), quantity: 1 + (turn % 9) },
      }),
    'checkout page': () => caller.call(origin, { method: 'GET', path: `/c/${session.secret}` }),
  }
  return {
    async during(ms: number): Promise<Took> {
      const took: Took = { 'product read': [], 'cart change': [], 'checkout page': [] }
      const endsAt = performance.now() + ms
      while (performance.now() < endsAt) {
        turn += 1
        const path = normalPaths[turn % normalPaths.length] ?? 'product read'
        const answer = await calls[path]()
        took[path].push(answer.tookMs)
        if (answer.status !== 200) violations.add(`${path}: a normal caller was answered ${answer.status}`)
        await pause(normalEveryMs)
      }
      return took
    },
  }
}
