// The server: opens the port, routes the contract's rows and our pages, and makes sure that whatever the parser or the
// router has to say leaves as a PublicErrorResponse. There is no framework between Node's server and us; the router is a
// library, and this is its doorman.

import { lookup } from 'node:dns/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { addressBucket } from '../access/throttle.ts'
import { type Operation, type OperationId, operations } from '../contract/open/operations.ts'
import { newId } from '../kit/ids.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import {
  type AnyHandler,
  answerFor,
  asRefusal,
  callerRequestId,
  type Incoming,
  type Outgoing,
  type Refused,
} from './answer.ts'
import { hasBody } from './body.ts'
import { type Connections, createClientAddress, createConnections, inTurn } from './connections.ts'
import type { Pressure } from './pressure.ts'
import { createReceive, createSeats, type Seats } from './seats.ts'

// An import would read every name of the module, and one of them loads Node's own HTTP client: 14 MB that nobody needs.
const { createServer: createHttpServer, STATUS_CODES } = process.getBuiltinModule('node:http')

// A page, an asset or a probe: anything that is not an operation of the contract.
export interface HtmlPage {
  // The router's pattern: `/media/:shop/:file`.
  path: string
  // What the log and the metrics call it; the address itself may hold a secret and is never written down.
  name: string
  // Answered under any load, because whoever asks wants to know of it.
  isProbe?: boolean
  // Made anew at every look, from much, or a large answer: how often one address may look is bounded. Posts always are.
  isDear?: boolean
  // A page that takes forms is asked by POST too; it reads the body itself.
  methods?: readonly ('GET' | 'POST')[]
  answer(request: PageRequest): Promise<PageAnswer>
  // What a person is shown where the page could not be answered: by a defect, an outage or too much load. Without it, JSON.
  failed?(request: Incoming, status: number): PageAnswer
}

export interface PageRequest extends Incoming {
  // Waits for a body, in a seat of the client's address.
  receive<Body>(read: () => Promise<Body>): Promise<Body>
  // Takes more of what the client's address may ask for, for work that is larger than usual; refuses where that is used up.
  spend?(cost: number): void
}

export interface PageAnswer {
  status: number
  body: string | Buffer
  // In small letters.
  headers: Record<string, string>
}

// What is handed over whole, to somebody who writes the answer by himself. Counted and bounded like a page.
export interface HandOff {
  path: string
  name: string
  methods: readonly ('GET' | 'POST')[]
  handle(request: Incoming, response: ServerResponse, requestId: string): Promise<void>
  // How it says, to whoever calls there, that it could not be handled: a page, or the error body of its protocol.
  failed(failure: HandOffFailure): Omit<PageAnswer, 'status'>
}

export interface HandOffFailure {
  status: number
  requestId: string
  reason: string
}

export interface ServerParts {
  answer: (id: OperationId, handler: AnyHandler, request: Incoming) => Promise<Outgoing>
  handlers: Partial<Record<OperationId, AnyHandler>>
  pages: readonly HtmlPage[]
  handOffs?: readonly HandOff[] | undefined
  // Whether browsers shall come by https only: the public address is one.
  isHttps?: () => boolean
  // Addresses or networks of balancers whose X-Forwarded-For is believed.
  trustedProxies: readonly string[]
  pressure: Pressure
  // Of bodies that are awaited.
  bodySeats: Seats
  // How long somebody at this address must wait before a form is taken from there, or a page shown that is dear; 0 for not at
  // all. One of usual size costs 1.
  waitMs?: (kind: 'post' | 'look', address: string, cost: number) => number
  // How long the answer to what is too much waits.
  refusedDelayMs?: number | undefined
  log: Log
  metrics: Metrics
  answerTimeoutMs?: number | undefined
  headersTimeoutMs?: number | undefined
  requestTimeoutMs?: number | undefined
  idleTimeoutMs?: number | undefined
  connectionsMax?: number | undefined
  connectionsPerAddressMax?: number | undefined
}

export interface HttpServer {
  listen(port: number, host: string): Promise<number>
  // Takes no new connection, lets what is under way finish within the limit, then cuts.
  drain(limitMs: number): Promise<void>
}

