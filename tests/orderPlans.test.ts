// A list of orders reads what it shows, never all orders of the shop or of others. On PostgreSQL also before it has gathered
// any statistics.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOrderTestServer } from '../harness/orders.ts'
import { planOf } from '../harness/plans.ts'
import { eachEngine } from '../harness/storage.ts'
import { orderStatuses } from '../src/contract/words.ts'
import { listOrdersOfMerchant } from '../src/domain/orders/store.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const many = 2_000

eachEngine('the query plans of lists of orders', (given) => {
  test('read only the orders of a merchant that they return', async () => {
    const { storage, merchantId, orders } = await openOrderTestServer(given)
    await orders.place({ isManual: true })
    await storage.write(async (tx) => {
      const [row] = await tx.sql<Record<string, unknown>>`select * from orders`
      const own = ['id', 'number', 'checkout_session_id', 'secret_hash', 'placed_at']
      const others = Object.keys(row ?? {}).filter((name) => !own.includes(name))
      const columns = new Fragment(others.join(', '))
      await tx.sql`
        with recursive n (i) as (select 1 union all select n.i + 1 from n where n.i < ${new Fragment(String(many))})
        insert into orders (id, number, checkout_session_id, secret_hash, placed_at, ${columns})
        select o.id || n.i, 'T-x' || n.i, 'chk_' || n.i, 'hash' || n.i, o.placed_at + n.i,
          ${new Fragment(others.map((name) => `o.${name}`).join(', '))}
        from orders o cross join n`
    })
    const input = { mode: 'test', statuses: orderStatuses, limit: 5 } as const
    const listed = await storage.read((db) => listOrdersOfMerchant(db, merchantId, { ...input, after: undefined }))
    assert.deepEqual(
      listed.map(({ number }) => number),
      [2_000, 1_999, 1_998, 1_997, 1_996].map((number) => `T-x${number}`),
    )
    const { placedAt: at, id } = listed[4] ?? assert.fail()
    for (const after of [undefined, { at, id }]) {
      const plan = await storage.read((db) =>
        planOf(db, (tx) => listOrdersOfMerchant(tx, merchantId, { ...input, after })),
      )
      if (given.engine === 'sqlite') {
        assert.match(plan, /orders_of_merchant \(merchant_id=\? AND mode=\? AND \(placed_at,id\)<\(\?,\?\)\)/)
        assert.doesNotMatch(plan, /TEMP B-TREE/)
      } else {
        assert.match(plan, /orders_of_merchant/)
        assert.doesNotMatch(plan, /Rows Removed by Filter: \d|Sort Key/, plan)
      }
    }
    // They were never placed, and a server is judged at its end.
    await storage.write((tx) => tx.sql`delete from orders where number like 'T-x%'`)
  })
})
