// Probes of this process: whether it is alive and whether it is ready, and its metrics.

import type { Metrics } from '../metrics/metrics.ts'
import type { HtmlPage, PageAnswer } from './pages.ts'

export interface ReadinessParts {
  isDraining: () => boolean
  // Returns true until the start is complete: the port is opened before the demo shop is created.
  isStarting: () => boolean
  // Rejects if the database cannot be reached.
  schemaGap: () => Promise<{ pending: number; isTooNew: boolean }>
  // Rejects if writes fail.
  checkWrites: () => Promise<void>
}

export interface Readiness {
  isReady: boolean
  // Body of /readyz.
  said: { status: string; pending?: number }
}

export async function checkReadiness(parts: ReadinessParts): Promise<Readiness> {
  const no = (status: string) => ({ isReady: false, said: { status } })
  if (parts.isDraining()) return no('draining')
  if (parts.isStarting()) return no('starting')
  const gap = await parts.schemaGap().catch(() => undefined)
  if (!gap) return no('database unreachable')
  if (gap.isTooNew) return no('the database is newer than this program')
  if (gap.pending > 0) return { isReady: false, said: { status: 'migrations pending', pending: gap.pending } }
  const isWritable = await parts.checkWrites().then(
    () => true,
    () => false,
  )
  return isWritable ? { isReady: true, said: { status: 'ready' } } : no('database cannot be written')
}

export interface ProbeParts {
  // Null if metrics are not served on this port.
  metrics: Pick<Metrics, 'scrape'> | null
  // Returns the readiness that the query parameters ask for.
  readiness: (query: URLSearchParams) => Promise<{ isReady: boolean; said: object; status?: number }>
}

export function probePages({ metrics, readiness }: ProbeParts): HtmlPage[] {
  return [
    // Only shows that the event loop runs. The database is not checked, since restarting the process would not end its outage.
    { path: '/healthz', name: 'healthz', isProbe: true, answer: async () => json(200, { status: 'ok' }) },
    {
      path: '/readyz',
      name: 'readyz',
      isProbe: true,
      async answer({ raw }) {
        const { isReady, said, status = 503 } = await readiness(new URLSearchParams(raw.url?.split('?')[1]))
        return json(isReady ? 200 : status, said)
      },
    },
    ...(metrics ? [metricsPage(metrics)] : []),
  ]
}

export function metricsPage(metrics: Pick<Metrics, 'scrape'>): HtmlPage {
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
