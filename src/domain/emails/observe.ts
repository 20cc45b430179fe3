// What can be seen of e-mails from outside.

import { lookBefore, type Metrics } from '../../platform/metrics/metrics.ts'
import type { MailTools } from './send.ts'
import { readWaiting, type WaitingEmails } from './store.ts'

export function observeMail(metrics: Metrics, { storage, counts, clock }: MailTools): void {
  const seen = lookBefore(metrics, () => storage.read(readWaiting))
  metrics.read({
    name: 'cartwright_emails_total',
    help: 'E-mails by what became of them. One that is retried is counted at each try.',
    type: 'counter',
    values: () => Object.fromEntries(Object.entries(counts).map(([outcome, count]) => [`outcome="${outcome}"`, count])),
  })
  metrics.read({
    name: 'cartwright_emails_waiting',
    help: 'E-mails that are to be sent.',
    type: 'gauge',
    values: () => gaugeOf(seen(), ({ count }) => count),
  })
  metrics.read({
    name: 'cartwright_emails_waiting_oldest_seconds',
    help: 'Age of the oldest e-mail that is to be sent.',
    type: 'gauge',
    values: () => gaugeOf(seen(), ({ since }) => (since === null ? 0 : Math.max(0, clock().getTime() - since) / 1_000)),
  })
}

function gaugeOf(seen: WaitingEmails | undefined, of: (waiting: WaitingEmails) => number): Record<string, number> {
  return seen ? { '': of(seen) } : {}
}
