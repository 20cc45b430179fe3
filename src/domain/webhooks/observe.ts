// Metrics of webhooks: calls, and the queue of deliveries.

import { samplesBy } from '../../platform/metrics/counts.ts'
import { type Metrics, readBeforeScrape } from '../../platform/metrics/metrics.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { Dispatcher } from './dispatcher.ts'
import { countDueDeliveries } from './store.ts'

export interface WebhookSources {
  storage: Storage
  dispatcher: Dispatcher
  clock: () => Date
}

export function registerWebhookMetrics(metrics: Metrics, { storage, dispatcher, clock }: WebhookSources): void {
  observeCalls(metrics, dispatcher)
  const seen = readBeforeScrape(metrics, () => storage.read((db) => countDueDeliveries(db, clock().getTime())))
  metrics.read({
    name: 'cartwright_webhook_deliveries_due',
    help: 'Deliveries that are due and not sent yet, to endpoints that are enabled.',
    type: 'gauge',
    values: () => seen()?.count,
  })
  metrics.read({
    name: 'cartwright_webhook_deliveries_due_oldest_seconds',
    help: 'For how long the oldest of them has been due.',
    type: 'gauge',
    values: () => {
      const due = seen()
      return due && (due.since === null ? 0 : Math.max(0, clock().getTime() - due.since) / 1_000)
    },
  })
}

function observeCalls(metrics: Metrics, dispatcher: Dispatcher): void {
  metrics.read({
    name: 'cartwright_webhook_calls_in_flight',
    help: 'Webhook calls under way.',
    type: 'gauge',
    values: () => dispatcher.stats().inFlight,
  })
  metrics.read({
    name: 'cartwright_webhook_calls_total',
    help: 'Webhook calls by what became of them.',
    type: 'counter',
    values: () => {
      const { succeeded, failed, blocked } = dispatcher.stats()
      return samplesBy('outcome', { succeeded, failed, blocked })
    },
  })
}
