// The runs, as the command offers them.

import type { Engine } from '../src/storage/storage.ts'
import { runDeliveries } from './deliveries.ts'
import type { Ground, Place } from './place.ts'

export type Numbers = Readonly<Record<string, number>>

interface RunFace {
  name: string
  // What is done and how it is judged, for the table.
  method?: string
  // The numbers it can be given, with their defaults; where an engine has others; and those of a glance.
  numbers: Numbers
  numbersOf?: Readonly<Partial<Record<Engine, Numbers>>>
  short?: Numbers
  // Both unless said.
  engines?: readonly Engine[]
}

// A run in a place that has a shop.
export interface Run extends RunFace {
  run(place: Place, numbers: Numbers, random: () => number): Promise<RunResult>
}

// A run that makes its shop by itself and calls servers of its own.
export interface ServerRun extends RunFace {
  runOn(ground: Ground, numbers: Numbers, tools: RunTools): Promise<RunResult>
}

export interface RunTools {
  random: () => number
  // How far it is.
  tell: (text: string) => void
}

export interface RunResult {
  // What was seen, in the order of the table.
  seen: Readonly<Record<string, number | string>>
  // What did not hold; nothing when all did.
  violations: readonly string[]
  // Pictures that are written beside the table, as SVG by their names.
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
