// Sends what is owed. One step is one transaction: it writes the outcomes that came in and claims what is due now; the
// calls themselves are made outside of it. Steps follow each other for as long as there is something to do.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { RootSecret } from '../kit/secrets.ts'
import { rowLogger } from '../loops/report.ts'
import { claimRows, handleRows, noteFailures, type RowFailure } from '../loops/rows.ts'
import type { RowKey } from '../loops/store.ts'
import type { Log } from '../observe/log.ts'
import { type Storage, StorageOutage, StorageRefused, StorageUnavailable } from '../storage/storage.ts'
import {
  type Claimed,
  type Claims,
  claimDeliveries,
  type EndpointKey,
  giveBack,
  listDueDeliveries,
  listDueEndpoints,
  releaseLeases,
} from './claim.ts'
import { aheadFor, inFlightMax, leaseMs } from './schedule.ts'
import type { CallOutcome, Sender } from './sender.ts'
import { isSuccess, type Outcome, settleOutcomes } from './settle.ts'
import { createSecretOpener, secretsOf, signedHeaders } from './signature.ts'

export interface DispatcherParts {
  storage: Storage
  sender: Sender
  rootSecret: RootSecret
  clock: () => Date
  log: Log
  version: string
  // Bounds that tests narrow.
  callsMax?: number
  leaseMs?: number
  pollMs?: number
}

export interface Dispatcher {
  start(): void
  // There may be something due.
  look(): void
  // Does what is due at this instant, and what becomes due by that, and then rests. For tests, and for a start's first round.
  settleDue(): Promise<void>
  // Takes nothing new, waits for the calls under way and writes their outcomes.
  drain(): Promise<void>
  stats(): DispatcherStats
}

export interface DispatcherStats {
  inFlight: number
  succeeded: number
  failed: number
  blocked: number
  // As of every loop.
  lastSuccessAt: number | null
  failures: number
  rowFailures: number
}

const pollMsDefault = 1_000
const reapEveryMs = 5_000
// Calls of this process that may be open at once.
const callsMaxDefault = 256
// Of one step, so that nobody who writes beside it waits long.
const stepEndpointsMax = 32
const stepOutcomesMax = 256
const retryMs = 250
const gatherMs = 2
// While every busy endpoint has calls waiting here, nobody misses what is not claimed yet.
const gatherAheadMs = 30
const refillAt = 16
// What was claimed ahead and did not get its turn by then is given back, and with it what somebody else may do better.
const aheadMsMax = 500
const drainTriesMax = 4

