// Metrics for Prometheus: requests by operation and status, their durations by operation, and readings that other files register.
// Counting a request only adds to a few numbers; all other work is done when /metrics is scraped.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { endTurn, listenForStalls } from '../kit/work.ts'
import { type Labels, labelText, type Sample } from './counts.ts'

const bucketsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

// Less than half of the time that counts as a stall.
const heartbeatMs = 40

interface Series {
  byStatus: Map<number, number>
  buckets: number[]
  sumMs: number
  count: number
}

// A gauge or counter that is read during a scrape. `values` returns one number, or one per set of labels; undefined or null if the value
// is unknown.
export interface MetricReading {
  name: string
  help: string
  type: 'gauge' | 'counter'
  values: () => number | null | undefined | readonly Sample[]
}

// The samples below one HELP line and one TYPE line. In a histogram or summary, the suffix follows the name.
interface Family {
  name: string
  help: string
  type: 'gauge' | 'counter' | 'histogram' | 'summary'
  samples: readonly (Sample & { suffix?: string })[]
}

export interface Metrics {
  countRequest(operation: string, status: number, durationMs: number): void
  read(reading: MetricReading): void
  // Registers a query that readings need. A scrape awaits the query, which must end and must not reject.
  beforeScrape(look: () => Promise<void>): void
  look(): Promise<void>
  scrape(): Promise<string>
  // Renders the metrics without running the registered queries. Values that need a query are those of the last `look` or `scrape`.
  render(): string
  families(): Iterable<Family>
  close(): void
}

// `isOfProcess`: whether to include values that exist once per process, such as its memory and event loop (default: true).
export function createMetrics({ isOfProcess = true } = {}): Metrics {
  const requests = new Map<string, Series>()
  const readings: MetricReading[] = []
  const looks: (() => Promise<void>)[] = []
  const ofProcess = isOfProcess ? watchProcess() : undefined
  const look = async () => void (await Promise.all(looks.map((each) => each())))
  function* families(): Iterable<Family> {
    yield* requestFamilies(requests)
    yield* readingFamilies(readings)
    if (ofProcess) yield* ofProcess.families()
  }
  const render = () => textOf(families())

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
    beforeScrape: (before) => void looks.push(before),
    look,
    async scrape() {
      await look()
      return render()
    },
    render,
    families,
    close: () => ofProcess?.close(),
  }
}

// Renders the metrics of several cells of one process as one text: each family once, with the samples of all cells and their labels.
export async function scrapeAll(all: readonly { metrics: Metrics; labels: Labels }[]): Promise<string> {
  await Promise.all(all.map(({ metrics }) => metrics.look()))
  const byName = new Map<string, Family>()
  for (const { metrics, labels } of all)
    for (const { samples, ...family } of metrics.families()) {
      const own = samples.map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } }))
      byName.set(family.name, { ...family, samples: [...(byName.get(family.name)?.samples ?? []), ...own] })
    }
  return textOf(byName.values())
}

function watchProcess(): Pick<Metrics, 'families' | 'close'> {
  const eventLoop = monitorEventLoopDelay({ resolution: 20 })
  eventLoop.enable()
  const stalls = new Map<string, { count: number; sumMs: number }>()
  const stopListening = listenForStalls(({ work, ms }) => {
    const { count, sumMs } = stalls.get(work) ?? { count: 0, sumMs: 0 }
    stalls.set(work, { count: count + 1, sumMs: sumMs + ms })
  })
  // If this timer is late, something blocks the event loop.
  const heartbeat = setInterval(endTurn, heartbeatMs).unref()
  return {
    families: () => [stallFamily(stalls), ...processFamilies(eventLoop)],
    close() {
      eventLoop.disable()
      stopListening()
      clearInterval(heartbeat)
    },
  }
}

// How long a scrape waits for the database, and how long its result is reused, since /metrics may be public.
const patienceMs = 1_000
const freshMs = 5_000

// For readings that query the database. The returned function returns the latest result, or undefined if the database is unavailable.
export function readBeforeScrape<T>(metrics: Metrics, read: () => Promise<T>): () => T | undefined {
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

function textOf(families: Iterable<Family>): string {
  const lines: string[] = []
  for (const { name, help, type, samples } of families) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    for (const { suffix = '', labels, value } of samples) {
      const text = labelText(labels)
      lines.push(text === '' ? `${name}${suffix} ${value}` : `${name}${suffix}{${text}} ${value}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function* requestFamilies(requests: ReadonlyMap<string, Series>): Iterable<Family> {
  yield {
    name: 'cartwright_requests_total',
    help: 'Responses, by operation and status.',
    type: 'counter',
    samples: [...requests].flatMap(([operation, { byStatus }]) =>
      [...byStatus].map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
    ),
  }
  yield {
    name: 'cartwright_request_duration_seconds',
    help: 'Time from reading the request line to writing the response.',
    type: 'histogram',
    samples: [...requests].flatMap(([operation, series]) => durationSamples(operation, series)),
  }
}

function durationSamples(operation: string, { buckets, sumMs, count }: Series): Family['samples'] {
  let below = 0
  return [
    ...bucketsMs.map((limitMs, index) => {
      below += buckets[index] ?? 0
      return { suffix: '_bucket', labels: { operation, le: String(limitMs / 1000) }, value: below }
    }),
    { suffix: '_bucket', labels: { operation, le: '+Inf' }, value: count },
    { suffix: '_sum', labels: { operation }, value: sumMs / 1000 },
    { suffix: '_count', labels: { operation }, value: count },
  ]
}

function* readingFamilies(readings: readonly MetricReading[]): Iterable<Family> {
  for (const { name, help, type, values } of readings) {
    const read = values()
    yield { name, help, type, samples: typeof read === 'number' ? [{ labels: {}, value: read }] : (read ?? []) }
  }
}

function stallFamily(stalls: ReadonlyMap<string, { count: number; sumMs: number }>): Family {
  return {
    name: 'cartwright_event_loop_stall_seconds',
    help: 'Times of 100 ms and more for which a piece of work held the event loop.',
    type: 'summary',
    samples: [...stalls].flatMap(([work, { count, sumMs }]) => [
      { suffix: '_sum', labels: { work }, value: sumMs / 1000 },
      { suffix: '_count', labels: { work }, value: count },
    ]),
  }
}

function* processFamilies(eventLoop: ReturnType<typeof monitorEventLoopDelay>): Iterable<Family> {
  const delays = [
    { labels: { quantile: '0.5' }, value: eventLoop.percentile(50) / 1e9 },
    { labels: { quantile: '0.99' }, value: eventLoop.percentile(99) / 1e9 },
    { labels: { quantile: '1' }, value: eventLoop.max / 1e9 },
  ]
  eventLoop.reset()
  yield {
    name: 'cartwright_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape.',
    type: 'gauge',
    samples: delays,
  }
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  const numbers: readonly [name: string, help: string, type: MetricReading['type'], value: number][] = [
    ['process_resident_memory_bytes', 'Resident memory.', 'gauge', memory.rss],
    ['nodejs_heap_size_used_bytes', 'Heap in use.', 'gauge', memory.heapUsed],
    ['process_cpu_seconds_total', 'CPU time, user and system.', 'counter', (cpu.user + cpu.system) / 1e6],
    [
      'process_start_time_seconds',
      'When the process started, since the epoch.',
      'gauge',
      performance.timeOrigin / 1000,
    ],
    ['process_uptime_seconds', 'Time since the process started.', 'gauge', process.uptime()],
  ]
  for (const [name, help, type, value] of numbers) yield { name, help, type, samples: [{ labels: {}, value }] }
}
