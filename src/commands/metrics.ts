// A server that answers /metrics and nothing else, for a port of its own.

import { createPressure } from '../http/pressure.ts'
import { createSeats } from '../http/seats.ts'
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
    answer: () => Promise.reject(new Error('no operation is routed here')),
    handlers: {},
    pages: [metricsPage(shown)],
    trustedProxies: [],
    pressure,
    bodySeats: createSeats({ seatsMax: 1 }),
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
