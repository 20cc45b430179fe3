// A loop survives its worst row. In every table that a loop reads stands a row that cannot be handled, and before it in its
// turn: all others, of that merchant and of another, are handled in the same round, and the row is passed over after that.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { expireCarts } from '../src/carts/sweep.ts'
import { expireSessions } from '../src/checkout/sweep.ts'
import type { LoopName } from '../src/loops/names.ts'
import { RowsFailed } from '../src/loops/rows.ts'
import { market } from './support/carts.ts'
import { type Checkout, checkoutOf } from './support/checkout.ts'
import { type House, openHouse } from './support/house.ts'
import { poison } from './support/poison.ts'
import { rival } from './support/shops.ts'
import { eachEngine } from './support/storage.ts'

// The rows that a round could not handle, by id. Everything else that a round throws is a failure of the test.
async function failedOf(loop: LoopName, round: Promise<unknown>): Promise<string[]> {
  const failed = await round.then(
    () => [],
    (error: unknown) => {
      if (error instanceof RowsFailed) return error.failures
      throw error
    },
  )
  assert.ok(failed.every((failure) => failure.loop === loop))
  return failed.map(({ rowId }) => rowId)
}

eachEngine('a loop survives its worst row', (given) => {
  let house: House
  let checkout: Checkout

  before(async () => {
    house = await openHouse(given, { shops: [market, rival] })
    checkout = await checkoutOf(house)
  })

  const rivalCart = async (): Promise<string> => {
    const answer = await house.ask('createPublicCart', {
      key: house.keys.rival,
      body: { idempotencyKey: randomUUID(), items: [] },
    })
    return answer.body.data.id
  }

  async function statusOf(table: 'carts' | 'checkout_sessions', id: string): Promise<string | undefined> {
    const rows = await house.storage.read((db) =>
      table === 'carts'
        ? db.sql<{ status: string }>`select status from carts where id = ${id}`
        : db.sql<{ status: string }>`select status from checkout_sessions where id = ${id}`,
    )
    return rows[0]?.status
  }

  test('sessions that expire', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i += 1)
      ids.push((await checkout.open({ CARD: 1 }, { expiresInSeconds: 300 + i })).body.data.id)
    const [bad = '', ...good] = ids
    const cure = await poison(house.storage, 'checkout_sessions', `old.id = '${bad}'`)
    const now = house.clock.now + 400_000
    const round = (at: number) => failedOf('sessions', expireSessions(house.storage, house.app.payTools, at))
    assert.deepEqual(await round(now), [bad])
    assert.equal(await statusOf('checkout_sessions', bad), 'open')
    for (const id of good) assert.equal(await statusOf('checkout_sessions', id), 'expired')
    assert.deepEqual(await round(now + 1_000), [], 'it is passed over')
    assert.deepEqual(await round(now + 60_000), [bad], 'and tried again')
    await cure()
    assert.deepEqual(await round(now + 180_000), [])
    assert.equal(await statusOf('checkout_sessions', bad), 'expired')
  })

  test('carts that expire', async () => {
    const bad = await checkout.carts.create({ CARD: 1 })
    house.clock.now += 1_000
    const good = [await checkout.carts.create({ CARD: 2 }), await rivalCart()]
    const cure = await poison(house.storage, 'carts', `old.id = '${bad}'`)
    const now = house.clock.now + 400 * 24 * 3_600_000
    const round = (at: number) => failedOf('carts', expireCarts(house.storage, house.app.cartTools, at))
    assert.deepEqual(await round(now), [bad])
    for (const id of good) assert.equal(await statusOf('carts', id), 'expired')
    assert.deepEqual(await round(now + 1_000), [])
    await cure()
    assert.deepEqual(await round(now + 60_000), [])
    assert.equal(await statusOf('carts', bad), 'expired')
  })
})
