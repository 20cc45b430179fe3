// Ensures that only one server uses a SQLite file, and records whether the last one shut down cleanly. The lock is an operating system
// lock on a second file: it is released when the process ends for any reason, and does not block the command line.
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from './connection.ts'
import { createPrivately } from './file.ts'
import { diskProblemText } from './space.ts'
import { StorageRefused } from './storage.ts'

// How the last server left the file. A killed server leaves `unclean`. `damaged` remains until a check finds the file intact.
export type LastRunEnding = 'clean' | 'unclean' | 'damaged'

export interface ServerLock {
  readonly lastRun: LastRunEnding
  note(ending: LastRunEnding): void
  release(): void
}

const marks: Readonly<Record<LastRunEnding, number>> = { unclean: 0, clean: 1, damaged: 2 }

export function takeServerLock(file: string): ServerLock {
  const path = `${file}.lock`
  let db: DatabaseSync | undefined
  try {
    createPrivately(path)
    const opened = new DatabaseSync(path, { timeout: 0 })
    db = opened
    const lastRun = begin(opened)
    return { lastRun, note: (ending) => note(opened, ending), release: () => opened.close() }
  } catch (error) {
    db?.close()
    if (isBusy(error))
      throw new StorageRefused(`another Cartwright server has the database ${file} open: stop that server first`, error)
    throw new StorageRefused(`the lock file cannot be used: ${path}: ${diskProblemText(path, error)}`, error)
  }
}

// In exclusive mode, the lock that the first write takes is held until the file is closed.
function begin(db: DatabaseSync): LastRunEnding {
  db.exec('pragma locking_mode = exclusive; begin exclusive; create table if not exists run (clean int not null)')
  const last = endingOf(db.prepare('select clean from run').get()?.clean)
  db.exec('delete from run; insert into run (clean) values (0)')
  if (last === 'damaged') note(db, last)
  db.exec('commit')
  return last
}

function endingOf(mark: unknown): LastRunEnding {
  if (mark === marks.damaged) return 'damaged'
  return mark === marks.clean ? 'clean' : 'unclean'
}

function note(db: DatabaseSync, ending: LastRunEnding): void {
  db.prepare('update run set clean = ?').run(marks[ending])
}
