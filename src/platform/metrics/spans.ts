// Traces for OpenTelemetry, if the operator configures them: one span per request, sent in batches to a collector by OTLP over HTTP. A
// request only appends to a list. Spans that the collector does not accept are dropped and counted.

import { randomBytes } from 'node:crypto'
import type { Log } from '../log/log.ts'
import type { Metrics } from './metrics.ts'

export interface SpanFacts {
  // Name as in the metrics and the log. Never the URL, which may contain a secret.
  name: string
  method: string
  status: number
  requestId: string
  durationMs: number
  traceparent: string | undefined
}

export interface Tracer {
  record(facts: SpanFacts): void
  // Sends the remaining spans.
  close(): Promise<void>
}

export interface TracerParts {
  // URL of the collector: `http://127.0.0.1:4318`.
  url: string
  version: string
  log: Log
  metrics: Metrics
}

const flushMs = 2_000
const answerMsMax = 5_000
// Each span takes some hundred bytes of memory.
const waitingMax = 4_096

export function createTracer({ url, version, log, metrics }: TracerParts): Tracer {
  let waiting: object[] = []
  const counts = { sent: 0, dropped: 0 }
  let isDown = false
  let sending: Promise<void> = Promise.resolve()
  metrics.read({
    name: 'cartwright_spans_total',
    help: 'Spans for the collector of traces, by what became of them.',
    type: 'counter',
    values: () => Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  })

  async function send(): Promise<void> {
    const spans = waiting
    if (spans.length === 0) return
    waiting = []
    const problem = await post(`${url}/v1/traces`, batchOf(spans, version))
    counts[problem === undefined ? 'sent' : 'dropped'] += spans.length
    // An outage is logged in two lines: when it begins and when it ends.
    if (problem !== undefined && !isDown) log.warn('traces could not be sent', { reason: problem })
    if (problem === undefined && isDown) log.info('traces can be sent again')
    isDown = problem !== undefined
  }

  function flush(): Promise<void> {
    sending = sending.then(send)
    return sending
  }

  const timer = setInterval(() => void flush(), flushMs).unref()
  return {
    record(facts) {
      const parent = parseTraceparent(facts.traceparent)
      if (parent && !parent.isSampled) return
      if (waiting.length >= waitingMax) counts.dropped += 1
      else waiting.push(spanOf(facts, parent, Date.now()))
    },
    close() {
      clearInterval(timer)
      return flush()
    },
  }
}

export interface SpanParent {
  traceId: string
  spanId: string
  // Whether the caller records the trace. If it does not, this server does not either.
  isSampled: boolean
}

// Parses the header by W3C Trace Context, section 3.2. Returns undefined if it is invalid.
export function parseTraceparent(traceparent: string | undefined): SpanParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(traceparent ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const serverKind = 2
const errorStatus = 2

function spanOf(facts: SpanFacts, parent: SpanParent | undefined, endMs: number): object {
  const { name, method, status, requestId, durationMs } = facts
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...(parent && { parentSpanId: parent.spanId }),
    name,
    kind: serverKind,
    startTimeUnixNano: nanoseconds(endMs - durationMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: [
      { key: 'http.request.method', value: { stringValue: method } },
      { key: 'http.response.status_code', value: { intValue: String(status) } },
      { key: 'cartwright.request_id', value: { stringValue: requestId } },
    ],
    ...(status >= 500 && { status: { code: errorStatus } }),
  }
}

function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1_000))}000`
}

function batchOf(spans: readonly object[], version: string): string {
  const attributes = [
    { key: 'service.name', value: { stringValue: 'cartwright' } },
    { key: 'service.version', value: { stringValue: version } },
  ]
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'cartwright' }, spans }] }],
  })
}

// Resolves with the error text, or with undefined on success.
async function post(url: string, body: string): Promise<string | undefined> {
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(answerMsMax) })
    await response.arrayBuffer()
    return response.ok ? undefined : `status ${response.status}`
  } catch (error) {
    const { message, cause } = error as Error
    return cause instanceof Error ? cause.message : message
  }
}
