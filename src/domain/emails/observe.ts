// Metrics about e-mails.

import { samplesBy } from '../../platform/metrics/counts.ts'
import { type Metrics, readBeforeScrape } from '../../platform/metrics/metrics.ts'
import type { MailTools } from './send.ts'
import { readWaitingEmails } from './store.ts'

export function registerMailMetrics(metrics: Metrics, { storage, counts, clock }: MailTools): void {
  const seen = readBeforeScrape(metrics, () => storage.read(readWaitingEmails))
  metrics.read({
    name: 'cartwright_emails_total',
    help: 'E-mails by what became of them. One that is retried is counted at each try.',
    type: 'counter',
    values: () => samplesBy('outcome', { ...counts }),
  })
  metrics.read({
    name: 'cartwright_emails_waiting',
    help: 'E-mails that are to be sent.',
    type: 'gauge',
    values: () => seen()?.count,
  })
  metrics.read({
    name: 'cartwright_emails_waiting_oldest_seconds',
    help: 'Age of the oldest e-mail that is to be sent.',
    type: 'gauge',
    values: () => {
      const waiting = seen()
      return waiting && (waiting.since === null ? 0 : Math.max(0, clock().getTime() - waiting.since) / 1_000)
    },
  })
}
