// Opens the store that a URL names.
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { type Storage, type StorageOptions, StorageRefused } from './storage.ts'

export async function openStorage(url: string, options: StorageOptions = {}): Promise<Storage> {
  if (url.startsWith('sqlite:')) return openSqlite(pathOf(url), options)
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, options)
  // The URL itself is not repeated: it may be a mistyped one, with a password in it.
  throw new StorageRefused('the storage URL must begin with sqlite: or postgres://')
}

function pathOf(url: string): string {
  const path = url.slice('sqlite:'.length)
  if (path === '' || path.startsWith(':')) throw new StorageRefused('the storage URL must name a file: sqlite:path')
  // `sqlite://data.db` would quietly become a file in the root folder.
  if (/^\/\/[^/]/.test(path)) throw new StorageRefused('write sqlite:path, or sqlite:///path for an absolute path')
  return path
}