// What this process has of one endpoint.
interface Line {
  // Claimed, and waiting for one of the calls to end. Never called after `staleAt`, by a clock that never steps back.
  waiting: { claimed: Claimed; staleAt: number }[]
  calls: number
  // The two above, and what is not written yet.
  held: number
}

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { storage, sender, rootSecret, clock, log } = parts
  const callsMax = parts.callsMax ?? callsMaxDefault
  const lease = parts.leaseMs ?? leaseMs
  const opened = createSecretOpener(rootSecret)
  const counts = { succeeded: 0, failed: 0, blocked: 0 }
  const holder = randomUUID()
  const lines = new Map<string, Line>()
  let outcomes: Outcome[] = []
  // Claimed, and not to be called by us.
  let unwanted: Claimed[] = []
  let inFlight = 0
  let waiting = 0
  let callsMade = 0
  let draining = false
  let lastEndpoint = ''
  // True when somebody said that there may be more to do than the round that is running knows of.
  let isWanted = false
  // True when endpoints that have no call under way may have something due.
  let isLookWanted = false
  let isRunning = false
  const logRow = rowLogger('webhook_dispatch', log)
  // For the metrics: rounds and rows that failed, and the end of the last round that did not.
  const loop = { lastSuccessAt: null as number | null, failures: 0, rowFailures: 0 }
  // In a row.
  let failures = 0
  let poll: NodeJS.Timeout | undefined
  // By a clock that never steps back.
  let reapedAt = Number.NEGATIVE_INFINITY
  let unlisten: (() => void) | undefined
  let hurry: () => void = () => {}
  const idle: (() => void)[] = []

  function look(): void {
    isLookWanted = true
    hurry()
    wake()
  }

  function wake(): void {
    isWanted = true
    if (!isRunning) void run()
  }

  async function run(): Promise<void> {
    isRunning = true
    while (isWanted) {
      if (!isLookWanted && inFlight > 0 && outcomes.length < stepOutcomesMax) await gather()
      isWanted = false
      try {
        await round()
        failures = 0
        loop.lastSuccessAt = clock().getTime()
      } catch (error) {
        logFailure('webhook dispatch failed; retrying', error)
        failures += 1
        loop.failures += 1
        await pause(retryMs)
        // While draining nobody comes by later. What is not written then is taken up when its lease has ended.
        if (draining && failures >= drainTriesMax) outcomes = unwanted = []
        else isLookWanted = isWanted = true
      }
    }
    isRunning = false
    if (inFlight === 0) for (const tell of idle.splice(0)) tell()
  }

  // The storage reports an outage itself, and one that is busy is reported once until a round succeeds.
  function logFailure(message: string, error: unknown): void {
    if (error instanceof StorageOutage) return
    if (!(error instanceof StorageUnavailable)) log.error(message, error)
    else if (failures === 0) log.warn(message, { reason: error.message })
  }

  // Calls that were made together end together: a moment's patience, and their outcomes share a transaction. Whoever has
  // something new to send is not kept waiting.
  function gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waiting > 0 ? gatherAheadMs : gatherMs)
      hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function rested(): Promise<void> {
    return new Promise((resolve) => {
      idle.push(resolve)
      look()
    })
  }

  // Every endpoint that has something due is looked at once; a few of them in each step.
  async function round(): Promise<void> {
    const due = await endpointsWithWork()
    do await step(due.splice(0, stepEndpointsMax))
    while (
      // Whoever has something new is looked at before the same few go on for ever.
      !isLookWanted &&
      due.length > 0 &&
      room().limit > 0
    )
    // No call could be made for these; a call that ends makes room.
    if (due.length > 0) isLookWanted = true
    if (outcomes.length > 0 || unwanted.length > 0) isWanted = true
  }

  async function endpointsWithWork(): Promise<EndpointKey[]> {
    // What is about to be written makes room too.
    if (draining || !isLookWanted || inFlight >= callsMax) return []
    isLookWanted = false
    const now = clock().getTime()
    return storage.read((db) => listDueEndpoints(db, lastEndpoint, now))
  }

  // Calls that may be made now, and what may wait beside them. What is not written yet counts, so that a database that is
  // away does not fill the memory.
  function room(): { limit: number; aheadLimit: number } {
    let [limit, aheadLimit] = [callsMax, callsMax]
    for (const { held } of lines.values()) {
      limit -= Math.min(held, inFlightMax)
      aheadLimit -= Math.max(0, held - inFlightMax)
    }
    return { limit: Math.max(0, limit), aheadLimit: Math.max(0, aheadLimit) }
  }

  async function step(due: readonly EndpointKey[]): Promise<void> {
    const now = clock().getTime()
    const settled = outcomes.splice(0, stepOutcomesMax)
    const returned = unwanted.splice(0)
    const endpoints = draining ? [] : withSettled(due, settled)
    if (endpoints.length === 0 && settled.length === 0 && returned.length === 0) return
    try {
      const { claimed, servedLast, isMore } = await storage.write(async (tx) => {
        if (settled.length > 0) await settleOutcomes(tx, settled, now)
        if (returned.length > 0) await giveBack(tx, returned, now)
        if (endpoints.length === 0) return nothingClaimed
        return claimDeliveries(tx, endpoints, { ...room(), ahead: aheadOf(settled), holder, leaseMs: lease, now })
      })
      forget(settled.map(({ claimed }) => claimed))
      forget(returned)
      lastEndpoint = servedLast ?? lastEndpoint
      accept(claimed)
      if (isMore) isLookWanted = isWanted = true
    } catch (error) {
      if (error instanceof StorageRefused) throw error
      await stepApart({ settled, returned, endpoints }, now)
    }
  }

  interface Step {
    settled: readonly Outcome[]
    returned: readonly Claimed[]
    endpoints: readonly EndpointKey[]
  }

  // After a step that failed: outcomes, returns and claims each by themselves, divided until the row is found that cannot be
  // written. It is deferred, and no longer ours: when its lease has ended and it is due again, it is taken up like one of a
  // process that was killed.
  async function stepApart({ settled, returned, endpoints }: Step, now: number): Promise<void> {
    const at = { storage, loop: 'webhook_dispatch', now } as const
    const found: RowFailure[] = []
    const written = new Set<Claimed>()
    const note = (claims: readonly Claimed[]) => {
      for (const claimed of claims) written.add(claimed)
      return claims.length
    }
    try {
      await storage.rolledBack()
      await noteFailures(
        found,
        handleRows(at, [settled], keyOfOutcome, async (group) => {
          await storage.write((tx) => settleOutcomes(tx, group, now))
          return note(group.map(({ claimed }) => claimed))
        }),
      )
      await noteFailures(
        found,
        handleRows(at, [returned], keyOf, async (group) => {
          await storage.write((tx) => giveBack(tx, group, now))
          return note(group)
        }),
      )
    } finally {
      // What could not be tried, because the database is away, is written by a later step, while its lease lasts.
      const failed = new Set(found.map(({ rowId }) => rowId))
      const isLeft = (claimed: Claimed) =>
        !written.has(claimed) && !failed.has(claimed.id) && claimed.leaseExpiresAt > now
      outcomes = [...outcomes, ...settled.filter(({ claimed }) => isLeft(claimed))]
      unwanted = [...unwanted, ...returned.filter(isLeft)]
      forget([...settled.map(({ claimed }) => claimed), ...returned].filter((claimed) => !isLeft(claimed)))
      report(found)
    }
    for (const endpoint of endpoints) await claimApart(endpoint, now)
  }

  async function claimApart(endpoint: EndpointKey, now: number): Promise<void> {
    const found: RowFailure[] = []
    const claim = async (only: RowKey | null) => {
      const bounds = { limit: room().limit, holder, leaseMs: lease, now }
      const claims = await storage.write((tx) => claimDeliveries(tx, [endpoint], bounds, only))
      lastEndpoint = claims.servedLast ?? lastEndpoint
      accept(claims.claimed)
      if (claims.isMore && only === null) isLookWanted = isWanted = true
      return claims.claimed
    }
    const at = { storage, loop: 'webhook_dispatch', now } as const
    await claimRows(at, found, claim, () => storage.read((db) => listDueDeliveries(db, endpoint, now)))
    report(found)
  }

  function report(found: readonly RowFailure[]): void {
    loop.rowFailures += found.length
    for (const failure of found) logRow(failure)
  }

  function accept(claimed: readonly Claimed[]): void {
    const staleAt = performance.now() + aheadMsMax
    for (const delivery of claimed) {
      const line = lines.get(delivery.endpointId) ?? { waiting: [], calls: 0, held: 0 }
      lines.set(delivery.endpointId, line)
      line.held += 1
      line.waiting.push({ claimed: delivery, staleAt })
      waiting += 1
    }
    for (const id of new Set(claimed.map(({ endpointId }) => endpointId))) callNext(id)
  }

  function forget(claims: readonly Claimed[]): void {
    for (const { endpointId } of claims) {
      const line = lines.get(endpointId)
      if (!line) continue
      line.held -= 1
      if (line.held === 0) lines.delete(endpointId)
    }
  }

  function callNext(endpointId: string): void {
    const line = lines.get(endpointId)
    if (!line) return
    // Also what was being claimed when the draining began.
    if (draining) dropWaiting(line)
    dropStale(line)
    while (line.calls < inFlightMax) {
      const next = line.waiting.shift()
      if (!next) return
      waiting -= 1
      if (line.waiting.length === refillAt) hurry()
      void deliver(line, next.claimed)
    }
  }

  function dropStale(line: Line): void {
    // The oldest comes first.
    const [first] = line.waiting
    if (!first) return
    // While a machine sleeps only the time of day goes on, and somebody else may have taken over.
    const isLost = first.claimed.leaseExpiresAt <= clock().getTime()
    if (isLost || first.staleAt < performance.now()) dropWaiting(line)
  }

  // It will be claimed again, as soon as it may be called.
  function dropWaiting(line: Line): void {
    if (line.waiting.length === 0) return
    unwanted.push(...line.waiting.splice(0).map(({ claimed }) => claimed))
    waiting = lines.values().reduce((sum, { waiting }) => sum + waiting.length, 0)
    wake()
  }

  async function deliver(line: Line, claimed: Claimed): Promise<void> {
    line.calls += 1
    inFlight += 1
    callsMade += 1
    const startedAt = clock().getTime()
    const call = await callFor(claimed, startedAt)
    line.calls -= 1
    inFlight -= 1
    if (isSuccess(call)) counts.succeeded += 1
    else if (call.kind === 'blocked') counts.blocked += 1
    else counts.failed += 1
    outcomes.push({ claimed, call, startedAt })
    // How often an endpoint that fails is called is decided anew, when this is written.
    if (!isSuccess(call) || draining) dropWaiting(line)
    else callNext(claimed.endpointId)
    wake()
  }

  async function callFor(claimed: Claimed, startedAt: number): Promise<CallOutcome> {
    if (claimed.body === '') return notMade('the text of the event is no longer kept')
    try {
      return await sender.send({ url: claimed.url, headers: headersOf(claimed, startedAt), body: claimed.body })
    } catch (error) {
      log.error('a webhook could not be sent', error, { deliveryId: claimed.id })
      return notMade('the call could not be made')
    }
  }

  function headersOf(claimed: Claimed, startedAt: number): Record<string, string> {
    const message = { id: claimed.eventId, timestamp: Math.floor(startedAt / 1_000), body: claimed.body }
    return {
      'content-type': 'application/json',
      'user-agent': `Cartwright-Webhooks/${parts.version}`,
      ...signedHeaders(secretsOf(opened, claimed.secrets, startedAt), message),
      'webhook-delivery-id': claimed.id,
      'webhook-attempt': String(claimed.attempts + 1),
    }
  }

  async function reap(all: boolean): Promise<void> {
    const now = clock().getTime()
    try {
      const found: RowFailure[] = []
      const released = (await noteFailures(found, releaseLeases(storage, now, { all }))) - found.length
      report(found)
      if (released > 0) log.warn('deliveries of a process that ended are taken up again', { released })
    } catch (error) {
      logFailure('webhook leases could not be released; retrying', error)
    }
  }

  function startPoll(): void {
    if (draining) return
    poll = setTimeout(() => {
      void reapInTurn().then(() => {
        for (const line of lines.values()) dropStale(line)
        if (!draining) look()
        startPoll()
      })
    }, parts.pollMs ?? pollMsDefault)
    poll.unref()
  }

  async function reapInTurn(): Promise<void> {
    if (performance.now() - reapedAt < Math.min(reapEveryMs, lease)) return
    reapedAt = performance.now()
    await reap(false)
  }

  return {
    start() {
      unlisten = storage.listen('deliveries', look)
      void reap(storage.hasOneServer).then(() => {
        if (!draining) look()
        startPoll()
      })
    },
    look,
    async settleDue() {
      await reap(false)
      let made: number
      do {
        made = callsMade
        await rested()
      } while (callsMade > made)
    },
    async drain() {
      draining = true
      unlisten?.()
      clearTimeout(poll)
      for (const line of lines.values()) dropWaiting(line)
      await rested()
      await sender.close()
    },
    stats: () => ({ inFlight, ...counts, ...loop }),
  }
}

