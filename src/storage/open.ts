// Opens the store that a URL names.
import { sqlitePath } from './file.ts'
import { openSqlite } from './sqlite.ts'
import { type Storage, type StorageOptions, StorageRefused } from './storage.ts'

export async function openStorage(url: string, options: StorageOptions = {}): Promise<Storage> {
  if (url.startsWith('sqlite:')) return openSqlite(sqlitePath(url), options)
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Whoever keeps a file does without the driver.
    const { openPostgres } = await import('./postgres.ts')
    return openPostgres(url, options)
  }
  // The URL itself is not repeated: it may be a mistyped one, with a password in it.
  throw new StorageRefused('the storage URL must begin with sqlite: or postgres://')
}
