// The two processes of the webhook row, each started with its role: a receiver that counts calls, and the measured
// sender, which delivers with our dispatcher, with a bare loop over the same library, or with the least that gives the same guarantees.
// node bench/deliveries.ts receiver|sender <events> <endpoints>

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { makeDemoShop } from '../apps/demo/shop.ts'
import { Dispatcher } from '../src/domain/webhooks/dispatcher.ts'
import { addEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { createSender } from '../src/domain/webhooks/sender.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { createLog } from '../src/platform/log/log.ts'
import { announce } from '../src/platform/outbox/announce.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { deliverLeast } from './delivering.ts'

const [role, events, endpoints] = process.argv.slice(2)
const numbers = { events: Number(events), endpoints: Number(endpoints) }
const rootSecret = parseRootSecret('a-root-secret-that-only-the-benchmarks-know') as RootSecret

// An interrupted run leaves no processes behind.
process.on('disconnect', () => process.exit(0))
if (role === 'receiver') await receive()
else await sendOnDemand()

// Counts calls, and reports when the announced number has arrived. Records when the head of each call arrives.
async function receive(): Promise<void> {
  const ports: number[] = []
  let awaited = Number.POSITIVE_INFINITY
  let count = 0
  for (let number = 0; number < numbers.endpoints; number += 1) {
    const server = createServer((request, response) => {
      const at = performance.timeOrigin + performance.now()
      request.resume().on('end', () => {
        response.writeHead(204).end()
        count += 1
        if (count === awaited) process.send?.({ done: count, at })
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ports.push((server.address() as AddressInfo).port)
  }
  process.on('message', ({ calls }: { calls: number }) => {
    count = 0
    awaited = calls
    process.send?.({ armed: true })
  })
  process.send?.({ ports })
}

export type Order =
  | { kind: 'open'; url: string; ports: number[] }
  | { kind: 'fill' }
  | { kind: 'ours' }
  | { kind: 'finished' }
  | { kind: 'one' }
  | { kind: 'bare' }
  | { kind: 'minimal' }

// The measured process.
async function sendOnDemand(): Promise<void> {
  let storage: Storage | undefined
  let dispatcher: Dispatcher | undefined
  // Calls that the dispatcher must have made by now.
  let pending = 0
  let installationId = ''
  let ports: number[] = []
  const endpointIds: string[] = []
  const log = createLog({ level: 'error', pretty: false, write: (lines) => void process.stderr.write(lines) })
  let subject = newId('cart')
  let body = ''

  async function open(url: string): Promise<void> {
    storage = await openStorage(url, { server: url.startsWith('sqlite:') })
    await migrate(storage, { now: new Date() })
    installationId = (await makeDemoShop(storage, rootSecret, Date.now())).installation.id
    for (const port of ports) {
      const input = {
        url: `http://127.0.0.1:${port}/`,
        description: '',
        events: ['cart.*'],
        status: 'enabled' as const,
      }
      const tools = { rootSecret, allowPrivate: true }
      const made = await storage.write((tx) => addEndpoint(tx, installationId, input, tools, Date.now()))
      endpointIds.push(made.endpoint.id)
    }
  }

  function startDispatcher(): Dispatcher {
    if (!storage) throw new Error('the storage is not open')
    const started = new Dispatcher({
      storage,
      sender: createSender({ allowPrivate: true }),
      rootSecret,
      clock: () => new Date(),
      log,
      version: 'bench',
    })
    started.start()
    pending = 0
    return started
  }

  async function stopDispatcher(): Promise<void> {
    await dispatcher?.drain()
    dispatcher = undefined
  }

  // About as large as the event of a cart with three lines.
  const dataText = JSON.stringify({ cart: { id: subject, text: 'x'.repeat(2_000) } })

  async function happen(count: number): Promise<void> {
    pending += count * ports.length
    for (let from = 0; from < count; from += 100)
      await storage?.write(async (tx) => {
        for (let number = from; number < Math.min(count, from + 100); number += 1) {
          subject = newId('cart')
          await announce(tx, {
            installationId,
            mode: 'test',
            kind: 'cart.updated',
            subject: { type: 'cart', id: subject },
            sequence: 1,
            dataText,
            cause: null,
            now: Date.now(),
          })
        }
      })
  }

  // The outcome of the last call is written a moment after it.
  async function finished(): Promise<void> {
    while ((dispatcher?.stats().inFlight ?? 0) > 0 || (dispatcher?.stats().succeeded ?? 0) < pending)
      await new Promise((resolve) => setTimeout(resolve, 2))
  }

  async function ours(): Promise<void> {
    dispatcher = startDispatcher()
    pending = numbers.events * ports.length
    await finished()
    await stopDispatcher()
  }

  async function bare(): Promise<void> {
    body ||= `{"id":"evt_x","data":${dataText}}`
    const pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { connections: 8, pipelining: 1 }))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'evt_x',
      'webhook-timestamp': '1',
      'webhook-signature': `v1,${'x'.repeat(44)}`,
    }
    await Promise.all(
      pools.flatMap((pool) => {
        let left = numbers.events
        return Array.from({ length: 8 }, async () => {
          while (left-- > 0) {
            const answer = await pool.request({ path: '/', method: 'POST', headers, body })
            await answer.body.dump()
          }
        })
      }),
    )
    await Promise.all(pools.map((pool) => pool.close()))
  }

  process.on('message', async (order: Order) => {
    const before = process.cpuUsage()
    let at = 0
    if (order.kind === 'open') {
      ports = order.ports
      await open(order.url)
    } else if (order.kind === 'fill') await happen(numbers.events)
    else if (order.kind === 'ours') await ours()
    else if (order.kind === 'finished') await finished()
    else if (order.kind === 'bare') await bare()
    else if (order.kind === 'minimal' && storage) await deliverLeast(storage, { installationId, endpointIds, ports })
    else {
      dispatcher ??= startDispatcher()
      await happen(1)
      at = performance.timeOrigin + performance.now()
    }
    const { user, system } = process.cpuUsage(before)
    process.send?.({ kind: order.kind, cpuMs: (user + system) / 1_000, at })
  })
  process.send?.({ isReady: true })
}
