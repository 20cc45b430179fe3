// Handles a request of any route: admits or refuses it by load, measures, counts and logs it, and sends the response. Routes only define
// how the response is made.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Operation } from '../../contract/surface.ts'
import { newId } from '../kit/ids.ts'
import type { Refusal } from '../kit/refuse.ts'
import { pauseWork, runWork } from '../kit/work.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Tracer } from '../metrics/spans.ts'
import { hasBody } from './body.ts'
import { createCompress } from './compress.ts'
import { corsHeadersFor } from './cors.ts'
import { callerRequestId, type Incoming, type Outgoing, type Trace } from './message.ts'
import type { Pressure } from './pressure.ts'
import { toRefusal, unavailableRefusal } from './refusal.ts'
import { type Send, sendStream } from './send.ts'

export interface Route {
  methods: readonly (Operation['method'] | 'OPTIONS')[]
  // Path pattern, such as `/media/:shop/:file`.
  pattern: string
  // Name in the log and the metrics. The URL is never logged, since it may contain a secret.
  name: string
  kind: 'operation' | 'page'
  // A probe is answered even under overload, since it reports the load.
  isProbe: boolean
  // Returns whether the route is served under the same path at the host of this merchant's shop. Without this function it is not.
  isOfShop?(request: Incoming, merchantId: string): Promise<boolean> | boolean
  // Returns null if the response was already written.
  answer(request: Incoming, trace: Trace, response: ServerResponse): Promise<Outgoing | null>
  refused(refusal: Refusal, request: Incoming, requestId: string): Outgoing | Promise<Outgoing>
}

export interface ServeParts {
  pressure: Pressure
  // Delay before a request for a page is answered with a 429.
  refusedDelayMs: number
  isDraining: () => boolean
  send: Send
  // Called when a client has read more of a streamed response.
  progressed: (socket: Socket) => void
  log: Log
  metrics: Metrics
  // Undefined if traces are not configured.
  tracer?: Tracer | undefined
}

export type Serve = (route: Route, request: Incoming, response: ServerResponse) => Promise<void>

export function createServe(parts: ServeParts): Serve {
  const { pressure, refusedDelayMs, isDraining, send, progressed, log, metrics, tracer } = parts
  const compress = createCompress()
  let delayed = 0

  return (route, request, response) => runWork({ name: route.name }, () => answer(route, request, response))

  async function answer(route: Route, request: Incoming, response: ServerResponse): Promise<void> {
    const startedAt = performance.now()
    const trace: Trace = { requestId: newId('req'), callerId: null, code: null, pageOrigin: null, name: null }
    let outgoing: Outgoing | null
    try {
      outgoing = await admitted(route, request, trace, response)
    } catch (error) {
      const refusal = toRefusal(error, log, { requestId: trace.requestId, [route.kind]: trace.name ?? route.name })
      trace.code = refusal.code
      outgoing = await route.refused(refusal, request, trace.requestId)
    }
    if (outgoing?.status === 429 && route.kind === 'page') await delayRefused()
    if (outgoing) {
      outgoing.headers['x-request-id'] = trace.requestId
      if (trace.pageOrigin !== null) Object.assign(outgoing.headers, corsHeadersFor(trace.pageOrigin))
      // The connection is closed, so the rest of an unread body is not parsed as a request.
      if (isUnread(request.raw)) outgoing.headers.connection = 'close'
      const sent = outgoing.compress ? compress(outgoing, request.raw.headers['accept-encoding']) : outgoing
      outgoing = sent instanceof Promise ? await sent : sent
    }
    record(route, request, trace, outgoing?.status ?? response.statusCode, performance.now() - startedAt)
    if (outgoing && response.headersSent) response.destroy()
    else if (outgoing) send(response, outgoing)
    pauseWork()
    if (outgoing?.stream) await sendStream(response, outgoing.stream, progressed)
  }

  async function admitted(route: Route, request: Incoming, trace: Trace, response: ServerResponse) {
    if (route.isProbe) return route.answer(request, trace, response)
    if (!pressure.enter()) throw unavailableRefusal()
    try {
      return await route.answer(request, trace, response)
    } finally {
      pressure.leave()
    }
  }

  // Delays the 429 for a client over its rate limit: otherwise twelve connections that send the next request after each response would
  // keep the process busy with refusals.
  async function delayRefused(): Promise<void> {
    if (isDraining() || refusedDelayMs === 0 || delayed >= delayedMax) return
    delayed += 1
    await pause(refusedDelayMs)
    delayed -= 1
  }

  function record(route: Route, { raw }: Incoming, trace: Trace, status: number, durationMs: number): void {
    const { requestId } = trace
    const name = trace.name ?? route.name
    metrics.countRequest(name, status, durationMs)
    if (tracer && !route.isProbe) {
      const { traceparent } = raw.headers
      const parent = typeof traceparent === 'string' ? traceparent : undefined
      tracer.record({ name, method: raw.method ?? '', status, requestId, durationMs, traceparent: parent })
    }
    if (route.kind === 'page') log.debug('page', { requestId, page: name, status, durationMs, ...callerRequestId(raw) })
    else
      log.info('request', {
        requestId,
        callerId: trace.callerId,
        operation: name,
        method: raw.method,
        status,
        code: trace.code,
        durationMs: Math.round(durationMs * 1000) / 1000,
        ...callerRequestId(raw),
      })
  }
}

// Number of refusals that are delayed at the same time. Further ones are sent immediately.
const delayedMax = 1_000

function isUnread(raw: IncomingMessage): boolean {
  return hasBody(raw) && !raw.readableEnded
}
