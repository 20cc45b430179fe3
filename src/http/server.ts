// The HTTP framework's doorman: opens the port, routes the contract's rows and our pages, and makes sure that whatever
// the parser, the router or the framework has to say leaves as a PublicErrorResponse. The framework routes; the server
// that listens is ours, because its bounds and its last words are.

import { lookup } from 'node:dns/promises'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify'
import { addressBucket } from '../access/throttle.ts'
import { type Operation, type OperationId, operations } from '../contract/operations.ts'
import { newId } from '../kit/ids.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { type AnyHandler, answerFor, asRefusal, type Incoming, type Outgoing, type Refused } from './answer.ts'
import { hasBody } from './body.ts'
import { type Connections, createConnections, inTurn } from './connections.ts'
import type { Pressure } from './pressure.ts'
import { createSeats } from './seats.ts'

// A page, an asset or a probe: anything that is not an operation of the contract.
export interface Page {
  // Fastify's pattern: `/media/:shop/:file`.
  path: string
  // What the log and the metrics call it; the address itself may hold a secret and is never written down.
  name: string
  // Answered under any load, because whoever asks wants to know of it.
  isProbe?: boolean
  // A page that takes forms is asked by POST too; it reads the body itself.
  methods?: readonly ('GET' | 'POST')[]
  answer(request: Incoming): Promise<PageAnswer>
}

export interface PageAnswer {
  status: number
  body: string | Buffer
  headers: Record<string, string>
}

// What is handed over whole, to somebody who writes the answer by himself. Counted and bounded like a page.
export interface HandOff {
  path: string
  name: string
  methods: readonly ('GET' | 'POST')[]
  handle(request: Incoming, response: ServerResponse, requestId: string): Promise<void>
}

export interface ServerParts {
  answer: (id: OperationId, handler: AnyHandler, request: Incoming) => Promise<Outgoing>
  handlers: Partial<Record<OperationId, AnyHandler>>
  pages: readonly Page[]
  handOffs?: readonly HandOff[] | undefined
  // Addresses or networks of balancers whose X-Forwarded-For is believed.
  trustedProxies: readonly string[]
  pressure: Pressure
  log: Log
  metrics: Metrics
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
  const { answer, handlers, pages, handOffs = [], trustedProxies, pressure, log, metrics } = parts
  const connections = createConnections(parts)
  const servers: Server[] = []
  let draining = false
  observeConnections(metrics, connections)

