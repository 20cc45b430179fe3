// The listeners of this process, by signal. The engines call them after a commit is durable, never inside a transaction.
import { hash } from 'node:crypto'
import { type Log, stackOf } from './inside.ts'
import { type SignalName, StorageUnavailable } from './storage.ts'

export interface SignalListeners {
  add(name: SignalName, onSignal: () => void): () => void
  has(name: SignalName): boolean
  // Names come from other nodes, which may run a newer release. Names without listeners are ignored.
  call(names: ReadonlySet<string>): void
  callAll(): void
  // Afterwards no listener is called, since the storage would refuse its reads and writes.
  close(): void
}

// More listeners than any server has: a caller must be adding listeners without removing them.
const LISTENERS_MAX = 100

interface Listener {
  name: SignalName
  onSignal: () => void
}

export function createSignalListeners(log: Log): SignalListeners {
  const listeners = new Set<Listener>()
  let closed = false

  // Iterates over a copy, because a listener may add or remove listeners. A listener that was removed meanwhile is skipped.
  function callWhere(isMeant: (listener: Listener) => boolean): void {
    for (const listener of [...listeners]) {
      if (listeners.has(listener) && isMeant(listener)) call(listener, log)
    }
  }

  return {
    add(name, onSignal) {
      if (closed) throw new StorageUnavailable('the storage is closed')
      if (listeners.size >= LISTENERS_MAX) throw new Error(`there must be at most ${LISTENERS_MAX} signal listeners`)
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

// The commit is durable, so an error here is only logged. A listener may be async and fail later.
function call({ name, onSignal }: Listener, log: Log): void {
  Promise.try(onSignal).catch((error: unknown) => log('a signal listener threw', { name, error: stackOf(error) }))
}

// Returns the name of the channel, and of the connection that listens to it. Servers with tables in different schemas of one database
// share no signals. A PostgreSQL name has at most 63 bytes.
export function signalChannelFor(schema: string): string {
  if (schema === 'public') return 'cartwright_signals'
  const name = `cartwright_signals_${schema}`
  return Buffer.byteLength(name) <= 63 ? name : `cartwright_signals_${hash('sha256', schema, 'base64url')}`
}
