// Columns in memory by which searches count and sort all published products of a merchant. Reading the rows of a thousand products from
// the database took longer than the rest of a search. Each search reads the present version of the catalog from the database and loads
// newer changes before it uses the columns, so they are never older than the search.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Mode } from '../../contract/words.ts'
import { idTimeOf } from '../../platform/kit/ids.ts'
import { Lru } from '../../platform/kit/lru.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { splitBrand } from './indexed.ts'
import { type IndexedRow, type IndexPosition, listIndexRows } from './indexstore.ts'
import { bytesOfIndexes, type ProductIndex, type ProductIndexes } from './places.ts'

export interface CatalogColumns {
  readonly version: number
  // Cached results of each word or filter, by its terms. Shoppers combine the same words and filters in different ways.
  readonly known: Lru<string, CachedMatches>
  // Queries in progress, by catalog version and terms.
  readonly asking: Map<string, Promise<ProductIndexes>>
  // Returns the products that changed after this version of the catalog, or undefined if there are too many.
  changedSince(version: number): ProductIndex[] | undefined
  // Returns the indexes of the products with these keys of the full-text index; unknown keys are left out.
  placesOf(keys: readonly (string | number)[]): ProductIndexes
  readonly id: readonly string[]
  // Creation time, which is the first part of an id: sorting by it gives the order of the ids.
  readonly idTime: readonly number[]
  readonly publishedAt: readonly number[]
  readonly priceMin: readonly number[]
  readonly priceMax: readonly number[]
  readonly nameKey: readonly string[]
  // Index of the product's facets in `facetTexts`: many products have the same facets.
  readonly facets: readonly number[]
  readonly facetTexts: readonly string[]
  // Index of the brand in `brandNames`, whose first entry is empty, for products without a brand.
  readonly brand: readonly number[]
  readonly brandNames: readonly string[]
  readonly fields: readonly string[]
  readonly inStock: Readonly<Record<Mode, readonly number[]>>
}

export interface CachedMatches {
  version: number
  places: ProductIndexes
}

export interface ColumnsCache {
  // Returns the columns at this version of the catalog, or at a later one.
  columnsOf(db: Reader, merchantId: string, version: number): Promise<CatalogColumns>
}

const cachedBytesMax = 128 * 2 ** 20
// Maximum bytes of cached matches of one merchant: a minimum for many short lists, plus 32 lists of all products, more than a single
// search needs.
const knownBytesLeast = 2 ** 19
const knownBytesPerRow = 32 * Uint32Array.BYTES_PER_ELEMENT
const changedMax = 1_000

export function createColumnsCache(rowsPerTurn = 1_000): ColumnsCache {
  // Weights are capped, so the columns of a very large shop are cached too, as the only entry: reading all rows of the shop for each
  // search would be worse.
  const cache = new Lru<string, StoredColumns>(cachedBytesMax, ({ bytes }) => Math.min(bytes, cachedBytesMax))
  const reading = new Map<string, Promise<unknown>>()

  async function read(columns: StoredColumns, db: Reader, merchantId: string, version: number): Promise<void> {
    await columns.readSince(db, merchantId, { version, rowsPerTurn })
    // Stored again, because its weight has changed.
    cache.delete(merchantId)
    columns.weigh()
    cache.set(merchantId, columns)
  }

  return {
    async columnsOf(db, merchantId, version) {
      // The searches of a shop read one at a time: an older snapshot that arrives last would replace newer rows. A failure affects only
      // the search that reads; the next search reads again.
      while (reading.has(merchantId)) await reading.get(merchantId)?.catch(() => {})
      const cached = cache.get(merchantId)
      if (cached && cached.version >= version && !cached.isOvergrown) return cached
      const columns = cached && !cached.isOvergrown ? cached : new StoredColumns()
      const done = read(columns, db, merchantId, version)
      reading.set(merchantId, done)
      try {
        await done
      } finally {
        if (reading.get(merchantId) === done) reading.delete(merchantId)
      }
      return columns
    },
  }
}

// Bytes of a row without its texts.
const rowBytes = 250
// Bytes of a list without its entries and its key.
const listBytes = 200

// Most made-up words find nothing, so the key often weighs more than the entries.
function knownBytes({ places }: CachedMatches, key: string): number {
  return listBytes + 2 * key.length + bytesOfIndexes(places)
}

