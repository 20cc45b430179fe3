// Databases that the tests of one process use one after the other, with their connections and prepared statements. Creating, opening
// and removing a database takes as much processor time as most tests do with it: now only its changed tables are reset.

import type { Engine, Storage, StorageOptions } from '../src/platform/storage/storage.ts'
import { StorageUnavailable } from '../src/platform/storage/storage.ts'
import { openPostgresStore } from './postgresStore.ts'
import { canShare, endLast } from './shared.ts'
import { openSqliteStore } from './sqliteStore.ts'

// The rows of a store by table, as its engine wants them.
export type Content = ReadonlyMap<string, unknown>

export interface Store {
  url: string
  storage: Storage
  // Replaces what it contains, by default with what a new store contains. False if it must not be used again.
  load(content?: Content): Promise<boolean>
  read(): Promise<Content>
  remove(): Promise<void>
}

export interface Lease {
  url: string
  // Refuses every work once the lease has ended.
  storage: Storage
  // What it contains now.
  read(): Promise<Content>
  end(): Promise<void>
}

const openers = { sqlite: openSqliteStore, postgres: openPostgresStore }
// More than these stay open only while they are used.
const idleMax = 4
const idle: { name: string; store: Store }[] = []
let isEndRegistered = false

// A store with the schema, and the content that was read from another one of its engine.
export async function lease(engine: Engine, options: StorageOptions = {}, content?: Content): Promise<Lease> {
  const name = JSON.stringify([engine, options])
  const store = (await takeIdle(name, content)) ?? (await openLoaded(engine, options, content))
  const leased = leaseOf(store.storage)
  return {
    url: store.url,
    storage: leased.storage,
    read: store.read,
    async end() {
      await leased.end()
      if (!canShare() || leased.isDoubtful()) return store.remove()
      endIdleLast()
      idle.unshift({ name, store })
      await Promise.all(idle.splice(idleMax).map((one) => one.store.remove()))
    },
  }
}

async function takeIdle(name: string, content: Content | undefined): Promise<Store | undefined> {
  const i = idle.findIndex((one) => one.name === name)
  const found = idle.splice(i, i < 0 ? 0 : 1)[0]?.store
  if (!found || (await found.load(content).catch(() => false))) return found
  await found.remove()
  return undefined
}

async function openLoaded(engine: Engine, options: StorageOptions, content: Content | undefined): Promise<Store> {
  const store = await openers[engine](options)
  if (content && !(await store.load(content))) throw new Error('a new store cannot be loaded')
  return store
}

function endIdleLast(): void {
  if (isEndRegistered) return
  isEndRegistered = true
  endLast(async () => void (await Promise.all(idle.splice(0).map(({ store }) => store.remove()))))
}

// What a test's parts still do after its end fails, as with a closed storage, and does not reach the next test.
function leaseOf(storage: Storage): { storage: Storage; end(): Promise<void>; isDoubtful(): boolean } {
  const running = new Set<Promise<unknown>>()
  const stops: (() => void)[] = []
  let isOver = false
  let isClosed = false
  let hasFailed = false
  function during<T>(work: () => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(new StorageUnavailable('the storage is closed'))
    const done = work()
    const settled = done.then(
      () => {},
      (error: unknown) => {
        hasFailed ||= error instanceof StorageUnavailable
      },
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
    return done
  }
  return {
    storage: {
      ...storage,
      read: (work) => during(() => storage.read(work)),
      write: (work) => during(() => storage.write(work)),
      checkWrites: () => during(() => storage.checkWrites()),
      afterBulkLoad: (tables) => during(() => storage.afterBulkLoad(tables)),
      listen(name, onSignal) {
        const stop = storage.listen(name, onSignal)
        stops.push(stop)
        return stop
      },
      close() {
        isOver = true
        isClosed = true
        return storage.close()
      },
    },
    // A storage remembers for a while that it has failed.
    isDoubtful: () => isClosed || hasFailed,
    async end() {
      isOver = true
      for (const stop of stops) stop()
      await Promise.all(running)
      if (!isClosed) await storage.rolledBack()
    },
  }
}
