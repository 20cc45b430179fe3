// A bounded map: when it is full, the entry that was not asked for the longest falls out.

export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #entriesMax: number

  constructor(entriesMax: number) {
    if (!(entriesMax >= 1)) throw new RangeError('an Lru needs room for one entry')
    this.#entriesMax = entriesMax
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
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#entriesMax) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  // From the least to the most recently used. Deleting during the walk is safe.
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]()
  }
}
