// Connections that are never released: half-open senders, slow headers, slow bodies and readers that do not read, a
// thousand from one address and some from others. The API, the pages and OAuth answer normal callers as before, and all
// these connections are closed in the end.

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type Caller, createCaller } from './caller.ts'
import type { Ground } from './place.ts'
import { median } from './quantile.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { openSession, post, sessionFrom } from './shopper.ts'

export const holdRun: ServerRun = {
  name: 'hold',
  method:
    'sockets that send half a request and no more, a byte a second of headers or of a body, or read nothing of what they asked for, from one address and from four others, while normal callers use the API, a checkout page and OAuth; judged by the answers and the ratio of the medians before and during (under 3×, from 10 ms on), the memory (at most 60 MB more), and by every socket being let go',
  numbers: { half: 1_000, others: 64, slow: 200, readers: 20, seconds: 10 },
  short: { half: 200, others: 16, slow: 20, readers: 10, seconds: 2 },
  runOn: (ground, numbers, tools) => {
    const { half = 0, others = 0, slow = 0, readers = 0, seconds = 1 } = numbers
    return runHold(ground, { half, others, slow, readers, seconds }, tools)
  },
}

export interface HoldNumbers {
  half: number
  others: number
  slow: number
  readers: number
  seconds: number
}

const ratioMax = 3
const noiseMs = 10
const memoryBytesMax = 60 * 2 ** 20
// A reader that does not read is closed last: a minute for the answer, and a check every five seconds.
const letGoMsMax = 100_000

export async function runHold(ground: Ground, numbers: HoldNumbers, tools: RunTools): Promise<RunResult> {
  const codes = Array.from({ length: 100 }, (_, index) => `L${index}`)
  const shop = await makeShop(ground, [
    shopFile('hold', { products: [product('THING', 100_000), ...codes.map((code) => product(code, 100))] }),
  ])
  const server = await startServer({ ...shop, rateLimit: '1000/2000' })
  const caller = createCaller(16)
  const violations = new Set<string>()
  const sockets: Socket[] = []
  try {
    const normal = await normalCallerFor(shop, server, caller, violations)
    await normal.during(2)
    const before = await normal.during(numbers.seconds)
    const bytesBefore = await server.residentBytes()
    tools.tell('taking hold')
    sockets.push(...(await takeHold(shop, server, numbers)))
    const beside = await normal.during(numbers.seconds)
    const grown = (await server.residentBytes()) - bytesBefore
    const connections = async () => {
      const { text } = await caller.call(server.origin, { method: 'GET', path: '/metrics' })
      return Number(/^cartwright_connections (\d+)/m.exec(text)?.[1] ?? Number.NaN)
    }
    const held = await connections()
    tools.tell(`${held} sockets hold on`)
    const startedAt = performance.now()
    // As the server counts them: a reader that does not read does not notice that it was cut. The connections of normal
    // callers remain.
    while ((await connections()) > 16 && performance.now() - startedAt < letGoMsMax) await pause(500)
    const letGoMs = performance.now() - startedAt
    const left = Math.max(0, (await connections()) - 16)
    if (left > 0) violations.add(`${left} sockets were never closed`)
    const after = await normal.during(numbers.seconds)

    const seen: Record<string, number | string> = { sockets: sockets.length, heldAtTheEnd: held }
    for (const path of paths) {
      const [quiet, troubled] = [median([...before[path], ...after[path]]), median(beside[path])]
      const ratio = troubled / quiet
      seen[path] = `${quiet.toFixed(1)} → ${troubled.toFixed(1)} ms (${ratio.toFixed(2)}×)`
      if (!(ratio < ratioMax || troubled < noiseMs))
        violations.add(`${path}: the median is ${ratio.toFixed(2)}× of what it is before`)
    }
    if (grown > memoryBytesMax) violations.add(`the memory grew by ${(grown / 2 ** 20).toFixed(1)} MB`)
    for (const line of defectsOf([server])) violations.add(line)
    seen.memoryGrown = `${(grown / 2 ** 20).toFixed(1)} MB`
    seen.letGoAfter = `${(letGoMs / 1_000).toFixed(1)} s`
    return { seen, violations: [...violations].slice(0, 50) }
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.end('SIGKILL')
    caller.close()
  }
}

const paths = ['product read', 'cart made', 'checkout page', 'checkout post', 'sign-in page', 'token'] as const
type Path = (typeof paths)[number]
type Took = Readonly<Record<Path, number[]>>

