// Waits for what another process or a loop does in its own time: checks repeatedly, with a pause between, and fails
// after a time that is long enough for any machine.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const pauseMs = 20
const usualPatienceMs = 60_000

// Resolves with what was found: anything except undefined and false.
export async function until<Found>(
  look: () => Found | Promise<Found>,
  what = 'it',
  patienceMs = usualPatienceMs,
): Promise<Exclude<Found, undefined | false>> {
  const hopelessAt = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<Found, undefined | false>
    assert.ok(performance.now() < hopelessAt, `${what} did not come`)
    await pause(pauseMs)
  }
}
