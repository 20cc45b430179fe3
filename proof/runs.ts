// The runs, as the command line offers them.

import type { Engine } from '../src/platform/storage/storage.ts'
import { runDeliveries } from './deliveries.ts'
import type { Ground, GroundName, Place } from './place.ts'

export type Numbers = Readonly<Record<string, number>>

interface RunFace {
  name: string
  // What is done and how it is judged, for the table.
  method?: string
  // The numbers it accepts, with their defaults; different ones per engine; and those of a short run.
  numbers: Numbers
  numbersOf?: Readonly<Partial<Record<Engine, Numbers>>>
  short?: Numbers
  // Default: both.
  engines?: readonly Engine[]
  // Whether it can take place in cells of Citus (default: where it can on PostgreSQL), and only there.
  onCells?: boolean | 'only'
}

export function isPossible({ engines, onCells }: RunFace, name: GroundName): boolean {
  if (name === 'cells')
    return onCells === 'only' || (onCells ?? (engines === undefined || engines.includes('postgres')))
  return onCells !== 'only' && (engines === undefined || engines.includes(name))
}

// A run in a place that has a shop.
export interface Run extends RunFace {
  run(place: Place, numbers: Numbers, random: () => number): Promise<RunResult>
}

// A run that creates its own shop and calls its own servers.
export interface ServerRun extends RunFace {
  runOn(ground: Ground, numbers: Numbers, tools: RunTools): Promise<RunResult>
}

export interface RunTools {
  random: () => number
  // Reports the progress.
  tell: (text: string) => void
}

export interface RunResult {
  // What was observed, in the order of the table.
  seen: Readonly<Record<string, number | string>>
  // What did not hold; empty if everything did.
  violations: readonly string[]
  // Pictures that are written beside the table, as SVG by name.
  pictures?: Readonly<Record<string, string>>
}

export const deliveriesRun: Run = {
  name: 'deliveries',
  method: 'events to several endpoints while the processes that deliver them are killed',
  numbers: { events: 10_000, endpoints: 3, kills: 60 },
  short: { events: 300, kills: 3 },
  async run(place, { events = 0, endpoints = 0, kills = 0 }, random) {
    const nodes = place.engine === 'postgres' ? 2 : 1
    const onProgress = (text: string) => void process.stdout.write(`\r  ${text}   `)
    const result = await runDeliveries({ ...place, events, endpoints, kills, nodes, random, onProgress })
    process.stdout.write('\n')
    const { lost, differing, outOfOrder, unsettled, tookMs, ...seen } = result
    const broken = { lost, differing, outOfOrder, unsettled }
    return {
      seen: { ...seen, ...broken, seconds: (tookMs / 1000).toFixed(1) },
      violations: Object.entries(broken).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : [])),
    }
  },
}