export function createServer(parts: ServerParts): HttpServer {
  const { answer, handlers, pages, handOffs = [], trustedProxies, pressure, bodySeats, log, metrics } = parts
  const isHttps = parts.isHttps ?? (() => false)
  const waitMsFor = parts.waitMs ?? (() => 0)
  const receive = createReceive(bodySeats, pressure)
  const connections = createConnections(parts)
  const servers: Server[] = []
  let draining = false
  observeConnections(metrics, connections)

  const addressOf = createClientAddress(trustedProxies)
  const router = findMyWay({
    maxParamLength: 1_000,
    caseSensitive: true,
    // What stands behind the question mark is read by the road.
    querystringParser: () => noQuery,
    defaultRoute: (raw, response) => send(response as ServerResponse, refused(refuse('route_not_found'), raw)),
    onBadUrl: (_, raw, response) => send(response as ServerResponse, refused(badPath(), raw)),
  })

  function route(
    methods: readonly HTTPMethod[],
    path: string,
    handle: (request: Incoming, response: ServerResponse) => void,
  ): void {
    const all: HTTPMethod[] = methods.includes('GET') ? [...methods, 'HEAD'] : [...methods]
    router.on(all, path, (raw, response, params) => {
      if (!hasOneHost(raw)) send(response as ServerResponse, refused(badHost(), raw))
      else handle({ raw, path: params as Record<string, string>, address: addressOf(raw) }, response as ServerResponse)
    })
  }

  // A refusal that no operation was there to make. `raw` is missing where the parser gave up.
  function refused(refusal: Refusal, raw?: IncomingMessage, reason?: string): Refused {
    const requestId = newId('req')
    const outgoing = answerFor(refusal, requestId)
    if (raw && isOpenToAll(raw.url)) outgoing.headers['access-control-allow-origin'] = '*'
    if (raw && hasBody(raw)) outgoing.headers.connection = 'close'
    metrics.countRequest('none', outgoing.status, 0)
    const { code } = refusal
    log.info('request', {
      requestId,
      operation: null,
      method: raw?.method ?? null,
      status: outgoing.status,
      code,
      ...(reason !== undefined && { reason }),
      ...(raw && callerRequestId(raw)),
    })
    return outgoing
  }

  function send(response: ServerResponse, { status, body, headers }: Outgoing): void {
    const lines = ['x-content-type-options', 'nosniff']
    // An answer that can have no body has no length.
    if (status !== 304) {
      const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
      if (headers['content-type'] === undefined) lines.push('content-type', jsonType)
      lines.push('content-length', String(length))
    }
    for (const name in headers) lines.push(name, headers[name] as string)
    if (draining && headers.connection === undefined) lines.push('connection', 'close')
    if (isHttps()) lines.push('strict-transport-security', httpsOnly)
    response.writeHead(status, lines).end(body)
  }

  // An answer that cannot be written down.
  function sendDefect(response: ServerResponse, error: unknown, of: Readonly<Record<string, string>>): void {
    const requestId = newId('req')
    const outgoing = answerFor(asRefusal(error, log, { requestId, ...of }), requestId)
    metrics.countRequest('none', outgoing.status, 0)
    if (response.headersSent) response.destroy()
    else send(response, outgoing)
  }

  for (const [id, handler] of Object.entries(handlers) as [OperationId, AnyHandler][]) {
    const { method, path } = operations[id]
    route([method], path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, response) => {
      answer(id, handler, request)
        .then((outgoing) => send(response, outgoing))
        .catch((error: unknown) => sendDefect(response, error, { operation: id }))
    })
  }

  for (const page of pages) {
    route(page.methods ?? ['GET'], page.path, (request, response) => {
      showPage(page, request, response).catch((error: unknown) => sendDefect(response, error, { page: page.name }))
    })
  }

  async function showPage(page: HtmlPage, request: Incoming, response: ServerResponse): Promise<void> {
    const startedAt = performance.now()
    const requestId = newId('req')
    const { status, body, headers } = await answerPage(page, request).catch((error: unknown): PageAnswer => {
      const refusal = answerFor(asRefusal(error, log, { requestId, page: page.name }), requestId)
      const shown = page.failed?.(request, refusal.status)
      if (shown) return { ...shown, headers: { ...refusal.headers, ...shown.headers } }
      return { ...refusal, headers: { ...refusal.headers, 'content-type': jsonType } }
    })
    if (status === 429) await delayRefused()
    const durationMs = performance.now() - startedAt
    metrics.countRequest(page.name, status, durationMs)
    log.debug('page', { requestId, page: page.name, status, durationMs, ...callerRequestId(request.raw) })
    response.writeHead(status, {
      'x-content-type-options': 'nosniff',
      ...headers,
      // An answer that can have no body has no length.
      ...(status !== 304 && status !== 204 && { 'content-length': Buffer.byteLength(body) }),
      'x-request-id': requestId,
      // What was sent and not read must not be taken for the next request.
      ...((draining || isUnread(request.raw)) && { connection: 'close' }),
      ...(isHttps() && { 'strict-transport-security': httpsOnly }),
    })
    response.end(body)
  }

  // Whoever asks too much waits for the answer as well: twelve connections that ask as fast as they are answered would
  // otherwise keep the process busy with saying no.
  let delayed = 0
  async function delayRefused(): Promise<void> {
    const delayMs = parts.refusedDelayMs ?? 1_000
    if (draining || delayMs === 0 || delayed >= delayedMax) return
    delayed += 1
    await pause(delayMs)
    delayed -= 1
  }

  // Of requests whose body somebody else reads; they stay under way meanwhile.
  const handOffSeats = createSeats({ seatsMax: 512 })
  metrics.read({
    name: 'cartwright_bodies_awaited',
    help: 'Requests whose body is still arriving.',
    type: 'gauge',
    values: () => ({ '': bodySeats.taken + handOffSeats.taken }),
  })
  for (const handOff of handOffs) {
    route(handOff.methods, handOff.path, (request, response) => {
      takeOver(handOff, request, response).catch((error: unknown) =>
        sendDefect(response, error, { page: handOff.name }),
      )
    })
  }

  async function takeOver(handOff: HandOff, request: Incoming, response: ServerResponse): Promise<void> {
    const { raw } = request
    const sendRefused = (refusal: Refusal) => send(response, failedAnswer(handOff, refusal, refused(refusal, raw)))
    const refusal = handOffRefusal(raw)
    if (refusal) return sendRefused(refusal)
    const seat = raw.method === 'POST' ? addressBucket(request.address) : null
    if (seat !== null && !handOffSeats.take(seat, bodiesPerAddressMax))
      return sendRefused(refuse('unavailable', { retryAfterMs: 1000 }))
    if (!pressure.enter()) {
      if (seat !== null) handOffSeats.leave(seat)
      return sendRefused(refuse('unavailable', { retryAfterMs: 1000 }))
    }
    const startedAt = performance.now()
    const requestId = newId('req')
    response.setHeader('x-request-id', requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    if (draining) response.setHeader('connection', 'close')
    if (isHttps()) response.setHeader('strict-transport-security', httpsOnly)
    let failure: unknown
    try {
      await handOff.handle(request, response, requestId)
    } catch (error) {
      failure = error ?? new Error('a hand-off failed without an error')
    } finally {
      pressure.leave()
      if (seat !== null) handOffSeats.leave(seat)
    }
    if (failure !== undefined) {
      const refusal = asRefusal(failure, log, { requestId, page: handOff.name })
      const { status, body, headers } = failedAnswer(handOff, refusal, answerFor(refusal, requestId))
      if (status === 429) await delayRefused()
      if (response.headersSent) response.destroy()
      else response.writeHead(status, { ...headers, ...(isUnread(raw) && { connection: 'close' }) }).end(body)
    }
    const durationMs = performance.now() - startedAt
    metrics.countRequest(handOff.name, response.statusCode, durationMs)
    log.debug('page', { requestId, page: handOff.name, status: response.statusCode, durationMs })
  }

  async function answerPage(page: HtmlPage, incoming: Incoming): Promise<PageAnswer> {
    const request: PageRequest = {
      ...incoming,
      receive: (read) => {
        const seat = { key: `address ${addressBucket(incoming.address)}`, most: bodiesPerAddressMax }
        return receive(incoming.raw, seat, read)
      },
      spend(cost) {
        const waitMs = waitMsFor(incoming.raw.method === 'POST' ? 'post' : 'look', incoming.address, cost)
        if (waitMs > 0) throw refuse('rate_limited', { retryAfterMs: waitMs })
      },
    }
    if (page.isProbe) return page.answer(request)
    if (page.isDear || incoming.raw.method === 'POST') request.spend?.(1)
    if (!pressure.enter()) throw refuse('unavailable', { retryAfterMs: 1000 })
    try {
      return await page.answer(request)
    } finally {
      pressure.leave()
    }
  }

  function openServer(): Server {
    const headersTimeout = parts.headersTimeoutMs ?? 10_000
    const server = createHttpServer(
      {
        maxHeaderSize: headerBytesMax,
        headersTimeout,
        requestTimeout: parts.requestTimeoutMs ?? 15_000,
        // Longer than a balancer's usual minute, so that it is never us who closes a connection it is about to use.
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
        // Checked by us instead, so that the refusal has a body.
        requireHostHeader: false,
      },
      inTurn((request, response) => {
        // The parser knows the words of other versions, and nobody here speaks them.
        if (request.httpVersionMajor === 1) router.lookup(request, response)
        else send(response, refused(notHttp(), request))
      }),
    )
    server.maxHeadersCount = headersMax
    // Whoever moves no byte in either direction for so long is let go: an answer that nobody reads would hold its place
    // for ever. The other time-outs are about what we are sent.
    server.timeout = parts.idleTimeoutMs ?? 70_000
    connections.watch(server)
    server.on('clientError', (error: ParserError, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      sayLast(socket, refused(parserRefusal(error), undefined, error.code))
      // Node looks at this socket no more. A client that keeps its half open would hold the connection, and the request
      // whose body is awaited, for as long as it likes.
      letGo(socket)
    })
    // Node waits for no answer here and has let go of the socket, so that it is ours to end.
    server.on('connect', (request, socket) => {
      socket.on('error', () => socket.destroy())
      sayLast(socket, refused(refuse('route_not_found'), request))
      letGo(socket)
    })
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      const issues = [{ path: '/headers/expect', message: 'must be absent or 100-continue' }]
      const { status, headers, body } = refused(refuse('invalid_request', { issues }), request)
      response.writeHead(status, { ...headers, ...lastHeaders(body) })
      response.end(body)
    })
    return server
  }

  return {
    async listen(port, host) {
      // That name is often two addresses, and a client may try either.
      const addresses =
        host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]
      let bound = port
      for (const [index, address] of addresses.entries()) {
        const server = openServer()
        try {
          bound = await listening(server, bound, address)
          servers.push(server)
        } catch (error) {
          if (index === 0) throw error
          log.debug('one address of localhost is not listened to', { address, reason: (error as Error).message })
        }
      }
      return bound
    },
    async drain(limitMs) {
      draining = true
      const cut = setTimeout(() => {
        for (const server of servers) server.closeAllConnections()
      }, limitMs)
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
      clearTimeout(cut)
    },
  }
}

