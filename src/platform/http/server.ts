// The HTTP server: opens the port, routes requests, and answers errors of the parser and the router as refusals. It uses Node's server
// without a framework.

import { lookup } from 'node:dns/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { issueAt } from '../../contract/issues.ts'
import type { Surface } from '../../contract/surface.ts'
import { newId } from '../kit/ids.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Tracer } from '../metrics/spans.ts'
import { hasBody } from './body.ts'
import { type ConnectionBounds, type Connections, createClientAddress, createConnections } from './connections.ts'
import { hostedRoute, type ShopHosts } from './hosts.ts'
import { type BodyLimiter, createReceiveBody } from './limiter.ts'
import { callerRequestId, type Outgoing } from './message.ts'
import {
  badPathRefusal,
  createHandOffLimiter,
  type HandOffRoute,
  type HtmlPage,
  handOffRoute,
  type PageParts,
  pageRoute,
} from './pages.ts'
import type { Pressure } from './pressure.ts'
import { type RefusalAnswer, refusalAnswer, toRefusal } from './refusal.ts'
import { createRouter, type OtherMethods } from './router.ts'
import { createSend } from './send.ts'
import { createServe, type Route } from './serve.ts'
import { listenOnPort, openServer, type SocketBounds, unsupportedHttpVersion } from './sockets.ts'
import type { MountedSurface } from './surfaces.ts'

export interface ServerParts extends ConnectionBounds, SocketBounds {
  // The first surface formats the errors of requests that belong to no surface.
  surfaces: readonly [MountedSurface, ...MountedSurface[]] | readonly []
  pages: readonly HtmlPage[]
  handOffs?: readonly HandOffRoute[] | undefined
  // Lookup of the hosts of shops. Undefined if shops cannot have hosts.
  shopHosts?: ShopHosts | undefined
  // Whether the public URL uses https, so browsers are told to use only https.
  isHttps?: () => boolean
  pressure: Pressure
  bodyLimiter: BodyLimiter
  waitMs?: PageParts['waitMs']
  refusedDelayMs?: number | undefined
  log: Log
  metrics: Metrics
  tracer?: Tracer | undefined
  // Connections of the server that passes requests on to this one (default: this server accepts and limits connections itself).
  connections?: Connections | undefined
  // Finds the server for a request that matches no route here. Refuses if there is none (default: requests are not passed on).
  findOther?: ((raw: IncomingMessage) => Promise<Pick<HttpServer, 'handle'>>) | undefined
}

export interface HttpServer {
  // The routes in the order in which they were added.
  routes: readonly Pick<Route, 'methods' | 'pattern' | 'name' | 'isOfShop'>[]
  // Handles a request that another server accepted.
  handle(raw: IncomingMessage, response: ServerResponse): void
  listen(port: number, host: string): Promise<number>
  // Accepts no new connections, lets requests in progress finish within the limit, and then closes all connections.
  drain(limitMs: number): Promise<void>
}