async function normalCallerFor(shop: Shop, server: Server, caller: Caller, violations: Set<string>) {
  const { origin } = server
  const { key } = standOf(shop)
  const items = [{ skuId: shop.sku('THING'), quantity: 1 }]
  const { secret } = sessionFrom(await openSession(caller, origin, standOf(shop), { items }))
  let turn = 0
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const calls: Readonly<Record<Path, { status: number; ask: () => Promise<Answer> }>> = {
    'product read': {
      status: 200,
      ask: () => caller.ask(origin, 'getApiKeyCatalogProduct', { key, path: { slug: 'thing' } }),
    },
    'cart made': {
      status: 200,
      ask: () => caller.ask(origin, 'createPublicCart', { key, body: { idempotencyKey: `hold-${turn}`, items } }),
    },
    'checkout page': { status: 200, ask: () => caller.call(origin, { method: 'GET', path: `/c/${secret}` }) },
    'checkout post': { status: 200, ask: () => post(caller, origin, `/c/${secret}/code`, { code: '' }) },
    'sign-in page': {
      status: 404,
      ask: () => caller.call(origin, { method: 'GET', path: '/oauth/interaction/nobody', headers: form }),
    },
    token: { status: 400, ask: () => post(caller, origin, '/oauth/token', { grant_type: 'nothing' }) },
  }
  return {
    async during(seconds: number): Promise<Took> {
      const took = Object.fromEntries(paths.map((path) => [path, [] as number[]])) as unknown as Took // one for each path
      const endsAt = performance.now() + seconds * 1_000
      while (performance.now() < endsAt) {
        turn += 1
        const path = paths[turn % paths.length] ?? 'product read'
        const { status, ask } = calls[path]
        const answer = await ask()
        took[path].push(answer.tookMs)
        if (answer.status !== status) violations.add(`${path}: a normal caller was answered ${answer.status}`)
        // No path more often than its own limit allows, which for posts of one checkout is two a second.
        await pause(90)
      }
      return took
    },
  }
}

// Resolves when all of them are connected, or were refused.
async function takeHold(shop: Shop, server: Server, numbers: HoldNumbers): Promise<Socket[]> {
  // Their own key: callers that share a key share its connection limit.
  const { readKey: key } = standOf(shop)
  const caller = createCaller(1)
  const items = Array.from({ length: 100 }, (_, index) => ({ skuId: shop.sku(`L${index}`), quantity: 1 }))
  const large = sessionFrom(await openSession(caller, server.origin, standOf(shop), { items }))
  caller.close()
  const formHead = (path: string) =>
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\na=`
  const apiHead = `POST /api/v1/open/storefront/carts HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
  const halves = [
    formHead(`/c/${large.secret}/details`),
    formHead('/oauth/token'),
    formHead('/oauth/interaction/nobody'),
    `${apiHead}content-length: 1000\r\n\r\n{`,
    apiHead,
    'GET /healthz HT',
    '',
  ]
  // More than sockets can buffer.
  const unread = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(20)
  const half = (from: string, index: number) => hold(server, from, halves[index % halves.length] ?? '')
  const each = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))
  return Promise.all([
    ...each(numbers.half, (index) => half('127.0.0.2', index)),
    ...each(numbers.others, (index) => half(`127.0.0.${3 + (index % 4)}`, index)),
    ...each(numbers.slow, (index) => hold(server, '127.0.0.7', halves[index % halves.length] ?? '', { drip: 'x' })),
    ...each(numbers.readers, () => hold(server, '127.0.0.8', unread, { isDeaf: true })),
  ])
}

function hold(
  server: Server,
  localAddress: string,
  first: string,
  { drip, isDeaf = false }: { drip?: string; isDeaf?: boolean } = {},
): Promise<Socket> {
  const { port } = new URL(server.origin)
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress, allowHalfOpen: true })
    const timer = drip === undefined ? undefined : setInterval(() => socket.writable && socket.write(drip), 1_000)
    // Whatever the server sends: the socket stays open until it is cut, or the server has ended its half.
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      clearInterval(timer)
      resolve(socket)
    })
    socket.on('connect', () => {
      if (first !== '') socket.write(first)
      if (isDeaf) socket.pause()
      else socket.resume()
      resolve(socket)
    })
  })
}
