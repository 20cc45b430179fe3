// Whether a server leaks memory. Each process is observed from its start to its end, and its later use is compared with
// its use once it was warm.

import { median } from './quantile.ts'
import type { Server } from './servers.ts'

// What is measured: the private pages, and the memory in use after a full collection, which only a leak can raise.
export type Held = 'private' | 'live'

export interface Life {
  startedAt: number
  endedAt: number
  // In order of time.
  samples: Readonly<Record<Held | 'resident', readonly Sample[]>>
}

interface Sample {
  at: number
  bytes: number
}

export interface Watch {
  end(): Life
}

const everyMs = 500
// A full collection stops the server for about 30 ms, so it is requested rarely.
const weighEveryMs = 5_000

// From the start of the server, which must allow collections to be requested.
export function watchLife(server: Server): Watch {
  const startedAt = performance.now()
  const samples = { private: [] as Sample[], live: [] as Sample[], resident: [] as Sample[] }
  const timers = [setInterval(() => void look(), everyMs), setInterval(() => void weigh(), weighEveryMs)]
  async function weigh(): Promise<void> {
    const bytes = await server.liveBytes().catch(() => undefined)
    if (bytes !== undefined) samples.live.push({ at: performance.now(), bytes })
  }
  async function look(): Promise<void> {
    // A server that was just killed has no memory.
    const memory = await server.memory().catch(() => undefined)
    if (!memory || memory.privateBytes === 0) return
    const at = performance.now()
    samples.private.push({ at, bytes: memory.privateBytes })
    samples.resident.push({ at, bytes: memory.residentBytes })
  }
  return {
    end() {
      for (const timer of timers) clearInterval(timer)
      return { startedAt, endedAt: performance.now(), samples }
    },
  }
}

// Until then code is compiled, statements are prepared and caches are filled.
const warmMs = 20_000
// A process that can be judged: warm for at least as long as it took to become warm.
const longMs = 2 * warmMs
// Memory in use varies by a tenth with the requests in progress, and the pages of the process by a fifth, since V8
// returns them at its own pace. A leak, by contrast, grows for as long as requests come.
const growthMax = 1.3
// When requests pile up for a moment, V8 enlarges its young generation and leaves it large: the same server under the
// same load was seen with 125 MB of pages and with 190 MB, and with 50 MB in use both times. Memory in use gets no such
// allowance.
const slackBytes: Readonly<Record<Held, number>> = { private: 64 * 2 ** 20, live: 0 }

export interface MemoryReport {
  seen: Record<string, string>
  violations: string[]
}

// Two comparisons, each of medians, so neither one sample nor one odd process decides. Within a process, the last third
// of its warm time against the first third; it counts if most of the long-running processes grew. And the end of the
// last long-running process against the end of the first, between which the data has grown and memory must not.
export function judgeMemory(lives: readonly Life[], name: string): MemoryReport {
  const long = lives.filter(({ startedAt, endedAt }) => endedAt - startedAt >= longMs)
  const report: MemoryReport = { seen: {}, violations: [] }
  for (const held of ['private', 'live'] as const) {
    const ends = long.map((life) => endsOf(life, held)).filter((pair) => pair !== undefined)
    const [first, last] = [ends[0], ends.at(-1)]
    if (!first || !last) continue
    const within = median(ends.map(({ early, late }) => late / early))
    const across = last.late / first.late
    const what = held === 'private' ? 'private' : 'in use'
    report.seen[`${name}, ${what}`] =
      `${megabytes(first.early)} MB warm, ${megabytes(first.late)} MB at the end of the first life, ${megabytes(last.late)} MB ` +
      `at the end of the last of ${ends.length}; ${within.toFixed(2)}× within a life, ${across.toFixed(2)}× from life to life`
    const grows = (from: number, to: number) => to - slackBytes[held] > growthMax * from
    if (median(ends.map(({ early, late }) => Number(grows(early, late)))) === 1)
      report.violations.push(`${name}, ${what}: grows ${within.toFixed(2)}× within a process, at most ${growthMax}×`)
    if (grows(first.late, last.late))
      report.violations.push(
        `${name}, ${what}: grows ${across.toFixed(2)}× from process to process, at most ${growthMax}×`,
      )
  }
  const resident = lives.flatMap(({ samples }) => samples.resident.map(({ bytes }) => bytes))
  report.seen[`${name}, resident at most`] = `${megabytes(Math.max(0, ...resident))} MB`
  if (long.length > 0 && Object.keys(report.seen).length < 3)
    report.violations.push(`${name}: memory could not be judged`)
  return report
}

function endsOf({ startedAt, endedAt, samples }: Life, held: Held): { early: number; late: number } | undefined {
  const warmAt = startedAt + warmMs
  const thirdMs = (endedAt - warmAt) / 3
  const within = (from: number, to: number) =>
    samples[held].filter(({ at }) => at >= from && at < to).map(({ bytes }) => bytes)
  const [early, late] = [within(warmAt, warmAt + thirdMs), within(endedAt - thirdMs, endedAt)]
  return early.length > 0 && late.length > 0 ? { early: median(early), late: median(late) } : undefined
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