// The refusal in the form of whoever was to handle the request.
function failedAnswer(handOff: HandOff, { message, details }: Refusal, { status, headers }: Refused): Outgoing {
  const issues = (details.issues ?? []).map((issue) => `${issue.path} ${issue.message}`)
  const requestId = headers['x-request-id'] ?? ''
  const shown = handOff.failed({ status, requestId, reason: [message, ...issues].join(' ') })
  return { status, body: shown.body, headers: { ...headers, ...shown.headers } }
}

const headerBytesMax = 16_384
// Refused requests that wait for their answer; more are answered at once.
const delayedMax = 1_000
const bodiesPerAddressMax = 16
const headersMax = 100
const noQuery = {}
// A year, as browsers ask for before they remember it.
const httpsOnly = 'max-age=31536000'

const jsonType = 'application/json; charset=utf-8'

function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function observeConnections(metrics: Metrics, connections: Connections): void {
  metrics.read({
    name: 'cartwright_connections',
    help: 'Connections of clients.',
    type: 'gauge',
    values: () => ({ '': connections.open }),
  })
  metrics.read({
    name: 'cartwright_connections_refused_total',
    help: 'Connections closed at once, because there were too many or too many of one address.',
    type: 'counter',
    values: () => ({ '': connections.refused }),
  })
}

