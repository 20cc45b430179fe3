// Probes of this process: is it alive, can it take traffic, and its metrics.

import type { Metrics } from '../metrics/metrics.ts'
import type { HtmlPage, PageAnswer } from './pages.ts'

export interface ProbeParts {
  // null: not served here.
  metrics: Metrics | null
  isDraining: () => boolean
  // The port is open and the demo shop is still being created.
  isStarting: () => boolean
  // Rejects when the database cannot be reached.
  schemaGap: () => Promise<{ pending: number; isTooNew: boolean }>
  // Rejects where writes fail.
  checkWrites: () => Promise<void>
}

export function probePages({ metrics, isDraining, isStarting, schemaGap, checkWrites }: ProbeParts): HtmlPage[] {
  return [
    // The event loop runs. It does not check the database: an outage there must not restart the process.
    { path: '/healthz', name: 'healthz', isProbe: true, answer: async () => json(200, { status: 'ok' }) },
    {
      path: '/readyz',
      name: 'readyz',
      isProbe: true,
      answer: async () => {
        if (isDraining()) return json(503, { status: 'draining' })
        if (isStarting()) return json(503, { status: 'starting' })
        const gap = await schemaGap().catch(() => undefined)
        if (!gap) return json(503, { status: 'database unreachable' })
        if (gap.isTooNew) return json(503, { status: 'the database is newer than this program' })
        if (gap.pending > 0) return json(503, { status: 'migrations pending', pending: gap.pending })
        const isWritable = await checkWrites().then(
          () => true,
          () => false,
        )
        return isWritable ? json(200, { status: 'ready' }) : json(503, { status: 'database cannot be written' })
      },
    },
    ...(metrics ? [metricsPage(metrics)] : []),
  ]
}

export function metricsPage(metrics: Metrics): HtmlPage {
  return {
    path: '/metrics',
    name: 'metrics',
    isProbe: true,
    answer: async () => ({
      status: 200,
      body: await metrics.scrape(),
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    }),
  }
}

function json(status: number, body: object): PageAnswer {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status, body: JSON.stringify(body), headers }
}
