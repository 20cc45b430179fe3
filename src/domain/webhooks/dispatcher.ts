// Sends what is owed. One step is one transaction: it writes the outcomes that came in and claims what is due now; the
// calls themselves are made outside of it. Steps follow each other for as long as there is something to do.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { rowLogger } from '../../platform/jobs/report.ts'
import { claimRows, handleRows, noteFailures, type RowFailure } from '../../platform/jobs/rows.ts'
import type { RowKey } from '../../platform/jobs/store.ts'
import type { Log } from '../../platform/log/log.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { type Storage, StorageOutage, StorageRefused, StorageUnavailable } from '../../platform/storage/storage.ts'
import { type Call, createCall, type PlatformCall } from './call.ts'
import {
  type Claimed,
  claimDeliveries,
  type EndpointKey,
  giveBack,
  listDueDeliveries,
  listDueEndpoints,
  nothingClaimed,
  releaseLeases,
} from './claim.ts'
import { HeldDeliveries } from './held.ts'
import { isSuccess, type Outcome, recordOutcomes } from './outcomes.ts'
import { aheadFor, leaseMs } from './schedule.ts'
import type { Sender } from './sender.ts'

export interface DispatcherParts {
  storage: Storage
  sender: Sender
  rootSecret: RootSecret
  clock: () => Date
  log: Log
  version: string
  platformCall?: PlatformCall
  // Bounds that tests narrow.
  callsMax?: number
  leaseMs?: number
  pollMs?: number
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
// Per step, so other writers do not wait long.
const stepEndpointsMax = 32
const stepOutcomesMax = 256
const stepAheadMax = 256
const retryMs = 250
const gatherMs = 2
// While every busy endpoint has calls waiting here, nothing is missed that is not claimed yet.
const gatherAheadMs = 100
const refillAt = 16
// What was claimed ahead and did not get its turn by then is given back: another node may be quicker.
const aheadMsMax = 500
const drainTriesMax = 4

// gathering: outcomes are waited for, to share a transaction. stepping: a round is under way; stepping_again: and there is
// more to do than it knows of.
type State = 'idle' | 'gathering' | 'stepping' | 'stepping_again'

interface Step {
  ended: readonly Outcome[]
  returned: readonly Claimed[]
  endpoints: readonly EndpointKey[]
}

export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #callsMax: number
  readonly #leaseMs: number
  readonly #call: Call
  readonly #logRow: (failure: RowFailure) => void
  // Begins the leases of this process.
  readonly #holder = randomUUID()
  readonly #held = new HeldDeliveries()
  readonly #counts = { succeeded: 0, failed: 0, blocked: 0 }
  // For the metrics: rounds and rows that failed, and the end of the last round that did not.
  readonly #loop = { lastSuccessAt: null as number | null, failures: 0, rowFailures: 0 }