export function createServer(parts: ServerParts): HttpServer {
  const { surfaces, pressure, bodyLimiter, refusedDelayMs = 1_000, log, metrics } = parts
  const connections = parts.connections ?? createConnections(parts)
  const addressOf = createClientAddress(parts.trustedProxies)
  const servers: Server[] = []
  let draining = false
  const isDraining = () => draining
  const isHttps = parts.isHttps ?? (() => false)
  const send = createSend({ isDraining, isHttps })
  const { tracer } = parts
  const { progressed } = connections
  const serve = createServe({ pressure, refusedDelayMs, isDraining, send, progressed, log, metrics, tracer })
  const handOffLimiter = createHandOffLimiter()
  if (!parts.connections) registerConnectionMetrics(metrics, connections)
  observeBodies(metrics, [bodyLimiter, handOffLimiter])

  const mounted = [...routes()]
  const findRoute = createRouter(mounted)
  const hosted = parts.shopHosts && hostedRoute(parts.shopHosts, findRoute)

  function* routes(): Iterable<Route> {
    for (const surface of surfaces) yield* surface.routes
    const errorBody = surfaceAt(undefined).errorBody
    const page = { receive: createReceiveBody(bodyLimiter, pressure), waitMs: parts.waitMs ?? (() => 0), errorBody }
    for (const shown of parts.pages) yield pageRoute(page, shown)
    const handOff = { limiter: handOffLimiter, errorBody, isDraining, isHttps }
    for (const handed of parts.handOffs ?? []) yield handOffRoute(handOff, handed)
  }

  function answer(route: Route, raw: IncomingMessage, response: ServerResponse, path: Record<string, string>): void {
    serve(route, { raw, path, address: addressOf(raw) }, response).catch((error: unknown) =>
      sendDefect(route, response, error),
    )
  }

  function otherMethod(raw: IncomingMessage, { allowed }: OtherMethods): Outgoing {
    const headers = { allow: [...allowed, 'OPTIONS'].join(', ') }
    if (raw.method !== 'OPTIONS') return refused(refuse('route_not_found', { status: 405, headers }), raw)
    metrics.countRequest('none', 204, 0)
    return { status: 204, body: '', headers: hasBody(raw) ? { ...headers, connection: 'close' } : headers }
  }

  // Makes the response to a refusal outside of any route. `raw` is undefined if the parser failed.
  function refused(refusal: Refusal, raw?: IncomingMessage, reason?: string): RefusalAnswer {
    const requestId = newId('req')
    const outgoing = refusalAnswer(surfaceAt(raw?.url), refusal, requestId)
    if (raw && isOpenToAll(raw.url)) outgoing.headers['access-control-allow-origin'] = '*'
    if (raw && hasBody(raw)) outgoing.headers.connection = 'close'
    metrics.countRequest('none', outgoing.status, 0)
    log.info('request', {
      requestId,
      operation: null,
      method: raw?.method ?? null,
      status: outgoing.status,
      code: refusal.code,
      ...(reason !== undefined && { reason }),
      ...(raw && callerRequestId(raw)),
    })
    return outgoing
  }

  // Makes the response to a refusal if the URL is known: a request for a page gets a page.
  async function refusedAt(refusal: Refusal, raw: IncomingMessage, reason: string): Promise<Outgoing> {
    const outgoing = refused(refusal, raw, reason)
    const found = findRoute(raw.method ?? '', raw.url ?? '')
    if (!found || found === 'bad path' || 'allowed' in found || found.route.kind !== 'page') return outgoing
    const { 'x-request-id': requestId = '' } = outgoing.headers
    return found.route.refused(refusal, { raw, path: found.path, address: addressOf(raw) }, requestId)
  }

  // Sends a plain error if making a response failed.
  function sendDefect(route: Route, response: ServerResponse, error: unknown): void {
    const requestId = newId('req')
    const refusal = toRefusal(error, log, { requestId, [route.kind]: route.name })
    const outgoing = refusalAnswer(surfaceAt(undefined), refusal, requestId)
    metrics.countRequest('none', outgoing.status, 0)
    if (response.headersSent) response.destroy()
    else send(response, outgoing)
  }

  // Returns the surface with the longest base that is a prefix of the URL, or the first surface if there is none.
  function surfaceAt(url: string | undefined): Pick<Surface, 'errorBody'> {
    const [first = plain, ...others] = surfaces.map(({ surface }) => surface)
    const found = others.filter(({ base }) => url?.startsWith(`${base}/`))
    return found.sort((one, other) => other.base.length - one.base.length)[0] ?? first
  }

  // Path prefixes of operations without a credential. A page of any origin may also read refusals under these prefixes.
  const openPrefixes = surfaces
    .flatMap(({ surface }) => Object.values(surface.operations))
    .filter(({ caller }) => caller === 'anyone')
    .map(({ path }) => path.split('{', 1)[0] ?? '')

  function isOpenToAll(url = ''): boolean {
    return openPrefixes.some((prefix) => url.startsWith(prefix))
  }

  function handle(raw: IncomingMessage, response: ServerResponse): void {
    const isOfShop = hosted && !parts.shopHosts?.isOurs(raw.headers.host)
    const found = isOfShop ? { route: hosted, path: {} } : findRoute(raw.method ?? '', raw.url ?? '')
    if (found && found !== 'bad path' && 'route' in found) answer(found.route, raw, response, found.path)
    else if (parts.findOther) void handOver(parts.findOther, raw, response)
    else if (!found) send(response, refused(refuse('route_not_found'), raw))
    else if (found === 'bad path') send(response, refused(badPathRefusal(), raw))
    else send(response, otherMethod(raw, found))
  }

  async function handOver(
    findOther: NonNullable<ServerParts['findOther']>,
    raw: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const other = await findOther(raw)
      other.handle(raw, response)
    } catch (error) {
      send(response, refused(toRefusal(error, log, {}), raw))
    }
  }

  function openNodeServer(): Server {
    return openServer({
      bounds: parts,
      connections,
      refused,
      refusedAt,
      answer(raw, response) {
        // The parser also accepts HTTP versions that this server does not support.
        if (raw.httpVersionMajor !== 1) return send(response, refused(unsupportedHttpVersion(), raw))
        if (!hasOneHost(raw)) return send(response, refused(badHost(), raw))
        handle(raw, response)
      },
    })
  }

  return {
    routes: mounted,
    handle,
    async listen(port, host) {
      // `localhost` often has two addresses, and clients may use either.
      const addresses =
        host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]
      let bound = port
      for (const [index, address] of addresses.entries()) {
        const server = openNodeServer()
        try {
          bound = await listenOnPort(server, bound, address)
          servers.push(server)
        } catch (error) {
          if (index === 0) throw error
          log.debug('an address of localhost cannot be listened on', { address, reason: (error as Error).message })
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

// Defaults for a server without a surface.
const plain: Pick<Surface, 'base' | 'errorBody'> = { base: '/', errorBody: (error) => ({ error }) }

export function registerConnectionMetrics(metrics: Metrics, connections: Connections): void {
  metrics.read({
    name: 'cartwright_connections',
    help: 'Connections of clients.',
    type: 'gauge',
    values: () => connections.open,
  })
  metrics.read({
    name: 'cartwright_connections_refused_total',
    help: 'Connections closed at once, because there were too many or too many of one address.',
    type: 'counter',
    values: () => connections.refused,
  })
}

function observeBodies(metrics: Metrics, limiters: readonly BodyLimiter[]): void {
  metrics.read({
    name: 'cartwright_bodies_awaited',
    help: 'Requests whose body is still arriving.',
    type: 'gauge',
    values: () => limiters.reduce((sum, { waiting }) => sum + waiting, 0),
  })
}

// Requires exactly one Host header, as the standard does (RFC 9112, 3.2): with two, a proxy and this server could use different ones. It
// may be missing in HTTP/1.0. It is not compared with the public URL, since shops, probes and users on this machine use other names.
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

// A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986, 3.2.2).
const hostPattern = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

function badHost(): Refusal {
  return refuse('invalid_request', {
    issues: [issueAt('/headers/host', 'bad_host_header')],
  })
}
