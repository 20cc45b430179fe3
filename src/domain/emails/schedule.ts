// Retry times of e-mails. Pure.

const minute = 60_000
const hour = 60 * minute

// Waiting times after the first failure, the second, and so on.
const waitsMs = [minute, 5 * minute, 15 * minute, hour, 4 * hour, 12 * hour, 24 * hour]

// Returns undefined if there is no further attempt.
export function emailRetryAt(attempts: number, now: number): number | undefined {
  const waitMs = waitsMs[attempts - 1]
  return waitMs === undefined ? undefined : now + waitMs
}

// Longer than it may take to prepare, send and record an e-mail.
export const emailLeaseMs = 12 * minute

// Anyone can order, or request a new password, in another person's name, so the number of e-mails to one mailbox that are created within
// an hour is limited. A merchant has one mailbox for all of its orders.
export const emailsWindowMs = hour
export const emailsMax = { shopper: 20, merchant: 200, person: 10 } as const
