// The HTTP framework's doorman: opens the port, routes the contract's rows and our pages, and makes sure that whatever
// the parser, the router or the framework has to say leaves as a PublicErrorResponse.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import Fastify, { type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify'
import { type OperationId, operations } from '../contract/operations.ts'
import type { RefusalCode } from '../contract/refusals.ts'
import { newId } from '../kit/ids.ts'
import { refuse } from '../kit/refuse.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { type AnyHandler, answerFor, asRefusal, type Incoming, type Outgoing } from './answer.ts'

// A page, an asset or a probe: anything that is not an operation of the contract.
export interface Page {
  // Fastify's pattern: `/media/:shop/:file`.
  path: string
  // What the log and the metrics call it; the address itself may hold a secret and is never written down.
  name: string
  answer(request: Incoming): Promise<PageAnswer>
}

export interface PageAnswer {
  status: number
  body: string | Buffer
  headers: Record<string, string>
}

export interface ServerParts {
  answer: (id: OperationId, handler: AnyHandler, request: Incoming) => Promise<Outgoing>
  handlers: Partial<Record<OperationId, AnyHandler>>
  pages: readonly Page[]
  // Addresses or networks of balancers whose X-Forwarded-For is believed.
  trustedProxies: readonly string[]
  log: Log
  metrics: Metrics
  headersTimeoutMs?: number
  requestTimeoutMs?: number
}

export interface HttpServer {
  listen(port: number, host: string): Promise<number>
  // Takes no new connection, lets what is under way finish within the limit, then cuts.
  drain(limitMs: number): Promise<void>
}

export function createServer(parts: ServerParts): HttpServer {
  const { answer, handlers, pages, trustedProxies, log, metrics } = parts
  const headersTimeout = parts.headersTimeoutMs ?? 10_000
  let draining = false

  const server = Fastify({
    logger: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: parts.requestTimeoutMs ?? 15_000,
    // Longer than a balancer's usual minute, so that it is never us who closes a connection it is about to use.
    keepAliveTimeout: 65_000,
    // While draining, requests on open connections are still answered, and told that the connection ends.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1_000, caseSensitive: true },
    http: {
      maxHeaderSize: 16_384,
      headersTimeout,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
      // Checked by us instead, so that the refusal has a body.
      requireHostHeader: false,
    },
    // The types describe the packet as it looks in JSON; it is a Buffer.
    clientErrorHandler: (error, socket) => answerParserError(error as unknown as ParserError, socket, metrics),
    frameworkErrors: (error, request, reply) => {
      const code = error.code === 'FST_ERR_BAD_URL' ? 'invalid_request' : 'route_not_found'
      // The types promise less than the framework gives here.
      send(reply as FastifyReply, refused(code, request.raw, log, metrics))
    },
  })
  server.server.maxConnections = 10_000
  server.server.maxHeadersCount = 100
  server.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, text } = refused('invalid_request', request, log, metrics)
    response.writeHead(status, {
      ...headers,
      'content-type': jsonType,
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    })
    response.end(text)
  })

  // The framework leaves bodies alone. The road reads them once it knows who is asking.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  }

  function send(reply: FastifyReply, outgoing: Outgoing): FastifyReply {
    reply.code(outgoing.status).header('content-type', jsonType).header('x-content-type-options', 'nosniff')
    for (const name in outgoing.headers) reply.header(name, outgoing.headers[name])
    if (draining) reply.header('connection', 'close')
    return reply.send(outgoing.text)
  }

  for (const [id, handler] of Object.entries(handlers) as [OperationId, AnyHandler][]) {
    const { method, path } = operations[id]
    server.route({
      method,
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        if (!hasOneHost(request.raw)) return send(reply, refused('invalid_request', request.raw, log, metrics))
        return send(reply, await answer(id, handler, incoming(request)))
      },
    })
  }

  for (const page of pages) {
    server.route({
      method: ['GET', 'HEAD'] as HTTPMethods[],
      url: page.path,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const startedAt = performance.now()
        const requestId = newId('req')
        const given = await page.answer(incoming(request)).catch((error: unknown): PageAnswer => {
          const { status, text, headers } = answerFor(asRefusal(error, log, { requestId, page: page.name }), requestId)
          return { status, body: text, headers: { ...headers, 'content-type': jsonType } }
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

  server.setNotFoundHandler((request, reply) => send(reply, refused('route_not_found', request.raw, log, metrics)))
  server.setErrorHandler((error, request, reply) => {
    const requestId = newId('req')
    return send(reply, answerFor(asRefusal(error, log, { requestId, method: request.method }), requestId))
  })

  return {
    async listen(port, host) {
      await server.listen({ port, host, backlog: 1024 })
      return (server.server.address() as AddressInfo).port
    },
    async drain(limitMs) {
      draining = true
      const cut = setTimeout(() => server.server.closeAllConnections(), limitMs)
      await server.close()
      clearTimeout(cut)
    },
  }
}

const jsonType = 'application/json; charset=utf-8'

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

// A refusal that no operation was there to make.
function refused(code: RefusalCode, raw: IncomingMessage, log: Log, metrics: Metrics): Outgoing {
  const requestId = newId('req')
  const outgoing = answerFor(refuse(code), requestId)
  metrics.countRequest('none', outgoing.status, 0)
  log.info('request', { requestId, operation: null, method: raw.method, status: outgoing.status, code })
  return outgoing
}

// The parser gave up: there is no request to answer, only a socket. Header and size limits, smuggling shapes and
// time-outs of slow senders end here.
function answerParserError(error: ParserError, socket: Socket, metrics: Metrics): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // A word in the place of the method is an unknown method; anything else there is not HTTP.
  const isUnknownMethod =
    error.code === 'HPE_INVALID_METHOD' && /^[A-Za-z]+ /.test(error.rawPacket?.toString('latin1', 0, 40) ?? '')
  const code = isUnknownMethod ? 'route_not_found' : 'invalid_request'
  const message = parserSentences[error.code ?? ''] ?? 'The request could not be read as HTTP.'
  const { status, text, headers } = answerFor(refuse(code, code === 'invalid_request' ? { message } : {}), newId('req'))
  metrics.countRequest('none', status, 0)
  const lines = Object.entries({ ...headers, 'content-type': jsonType, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const reason = status === 404 ? 'Not Found' : 'Bad Request'
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer
}

const parserSentences: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request headers are larger than 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}
