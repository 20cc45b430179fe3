// Sets of product indexes in the columns. Pure. In a shop of 100,000 products a word may match 10,000 of them, and a search combines
// several words.

// Index of a product in the columns.
export type ProductIndex = number
// Indexes of products in ascending order, without duplicates.
export type ProductIndexes = Uint32Array

export const noProductIndexes: ProductIndexes = new Uint32Array(0)

// The products that all of the sets contain; there must be at least one set.
export function intersectIndexes(sets: readonly ProductIndexes[]): ProductIndexes {
  const [least = noProductIndexes, ...others] = sets.toSorted((one, other) => one.length - other.length)
  return others.reduce(common, least)
}

// Where results are built before their length is known: allocating as much as the longest possible result takes longer than to copy it.
let scratch = new Uint32Array(1_024)

function common(few: ProductIndexes, many: ProductIndexes): ProductIndexes {
  if (scratch.length < few.length) scratch = new Uint32Array(2 * few.length)
  const both = scratch
  let count = 0
  const bits = few.length * farLess > many.length ? bitmapOf(many) : undefined
  if (bits) {
    // Without branches, which the processor would mispredict: each entry is written, and the next one overwrites it if it is not in both.
    for (let i = 0; i < few.length; i += 1) {
      const place = few[i] as number
      both[count] = place
      count += ((bits[place >>> 5] ?? 0) >>> (place & 31)) & 1
    }
  } else {
    let low = 0
    for (const place of few) {
      low = firstFrom(many, place, low)
      if (many[low] === place) both[count++] = place
    }
  }
  return both.slice(0, count)
}

// If one set is smaller by this factor, its entries are searched for one by one, which is faster than making a bitmap.
const farLess = 32

// Bytes of a set with its bitmap, if it has one.
export function bytesOfIndexes(places: ProductIndexes): number {
  return places.byteLength + (isDense(places) ? bitmapLength(places) * Uint32Array.BYTES_PER_ELEMENT : 0)
}

// A bitmap takes no more memory than the set itself.
function isDense(places: ProductIndexes): boolean {
  return places.length > 0 && bitmapLength(places) <= places.length
}

function bitmapLength(places: ProductIndexes): number {
  return ((places.at(-1) ?? 0) >>> 5) + 1
}

const bitmaps = new WeakMap<ProductIndexes, Uint32Array>()

// With a bitmap, 10,000 products are intersected with 10,000 others in 20 µs and not in 340. It lives as long as the set: the sets of
// words are cached.
function bitmapOf(places: ProductIndexes): Uint32Array | undefined {
  const known = bitmaps.get(places)
  if (known || !isDense(places)) return known
  const bits = new Uint32Array(bitmapLength(places))
  for (let i = 0; i < places.length; i += 1) {
    const place = places[i] as number
    bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31))
  }
  bitmaps.set(places, bits)
  return bits
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

// The other set is often a subset.
export function uniteIndexes(one: ProductIndexes, other: ProductIndexes): ProductIndexes {
  if (other.length === 0) return one
  const missing = without(other, one)
  if (missing.length === 0) return one
  const all = new Uint32Array(one.length + missing.length)
  let [i, j] = [0, 0]
  while (i < one.length && j < missing.length) {
    const [first, second] = [one[i] as number, missing[j] as number]
    all[i + j] = Math.min(first, second)
    if (first < second) i += 1
    else j += 1
  }
  all.set(one.subarray(i), i + j)
  all.set(missing.subarray(j), i + j)
  return all
}

function without(places: ProductIndexes, known: ProductIndexes): ProductIndexes {
  const both = known.length === 0 ? known : common(places, known)
  if (both.length === 0) return places
  const rest = new Uint32Array(places.length - both.length)
  for (let i = 0, met = 0; i < places.length; i += 1) {
    if (places[i] === both[met]) met += 1
    else rest[i - met] = places[i] as number
  }
  return rest
}
