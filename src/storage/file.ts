// Where a store's file is, and that nobody else can read it.
import { closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { StorageRefused } from './storage.ts'

// The one true path, so that two names of one file meet at one lock. Folder and file are created if missing.
export function prepareFile(path: string): string {
  try {
    const folder = dirname(resolve(path))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(realpathSync(folder), basename(path))
    createPrivately(file)
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    return realpathSync(file)
  } catch (error) {
    throw new StorageRefused(`the storage file cannot be used: ${path}: ${(error as Error).message}`, error)
  }
}

// SQLite gives its -wal and -shm files the mode of the file itself. An existing file is not even opened: closing it again
// would drop every lock that this process holds on it, which is how POSIX defines file locks.
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