class StoredColumns implements CatalogColumns {
  // The columns contain every change up to this version of the catalog; -1: nothing is loaded yet.
  version = -1
  bytes = 1
  readonly known = new Lru<string, CachedMatches>(knownBytesLeast, knownBytes)
  readonly asking = new Map<string, Promise<ProductIndexes>>()
  readonly id: string[] = []
  readonly idTime: number[] = []
  readonly publishedAt: number[] = []
  readonly priceMin: number[] = []
  readonly priceMax: number[] = []
  readonly nameKey: string[] = []
  readonly facets: number[] = []
  readonly facetTexts: string[] = []
  readonly brand: number[] = []
  readonly brandNames: string[] = ['']
  readonly fields: string[] = []
  readonly inStock: Record<Mode, number[]> = { live: [], test: [] }
  readonly #changed: number[] = []
  readonly #places = new Map<string | number, ProductIndex>()
  readonly #facetPlaces = new Map<string, number>()
  readonly #brandPlaces = new Map([['', 0]])
  #textLength = 0
  #firstLength = 0

  // Products that are no longer published stay in the columns, because no search finds them. When the columns have more than doubled
  // since they were built, they are built anew.
  get isOvergrown(): boolean {
    return this.version >= 0 && this.id.length > 2 * this.#firstLength + 1_000
  }

  weigh(): void {
    const knownBytesMax = knownBytesLeast + this.id.length * knownBytesPerRow
    this.known.weightMax = knownBytesMax
    this.bytes = knownBytesMax + this.id.length * rowBytes + 2 * this.#textLength
  }

  placesOf(keys: readonly (string | number)[]): ProductIndexes {
    const places = new Uint32Array(keys.length)
    let count = 0
    for (const key of keys) {
      const at = this.#places.get(key)
      if (at !== undefined) places[count++] = at
    }
    return places.slice(0, count).sort()
  }

  changedSince(version: number): ProductIndex[] | undefined {
    const places: ProductIndex[] = []
    for (const [at, changed] of this.#changed.entries())
      if (changed > version && places.push(at) > changedMax) return undefined
    return places
  }

  async readSince(
    db: Reader,
    merchantId: string,
    { version, rowsPerTurn }: { version: number; rowsPerTurn: number },
  ): Promise<void> {
    // The first load is ordered by id, so on every server the newest products are last, even if older ones were changed since.
    const isFirst = this.version < 0
    let after: IndexPosition | string = isFirst ? '' : { changed: this.version + 1, productId: '' }
    for (;;) {
      const rows = await listIndexRows(db, merchantId, after, rowsPerTurn)
      for (const row of rows) this.#put(row)
      const last = rows.at(-1)
      if (!last || rows.length < rowsPerTurn) break
      after = isFirst ? last.productId : last
      // Lets other requests run in between.
      await nextTurn()
    }
    if (isFirst) this.#firstLength = this.id.length
    this.version = Math.max(this.version, version)
  }

  #put(row: IndexedRow): void {
    const known = this.#places.get(row.key)
    const at = known ?? this.id.length
    if (known === undefined) this.#places.set(row.key, at)
    else this.#textLength -= (this.fields[at]?.length ?? 0) + (this.nameKey[at]?.length ?? 0)
    this.id[at] = row.productId
    this.idTime[at] = idTimeOf(row.productId)
    this.publishedAt[at] = row.publishedAt
    this.priceMin[at] = row.priceMin
    this.priceMax[at] = row.priceMax
    this.nameKey[at] = row.nameKey
    const { facets, brand } = splitBrand(row.facets)
    this.facets[at] = this.#placeIn(this.facetTexts, this.#facetPlaces, facets)
    this.brand[at] = this.#placeIn(this.brandNames, this.#brandPlaces, brand)
    this.fields[at] = row.fields
    this.inStock.live[at] = row.liveInStock
    this.inStock.test[at] = row.testInStock
    this.#changed[at] = row.changed
    this.#textLength += row.fields.length + row.nameKey.length
  }

  #placeIn(texts: string[], places: Map<string, number>, text: string): number {
    const known = places.get(text)
    if (known !== undefined) return known
    const place = texts.push(text) - 1
    places.set(text, place)
    this.#textLength += text.length
    return place
  }
}