function isUnread(raw: IncomingMessage): boolean {
  return hasBody(raw) && !raw.readableEnded
}

// Exactly one Host, as the standard asks (RFC 9112, 3.2): with two, a proxy and we could believe different ones. Which one is
// not compared with the public URL: nothing that we answer is made from it, and probes and people on this machine come by
// other names.
function hasOneHost(raw: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = raw.rawHeaders[i] as string
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    hosts += 1
    if (!hostPattern.test(raw.rawHeaders[i + 1] as string)) return false
  }
  return hosts === 1 || (hosts === 0 && raw.httpVersionMajor === 1 && raw.httpVersionMinor === 0)
}

// A name or an IPv4 address, or an IPv6 address in brackets, with a port or without (RFC 3986, 3.2.2).
const hostPattern = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

// Whoever takes over believes the request line, so that it must name a path and no other host; and how much it would
// read is for us to say.
function handOffRefusal(raw: IncomingMessage): Refusal | undefined {
  if (!raw.url?.startsWith('/')) return badPath()
  if (raw.url.length > handOffUrlMax)
    return refuse('invalid_request', {
      issues: [{ path: '/path', message: `must have at most ${handOffUrlMax} characters` }],
    })
  if (raw.headers['transfer-encoding'] !== undefined)
    return refuse('invalid_request', { issues: [{ path: '/headers/content-length', message: 'must be sent' }] })
  return Number(raw.headers['content-length'] ?? 0) > handOffBytesMax ? refuse('body_too_large') : undefined
}

