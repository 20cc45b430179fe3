// Signals between nodes that share a PostgreSQL database, sent as notifications of PostgreSQL: they are fast and may be lost. They are
// never sent inside a transaction, and no caller waits for them.
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { errorMessageOf, type Log, withinTime } from '../inside.ts'
import type { Outage } from '../outage.ts'
import { type SignalListeners, signalChannelFor } from '../signals.ts'
import type { SignalName } from '../storage.ts'

export interface SignalConnection {
  // Notifies the other nodes immediately. Within `GATHER_MS` after a notification, signals are collected and sent together.
  send(names: ReadonlySet<SignalName>): void
  // Starts listening for signals of other nodes, until `close`.
  listen(): void
  // Sends pending signals and stops listening.
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
  const channel = signalChannelFor(options.schema)
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

// A notification holds a lock of the whole server while it commits, so a busy node sends several signals in one.
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

  // A failure is not retried, since signals may be lost anyway. It is logged once, not for every signal during an outage.
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

// Uses one connection at a time, and replaces it whenever it is lost.
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
    // A connection that lasted for a while was healthy. If connections fail immediately, they are retried with exponential backoff.
    if (performance.now() - startedAt > RETRY_MS_MAX) tries = 0
    if (tries === 0) {
      // The server is reachable, but has no free connection for signals.
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
    // The node only receives on this connection, so only keep-alive probes detect that the other end is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  const disconnect = () => destroyConnection(client)
  // A signal without listeners, to test delivery. Another connection sends it, because on this one it would arrive with the reply.
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
      client.on('end', () => reject(new Error('the PostgreSQL connection ended')))
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
  // This connection is always idle, and an operator may have limited idle sessions.
  await client.query(`set idle_session_timeout = 0; listen ${pg.escapeIdentifier(channel)}`)
  // Signals sent before this moment were missed.
  listeners.callAll()
}

// The driver's own `end` would wait for statements in progress, on a dead network forever.
export function destroyConnection(client: pg.ClientBase): void {
  socketOf(client).destroy()
}

// The cast holds: the driver's types omit its socket.
export function socketOf(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

// Waits without keeping the process alive. Ends early at shutdown.
async function rest(ms: number, closing: AbortSignal): Promise<void> {
  await pause(ms, undefined, { ref: false, signal: closing }).catch(() => {})
}
