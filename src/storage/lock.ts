// Sees to it that one server serves a SQLite file, and remembers whether the last one ended in order. The lock is the
// operating system's, on a second file, so that it ends with the process however that ends, and never stands in the way
// of the command line.
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './connection.ts'
import { createPrivately } from './file.ts'
import { StorageRefused } from './storage.ts'

export interface ServerLock {
  // The run before this one closed the file itself.
  readonly lastRunEndedClean: boolean
  release(clean: boolean): void
}

export function takeServerLock(file: string): ServerLock {
  const path = `${file}.lock`
  let db: DatabaseSync | undefined
  try {
    createPrivately(path)
    db = new DatabaseSync(path, { timeout: 0 })
    const lastRunEndedClean = markUnclean(db)
    return { lastRunEndedClean, release: (clean) => release(db as DatabaseSync, clean) }
  } catch (error) {
    db?.close()
    if (isBusy(error)) throw new StorageRefused(`another Cartwright server has this file open: ${file}`, error)
    throw new StorageRefused(`the lock file cannot be used: ${path}: ${(error as Error).message}`, error)
  }
}

// In exclusive mode the lock of the first write is kept until the file is closed.
function markUnclean(db: DatabaseSync): boolean {
  db.exec('pragma locking_mode = exclusive; begin exclusive; create table if not exists run (clean int not null)')
  const last = db.prepare('select clean from run').get()
  db.exec('delete from run; insert into run (clean) values (0); commit')
  return last?.clean === 1
}

function release(db: DatabaseSync, clean: boolean): void {
  if (clean) db.exec('update run set clean = 1')
  db.close()
}
