// Metrics of payments: calls to providers, their outcomes, and money that was not collected or refunded as expected.

import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { PaymentWatch } from './watch.ts'

export function registerPaymentMetrics(metrics: Metrics, watch: PaymentWatch): void {
  metrics.read({
    name: 'cartwright_provider_calls_total',
    help: 'Calls to payment providers, by call and outcome.',
    type: 'counter',
    values: () => watch.stats().calls,
  })
  metrics.read({
    name: 'cartwright_payment_incidents_total',
    help: 'Money that did not move as it should. Each has a log line with its ids.',
    type: 'counter',
    values: () => watch.stats().incidents,
  })
  metrics.read({
    name: 'cartwright_payment_notices_total',
    help: 'Messages at the address for notices of payment providers, by outcome.',
    type: 'counter',
    values: () => watch.stats().webhooks,
  })
  metrics.read({
    name: 'cartwright_payments_declined_total',
    help: 'Payments that were declined, by shop.',
    type: 'counter',
    values: () => watch.tries.stats().declined,
  })
  metrics.read({
    name: 'cartwright_payment_tries_refused_total',
    help: 'Payments that were not begun because of too many declined ones, by shop and by what was limited.',
    type: 'counter',
    values: () => watch.tries.stats().refused,
  })
}
