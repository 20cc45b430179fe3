// Metrics for Prometheus: requests and durations by operation and status, and gauges that other parts register.
// Counting is two array additions; everything else happens at a scrape.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { endTurn, onStall } from '../kit/work.ts'
import { labelText, type Sample } from './counts.ts'

const bucketsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

// Less than half of what counts as a stall.
const heartbeatMs = 40

interface Series {
  byStatus: Map<number, number>
  buckets: number[]
  sumMs: number
  count: number
}

// A gauge or counter that is read at a scrape: one number, or one for each set of labels; undefined or null if it is unknown.
export interface Reading {
  name: string
  help: string
  type: 'gauge' | 'counter'
  values: () => number | null | undefined | readonly Sample[]
}

export interface Metrics {
  countRequest(operation: string, status: number, durationMs: number): void
  read(reading: Reading): void
  // For readings that must query something first. The scrape waits for it, so it must end, and must not reject.
  beforeScrape(look: () => Promise<void>): void
  scrape(): Promise<string>
  // With the values of the last `scrape`.
  render(): string
  close(): void
}

export function createMetrics(): Metrics {
  const requests = new Map<string, Series>()
  const readings: Reading[] = []
  const looks: (() => Promise<void>)[] = []
  const eventLoop = monitorEventLoopDelay({ resolution: 20 })
  eventLoop.enable()
  const stalls = new Map<string, { count: number; sumMs: number }>()
  const stopListening = onStall(({ work, ms }) => {
    const { count, sumMs } = stalls.get(work) ?? { count: 0, sumMs: 0 }
    stalls.set(work, { count: count + 1, sumMs: sumMs + ms })
  })
  // While this is late, something holds the loop.
  const heartbeat = setInterval(endTurn, heartbeatMs).unref()
  const render = () =>
    `${[...requestLines(requests), ...readingLines(readings), ...stallLines(stalls), ...processLines(eventLoop)].join('\n')}\n`

  return {
    countRequest(operation, status, durationMs) {
      let series = requests.get(operation)
      if (!series) {
        series = { byStatus: new Map(), buckets: bucketsMs.map(() => 0), sumMs: 0, count: 0 }
        requests.set(operation, series)
      }
      series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1)
      const bucket = bucketsMs.findIndex((limit) => durationMs <= limit)
      if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
      series.sumMs += durationMs
      series.count += 1
    },
    read: (reading) => void readings.push(reading),
    beforeScrape: (look) => void looks.push(look),
    async scrape() {
      await Promise.all(looks.map((look) => look()))
      return render()
    },
    render,
    close() {
      eventLoop.disable()
      stopListening()
      clearInterval(heartbeat)
    },
  }
}

// How long a scrape waits for the database, and how long a result is reused: /metrics may be public.
const patienceMs = 1_000
const freshMs = 5_000

// For readings that come from the database. Returns the newest result; undefined where there is none, which is how an
// unavailable database is seen.
export function lookBefore<T>(metrics: Metrics, read: () => Promise<T>): () => T | undefined {
  let seen: T | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    seen = await read().catch(() => undefined)
    lookedAt = performance.now()
    looking = undefined
  }

  metrics.beforeScrape(async () => {
    if (performance.now() - lookedAt < freshMs) return
    looking ??= look()
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    await Promise.race([looking, patience]).finally(() => clearTimeout(timer))
  })
  return () => seen
}

function* requestLines(requests: ReadonlyMap<string, Series>): Generator<string> {
  yield '# HELP cartwright_requests_total Responses, by operation and status.'
  yield '# TYPE cartwright_requests_total counter'
  for (const [operation, series] of requests) {
    for (const [status, count] of series.byStatus) {
      yield `cartwright_requests_total{${labelText({ operation, status: String(status) })}} ${count}`
    }
  }
  yield '# HELP cartwright_request_duration_seconds Time from reading the request line to writing the response.'
  yield '# TYPE cartwright_request_duration_seconds histogram'
  for (const [operation, series] of requests) {
    const own = labelText({ operation })
    let below = 0
    for (const [index, limitMs] of bucketsMs.entries()) {
      below += series.buckets[index] ?? 0
      yield `cartwright_request_duration_seconds_bucket{${own},le="${limitMs / 1000}"} ${below}`
    }
    yield `cartwright_request_duration_seconds_bucket{${own},le="+Inf"} ${series.count}`
    yield `cartwright_request_duration_seconds_sum{${own}} ${series.sumMs / 1000}`
    yield `cartwright_request_duration_seconds_count{${own}} ${series.count}`
  }
}

function* readingLines(readings: readonly Reading[]): Generator<string> {
  for (const { name, help, type, values } of readings) {
    yield `# HELP ${name} ${help}`
    yield `# TYPE ${name} ${type}`
    const read = values()
    if (typeof read === 'number') yield `${name} ${read}`
    else for (const { labels, value } of read ?? []) yield `${name}{${labelText(labels)}} ${value}`
  }
}

function* stallLines(stalls: ReadonlyMap<string, { count: number; sumMs: number }>): Generator<string> {
  yield '# HELP cartwright_event_loop_stall_seconds Times of 100 ms and more for which a piece of work held the event loop.'
  yield '# TYPE cartwright_event_loop_stall_seconds summary'
  for (const [work, { count, sumMs }] of stalls) {
    yield `cartwright_event_loop_stall_seconds_sum{${labelText({ work })}} ${sumMs / 1000}`
    yield `cartwright_event_loop_stall_seconds_count{${labelText({ work })}} ${count}`
  }
}

function* processLines(eventLoop: ReturnType<typeof monitorEventLoopDelay>): Generator<string> {
  yield '# HELP cartwright_event_loop_delay_seconds Event loop delay since the last scrape.'
  yield '# TYPE cartwright_event_loop_delay_seconds gauge'
  for (const quantile of [50, 99]) {
    yield `cartwright_event_loop_delay_seconds{quantile="${quantile / 100}"} ${eventLoop.percentile(quantile) / 1e9}`
  }
  yield `cartwright_event_loop_delay_seconds{quantile="1"} ${eventLoop.max / 1e9}`
  eventLoop.reset()
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  yield '# HELP process_resident_memory_bytes Resident memory.'
  yield '# TYPE process_resident_memory_bytes gauge'
  yield `process_resident_memory_bytes ${memory.rss}`
  yield '# HELP nodejs_heap_size_used_bytes Heap in use.'
  yield '# TYPE nodejs_heap_size_used_bytes gauge'
  yield `nodejs_heap_size_used_bytes ${memory.heapUsed}`
  yield '# HELP process_cpu_seconds_total CPU time, user and system.'
  yield '# TYPE process_cpu_seconds_total counter'
  yield `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`
  yield '# HELP process_start_time_seconds When the process started, since the epoch.'
  yield '# TYPE process_start_time_seconds gauge'
  yield `process_start_time_seconds ${performance.timeOrigin / 1000}`
  yield '# HELP process_uptime_seconds Time since the process started.'
  yield '# TYPE process_uptime_seconds gauge'
  yield `process_uptime_seconds ${process.uptime()}`
}
