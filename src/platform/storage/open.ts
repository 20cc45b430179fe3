// Opens the database that a URL names.
import { sqlitePath } from './file.ts'
import { isMigrated } from './migrate.ts'
import { inspectSqlite, openSqlite } from './sqlite.ts'
import { type Storage, type StorageOptions, StorageRefused } from './storage.ts'

export async function openStorage(url: string, options: StorageOptions = {}): Promise<Storage> {
  if (url.startsWith('sqlite:')) return openSqlite(sqlitePath(url), options)
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Loaded on demand: with SQLite, the PostgreSQL driver is not needed.
    const { openPostgres } = await import('./postgres/postgres.ts')
    return openPostgres(url, options)
  }
  // The message does not repeat the URL, which may contain a password even if it is mistyped.
  throw new StorageRefused('the storage URL must begin with sqlite: or postgres://')
}

export interface InspectedStorage {
  // Undefined if the file does not exist.
  storage: Storage | undefined
  // Whether the database has tables of Cartwright.
  isMade: boolean
}

// Creates no file, table or row. The storage is only for reading. If `openInspected` will open it for writing, `readsOnly` must be false.
export async function inspectStorage(
  url: string,
  { readsOnly = true, ...options }: StorageOptions = {},
): Promise<InspectedStorage> {
  // Without the log: a file is opened again later, and logs its problems then.
  const { log: _, ...quietly } = options
  const storage = url.startsWith('sqlite:')
    ? await inspectSqlite(sqlitePath(url), readsOnly ? options : quietly)
    : await openStorage(url, { ...options, readsOnly })
  try {
    return { storage, isMade: (await storage?.read(isMigrated)) ?? false }
  } catch (error) {
    await storage?.close()
    throw error
  }
}

// Opens an inspected storage for writing. A file is opened again; connections to PostgreSQL are reused.
export async function openInspected(
  { storage }: InspectedStorage,
  url: string,
  options: StorageOptions,
): Promise<Storage> {
  if (storage?.engine === 'postgres') return storage
  await storage?.close()
  return openStorage(url, options)
}
