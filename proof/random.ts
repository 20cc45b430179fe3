// Repeatable randomness: the same seed gives the same numbers.

import { randomInt } from 'node:crypto'

export interface Seeded {
  seed: number
  random: () => number
}

// mulberry32, which is good enough to spread the choices of a test.
export function seeded(seed = randomInt(2 ** 31)): Seeded {
  let state = seed
  function random(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { seed, random }
}

// From `least` to `most`, both inclusive.
export function whole(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}

export function pick<T>(random: () => number, values: readonly T[]): T {
  if (values.length === 0) throw new Error('nothing to choose from')
  return values[Math.floor(random() * values.length)] as T
}

export function shuffled<T>(random: () => number, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}
