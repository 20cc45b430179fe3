// Logs e-mails that are not sent: the first of a merchant, kind and reason, then a count for each minute. A shop under load may reach a
// limit with hundreds of e-mails a minute.

import type { Log } from '../../platform/log/log.ts'

const countMs = 60_000

export interface DiscardedEmail {
  merchantId: string
  emailId: string
  kind: string
  code: string | null
}

export interface Discards {
  note(email: DiscardedEmail, now: number): void
  // Logs the counts of completed minutes. Called in each round of the background job.
  tell(now: number): void
}

export function createDiscards(log: Log): Discards {
  // Cannot grow without bound: entries last a minute, and a merchant has a limited number of kinds and reasons.
  const counted = new Map<string, { since: number; more: number; last: DiscardedEmail }>()
  return {
    note(email, now) {
      const key = `${email.merchantId} ${email.kind} ${email.code}`
      const found = counted.get(key)
      if (found) {
        found.more += 1
        found.last = email
        return
      }
      counted.set(key, { since: now, more: 0, last: email })
      log.warn('e-mail was not sent', { ...email })
    },
    tell(now) {
      for (const [key, { since, more, last }] of counted) {
        // A clock that was set back also ends the minute.
        if (now >= since && now - since < countMs) continue
        counted.delete(key)
        if (more > 0) log.warn('further e-mails were not sent', { ...last, count: more })
      }
    },
  }
}
