// Backs up a SQLite database while it is in use, and restores a backup. A file gets its final name only after it is complete, checked and
// synced to disk.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { setImmediate as pause } from 'node:timers/promises'
import { connectReader, isBusy, openReadOnlyFile } from './connection.ts'
import { createPrivately, isEmptyFile } from './file.ts'
import { takeServerLock } from './lock.ts'
import { migrate } from './migrate.ts'
import { openSnapshots } from './snapshots.ts'
import { openSqlite } from './sqlite.ts'
import { type Reader, StorageRefused, StorageUnavailable } from './storage.ts'

export interface BackupOptions {
  // Whether an existing file is replaced.
  force: boolean
  onProgress?: (donePages: number, totalPages: number) => void
  // Called with the name of each step that is reached, so a test can stop there.
  onStep?: (step: string) => void
  // Aborts with the reason of the signal, and removes everything written so far.
  signal?: AbortSignal
}

export interface BackupResult {
  // Path of the file with symbolic links resolved.
  file: string
  bytes: number
  // Name of the newest migration in the backup.
  migration: string
}

// `source` is a database file, possibly in use by a server. The server continues to write to its write-ahead log; only checkpoints wait
// until the copy is done.
export async function backUp(source: string, path: string, options: BackupOptions): Promise<BackupResult> {
  if (!existsSync(source)) throw new StorageRefused(`there is no database to back up: ${source}`)
  const file = placeOf(path)
  refuseOwnFile(realpathSync(source), file)
  if (existsSync(file) && !options.force)
    throw new StorageRefused(`${file} already exists: name another file, or replace it with --force`)
  refuseOtherFile(file)
  refuseLeftovers(file)
  return orRefuse(`cannot back up to ${file}`, () =>
    withPartial(file, async (partial) => {
      // A read-only connection cannot clean up: if no other process has the database open, it would leave an empty write-ahead log
      // behind.
      await copySnapshot(source, partial, { ...options, readOnly: false })
      await step('copied', options)
      const migration = check(partial, 'quick_check')
      await step('checked', options)
      sync(partial)
      await step('synced', options)
      giveName(partial, file, options.force)
      options.onStep?.('named')
      return { file, bytes: statSync(file).size, migration }
    }),
  )
}

export interface RestoreResult {
  file: string
  bytes: number
  // Migrations that were missing in the backup and were applied to the copy.
  applied: string[]
  // Path to which the previous database was moved.
  replaced: string | undefined
}

// Everything that can fail is done under another name: an existing database stays unchanged until the copy of the backup is complete,
// checked and migrated.
export async function restoreBackup(
  path: string,
  target: string,
  options: BackupOptions & { now: Date; directory?: string },
): Promise<RestoreResult> {
  refuseMissing(path)
  mkdirSync(dirname(resolve(target)), { recursive: true, mode: 0o700 })
  const file = placeOf(target)
  refuseOwnFile(file, realpathSync(path))
  const lock = takeServerLock(file)
  let ending = lock.lastRun
  try {
    if (existsSync(file) && !options.force)
      throw new StorageRefused(`${file} is an existing database: replace it with --force`)
    if (!existsSync(file)) refuseLeftovers(file)
    return await orRefuse(`cannot restore ${path}`, () =>
      withPartial(file, async (partial) => {
        await copySnapshot(path, partial, { ...options, readOnly: true })
        await step('copied', options)
        check(partial, 'integrity_check')
        const applied = await migratePartial(partial, options)
        await step('migrated', options)
        sync(partial)
        const replaced = existsSync(file) ? putAside(file, options.now) : undefined
        options.onStep?.('put aside')
        giveName(partial, file, options.force)
        ending = 'clean'
        return { file, bytes: statSync(file).size, applied, replaced }
      }),
    )
  } finally {
    lock.note(ending)
    lock.release()
  }
}

// Reads from a backup without changing it.
export async function readBackup<T>(path: string, work: (db: Reader) => Promise<T>): Promise<T> {
  refuseMissing(path)
  return orRefuse(`cannot restore ${path}`, async () => {
    const snapshots = openSnapshots(() => connectReader(path), { workMsMax: LOOK_MS_MAX, queueMax: 1 })
    try {
      return await snapshots.read(work)
    } finally {
      await snapshots.close()
    }
  })
}

const LOOK_MS_MAX = 60_000

