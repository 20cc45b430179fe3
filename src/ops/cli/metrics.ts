// A server on its own port that only answers /metrics.

import { createBodyLimiter } from '../../platform/http/limiter.ts'
import { createPressure } from '../../platform/http/pressure.ts'
import { metricsPage } from '../../platform/http/probes.ts'
import { createServer, type HttpServer } from '../../platform/http/server.ts'
import type { Log } from '../../platform/log/log.ts'
import { createMetrics, type Metrics } from '../../platform/metrics/metrics.ts'

export interface Closable {
  close(): Promise<void>
}

export function metricsServer(shown: Pick<Metrics, 'scrape'>, log: Log): { server: HttpServer } & Closable {
  const pressure = createPressure()
  // A registry of its own, so requests for metrics are not counted with those of the shop.
  const metrics = createMetrics()
  const server = createServer({
    surfaces: [],
    pages: [metricsPage(shown)],
    trustedProxies: [],
    pressure,
    bodyLimiter: createBodyLimiter(1),
    log,
    metrics,
  })
  return {
    server,
    async close() {
      await server.drain(0)
      pressure.close()
      metrics.close()
    },
  }
}
