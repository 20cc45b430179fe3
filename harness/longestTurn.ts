// The longest that some work holds the event loop, in milliseconds of CPU of its thread: on a machine that does other things,
// the clock would also count those. Not for work within a test: `node:test` follows every promise, and its garbage counts too.

import { setImmediate as nextTurn } from 'node:timers/promises'

export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longestMicros = 0
  let isOver = false
  async function measure(): Promise<void> {
    while (!isOver) {
      const before = process.threadCpuUsage()
      await nextTurn()
      const { user, system } = process.threadCpuUsage(before)
      longestMicros = Math.max(longestMicros, user + system)
    }
  }
  const measured = measure()
  try {
    await work()
  } finally {
    isOver = true
    await measured
  }
  return longestMicros / 1_000
}
