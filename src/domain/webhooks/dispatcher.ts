// Sends due deliveries in steps. Each step is one transaction: it writes the outcomes of finished calls and claims due deliveries. The
// calls are made outside of it. Steps follow each other as long as there is work.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { rowLogger } from '../../platform/jobs/report.ts'
import { claimRows, collectFailures, handleRows, type RowFailure } from '../../platform/jobs/rows.ts'
import type { RowKey } from '../../platform/jobs/store.ts'
import type { Log } from '../../platform/log/log.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { type Storage, StorageOutage, StorageRefused, StorageUnavailable } from '../../platform/storage/storage.ts'
import { type CallEndpoint, createCall, type PlatformCall } from './call.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  type EndpointKey,
  listDueDeliveries,
  listDueEndpoints,
  noClaimedDeliveries,
  releaseLeases,
  releaseUncalled,
} from './claim.ts'
import { HeldDeliveries } from './held.ts'
import { type DeliveryOutcome, isSuccess, recordOutcomes } from './outcomes.ts'
import { aheadMaxFor, deliveryLeaseMs } from './schedule.ts'
import type { Sender } from './sender.ts'

export interface DispatcherParts {
  storage: Storage
  sender: Sender
  rootSecret: RootSecret
  clock: () => Date
  log: Log
  version: string
  platformCall?: PlatformCall
  // Limits that tests set lower.
  callsMax?: number
  leaseMs?: number
  pollMs?: number
}

export interface DispatcherStats {
  inFlight: number
  succeeded: number
  failed: number
  blocked: number
  // The metrics that every job has.
  lastSuccessAt: number | null
  failures: number
  rowFailures: number
}

const pollMsDefault = 1_000
const reapEveryMs = 5_000
// Maximum of concurrent calls of this process.
const callsMaxDefault = 256
// Limits per step: other writers must not wait long.
const stepEndpointsMax = 32
const stepOutcomesMax = 256
const stepAheadMax = 256
const retryMs = 250
const gatherMs = 2
// How long a step may wait for more outcomes while every busy endpoint has deliveries waiting here: claiming later then delays nothing.
const gatherAheadMs = 100
const refillAt = 16
// A delivery that was claimed ahead but is not called within this time is released, because another node may call it sooner.
const aheadMsMax = 500
const drainTriesMax = 4

// gathering: waits for outcomes to write in one transaction. stepping: a round is in progress. stepping_again: a round is in progress,
// and another one must follow.
type State = 'idle' | 'gathering' | 'stepping' | 'stepping_again'

interface Step {
  ended: readonly DeliveryOutcome[]
  returned: readonly ClaimedDelivery[]
  endpoints: readonly EndpointKey[]
}

