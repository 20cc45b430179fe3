// Pages and raw responses, and how they become routes.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { issueAt } from '../../contract/issues.ts'
import type { Surface } from '../../contract/surface.ts'
import { addressBucket } from '../access/throttle.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import { renameWork } from '../kit/work.ts'
import { type BodyLimiter, createBodyLimiter, type ReceiveBody } from './limiter.ts'
import type { Incoming, Outgoing } from './message.ts'
import { refusalAnswer, unavailableRefusal } from './refusal.ts'
import { type SendParts, setCommonHeaders } from './send.ts'
import type { Route } from './serve.ts'

// A page, an asset or a probe: any route that is not an operation of the contract.
export interface HtmlPage {
  // Pattern of the router, such as `/media/:shop/:file`.
  path: string
  // Name in the log and the metrics. The URL itself may contain a secret and is never logged.
  name: string
  // A probe is answered under any load, since it measures that load.
  isProbe?: boolean
  // Whether the page is expensive to make or large, so reads are limited by address. Posts always are.
  isExpensive?: boolean
  // Whether the page takes messages of another server instead of forms. Many may come from one address, so they are not limited like
  // forms: the page itself limits what it refuses.
  takesMessages?: boolean
  // A page with forms also handles POST; it reads the body itself.
  methods?: readonly ('GET' | 'POST')[]
  answer(request: PageRequest): Promise<PageAnswer>
  // Whether the page also belongs to the merchant's host, so it is served there. Without it, the page is not found at hosts of shops.
  isOfShop?(request: Incoming, merchantId: string): Promise<boolean> | boolean
  // The page for a person if the page failed: by a defect, an outage or too much load. Without it, the answer is JSON.
  failed?(request: Incoming, status: number): PageAnswer | Promise<PageAnswer>
}

export interface PageRequest extends Incoming {
  // Reads the body, under the limit of the client's address.
  receive<Body>(read: () => Promise<Body>): Promise<Body>
  // Takes additional tokens from the client's address for unusually large work; refuses if too few are left.
  spend?(cost: number): void
  // Names the page for the log and the metrics if its path has several pages. Names come from a fixed set.
  named?(name: string): void
}

export type PageAnswer = Outgoing

// A route whose request is handed over to a library that writes the answer by itself. Counted and limited like a page.
export interface HandOffRoute {
  path: string
  name: string
  methods: readonly ('GET' | 'POST')[]
  handle(request: Incoming, response: ServerResponse, requestId: string): Promise<void>
  // The answer to a failure: a page, or the error body of the library's protocol.
  failed(failure: HandOffFailure): Omit<PageAnswer, 'status'> | Promise<Omit<PageAnswer, 'status'>>
}

export interface HandOffFailure {
  status: number
  requestId: string
  reason: string
  // The Accept-Language header of the browser.
  acceptLanguage: string | undefined
}

export interface PageParts {
  receive: ReceiveBody
  // Milliseconds that this address must wait before it may post a form or read an expensive page; 0 if it need not wait. A request of
  // usual size costs 1.
  waitMs: (kind: 'post' | 'look', address: string, cost: number) => number
  // The error body if a page has none of its own.
  errorBody: Surface['errorBody']
}

const bodiesPerAddressMax = 16
const messagesPerAddressMax = 200

export function pageRoute(parts: PageParts, page: HtmlPage): Route {
  return {
    methods: page.methods ?? ['GET'],
    pattern: page.path,
    name: page.name,
    kind: 'page',
    isProbe: page.isProbe ?? false,
    ...(page.isOfShop && { isOfShop: page.isOfShop }),
    async answer(incoming, trace) {
      refuseZero(incoming.raw)
      const bodiesMax = page.takesMessages ? messagesPerAddressMax : bodiesPerAddressMax
      const request = {
        ...pageRequest(parts, incoming, bodiesMax),
        named(name: string) {
          trace.name = name
          renameWork(name)
        },
      }
      if (page.isExpensive || (incoming.raw.method === 'POST' && !page.takesMessages)) request.spend?.(1)
      // Copied, since a page may return the same headers object each time.
      const answer = await page.answer(request)
      return { ...answer, headers: { ...answer.headers } }
    },
    async refused(refusal, request, requestId) {
      const refused = refusalAnswer(parts, refusal, requestId)
      const shown = await page.failed?.(request, refused.status)
      return shown ? { ...shown, headers: { ...refused.headers, ...shown.headers } } : refused
    },
  }
}

