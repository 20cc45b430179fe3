// Fails a test in which one piece of work of the server held the event loop for more than 100 ms of CPU: meanwhile nobody else is
// answered. The CPU of the thread is counted, not the time, so a loaded machine fails no test. What the test itself computes is not
// the work of the server, and does not count.

import assert from 'node:assert/strict'
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { loadingWork } from '../src/platform/kit/late.ts'
import {
  endTurn,
  type LoopStall,
  listenForStalls,
  otherWork,
  setWorkClock,
  stallMsMin,
} from '../src/platform/kit/work.ts'
import { slowness } from './timed.ts'

interface Allowed {
  ms: number
  why: string
}

const manyVariants = { ms: 500, why: 'a product with up to 2,048 variants is one transaction, 0.2 s on SQLite' }

// Work that may hold the loop for longer.
const allowed: Readonly<Record<string, Allowed>> = {
  [loadingWork]: { ms: Number.POSITIVE_INFINITY, why: 'code is compiled once in a process' },
  [otherWork]: { ms: Number.POSITIVE_INFINITY, why: 'the test itself, its browser, the start of a server' },
  createAdminProduct: manyVariants,
  replaceAdminProduct: manyVariants,
  'dashboard product': manyVariants,
  transfers: manyVariants,
}
// The first of each name: its code is compiled.
const firstMsMax = 500

interface Held extends LoopStall {
  endedAt: number
}

const stalls: Held[] = []
const known = new Set<string>()
const collections: { startTime: number; duration: number }[] = []
const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
let isWatching = false

export function watchStalls(): void {
  if (isWatching) return
  isWatching = true
  setWorkClock(cpuClock)
  listenForStalls((stall) => stalls.push({ ...stall, endedAt: performance.now() }))
  observer.observe({ entryTypes: ['gc'] })
  // Work that waits for something without a mark has ended its turn by then. Watching every callback instead made the tests twice as slow.
  setInterval(endTurn, sampleMs).unref()
}

// The CPU time of this thread. Asking for it is dear, so it is asked for once in a while, and a stall seems longer by at most that much.
const sampleMs = 20
let sampledAt = 0
let cpuMs = 0

function cpuClock(): number {
  const now = performance.now()
  if (now - sampledAt < sampleMs) return cpuMs
  sampledAt = now
  const { user, system } = process.threadCpuUsage()
  cpuMs = (user + system) / 1_000
  return cpuMs
}

export function assertNoStalls(): void {
  assert.deepEqual(
    takeStalls().map(({ work, ms }) => `${work} held the event loop for ${Math.round(ms)} ms of CPU`),
    [],
  )
}

// Those since the last call that are not allowed.
export function takeStalls(): LoopStall[] {
  collections.push(...observer.takeRecords())
  const found = stalls.splice(0).filter((stall) => {
    const isFirst = !known.has(stall.work)
    known.add(stall.work)
    const ms = stall.ms - sampleMs - collectedMs(stall)
    if (ms < stallMsMin) return false
    return ms / slowness() >= Math.max(isFirst ? firstMsMax : stallMsMin, allowed[stall.work]?.ms ?? 0)
  })
  collections.length = 0
  return found
}

// The heap of a test process is large, and whoever runs when it is collected is not to blame. Somewhat more than the stall is looked
// at, since it may have taken longer than its CPU.
function collectedMs({ ms, endedAt }: Held): number {
  const since = endedAt - 3 * ms
  const during = collections.filter(({ startTime }) => startTime >= since && startTime <= endedAt)
  return during.reduce((sum, { duration }) => sum + duration, 0)
}
