// What can be seen of letters from outside.

import type { Metrics } from '../observe/metrics.ts'
import type { MailTools } from './send.ts'
import { readWaiting, type WaitingLetters } from './store.ts'

// A scrape may be public: the database is asked at most this often.
const freshMs = 5_000

export function observeMail(metrics: Metrics, { storage, counts, clock }: MailTools): void {
  let waiting: WaitingLetters | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  metrics.beforeScrape(async () => {
    if (performance.now() - lookedAt < freshMs) return
    lookedAt = performance.now()
    // Without an answer there is no value, which is how an unavailable database is seen.
    waiting = await storage.read(readWaiting).catch(() => undefined)
  })
  metrics.read({
    name: 'cartwright_letters_total',
    help: 'Letters by what became of them. One that is retried is counted at each try.',
    type: 'counter',
    values: () => Object.fromEntries(Object.entries(counts).map(([outcome, count]) => [`outcome="${outcome}"`, count])),
  })
  metrics.read({
    name: 'cartwright_letters_waiting',
    help: 'Letters that are to be sent.',
    type: 'gauge',
    values: () => (waiting ? { '': waiting.count } : {}),
  })
  metrics.read({
    name: 'cartwright_letters_waiting_oldest_seconds',
    help: 'Age of the oldest letter that is to be sent.',
    type: 'gauge',
    values: () =>
      waiting ? { '': waiting.since === null ? 0 : Math.max(0, clock().getTime() - waiting.since) / 1_000 } : {},
  })
}
