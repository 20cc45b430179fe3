// Sets of product indexes in the columns. Pure. In a shop of 100,000 products a word may match 10,000 of them, and a search combines
// several words.

import type { ProductIndexes } from './columns.ts'

export const noProductIndexes: ProductIndexes = new Uint32Array(0)

// The products that all of the sets contain; there must be at least one set.
export function intersectIndexes(sets: readonly ProductIndexes[]): ProductIndexes {
  const [least = noProductIndexes, ...others] = sets.toSorted((one, other) => one.length - other.length)
  return others.reduce(common, least)
}

function common(few: ProductIndexes, many: ProductIndexes): ProductIndexes {
  const both = new Uint32Array(few.length)
  let count = 0
  let low = 0
  for (const place of few) {
    low = firstFrom(many, place, low)
    if (many[low] === place) both[count++] = place
  }
  return both.subarray(0, count)
}

// Position of the first entry that is not less than `place`. The search begins with doubling steps, because the entry is often near.
function firstFrom(places: ProductIndexes, place: number, from: number): number {
  let [low, step] = [from, 1]
  while (low + step <= places.length && (places[low + step - 1] as number) < place) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, places.length)
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] as number) < place) low = middle + 1
    else high = middle
  }
  return low
}

// The other set is usually small, and often a subset.
export function uniteIndexes(one: ProductIndexes, other: ProductIndexes): ProductIndexes {
  if (other.length === 0) return one
  const missing = other.filter((place) => one[firstFrom(one, place, 0)] !== place)
  if (missing.length === 0) return one
  const all = new Uint32Array(one.length + missing.length)
  all.set(one)
  all.set(missing, one.length)
  return all.sort()
}
