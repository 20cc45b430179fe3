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
  // Path pattern, such as `/media/:shop/:file`.
  path: string
  // Name in the log and the metrics. The URL is never logged, since it may contain a secret.
  name: string
  // A probe is answered even under overload, since it reports the load.
  isProbe?: boolean
  // Whether the page takes long to make or is large, so reads are limited by address. Posts of forms are always limited.
  isExpensive?: boolean
  // Whether another server posts messages to this page. Many may come from one address, so they are not limited like forms; the page
  // itself limits the messages that it refuses.
  takesMessages?: boolean
  // A page with forms also handles POST, and reads the body itself.
  methods?: readonly ('GET' | 'POST')[]
  answer(request: PageRequest): Promise<PageAnswer>
  // Returns whether the page is served under the same path at the host of this merchant's shop. Without this function it is not. (Pages
  // under `/shops/<slug>` are served there without this prefix.)
  isOfShop?(request: Incoming, merchantId: string): Promise<boolean> | boolean
  // Returns the page to show if the request is refused or fails. Without this function, the response is JSON.
  failed?(request: Incoming, status: number): PageAnswer | Promise<PageAnswer>
}

export interface PageRequest extends Incoming {
  // Reads the body, within the limit of the client's address.
  receive<Body>(read: () => Promise<Body>): Promise<Body>
  // Takes additional tokens from the client's address for unusually large work. Refuses if too few are left.
  spend?(cost: number): void
  // Sets the name for the log and the metrics, if the path has several pages. Names come from a fixed set.
  named?(name: string): void
}

export type PageAnswer = Outgoing

// A route whose requests are handed to a library, which writes the response itself. Counted and logged like a page.
export interface HandOffRoute {
  path: string
  name: string
  methods: readonly ('GET' | 'POST')[]
  handle(request: Incoming, response: ServerResponse, requestId: string): Promise<void>
  // Returns the response to a failure: a page, or the error body of the library's protocol.
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
  // Returns how many milliseconds the address must wait before it may post a form (`post`) or read an expensive page (`look`), or 0. A
  // request of usual size costs 1.
  waitMs: (kind: 'post' | 'look', address: string, cost: number) => number
  // The error body of pages that have none of their own.
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
      const answer = await page.answer(request)
      // Copied, since a page may return the same headers object each time.
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
  // Limits POST requests until they are answered, since the library reads their bodies itself. Meanwhile they also count as requests in
  // progress.
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

// The library stores parts of a request for a while, so long requests could fill the database.
const handOffUrlMax = 4_096
const handOffBytesMax = 16_384

// The library trusts the request line, so only a path is accepted in it, without a host. The library also reads bodies of any size, so
// the size is limited here.
function refuseUnfit({ url = '', headers }: IncomingMessage): void {
  if (!url.startsWith('/')) throw badPathRefusal()
  refuseZero({ url })
  if (url.length > handOffUrlMax)
    throw refuse('invalid_request', { issues: [issueAt('/path', 'too_long', { max: handOffUrlMax })] })
  if (headers['transfer-encoding'] !== undefined)
    throw refuse('invalid_request', { issues: [issueAt('/headers/content-length', 'header_missing')] })
  if (Number(headers['content-length'] ?? 0) > handOffBytesMax) throw refuse('body_too_large')
}

// Pages read path and query themselves, and the database cannot store U+0000.
function refuseZero({ url = '' }: Pick<IncomingMessage, 'url'>): void {
  if (url.includes('%00')) throw refuse('invalid_request', { issues: [issueAt('/path', 'contains_zero')] })
}

export function badPathRefusal(): Refusal {
  return refuse('invalid_request', { issues: [issueAt('/path', 'bad_path')] })
}
