// Limits the number of connections, in total and per address, the time in which a response must be read, and the pipelined requests of
// each connection. A connection takes memory for its socket, a parser and unread data. The time without data is limited in `sockets.ts`.

import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { BlockList, isIP, isIPv6, type Socket } from 'node:net'
import { addressBucket } from '../access/throttle.ts'

export interface ConnectionBounds {
  connectionsMax?: number | undefined
  connectionsPerAddressMax?: number | undefined
  // Maximum time in which a client must read a response.
  answerTimeoutMs?: number | undefined
  // Addresses, networks, or `loopback`, `linklocal`, `uniquelocal`. Their connections are not limited by address, since they belong to
  // many clients.
  trustedProxies: readonly string[]
}

export interface Connections {
  watch(server: Server): void
  // Called when the client has read more of a streamed response. Restarts its time limit.
  progressed(socket: Socket): void
  readonly open: number
  readonly refused: number
}

// Half of the connections are available to every address, so a load test, or a load balancer that is missing in the settings, is not
// refused while there is room. Beyond that, an address with a thousand connections gets no more, so even five clients together cannot
// take all ten thousand.
export function createConnections(bounds: ConnectionBounds): Connections {
  const { connectionsMax = 10_000, connectionsPerAddressMax = 1_000, answerTimeoutMs = 60_000 } = bounds
  const trusted = networksOf(bounds.trustedProxies)
  const byAddress = new Map<string, number>()
  let open = 0
  let refused = 0
  const sockets = new Set<Socket>()
  // The instant since which a socket had unsent data in every check.
  const pendingSince = new Map<Socket, number>()

  // Node's own time-out restarts with every byte that the client reads, so a client could prolong a response forever.
  function cutStalled(): void {
    const now = performance.now()
    for (const socket of sockets) {
      const since = socket.writableLength > 0 ? (pendingSince.get(socket) ?? now) : undefined
      if (since === undefined) pendingSince.delete(socket)
      else if (now - since < answerTimeoutMs) pendingSince.set(socket, since)
      else socket.destroy()
    }
  }

  function mayStay(held: number, address: string): boolean {
    if (open >= connectionsMax) return false
    return open < connectionsMax / 2 || held < connectionsPerAddressMax || isIn(trusted, address)
  }

  function take(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const bucket = addressBucket(address)
    const held = byAddress.get(bucket) ?? 0
    if (!mayStay(held, address)) {
      refused += 1
      socket.destroy()
      return
    }
    open += 1
    sockets.add(socket)
    byAddress.set(bucket, held + 1)
    socket.once('close', () => {
      open -= 1
      sockets.delete(socket)
      pendingSince.delete(socket)
      const left = (byAddress.get(bucket) ?? 1) - 1
      if (left > 0) byAddress.set(bucket, left)
      else byAddress.delete(bucket)
    })
  }

  return {
    watch(server) {
      const timer = setInterval(cutStalled, Math.min(5_000, answerTimeoutMs / 2))
      timer.unref()
      server.on('connection', take)
      server.once('close', () => clearInterval(timer))
    },
    progressed: (socket) => void pendingSince.delete(socket),
    get open() {
      return open
    },
    get refused() {
      return refused
    },
  }
}

// Returns the address of the client. Addresses in X-Forwarded-For are used from the last one backwards, as long as the proxy that
// reported them is trusted. The first address that is not trusted is the client.
export function createClientAddress(trustedProxies: readonly string[]): (raw: IncomingMessage) => string {
  const trusted = networksOf(trustedProxies)
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? ''
    if (trustedProxies.length === 0) return address
    const said = String(headers['x-forwarded-for'] ?? '').split(',')
    while (said.length > 0 && isIn(trusted, address)) address = said.pop()?.trim() || address
    return address
  }
}

// More pipelined requests than any client sends. A client that sends more without reading responses is disconnected.
const waitingMax = 100

// Handles pipelined requests one after the other: each begins when the previous response is sent. A connection therefore holds one
// response at a time.
export function handleInTurn(handle: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // A response whose turn has come has the socket. The response to a pipelined request gets the socket later.
    if (response.socket) {
      handle(request, response)
      return
    }
    const { socket } = request
    const count = waiting.get(socket) ?? 0
    if (count >= waitingMax) {
      socket.destroy()
      return
    }
    waiting.set(socket, count + 1)
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      handle(request, response)
    })
  }
}

const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

function networksOf(names: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of names.flatMap((name) => namedNetworks[name] ?? [name])) {
    const [address = '', prefix] = network.split('/')
    const isSix = isIPv6(address)
    list.addSubnet(address, Number(prefix ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4')
  }
  return list
}

// Node reports IPv4 clients as IPv6 if a socket listens to both; BlockList handles that.
function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
