// Fetches a URL that others chose, from inside our network. So the request is guarded like calls to webhook receivers: the size and the
// time are limited, and every address is checked before connecting, also after a redirect.

import { lookup as resolve } from 'node:dns'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { get } from 'node:https'
import type { LookupFunction } from 'node:net'
import { findTargetProblem, isForbiddenAddress } from './guard.ts'

// An import would also load Node's own HTTP client (see platform/http/sockets.ts).
const { get: getOpenly } = process.getBuiltinModule('node:http')

export interface GetBounds {
  // For development: also allows http, and addresses of this machine and its networks.
  allowPrivate: boolean
  accept: string
  bytesMax: number
  // Timeout of the whole request, including redirects.
  msMax: number
  // Maximum number of redirects that are followed (default: 0).
  redirectsMax?: number
}

export interface GetResponse {
  headers: IncomingHttpHeaders
  bytes: Buffer
}

// `forbidden`: the address must not be called. `missing`: the server does not have the file or refuses to send it. `unreachable`: no
// response, or one that may be different later.
export const getProblems = ['forbidden', 'missing', 'unreachable', 'too_slow', 'too_large'] as const
export type GetProblem = (typeof getProblems)[number]

export async function guardedGet(url: string, bounds: GetBounds): Promise<GetResponse | GetProblem> {
  const signal = AbortSignal.timeout(bounds.msMax)
  try {
    return await follow(url, bounds, signal)
  } catch (error) {
    if (signal.aborted) return 'too_slow'
    return error instanceof Forbidden ? 'forbidden' : 'unreachable'
  }
}

class Forbidden extends Error {}

async function follow(first: string, bounds: GetBounds, signal: AbortSignal): Promise<GetResponse | GetProblem> {
  let url = first
  for (let redirects = bounds.redirectsMax ?? 0; ; redirects -= 1) {
    if (findTargetProblem(url, bounds)) return 'forbidden'
    const response = await answerOf(url, bounds, signal)
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return bytesOf(response, bounds.bytesMax)
    response.destroy()
    const target = redirectStatuses.has(statusCode) && redirects > 0 ? URL.parse(headers.location ?? '', url) : null
    if (target === null) return statusCode >= 500 || statusCode === 429 ? 'unreachable' : 'missing'
    target.hash = ''
    url = target.href
  }
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

function answerOf(url: string, { allowPrivate, accept }: GetBounds, signal: AbortSignal): Promise<IncomingMessage> {
  const lookup: LookupFunction = (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => !isForbiddenAddress(address, { allowPrivate }))
      const [first] = allowed
      if (!first) done(error ?? new Forbidden(), '', 0)
      else if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  // Requests an uncompressed response, whose size cannot grow by decompression.
  const headers = { accept, 'accept-encoding': 'identity', 'user-agent': 'Cartwright' }
  return new Promise((take, fail) => {
    const ask = url.startsWith('http:') ? getOpenly : get
    const request: ClientRequest = ask(url, { lookup, headers, signal, agent: false }, take)
    request.on('error', fail)
  })
}

async function bytesOf(response: IncomingMessage, bytesMax: number): Promise<GetResponse | GetProblem> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bytesMax) {
      response.destroy()
      return 'too_large'
    }
    chunks.push(chunk)
  }
  return { headers: response.headers, bytes: Buffer.concat(chunks) }
}
