import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../kit/refuse.ts'
import { createPressure } from './pressure.ts'
import { createReceive, createSeats } from './seats.ts'

test('bodies that are awaited take the seats of their sender, and bodies that are here take none', async () => {
  const pressure = createPressure()
  const seats = createSeats({ seatsMax: 10 })
  const receive = createReceive(seats, pressure)
  const seat = { key: 'one', most: 2 }
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<string>()
  const awaited = [1, 2].map(() => receive({ complete: false }, seat, () => arrived))
  assert.equal(seats.taken, 2)
  await assert.rejects(
    receive({ complete: false }, seat, async () => 'late'),
    (error) => error instanceof Refusal && error.code === 'unavailable',
  )
  assert.equal(await receive({ complete: true }, seat, async () => 'here'), 'here')
  assert.equal(await receive({ complete: false }, { key: 'other', most: 2 }, async () => 'of another'), 'of another')
  arrive('now')
  assert.deepEqual(await Promise.all(awaited), ['now', 'now'])
  assert.equal(seats.taken, 0)
  pressure.close()
})
