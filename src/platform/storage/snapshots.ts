// Reads of a SQLite file. Each concurrent read has its own connection, and so one consistent snapshot, and never waits for a writer. A
// read awaits only its own statements, which are synchronous, so nearly all reads use the same connection.
import type { StatementSync } from 'node:sqlite'
import type { Connection } from './connection.ts'
import { SqliteReader } from './reader.ts'
import { type Reader, StorageUnavailable } from './storage.ts'

export interface Snapshots {
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>
  // Returns a number that changes with each commit.
  mark(): number | undefined
  stats(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}

const READERS_MAX = 4

interface Bounds {
  workMsMax: number
  queueMax: number
}

interface Read {
  connection: Connection
  reader: SqliteReader
  startedAt: number
}

export function openSnapshots(connect: () => Connection, bounds: Bounds): Snapshots {
  const idle: Connection[] = [connect()]
  const active = new Set<Read>()
  const waiting: ((connection: Connection) => void)[] = []
  let opened = 1
  let closed = false
  let drained: (() => void) | undefined
  // The connection that reads the mark: its numbers are only comparable within one connection. It has no open transaction, so it sees
  // every commit.
  let marker: { connection: Connection; statement: StatementSync } | undefined

  // Ends a read that awaits something slow, because it would delay checkpoints.
  const watch = setInterval(() => {
    const oldest = performance.now() - bounds.workMsMax
    for (const read of active) if (read.startedAt < oldest) leave(read)
  }, bounds.workMsMax / 4).unref()

  function take(): Connection | Promise<Connection> {
    if (closed) throw new StorageUnavailable('the storage is closed')
    const connection = idle.pop()
    if (connection) return connection
    if (opened < READERS_MAX) {
      const added = connect()
      opened += 1
      return added
    }
    if (waiting.length >= bounds.queueMax) throw new StorageUnavailable('too many reads are waiting')
    return new Promise((resolve) => waiting.push(resolve))
  }

  function leave(read: Read): void {
    if (!active.delete(read)) return
    read.reader.end()
    if (read.connection.db.isTransaction) read.connection.command('commit')
    const next = waiting.shift()
    if (next) next(read.connection)
    else idle.push(read.connection)
    if (idle.length === opened) drained?.()
  }

  return {
    async read(work) {
      const taken = take()
      const connection = taken instanceof Promise ? await taken : taken
      const read = { connection, reader: new SqliteReader(connection), startedAt: performance.now() }
      active.add(read)
      try {
        connection.command('begin')
        const value = await work(read.reader)
        if (read.reader.failure) throw read.reader.failure
        return value
      } finally {
        leave(read)
      }
    },
    mark() {
      if (closed) return undefined
      marker ??= markerOn(connect())
      return marker.statement.get()?.data_version as number
    },
    stats: () => ({ open: opened, idle: idle.length, waiting: waiting.length }),
    async close() {
      closed = true
      if (idle.length < opened) await new Promise<void>((resolve) => (drained = resolve))
      clearInterval(watch)
      for (const connection of idle) connection.db.close()
      marker?.connection.db.close()
    },
  }
}

function markerOn(connection: Connection): { connection: Connection; statement: StatementSync } {
  return { connection, statement: connection.db.prepare('pragma data_version') }
}
