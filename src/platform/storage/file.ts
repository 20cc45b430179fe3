// Locates a store's file and makes it readable only by its owner.
import { closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { diskProblemText } from './space.ts'
import { StorageRefused } from './storage.ts'

// Returns the file that a URL names; throws if the URL is invalid. Opens and creates nothing.
export function sqlitePath(url: string): string {
  const path = url.slice('sqlite:'.length)
  // `:memory:` would be a separate store for each connection.
  if (path === '' || path.startsWith(':')) throw new StorageRefused('the storage URL must name a file: sqlite:path')
  // `sqlite://data.db` would silently become a file in the root folder.
  if (/^\/\/[^/]/.test(path)) throw new StorageRefused('write sqlite:path, or sqlite:///path for an absolute path')
  if (path.endsWith('/')) throw new StorageRefused('the storage URL names a folder, not a file')
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw new StorageRefused('the storage URL names something that is not a file')
  return path
}

// Returns true if the file is missing or empty. Creates nothing.
export function isEmptyFile(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

// Symbolic links are resolved, so two names of the same file share a lock. Folder and file are created if missing.
export function prepareFile(path: string): string {
  try {
    const folder = dirname(resolve(path))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = join(realpathSync(folder), basename(path))
    createPrivately(file)
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    return realpathSync(file)
  } catch (error) {
    throw new StorageRefused(`the storage file cannot be used: ${path}: ${diskProblemText(path, error)}`, error)
  }
}

// SQLite gives its -wal and -shm files the mode of the main file. An existing file is not opened: by the rules of
// POSIX, closing it would drop every lock that this process holds on it.
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