  const router = Fastify({
    logger: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1_000, caseSensitive: true },
    frameworkErrors: (error, request, reply) => {
      const refusal = error.code === 'FST_ERR_BAD_URL' ? badPath() : refuse('route_not_found')
      // The types promise less than the framework gives here.
      send(reply as FastifyReply, refused(refusal, request.raw))
    },
  })

  // The framework leaves bodies alone, whatever the method. The road reads them once it knows who is asking.
  for (const method of router.supportedMethods) {
    router.addHttpMethod(method, { hasBody: false, overrideExisting: true })
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
    })
    return outgoing
  }

  // Written without the framework's help, which would look at every header once more.
  function send(reply: FastifyReply, { status, body, headers }: Outgoing): void {
    reply.hijack()
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const lines = ['content-type', jsonType, 'content-length', String(length), 'x-content-type-options', 'nosniff']
    for (const name in headers) lines.push(name, headers[name] as string)
    if (draining && headers.connection === undefined) lines.push('connection', 'close')
    reply.raw.writeHead(status, lines).end(body)
  }

  // An answer that cannot be written down.
  function sendDefect(reply: FastifyReply, id: OperationId, error: unknown): void {
    const requestId = newId('req')
    const outgoing = answerFor(asRefusal(error, log, { requestId, operation: id }), requestId)
    if (reply.raw.headersSent) reply.raw.destroy()
    else send(reply, outgoing)
  }

  for (const [id, handler] of Object.entries(handlers) as [OperationId, AnyHandler][]) {
    const { method, path } = operations[id]
    router.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler(request: FastifyRequest, reply: FastifyReply) {
        if (!hasOneHost(request.raw)) send(reply, refused(badHost(), request.raw))
        else
          answer(id, handler, incoming(request))
            .then((outgoing) => send(reply, outgoing))
            .catch((error: unknown) => sendDefect(reply, id, error))
      },
    })
  }

  for (const page of pages) {
    router.route({
      method: methodsOf(page),
      url: page.path,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const startedAt = performance.now()
        const requestId = newId('req')
        const given = await answerPage(page, incoming(request)).catch((error: unknown): PageAnswer => {
          const { status, body, headers } = answerFor(asRefusal(error, log, { requestId, page: page.name }), requestId)
          return { status, body, headers: { ...headers, 'content-type': jsonType } }
        })
        const durationMs = performance.now() - startedAt
        metrics.countRequest(page.name, given.status, durationMs)
        log.debug('page', { requestId, page: page.name, status: given.status, durationMs })
        reply
          .code(given.status)
          .headers({ 'x-content-type-options': 'nosniff', ...given.headers, 'x-request-id': requestId })
        if (draining) reply.header('connection', 'close')
        return reply.send(given.body)
      },
    })
  }

  const seats = createSeats({ seatsMax: 64, perAddressMax: 16 })
  for (const handOff of handOffs) {
    router.route({
      method: [...handOff.methods],
      url: handOff.path,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const refusal = handOffRefusal(request.raw)
        if (refusal) return send(reply, refused(refusal, request.raw))
        const seat = request.method === 'POST' ? addressBucket(request.ip) : null
        if (seat !== null && !seats.take(seat))
          return send(reply, refused(refuse('unavailable', { retryAfterMs: 1000 }), request.raw))
        if (!pressure.enter()) {
          if (seat !== null) seats.leave(seat)
          return send(reply, refused(refuse('unavailable', { retryAfterMs: 1000 }), request.raw))
        }
        const startedAt = performance.now()
        const requestId = newId('req')
        const response = reply.raw
        response.setHeader('x-request-id', requestId)
        response.setHeader('x-content-type-options', 'nosniff')
        if (draining) response.setHeader('connection', 'close')
        reply.hijack()
        try {
          await handOff.handle(incoming(request), response, requestId)
        } catch (error) {
          const outgoing = answerFor(asRefusal(error, log, { requestId, page: handOff.name }), requestId)
          if (response.headersSent) response.destroy()
          else response.writeHead(outgoing.status, { ...outgoing.headers, 'content-type': jsonType }).end(outgoing.body)
        } finally {
          pressure.leave()
          if (seat !== null) seats.leave(seat)
        }
        const durationMs = performance.now() - startedAt
        metrics.countRequest(handOff.name, response.statusCode, durationMs)
        log.debug('page', { requestId, page: handOff.name, status: response.statusCode, durationMs })
        return reply
      },
    })
  }

  async function answerPage(page: Page, request: Incoming): Promise<PageAnswer> {
    if (page.isProbe) return page.answer(request)
    if (!pressure.enter()) throw refuse('unavailable', { retryAfterMs: 1000 })
    try {
      return await page.answer(request)
    } finally {
      pressure.leave()
    }
  }

  router.setNotFoundHandler((request, reply) => send(reply, refused(refuse('route_not_found'), request.raw)))
  router.setErrorHandler((error, request, reply) => {
    const refusal = frameworkRefusal(error)
    if (refusal) return send(reply, refused(refusal, request.raw))
    const requestId = newId('req')
    const outgoing = answerFor(asRefusal(error, log, { requestId, method: request.method }), requestId)
    metrics.countRequest('none', outgoing.status, 0)
    return send(reply, outgoing)
  })

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
      inTurn((request, response) => router.routing(request, response)),
    )
    server.maxHeadersCount = headersMax
    // Whoever moves no byte in either direction for so long is let go: an answer that nobody reads would hold its place
    // for ever. The other time-outs are about what we are sent.
    server.timeout = parts.idleTimeoutMs ?? 70_000
    connections.watch(server)
    server.on('clientError', (error: ParserError, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      sayLast(socket, refused(parserRefusal(error), undefined, error.code))
    })
    // Node waits for no answer here and has let go of the socket, so that it is ours to end.
    server.on('connect', (request, socket) => {
      socket.on('error', () => socket.destroy())
      sayLast(socket, refused(refuse('route_not_found'), request))
      socket.on('finish', () => socket.destroy())
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
      await router.ready()
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
      await router.close()
    },
  }
}

const headerBytesMax = 16_384
const headersMax = 100
function methodsOf({ methods = ['GET'] }: Page): HTTPMethods[] {
  return methods.includes('GET') ? [...methods, 'HEAD'] : [...methods]
}

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

function incoming(request: FastifyRequest): Incoming {
  return { raw: request.raw, path: request.params as Record<string, string>, address: request.ip }
}

// Exactly one Host, as the standard asks: with two, a proxy and we could believe different ones.
function hasOneHost(raw: IncomingMessage): boolean {
  if (raw.httpVersionMinor === 0) return true
  let hosts = 0
  for (let i = 0; i < raw.rawHeaders.length; i += 2) {
    const name = raw.rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1
}

// Whoever takes over believes the request line, so that it must name a path and no other host; and how much it would
// read is for us to say.
function handOffRefusal(raw: IncomingMessage): Refusal | undefined {
  if (!hasOneHost(raw)) return badHost()
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
  return refuse('invalid_request', { issues: [{ path: '/headers/host', message: 'must be sent exactly once' }] })
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

// What the framework refuses by an error of its own, in the words of the contract. We leave it nothing to refuse, so this
// is for what a newer version may think of. Its errors of the server are defects of ours.
export function frameworkRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('FST_ERR_')) return undefined
  const status = 'statusCode' in error ? Number(error.statusCode) : 500
  if (status < 400 || status >= 500) return undefined
  if (status === 413) return refuse('body_too_large')
  if (status === 415) return refuse('unsupported_media_type')
  return refuse([404, 405, 414].includes(status) ? 'route_not_found' : 'invalid_request')
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
  return refuse('invalid_request', { message: 'The request could not be read as HTTP.' })
}

// RFC 9110, 5.6.2.
const methodToken = /^[\w!#$%&'*+.^`|~-]+ /

// Writes an answer to a socket that has no response object, and ends it.
function sayLast(socket: Duplex, { status, body, headers }: Refused): void {
  const lines = Object.entries({ ...headers, ...lastHeaders(body) }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}

function lastHeaders(text: string): Record<string, string | number> {
  return {
    'content-type': jsonType,
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }
}
