// Sends one call: arguments to a request, retries with one idempotency key, and an answer or an error. It never logs.

import { CartwrightError, type ErrorFacts } from './error.ts'

export interface CallOptions {
  /** Aborts the call with all its retries. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take (default: 10,000). */
  timeoutMs?: number | undefined
  /** How often a failed attempt is repeated (default: 3). */
  maxRetries?: number | undefined
  /** Of a change (default: a new one for each call, the same in each of its retries). */
  idempotencyKey?: string | undefined
  /** The token of `customer.openSession`, for the methods of a shopper who is signed in. */
  customerSession?: string | undefined
}

export interface ListOptions extends CallOptions {
  /** `next` of the page before. It is refused unless it leads to the same list. */
  next?: string | null | undefined
}

/** The first page as a promise; all rows of all pages as an async iterable. */
export type List<Reply, Row> = Promise<Reply> & AsyncIterable<Row>

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface TransportOptions {
  /** Where the server is: `https://shop.example.com`. */
  baseUrl: string
  fetch?: Fetch | undefined
  /** How long one attempt may take (default: 10,000). */
  timeoutMs?: number | undefined
  /** How often a failed attempt is repeated (default: 3). */
  maxRetries?: number | undefined
  /** The first pause before a repetition; it doubles each time (default: 250). */
  retryDelayMs?: number | undefined
  /** A server that asks for a longer pause is not asked again (default: 30,000). */
  maxRetryDelayMs?: number | undefined
}

/** Proves who is calling. */
export interface Credential {
  headers(method: string, url: string): Promise<Record<string, string>> | Record<string, string>
  /** Looks at each answer; true where the same request should be sent again with new proof. */
  isAskedAgain?(response: Response): Promise<boolean> | boolean
}

export interface Request {
  method: string
  url: string
  // A function where each attempt needs another.
  body?: string | (() => Promise<string>)
  headers?: Record<string, string>
  credential?: Credential | undefined
  options: CallOptions
}

type Table = { readonly [name: string]: string | Table }
interface Page {
  data: unknown
  meta?: { next?: string | null }
}

/** The methods of a client. The table and its types are printed from the same rows, so the caller names the type. */
export function methodsFrom(table: Table, transport: TransportOptions, credential: Credential | undefined): unknown {
  const base = baseOf(transport.baseUrl)
  return Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      typeof entry === 'string'
        ? methodFrom(entry, base, transport, credential)
        : methodsFrom(entry, transport, credential),
    ]),
  )
}

function methodFrom(spec: string, base: string, transport: TransportOptions, keyed: Credential | undefined) {
  const [method = '', flags = '', pattern = ''] = spec.split(' ')
  const credential = flags.includes('a') ? undefined : keyed

  return (...given: unknown[]): unknown => {
    const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, given.shift()))
    const hasBody = flags.includes('b')
    const input = (hasBody || flags.includes('q') ? given.shift() : undefined) ?? {}
    const options = (given.shift() ?? {}) as ListOptions
    const headers = customerHeader(options)
    const read = (query: string) =>
      send(transport, { method, url: base + path + query, headers, credential, options }) as Promise<Page>
    if (hasBody) {
      // Made here, once: every retry is the same request.
      const idempotencyKey = options.idempotencyKey ?? (input as CallOptions).idempotencyKey ?? newKey()
      const body = JSON.stringify({ ...input, idempotencyKey })
      return send(transport, { method, url: base + path, body, headers, credential, options })
    }
    if (!flags.includes('p')) return read(queryOf(input))
    return listOf(async (next) => read(next === null ? queryOf(input) : queryIn(next, path)), options.next ?? null)
  }
}

function customerHeader({ customerSession }: CallOptions): Record<string, string> {
  if (customerSession === undefined) return {}
  if (!/^[\w-]+$/.test(customerSession)) throw new TypeError('customerSession is not the token of a session')
  return { 'customer-session': customerSession }
}

