// Finds the file of a SQLite database, and makes it readable only by its owner.
import { closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { diskProblemText } from './space.ts'
import { StorageRefused } from './storage.ts'

// Returns the path in a URL. Throws if the URL is invalid. Neither opens nor creates the file.
export function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length)
  // `:memory:` would be a separate database for each connection.
  if (path === '' || path.startsWith(':'))
    throw new StorageRefused('the storage URL must name a file, such as sqlite:data/shop.db')
  // `sqlite://data.db` would silently become a file in the root folder.
  if (/^\/\/[^/]/.test(path))
    throw new StorageRefused('the storage URL must be sqlite:path, or sqlite:///path for an absolute path')
  if (path.endsWith('/')) throw new StorageRefused('the storage URL must name a file, not a folder')
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new StorageRefused('the storage URL must name a regular file')
  return path
}

// Returns true if the file does not exist or is empty. Creates nothing.
export function isEmptyFile(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

// Creates the folder and the file if they do not exist. Symbolic links are resolved, so two names of the same file share a lock.
export function prepareFile(path: string): string {
  try {
    const folder = dirname(resolve(path))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(realpathSync(folder), basename(path))
    createPrivately(file)
    if (!statSync(file).isFile()) throw new Error('the path is not a regular file')
    return realpathSync(file)
  } catch (error) {
    throw new StorageRefused(`the storage file cannot be used: ${path}: ${diskProblemText(path, error)}`, error)
  }
}

// SQLite creates the -wal and -shm files with the mode of the main file. An existing file is not opened, because closing it would drop
// all locks of this process on it (POSIX).
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
