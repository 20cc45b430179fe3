// The least program with the guarantees of our webhooks: the third side of the webhook row. Each delivery is claimed in one synced
// transaction and recorded in another; it has a lease, waits for earlier events of its subject, is signed with the headers of the contract,
// and ends within a time and a size. What ours does once for a step or a connection is left out.

import { createHmac, createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { type Dispatcher, Pool } from 'undici'
import { listFragment, type Storage, type Tx } from '../src/platform/storage/storage.ts'

export interface LeastShop {
  installationId: string
  // In the order of `ports`.
  endpointIds: readonly string[]
  ports: readonly number[]
}

interface Claimed {
  id: string
  endpointId: string
  eventId: string
  attempts: number
}

interface Called {
  id: string
  startedAt: number
  tookMs: number
  statusCode: number
  answer: string
}

const batchMax = 256
const leaseMs = 60_000
const exchangeMsMax = 20_000
const answerBytesRead = 16 * 1024
const answerBytesKept = 4 * 1024
const key = createSecretKey(randomBytes(32))

// Delivers everything that is due.
export async function deliverLeast(storage: Storage, shop: LeastShop): Promise<void> {
  const pools = shop.ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections: 8, pipelining: 1 }))
  let [lease, called]: [string, Called[]] = ['', []]
  do {
    const [former, done] = [lease, called]
    lease = randomUUID()
    const { claimed, texts } = await storage.write(async (tx) => {
      if (done.length > 0) record(tx, shop, former, done)
      return claim(tx, shop, lease)
    })
    const bodies = new Map(texts.map(({ id, body }) => [id, Buffer.from(body)]))
    const byEndpoint = Map.groupBy(claimed, ({ endpointId }) => endpointId)
    const results: Called[] = []
    called = results
    await Promise.all(
      shop.endpointIds.flatMap((id, at) => {
        const [its, pool] = [byEndpoint.get(id) ?? [], pools[at] as Pool]
        return Array.from({ length: 8 }, async () => {
          for (let one = its.shift(); one; one = its.shift())
            results.push(await call(pool, one, bodies.get(one.eventId) ?? Buffer.alloc(0)))
        })
      }),
    )
  } while (called.length > 0)
  await Promise.all(pools.map((pool) => pool.close()))
}

// Time, status and answer of each call are shown by the API, so each row has its own. The lease: a process that was suspended writes nothing.
function record(tx: Tx, { installationId }: LeastShop, lease: string, called: readonly Called[]): void {
  const rows = called.map(({ id, startedAt, tookMs, statusCode, answer }) => [
    id,
    startedAt,
    tookMs,
    statusCode,
    answer,
  ])
  tx.send`
    with done (id, started_at, took_ms, status_code, answer) as (
      ${tx.rows(rows, ['text', 'bigint', 'bigint', 'bigint', 'text'])})
    update webhook_deliveries set status = 'succeeded', attempts = attempts + 1, lease_id = null, lease_expires_at = null,
      last_started_at = done.started_at, last_took_ms = done.took_ms, last_status_code = done.status_code,
      last_answer = done.answer, finished_at = ${Date.now()}
    from done
    where webhook_deliveries.installation_id = ${installationId} and webhook_deliveries.id = done.id and lease_id = ${lease}`
}

// An event waits for earlier ones of its subject at the same endpoint.
async function claim(
  tx: Tx,
  { installationId, endpointIds }: LeastShop,
  lease: string,
): Promise<{ claimed: Claimed[]; texts: { id: string; body: string }[] }> {
  const now = Date.now()
  const due = await Promise.all(
    endpointIds.map(
      (id) => tx.sql<{ id: string; eventId: string }>`
        select d.id, d.event_id as "eventId" from webhook_deliveries d
        where d.endpoint_id = ${id} and d.status in ('pending', 'retrying') and d.due_at <= ${now}
          and not exists (
            select 1 from webhook_deliveries p
            where p.installation_id = d.installation_id and p.endpoint_id = d.endpoint_id and p.subject_id = d.subject_id
              and p.sequence < d.sequence and p.replay_of is null and p.status in ('pending', 'sending', 'retrying'))
        order by d.due_at, d.id limit ${batchMax / endpointIds.length}`,
    ),
  )
  const found = due.flat()
  if (found.length === 0) return { claimed: [], texts: [] }
  const events = [...new Set(found.map(({ eventId }) => eventId))]
  const [claimed, texts] = await Promise.all([
    tx.sql<Claimed>`
      update webhook_deliveries set status = 'sending', due_at = null, lease_id = ${lease}, lease_expires_at = ${now + leaseMs}
      where installation_id = ${installationId} and id in (${listFragment(found.map(({ id }) => id))}) and due_at is not null
      returning id, endpoint_id as "endpointId", event_id as "eventId", attempts`,
    tx.sql<{ id: string; body: string }>`
      select id, body from events where installation_id = ${installationId} and id in (${listFragment(events)})`,
  ])
  return { claimed, texts }
}

async function call(pool: Pool, { id, eventId, attempts }: Claimed, body: Buffer): Promise<Called> {
  const startedAt = Date.now()
  const timestamp = String(Math.floor(startedAt / 1_000))
  const signature = createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Cartwright-Webhooks/bench',
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'webhook-delivery-id': id,
    'webhook-attempt': String(attempts + 1),
    'accept-encoding': 'identity',
  }
  const exchange = new LeastExchange()
  pool.dispatch({ path: '/', method: 'POST', headers, body }, exchange)
  const { statusCode, answer } = await exchange.ended
  // The receivers of the row take everything, so a failure is a defect of the benchmark.
  if (statusCode < 200 || statusCode > 299) throw new Error(`a receiver has answered ${statusCode}`)
  return { id, startedAt, tookMs: Date.now() - startedAt, statusCode, answer }
}

// Uses the same interface of undici as ours: `request` makes a stream of each answer, which costs more. A redirect is not followed.
class LeastExchange implements Dispatcher.DispatchHandler {
  readonly ended: Promise<{ statusCode: number; answer: string }>
  readonly #deadline = setTimeout(() => this.#controller?.abort(new Error('too slow')), exchangeMsMax)
  readonly #chunks: Buffer[] = []
  #resolve: (ended: { statusCode: number; answer: string }) => void = () => {}
  #reject: (error: Error) => void = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #statusCode = 0
  #bytes = 0

  constructor() {
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    this.#statusCode = statusCode
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < answerBytesKept) this.#chunks.push(Buffer.from(chunk.subarray(0, answerBytesKept - this.#bytes)))
    this.#bytes += chunk.length
    if (this.#bytes > answerBytesRead) controller.abort(new Error('too large'))
  }

  onResponseEnd(): void {
    clearTimeout(this.#deadline)
    this.#resolve({ statusCode: this.#statusCode, answer: Buffer.concat(this.#chunks).toString() })
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    clearTimeout(this.#deadline)
    this.#reject(error)
  }
}