function refuseMissing(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new StorageRefused(`there is no backup ${path}`)
}

// Lets a pending SIGINT or SIGTERM be handled: the work between two steps is synchronous.
async function step(name: string, { onStep, signal }: BackupOptions): Promise<void> {
  onStep?.(name)
  await pause()
  signal?.throwIfAborted()
}

// The folder must exist; the file may be a symbolic link.
function placeOf(path: string): string {
  if (existsSync(path)) {
    if (!statSync(path).isFile()) throw new StorageRefused(`${path} is not a file`)
    return realpathSync(path)
  }
  const folder = dirname(resolve(path))
  if (!existsSync(folder)) throw new StorageRefused(`there is no folder ${folder}`)
  return join(realpathSync(folder), basename(path))
}

const beside = ['-wal', '-shm', '-journal'] as const

function refuseOwnFile(store: string, file: string): void {
  const own = ['', '.lock', ...beside].map((ending) => store + ending)
  const isSame = (one: string) => {
    const [here, there] = [one, file].map((path) => statSync(path, { throwIfNoEntry: false }))
    return one === file || (here !== undefined && here.ino === there?.ino && here.dev === there.dev)
  }
  if (own.some(isSame)) throw new StorageRefused(`${file} belongs to the database itself: name another file`)
}

const HEAD = 'SQLite format 3\0'

// An earlier backup may be replaced. Any other file, such as the root secret beside the database, was named by mistake.
function refuseOtherFile(file: string): void {
  if (isEmptyFile(file)) return
  const fd = openSync(file, 'r')
  try {
    const head = Buffer.alloc(HEAD.length)
    readSync(fd, head)
    if (head.toString('latin1') !== HEAD)
      throw new StorageRefused(`${file} is not a database and is not replaced: name another file`)
  } finally {
    closeSync(fd)
  }
}

// SQLite would treat such a file as unfinished work on the new database, and destroy it.
function refuseLeftovers(file: string): void {
  const found = beside.map((ending) => file + ending).find((path) => existsSync(path))
  if (found) throw new StorageRefused(`${found} belongs to a former database of this name: move the file away first`)
}

const ENDING = '.partial'
// A copy in progress writes all the time. A copy that has not been written for this long was killed.
const ABANDONED_MS = 3_600_000

// The partial file is in the same folder as its target, so the final rename is atomic.
async function withPartial<T>(file: string, work: (partial: string) => Promise<T>): Promise<T> {
  sweepAbandoned(file)
  const partial = `${file}.${randomBytes(6).toString('hex')}${ENDING}`
  createPrivately(partial)
  try {
    return await work(partial)
  } finally {
    for (const ending of ['', ...beside]) rmSync(partial + ending, { force: true })
  }
}

