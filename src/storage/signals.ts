// Who listens to which signal in this process. The engines call here once a commit is durable; nobody is called inside one.
import { hash } from 'node:crypto'
import { type Log, traceOf } from './inside.ts'
import { type SignalName, StorageUnavailable } from './storage.ts'

export interface Listeners {
  add(name: SignalName, heard: () => void): () => void
  has(name: SignalName): boolean
  // A name may come from another node, and from a newer version of us: one that nobody knows calls nobody.
  call(names: ReadonlySet<string>): void
  callAll(): void
  // From here on nobody is called: whatever a listener would do with this storage is refused.
  close(): void
}

// The house has a handful. More means that somebody listens anew each time and never stops.
const LISTENERS_MAX = 100

interface Listener {
  name: SignalName
  heard: () => void
}

export function keepListeners(log: Log): Listeners {
  const listeners = new Set<Listener>()
  let closed = false

  // A copy is walked, for a listener may add or end others; one that was just ended is passed over.
  function callWhere(isMeant: (listener: Listener) => boolean): void {
    for (const listener of [...listeners]) {
      if (listeners.has(listener) && isMeant(listener)) call(listener, log)
    }
  }

  return {
    add(name, heard) {
      if (closed) throw new StorageUnavailable('the storage is closed')
      if (listeners.size >= LISTENERS_MAX) throw new Error(`more than ${LISTENERS_MAX} listen to signals`)
      const listener = { name, heard }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    has: (name) => [...listeners].some((listener) => listener.name === name),
    call: (names) => callWhere(({ name }) => names.has(name)),
    callAll: () => callWhere(() => true),
    close() {
      closed = true
      listeners.clear()
    },
  }
}

// The commit is long durable, so an error here is only told; a listener may also turn out to be async and fail later.
function call({ name, heard }: Listener, log: Log): void {
  Promise.try(heard).catch((error: unknown) => log('a listener to a signal threw', { name, error: traceOf(error) }))
}

// The channel, and the name of the connection that listens to it. Servers whose tables are in different schemas of one
// database share nothing. A name of PostgreSQL has at most 63 bytes.
export function signalsNameFor(schema: string): string {
  if (schema === 'public') return 'cartwright_signals'
  const name = `cartwright_signals_${schema}`
  return Buffer.byteLength(name) <= 63 ? name : `cartwright_signals_${hash('sha256', schema, 'base64url')}`
}
