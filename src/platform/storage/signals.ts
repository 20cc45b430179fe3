// The listeners of this process, by signal. The engines call them after a commit is durable, never inside a
// transaction.
import { hash } from 'node:crypto'
import { type Log, stackOf } from './inside.ts'
import { type SignalName, StorageUnavailable } from './storage.ts'

export interface SignalListeners {
  add(name: SignalName, onSignal: () => void): () => void
  has(name: SignalName): boolean
  // A name may come from another node that runs a newer version; a name without listeners is ignored.
  call(names: ReadonlySet<string>): void
  callAll(): void
  // No listener is called afterwards: the storage would refuse whatever it did.
  close(): void
}

// There are few listeners. More means that a caller adds listeners repeatedly and never removes them.
const LISTENERS_MAX = 100

interface Listener {
  name: SignalName
  onSignal: () => void
}

export function createSignalListeners(log: Log): SignalListeners {
  const listeners = new Set<Listener>()
  let closed = false

  // Iterates over a copy, because a listener may add or remove others; one that was just removed is skipped.
  function callWhere(isMeant: (listener: Listener) => boolean): void {
    for (const listener of [...listeners]) {
      if (listeners.has(listener) && isMeant(listener)) call(listener, log)
    }
  }

  return {
    add(name, onSignal) {
      if (closed) throw new StorageUnavailable('the storage is closed')
      if (listeners.size >= LISTENERS_MAX) throw new Error(`more than ${LISTENERS_MAX} signal listeners`)
      const listener = { name, onSignal }
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

// The commit is already durable, so an error here is only logged; a listener may also be async and fail later.
function call({ name, onSignal }: Listener, log: Log): void {
  Promise.try(onSignal).catch((error: unknown) => log('a signal listener threw', { name, error: stackOf(error) }))
}

// The channel, and the name of the connection that listens to it. Servers whose tables are in different schemas of one
// database share nothing. A PostgreSQL name has at most 63 bytes.
export function signalsNameFor(schema: string): string {
  if (schema === 'public') return 'cartwright_signals'
  const name = `cartwright_signals_${schema}`
  return Buffer.byteLength(name) <= 63 ? name : `cartwright_signals_${hash('sha256', schema, 'base64url')}`
}
