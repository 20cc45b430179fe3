// A bounded map: when it is full, the entries that were not asked for the longest fall out. Full is a number of entries, or a
// sum of weights, such as bytes.

// About what a map and its entry take besides the key and the value.
const entryBytes = 200

// For a cache by strings that callers choose: the key counts too, since an empty answer to a long question takes space.
export function entryWeight(key: string, bytes: number): number {
  return entryBytes + key.length * 2 + bytes
}

export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  #weightMax: number
  readonly #weightOf: (value: Value, key: Key) => number
  #weight = 0

  constructor(weightMax: number, weightOf: (value: Value, key: Key) => number = () => 1) {
    if (!(weightMax >= 1)) throw new RangeError('an Lru needs room for one entry')
    this.#weightMax = weightMax
    this.#weightOf = weightOf
  }

  // A lower bound holds from the next entry on.
  set weightMax(weightMax: number) {
    this.#weightMax = weightMax
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // A Map keeps the order of insertion, so the first entry is always the least recently used.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  // Looks without counting as a use.
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value & {}): void {
    this.delete(key)
    this.#entries.set(key, value)
    this.#weight += this.#weightOf(value, key)
    if (this.#weight <= this.#weightMax) return
    for (const oldest of this.#entries.keys()) {
      this.delete(oldest)
      if (this.#weight <= this.#weightMax) return
    }
  }

  delete(key: Key): boolean {
    const value = this.#entries.get(key)
    if (value === undefined) return false
    this.#weight -= this.#weightOf(value, key)
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  // From the least to the most recently used. Deleting during the walk is safe.
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]()
  }
}
