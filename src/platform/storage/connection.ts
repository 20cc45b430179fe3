// One open SQLite file, with its settings and cached prepared statements. Returns rows as plain objects.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isEmptyFile } from './file.ts'
import { guardFailure } from './guard.ts'
import { isReadOnly } from './space.ts'
import { createStatementCache } from './statement.ts'
import { type Fragment, type SqlValue, StorageOutage, StorageRefused, StorageUnavailable } from './storage.ts'

export interface Connection {
  readonly db: DatabaseSync
  // `values`: the checked values in `parts`.
  run<Row>(template: TemplateStringsArray, parts: readonly (SqlValue | Fragment)[], values: readonly SqlValue[]): Row[]
  // Runs a short command of the storage itself, such as `begin`.
  command(text: string): void
  // Runs a text with several statements.
  script(text: string): void
}

interface PreparedStatement {
  statement: StatementSync
  rowOf: (values: unknown[]) => unknown
}

const READ_TIMEOUT_MS = 250

// The writer never waits inside SQLite, which would block the event loop: its queue retries by timer.
export function connectWriter(file: string): Connection {
  const db = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true })
  try {
    // `full` syncs at every commit: an acknowledged write survives a power failure, not only a crash of the process. `secure_delete`:
    // erased data (an address, its key) leaves no bytes in free space of the file. Checkpoints are larger than the default of 1,000
    // pages, because each needs two syncs.
    db.exec(`pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory;
      pragma cache_size = -32768; pragma mmap_size = 268435456; pragma wal_autocheckpoint = 4000;
      pragma journal_size_limit = 67108864; pragma secure_delete = fast`)
    const mode = db.prepare('pragma journal_mode = wal').get()?.journal_mode
    if (mode !== 'wal')
      throw new StorageRefused(
        `the file system of ${file} does not support the write-ahead log of SQLite: move the database to a local disk`,
      )
    return connection(db)
  } catch (error) {
    db.close()
    throw error
  }
}

// A reader only waits for a lock while another process recovers or closes the file, which takes a short time.
export function connectReader(file: string): Connection {
  const db = new DatabaseSync(file, { readOnly: true, timeout: READ_TIMEOUT_MS })
  db.exec('pragma temp_store = memory; pragma cache_size = -16384; pragma mmap_size = 268435456')
  return connection(db)
}

// For a process that only reads and may be the only one with the file open. A read-only connection that closes last would leave an empty
// write-ahead log behind. This connection can write, so it cleans up.
export function connectReadOnly(file: string): Connection {
  const db = openReadOnlyFile(file, READ_TIMEOUT_MS)
  db.exec('pragma query_only = on; pragma temp_store = memory')
  return connection(db)
}

// On a read-only file system, SQLite cannot create the index of the write-ahead log. If there is no log, the file is complete and can be
// opened without it.
export function openReadOnlyFile(file: string, timeout: number): DatabaseSync {
  const db = new DatabaseSync(file, { timeout })
  try {
    db.exec('pragma schema_version')
    return db
  } catch (error) {
    db.close()
    if (!isReadOnly(file)) throw error
    if (!isEmptyFile(`${file}-wal`))
      throw new StorageRefused(
        `the file system is read-only, and the newest changes are only in ${file}-wal: copy both files to a writable folder, and use that copy`,
        error,
      )
    const url = pathToFileURL(file)
    url.search = '?immutable=1'
    return new DatabaseSync(url, { readOnly: true })
  }
}

function connection(db: DatabaseSync): Connection {
  const statementFor = createStatementCache('?', (text): PreparedStatement => {
    const statement = db.prepare(text)
    statement.setReturnArrays(true)
    return { statement, rowOf: rowMaker(statement.columns().map((column) => column.name)) }
  })
  const commands = new Map<string, StatementSync>()
  return {
    db,
    run<Row>(template: TemplateStringsArray, parts: readonly (SqlValue | Fragment)[], values: readonly SqlValue[]) {
      try {
        const { statement, rowOf } = statementFor(template, parts)
        const rows: unknown = statement.all(...values.map(bindable))
        // The cast holds: setReturnArrays() makes every row an array, but the driver's type does not express this.
        return (rows as unknown[][]).map(rowOf) as Row[]
      } catch (error) {
        throw guardFailure(parts, nullColumnOf(error), error) ?? judged(error)
      }
    },
    script(text) {
      try {
        db.exec(text)
      } catch (error) {
        throw judged(error)
      }
    },
    command(text) {
      let statement = commands.get(text)
      if (!statement) {
        statement = db.prepare(text)
        commands.set(text, statement)
      }
      statement.run()
    },
  }
}

// The driver binds a number as a real, so `7 / 2` would be 3.5 here and 3 in PostgreSQL. A bigint is bound as an integer.
function bindable(value: SqlValue): string | bigint | null {
  return typeof value === 'number' ? BigInt(value) : value
}

// Returns a function that builds the row objects of a statement. It is compiled, so all rows have the same shape from the start: a loop
// over the names takes twice as long, query included (22 columns, three rows: 15 µs instead of 7 µs), and the driver's own objects half
// as long again. The column names come from our own statements, so no foreign text is compiled.
function rowMaker(columns: readonly string[]): (values: unknown[]) => unknown {
  const members = columns.map((name, i) => `${JSON.stringify(name)}: values[${i}]`)
  return new Function('values', `return { ${members.join(', ')} }`) as (values: unknown[]) => unknown
}

const BUSY = 5
// Errors that the caller did not cause: busy, locked, nomem, readonly, interrupt, ioerr, corrupt, full, cantopen, protocol, notadb.
const NOT_THE_CALLERS = new Set([BUSY, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])
// Those of these errors that are temporary: busy, locked and interrupt.
const BRIEF = new Set([BUSY, 6, 9])

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  // The low byte is the primary error code. The other bytes say where the error occurred.
  return error.errcode & 0xff
}

const NOT_NULL = 1_299

// SQLite only names the table and the column in its error message.
function nullColumnOf(error: unknown): { table: string; column: string } | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || error.errcode !== NOT_NULL) return undefined
  const [, table, column] = /: (\w+)\.(\w+)$/.exec(error.message) ?? []
  return table !== undefined && column !== undefined ? { table, column } : undefined
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY
}

// A full disk is not the caller's fault. A violated constraint is, so its error is passed on unchanged.
function judged(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined || !NOT_THE_CALLERS.has(code)) return error
  const Kind = BRIEF.has(code) ? StorageUnavailable : StorageOutage
  return new Kind(`SQLite: ${(error as Error).message}`, error)
}
