// A request as the router found it, and an answer as it is sent.

import type { IncomingMessage } from 'node:http'

export interface Incoming {
  raw: IncomingMessage
  // The parameters of the path.
  path: Readonly<Record<string, string>>
  address: string
  // Where it came by the name of a shop.
  shop?: HostedRequest
}

// A request by the host of a shop. Its path is that of the shop; `raw` has it as it was sent.
export interface HostedRequest {
  merchantId: string
  slug: string
  // Under which browsers reach the shop.
  origin: string
}

export interface Outgoing {
  status: number
  body: string | Buffer
  // In small letters.
  headers: Record<string, string>
  // Holds no secret and nothing of one person, so it may be compressed: `well` what is sent often, `fast` what is made
  // for one request, `once` what no other request gets, as it holds something random.
  compress?: 'once' | 'fast' | 'well'
  // Sent in the place of `body`, chunk by chunk as the client reads it. A failure in the middle cuts the connection, so the client sees
  // that the file is not whole.
  stream?: AsyncGenerator<Buffer, void, undefined>
}

// What is known of a request while it is answered, for its log line.
export interface Trace {
  requestId: string
  callerId: string | null
  code: string | null
  // The page in a browser that may read the answer.
  pageOrigin: string | null
  // In the place of the route's name, where one route has several pages.
  name: string | null
}

export const jsonType = 'application/json; charset=utf-8'

// Our own ids are unique, and stand in events and errors, so a caller's never takes their place. It is logged beside ours, to
// join the logs of a proxy with these. What looks like one of our keys or secrets is not an id.
export function callerRequestId({ headers }: IncomingMessage): { callerRequestId?: string } {
  const id = headers['x-request-id']
  return typeof id === 'string' && /^(?!cw|whs)[\w.:-]{1,128}$/i.test(id) ? { callerRequestId: id } : {}
}