// Removes the remains of killed copies. Those with this target are removed immediately; others in the folder only when they are old,
// because each nightly backup has a name of its own.
function sweepAbandoned(file: string): void {
  const folder = dirname(file)
  const form = new RegExp(`^(.*)(\\.[0-9a-f]{12}\\${ENDING})(${beside.join('|')})?$`)
  const found = readdirSync(folder).flatMap((name) => {
    const [, target = '', ending = ''] = form.exec(name) ?? []
    return ending ? [{ target, partial: join(folder, target + ending) }] : []
  })
  for (const { target, partial } of found) {
    const writtenAt = statSync(partial, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const isYoung = Date.now() - writtenAt < ABANDONED_MS
    if (writtenAt > 0 && (target === basename(file) ? isInUse(partial) : isYoung)) continue
    for (const ending of ['', ...beside]) rmSync(partial + ending, { force: true })
  }
}

// Returns whether the copy is in progress: SQLite holds a lock on it while it is made and checked.
function isInUse(partial: string): boolean {
  const db = new DatabaseSync(partial, { timeout: 0 })
  try {
    db.exec('begin exclusive')
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    db.close()
  }
}

// Progress is reported, and an abort is handled, every 8 MiB.
const STEP_PAGES = 2048
const SOURCE_BUSY_MS = 5_000

// SQLite restarts a backup whenever another process writes between its steps, so beside a busy server it would never finish. A read
// transaction therefore holds one snapshot for all steps. Measured beside a process that writes without pause, with 144 MB: 0.8 s.
// Without the snapshot it was not done after 5 s; `vacuum into`, which would also work, took 1.9 s and reports no progress.
async function copySnapshot(
  source: string,
  partial: string,
  { readOnly, onProgress, signal }: BackupOptions & { readOnly: boolean },
): Promise<void> {
  const db = readOnly
    ? new DatabaseSync(source, { readOnly, timeout: SOURCE_BUSY_MS })
    : openReadOnlyFile(source, SOURCE_BUSY_MS)
  try {
    // The snapshot is taken by the first read, not by `begin`.
    db.exec('begin; select count(*) from sqlite_master')
    await backup(db, partial, {
      rate: STEP_PAGES,
      progress: ({ totalPages, remainingPages }) => {
        signal?.throwIfAborted()
        onProgress?.(totalPages - remainingPages, totalPages)
      },
    })
    db.exec('commit')
  } finally {
    db.close()
  }
}

// Returns the name of the newest migration. `quick_check` reads every page; `integrity_check` also compares each index with its table,
// which takes four times as long.
function check(file: string, pragma: 'quick_check' | 'integrity_check'): string {
  const db = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: false })
  try {
    // Turns off the write-ahead log mode, which the copy inherits from its source. The copy is then a single file, which can be read even
    // on a read-only medium.
    db.exec('pragma journal_mode = delete')
    const finding = String(Object.values(db.prepare(`pragma ${pragma}(1)`).get() ?? {})[0])
    if (finding !== 'ok') throw new StorageRefused(`the copy is damaged, because its source is damaged: ${finding}`)
    const table = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'").get()
    const newest = table && db.prepare('select name from schema_migrations order by version desc limit 1').get()
    if (!newest) throw new StorageRefused('the file is not a Cartwright database: it has no migrations')
    return String(newest.name)
  } finally {
    db.close()
  }
}

async function migratePartial(partial: string, options: { now: Date; directory?: string }): Promise<string[]> {
  const storage = await openSqlite(partial, {})
  try {
    return await migrate(storage, options)
  } finally {
    await storage.close()
  }
}

// The old database is kept under another name, because an operator in a hurry may restore the wrong file. It also keeps its own name
// until the new file replaces it, so there is a database at every moment.
function putAside(file: string, now: Date): string {
  const aside = `${file}.replaced-${now.toISOString().replaceAll(/[-:.]/g, '')}`
  linkSync(file, aside)
  if (existsSync(`${file}-wal`)) linkSync(`${file}-wal`, `${aside}-wal`)
  try {
    // If a damaged database cannot be checkpointed, its write-ahead log stays with it.
    if (canCheckpointAlone(file)) rmSync(`${aside}-wal`, { force: true })
  } catch (error) {
    for (const path of [aside, `${aside}-wal`]) rmSync(path, { force: true })
    throw error
  }
  for (const ending of beside) rmSync(file + ending, { force: true })
  return aside
}

// Refuses if another process has the database open: a command may have it open without the server lock. Checkpoints the write-ahead log,
// so the database is a single file. Returns false if the database is too damaged for this.
function canCheckpointAlone(file: string): boolean {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    db.exec('pragma locking_mode = exclusive; begin immediate; commit; pragma journal_mode = delete')
    return true
  } catch (error) {
    if (isBusy(error))
      throw new StorageRefused(`another process has the database ${file} open: stop that process first`, error)
    return false
  } finally {
    db.close()
  }
}

// Without `force`, no file is replaced, not even one that was created after the check.
function giveName(partial: string, file: string, force: boolean): void {
  if (force || !link(partial, file)) renameSync(partial, file)
  sync(dirname(file))
}

function link(partial: string, file: string): boolean {
  try {
    linkSync(partial, file)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new StorageRefused(`${file} already exists: name another file, or replace it with --force`)
    // The file system has no hard links, as on most memory sticks.
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) return false
    throw error
  }
}

function sync(path: string): void {
  const isFolder = statSync(path).isDirectory()
  // Windows cannot open a folder, and does not need to sync it.
  if (isFolder && process.platform === 'win32') return
  const fd = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

async function orRefuse<T>(problem: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Errors of the disk and of SQLite, and our own refusals, are reported to the operator. Any other error is a defect.
    const isOurs = error instanceof StorageRefused || error instanceof StorageUnavailable
    if (!isOurs && !(error instanceof Error && 'code' in error)) throw error
    throw new StorageRefused(`${problem}: ${error.message}`, error)
  }
}
