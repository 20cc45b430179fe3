// Random pauses that can be had again: the seed is told with the test, and is taken from the environment where it is given.

import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'

// Answers with whole milliseconds below a bound.
export function pausesOf(t: Pick<TestContext, 'diagnostic'>): (belowMs: number) => number {
  let state = Number(process.env.CARTWRIGHT_TEST_SEED ?? randomInt(2 ** 31))
  t.diagnostic(`CARTWRIGHT_TEST_SEED=${state}`)
  return (belowMs) => {
    // A linear congruence (Numerical Recipes): good enough to be somewhere else each time.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * belowMs)
  }
}
