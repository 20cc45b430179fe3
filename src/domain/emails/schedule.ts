// Retry times of e-mails. Pure.

const minute = 60_000
const hour = 60 * minute

// After the first failure, the second, and so on.
const waitsMs = [minute, 5 * minute, 15 * minute, hour, 4 * hour, 12 * hour, 24 * hour]

// Undefined: it is given up.
export function retryAt(attempts: number, now: number): number | undefined {
  const waitMs = waitsMs[attempts - 1]
  return waitMs === undefined ? undefined : now + waitMs
}

// Longer than preparing, sending and recording an e-mail may take.
export const leaseMs = 12 * minute

// Anyone can order, or forget a password, in another's name, so a mailbox gets at most so many of what was written in an hour. A
// merchant has one mailbox for all of its orders.
export const emailsWindowMs = hour
export const emailsMax = { shopper: 20, merchant: 200, person: 10 } as const
