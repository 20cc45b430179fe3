// Stores data in one SQLite file: writes queue, and reads run concurrently without waiting.
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { checkBeside, checkFirst } from './check.ts'
import { type Connection, connectReader, connectReadOnly, connectWriter, isBusy } from './connection.ts'
import { isEmptyFile, prepareFile } from './file.ts'
import type { Log } from './inside.ts'
import { type LastRunEnding, type ServerLock, takeServerLock } from './lock.ts'
import { type Outage, watchOutage } from './outage.ts'
import { createSignalListeners, type SignalListeners } from './signals.ts'
import { openSnapshots, type Snapshots } from './snapshots.ts'
import { checkFreeSpace, diskProblemText, measureSpace } from './space.ts'
import {
  READS_ONLY,
  type Storage,
  type StorageOptions,
  StorageOutage,
  StorageRefused,
  StorageUnavailable,
  type Tx,
} from './storage.ts'
import { openWriter, type Writer } from './writer.ts'

const DEFAULTS = { workMsMax: 10_000, queueMax: 10_000, busyMsMax: 5_000, groupWorksMax: 128, groupMsMax: 8 }

export async function openSqlite(path: string, options: StorageOptions): Promise<Storage> {
  const bounds = { ...DEFAULTS, ...options }
  const log = options.log ?? (() => {})
  const file = prepareFile(path)
  const wasEmpty = statSync(file).size === 0
  const lock = options.server ? takeServerLock(file) : undefined
  let connection: Connection | undefined
  try {
    connection = await patiently(() => connectWriter(file), bounds.busyMsMax)
    const isDoubtful = lock?.lastRun === 'unclean' && !wasEmpty
    if (lock?.lastRun === 'damaged' || (isDoubtful && options.checksFirst)) {
      checkFirst(connection, file, log)
      lock.note('unclean')
    }
    const listeners = createSignalListeners(log)
    const writer = openWriter(connection, bounds, listeners.call, log)
    const snapshots = openSnapshots(() => connectReader(file), bounds)
    const db = connection.db
    let damage: StorageRefused | undefined
    const check =
      isDoubtful && !options.checksFirst
        ? checkBeside(file, log, (found) => {
            damage = found
            noteEnding(lock, 'damaged', log)
            options.onDamage?.(found)
          })
        : undefined
    const release = () => {
      // The check also reads the file, which would prevent emptying the write-ahead log.
      check?.stop()
      const isTidy = closeFile(db, log)
      if (lock && isTidy && (check === undefined || check.isDone())) noteEnding(lock, 'clean', log)
      lock?.release()
    }
    const tryDisk = options.tryRoom ?? (() => checkFreeSpace(file))
    return storage({
      ...{ file, writer, snapshots, listeners, outage: watchOutage(log), tryDisk, damage: () => damage, release },
    })
  } catch (error) {
    connection?.db.close()
    lock?.release()
    if (error instanceof StorageRefused) throw error
    throw new StorageRefused(`the storage file cannot be opened: ${file}: ${diskProblemText(file, error)}`, error)
  }
}

// Returns undefined if the file does not exist or is empty.
export async function inspectSqlite(path: string, options: StorageOptions): Promise<Storage | undefined> {
  if (isEmptyFile(path)) return undefined
  const bounds = { ...DEFAULTS, ...options }
  try {
    const snapshots = await patiently(() => openSnapshots(() => connectReadOnly(path), bounds), bounds.busyMsMax)
    const log = options.log ?? (() => {})
    return storage({
      file: path,
      writer: noWriter,
      snapshots,
      listeners: createSignalListeners(log),
      outage: watchOutage(log),
      tryDisk: async () => {},
      damage: () => undefined,
      release: () => {},
    })
  } catch (error) {
    if (error instanceof StorageRefused) throw error
    throw new StorageRefused(`the storage file cannot be opened: ${path}: ${diskProblemText(path, error)}`, error)
  }
}

const noWriter: Writer = {
  write: () => Promise.reject(new Error(READS_ONLY)),
  stats: () => ({ commits: 0, works: 0, queued: 0 }),
  close: async () => {},
}

