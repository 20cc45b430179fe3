// For what another process, or a loop, does in its own time: looks again, with a pause in which that one can work, and fails
// when it has not come in a time that is long for everybody.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const pauseMs = 20
const patienceMs = 60_000

// Answers with what was found: anything but undefined and false.
export async function until<Found>(
  look: () => Found | Promise<Found>,
  what = 'it',
): Promise<Exclude<Found, undefined | false>> {
  const hopelessAt = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<Found, undefined | false>
    assert.ok(performance.now() < hopelessAt, `${what} did not come`)
    await pause(pauseMs)
  }
}
