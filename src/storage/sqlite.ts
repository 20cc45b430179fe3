// Facts in one SQLite file: a queue of writes, and reads beside it that never wait for them.
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, connectReader, connectWriter, isBusy } from './connection.ts'
import { prepareFile } from './file.ts'
import { takeServerLock } from './lock.ts'
import { openSnapshots, type Snapshots } from './snapshots.ts'
import { type Storage, type StorageOptions, StorageRefused } from './storage.ts'
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
    connection = await connectPatiently(file, bounds.busyMsMax)
    if (lock && !lock.lastRunEndedClean && !wasEmpty) checkFile(connection, file, log)
    const writer = openWriter(connection, bounds, log)
    const snapshots = openSnapshots(() => connectReader(file), bounds)
    const db = connection.db
    return storage(writer, snapshots, () => {
      let isClean = false
      try {
        closeFile(db)
        isClean = true
      } finally {
        lock?.release(isClean)
      }
    })
  } catch (error) {
    connection?.db.close()
    lock?.release(false)
    if (error instanceof StorageRefused) throw error
    throw new StorageRefused(`the storage file cannot be opened: ${file}: ${(error as Error).message}`, error)
  }
}

function storage(writer: Writer, snapshots: Snapshots, release: () => void): Storage {
  let closing: Promise<void> | undefined
  return {
    engine: 'sqlite',
    read: snapshots.read,
    write: writer.write,
    stats() {
      const { open, idle, waiting } = snapshots.stats()
      return {
        engine: 'sqlite',
        connections: { open: open + 1, idle, waiting },
        writes: { ...writer.stats(), retries: 0 },
      }
    },
    close() {
      closing ??= Promise.all([writer.close(), snapshots.close()]).then(release)
      return closing
    },
  }
}

// Several processes may meet at a new file. Turning it to a write-ahead log needs it alone for a moment, and whoever comes
// then is told busy at once, whatever it asks.
async function connectPatiently(file: string, patienceMs: number): Promise<Connection> {
  const hopelessAt = performance.now() + patienceMs
  for (;;) {
    try {
      return connectWriter(file)
    } catch (error) {
      if (!isBusy(error) || performance.now() > hopelessAt) throw error
      await pause(5)
    }
  }
}

// After an unclean end SQLite repairs what it was writing. This finds what it cannot know: a disk that lied or lost.
function checkFile(connection: Connection, file: string, log: (line: string, fields?: object) => void): void {
  const startedAt = performance.now()
  const [first] = connection.db.prepare('pragma quick_check(1)').all()
  const finding = String(Object.values(first ?? {})[0])
  const tookMs = Math.round(performance.now() - startedAt)
  log('nothing says that the last run ended cleanly, so the file was checked', { file, finding, tookMs })
  if (finding !== 'ok') throw new StorageRefused(`the storage file is damaged, restore a backup: ${file}: ${finding}`)
}

function closeFile(db: Connection['db']): void {
  try {
    db.exec('pragma wal_checkpoint(truncate)')
  } finally {
    db.close()
  }
}
