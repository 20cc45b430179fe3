import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStockroom, refreshAll, type StockedSku, type Stockroom, start } from '../../../harness/stock.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { extendHolds, insertFirstHolds, prolongMatchingHolds, releaseHolds, replaceHolds, sweepHolds } from './holds.ts'
import { setOnHand } from './levels.ts'
import { restockSale, sellAsHeld, sellStock } from './sales.ts'
import { lockStockRows } from './store.ts'

const minute = 60_000
const now = start
const expiresAt = now + 15 * minute
const cause = { operationId: 'createCheckoutSession', requestId: 'req_01jz0000000000000000000000' }

type Quantities = Readonly<Record<string, number>>

// The functions, with SKU codes as arguments and the usual time as default, so tests stay short.
function actions(room: Stockroom) {
  const { seller } = room
  return {
    hold: async (owner: string, quantities: Quantities, at = { now, expiresAt }) =>
      room.codes(await room.write((tx) => replaceHolds(tx, seller, owner, room.lines(quantities), { cause, ...at }))),
    extend: async (owner: string, at: { now: number; expiresAt: number }) =>
      room.codes(await room.write((tx) => extendHolds(tx, seller, owner, at))),
    release: (owner: string, at = now) => room.write((tx) => releaseHolds(tx, seller, owner, { cause, now: at })),
    sell: async (owner: string, quantities: Quantities, at = now, soldTo = `order of ${owner}`) =>
      room.codes(
        await room.write((tx) => sellStock(tx, seller, owner, room.lines(quantities), { cause, now: at, soldTo })),
      ),
    restock: async (soldTo: string, quantities: Quantities | null = null) =>
      room.codes(
        await room.write((tx) => restockSale(tx, seller, soldTo, quantities && room.lines(quantities), { cause, now })),
      ),
    set: (quantities: Quantities) =>
      room.write((tx) => {
        const levels = Object.entries(quantities).map(([code, onHand]) => ({ skuId: room.skuId(code), onHand }))
        return setOnHand(tx, seller, levels, { cause: null, now })
      }),
    holdFree: (owner: string, quantities: Quantities) =>
      room.write(async (tx) => {
        const lines = room.lines(quantities)
        const rows = await lockStockRows(
          tx,
          seller,
          lines.map(({ skuId }) => skuId),
        )
        const fresh = lines.map((line) => {
          const row = rows.find(({ skuId }) => skuId === line.skuId)
          return { ...line, productId: row?.productId ?? '', whenSoldOut: row?.whenSoldOut ?? 'refuse' }
        })
        return insertFirstHolds(tx, seller, owner, fresh, {
          now,
          expiresAt,
          cause,
          lowStockAt: rows[0]?.lowStockAt ?? 0,
        })
      }),
    prolong: (owner: string, quantities: Quantities, at: { now: number; expiresAt: number }) =>
      room.write((tx) => prolongMatchingHolds(tx, seller, owner, room.lines(quantities), at)),
    // Rolls back if the units are not held, as the caller of `sellAsHeld` does.
    sellAsHeld: async (owner: string, quantities: Quantities, at = now) => {
      const undone = new Error('undone')
      try {
        await room.write(async (tx) => {
          const sale = { now: at, soldTo: `order of ${owner}` }
          const { shortages } = await sellAsHeld(tx, seller, owner, room.lines(quantities), sale)
          if (shortages.length > 0) throw undone
        })
        return true
      } catch (error) {
        if (error !== undone) throw error
        return false
      }
    },
    sweep: (at: number, limit = 100) => sweepHolds(room.storage, at, limit),
  }
}

const plenty: Readonly<Record<string, StockedSku>> = {
  A: { product: 'one', stock: 20 },
  B: { product: 'one', stock: 20 },
  C: { product: 'two', stock: 20 },
  P: { product: 'three', stock: 2, backorder: true },
}
const untouched = { A: [20, 0], B: [20, 0], C: [20, 0], P: [2, 0] } as const

