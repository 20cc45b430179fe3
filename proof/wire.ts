// Malformed raw requests, slow senders and a flood of wrong keys, while a normal caller goes on. Only declared answers
// are sent, connections do not mix up requests, memory does not grow, and the normal caller does not wait much longer.

import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { generateKey } from '../src/platform/access/key.ts'
import { type Caller, createCaller, undeclared } from './caller.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Stand, shopFile, standOf } from './shop.ts'

export const wireRun: ServerRun = {
  name: 'wire',
  method:
    'raw sockets with smuggling shapes, doubled headers, bombs of depth and size, senders of one byte a second, and wrong keys at a steady rate, while a normal caller sends 50 requests a second; judged by the statuses, one answer for each request, the resident memory (at most 30 MB more) and the normal caller’s 99th percentile by the second, in the median (under 2×, from 10 ms on)',
  numbers: { shapes: 3_000, slow: 300, wrongKeys: 50_000, perSecond: 500, calmSeconds: 20 },
  short: { shapes: 100, slow: 10, wrongKeys: 600, perSecond: 200, calmSeconds: 2 },
  runOn: (ground, numbers, tools) => {
    const { shapes = 0, slow = 0, wrongKeys = 0, perSecond = 1, calmSeconds = 1 } = numbers
    return runWire(ground, { shapes, slow, wrongKeys, perSecond, calmSeconds }, tools)
  },
}

export interface WireNumbers {
  shapes: number
  slow: number
  wrongKeys: number
  perSecond: number
  calmSeconds: number
}

const memoryBytesMax = 30 * 2 ** 20
const patienceMs = 40_000
// A difference below this is noise of the machine.
const noiseMs = 10

export async function runWire(ground: Ground, numbers: WireNumbers, tools: RunTools): Promise<RunResult> {
  const shop = await makeShop(ground, [shopFile('wire', { products: [product('THING', 1_000)] })])
  // With the default limits: they are part of the defence.
  const server = await startServer({ ...shop, rateLimit: '100/200' })
  const caller = createCaller(64)
  const violations = new Set<string>()
  const stand = standOf(shop)
  const seen: Record<string, number | string> = {}
  try {
    const normal = new NormalCaller(caller, server, stand, violations)
    tools.tell('calm')
    await normal.during(() => pause(2_000))
    await flood(
      caller,
      server,
      { wrongKeys: Math.min(2_000, numbers.wrongKeys), perSecond: numbers.perSecond },
      tools,
      violations,
    )
    const bytesBefore = await server.residentBytes()
    const calm = await normal.during(() => pause(numbers.calmSeconds * 1_000))

    const shapes = await normal.during(() => sendShapes(server, stand, numbers.shapes, tools, violations))
    const slow = await normal.during(() => sendSlowly(server, stand, numbers.slow, tools, violations))
    const flooded = await normal.during(() => flood(caller, server, numbers, tools, violations))
    const calmAgain = await normal.during(() => pause(numbers.calmSeconds * 1_000))

    const calmP99 = Math.max(calm.p99Ms, calmAgain.p99Ms)
    for (const [name, { p99Ms }] of Object.entries({ shapes, slow, flooded })) {
      seen[`p99 ${name}`] = `${p99Ms.toFixed(1)} ms`
      if (p99Ms > Math.max(2 * calmP99, noiseMs))
        violations.add(
          `${name}: the normal caller's p99 is ${p99Ms.toFixed(1)} ms, and ${calmP99.toFixed(1)} ms without load`,
        )
    }
    const grown = (await server.residentBytes()) - bytesBefore
    if (grown > memoryBytesMax) violations.add(`the memory grew by ${(grown / 2 ** 20).toFixed(1)} MB`)
    for (const line of defectsOf([server])) violations.add(line)
    return {
      seen: {
        goodCalls: normal.calls,
        'p99 calm': `${calm.p99Ms.toFixed(1)} and ${calmAgain.p99Ms.toFixed(1)} ms`,
        ...seen,
        memoryGrown: `${(grown / 2 ** 20).toFixed(1)} MB`,
      },
      violations: [...violations].slice(0, 50),
    }
  } finally {
    await server.end('SIGKILL')
    caller.close()
  }
}

// A normal caller, which sends requests at a steady pace.
class NormalCaller {
  readonly caller: Caller
  readonly server: Server
  readonly stand: Stand
  readonly violations: Set<string>
  calls = 0

  constructor(caller: Caller, server: Server, stand: Stand, violations: Set<string>) {
    this.caller = caller
    this.server = server
    this.stand = stand
    this.violations = violations
  }

