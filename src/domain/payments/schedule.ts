// When a provider is called again. The first waits are short, because most lost responses are found immediately; the last wait repeats
// without limit, because money is never forgotten.

import { providerMsMax } from './port.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export const paymentWaitsMs = [
  2 * second,
  5 * second,
  15 * second,
  minute,
  5 * minute,
  15 * minute,
  hour,
  6 * hour,
] as const satisfies readonly number[]

// A claimed row belongs to one node for this long: enough for a call, its recording, and some reserve. If the node dies, the row is due
// again.
export const leaseMs = 3 * providerMsMax

// A process at the provider that takes long, such as a refund that was made there, is queried again after this long.
export const pendingAgainMs = 6 * hour

// After this time the call that starts a payment has ended and was recorded, or its process died. An earlier query might interfere with
// that call. Shorter than the lease, because a shopper waits. If the provider does not know the payment at this time, that is not final
// yet (recover.ts).
export const startMsMax = providerMsMax + 5 * second

export function firstCheckAt(now: number): number {
  return now + startMsMax
}

// Value of a payment's `checks` after its provider has responded.
export const checksAnswered = 1

// `tries` counts the queries, or attempts to pay, so far: 1 after the first.
export function nextTryAt(tries: number, now: number): number {
  const place = Math.min(Math.max(tries, 1), paymentWaitsMs.length) - 1
  return now + (paymentWaitsMs[place] as number)
}