export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #callsMax: number
  readonly #leaseMs: number
  readonly #call: CallEndpoint
  readonly #logRow: (failure: RowFailure) => void
  // Prefix of the lease ids of this process.
  readonly #holder = randomUUID()
  readonly #held = new HeldDeliveries()
  readonly #counts = { succeeded: 0, failed: 0, blocked: 0 }
  // For metrics: failed rounds and rows, and the end of the last successful round.
  readonly #loop = { lastSuccessAt: null as number | null, failures: 0, rowFailures: 0 }

  #state: State = 'idle'
  #isDraining = false
  // Whether endpoints without a current call may have due deliveries.
  #isLookDue = false
  #outcomes: DeliveryOutcome[] = []
  // Claimed deliveries that this process will not call.
  #returns: ClaimedDelivery[] = []
  #inFlight = 0
  #callsMade = 0
  #lastEndpoint = ''
  #failuresInARow = 0
  // A time of the monotonic clock.
  #reapedAt = Number.NEGATIVE_INFINITY
  #poll: NodeJS.Timeout | undefined
  #stopListening: (() => void) | undefined
  #endGathering: (() => void) | undefined
  readonly #onIdle: (() => void)[] = []

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#callsMax = parts.callsMax ?? callsMaxDefault
    this.#leaseMs = parts.leaseMs ?? deliveryLeaseMs
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

  // Called when there may be due deliveries.
  look(): void {
    this.#isLookDue = true
    this.#endGathering?.()
    this.#wake()
  }

  // Sends all deliveries that are due, and those that become due through sending them. Used by tests.
  async dispatchDue(): Promise<void> {
    await this.#reap(false)
    let made: number
    do {
      made = this.#callsMade
      await this.#rested()
    } while (this.#callsMade > made)
  }

  // Stops claiming, waits for the current calls and writes their outcomes.
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

  // Rounds: a round visits every endpoint with due deliveries.

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
      // There is no later round while draining: deliveries whose outcome was not written are released when their lease expires.
      if (this.#isDraining && this.#failuresInARow >= drainTriesMax) this.#outcomes = this.#returns = []
      else this.#wantLook()
    }
  }

  #wantLook(): void {
    this.#isLookDue = true
    this.#wake()
  }

  // The storage itself reports an outage. An error of a busy storage is logged once until a round succeeds.
  #logFailure(message: string, error: unknown): void {
    if (error instanceof StorageOutage) return
    const { log } = this.#parts
    if (!(error instanceof StorageUnavailable)) log.error(message, error)
    else if (this.#failuresInARow === 0) log.warn(message, { reason: error.message })
  }

  // Calls that began together end at about the same time, so a short wait lets their outcomes share a transaction. New work does not
  // wait.
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

  // Visits every endpoint with due deliveries once, a few endpoints per step.
  async #round(): Promise<void> {
    const due = await this.#endpointsWithWork()
    do await this.#step(due.splice(0, stepEndpointsMax))
    while (
      // Stops early if other endpoints have new work, instead of serving the same few forever.
      !this.#isLookDue &&
      due.length > 0 &&
      this.#held.room(this.#callsMax).limit > 0
    )
    // No call was free for these endpoints, or new work came first. They are visited in another round.
    if (due.length > 0) this.#isLookDue = true
    if (this.#outcomes.length > 0 || this.#returns.length > 0) this.#wake()
  }

  async #endpointsWithWork(): Promise<EndpointKey[]> {
    // Outcomes that are about to be written do not occupy calls any more.
    if (this.#isDraining || !this.#isLookDue || this.#inFlight >= this.#callsMax) return []
    this.#isLookDue = false
    const now = this.#now()
    return this.#parts.storage.read((db) => listDueEndpoints(db, this.#lastEndpoint, now))
  }

  // Steps: each step is one transaction.

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
        if (returned.length > 0) releaseUncalled(tx, returned, now)
        if (endpoints.length === 0) return noClaimedDeliveries
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

  // After a failed step, writes outcomes, releases and claims separately, and divides them until the row that cannot be written is found.
  // That row is deferred and this process gives it up: once its lease has expired and it is due again, it is handled like a row of a
  // process that died.
  async #stepApart({ ended, returned, endpoints }: Step, now: number): Promise<void> {
    const { storage } = this.#parts
    const at = { storage, loop: 'webhook_dispatch', now } as const
    const found: RowFailure[] = []
    const written = new Set<ClaimedDelivery>()
    const note = (claims: readonly ClaimedDelivery[]) => {
      for (const claimed of claims) written.add(claimed)
      return claims.length
    }
    try {
      await storage.rolledBack()
      await collectFailures(
        found,
        handleRows(at, [ended], keyOfOutcome, async (group) => {
          await storage.write((tx) => recordOutcomes(tx, group, now))
          return note(group.map(({ claimed }) => claimed))
        }),
      )
      await collectFailures(
        found,
        handleRows(at, [returned], keyOf, async (group) => {
          await storage.write(async (tx) => releaseUncalled(tx, group, now))
          return note(group)
        }),
      )
    } finally {
      // If the database is unreachable, rows that could not be tried are written by a later step, unless their lease has expired.
      const failed = new Set(found.map(({ rowId }) => rowId))
      const isLeft = (claimed: ClaimedDelivery) =>
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

  // Calls: they are made outside of any transaction.

  #accept(claimed: readonly ClaimedDelivery[]): void {
    const staleAt = performance.now() + aheadMsMax
    for (const delivery of claimed) this.#held.add(delivery, staleAt)
    for (const id of new Set(claimed.map(({ endpointId }) => endpointId))) this.#callNext(id)
  }

  #callNext(endpointId: string): void {
    // Also releases deliveries whose claim was in progress when draining began.
    if (this.#isDraining) this.#returnWaiting(endpointId)
    this.#returnStale(endpointId)
    for (let next = this.#held.begin(endpointId); next; next = this.#held.begin(endpointId)) {
      if (next.left === refillAt) this.#endGathering?.()
      void this.#deliver(next.claimed)
    }
  }

  async #deliver(claimed: ClaimedDelivery): Promise<void> {
    this.#inFlight += 1
    this.#callsMade += 1
    const startedAt = this.#now()
    const call = await this.#call(claimed, startedAt)
    this.#held.end(claimed.endpointId)
    this.#inFlight -= 1
    this.#counts[isSuccess(call) ? 'succeeded' : call.kind === 'blocked' ? 'blocked' : 'failed'] += 1
    this.#outcomes.push({ claimed, call, startedAt })
    if (this.#outcomes.length >= stepOutcomesMax) this.#endGathering?.()
    // The transaction that writes the outcome also decides how often a failing endpoint is called, so waiting deliveries are released.
    if (!isSuccess(call) || this.#isDraining) this.#returnWaiting(claimed.endpointId)
    else this.#callNext(claimed.endpointId)
    this.#wake()
  }

  #returnStale(endpointId: string): void {
    const now = { time: this.#now(), monotonic: performance.now() }
    if (this.#held.isStale(endpointId, now)) this.#returnWaiting(endpointId)
  }

  // The deliveries are claimed again as soon as they may be called.
  #returnWaiting(endpointId: string): void {
    const waiting = this.#held.takeWaiting(endpointId)
    if (waiting.length === 0) return
    this.#returns.push(...waiting)
    this.#wake()
  }

  // Releases the leases of processes that died.

  async #reap(all: boolean): Promise<void> {
    const { storage, log } = this.#parts
    try {
      const found: RowFailure[] = []
      const released = (await collectFailures(found, releaseLeases(storage, this.#now(), { all }))) - found.length
      this.#report(found)
      if (released > 0) log.warn('released the deliveries of a process that has ended', { released })
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

function keyOf({ installationId, id }: ClaimedDelivery): RowKey {
  return { tenantId: installationId, rowId: id }
}

function keyOfOutcome({ claimed }: DeliveryOutcome): RowKey {
  return keyOf(claimed)
}

// When a call ends, its endpoint has a free call, and the next event of its subject is no longer blocked. So the transaction that writes
// the outcome claims for this endpoint too.
function withEnded(due: readonly EndpointKey[], ended: readonly DeliveryOutcome[]): EndpointKey[] {
  const endpoints = new Map(due.map((endpoint) => [endpoint.id, endpoint]))
  for (const { claimed } of ended)
    endpoints.set(claimed.endpointId, { installationId: claimed.installationId, id: claimed.endpointId })
  return [...endpoints.values()]
}

// Returns how many deliveries may be claimed ahead per endpoint, by how long its calls took.
function aheadOf(ended: readonly DeliveryOutcome[]): Map<string, number> {
  const byEndpoint = Map.groupBy(ended, ({ claimed }) => claimed.endpointId)
  return new Map(
    [...byEndpoint].map(([id, group]) => {
      const tookMs = group.reduce((sum, { call }) => sum + call.tookMs, 0) / group.length
      return [id, aheadMaxFor(tookMs)]
    }),
  )
}
