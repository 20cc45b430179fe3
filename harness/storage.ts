// Runs a suite on both engines: each gets its own stores, which are closed and removed afterwards.
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe } from 'node:test'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Engine, Storage, StorageOptions } from '../src/platform/storage/storage.ts'
import { declareOn, engines, isOnSqliteOnly } from './engines.ts'
import { makeFolder } from './folder.ts'
import { type Content, type Lease, lease } from './leases.ts'
import { freshDatabase } from './postgres.ts'
import { templates } from './templates.ts'
import { isWide } from './wide.ts'

export interface OpenOptions extends StorageOptions {
  // Whether to create the schema (default: true).
  withMigrations?: boolean
  // A URL from `freshUrl`, to open the same store again.
  url?: string
}

export interface Given {
  engine: Engine
  // A new empty store, or an existing one.
  open(options?: OpenOptions): Promise<Storage>
  // The URL of a store that does not exist yet (SQLite) or is empty (PostgreSQL).
  freshUrl(): Promise<string>
  // The URL of a new store with the schema.
  migratedUrl(): Promise<string>
  // The URL of a copy of a store that is not open, if the engine can copy.
  copyOf?(url: string): Promise<string>
  // A store with the schema that other tests have used before, with this content.
  lease?(content?: Content): Promise<Lease>
  // Registers a cleanup that runs after the test, or after the suite if no test runs, before the stores are removed.
  later(end: () => Promise<void>): void
  // What it opens lasts as long as the suite: for what several tests use and the first of them opens.
  shared: Given
}

export function eachEngine(name: string, suite: (given: Given) => void): void {
  for (const engine of engines) {
    if (engine === 'postgres' && isOnSqliteOnly(name)) continue
    describe(`${name} (${engine})`, () => declareOn(engine, name, () => suite(givenEngine(engine))))
  }
}

// For what is refused before a row is read, and for tests of pages rather than SQL: SQLite alone, or both engines if
// every combination is run (proof/suites.ts).
export function anyEngine(name: string, suite: (given: Given) => void): void {
  if (isWide) eachEngine(name, suite)
  else describe(`${name} (sqlite)`, () => suite(givenEngine('sqlite')))
}

// Within `eachEngine`: whether to test what does not depend on the engine, such as what a page looks like.
export function isOnce({ engine }: Pick<Given, 'engine'>): boolean {
  return isWide || engine === 'sqlite'
}

// Within `eachEngine`: every case, or every second one, so each is tested on one of the engines. For cases that repeat a mechanism
// and take a process each.
export function inTurns<Case>({ engine }: Pick<Given, 'engine'>, cases: readonly Case[]): readonly Case[] {
  return isWide ? cases : cases.filter((_, place) => (place % 2 === 0) === (engine === 'sqlite'))
}

// Test servers then get a store that no other test uses: for tests that read the bytes of a file, or keep it for longer.
export function withoutLeases({ lease: _, ...given }: Given): Given {
  return given
}

// What the next test would not know of must not be in the store of the one before.
function isLeasable({ server, ...options }: StorageOptions): boolean {
  return !server && Object.values(options).every((value) => typeof value !== 'function')
}

type Leftovers = (() => Promise<void>)[]

// The last opened is closed first, and then its file or database is removed.
async function removeAll(leftovers: Leftovers): Promise<void> {
  const failures: unknown[] = []
  // A failure must not leave the others open: the run would never end.
  for (const remove of leftovers.splice(0).reverse()) await remove().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

export function givenEngine(engine: Engine): Given {
  // What was opened before the tests, or by `shared`, ends with the suite; what a test opened ends with it.
  const common: Leftovers = []
  const own: Leftovers = []
  let isTesting = false
  after(() => removeAll(common))
  beforeEach(() => {
    isTesting = true
  })
  afterEach(() => {
    isTesting = false
    return removeAll(own)
  })
  return { ...givenStores(engine, () => (isTesting ? own : common)), shared: givenStores(engine, () => common) }
}

function givenStores(engine: Engine, leftovers: () => Leftovers): Given {
  // The URL of a file, or of a database of the common cluster.
  async function urlOf(template?: string): Promise<string> {
    if (engine === 'postgres') {
      const database = await freshDatabase(template === undefined ? {} : { template })
      leftovers().push(database.drop)
      return database.url
    }
    const folder = await makeFolder()
    leftovers().push(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'test.db')
    if (template !== undefined) await copyFile(template, file)
    return `sqlite:${file}`
  }

  const freshUrl = () => urlOf()
  const migratedUrl = async () => urlOf((await templates())[engine])
  const copyOf = (url: string) =>
    urlOf(engine === 'postgres' ? new URL(url).pathname.slice(1) : url.slice('sqlite:'.length))

  async function leaseWith(options: StorageOptions, content?: Content): Promise<Lease> {
    const leased = await lease(engine, options, content)
    leftovers().push(leased.end)
    return leased
  }

  async function open({ withMigrations = true, url, ...options }: OpenOptions = {}): Promise<Storage> {
    if (withMigrations && url === undefined && isLeasable(options)) return (await leaseWith(options)).storage
    const storage = await openStorage(url ?? (await (withMigrations ? migratedUrl() : freshUrl())), options)
    leftovers().push(() => storage.close())
    if (withMigrations && url !== undefined) await migrate(storage, { now: new Date() })
    return storage
  }

  const given: Given = {
    engine,
    open,
    freshUrl,
    migratedUrl,
    copyOf,
    lease: (content) => leaseWith({}, content),
    later: (end) => void leftovers().push(end),
    get shared() {
      return given
    },
  }
  return given
}