function pageRequest({ receive, waitMs }: PageParts, incoming: Incoming, bodiesMax: number): PageRequest {
  const { raw, address } = incoming
  return {
    ...incoming,
    receive: (read) => receive(raw, { key: `address ${addressBucket(address)}`, most: bodiesMax }, read),
    spend(cost) {
      const retryAfterMs = waitMs(raw.method === 'POST' ? 'post' : 'look', address, cost)
      if (retryAfterMs > 0) throw refuse('rate_limited', { retryAfterMs })
    },
  }
}

export interface HandOffParts extends SendParts {
  // Limits requests whose body is being read; they count as in progress meanwhile.
  limiter: BodyLimiter
  errorBody: Surface['errorBody']
}

export function createHandOffLimiter(): BodyLimiter {
  return createBodyLimiter(512)
}

export function handOffRoute(parts: HandOffParts, handOff: HandOffRoute): Route {
  const { limiter } = parts
  return {
    methods: handOff.methods,
    pattern: handOff.path,
    name: handOff.name,
    kind: 'page',
    isProbe: false,
    async answer(request, { requestId }, response) {
      refuseUnfit(request.raw)
      const limit = request.raw.method === 'POST' ? addressBucket(request.address) : null
      if (limit !== null && !limiter.enter(limit, bodiesPerAddressMax)) throw unavailableRefusal()
      try {
        setCommonHeaders(response, parts, requestId)
        await handOff.handle(request, response, requestId)
      } finally {
        if (limit !== null) limiter.leave(limit)
      }
      return null
    },
    async refused(refusal, { raw }, requestId) {
      const { message, details } = refusal
      const { status, headers } = refusalAnswer(parts, refusal, requestId)
      const issues = (details.issues ?? []).map((issue) => `${issue.path} ${issue.message}`)
      const reason = [message, ...issues].join(' ')
      const acceptLanguage = raw.headers['accept-language']
      const shown = await handOff.failed({ status, requestId, reason, acceptLanguage })
      return { status, body: shown.body, headers: { ...headers, ...shown.headers } }
    },
  }
}

// The library stores parts of requests for a while, so long requests could fill the database.
const handOffUrlMax = 4_096
const handOffBytesMax = 16_384

// The library trusts the request line, so it must have a path and no other host. The library would also read bodies of any size, so the
// size is limited here.
function refuseUnfit({ url = '', headers }: IncomingMessage): void {
  if (!url.startsWith('/')) throw badPathRefusal()
  refuseZero({ url })
  if (url.length > handOffUrlMax)
    throw refuse('invalid_request', { issues: [issueAt('/path', 'too_long', { max: handOffUrlMax })] })
  if (headers['transfer-encoding'] !== undefined)
    throw refuse('invalid_request', { issues: [issueAt('/headers/content-length', 'header_missing')] })
  if (Number(headers['content-length'] ?? 0) > handOffBytesMax) throw refuse('body_too_large')
}

// Pages read path and query by themselves, and the database cannot contain U+0000.
function refuseZero({ url = '' }: Pick<IncomingMessage, 'url'>): void {
  if (url.includes('%00')) throw refuse('invalid_request', { issues: [issueAt('/path', 'contains_zero')] })
}

export function badPathRefusal(): Refusal {
  return refuse('invalid_request', { issues: [issueAt('/path', 'bad_path')] })
}
