// Reports equal a count by hand over random histories: orders placed, cancelled and refunded at random times, counted in rounds
// between.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import type { TestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { refundOrder } from '../src/domain/orders/operator.ts'
import { countAllAgain, countSales } from '../src/domain/reports/count.ts'
import { dayAt, type Period, startOfPeriod } from '../src/domain/reports/days.ts'
import { listChangedOrders } from '../src/domain/reports/store.ts'
import type { Tx } from '../src/platform/storage/storage.ts'

const hour = 3_600_000
const start = Date.parse('2026-05-20T00:30:00.000Z')

// The open API's answer, as far as it is counted.
interface Known {
  status: string
  paymentStatus: string
  placedAt: string
  items: { productSlug: string; quantity: number; total: number }[]
  totals: { subtotal: number; discount: number; shipping: number; tax: number; total: number; refunded: number }
  promotion: { code: string } | null
  itemCount: number
}

type Counted = Record<
  | 'orders'
  | 'items'
  | 'subtotal'
  | 'discount'
  | 'shipping'
  | 'tax'
  | 'total'
  | 'unpaid'
  | 'refunded'
  | 'refundedTax'
  | 'lost'
  | 'net',
  number
>

eachEngine('the sales report', (given) => {
  let testServer: TestServer
  let orders: Orders
  let key: string
  const placed: string[] = []
  before(async () => {
    const opened = await openOrderTestServer(given)
    testServer = opened
    orders = opened.orders
    testServer.clock.now = start
    key = (await testServer.newKey(['admin:read'])).key
  })

  const ask = (query: string, credential = key) =>
    testServer.fetch(`/api/v1/admin/reports/sales${query}`, { headers: { authorization: `Bearer ${credential}` } })
  const report = async (query: string) => {
    const answer = await ask(query)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const count = () => countSales(testServer.storage, testServer.clock.now, 500)
  const moment = () => ({ now: testServer.clock.now, cause: { operationId: 'test', requestId: 'req_test' } })

  async function known(): Promise<Known[]> {
    const all = await Promise.all(placed.map(async (orderId) => (await orders.read(orderId)).body.data as Known))
    return all.filter(({ status }) => status !== 'cancelled')
  }

  // By hand, from what the open API answers.
  const sumOf = (some: readonly Known[]) => {
    const add = (of: (order: Known) => number) => some.reduce((sum, order) => sum + of(order), 0)
    return {
      orders: some.length,
      items: add(({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0)),
      subtotal: add(({ totals }) => totals.subtotal),
      discount: add(({ totals }) => totals.discount),
      shipping: add(({ totals }) => totals.shipping),
      tax: add(({ totals }) => totals.tax),
      total: add(({ totals }) => totals.total),
      unpaid: add(({ paymentStatus, totals }) => (paymentStatus === 'pending' ? totals.total : 0)),
    }
  }
  const withoutRefunds = ({ refunded, refundedTax, lost, net, ...sums }: Counted) => {
    assert.deepEqual([refundedTax, lost, net], [0, 0, sums.total - refunded])
    return sums
  }

  async function assertAgrees(timeZone: string): Promise<void> {
    const some = await known()
    const range = '?from=2026-05-01&to=2026-06-30'
    for (const by of ['day', 'week', 'month'] as const satisfies Period[]) {
      const { rows, sum } = await report(`${range}&by=${by}`)
      const expected = Map.groupBy(some, ({ placedAt }) => startOfPeriod(dayAt(Date.parse(placedAt), timeZone), by))
      for (const { key: day, name, ...sums } of rows) {
        assert.equal(name, null)
        assert.deepEqual(withoutRefunds(sums), sumOf(expected.get(day) ?? []), `${by} ${day}`)
      }
      assert.ok([...expected.keys()].every((day) => rows.some((row: { key: string }) => row.key === day)))
      assert.deepEqual(withoutRefunds(sum), sumOf(some))
    }
    const byProduct = await report(`${range}&by=product`)
    const products = byProduct.rows as { key: string; items: number; total: number; tax: number }[]
    for (const member of ['total', 'tax'] as const)
      assert.equal(
        products.reduce((sum, row) => sum + row[member], byProduct.rest[member]),
        byProduct.sum[member],
        member,
      )
    // As many days, that end where these begin.
    const { before } = await report('?from=2026-07-01&to=2026-08-30')
    assert.deepEqual(before, (await report(range)).sum)
    const lines = Map.groupBy(
      some.flatMap(({ items }) => items),
      ({ productSlug }) => productSlug,
    )
    const add = (all: readonly { quantity: number; total: number }[], member: 'quantity' | 'total') =>
      all.reduce((sum, line) => sum + line[member], 0)
    assert.deepEqual(
      new Map(products.map(({ key: slug, items, total }) => [slug, [items, total]])),
      new Map([...lines].map(([slug, all]) => [slug, [add(all, 'quantity'), add(all, 'total')]])),
    )
    assert.deepEqual(
      products.map(({ total }) => total),
      products.map(({ total }) => total).sort((a, b) => b - a),
    )
    const promotions = (await report(`${range}&by=promotion`)).rows as { name: string; orders: number }[]
    const used = Map.groupBy(some, ({ promotion }) => promotion?.code)
    used.delete(undefined)
    assert.deepEqual(
      new Map(promotions.map(({ name, orders: times }) => [name, times])),
      new Map([...used].map(([code, all]) => [code, all.length])),
    )
    const countries = (await report(`${range}&by=country`)).rows as { key: string; total: number }[]
    assert.equal(
      countries.reduce((sum, { total }) => sum + total, 0),
      sumOf(some).total,
    )
  }

  test('equals a reference calculation over a random history, however often it was updated in between', async () => {
    // A fixed sequence: the same history on both engines and in each run.
    let seed = 7
    const draw = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    let refunded = 0
    for (let step = 0; step < 40; step += 1) {
      testServer.clock.now += (1 + draw(20)) * hour
      const orderId = placed[draw(Math.max(placed.length, 1))]
      const choice = draw(10)
      if (choice < 6 || orderId === undefined) {
        const items = { 'ROSE-12': 1 + draw(3), ...(draw(2) === 0 && { CARD: 1 + draw(4) }) }
        const made = await orders.place({
          items,
          ...(draw(4) === 0 && { code: 'GIFT' }),
          ...(draw(3) === 0 && { isManual: true }),
          isSent: draw(3) > 0,
          now: testServer.clock.now,
        })
        placed.push(made.orderId)
      } else if (choice < 8) await orders.cancel(orderId)
      else {
        const owed = await testServer.storage
          .write((tx) =>
            refundOrder(
              tx,
              { installationId: testServer.installationId, orderId },
              { amount: 100, reason: null },
              moment(),
            ),
          )
          .catch(() => null)
        if (owed) refunded += 1
      }
      if (draw(4) === 0) await count()
    }
    assert.ok(refunded > 0 && placed.length > 15)
    await count()
    assert.equal(await count(), 0)
    await assertAgrees('UTC')
  })

  test('a whole month is read from its monthly sums, unless an earlier release, which does not update them, has counted orders in it', async () => {
    const summed = await testServer.storage.read(
      (db) => db.sql<{ month: string; days: number | null }>`
        select month, days from sales_summed_months where merchant_id = ${testServer.merchantId} order by month`,
    )
    assert.deepEqual(
      summed.map(({ month, days }) => [month, days !== null]),
      [
        ['2026-05', true],
        ['2026-06', false],
      ],
    )
    const marked = 987_654
    const isFromMonth = async () => {
      const { rows } = await report('?from=2026-05-01&to=2026-05-31&by=product')
      const orders = rows.map(({ orders }: { orders: number }) => orders)
      assert.ok(orders.length > 0)
      return orders.includes(marked)
    }
    const change = (statement: (tx: Tx) => Promise<unknown>) => testServer.storage.write(statement)
    // More orders than there are, so this shows what was read.
    await change(
      (tx) => tx.sql`update sales_months set orders = ${marked} where merchant_id = ${testServer.merchantId}`,
    )
    assert.ok(await isFromMonth())
    const [day] = await testServer.storage.read(
      (db) => db.sql<{ day: string }>`
        select max(day) as "day" from sales_days
        where merchant_id = ${testServer.merchantId} and part = 'all' and day < '2026-06'`,
    )
    const setMark = (mark: number) =>
      change((tx) => tx.sql`update sales_days set has_month = ${mark} where part = 'all' and day = ${day?.day ?? ''}`)
    await setMark(0)
    assert.ok(!(await isFromMonth()), 'a day was counted')
    await setMark(1)
    assert.ok(await isFromMonth())
    await change((tx) => tx.sql`update sales_summed_months set days = days + 1 where month = '2026-05'`)
    assert.ok(!(await isFromMonth()), 'a day was dropped')
    await change((tx) => tx.sql`update sales_summed_months set days = null where month = '2026-05'`)
    assert.equal(await count(), 1)
    assert.ok(!(await isFromMonth()), 'summed again')
    await assertAgrees('UTC')
  })

  test('the sum contains the refunds of all orders except cancelled ones', async () => {
    const { sum } = await report('?from=2026-05-01&to=2026-06-30')
    const rows = await testServer.storage.read(
      (db) => db.sql<{ refunded: number }>`
        select sum(refunded) as "refunded" from orders where merchant_id = ${testServer.merchantId} and status <> 'cancelled'`,
    )
    assert.ok(sum.refunded > 0)
    assert.equal(sum.refunded, Number(rows[0]?.refunded))
  })

  test('another time zone moves orders to other days', async () => {
    const owner = (await testServer.newKey(['admin:settings'])).key
    const answer = await testServer.fetch('/api/v1/admin/shop', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: 'zone', expectedVersion: 2, timeZone: 'Pacific/Auckland' }),
    })
    assert.equal(answer.status, 200, answer.text)
    // The request leaves the orders alone; the loop counts each day once.
    const orders = await testServer.storage.read((db) => listChangedOrders(db, testServer.clock.now, 500))
    assert.deepEqual(orders, [])
    while ((await count()) > 0);
    await assertAgrees('Pacific/Auckland')
  })

  test('concurrent counting on several nodes counts each order once', async () => {
    const before = await report('?from=2026-05-01&to=2026-06-30')
    await testServer.storage.write((tx) => countAllAgain(tx, testServer.merchantId))
    await Promise.all([count(), count(), count()])
    while ((await count()) > 0);
    assert.deepEqual(await report('?from=2026-05-01&to=2026-06-30'), before)
  })

  test('counting waits for a transaction that has locked an order, and does not lock the order that this transaction needs next', async () => {
    if (given.engine === 'sqlite') return
    const { storage } = testServer
    const [first, second] = placed.toSorted()
    assert.ok(first && second)
    const change = (id: string) => storage.write((tx) => tx.sql`update orders set counted_version = 0 where id = ${id}`)
    await change(first)
    await change(second)
    // The older one has the later id.
    await storage.write(
      (tx) => tx.sql`
        update orders set placed_at = (select placed_at from orders where id = ${first}) - 1 where id = ${second}`,
    )
    const retriesBefore = storage.stats().writes.retries
    let counting: Promise<number> | undefined
    await storage.write(async (tx) => {
      const lock = (id: string) => tx.lockRow`select id from orders where id = ${id}`
      await lock(first)
      counting = count()
      await until(async () => {
        const rows = await storage.read(
          (db) => db.sql`
            select pid from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%from orders where installation_id in%'`,
        )
        return rows.length > 0
      }, 'the count that waits')
      await lock(second)
    })
    await counting
    assert.deepEqual(await storage.read((db) => listChangedOrders(db, testServer.clock.now, 500)), [])
    assert.equal(storage.stats().writes.retries, retriesBefore, 'no deadlock was even retried')
  })

  test('without parameters the report covers the last thirty days', async () => {
    const { from, to, by, rows, timeZone } = await report('')
    assert.deepEqual([by, to, timeZone], ['day', dayAt(testServer.clock.now, timeZone), 'Pacific/Auckland'])
    assert.deepEqual([rows.length, rows[0].key, rows.at(-1).key], [30, from, to])
  })

  test('the home page shows the last thirty days, and the products that sold best in them', async () => {
    const { body } = await testServer.fetch('/api/v1/admin/home', { headers: { authorization: `Bearer ${key}` } })
    assert.deepEqual(body.data.sales, await report(''))
    const rows = (await report('?by=product')).rows as { key: string; name: string; items: number; total: number }[]
    assert.ok(rows.length > 0)
    const best = rows.slice(0, 5).map(({ key, name, items, total }) => ({ key, name, items, total }))
    assert.deepEqual(body.data.bestSellers, best)
  })

  test('invalid days and periods that are too long are refused', async () => {
    for (const [query, path] of [
      ['?from=2026-02-30', '/query/from'],
      ['?to=yesterday', '/query/to'],
      ['?to=9999-12-31', '/query/to'],
      ['?from=1899-12-31', '/query/from'],
      ['?from=2026-06-02&to=2026-06-01', '/query/from'],
      ['?from=2020-01-01&to=2026-06-01', '/query/from'],
      ['?by=hour', '/query/by'],
    ] as const) {
      const { status, body } = await ask(query)
      assert.deepEqual([status, body.error.issues.map((issue: { path: string }) => issue.path)], [400, [path]], query)
    }
  })

  test("another merchant's report is separate", async () => {
    const { body } = await ask('?from=2026-05-01&to=2026-06-30&by=product', testServer.keys.rivalAdmin)
    assert.deepEqual([body.data.rows, body.data.sum.orders], [[], 0])
  })
})
