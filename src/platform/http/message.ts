// A request after routing, and an answer before it is sent.

import type { IncomingMessage } from 'node:http'

export interface Incoming {
  raw: IncomingMessage
  // Parameters of the path.
  path: Readonly<Record<string, string>>
  address: string
  // Set if the request came to the host of a shop.
  shop?: HostedRequest
}

// A request at the host of a shop. Its path is that of the shop; `raw` has the path as it was sent.
export interface HostedRequest {
  merchantId: string
  slug: string
  // Origin under which browsers reach the shop.
  origin: string
}

export interface Outgoing {
  status: number
  body: string | Buffer
  // Names of headers in lower case.
  headers: Record<string, string>
  // Set if the body contains no secret and no data of one person, so it may be compressed: `well` if it is sent often, `fast` if it is
  // made for one request, `once` if its bytes are unique because it contains something random.
  compress?: 'once' | 'fast' | 'well'
  // Sent instead of `body`, chunk by chunk as the client reads it. A failure closes the connection, so the client sees that the file is
  // incomplete.
  stream?: AsyncGenerator<Buffer, void, undefined>
}

// Facts about a request that are collected for its log line.
export interface Trace {
  requestId: string
  callerId: string | null
  code: string | null
  // Origin of the page in a browser that may read the answer.
  pageOrigin: string | null
  // Replaces the route's name if one route has several pages.
  name: string | null
}

export const jsonType = 'application/json; charset=utf-8'

// Requests get our own ids, which are unique and named in events and errors; a caller's id never replaces them. It is logged as well, to
// join a proxy's log with ours. Text that looks like one of our keys or secrets is not accepted as an id.
export function callerRequestId({ headers }: IncomingMessage): { callerRequestId?: string } {
  const id = headers['x-request-id']
  return typeof id === 'string' && /^(?!cw|whs)[\w.:-]{1,128}$/i.test(id) ? { callerRequestId: id } : {}
}