  async during(work: () => Promise<void>): Promise<{ p99Ms: number }> {
    const took: Took[] = []
    const under: Promise<void>[] = []
    // Its own connections, so it never waits for one.
    const own = createCaller(16)
    const timer = setInterval(() => under.push(this.#ask(own, took)), 20)
    try {
      await work()
    } finally {
      clearInterval(timer)
      await Promise.all(under)
      own.close()
    }
    return { p99Ms: typicalWorst(took) }
  }

  async #ask(own: Caller, took: Took[]): Promise<void> {
    // Its own key: callers that share a key share its limit.
    const { readKey: key } = this.stand
    const at = performance.now()
    const answer = await own.ask(this.server.origin, 'getApiKeyCatalogProduct', { key, path: { slug: 'thing' } })
    this.calls += 1
    took.push({ at, ms: answer.tookMs })
    if (answer.status !== 200) this.violations.add(`the normal caller was answered ${answer.status}`)
  }
}

interface Took {
  at: number
  ms: number
}

// The median of the 99th percentiles of all seconds: a moment in which the machine was busy with something else must
// not decide.
function typicalWorst(took: readonly Took[]): number {
  const seconds = [...Map.groupBy(took, ({ at }) => Math.floor(at / 1_000)).values()]
  return at(
    seconds.map((calls) =>
      at(
        calls.map(({ ms }) => ms),
        0.99,
      ),
    ),
    0.5,
  )
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

interface Shape {
  name: string
  bytes: string | Buffer
  // Of the first answer.
  statuses: readonly number[]
  // The most answers that may come: a request smuggled inside another must not be answered.
  answersMax?: number
}

function shapesOf({ key }: Stand): readonly Shape[] {
  const target = '/api/v1/open/installation/identity'
  const get = `GET ${target} HTTP/1.1\r\n`
  const end = '\r\nconnection: close\r\n\r\n'
  const auth = `host: a\r\nauthorization: Bearer ${key}`
  const carts = `POST /api/v1/open/storefront/carts HTTP/1.1\r\n${auth}\r\ncontent-type: application/json\r\n`
  const hidden = `${get}${auth}\r\n\r\n`
  const json = (body: string | Buffer, more = '') =>
    Buffer.concat([
      Buffer.from(`${carts}${more}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`),
      Buffer.from(body),
    ])
  return [
    { name: 'a good one', bytes: `${get}${auth}${end}`, statuses: [200] },
    {
      name: 'absolute form',
      bytes: `GET http://evil.example${target} HTTP/1.1\r\n${auth}${end}`,
      statuses: [200, 400],
    },
    { name: 'authority form', bytes: `CONNECT evil.example:443 HTTP/1.1\r\nhost: a${end}`, statuses: [404] },
    { name: 'asterisk form', bytes: `OPTIONS * HTTP/1.1\r\nhost: a${end}`, statuses: [400, 404] },
    { name: 'no Host', bytes: `${get}x: y${end}`, statuses: [400] },
    { name: 'two Hosts', bytes: `${get}host: b\r\n${auth}${end}`, statuses: [400] },
    { name: 'two Authorizations', bytes: `${get}${auth}\r\nauthorization: Bearer x${end}`, statuses: [400] },
    { name: 'a folded header', bytes: `${get}${auth}\r\nx: 1\r\n 2${end}`, statuses: [400] },
    { name: 'a bare line feed', bytes: `${get}host: a\nx: y${end}`, statuses: [400] },
    { name: 'a space before the colon', bytes: `${get}host : a${end}`, statuses: [400] },
    { name: 'a NUL', bytes: `${get}${auth}\r\nx: a\u0000b${end}`, statuses: [400] },
    { name: 'HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', statuses: [400] },
    { name: 'TLS', bytes: '\u0016\u0003\u0001\u0002\u0000 hello\r\n\r\n', statuses: [400] },
    { name: 'many headers', bytes: `${get}${auth}\r\n${'x: y\r\n'.repeat(500)}x: y${end}`, statuses: [400] },
    { name: 'large headers', bytes: `${get}${auth}\r\nx: ${'y'.repeat(40_000)}${end}`, statuses: [400] },
    { name: 'a long path', bytes: `GET /${'x'.repeat(12_000)} HTTP/1.1\r\n${auth}${end}`, statuses: [404] },
    {
      name: 'a length and chunks',
      bytes: `${carts}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      statuses: [400],
      answersMax: 1,
    },
    {
      name: 'two lengths',
      bytes: `${carts}content-length: 0\r\ncontent-length: 4\r\n\r\n{}  ${hidden}`,
      statuses: [400],
      answersMax: 1,
    },
    {
      name: 'a length with a sign',
      bytes: `${carts}content-length: +2\r\n\r\n{}${hidden}`,
      statuses: [400],
      answersMax: 1,
    },
    {
      name: 'chunked twice',
      bytes: `${carts}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n${hidden}`,
      statuses: [400],
      answersMax: 1,
    },
    {
      name: 'a chunk size that is none',
      bytes: `${carts}transfer-encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n${hidden}`,
      statuses: [400],
      answersMax: 1,
    },
    {
      name: 'a body where none is asked for',
      bytes: `${get}${auth}\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`,
      statuses: [400],
      answersMax: 1,
    },
    { name: 'deep JSON', bytes: json(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`), statuses: [400] },
    { name: 'a huge body', bytes: json(`{"a":"${'x'.repeat(200_000)}"}`), statuses: [400] },
    { name: 'a promise of a huge body', bytes: `${carts}content-length: 9999999999\r\n\r\n{`, statuses: [400] },
    { name: 'bytes that are no text', bytes: json(randomBytes(64)), statuses: [400] },
    { name: 'a compressed bomb', bytes: json(randomBytes(64), 'content-encoding: gzip\r\n'), statuses: [400] },
    { name: 'an expectation', bytes: `${carts}expect: a-miracle\r\ncontent-length: 2${end}{}`, statuses: [400] },
    {
      name: 'an upgrade',
      bytes: `${get}${auth}\r\nupgrade: websocket\r\nconnection: close, upgrade\r\n\r\n`,
      statuses: [200, 400],
    },
    {
      name: 'two in one go',
      bytes: `${get}${auth}\r\n\r\n${get}${auth}${end}`,
      statuses: [200],
      answersMax: 2,
    },
  ]
}

async function sendShapes(
  server: Server,
  stand: Stand,
  times: number,
  tools: RunTools,
  violations: Set<string>,
): Promise<void> {
  const shapes = shapesOf(stand)
  let done = 0
  async function go(): Promise<void> {
    while (done < times) {
      done += 1
      const shape = pick(tools.random, shapes)
      // In one piece, or cut in two at a random place.
      const bytes = Buffer.from(shape.bytes)
      const cut = tools.random() < 0.5 ? whole(tools.random, 1, bytes.length - 1) : bytes.length
      judge(shape, await speak(server, [bytes.subarray(0, cut), bytes.subarray(cut)]), violations)
      tools.tell(`${done} of ${times} shapes`)
      await pause(5)
    }
  }
  await Promise.all(Array.from({ length: 4 }, go))
}

function judge({ name, statuses, answersMax = 1 }: Shape, text: string, violations: Set<string>): void {
  const answers = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
  const [first] = answers
  if (first === undefined || !(statuses.includes(first) || first === 429))
    violations.add(`${name} is answered ${first ?? 'with nothing'}: ${text.slice(0, 200)}`)
  if (answers.length > answersMax) violations.add(`${name} is answered ${answers.length} times`)
  if (answers.some((status) => status >= 500)) violations.add(`${name} is answered ${answers.join(', ')}`)
}

// One byte a second: the server must refuse it in the end and close the connection.
async function sendSlowly(
  server: Server,
  { key }: Stand,
  times: number,
  tools: RunTools,
  violations: Set<string>,
): Promise<void> {
  const head = `POST /api/v1/open/storefront/carts HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
  let done = 0
  const dribble = async (kind: 'headers' | 'body') => {
    const sent = kind === 'headers' ? head : `${head}content-length: 1000\r\n\r\n{`
    const text = await speak(server, [Buffer.from(sent)], kind === 'headers' ? 'x' : ' ')
    done += 1
    tools.tell(`${done} of ${times} slow ones`)
    judge({ name: `slow ${kind}`, bytes: '', statuses: [400] }, text, violations)
  }
  await Promise.all(Array.from({ length: times }, (_, index) => dribble(index % 2 === 0 ? 'headers' : 'body')))
}

// Sends the pieces, and then `drip` repeatedly until the other side ends. Returns everything received.
function speak(server: Server, pieces: readonly Buffer[], drip?: string): Promise<string> {
  const { port } = new URL(server.origin)
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    let received = ''
    const timers: NodeJS.Timeout[] = []
    const finish = (note = '') => {
      for (const timer of timers) clearTimeout(timer)
      socket.destroy()
      resolve(received + note)
    }
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      received += text
    })
    socket.on('error', () => finish())
    socket.on('close', () => finish())
    timers.push(setTimeout(() => finish(' (it did not end)'), patienceMs))
    socket.on('connect', () => {
      const [first, second] = pieces
      socket.write(first ?? '')
      if (second && second.length > 0) timers.push(setTimeout(() => socket.writable && socket.write(second), 5))
      if (drip !== undefined) timers.push(setInterval(() => socket.writable && socket.write(drip), 1_000))
    })
  })
}

// Each a different one. Half of them have a valid checksum, so the database is queried.
function wrongKey(random: () => number): string {
  const { text } = generateKey('test')
  return random() < 0.5 ? text : `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`
}

// At a steady rate.
async function flood(
  caller: Caller,
  server: Server,
  { wrongKeys, perSecond }: { wrongKeys: number; perSecond: number },
  tools: RunTools,
  violations: Set<string>,
): Promise<void> {
  const startedAt = performance.now()
  const under: Promise<void>[] = []
  for (let index = 0; index < wrongKeys; index += 1) {
    const dueMs = (index * 1_000) / perSecond - (performance.now() - startedAt)
    if (dueMs > 0) await pause(dueMs)
    under.push(
      caller.ask(server.origin, 'getInstallationCredentialIdentity', { key: wrongKey(tools.random) }).then((answer) => {
        if (answer.status !== 401 && answer.status !== 429) violations.add(`a wrong key is answered ${answer.status}`)
        const problem = undeclared('getInstallationCredentialIdentity', answer)
        if (problem) violations.add(problem)
      }),
    )
    if (index % 500 === 499) {
      await Promise.all(under.splice(0))
      tools.tell(`${index + 1} of ${wrongKeys} wrong keys`)
    }
  }
  await Promise.all(under)
}
