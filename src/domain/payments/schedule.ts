// When a provider is asked again. The first waits are short, because most lost answers are found at once; the last one
// repeats for as long as it takes, because money is never forgotten.

import { providerMsMax } from './port.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export const waitsMs = [
  2 * second,
  5 * second,
  15 * second,
  minute,
  5 * minute,
  15 * minute,
  hour,
  6 * hour,
] as const satisfies readonly number[]

// A claimed row belongs to one node for this long: a call, its recording, and room to spare. If the node dies, the row is
// due again.
export const leaseMs = 3 * providerMsMax

// What is on its way at a provider, such as a refund that was made there, is looked at again after this long.
export const pendingAgainMs = 6 * hour

// The call that starts a payment is over by then and recorded, or its process died. Earlier a look-up might be in its way. Not the
// lease, because a shopper waits. That the provider knows nothing of it by then is not believed yet (recover.ts).
export const startMsMax = providerMsMax + 5 * second

export function firstCheckAt(now: number): number {
  return now + startMsMax
}

// What `checks` of a payment is after its provider answered.
export const checksAnswered = 1

// `tries` counts the look-ups, or tries to pay, that were made: 1 after the first.
export function nextTryAt(tries: number, now: number): number {
  const place = Math.min(Math.max(tries, 1), waitsMs.length) - 1
  return now + (waitsMs[place] as number)
}
