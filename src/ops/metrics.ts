// Registers the metrics of one process: its version, requests, sign-ins, and calls by agents.

import type { Pressure } from '../platform/http/pressure.ts'
import type { Log } from '../platform/log/log.ts'
import type { Counts } from '../platform/metrics/counts.ts'
import type { MetricReading, Metrics } from '../platform/metrics/metrics.ts'

export interface ProcessSources {
  version: string
  pressure: Pressure
  log: Log
  signIns: Counts
  agentCalls: Counts
  profileReads: Counts
}

type Row = [name: string, type: MetricReading['type'], help: string, values: MetricReading['values']]

export function registerProcessMetrics(metrics: Metrics, sources: ProcessSources): void {
  const { version, pressure, log, signIns, agentCalls, profileReads } = sources
  const rows: readonly Row[] = [
    ['sign_ins_total', 'counter', 'Attempts to sign in, by method and outcome.', () => signIns.samples()],
    [
      'agent_calls_total',
      'counter',
      'Calls of agents and assistants, by protocol, tool and outcome.',
      () => agentCalls.samples(),
    ],
    [
      'agent_profile_reads_total',
      'counter',
      'Profiles of platforms that were read, by outcome.',
      () => profileReads.samples(),
    ],
    ['build_info', 'gauge', 'The version that runs.', () => [{ labels: { version }, value: 1 }]],
    ['requests_in_flight', 'gauge', 'Requests under way.', () => pressure.inFlight],
    ['requests_shed_total', 'counter', 'Requests refused to keep the process alive.', () => pressure.shed],
    [
      'log_lines_dropped_total',
      'counter',
      'Log lines dropped because the output could not keep up.',
      () => log.dropped,
    ],
  ]
  for (const [name, type, help, values] of rows) metrics.read({ name: `cartwright_${name}`, help, type, values })
}
