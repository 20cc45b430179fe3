import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idTimeOf, newId } from '../../platform/kit/ids.ts'
import { firstByValue, insertRanked } from './ranking.ts'

const random = (below: number) => Math.floor(Math.random() * below)
const compare = (one: string | number, other: string | number) => (one < other ? -1 : one > other ? 1 : 0)

test('the first products of any sort order are the same as after sorting all products', () => {
  for (let round = 0; round < 300; round += 1) {
    const id = Array.from({ length: 60 }, () => newId('prd')).sort(() => Math.random() - 0.5)
    const idTime = id.map(idTimeOf)
    const value = () => random([1, 5, 1_000][round % 3] as number)
    const column: (string | number)[] = id.map(() => (round % 4 === 0 ? String(value()) : value()))
    const places = Uint32Array.from(new Set(Array.from({ length: random(60) }, () => random(60)))).sort()
    const isDescending = random(2) === 0
    const count = 1 + random(20)
    const inOrder = (one: number, other: number) =>
      (isDescending ? -1 : 1) *
      (compare(column[one] as string, column[other] as string) || compare(id[one] as string, id[other] as string))
    const sorted = [...places].sort(inOrder).slice(0, count)
    assert.deepEqual(firstByValue(places, count, { column, id, idTime, isDescending }), sorted)
    const first: number[] = []
    for (const place of places) insertRanked(first, place, count, inOrder)
    assert.deepEqual(first, sorted)
  }
})
