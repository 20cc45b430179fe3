// What a row of the benchmark is, and the arithmetic of its numbers: medians with ranges over alternating repetitions,
// and their ratio compared with a limit.

import type { Stretch } from './load.ts'

export interface Circumstances {
  // Created for this run and removed after it.
  folder: string
  rounds: number
  seconds: number
  connections: number
  // Sizes of the growth row.
  sizes: readonly number[]
  // Where to write profiles of our server, if requested.
  profileFolder: string | null
  // Where the packages of the peers are installed; null for a temporary folder.
  packagesFolder?: string | null
  say(line: string): void
}

export interface Row {
  name: string
  question: string
  run(circumstances: Circumstances): Promise<Findings>
}

export interface Findings {
  sides: readonly Side[]
  ratios: readonly Ratio[]
  notes: readonly string[]
  growth?: readonly Growth[]
  tables?: readonly Table[]
}

// Numbers that are no ratios. The first cell of a row names it.
export interface Table {
  title: string
  columns: readonly string[]
  rows: readonly TableRow[]
}

export type TableRow = readonly [string, ...(number | null)[]]

// One of the alternating sides, with all its repetitions.
export interface Side {
  name: string
  // What one request is here: a request, a delivery, a purchase.
  unit: string
  runs: readonly Partial<Stretch>[]
}

export interface Ratio {
  what: string
  value: number
  // Null: reported, not judged.
  bar: { sense: 'at most' | 'at least'; limit: number } | null
  // `×` for a ratio; otherwise `ms`, `MB` and so on.
  unit: string
}

// One line of the growth plot: a cost at each size, as a multiple of the cost at the smallest.
export interface Growth {
  what: string
  points: readonly { size: number; value: number; multiple: number }[]
  unit: string
}

export interface Range {
  median: number
  least: number
  most: number
}

export function rangeOf(values: readonly number[]): Range {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
  return { median, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN }
}

export function valuesOf(side: Side, member: keyof Stretch): number[] {
  return side.runs.flatMap((run) => run[member] ?? [])
}

export function medianOf(side: Side, member: keyof Stretch): number {
  return rangeOf(valuesOf(side, member)).median
}

export function ratioOf(
  what: string,
  member: keyof Stretch,
  [ours, ceiling]: readonly [Side, Side],
  bar: Ratio['bar'],
): Ratio {
  return { what, value: medianOf(ours, member) / medianOf(ceiling, member), bar, unit: '×' }
}

export function holds({ value, bar }: Ratio): boolean | null {
  if (!bar) return null
  return bar.sense === 'at most' ? value <= bar.limit : value >= bar.limit
}

export const atMost = (limit: number) => ({ sense: 'at most', limit }) as const
export const atLeast = (limit: number) => ({ sense: 'at least', limit }) as const

// A server that was just started is several times slower until its code is compiled, which takes many thousands of
// requests rather than seconds: with 10,000 a server became faster from round to round. Slow requests get as many as
// fit into the time.
const warmRequests = 150_000
const warmMsMax = 15_000

// Runs each side in turn, as often as requested; the ceiling goes first. Before that all sides are warmed up, which is
// not counted.
export async function alternate<Name extends string>(
  { rounds, say }: Circumstances,
  sides: Readonly<Record<Name, () => Promise<Partial<Stretch>>>>,
): Promise<Record<Name, Partial<Stretch>[]>> {
  const names = Object.keys(sides) as Name[]
  const runs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Partial<Stretch>[]>
  for (const name of names) say(`  warm-up, ${name}: ${summaryOf(await warmUp(sides[name]))}`)
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      const stretch = await sides[name]()
      runs[name].push(stretch)
      say(`  round ${round}, ${name}: ${summaryOf(stretch)}`)
    }
  }
  return runs
}

// Returns the last period.
async function warmUp(side: () => Promise<Partial<Stretch>>): Promise<Partial<Stretch>> {
  const endsAt = performance.now() + warmMsMax
  let answered = 0
  for (;;) {
    const stretch = await side()
    answered += stretch.requests ?? Number.POSITIVE_INFINITY
    if (answered >= warmRequests || performance.now() >= endsAt) return stretch
  }
}

function summaryOf({ perSecond, cpuUs, p99Ms, generatorShare }: Partial<Stretch>): string {
  return [
    perSecond !== undefined && `${perSecond.toFixed(0)} a second`,
    cpuUs !== undefined && `${cpuUs.toFixed(1)} µs CPU`,
    p99Ms !== undefined && `p99 ${p99Ms.toFixed(1)} ms`,
    generatorShare !== undefined && `generator ${(generatorShare * 100).toFixed(0)} %`,
  ]
    .filter(Boolean)
    .join(', ')
}

const generatorShareMax = 0.9

// Conditions that limit what the numbers mean. If the generator was at its limit, the throughput of that side is the
// generator's.
export function loadNotes(sides: readonly Side[]): string[] {
  const others = rangeOf(sides.flatMap((side) => valuesOf(side, 'othersCores')))
  const limited = sides
    .filter((side) => valuesOf(side, 'generatorShare').some((share) => share >= generatorShareMax))
    .map(
      (side) =>
        `The load generator used ${(Math.max(...valuesOf(side, 'generatorShare')) * 100).toFixed(0)} % of a core on “${side.name}”: ` +
        'that throughput is the limit of the generator, so compare only the CPU.',
    )
  if (Number.isNaN(others.median)) return limited
  const cores = (value: number) => value.toFixed(1)
  return [
    ...limited,
    `Other load on the machine: ${cores(others.median)} cores (${cores(others.least)}–${cores(others.most)}).`,
  ]
}
