// Signals between nodes that share a PostgreSQL database: they use its notifications, which are quick and may be lost. They are never
// sent inside a transaction, and no caller waits for them.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { errorMessageOf, type Log, withinTime } from '../inside.ts'
import type { Outage } from '../outage.ts'
import { type SignalListeners, signalsNameFor } from '../signals.ts'
import type { SignalName } from '../storage.ts'

export interface SignalConnection {
  // Notifies the other nodes immediately, or, shortly after the last notification, together with the signals raised since.
  send(names: ReadonlySet<SignalName>): void
  // Starts listening for signals of other nodes, until `close`.
  listen(): void
  // Sends what is pending, and stops listening.
  close(): Promise<void>
}

interface NoticesOptions {
  url: string
  pool: pg.Pool
  schema: string
  bounds: { connectMsMax: number; signalMsMax: number }
  listeners: SignalListeners
  outage: Outage
  log: Log
}

export function openSignalConnection(options: NoticesOptions): SignalConnection {
  const channel = signalsNameFor(options.schema)
  const closing = new AbortController()
  const sender = openSender(options, channel, closing.signal)
  let listening = false

  return {
    send: sender.send,
    listen() {
      if (listening) return
      listening = true
      void listenUntil(closing.signal, channel, options)
    },
    close() {
      closing.abort()
      return sender.sent()
    },
  }
}

// A notification takes a lock on the whole server while it commits, so a busy node combines many signals into one.
const GATHER_MS = 20
const SEND_MS_MAX = 5_000

function openSender({ pool, outage, log }: NoticesOptions, channel: string, closing: AbortSignal) {
  const pending = new Set<SignalName>()
  let sending: Promise<void> | undefined
  let failing = false

  async function sendPending(): Promise<void> {
    while (pending.size > 0) {
      const names = [...pending]
      pending.clear()
      await sendNow(names)
      await rest(GATHER_MS, closing)
    }
    sending = undefined
  }

  // A signal may be lost, so a failure is not retried; and it is logged once, not at every signal of an outage.
  async function sendNow(names: readonly SignalName[]): Promise<void> {
    try {
      await notify(pool, channel, names)
      failing = false
    } catch (error) {
      if (!failing && !outage.isOn) log('could not notify the other nodes', { error: errorMessageOf(error) })
      failing = true
    }
  }

  return {
    send(names: ReadonlySet<SignalName>): void {
      for (const name of names) pending.add(name)
      sending ??= sendPending()
    },
    async sent(): Promise<void> {
      await sending
    },
  }
}

async function notify(pool: pg.Pool, channel: string, names: readonly string[]): Promise<void> {
  const client = await pool.connect()
  try {
    const query = { text: 'select pg_notify($1, name) from unnest($2::text[]) as name', values: [channel, names] }
    await withinTime(client.query(query), SEND_MS_MAX, { unhurried: false })
    client.release()
  } catch (error) {
    destroyConnection(client)
    client.release(true)
    throw error
  }
}

const RETRY_MS_MIN = 100
const RETRY_MS_MAX = 10_000

// One connection at a time, replaced whenever it is lost.
async function listenUntil(closing: AbortSignal, channel: string, options: NoticesOptions): Promise<void> {
  const { outage, log } = options
  let isLogged = false
  const onDropped = () => {
    if (!isLogged && !closing.aborted) log(SIGNALS_DROPPED)
    isLogged = true
  }
  for (let tries = 0; !closing.aborted; tries++) {
    const startedAt = performance.now()
    const reason = await listenOnce(closing, channel, options, onDropped).catch((error: unknown) => error)
    if (closing.aborted) return
    // A connection that lasted a while was healthy; one that fails again immediately is retried with growing delays.
    if (performance.now() - startedAt > RETRY_MS_MAX) tries = 0
    if (tries === 0) {
      // The server is reachable but has no connection left for this.
      if (reason instanceof pg.DatabaseError && reason.code === '53300')
        log(SIGNALS_PAUSED, { error: errorMessageOf(reason) })
      else outage.begin(reason)
    }
    await rest(Math.min(RETRY_MS_MIN * 2 ** tries, RETRY_MS_MAX) * (0.5 + Math.random() / 2), closing)
  }
}

const SIGNALS_PAUSED = 'not receiving signals of other nodes for now; retrying'
const SIGNALS_DROPPED =
  'not receiving signals of other nodes, because a connection pooler in transaction mode drops them: webhooks and ' +
  'revoked keys take effect a second or two later. Use session mode, or a URL without the pooler'

// Rejects with the reason when the connection ends.
async function listenOnce(
  closing: AbortSignal,
  channel: string,
  { url, pool, bounds, listeners }: NoticesOptions,
  onDropped: () => void,
): Promise<never> {
  const client = new pg.Client({
    connectionString: url,
    application_name: channel,
    connectionTimeoutMillis: bounds.connectMsMax,
    query_timeout: bounds.connectMsMax,
    // Nothing is ever sent on it, so only these probes detect that the other end is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  const disconnect = () => destroyConnection(client)
  // A name without listeners. Another connection sends it: on this one it would arrive with the reply.
  const probe = `probe ${randomUUID()}`
  let isReceived = false
  let lost: NodeJS.Timeout | undefined
  async function sendProbe(): Promise<void> {
    const isSent = await notify(pool, channel, [probe]).then(
      () => true,
      () => false,
    )
    if (!isSent || isReceived || closing.aborted) return
    lost = setTimeout(onDropped, bounds.signalMsMax)
    lost.unref()
  }
  closing.addEventListener('abort', disconnect)
  try {
    return await new Promise<never>((_, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('the connection ended')))
      client.on('notification', ({ payload }) => {
        if (payload === probe) {
          isReceived = true
          clearTimeout(lost)
        }
        listeners.call(new Set([payload ?? '']))
      })
      startListening(client, channel, listeners).then(sendProbe).catch(reject)
    })
  } finally {
    clearTimeout(lost)
    closing.removeEventListener('abort', disconnect)
    destroyConnection(client)
  }
}

async function startListening(client: pg.Client, channel: string, listeners: SignalListeners): Promise<void> {
  await client.connect()
  // An operator may have limited idle sessions, and this one is always idle.
  await client.query(`set idle_session_timeout = 0; listen ${pg.escapeIdentifier(channel)}`)
  // Signals raised before this moment were missed.
  listeners.callAll()
}

// The driver's own `end` would wait for what is in flight, which on a dead network takes forever.
export function destroyConnection(client: pg.ClientBase): void {
  socketOf(client).destroy()
}

// The driver's types do not include its socket.
export function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

// Waits without keeping the process running, and ends early at shutdown.
async function rest(ms: number, closing: AbortSignal): Promise<void> {
  await pause(ms, undefined, { ref: false, signal: closing }).catch(() => {})
}