interface Parts {
  file: string
  writer: Writer
  snapshots: Snapshots
  listeners: SignalListeners
  outage: Outage
  // Rejects while the disk is full.
  tryDisk: () => Promise<void>
  damage: () => StorageRefused | undefined
  release: () => void
}

// Minimum time between two checks of the disk during an outage. A successful write starts a check.
const RECHECK_MS = 1_000

function storage({ file, writer, snapshots, listeners, outage, tryDisk, damage, release }: Parts): Storage {
  let closing: Promise<void> | undefined
  let isFailing = false
  let checkedAt = Number.NEGATIVE_INFINITY
  // If a write fails because of the disk, later writes will mostly fail too, although small ones may succeed.
  async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      const value = await writer.write(work)
      if (!outage.isOn) isFailing = false
      else if (performance.now() - checkedAt >= RECHECK_MS) recover().catch(() => {})
      return value
    } catch (error) {
      noteFailure(error)
      throw error
    }
  }
  function noteFailure(error: unknown): void {
    // An error of the work itself says nothing about the disk.
    if (error instanceof StorageUnavailable) isFailing = true
    else if (!outage.isOn) isFailing = false
    if (error instanceof StorageOutage) outage.begin(error)
  }
  // The outage only ends when there is certainly enough space, so a long outage is logged in two lines and not in hundreds.
  async function recover(): Promise<void> {
    const startedAt = performance.now()
    checkedAt = startedAt
    try {
      await writer.write((tx) => tx.sql`update schema_migrations set applied_at = applied_at where version = 1`)
    } catch (error) {
      noteFailure(error)
      throw error
    }
    if (outage.isOn) await tryDisk()
    isFailing = false
    outage.end(startedAt)
  }
  // A damaged file is not even read, because a wrong price is worse than no response.
  function refusal(): Promise<never> | undefined {
    const found = damage()
    // An outage, since `onDamage` already reports the damage and shuts down the server.
    return found && Promise.reject(new StorageOutage(found.message, found))
  }
  return {
    engine: 'sqlite',
    // Ensured by the lock file.
    hasOneServer: true,
    read: (work) => refusal() ?? snapshots.read(work),
    write: (work) => refusal() ?? write(work),
    // Work runs one after the other, and failed work is rolled back before the next begins.
    rolledBack: async () => {},
    commitMark: () => (damage() ? undefined : snapshots.mark()),
    listen: listeners.add,
    // Does nothing, because query plans of SQLite do not depend on the number of rows.
    afterBulkLoad: async () => {},
    async checkWrites() {
      await refusal()
      if (isFailing) await recover()
    },
    async space() {
      await refusal()
      return { ...(await measureSpace(file)), tables: null }
    },
    stats() {
      const { open, idle, waiting } = snapshots.stats()
      return {
        engine: 'sqlite',
        connections: { open: open + 1, idle, waiting },
        writes: { ...writer.stats(), retries: 0 },
      }
    },
    close() {
      listeners.close()
      closing ??= Promise.all([writer.close(), snapshots.close()]).then(release)
      return closing
    },
  }
}

// Retries while the file is busy. Several processes may open a new file at the same time: switching it to a write-ahead log needs
// exclusive access for a moment, in which every other process gets SQLITE_BUSY even with a time-out.
async function patiently<T>(connect: () => T, patienceMs: number): Promise<T> {
  const hopelessAt = performance.now() + patienceMs
  for (;;) {
    try {
      return connect()
    } catch (error) {
      if (!isBusy(error) || performance.now() > hopelessAt) throw error
      await pause(5)
    }
  }
}

// Moves committed data from the write-ahead log into the file. If the disk is full, the data stays in the log, where it is just as safe,
// and the next start moves it. This is logged, but is not a failure.
function closeFile(db: Connection['db'], log: Log): boolean {
  let isTidy = true
  try {
    db.exec('pragma wal_checkpoint(truncate)')
  } catch (error) {
    isTidy = false
    log('checkpoint at shutdown failed; nothing is lost', { reason: (error as Error).message })
  }
  db.close()
  return isTidy
}

// If a clean shutdown is not recorded, the next start checks the file, which only takes time.
function noteEnding(lock: ServerLock, ending: LastRunEnding, log: Log): void {
  try {
    lock.note(ending)
  } catch (error) {
    log('could not record how the run ended', { ending, reason: (error as Error).message })
  }
}