eachEngine('stock', (given) => {
  async function stockroom(skus = plenty) {
    const room = await openStockroom(given, skus)
    return { room, ...actions(room) }
  }

  test('holding sets the holds of an owner to exactly the lines: holds are created, changed and released', async () => {
    const { room, hold } = await stockroom()
    assert.deepEqual(await hold('one', { A: 3, B: 2 }), {})
    assert.deepEqual(await room.world(), {
      skus: { ...untouched, A: [20, 3], B: [20, 2] },
      holds: [
        ['one', 'A', 3, expiresAt],
        ['one', 'B', 2, expiresAt],
      ],
      movements: [],
      events: [],
      stale: ['one'],
    })
    await refreshAll(room, now)
    assert.deepEqual(await hold('one', { B: 2, C: 1 }, { now, expiresAt: expiresAt + 1 }), {})
    assert.deepEqual(await room.world(), {
      skus: { ...untouched, B: [20, 2], C: [20, 1] },
      holds: [
        ['one', 'B', 2, expiresAt + 1],
        ['one', 'C', 1, expiresAt + 1],
      ],
      movements: [],
      events: [],
      stale: ['one', 'two'],
    })
    await refreshAll(room, now)
    assert.deepEqual(await hold('one', { B: 2, C: 1 }, { now, expiresAt: expiresAt + 1 }), {})
    assert.deepEqual((await room.world()).stale, [], 'nothing can be seen of a hold that stays as it is')
    assert.deepEqual(await hold('one', {}), {})
    assert.deepEqual(await room.world(), {
      skus: untouched,
      holds: [],
      movements: [],
      events: [],
      stale: ['one', 'two'],
    })
  })

  test('first holds of free units have the same result and events without locking as with locks', async () => {
    const [looked, free] = [await stockroom(), await stockroom()]
    for (const quantities of [{ A: 3, C: 15 }, { B: 20 }, { P: 2 }]) {
      const owner = Object.keys(quantities).join()
      assert.deepEqual(await looked.hold(owner, quantities), {})
      assert.equal(await free.holdFree(owner, quantities), true)
    }
    const world = await free.room.world()
    assert.deepEqual(world, await looked.room.world())
    assert.deepEqual(
      world.events.map(([, kind, code]) => [kind, code]),
      [
        ['inventory.low', 'C'],
        ['inventory.depleted', 'B'],
        ['inventory.depleted', 'P'],
      ],
    )
  })

  test('without locking, first holds of more units than are free are refused and change nothing', async () => {
    const { room, hold, holdFree } = await stockroom()
    await hold('one', { A: 15 })
    await refreshAll(room, now)
    const before = await room.world()
    assert.equal(await holdFree('two', { B: 2, A: 6 }), false)
    assert.deepEqual(await room.world(), before)
  })

  test('without locking, unchanged holds are prolonged unless they end soon or already end later, and changed ones are not', async () => {
    const { room, hold, prolong } = await stockroom()
    await hold('one', { A: 3, B: 2 })
    const later = { now, expiresAt: expiresAt + minute }
    await refreshAll(room, now)
    assert.equal(await prolong('one', { A: 3, B: 2 }, later), true)
    const world = await room.world()
    assert.deepEqual(world.holds, [
      ['one', 'A', 3, expiresAt + minute],
      ['one', 'B', 2, expiresAt + minute],
    ])
    assert.deepEqual(world.stale, [])
    for (const lines of [{ A: 3 }, { A: 3, B: 1 }, { A: 3, B: 2, C: 1 }])
      assert.equal(await prolong('one', lines, later), false, JSON.stringify(lines))
    assert.equal(await prolong('one', { A: 3, B: 2 }, { now, expiresAt }), false, 'never shortened')
    const soon = { now: expiresAt + minute - 1, expiresAt: expiresAt + 5 * minute }
    assert.equal(await prolong('one', { A: 3, B: 2 }, soon), false)
    assert.deepEqual((await room.world()).holds, world.holds)
  })

  test('selling exactly the held units has the same result without locking as with locks', async () => {
    const [looked, held] = [await stockroom(), await stockroom()]
    for (const { hold } of [looked, held]) {
      await hold('one', { A: 3, C: 15 })
      await hold('two', { A: 2 })
    }
    assert.deepEqual(await looked.sell('one', { C: 15, A: 3 }), {})
    assert.equal(await held.sellAsHeld('one', { C: 15, A: 3 }), true)
    const world = await held.room.world()
    assert.deepEqual(world, await looked.room.world())
    assert.deepEqual(world.skus, { ...untouched, A: [17, 2], C: [5, 0] })
  })

  test('without locking, nothing is sold if the lines differ from the holds, the holds end soon, or stock is below them', async () => {
    const { room, hold, sellAsHeld, set } = await stockroom()
    await hold('one', { A: 3, B: 2 })
    await hold('two', { C: 4 })
    await set({ C: 3 })
    await refreshAll(room, now)
    const before = await room.world()
    for (const [owner, lines] of [
      ['one', { A: 3 }],
      ['one', { A: 3, B: 3 }],
      ['one', { A: 3, B: 2, C: 1 }],
      ['nobody', { A: 1 }],
      ['two', { C: 4 }],
    ] as const)
      assert.equal(await sellAsHeld(owner, lines), false, JSON.stringify([owner, lines]))
    assert.equal(await sellAsHeld('one', { A: 3, B: 2 }, expiresAt - 1), false, 'held no longer by another clock')
    assert.deepEqual(await room.world(), before)
  })

  test('lines with the same SKU are added up', async () => {
    const { room, sell } = await stockroom()
    const lines = [...room.lines({ A: 12 }), ...room.lines({ A: 9 })]
    const short = await room.write((tx) => replaceHolds(tx, room.seller, 'one', lines, { cause, now, expiresAt }))
    assert.deepEqual(room.codes(short), { A: 20 })
    assert.deepEqual(await sell('one', { A: 20 }), {})
  })

  test('a shortage in one line changes nothing, and reports what is available for each short line', async () => {
    const { room, hold } = await stockroom()
    await hold('one', { A: 15, C: 1 })
    await refreshAll(room, now)
    const before = await room.world()
    assert.deepEqual(await hold('two', { A: 6, B: 21, C: 19, nothing: 1 }), { A: 5, B: 20, nothing: 0 })
    assert.deepEqual(await room.world(), before)
    assert.deepEqual(await hold('one', { A: 21 }), { A: 20 }, 'what it has is its own to have again')
    assert.deepEqual(await room.world(), before)
    assert.deepEqual(await hold('one', { A: 20 }), {})
  })

  test('a retired SKU cannot be held, and is sold only to owners of earlier holds', async () => {
    const { room, hold, sell } = await stockroom({ ...plenty, Q: { product: 'three', stock: 1 } })
    await hold('one', { A: 3, P: 1 })
    await room.write(async (tx) => {
      await tx.sql`update skus set retired_at = 1 where code in ('A', 'P')`
      await tx.sql`update listed_products set stale_at = 0 where mode = 'live'`
    })
    assert.deepEqual(await hold('two', { A: 1, P: 1 }), { A: 0, P: 0 })
    assert.deepEqual(await sell('two', { A: 1, P: 1 }), { A: 0, P: 0 })
    assert.deepEqual(await sell('one', { A: 4, P: 2 }), { A: 3, P: 1 })
    assert.deepEqual(await sell('one', { A: 3, P: 1 }), {})
    assert.deepEqual((await room.world()).skus, { ...untouched, A: [17, 0], P: [1, 0], Q: [1, 0] })
  })

  test('an expired hold does not count, and is deleted when another owner needs its units', async () => {
    const { room, hold } = await stockroom()
    await hold('one', { A: 18, B: 1 })
    assert.deepEqual(await hold('two', { A: 3 }, { now: expiresAt - 1, expiresAt: expiresAt + 1 }), { A: 2 })
    assert.deepEqual(await hold('two', { A: 3 }, { now: expiresAt, expiresAt: expiresAt + minute }), {})
    assert.deepEqual((await room.world()).holds, [
      ['one', 'B', 1, expiresAt],
      ['two', 'A', 3, expiresAt + minute],
    ])
  })

  test('a shortage deletes no expired holds', async () => {
    const { room, hold } = await stockroom()
    await hold('one', { A: 18 })
    const before = await room.world()
    assert.deepEqual(await hold('two', { A: 21 }, { now: expiresAt, expiresAt: expiresAt + 1 }), { A: 20 })
    assert.deepEqual(await room.world(), before)
  })

  test('an expired hold is renewed for its owner if the units are free', async () => {
    const { room, hold } = await stockroom()
    await hold('one', { A: 15 })
    await hold('two', { A: 5 }, { now, expiresAt: expiresAt + minute })
    await refreshAll(room, expiresAt)
    assert.deepEqual(await hold('one', { A: 16 }, { now: expiresAt, expiresAt: expiresAt + minute }), { A: 15 })
    assert.deepEqual(await hold('one', { A: 15 }, { now: expiresAt, expiresAt: expiresAt + minute }), {})
    const world = await room.world(expiresAt)
    assert.deepEqual([world.skus.A, world.stale], [[20, 20], ['one']])
  })

  test('a hold that would expire immediately is an error', async () => {
    const { hold } = await stockroom()
    await assert.rejects(hold('one', { A: 1 }, { now, expiresAt: now }))
  })

  test('active holds are extended, but never shortened, and expired ones are not restored', async () => {
    const { room, hold, extend } = await stockroom()
    await hold('one', { A: 1, B: 2 })
    await refreshAll(room, now)
    assert.deepEqual(await extend('one', { now, expiresAt: expiresAt + minute }), { A: 1, B: 2 })
    assert.deepEqual(await extend('one', { now, expiresAt }), { A: 1, B: 2 })
    const world = await room.world()
    assert.deepEqual(world.holds, [
      ['one', 'A', 1, expiresAt + minute],
      ['one', 'B', 2, expiresAt + minute],
    ])
    assert.deepEqual(world.stale, [])
    assert.deepEqual(await extend('one', { now: expiresAt + minute, expiresAt: expiresAt + 2 * minute }), {})
    assert.deepEqual((await room.world()).holds, world.holds)
    assert.deepEqual(await extend('nobody', { now, expiresAt }), {})
  })

  test('a hold that another node with a faster clock treated as expired makes its product stale when it changes', async () => {
    const [ahead, behind] = [expiresAt + 1_000, expiresAt - 1_000]
    const { room, hold, extend, sell } = await stockroom()
    await hold('one', { A: 3, C: 4 })
    await refreshAll(room, ahead)
    assert.deepEqual((await room.world(ahead)).stale, [])
    await extend('one', { now: behind, expiresAt: expiresAt + minute })
    assert.deepEqual((await room.world(behind)).stale, ['one', 'two'])
    await refreshAll(room, ahead + 2 * minute)
    await sell('one', { A: 3, C: 4 }, behind + minute)
    assert.deepEqual((await room.world(behind)).stale, ['one', 'two'])
  })

  test('releasing removes all active and expired holds of one owner, and does nothing when repeated', async () => {
    const { room, hold, release } = await stockroom()
    await hold('one', { A: 1, C: 2 })
    await hold('two', { A: 4 })
    await refreshAll(room, now)
    await release('one', expiresAt + minute)
    await release('one')
    assert.deepEqual(await room.world(expiresAt), {
      skus: { ...untouched, A: [20, 4] },
      holds: [['two', 'A', 4, expiresAt]],
      movements: [],
      events: [],
      stale: ['one', 'two'],
    })
  })

  test('a sale uses the held units, writes stock movements, and releases what else its owner held', async () => {
    const { room, hold, sell } = await stockroom()
    await hold('one', { A: 3, B: 2 })
    await hold('two', { C: 1 })
    await refreshAll(room, now)
    assert.deepEqual(await sell('one', { A: 3, C: 4 }), {})
    assert.deepEqual(await room.world(), {
      skus: { A: [17, 0], B: [20, 0], C: [16, 1], P: [2, 0] },
      holds: [['two', 'C', 1, expiresAt]],
      movements: [
        ['A', 'sold', -3, 0, 'order of one'],
        ['C', 'sold', -4, 0, 'order of one'],
      ],
      events: [],
      stale: ['one', 'two'],
    })
  })

  test('a sale of exactly the held units makes no product stale', async () => {
    const { room, hold, sell } = await stockroom()
    await hold('one', { A: 3 })
    await refreshAll(room, now)
    await sell('one', { A: 3 })
    assert.deepEqual((await room.world()).stale, [])
  })

  test('a sale after the hold expired needs free stock, before and after the sweep', async () => {
    for (const swept of [false, true]) {
      const { room, hold, sell, sweep } = await stockroom()
      const later = { now: expiresAt, expiresAt: expiresAt + minute }
      await hold('one', { A: 18, B: 18 })
      if (swept) assert.equal(await sweep(expiresAt), 2)
      assert.deepEqual(await hold('two', { A: 10 }, later), {})
      const before = await room.world()
      assert.deepEqual(await sell('one', { A: 18, B: 18 }, expiresAt), { A: 10 })
      assert.deepEqual(await room.world(), before)
      assert.deepEqual(await sell('one', { A: 10, B: 18 }, expiresAt), {})
      const { skus, holds } = await room.world()
      assert.deepEqual([skus.A, skus.B, holds], [[10, 10], [2, 0], [['two', 'A', 10, expiresAt + minute]]])
    }
  })

  test('an order is restocked with no more units than it was sold', async () => {
    const { room, sell, restock } = await stockroom()
    await sell('one', { A: 3, C: 4, P: 5 })
    await sell('two', { A: 1 })
    assert.deepEqual(await restock('order of one', { A: 2, C: 9, B: 1 }), { A: 2, C: 4 })
    assert.deepEqual(await restock('order of one'), { A: 1, P: 2 })
    const { skus, movements } = await room.world()
    assert.deepEqual(skus, { ...untouched, A: [19, 0] })
    assert.deepEqual(await restock('order of one'), {})
    assert.deepEqual(await restock('order of one', { A: 1, P: 3 }), {})
    assert.deepEqual(await restock('nothing'), {})
    assert.deepEqual((await room.world()).movements, movements)
    assert.deepEqual(
      movements.filter(([, kind]) => kind === 'restocked').map(([code, , delta, , owner]) => [code, delta, owner]),
      [
        ['A', 2, 'order of one'],
        ['C', 4, 'order of one'],
        ['A', 1, 'order of one'],
        ['P', 2, 'order of one'],
      ],
    )
  })

  test('concurrent requests to restock one order restock it once', async () => {
    const { room, sell, restock } = await stockroom()
    await sell('one', { A: 3, C: 4 })
    const back = await Promise.all(Array.from({ length: 20 }, () => restock('order of one')))
    assert.deepEqual(
      back.filter((given) => Object.keys(given).length > 0),
      [{ A: 3, C: 4 }],
    )
    assert.deepEqual((await room.world()).skus, untouched)
  })

  test('backordered units are held as far as there is stock, and sold beyond it', async () => {
    const { room, hold, sell } = await stockroom()
    assert.deepEqual(await hold('one', { P: 1 }), {})
    assert.deepEqual(await hold('two', { P: 5 }), {})
    assert.deepEqual(await hold('three', { P: 7 }), {})
    assert.deepEqual((await room.world()).holds, [
      ['one', 'P', 1, expiresAt],
      ['two', 'P', 1, expiresAt],
    ])
    assert.deepEqual(await sell('three', { P: 7 }), {})
    assert.deepEqual(await sell('two', { P: 5 }), {})
    assert.deepEqual(await sell('one', { P: 1 }), {})
    const { skus, movements } = await room.world()
    assert.deepEqual(skus.P, [0, 0])
    assert.deepEqual(movements, [
      ['P', 'sold', 0, 7, 'order of three'],
      ['P', 'sold', -1, 4, 'order of two'],
      ['P', 'sold', -1, 0, 'order of one'],
    ])
  })

  test('the operator may set the stock below the held units, which then go to the first buyers', async () => {
    const { room, hold, sell, set } = await stockroom()
    await hold('one', { A: 10 })
    await hold('two', { A: 10 })
    await set({ A: 12, B: 20 })
    assert.deepEqual((await room.world()).movements, [['A', 'set', -8, 0, null]])
    assert.deepEqual(await hold('three', { A: 1 }), { A: 0 })
    assert.deepEqual(await sell('three', { A: 1 }), { A: 0 })
    assert.deepEqual(await hold('two', { A: 11 }), { A: 10 }, 'keeps what it has, and gets no more')
    assert.deepEqual(await sell('two', { A: 10 }), {})
    assert.deepEqual(await sell('one', { A: 10 }), { A: 2 })
    assert.deepEqual(await sell('one', { A: 2 }), {})
    assert.deepEqual((await room.world()).skus.A, [0, 0])
  })

  test('the sweep deletes expired holds, a limited number of SKUs in each round', async () => {
    const { room, hold, sweep } = await stockroom()
    await hold('one', { A: 1, B: 2 })
    await hold('two', { A: 3 }, { now, expiresAt: expiresAt + minute })
    await refreshAll(room, now)
    assert.equal(await sweep(expiresAt - 1), 0)
    assert.equal(await sweep(expiresAt, 1), 1)
    assert.equal(await sweep(expiresAt, 1), 1)
    assert.equal(await sweep(expiresAt, 1), 0)
    assert.deepEqual(await room.world(expiresAt), {
      skus: { ...untouched, A: [20, 3] },
      holds: [['two', 'A', 3, expiresAt + minute]],
      movements: [],
      events: [],
      stale: ['one'],
    })
  })

  test('events are announced once for each crossed threshold, to all active installations', async () => {
    const { room, hold, release, sell, restock, set, sweep } = await stockroom({ A: { product: 'one', stock: 8 } })
    const announced = async () =>
      (await room.world()).events.map(([who, kind, , available, n]) => `${n} ${who} ${kind} ${available}`)
    await hold('one', { A: 2 })
    assert.deepEqual(await announced(), [])
    await hold('two', { A: 1 })
    await hold('three', { A: 1 })
    await hold('four', { A: 4 })
    await hold('three', { A: 1 }, { now, expiresAt: expiresAt + minute })
    assert.deepEqual(await announced(), ['1 Web inventory.low 5', '2 Web inventory.depleted 0'])
    await sell('four', { A: 4 })
    assert.equal((await announced()).length, 2, 'a sale of what was held leaves as much for others as before')
    await release('two')
    await release('one')
    assert.deepEqual((await announced()).slice(2), ['3 Web inventory.replenished 1'])
    await hold('one', { A: 3 })
    assert.equal((await announced()).length, 4)
    // The expiry of a hold announces nothing, and neither does the next owner who takes the units.
    assert.deepEqual(await hold('two', { A: 3 }, { now: expiresAt, expiresAt: expiresAt + minute }), {})
    assert.deepEqual((await announced()).slice(3), ['4 Web inventory.depleted 0'])
    assert.equal(await sweep(expiresAt + minute), 2)
    assert.deepEqual((await announced()).slice(4), ['5 Web inventory.replenished 4'])
    await restock('order of four')
    await set({ A: 0 })
    await set({ A: 0 })
    await set({ A: 6 })
    await set({ A: 5 })
    await set({ A: 4 })
    await set({ A: 6 })
    await set({ A: 4 })
    assert.deepEqual((await announced()).slice(5), [
      '6 Web inventory.depleted 0',
      '7 Web inventory.replenished 6',
      '8 Web inventory.low 5',
      '9 Web inventory.low 4',
    ])
    const [{ body } = { body: '' }] = await room.storage.read(
      (db) => db.sql<{ body: string }>`select body from events order by id limit 1`,
    )
    const event = JSON.parse(body)
    assert.deepEqual(event.cause, cause)
    assert.deepEqual(event.data, {
      sku: { id: room.skuId('A'), code: 'A', productSlug: 'one', name: 'ONE', availableQuantity: 5, lowStockAt: 5 },
    })
  })

  test('opening stock and apply --stock make different kinds of stock movements', async () => {
    const { room } = await stockroom({ A: { product: 'one', stock: 4 }, Z: { product: 'one', stock: 0 } })
    const opened = await room.storage.read(
      (db) =>
        db.sql<{ code: string; mode: string; delta: number }>`
        select s.code, v.mode, v.delta from stock_movements v join skus s on s.id = v.sku_id where v.kind = 'opening'
        order by v.mode`,
    )
    assert.deepEqual(opened, [
      { code: 'A', mode: 'live', delta: 4 },
      { code: 'A', mode: 'test', delta: 4 },
    ])
    const stocked = (stock: number) =>
      room.apply(
        (file) => ({
          ...file,
          products: (file.products ?? []).map((product) => ({
            ...product,
            skus: product.skus.map((sku) => ({ ...sku, stock })),
          })),
        }),
        { stock: true },
      )
    await stocked(7)
    await stocked(7)
    const { movements, events } = await room.world()
    assert.deepEqual(movements.toSorted(), [
      ['A', 'set', 3, 0, null],
      ['Z', 'set', 7, 0, null],
    ])
    assert.deepEqual(events, [['Web', 'inventory.replenished', 'Z', 7, 1]])
  })

  test('of 200 concurrent buyers for 20 units, 20 succeed', async () => {
    const { room, hold, sell } = await stockroom()
    const sold = await Promise.all(Array.from({ length: 200 }, (_, i) => sell(`buyer ${i}`, { A: 1 })))
    assert.equal(sold.filter((shortage) => shortage.A === undefined).length, 20)
    const held = await Promise.all(Array.from({ length: 200 }, (_, i) => hold(`shopper ${i}`, { B: 1 })))
    assert.equal(held.filter((shortage) => shortage.B === undefined).length, 20)
    const { skus, events } = await room.world()
    assert.deepEqual(
      [skus.A, skus.B],
      [
        [0, 0],
        [20, 20],
      ],
    )
    assert.deepEqual(events.map(([, kind, code, , sequence]) => `${code} ${kind} ${sequence}`).sort(), [
      'A inventory.depleted 2',
      'A inventory.low 1',
      'B inventory.depleted 2',
      'B inventory.low 1',
    ])
  })

  test('200 concurrent transactions with the same three SKUs in opposite orders succeed without a deadlock', async () => {
    const { room, hold, release, sell } = await stockroom({
      A: { product: 'one', stock: 1000 },
      B: { product: 'two', stock: 1000 },
      C: { product: 'three', stock: 1000 },
    })
    const orders = [
      { A: 1, B: 1, C: 1 },
      { C: 1, B: 1, A: 1 },
      { B: 1, C: 1, A: 1 },
    ] as const
    const retriesBefore = room.storage.stats().writes.retries
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const owner = `buyer ${i}`
        const lines = orders[i % 3] as Quantities
        assert.deepEqual(await hold(owner, lines), {})
        if (i % 4 === 0) await release(owner)
        else assert.deepEqual(await sell(owner, lines), {})
      }),
    )
    assert.equal(room.storage.stats().writes.retries, retriesBefore, 'no deadlock was even retried')
    assert.deepEqual((await room.world()).skus, { A: [850, 0], B: [850, 0], C: [850, 0] })
  })

  test('two concurrent sweeps on separate connections work beside buyers', async () => {
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    const other = await given.open({ url, withMigrations: false })
    const codes = Array.from({ length: 30 }, (_, i) => `S${i}`)
    const room = await openStockroom(
      given,
      Object.fromEntries(codes.map((code, i) => [code, { product: `product-${i % 7}`, stock: 4 }])),
      storage,
    )
    const { hold, sell } = actions(room)
    const linesOf = (i: number) => ({ [codes[i] as string]: 2, [codes[(i + 1) % codes.length] as string]: 2 })
    for (const i of codes.keys()) assert.deepEqual(await hold(`owner ${i}`, linesOf(i)), {})
    const count = (await room.world()).holds.length
    const sales = Promise.all(codes.map((_, i) => sell(`owner ${i}`, linesOf(i), expiresAt)))
    let swept = 0
    for (let round = 0; round < 20; round++) {
      const [mine, theirs] = await Promise.all([sweepHolds(storage, expiresAt, 10), sweepHolds(other, expiresAt, 10)])
      swept += mine + theirs
    }
    assert.ok((await sales).every((shortage) => Object.keys(shortage).length === 0))
    assert.ok(swept <= count)
    const { skus, holds } = await room.world()
    assert.deepEqual(holds, [])
    assert.ok(Object.values(skus).every(([onHand, held]) => onHand === 0 && held === 0))
  })
})
