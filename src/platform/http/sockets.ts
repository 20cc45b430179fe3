// Configures Node's HTTP server: its limits, and its responses if the parser fails before there is a request.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { issueAt } from '../../contract/issues.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import { type Connections, handleInTurn } from './connections.ts'
import type { Outgoing } from './message.ts'

// Not imported, because an import reads every export of the module, and one of them loads Node's built-in HTTP client: 14 MB that are not
// needed.
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
  // Makes the response to a refusal outside of any route. The request is undefined if the parser failed.
  refused: (refusal: Refusal, raw?: IncomingMessage, reason?: string) => Outgoing
  // Makes the same response in the format of the requested page. Only the URL and the language of the request are known.
  refusedAt: (refusal: Refusal, raw: IncomingMessage, reason: string) => Promise<Outgoing>
}

const headerBytesMax = 16_384
const headersMax = 100

export function openServer({ bounds, connections, answer, refused, refusedAt }: SocketParts): Server {
  const headersTimeout = bounds.headersTimeoutMs ?? 10_000
  // Sockets that were sent their last response while the client may still be sending.
  const last = new WeakSet<Duplex>()
  const server = createHttpServer(
    {
      maxHeaderSize: headerBytesMax,
      headersTimeout,
      requestTimeout: bounds.requestTimeoutMs ?? 15_000,
      // Longer than the usual minute of a load balancer, so this server never closes a connection that the load balancer is about to
      // reuse.
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: Math.min(1_000, headersTimeout / 2),
      // The Host header is checked in `server.ts`, which sends a response with a body.
      requireHostHeader: false,
    },
    handleInTurn(answer),
  )
  server.maxHeadersCount = headersMax
  // Closes a connection after this time without data in either direction. The other time-outs only limit receiving, so a response that is
  // not read would keep its connection open forever.
  server.timeout = bounds.idleTimeoutMs ?? 70_000
  connections.watch(server)
  server.on('clientError', (error: ParserError, socket) => {
    const isUnused = (socket as Socket).bytesRead === 0
    // The parser fails again on data that was already on its way. This error is ignored, so the client can read the response.
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
    // Node no longer watches this socket. A client that keeps its half of the connection open could hold the connection, and the request
    // whose body is awaited, for any time.
    letGo(socket)
  })
  // Node expects no response to CONNECT and has detached the socket, so the socket must be ended here.
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

export function listenOnPort(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

const overflow = 'HPE_HEADER_OVERFLOW'

// Returns a request whose headers are too large, as far as it is known. Returns undefined if the request line arrived in an earlier
// packet than the one at which the parser failed. Proxies, and browsers on this machine, send the line and the headers in one packet.
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

// Refusals for errors of the parser, when there is a socket but no request: too many or too large headers, request smuggling, and
// time-outs of slow clients.
function parserRefusal({ code, rawPacket }: ParserError): Refusal {
  // If the first word is a valid token, it is an unknown method; otherwise the data is not HTTP.
  if (code === 'HPE_INVALID_METHOD' && methodToken.test(rawPacket?.toString('latin1', 0, 40) ?? ''))
    return refuse('route_not_found')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return refuse('invalid_request', { message: 'The request did not arrive in time.' })
  if (code === overflow) {
    const kibibytes = headerBytesMax / 1024
    return refuse('invalid_request', {
      message: `The request has more than ${headersMax} headers, or headers of more than ${kibibytes} KiB in total.`,
      issues: [issueAt('/headers', 'too_many_headers', { max: headersMax, kibibytes })],
    })
  }
  if (code === 'HPE_INVALID_VERSION') return unsupportedHttpVersion()
  return refuse('invalid_request', { message: 'The request could not be read as HTTP.' })
}

export function unsupportedHttpVersion(): Refusal {
  return refuse('invalid_request', { status: 505, message: 'This server only supports HTTP/1.1.' })
}

// A method token (RFC 9110, 5.6.2).
const methodToken = /^[\w!#$%&'*+.^`|~-]+ /

// Writes a response to a socket for which there is no response object, and ends the socket.
function sayLast(socket: Duplex, { status, body, headers }: Outgoing): void {
  const lines = Object.entries({ ...headers, ...lastHeaders(body) }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  socket.end(body)
}

// Destroys the socket when the response was sent, or after a second if the client does not read it.
function letGo(socket: Duplex): void {
  linger(socket)
  socket.on('finish', () => socket.destroy())
}

// Waits up to a second for the client to close the connection. Closing it here with unread bytes would reset it, and the client might
// lose the response (RFC 9112, 9.6).
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
