// Events to several endpoints while the processes that deliver them are killed again and again. In the end every event
// has reached every endpoint; a repeated delivery has the same id and the same bytes.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { addEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { announce } from '../src/platform/outbox/announce.ts'
import type { RootSecret } from '../src/platform/secrets/secrets.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

export interface DeliveryRun {
  storage: Storage
  url: string
  rootSecret: RootSecret
  rootSecretText: string
  installationId: string
  events: number
  endpoints: number
  // Processes that deliver at the same time; more than one only on PostgreSQL.
  nodes: number
  // How many times a process is killed, at least.
  kills: number
  random: () => number
  onProgress?: (text: string) => void
}

export interface DeliveryResult {
  events: number
  pairs: number
  kills: number
  calls: number
  duplicates: number
  lost: number
  // Requests with a known id and different bytes.
  differing: number
  // Events of a subject that first reached an endpoint before an earlier one did.
  outOfOrder: number
  unsettled: number
  tookMs: number
}

const leaseMs = 1_500
const perSubject = 5

export async function runDeliveries(run: DeliveryRun): Promise<DeliveryResult> {
  const startedAt = performance.now()
  const pairs = run.events * run.endpoints
  const journal = new Map<string, string>()
  const lastSequence = new Map<string, number>()
  const result = { calls: 0, duplicates: 0, differing: 0, outOfOrder: 0, kills: 0 }
  let whole: () => void = () => {}
  const complete = new Promise<void>((resolve) => {
    whole = resolve
  })

  // Called after each request.
  const looks = new Set<() => void>()
  const receiver = createServer((request, response) => {
    const hash = createHash('sha256')
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      chunks.push(chunk)
    })
    request.on('end', () => {
      const pair = `${request.url} ${request.headers['webhook-id']}`
      const digest = hash.digest('base64')
      const known = journal.get(pair)
      result.calls += 1
      if (known === undefined) noteFirst(pair, digest, Buffer.concat(chunks).toString('utf8'), request.url ?? '')
      else {
        result.duplicates += 1
        if (known !== digest) result.differing += 1
      }
      response.writeHead(204).end()
      for (const look of looks) look()
      if (journal.size === pairs) whole()
    })
  })
  function noteFirst(pair: string, digest: string, body: string, path: string): void {
    journal.set(pair, digest)
    const { subject, sequence } = JSON.parse(body) as { subject: { id: string }; sequence: number }
    const key = `${path} ${subject.id}`
    if ((lastSequence.get(key) ?? 0) >= sequence) result.outOfOrder += 1
    lastSequence.set(key, sequence)
  }
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo

  const tools = { rootSecret: run.rootSecret, allowPrivate: true }
  for (let number = 0; number < run.endpoints; number += 1) {
    const input = { url: `http://127.0.0.1:${port}/${number}`, description: '', events: ['cart.*'] }
    await run.storage.write((tx) => addEndpoint(tx, run.installationId, input, tools, Date.now()))
  }

  let isOver = false
  const children = new Set<ChildProcess>()
  async function keepKilling(): Promise<void> {
    while (!isOver) {
      const child = startNode(run)
      children.add(child)
      const closed = once(child, 'close')
      await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), closed])
      const isLast = result.kills >= run.kills
      if (!isLast) {
        // Measured by deliveries and not by time: a fast machine would finish before the last kill.
        const toldAtLeast = (pairs * (result.kills + run.random())) / (run.kills + 1)
        const look = () => journal.size >= toldAtLeast && child.kill('SIGKILL')
        looks.add(look)
        look()
        await closed
        looks.delete(look)
        result.kills += 1
        run.onProgress?.(`${result.kills} kills, ${journal.size} of ${pairs} delivered`)
      } else {
        await complete
        child.kill('SIGTERM')
        await closed
      }
      children.delete(child)
      if (isLast) return
    }
  }

  try {
    const nodes = Array.from({ length: run.nodes }, keepKilling)
    await Promise.all([makeEvents(run), complete.then(() => (isOver = true)), ...nodes])
    const unsettled = await settledByNow(run)
    return {
      ...result,
      events: run.events,
      pairs,
      lost: pairs - journal.size,
      unsettled,
      tookMs: performance.now() - startedAt,
    }
  } finally {
    isOver = true
    for (const child of children) child.kill('SIGKILL')
    receiver.close()
    receiver.closeAllConnections()
  }
}

function startNode({ url, rootSecretText }: DeliveryRun): ChildProcess {
  const script = join(import.meta.dirname, 'dispatcher.ts')
  const args = ['--disable-warning=ExperimentalWarning', script, url, rootSecretText, String(leaseMs)]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

// As the server does it: a few events per commit, of subjects that change several times.
async function makeEvents({ storage, installationId, events }: DeliveryRun): Promise<void> {
  const batch = 50
  for (let from = 0; from < events; from += batch) {
    const subjects = Array.from({ length: Math.ceil(batch / perSubject) }, () => newId('cart'))
    await storage.write(async (tx) => {
      for (let number = from; number < Math.min(from + batch, events); number += 1) {
        const subject = subjects[Math.floor((number - from) / perSubject)] as string
        const now = Date.now()
        await announce(tx, {
          installationId,
          mode: 'test',
          kind: 'cart.updated',
          subject: { type: 'cart', id: subject },
          sequence: ((number - from) % perSubject) + 1,
          dataText: JSON.stringify({ cart: { id: subject, note: `number ${number} – naïve ☕ \u2028` } }),
          cause: null,
          now,
        })
      }
    })
  }
}

// A process may have been killed after it received an answer and before it wrote it. Another process then sends again,
// so in the end every delivery is finished; this runs one more node until that is so.
async function settledByNow(run: DeliveryRun): Promise<number> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const [row] = await run.storage.read(
      (db) => db.sql<{ open: number }>`
        select count(*) as "open" from webhook_deliveries where status <> 'succeeded'`,
    )
    if (!row || row.open === 0 || Date.now() > deadline) return row?.open ?? 0
    const child = startNode(run)
    const closed = once(child, 'close')
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    await new Promise((resolve) => setTimeout(resolve, leaseMs))
    child.kill('SIGTERM')
    await closed
  }
}
