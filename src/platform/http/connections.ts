// What connections may cost us. A connection holds a place, a parser and what it has not read yet, so there are bounds on
// how many there are, on how many of them one address holds, on how long one may be silent (the server's own time-out),
// and on the requests that wait in it.

import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { BlockList, isIP, isIPv6, type Socket } from 'node:net'
import { addressBucket } from '../access/throttle.ts'

export interface ConnectionBounds {
  connectionsMax?: number | undefined
  connectionsPerAddressMax?: number | undefined
  // How long an answer may take to be read.
  answerTimeoutMs?: number | undefined
  // Addresses, networks, or `loopback`, `linklocal`, `uniquelocal`. They carry the connections of many clients.
  trustedProxies: readonly string[]
}

export interface Connections {
  watch(server: Server): void
  // The client has read more of an answer that is sent in chunks: it has as long for the next one.
  progressed(socket: Socket): void
  readonly open: number
  readonly refused: number
}

// Half of the places are open to every address, so a load test or a balancer that is not configured is not cut while there is
// room. From there on an address that holds a thousand gets no more: ten thousand places are then not filled by one
// client, nor by five.
export function createConnections(bounds: ConnectionBounds): Connections {
  const { connectionsMax = 10_000, connectionsPerAddressMax = 1_000, answerTimeoutMs = 60_000 } = bounds
  const trusted = networksOf(bounds.trustedProxies)
  const byAddress = new Map<string, number>()
  let open = 0
  let refused = 0
  const sockets = new Set<Socket>()
  // Since when a socket had something to send at every look.
  const pendingSince = new Map<Socket, number>()

  // Node's own time-out starts anew with every byte that is read, so a client could hold an answer for ever.
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

// Whose request it is. What a trusted proxy says of where a request came from is believed, from the last one backwards; the
// first whom we do not trust is the client, whatever he says of others.
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

// More than any client pipelines. Who sends more without reading is cut.
const waitingMax = 100

// Requests that were sent without waiting for the answer before are worked on one after the other: the next one begins
// when the answer before it has left. So a connection holds one answer at a time, however much was asked of it.
export function inTurn(handle: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // A response that is not the first of its connection has no socket yet (and nothing is paid by those that are).
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

// Node writes every IPv4 client of a socket that listens to both as IPv6, and the list knows that.
function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
