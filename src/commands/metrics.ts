// A server that answers /metrics and nothing else, for a port of its own.

import { createBodyLimiter } from '../http/limiter.ts'
import { createPressure } from '../http/pressure.ts'
import { createServer, type HttpServer } from '../http/server.ts'
import type { Log } from '../observe/log.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { metricsPage } from '../site/probes.ts'

export interface Closable {
  close(): Promise<void>
}

export function metricsServer(shown: Metrics, log: Log): { server: HttpServer } & Closable {
  const pressure = createPressure()
  // Its own requests are not those of the shop.
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
