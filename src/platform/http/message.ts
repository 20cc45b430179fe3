// A request after routing, and a response before it is sent.

import type { IncomingMessage } from 'node:http'

export interface Incoming {
  raw: IncomingMessage
  // Parameters in the path.
  path: Readonly<Record<string, string>>
  address: string
  // Set if the request came to the host of a shop.
  shop?: HostedRequest
}

// The shop of a request at its own host. The request's `path` belongs to the pages of this shop; `raw` has the URL as it was sent.
export interface HostedRequest {
  merchantId: string
  slug: string
  // Origin under which browsers reach the shop.
  origin: string
}

export interface Outgoing {
  status: number
  body: string | Buffer
  // Header names are in lower case.
  headers: Record<string, string>
  // Set if the body contains no secret and no data of one person, so it may be compressed. `well`: the body is sent often. `fast`: it is
  // made for one request. `once`: it contains something random, so its bytes never repeat.
  compress?: 'once' | 'fast' | 'well'
  // Sent instead of `body`, chunk by chunk as the client reads it. On an error the connection is closed, so the client sees that the
  // response is incomplete.
  stream?: AsyncGenerator<Buffer, void, undefined>
}

// Facts about a request, collected for its log line.
export interface Trace {
  requestId: string
  callerId: string | null
  code: string | null
  // Origin of the web page that may read the response.
  pageOrigin: string | null
  // Replaces the name of the route, if one route has several pages.
  name: string | null
}

export const jsonType = 'application/json; charset=utf-8'

// The id of a request is always generated here, since events and errors name it and it must be unique. The id that the caller sent is
// also logged, to match the log of a proxy with ours, unless it looks like an API key or a secret.
export function callerRequestId({ headers }: IncomingMessage): { callerRequestId?: string } {
  const id = headers['x-request-id']
  return typeof id === 'string' && /^(?!cw|whs)[\w.:-]{1,128}$/i.test(id) ? { callerRequestId: id } : {}
}
