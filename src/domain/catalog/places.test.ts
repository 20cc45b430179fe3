import assert from 'node:assert/strict'
import { test } from 'node:test'
import { intersectIndexes, noProductIndexes, uniteIndexes } from './places.ts'

function randomSet(size: number, below: number): Set<number> {
  return new Set(Array.from({ length: size }, () => Math.floor(Math.random() * below)))
}

const placesIn = (set: Iterable<number>) => Uint32Array.from(set).sort()

test('intersections and unions are correct for sets of every size and density', () => {
  for (let round = 0; round < 300; round += 1) {
    const below = 1 + Math.floor(Math.random() * 200)
    const sets = [0, 1, 2].map(() => randomSet(Math.floor(Math.random() * 100), below))
    const [one, other, third] = sets as [Set<number>, Set<number>, Set<number>]
    assert.deepEqual(
      intersectIndexes(sets.map(placesIn)),
      placesIn([...one].filter((place) => other.has(place) && third.has(place))),
    )
    assert.deepEqual(uniteIndexes(placesIn(one), placesIn(other)), placesIn(new Set([...one, ...other])))
  }
})

test('the intersection of a single set is that set, and the empty set adds nothing to a union', () => {
  const some = placesIn([1, 5])
  assert.equal(intersectIndexes([some]), some)
  assert.equal(uniteIndexes(some, noProductIndexes), some)
  assert.deepEqual(uniteIndexes(noProductIndexes, some), some)
  assert.deepEqual(intersectIndexes([some, noProductIndexes]), noProductIndexes)
})
