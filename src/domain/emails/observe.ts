// What can be seen of letters from outside.

import { lookBefore, type Metrics } from '../../platform/metrics/metrics.ts'
import type { MailTools } from './send.ts'
import { readWaiting, type WaitingLetters } from './store.ts'

export function observeMail(metrics: Metrics, { storage, counts, clock }: MailTools): void {
  const seen = lookBefore(metrics, () => storage.read(readWaiting))
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
    values: () => gaugeOf(seen(), ({ count }) => count),
  })
  metrics.read({
    name: 'cartwright_letters_waiting_oldest_seconds',
    help: 'Age of the oldest letter that is to be sent.',
    type: 'gauge',
    values: () => gaugeOf(seen(), ({ since }) => (since === null ? 0 : Math.max(0, clock().getTime() - since) / 1_000)),
  })
}

function gaugeOf(seen: WaitingLetters | undefined, of: (waiting: WaitingLetters) => number): Record<string, number> {
  return seen ? { '': of(seen) } : {}
}