  #state: State = 'idle'
  #isDraining = false
  // Endpoints that have no call under way may have something due.
  #isLookDue = false
  #outcomes: Outcome[] = []
  // Claimed, and not to be called by us.
  #returns: Claimed[] = []
  #inFlight = 0
  #callsMade = 0
  #lastEndpoint = ''
  #failuresInARow = 0
  // By a clock that never steps back.
  #reapedAt = Number.NEGATIVE_INFINITY
  #poll: NodeJS.Timeout | undefined
  #stopListening: (() => void) | undefined
  #endGathering: (() => void) | undefined
  readonly #onIdle: (() => void)[] = []

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#callsMax = parts.callsMax ?? callsMaxDefault
    this.#leaseMs = parts.leaseMs ?? leaseMs
    this.#call = createCall(parts)
    this.#logRow = rowLogger('webhook_dispatch', parts.log)
  }

  start(): void {
    const { storage } = this.#parts
    this.#stopListening = storage.listen('deliveries', () => this.look())
    void this.#reap(storage.hasOneServer).then(() => {
      if (!this.#isDraining) this.look()
      this.#startPoll()
    })
  }

  // There may be something due.
  look(): void {
    this.#isLookDue = true
    this.#endGathering?.()
    this.#wake()
  }

  // Does what is due at this instant, and what becomes due by that, and then rests. For tests, and for a start's first round.
  async dispatchDue(): Promise<void> {
    await this.#reap(false)
    let made: number
    do {
      made = this.#callsMade
      await this.#rested()
    } while (this.#callsMade > made)
  }

  // Takes nothing new, waits for the calls under way and writes their outcomes.
  async drain(): Promise<void> {
    this.#isDraining = true
    this.#stopListening?.()
    clearTimeout(this.#poll)
    for (const id of this.#held.endpointIds) this.#returnWaiting(id)
    await this.#rested()
    await this.#parts.sender.close()
  }

  stats(): DispatcherStats {
    return { inFlight: this.#inFlight, ...this.#counts, ...this.#loop }
  }

  // Rounds

  #wake(): void {
    if (this.#state === 'idle') void this.#run()
    else if (this.#state === 'stepping') this.#state = 'stepping_again'
  }

  #rested(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle.push(resolve)
      this.look()
    })
  }

  async #run(): Promise<void> {
    do {
      if (this.#mayGather()) await this.#gather()
      this.#state = 'stepping'
      await this.#tryRound()
    } while (this.#isAgain())
    this.#state = 'idle'
    if (this.#inFlight === 0) for (const tell of this.#onIdle.splice(0)) tell()
  }

  #isAgain(): boolean {
    return this.#state === 'stepping_again'
  }

  async #tryRound(): Promise<void> {
    try {
      await this.#round()
      this.#failuresInARow = 0
      this.#loop.lastSuccessAt = this.#now()
    } catch (error) {
      this.#logFailure('webhook dispatch failed; retrying', error)
      this.#failuresInARow += 1
      this.#loop.failures += 1
      await pause(retryMs)
      // While draining there is no later round. What is not written then is taken up when its lease has ended.
      if (this.#isDraining && this.#failuresInARow >= drainTriesMax) this.#outcomes = this.#returns = []
      else this.#wantLook()
    }
  }

  #wantLook(): void {
    this.#isLookDue = true
    this.#wake()
  }

  // The storage reports an outage itself, and one that is busy is reported once until a round succeeds.
  #logFailure(message: string, error: unknown): void {
    if (error instanceof StorageOutage) return
    const { log } = this.#parts
    if (!(error instanceof StorageUnavailable)) log.error(message, error)
    else if (this.#failuresInARow === 0) log.warn(message, { reason: error.message })
  }

  // Calls that were made together end together: after a short wait their outcomes share a transaction. New work is not
  // kept waiting.
  #mayGather(): boolean {
    return !this.#isLookDue && this.#inFlight > 0 && this.#outcomes.length < stepOutcomesMax
  }

  #gather(): Promise<void> {
    this.#state = 'gathering'
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#endGathering = undefined
        resolve()
      }
      const timer = setTimeout(end, this.#held.isAnyWaiting ? gatherAheadMs : gatherMs)
      this.#endGathering = end
    })
  }

  // Every endpoint that has something due is looked at once; a few of them in each step.
  async #round(): Promise<void> {
    const due = await this.#endpointsWithWork()
    do await this.#step(due.splice(0, stepEndpointsMax))
    while (
      // Endpoints with new work are looked at before the same few go on for ever.
      !this.#isLookDue &&
      due.length > 0 &&
      this.#held.room(this.#callsMax).limit > 0
    )
    // No call could be made for these; a call that ends makes room.
    if (due.length > 0) this.#isLookDue = true
    if (this.#outcomes.length > 0 || this.#returns.length > 0) this.#wake()
  }

  async #endpointsWithWork(): Promise<EndpointKey[]> {
    // What is about to be written makes room too.
    if (this.#isDraining || !this.#isLookDue || this.#inFlight >= this.#callsMax) return []
    this.#isLookDue = false
    const now = this.#now()
    return this.#parts.storage.read((db) => listDueEndpoints(db, this.#lastEndpoint, now))
  }

  // Steps

  async #step(due: readonly EndpointKey[]): Promise<void> {
    const now = this.#now()
    const ended = this.#outcomes.splice(0, stepOutcomesMax)
    const returned = this.#returns.splice(0)
    const endpoints = this.#isDraining ? [] : withEnded(due, ended)
    if (endpoints.length === 0 && ended.length === 0 && returned.length === 0) return
    const bounds = { holder: this.#holder, leaseMs: this.#leaseMs, now }
    const leaving = [...ended.map(({ claimed }) => claimed), ...returned]
    try {
      const { claimed, servedLast, isMore } = await this.#parts.storage.write(async (tx) => {
        if (ended.length > 0) await recordOutcomes(tx, ended, now)
        if (returned.length > 0) giveBack(tx, returned, now)
        if (endpoints.length === 0) return nothingClaimed
        const room = this.#held.room(this.#callsMax, leaving)
        const aheadLimit = Math.min(room.aheadLimit, stepAheadMax)
        return claimDeliveries(tx, endpoints, { limit: room.limit, aheadLimit, ahead: aheadOf(ended), ...bounds })
      })
      this.#held.release(leaving)
      this.#lastEndpoint = servedLast ?? this.#lastEndpoint
      this.#accept(claimed)
      if (isMore) this.#wantLook()
    } catch (error) {
      if (error instanceof StorageRefused) throw error
      await this.#stepApart({ ended, returned, endpoints }, now)
    }
  }

  // After a step that failed: outcomes, returns and claims each by themselves, divided until the row is found that cannot be
  // written. It is deferred, and no longer ours: when its lease has ended and it is due again, it is taken up like one of a
  // process that was killed.
  async #stepApart({ ended, returned, endpoints }: Step, now: number): Promise<void> {
    const { storage } = this.#parts
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
        handleRows(at, [ended], keyOfOutcome, async (group) => {
          await storage.write((tx) => recordOutcomes(tx, group, now))
          return note(group.map(({ claimed }) => claimed))
        }),
      )
      await noteFailures(
        found,
        handleRows(at, [returned], keyOf, async (group) => {
          await storage.write(async (tx) => giveBack(tx, group, now))
          return note(group)
        }),
      )
    } finally {
      // What could not be tried, because the database is away, is written by a later step, while its lease lasts.
      const failed = new Set(found.map(({ rowId }) => rowId))
      const isLeft = (claimed: Claimed) =>
        !written.has(claimed) && !failed.has(claimed.id) && claimed.leaseExpiresAt > now
      this.#outcomes = [...this.#outcomes, ...ended.filter(({ claimed }) => isLeft(claimed))]
      this.#returns = [...this.#returns, ...returned.filter(isLeft)]
      this.#held.release([...ended.map(({ claimed }) => claimed), ...returned].filter((claimed) => !isLeft(claimed)))
      this.#report(found)
    }
    for (const endpoint of endpoints) await this.#claimApart(endpoint, now)
  }

  async #claimApart(endpoint: EndpointKey, now: number): Promise<void> {
    const { storage } = this.#parts
    const found: RowFailure[] = []
    const claim = async (only: RowKey | null) => {
      const { limit } = this.#held.room(this.#callsMax)
      const bounds = { limit, holder: this.#holder, leaseMs: this.#leaseMs, now }
      const claims = await storage.write((tx) => claimDeliveries(tx, [endpoint], bounds, only))
      this.#lastEndpoint = claims.servedLast ?? this.#lastEndpoint
      this.#accept(claims.claimed)
      if (claims.isMore && only === null) this.#wantLook()
      return claims.claimed
    }
    const at = { storage, loop: 'webhook_dispatch', now } as const
    await claimRows(at, found, claim, () => storage.read((db) => listDueDeliveries(db, endpoint, now)))
    this.#report(found)
  }

  #report(found: readonly RowFailure[]): void {
    this.#loop.rowFailures += found.length
    for (const failure of found) this.#logRow(failure)
  }

  // Calls

  #accept(claimed: readonly Claimed[]): void {
    const staleAt = performance.now() + aheadMsMax
    for (const delivery of claimed) this.#held.add(delivery, staleAt)
    for (const id of new Set(claimed.map(({ endpointId }) => endpointId))) this.#callNext(id)
  }

  #callNext(endpointId: string): void {
    // Also what was being claimed when the draining began.
    if (this.#isDraining) this.#returnWaiting(endpointId)
    this.#returnStale(endpointId)
    for (let next = this.#held.begin(endpointId); next; next = this.#held.begin(endpointId)) {
      if (next.left === refillAt) this.#endGathering?.()
      void this.#deliver(next.claimed)
    }
  }

  async #deliver(claimed: Claimed): Promise<void> {
    this.#inFlight += 1
    this.#callsMade += 1
    const startedAt = this.#now()
    const call = await this.#call(claimed, startedAt)
    this.#held.end(claimed.endpointId)
    this.#inFlight -= 1
    this.#counts[isSuccess(call) ? 'succeeded' : call.kind === 'blocked' ? 'blocked' : 'failed'] += 1
    this.#outcomes.push({ claimed, call, startedAt })
    if (this.#outcomes.length >= stepOutcomesMax) this.#endGathering?.()
    // How often an endpoint that fails is called is decided anew, when this is written.
    if (!isSuccess(call) || this.#isDraining) this.#returnWaiting(claimed.endpointId)
    else this.#callNext(claimed.endpointId)
    this.#wake()
  }

  #returnStale(endpointId: string): void {
    const now = { time: this.#now(), monotonic: performance.now() }
    if (this.#held.isStale(endpointId, now)) this.#returnWaiting(endpointId)
  }

  // It will be claimed again, as soon as it may be called.
  #returnWaiting(endpointId: string): void {
    const waiting = this.#held.takeWaiting(endpointId)
    if (waiting.length === 0) return
    this.#returns.push(...waiting)
    this.#wake()
  }

  // Leases of processes that ended

  async #reap(all: boolean): Promise<void> {
    const { storage, log } = this.#parts
    try {
      const found: RowFailure[] = []
      const released = (await noteFailures(found, releaseLeases(storage, this.#now(), { all }))) - found.length
      this.#report(found)
      if (released > 0) log.warn('took over deliveries of a process that ended', { released })
    } catch (error) {
      this.#logFailure('webhook leases could not be released; retrying', error)
    }
  }

  #startPoll(): void {
    if (this.#isDraining) return
    this.#poll = setTimeout(() => {
      void this.#reapInTurn().then(() => {
        for (const id of this.#held.endpointIds) this.#returnStale(id)
        if (!this.#isDraining) this.look()
        this.#startPoll()
      })
    }, this.#parts.pollMs ?? pollMsDefault)
    this.#poll.unref()
  }

  async #reapInTurn(): Promise<void> {
    if (performance.now() - this.#reapedAt < Math.min(reapEveryMs, this.#leaseMs)) return
    this.#reapedAt = performance.now()
    await this.#reap(false)
  }

  #now(): number {
    return this.#parts.clock().getTime()
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
function withEnded(due: readonly EndpointKey[], ended: readonly Outcome[]): EndpointKey[] {
  const endpoints = new Map(due.map((endpoint) => [endpoint.id, endpoint]))
  for (const { claimed } of ended)
    endpoints.set(claimed.endpointId, { installationId: claimed.installationId, id: claimed.endpointId })
  return [...endpoints.values()]
}

// How many deliveries each endpoint takes quickly, by the calls that ended.
function aheadOf(ended: readonly Outcome[]): Map<string, number> {
  const byEndpoint = Map.groupBy(ended, ({ claimed }) => claimed.endpointId)
  return new Map(
    [...byEndpoint].map(([id, group]) => {
      const tookMs = group.reduce((sum, { call }) => sum + call.tookMs, 0) / group.length
      return [id, aheadFor(tookMs)]
    }),
  )
}