// Only the query of a link is followed, so a link that has been through a browser cannot lead the key elsewhere.
function queryIn(next: string, path: string): string {
  if (!next.startsWith(`${path}?`)) throw new TypeError('next is not a link to this list')
  return next.slice(path.length)
}

function listOf(read: (next: string | null) => Promise<Page>, start: string | null): List<Page, unknown> {
  const first = read(start)
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first, last = start; ; page = await read(last)) {
        const { data, meta } = page
        // A page without rows is a piece of a text.
        yield* Array.isArray(data) ? data : (Object.values(data as object).find(Array.isArray) ?? [data])
        const next = meta?.next ?? (data as { next?: string | null }).next ?? null
        if (next === null || next === last) return
        last = next
      }
    },
  })
}

export async function send(transport: TransportOptions, request: Request): Promise<unknown> {
  const { signal, maxRetries = transport.maxRetries ?? 3 } = request.options
  const { retryDelayMs = 250, maxRetryDelayMs = 30_000 } = transport
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted()
    let failure: CartwrightError
    let waitMs = retryDelayMs * 2 ** attempt * (0.5 + Math.random() / 2)
    try {
      const { response, text } = await fetched(transport, request)
      const answer = parsed(text)
      if (response.ok && (answer !== undefined || text === '')) return answer
      failure = refusalIn(answer, response)
      if (!retriedStatuses.includes(response.status)) throw failure
      waitMs = retryAfterMs(response) ?? waitMs
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof CartwrightError) throw error
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      failure = new CartwrightError(
        isLate
          ? { code: 'timed_out', message: 'The server did not answer in time.' }
          : { code: 'connection_failed', message: 'The server could not be reached.' },
        error,
      )
    }
    if (attempt >= maxRetries || waitMs > maxRetryDelayMs) throw failure
    await pause(waitMs, signal)
  }
}

const retriedStatuses = [429, 502, 503, 504]

async function fetched(transport: TransportOptions, request: Request): Promise<{ response: Response; text: string }> {
  const { method, url, body, headers, credential, options } = request
  for (let isAgain = false; ; isAgain = true) {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? transport.timeoutMs ?? 10_000)
    const ask = transport.fetch ?? globalThis.fetch
    const response = await ask(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        ...(await credential?.headers(method, url)),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : await body() }),
      // Not `error`, which some edge runtimes do not have. A redirect is an unexpected answer.
      redirect: 'manual',
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    })
    const text = await response.text()
    if (isAgain || !(await credential?.isAskedAgain?.(response))) return { response, text }
  }
}

function refusalIn(answer: unknown, { status, headers }: Response): CartwrightError {
  const { error, error_description: says } = (answer ?? {}) as {
    error?: ErrorFacts | string
    error_description?: string
  }
  const requestId = headers.get('x-request-id')
  // As an OAuth endpoint answers (RFC 6749, 5.2).
  if (typeof error === 'string')
    return new CartwrightError({
      code: 'oauth_failed',
      message: `${error}: ${says}`,
      status,
      requestId,
      current: { error },
    })
  if (error && typeof error.code === 'string') return new CartwrightError({ ...error, status })
  return new CartwrightError({
    code: 'unexpected_answer',
    message: `The answer (status ${status}) is not one of this server.`,
    status,
    requestId,
  })
}

function retryAfterMs({ headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

// An empty or relative segment would ask for another path.
function segment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
    throw new TypeError(`${name} is missing`)
  return encodeURIComponent(value)
}

function queryOf(input: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, String(one))
  return query.size > 0 ? `?${query}` : ''
}

export function baseOf(url: string): string {
  const { protocol, search, hash } = new URL(url)
  if (!/^https?:$/.test(protocol) || search || hash) throw new TypeError('baseUrl is not the address of a server')
  return url.replace(/\/+$/, '')
}

// Works in pages without TLS too, where randomUUID is missing.
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