function keyOf({ installationId, id }: Claimed): RowKey {
  return { tenantId: installationId, rowId: id }
}

function keyOfOutcome({ claimed }: Outcome): RowKey {
  return keyOf(claimed)
}

// Where a call ended there is room for the next one, and the next event of its subject is free: both are claimed in the
// transaction that writes the outcome.
function withSettled(due: readonly EndpointKey[], settled: readonly Outcome[]): EndpointKey[] {
  const endpoints = new Map(due.map((endpoint) => [endpoint.id, endpoint]))
  for (const { claimed } of settled)
    endpoints.set(claimed.endpointId, { installationId: claimed.installationId, id: claimed.endpointId })
  return [...endpoints.values()]
}

// How many deliveries each endpoint takes quickly, by the calls that ended.
function aheadOf(settled: readonly Outcome[]): Map<string, number> {
  const byEndpoint = Map.groupBy(settled, ({ claimed }) => claimed.endpointId)
  return new Map(
    [...byEndpoint].map(([id, group]) => {
      const tookMs = group.reduce((sum, { call }) => sum + call.tookMs, 0) / group.length
      return [id, aheadFor(tookMs)]
    }),
  )
}

const nothingClaimed: Claims = { claimed: [], servedLast: null, isMore: false }

function notMade(error: string): CallOutcome {
  return { kind: 'failed', statusCode: null, retryAfter: null, error, answer: null, tookMs: 0 }
}
