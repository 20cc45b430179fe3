// Node's HTTP server as we set it up: its bounds, and what it has to say where there is no request to answer.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { issueAt } from '../../contract/issues.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import { type Connections, inTurn } from './connections.ts'
import type { Outgoing } from './message.ts'

// An import would read every name of the module, and one of them loads Node's own HTTP client: 14 MB that are not needed.
const { createServer: createHttpServer, IncomingMessage: Message, STATUS_CODES } = process.getBuiltinModule('node:http')

export interface SocketBounds {
  headersTimeoutMs?: number | undefined
  requestTimeoutMs?: number | undefined
  idleTimeoutMs?: number | undefined
}

export interface SocketParts {
  bounds: SocketBounds
  connections: Connections
  answer: RequestListener
  // A refusal that no route was there to make. The request is missing where the parser gave up.
  refused: (refusal: Refusal, raw?: IncomingMessage, reason?: string) => Outgoing
  // The same in the form of the page that was asked for. Of the request, only the address and the language are known.
  refusedAt: (refusal: Refusal, raw: IncomingMessage, reason: string) => Promise<Outgoing>
}

const headerBytesMax = 16_384
const headersMax = 100

export function openServer({ bounds, connections, answer, refused, refusedAt }: SocketParts): Server {
  const headersTimeout = bounds.headersTimeoutMs ?? 10_000
  // Sockets that get their last answer while the client may still be sending.
  const last = new WeakSet<Duplex>()
  const server = createHttpServer(
    {
      maxHeaderSize: headerBytesMax,
      headersTimeout,
      requestTimeout: bounds.requestTimeoutMs ?? 15_000,
      // Longer than a balancer's usual minute, so it is never us who closes a connection it is about to use.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
      // Checked by us instead, so the refusal has a body.
      requireHostHeader: false,
    },
    inTurn(answer),
  )
  server.maxHeadersCount = headersMax
  // A connection that moves no byte in either direction for so long is closed: an answer that is not read would hold its place
  // for ever. The other time-outs are about what we are sent.
  server.timeout = bounds.idleTimeoutMs ?? 70_000
  connections.watch(server)
  server.on('clientError', (error: ParserError, socket) => {
    const isUnused = (socket as Socket).bytesRead === 0
    // The parser refuses once more what was still on its way. It is dropped, and the answer can be read.
    if (last.has(socket) && error.code === overflow) return
    if (error.code === 'ECONNRESET' || isUnused || !socket.writable) return void socket.destroy()
    const refusal = parserRefusal(error)
    const request = requestIn(error, socket as Socket)
    if (request) {
      last.add(socket)
      refusedAt(refusal, request, overflow).then(
        (outgoing) => {
          sayLast(socket, outgoing)
          linger(socket)
        },
        () => socket.destroy(),
      )
      return
    }
    sayLast(socket, refused(refusal, undefined, error.code))
    // Node looks at this socket no more. A client that keeps its half open would hold the connection, and the request
    // whose body is awaited, for as long as it likes.
    letGo(socket)
  })
  // Node waits for no answer here and has let go of the socket, so it is ours to end.
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy())
    sayLast(socket, refused(refuse('route_not_found'), request))
    letGo(socket)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const issues = [issueAt('/headers/expect', 'bad_expectation')]
    const { status, headers, body } = refused(refuse('invalid_request', { issues }), request)
    response.writeHead(status, { ...headers, ...lastHeaders(body) })
    response.end(body)
  })
  return server
}

export function listening(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

const overflow = 'HPE_HEADER_OVERFLOW'

// A request whose headers are too large, as far as it can be read. Undefined where its first line came earlier than the packet at
// which the parser gave up: proxies and browsers on this machine send both in one.
function requestIn({ code, rawPacket }: ParserError, socket: Socket): IncomingMessage | undefined {
  if (code !== overflow) return undefined
  const text = rawPacket?.toString('latin1') ?? ''
  const [, method, url] = /^(GET|POST) (\/[^ ?#\r\n]*)/.exec(text) ?? []
  if (method === undefined || url === undefined) return undefined
  const [, language] = /\r\naccept-language:([^\r\n]*)\r\n/i.exec(text) ?? []
  const request = new Message(socket)
  request.method = method
  request.url = url
  if (language !== undefined) request.headers['accept-language'] = language.trim()
  return request
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
  if (code === overflow) {
    const kibibytes = headerBytesMax / 1024
    return refuse('invalid_request', {
      message: `The request has more than ${headersMax} headers, or more than ${kibibytes} KiB of them.`,
      issues: [issueAt('/headers', 'too_many_headers', { max: headersMax, kibibytes })],
    })
  }
  if (code === 'HPE_INVALID_VERSION') return otherVersion()
  return refuse('invalid_request', { message: 'The request could not be read as HTTP.' })
}

export function otherVersion(): Refusal {
  return refuse('invalid_request', { status: 505, message: 'This server speaks HTTP/1.1.' })
}

// RFC 9110, 5.6.2.
const methodToken = /^[\w!#$%&'*+.^`|~-]+ /

// Writes an answer to a socket that has no response object, and ends it.
function sayLast(socket: Duplex, { status, body, headers }: Outgoing): void {
  const lines = Object.entries({ ...headers, ...lastHeaders(body) }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  socket.end(body)
}

// Once the last words have left, and at the latest after a second: a client that reads nothing takes none.
function letGo(socket: Duplex): void {
  linger(socket)
  socket.on('finish', () => socket.destroy())
}

// Closed by the client, or after a second. To close with bytes unread would reset the connection, and the client might lose the
// answer (RFC 9112, 9.6).
function linger(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), 1_000)
  socket.on('close', () => clearTimeout(timer))
}

function lastHeaders(body: Outgoing['body']): Record<string, string | number> {
  return {
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
}
