// When a provider is called again. The first waits are short, because most lost responses can be queried immediately. The last wait is
// repeated until the outcome is known.

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

// How long a claimed row belongs to a node: enough for a call, for recording its outcome, and some reserve. If the node dies, the row is
// due again afterwards.
export const leaseMs = 3 * providerMsMax

// Wait before the next query about something that takes long at the provider, such as a refund that was made there.
export const pendingAgainMs = 6 * hour

// After this time, the call that starts a payment has ended and was recorded, or its process died. An earlier query could interfere with
// that call. Shorter than the lease, because a shopper waits. If the provider does not know the payment by then, that is not final yet
// (recover.ts).
export const startMsMax = providerMsMax + 5 * second

export function firstCheckAt(now: number): number {
  return now + startMsMax
}

// The value of a payment's `checks` after the provider has responded.
export const checksAnswered = 1

// `tries`: number of queries or attempts so far; 1 after the first.
export function nextTryAt(tries: number, now: number): number {
  const place = Math.min(Math.max(tries, 1), paymentWaitsMs.length) - 1
  return now + (paymentWaitsMs[place] as number)
}
