// A receiver of webhooks that records what it received: each id with a hash of its bytes. A repeated delivery must be
// the same.

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createIdMaker } from '../src/platform/kit/ids.ts'
import { unpackText } from '../src/platform/kit/packed.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

export interface Journal {
  url: string
  calls: number
  duplicates: number
  // Ids that arrived with different bytes than before.
  differing: number
  // By the id of the event.
  received: ReadonlyMap<string, string>
  close(): Promise<void>
}

export function hashOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('base64')
}

export async function openJournal(): Promise<Journal> {
  const received = new Map<string, string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const id = String(request.headers['webhook-id'])
      const hash = hashOf(Buffer.concat(chunks))
      const known = received.get(id)
      journal.calls += 1
      if (known === undefined) received.set(id, hash)
      else {
        journal.duplicates += 1
        if (known !== hash) journal.differing += 1
      }
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const journal: Journal = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/journal`,
    calls: 0,
    duplicates: 0,
    differing: 0,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return journal
}

// Events that are missing in the journal or have different bytes there, and entries without an event; only events since
// that instant, because older ones may have been deleted.
export async function findUndelivered(storage: Storage, journal: Journal, sinceMs = 0): Promise<string[]> {
  const first = createIdMaker(
    () => sinceMs,
    (pool) => pool.fill(0),
  )('evt')
  const known = new Set<string>()
  const missing: Pick<StoredEvent, 'id' | 'type'>[] = []
  for await (const { id, type, body } of eventsIn(storage)) {
    known.add(id)
    if (id < first) continue
    if (journal.received.get(id) !== hashOf(unpackText(body))) missing.push({ id, type })
  }
  const problems = missing.slice(0, 5).map(({ id, type }) => {
    const problem = journal.received.has(id) ? 'delivered with other bytes' : 'never delivered'
    return `event ${id} (${type}) was ${problem}`
  })
  if (missing.length > 5) problems.push(`${missing.length - 5} more events were not delivered unchanged`)
  if (journal.differing > 0) problems.push(`${journal.differing} calls had other bytes than an earlier one of their id`)
  const invented = [...journal.received.keys()].filter((id) => id >= first && !known.has(id))
  if (invented.length > 0) problems.push(`${invented.length} delivered events do not exist: ${invented[0]}`)
  return problems
}

interface StoredEvent {
  installationId: string
  id: string
  type: string
  body: string
}

// A few thousand at a time: the events of a long run should not all be in memory.
async function* eventsIn(storage: Storage): AsyncGenerator<StoredEvent> {
  let after: Pick<StoredEvent, 'installationId' | 'id'> = { installationId: '', id: '' }
  for (;;) {
    const { installationId, id } = after
    const rows = await storage.read(
      (db) => db.sql<StoredEvent>`
        select installation_id as "installationId", id, type, body from events
        where (installation_id, id) > (${installationId}, ${id}) order by installation_id, id limit 5000`,
    )
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}
