// Runs rounds of events to many receivers, with and without failing ones, and reports what was observed in each.

import { setTimeout as pause } from 'node:timers/promises'
import { insertInstallation } from '../src/domain/merchants/store.ts'
import { addEndpoint, changeEndpoint, enableEndpoint, pauseEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { deliveryWaitsMs } from '../src/domain/webhooks/schedule.ts'
import type { Endpoint } from '../src/domain/webhooks/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import type { Tx } from '../src/platform/storage/storage.ts'
import type { CrowdReport } from './crowd.ts'
import type { Place } from './place.ts'
import { quantile } from './quantile.ts'
import type { Load, LoadReport } from './steady.ts'
import { startTalker, type Talker } from './talk.ts'

export interface Play extends Place {
  well: number
  // Of each of the two kinds of round.
  rounds: number
  seconds: number
  perSecond: number
  onProgress?: (text: string) => void
}

export interface Round {
  isWithFaulty: boolean
  p50Ms: number
  p99Ms: number
  maxMs: number
  // The median of the last third of the round against that of the first: this shows a growing backlog.
  growth: number
  load: Omit<LoadReport, 'committedAt'>
  missing: number
  duplicates: number
  faulty?: FaultyRound
}

export interface FaultyRound {
  calls: Readonly<Record<FaultyKind, number>>
  hangingMax: number
  endlessCut: number
  // What became of their deliveries: `hanging retrying`, and so on, with counts.
  statuses: Readonly<Record<string, number>>
  // Attempts that were made too early.
  early: number
  // Endpoints that are no longer enabled.
  givenUp: number
}

const sickPaths = { hanging: '/hanging', failing: '/failing', patient: '/patient/30', endless: '/endless' } as const
export type FaultyKind = keyof typeof sickPaths
const sickKinds = Object.keys(sickPaths) as FaultyKind[]
const patienceMs = 30_000
// Two clocks are read for one attempt.
const clockSlackMs = 5
const warmUpSeconds = 3
const arrivalSecondsMax = 60

export async function playRounds(run: Play): Promise<Round[]> {
  const talkers: Talker[] = []
  function start(script: string, args: readonly string[] = []): Talker {
    const talker = startTalker(script, args)
    talkers.push(talker)
    return talker
  }
  try {
    const [crowd, faultyCrowd] = [start('crowd.ts'), start('crowd.ts')]
    const ports = await Promise.all([crowd.ask<number>('listen'), faultyCrowd.ask<number>('listen')])
    const made = await makeEndpoints(run, ports)
    const node = start('steady.ts', [run.url, run.rootSecretText])
    await node.ask('start')

    const parts: Parts = { run, crowd, faultyCrowd, node, ...made, sent: 0 }
    await playRound(parts, { isWithFaulty: false, seconds: warmUpSeconds })
    // As autovacuum does within a minute: plans made for an empty table are dropped, and the rounds become comparable.
    if (run.engine === 'postgres') await run.storage.write((tx) => tx.sql`analyze`)
    const rounds: Round[] = []
    for (let number = 0; number < run.rounds * 2; number += 1) {
      // Without, with, with, without: whatever grows during the run affects both kinds.
      const isWithFaulty = number % 4 === 1 || number % 4 === 2
      rounds.push(await playRound(parts, { isWithFaulty, seconds: run.seconds }))
      run.onProgress?.(`${number + 1} of ${run.rounds * 2} rounds`)
    }
    return rounds
  } finally {
    await Promise.all(talkers.map((talker) => talker.end()))
  }
}

interface Parts {
  run: Play
  crowd: Talker
  faultyCrowd: Talker
  node: Talker
  installationIds: readonly string[]
  faulty: ReadonlyMap<FaultyKind, Endpoint>
  // Events so far.
  sent: number
}

// An installation has at most a hundred endpoints, so two installations share them.
async function makeEndpoints(
  { storage, rootSecret, installationId, well }: Play,
  [wellPort, sickPort]: readonly [number, number],
): Promise<Pick<Parts, 'installationIds' | 'faulty'>> {
  const tools = { rootSecret, allowPrivate: true }
  return storage.write(async (tx) => {
    const installationIds = [installationId, await secondInstallation(tx, installationId)]
    const [first, second] = installationIds as [string, string]
    for (let number = 0; number < well; number += 1) {
      const input = { url: `http://127.0.0.1:${wellPort}/well/${number}`, description: '', events: ['cart.*'] }
      await addEndpoint(tx, number % 2 === 0 ? first : second, input, tools, Date.now())
    }
    const faulty = new Map<FaultyKind, Endpoint>()
    for (const [number, kind] of sickKinds.entries()) {
      const url = `http://127.0.0.1:${sickPort}${sickPaths[kind]}`
      const input = { url, description: '', events: eventsOfNobody, status: 'paused' as const }
      faulty.set(kind, (await addEndpoint(tx, number % 2 === 0 ? first : second, input, tools, Date.now())).endpoint)
    }
    return { installationIds, faulty }
  })
}

async function secondInstallation(tx: Tx, first: string): Promise<string> {
  const [row] = await tx.sql<{ merchantId: string }>`
    select merchant_id as "merchantId" from installations where id = ${first}`
  if (!row) throw new Error('there is no first installation')
  const id = newId('ins')
  const installation = {
    id,
    merchantId: row.merchantId,
    name: 'Second',
    mode: 'test' as const,
    redirectHosts: '[]',
    disabledAt: null,
  }
  await insertInstallation(tx, installation, Date.now())
  return id
}

const eventsOfNobody = ['promotion.*']

async function playRound(
  parts: Parts,
  { isWithFaulty, seconds }: { isWithFaulty: boolean; seconds: number },
): Promise<Round> {
  const { run, crowd, faultyCrowd, node, installationIds } = parts
  const startedAt = Date.now()
  if (isWithFaulty) await enableFaulty(parts)
  const events = Math.round(seconds * run.perSecond)
  const load: Load = { installationIds, from: parts.sent, events, perSecond: run.perSecond }
  const { committedAt, ...loadReport } = await node.ask<LoadReport>('load', load)
  await arrived(crowd, events * run.well)
  let faulty: FaultyRound | undefined
  if (isWithFaulty) {
    await endlessFinished(parts)
    faulty = await lookAtFaulty(parts, startedAt)
    await pauseFaulty(parts)
    await faultyCrowd.ask('release')
    await hangingFinished(parts)
    await faultyCrowd.ask('report')
  }

  const { arrivals } = await crowd.ask<CrowdReport>('report')
  const seen = new Set<string>()
  const latencies: number[] = []
  const latenciesByEvent: { event: number; ms: number }[] = []
  for (const [number, path, at] of arrivals) {
    const event = number - parts.sent
    seen.add(`${event} ${path}`)
    const ms = at - (committedAt[event] as number)
    latencies.push(ms)
    latenciesByEvent.push({ event, ms })
  }
  parts.sent += events
  const third = (from: number, to: number) =>
    quantile(
      latenciesByEvent.filter(({ event }) => event >= events * from && event < events * to).map(({ ms }) => ms),
      0.5,
    )
  return {
    isWithFaulty,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
    growth: third(2 / 3, 1) / third(0, 1 / 3),
    load: loadReport,
    missing: events * run.well - seen.size,
    duplicates: arrivals.length - seen.size,
    ...(faulty && { faulty }),
  }
}

// They start in a fresh state, so each round includes the first failures and the breaker, with everything they did not
// accept in earlier rounds waiting for them.
async function enableFaulty({ run, faulty }: Parts): Promise<void> {
  await run.storage.write(async (tx) => {
    for (const { installationId, id, url } of faulty.values()) {
      const input = { url, description: '', events: ['cart.*'] }
      await changeEndpoint(tx, installationId, id, input, { allowPrivate: true }, Date.now())
      await enableEndpoint(tx, installationId, id, Date.now())
    }
  })
}

// What they have not accepted is held. Nothing is added meanwhile: a backlog for the endless one, which accepts
// everything, would be a load of its own.
async function pauseFaulty({ run, faulty }: Parts): Promise<void> {
  await run.storage.write(async (tx) => {
    for (const { installationId, id, url } of faulty.values()) {
      const input = { url, description: '', events: eventsOfNobody }
      await changeEndpoint(tx, installationId, id, input, { allowPrivate: true }, Date.now())
      await pauseEndpoint(tx, installationId, id, Date.now())
    }
  })
}

// Gives up after a while: what is missing then is counted.
async function arrived(crowd: Talker, calls: number): Promise<void> {
  const hopelessAt = Date.now() + arrivalSecondsMax * 1_000
  while (Date.now() < hopelessAt && (await crowd.ask<number>('count')) < calls) await pause(50)
}

async function endlessFinished({ run, faulty }: Parts): Promise<void> {
  await noneOf(run, faulty.get('endless') as Endpoint, ['pending', 'sending', 'retrying'])
}

async function hangingFinished({ run, faulty }: Parts): Promise<void> {
  for (const endpoint of faulty.values()) await noneOf(run, endpoint, ['sending'])
}

async function noneOf({ storage }: Play, { id }: Endpoint, statuses: readonly string[]): Promise<void> {
  const hopelessAt = Date.now() + arrivalSecondsMax * 1_000
  for (;;) {
    const rows = await storage.read(
      (db) => db.sql<{ status: string }>`select distinct status from webhook_deliveries where endpoint_id = ${id}`,
    )
    if (Date.now() > hopelessAt || !rows.some(({ status }) => statuses.includes(status))) return
    await pause(50)
  }
}

async function lookAtFaulty({ run, faultyCrowd, faulty }: Parts, startedAt: number): Promise<FaultyRound> {
  const { arrivals, openMax, cut } = await faultyCrowd.ask<CrowdReport>('report')
  const callsTo = (kind: FaultyKind) => arrivals.filter(([, path]) => path === sickPaths[kind]).length
  const calls = Object.fromEntries(sickKinds.map((kind) => [kind, callsTo(kind)])) as Record<FaultyKind, number>
  const statuses: Record<string, number> = {}
  let early = 0
  let givenUp = 0
  for (const [kind, { id }] of faulty) {
    const { counts, attempts, endpoint } = await run.storage.read(async (db) => ({
      counts: await db.sql<{ status: string; count: number }>`
        select status, count(*) as "count" from webhook_deliveries where endpoint_id = ${id} group by status`,
      attempts: await db.sql<Attempt>`
        select a.delivery_id as "deliveryId", a.attempt, a.started_at as "startedAt", a.took_ms as "tookMs"
        from webhook_attempts a
        join webhook_deliveries d on d.installation_id = a.installation_id and d.id = a.delivery_id
        where d.endpoint_id = ${id} and a.started_at >= ${startedAt}
        order by a.delivery_id, a.attempt`,
      endpoint: await db.sql`select id from webhook_endpoints where id = ${id} and status = 'enabled'`,
    }))
    for (const { status, count } of counts) statuses[`${kind} ${status}`] = count
    early += attempts.filter((attempt, index) => isEarly(kind, attempts[index - 1], attempt)).length
    if (endpoint.length === 0) givenUp += 1
  }
  return { calls, hangingMax: openMax, endlessCut: cut, statuses, early, givenUp }
}

interface Attempt {
  deliveryId: string
  attempt: number
  startedAt: number
  tookMs: number
}

function isEarly(kind: FaultyKind, before: Attempt | undefined, attempt: Attempt): boolean {
  if (before?.deliveryId !== attempt.deliveryId) return false
  const waitMs = Math.max(deliveryWaitsMs[before.attempt] ?? 0, kind === 'patient' ? patienceMs : 0)
  return attempt.startedAt + clockSlackMs < before.startedAt + before.tookMs + waitMs
}
