// Retention times of rows that are not part of the merchant's books (orders, payments, refunds, stock movements). The setting overrides
// defaults: `checkouts=14d,customers=2d`.

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const retentionDefaultsMs = {
  // An open cart expires this long after its last change.
  carts: 30 * dayMs,
  // A cart or checkout session without an order is deleted this long after its end, with its declined payments. Its e-mail address, name
  // and phone number are erased earlier, after the time `customers`.
  checkouts: 30 * dayMs,
  customers: 7 * dayMs,
  // A cart and a checkout session that became an order are deleted this long after the order. The order stays.
  completed: 400 * dayMs,
  // Stored responses by idempotency key.
  answers: 7 * dayMs,
  // Texts of events. While the text is stored, an event can be replayed, and a delivery may wait for its endpoint.
  texts: 30 * dayMs,
  // Events without their texts, ended deliveries, e-mails, and revoked or expired keys.
  log: 90 * dayMs,
  // Entries of the list of changes.
  changes: 730 * dayMs,
  // Withdrawals after they were received: a little over three years, after which claims are time-barred.
  withdrawals: 1_200 * dayMs,
  // Imports after their last step.
  transfers: 7 * dayMs,
} as const

export type RetentionName = keyof typeof retentionDefaultsMs

export type RetentionMs = Readonly<Record<RetentionName, number>>

const unitsMs: Readonly<Record<string, number>> = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs }
const daysMax = 36_500

export function parseRetention(text: string): RetentionMs | { problem: string } {
  const given: Partial<Record<RetentionName, number>> = {}
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [, name = '', count, unit = ''] = /^([a-z]+)=(\d{1,8})([smhd])$/.exec(entry) ?? []
    if (!isName(name)) {
      const names = Object.keys(retentionDefaultsMs).join(', ')
      return { problem: `must be a list such as checkouts=14d,customers=12h, of ${names}` }
    }
    if (given[name] !== undefined) return { problem: `names ${name} twice` }
    const keptMs = Number(count) * (unitsMs[unit] ?? 0)
    if (keptMs < secondMs || keptMs > daysMax * dayMs) return { problem: `must give ${name} from 1s to ${daysMax}d` }
    given[name] = keptMs
  }
  return { ...retentionDefaultsMs, ...given }
}

function isName(text: string): text is RetentionName {
  return Object.hasOwn(retentionDefaultsMs, text)
}