// What is asked there is kept for a while, so that anybody could fill the database with long requests.
const handOffUrlMax = 4_096
const handOffBytesMax = 16_384

function badHost(): Refusal {
  return refuse('invalid_request', {
    issues: [{ path: '/headers/host', message: 'must be sent exactly once, as a host with or without a port' }],
  })
}

function badPath(): Refusal {
  return refuse('invalid_request', { issues: [{ path: '/path', message: 'must be a path in percent-encoded UTF-8' }] })
}

// Where the operations live that need no key. A browser is told of a refusal there too when no operation was found.
const openPrefixes = Object.values(operations)
  .filter((row: Operation) => row.caller === 'anyone')
  .map((row: Operation) => row.path.split('{', 1)[0] ?? '')

function isOpenToAll(url = ''): boolean {
  return openPrefixes.some((prefix) => url.startsWith(prefix))
}

interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

// The parser gave up: there is no request to answer, only a socket. Header and size limits, smuggling shapes and
// time-outs of slow senders end here.
function parserRefusal({ code, rawPacket }: ParserError): Refusal {
  // A word in the place of the method is an unknown method; anything else there is not HTTP.
  if (code === 'HPE_INVALID_METHOD' && methodToken.test(rawPacket?.toString('latin1', 0, 40) ?? ''))
    return refuse('route_not_found')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return refuse('invalid_request', { message: 'The request did not arrive in time.' })
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = `must be at most ${headersMax} headers and ${headerBytesMax / 1024} KiB`
    return refuse('invalid_request', {
      message: `The request has more than ${headersMax} headers, or more than ${headerBytesMax / 1024} KiB of them.`,
      issues: [{ path: '/headers', message }],
    })
  }
  return notHttp()
}

function notHttp(): Refusal {
  return refuse('invalid_request', { message: 'The request could not be read as HTTP.' })
}

// RFC 9110, 5.6.2.
const methodToken = /^[\w!#$%&'*+.^`|~-]+ /

// Writes an answer to a socket that has no response object, and ends it.
function sayLast(socket: Duplex, { status, body, headers }: Refused): void {
  const lines = Object.entries({ ...headers, ...lastHeaders(body) }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

// Once the last words have left, and at the latest after a second: a client that reads nothing takes none.
function letGo(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), 1_000)
  socket.on('finish', () => socket.destroy())
  socket.on('close', () => clearTimeout(timer))
}

function lastHeaders(text: string): Record<string, string | number> {
  return {
    'content-type': jsonType,
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }
}
