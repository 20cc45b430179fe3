// The connections of one process. Work waits here for a connection. Connections to a server that is no longer the primary are discarded.

import type pg from 'pg'
import { errorMessageOf } from '../inside.ts'
import { StorageOutage, StorageUnavailable } from '../storage.ts'
import { createWaitQueue, WaitTimeout } from '../waitqueue.ts'
import type { PostgresBounds } from './bounds.ts'
import { isFull, isPoolTimeout } from './errors.ts'

// `SILENT_MS`: a connection attempt that fails after this time shows that the server is unreachable. For `REFUSED_MS` after it, new work
// is refused immediately.
const SILENT_MS = 1_000
const REFUSED_MS = 250
// Time after which the pool may again grow to its full size.
const FEWER_MS = 30_000

export interface PooledConnections {
  acquire(): Promise<pg.PoolClient>
  // Discards all existing connections, since they lead to a server that is no longer the primary.
  distrust(): void
  waiting(): number
}

export function createPooledConnections(pool: pg.Pool, bounds: PostgresBounds): PooledConnections {
  const connectedAt = new WeakMap<pg.PoolClient, number>()
  let distrustedAt = -1
  let refusedAt = Number.NEGATIVE_INFINITY
  // The pool has only one time limit for opening a connection and waiting for one, so work waits here instead.
  const turns = createWaitQueue({
    isFree: () => pool.waitingCount < pool.idleCount + pool.options.max - pool.totalCount,
    take: () => pool.connect(),
    stallMsMax: bounds.stallMsMax,
    waitMsMax: bounds.waitMsMax,
  })
  pool.on('connect', (client) => connectedAt.set(client, performance.now()))
  // The pool emits this event before the connection is back in the pool.
  pool.on('release', () => process.nextTick(turns.pump))
  pool.on('remove', () => process.nextTick(turns.pump))

  async function connect(): Promise<pg.PoolClient> {
    const isOut = performance.now() - refusedAt < REFUSED_MS && pool.idleCount === 0
    if (isOut) throw new StorageOutage('PostgreSQL cannot be reached: the last connection attempt failed a moment ago')
    for (;;) {
      const startedAt = performance.now()
      try {
        return await turns.take()
      } catch (error) {
        if (error instanceof WaitTimeout) throw error
        // The connection could not be opened, so its slot is free again.
        turns.pump()
        const now = performance.now()
        if (now - startedAt > SILENT_MS && pool.totalCount === 0) refusedAt = now
        if (!isFull(error) || pool.totalCount === 0) throw error
        // The server refuses further connections: wait for one of those that exist.
        shrink()
      }
    }
  }

  function shrink(): void {
    pool.options.max = Math.max(1, pool.totalCount)
    setTimeout(() => {
      pool.options.max = bounds.connectionsMax
    }, FEWER_MS).unref()
  }

  return {
    async acquire() {
      if (turns.waiting >= bounds.queueMax)
        throw new StorageUnavailable('too many reads and writes are waiting for a connection')
      try {
        for (;;) {
          const client = await connect()
          if ((connectedAt.get(client) ?? 0) >= distrustedAt) return client
          client.release(true)
        }
      } catch (error) {
        if (error instanceof StorageUnavailable) throw error
        if (error instanceof WaitTimeout || isPoolTimeout(error))
          throw new StorageUnavailable('no PostgreSQL connection became available in time', error)
        throw new StorageOutage(`PostgreSQL cannot be reached: ${errorMessageOf(error)}`, error)
      }
    },
    distrust() {
      distrustedAt = performance.now()
    },
    waiting: () => turns.waiting + pool.waitingCount,
  }
}
