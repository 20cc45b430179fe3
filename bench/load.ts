// One period of load by autocannon, from this process, on a server that runs in another. Its numbers count only if the
// load was valid: an answer other than 2xx, an error or a timeout fails it.

import { cpus } from 'node:os'
import autocannon from 'autocannon'
import type { Running } from './process.ts'

export interface Ask {
  method: 'GET' | 'PATCH'
  path: string
  headers?: Readonly<Record<string, string>>
  // Created for each request, so each has its own key.
  body?: () => string
}

export interface Load {
  server: Running
  // What each connection requests repeatedly, each from another starting point in the list. Writers give each
  // connection its own list.
  asks: (connection: number) => readonly Ask[]
  connections: number
  seconds: number
}

export interface Stretch {
  requests: number
  perSecond: number
  // Processor time of the server's process, per answer.
  cpuUs: number
  p50Ms: number
  p99Ms: number
  rssMb: number
  // Without mapped files.
  privateMb: number
  // What this process used of one core meanwhile. Near 1, the generator limits the throughput.
  generatorShare: number
  // Cores that everything else on the machine used meanwhile. On a quiet machine that is little more than the kernel.
  othersCores: number
}

export async function measure({ server, asks, connections, seconds }: Load): Promise<Stretch> {
  const waitsMs: number[] = []
  let connection = 0
  const watch = await startWatch(server)
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon(
      {
        url: server.origin,
        connections,
        duration: seconds,
        setupClient: (client) => {
          client.setRequests(requestsOf(asks(connection)))
          connection += 1
        },
      },
      (error, outcome) => (error ? reject(error) : resolve(outcome)),
    )
    // The generator makes the requests of one connection after the other, while the first answers already wait for it.
    const begun = new Set<autocannon.Client>()
    running.on('response', (client, _status, _bytes, waitMs) => {
      if (begun.has(client)) waitsMs.push(waitMs)
      else begun.add(client)
    })
  })
  const bad = result.non2xx + result.errors + result.timeouts + result.mismatches
  if (bad > 0)
    throw new Error(
      `the load was not valid: ${result.non2xx} answers were no 2xx, ${result.errors} errors, ${result.timeouts} time-outs`,
    )
  if (waitsMs.length < connections) throw new Error(`the load was not valid: ${waitsMs.length} answers`)
  return watch.end(waitsMs)
}

export interface Watch {
  // Takes how long each request, or other unit of work, had to wait.
  end(waitsMs: number[]): Promise<Stretch>
}

// Reads what server, generator and machine have used, now and at the end.
export async function startWatch(server: Running): Promise<Watch> {
  const before = {
    server: await server.usage(),
    own: process.cpuUsage(),
    machineMs: machineBusyMs(),
    at: performance.now(),
  }
  return {
    async end(waitsMs) {
      const tookMs = performance.now() - before.at
      const own = process.cpuUsage(before.own)
      const machineMs = machineBusyMs() - before.machineMs
      const after = await server.usage()
      const [serverMs, ownMs] = [(after.cpuUs - before.server.cpuUs) / 1_000, (own.user + own.system) / 1_000]
      const sorted = waitsMs.toSorted((one, other) => one - other)
      const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
      return {
        requests: sorted.length,
        perSecond: sorted.length / (tookMs / 1_000),
        cpuUs: (serverMs * 1_000) / sorted.length,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        rssMb: after.rssBytes / 2 ** 20,
        privateMb: after.privateBytes / 2 ** 20,
        generatorShare: ownMs / tookMs,
        othersCores: Math.max(0, (machineMs - serverMs - ownMs) / tookMs),
      }
    },
  }
}

function machineBusyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}

function requestsOf(asks: readonly Ask[]): autocannon.Request[] {
  return asks.map(({ method, path, headers, body }) => ({
    method,
    path,
    ...(headers && { headers: { ...headers } }),
    ...(body && { setupRequest: (request: autocannon.Request) => ({ ...request, body: body() }) }),
  }))
}

// The same list from another starting point, so connections do not request the same URLs at the same time.
export function turned<T>(list: readonly T[], connection: number, connections: number): T[] {
  const start = Math.floor((list.length * connection) / connections)
  return [...list.slice(start), ...list.slice(0, start)]
}

// Every so many of the list, so all connections together request each once before any again. The generator prepares the requests of a
// connection all at once, and answers wait for it meanwhile: the fewer the better.
export function dealt<T>(list: readonly T[], connection: number, connections: number): T[] {
  return list.filter((_, at) => at % connections === connection)
}
