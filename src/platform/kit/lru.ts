// A bounded map: when it is full, the least recently used entries are removed. The bound is a number of entries, or a sum of weights such
// as bytes.

// Approximate memory of a map entry in addition to its key and value.
const entryBytes = 200

// Returns the weight of an entry in a cache whose keys are chosen by clients. The key counts too, since a long query with an empty result
// also takes memory.
export function entryWeight(key: string, bytes: number): number {
  return entryBytes + key.length * 2 + bytes
}

export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  #weightMax: number
  readonly #weightOf: (value: Value, key: Key) => number
  #weight = 0

  constructor(weightMax: number, weightOf: (value: Value, key: Key) => number = () => 1) {
    if (!(weightMax >= 1)) throw new RangeError('the maximum weight of an Lru must be at least 1')
    this.#weightMax = weightMax
    this.#weightOf = weightOf
  }

  // A smaller limit takes effect when the next entry is set.
  set weightMax(weightMax: number) {
    this.#weightMax = weightMax
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    // Moved to the end: a Map iterates in the order of insertion, so its first entry is always the least recently used.
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  // Returns a value without marking it as used.
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

  // Iterates from the least to the most recently used entry. Deleting entries while iterating is safe.
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries[Symbol.iterator]()
  }
}

// Caches answers by keys that clients choose. An answer is kept when its key comes for the second time: most come once, such as searches,
// and keeping those would fill the memory with what is soon dropped. That garbage is the dearest kind: searches of 100,000 products made
// the garbage collector stop the server every second, and now every ten seconds or less often.
export class AnswerCache<Answer> {
  readonly #kept: Lru<string, Answer>
  readonly #askedOnce = new Lru<string, true>(askedOnceBytesMax, (_, key) => entryWeight(key, 0))

  constructor(bytesMax: number, bytesOf: (answer: Answer) => number) {
    this.#kept = new Lru(bytesMax, (answer, key) => entryWeight(key, bytesOf(answer)))
  }

  get(key: string): Answer | undefined {
    return this.#kept.get(key)
  }

  set(key: string, answer: Answer & {}): void {
    if (this.#askedOnce.delete(key)) this.#kept.set(key, answer)
    else this.#askedOnce.set(key, true)
  }
}

const askedOnceBytesMax = 1_048_576
