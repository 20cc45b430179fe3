// All requests to Mollie's API are sent here: JSON over HTTPS, with a deadline and a maximum size of responses. Redirects and links in
// responses are not followed, so the key is sent to one host only. https://docs.mollie.com/reference/overview

import type { KeyAnswer } from '../../health.ts'

export interface MollieClient {
  // Returns the parsed response to a request that succeeded. Throws MollieError for every other response.
  get(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<unknown>
  post(request: PostRequest, signal: AbortSignal): Promise<{ body: unknown; isReplayed: boolean }>
  patch(path: string, body: object, signal: AbortSignal): Promise<unknown>
  delete(path: string, signal: AbortSignal): Promise<unknown>
}

export interface PostRequest {
  path: string
  body: object
  // For some time, Mollie repeats its first response to requests with the same key.
  idempotencyKey: string
}

// The failure in our own words, because Mollie's message may quote the request.
export class MollieError extends Error {
  override readonly name = 'MollieError'
  // In capitals, because no other codes are logged (port.ts).
  readonly code: string
  readonly status: number
  // Name of the parameter that Mollie refused.
  readonly field: string | null

  constructor(status: number, field: string | null = null) {
    super(`Mollie answered with ${status}`)
    this.status = status
    this.field = field
    this.code = codes[status] ?? (status >= 500 ? 'MOLLIE_FAILED' : 'MOLLIE_REFUSED')
  }
}

const codes: Readonly<Record<number, string>> = {
  401: 'MOLLIE_KEY_REFUSED',
  403: 'MOLLIE_FORBIDDEN',
  404: 'MOLLIE_NOT_FOUND',
  409: 'MOLLIE_CONFLICT',
  422: 'MOLLIE_UNPROCESSABLE',
  429: 'MOLLIE_TOO_MANY_REQUESTS',
}

const keyAnswers: Readonly<Record<number, KeyAnswer>> = { 401: 'key_refused', 403: 'permission_missing' }

// Less than the 20 s that a whole call to a provider may take.
const requestMsMax = 15_000
// A response with 250 payments has about 500 KB.
const bodyBytesMax = 4_000_000
// Waits before a request is repeated whose key is in use: the first request with this key is about to finish.
const conflictWaitsMs = [200, 600, 1_800]

export interface MollieClientParts {
  url: string
  key: string
  // Called after each response with what the response shows about the key.
  onCall?: ((answer: KeyAnswer) => void) | undefined
}

export function createMollieClient({ url, key, onCall = () => {} }: MollieClientParts): MollieClient {
  async function send(path: string, init: RequestInit, signal: AbortSignal) {
    const response = await fetch(url + path, {
      ...init,
      headers: { accept: 'application/hal+json', authorization: `Bearer ${key}`, ...init.headers },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestMsMax)]),
    })
    const body = parsed(await readBounded(response))
    onCall(keyAnswers[response.status] ?? 'accepted')
    if (!response.ok) throw new MollieError(response.status, fieldOf(body))
    return { body, isReplayed: response.headers.get('idempotent-replayed') === 'true' }
  }

  async function post(request: PostRequest, signal: AbortSignal, tries = 0): ReturnType<MollieClient['post']> {
    const { path, body, idempotencyKey } = request
    try {
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
      return await send(path, { method: 'POST', headers, body: JSON.stringify(body) }, signal)
    } catch (error) {
      const waitMs = conflictWaitsMs[tries]
      if (!(error instanceof MollieError) || error.status !== 409 || waitMs === undefined) throw error
      await pause(waitMs, signal)
      return post(request, signal, tries + 1)
    }
  }

  return {
    async get(path, query, signal) {
      const search = new URLSearchParams(query).toString()
      return (await send(search ? `${path}?${search}` : path, { method: 'GET' }, signal)).body
    },
    post,
    async patch(path, body, signal) {
      const headers = { 'content-type': 'application/json' }
      return (await send(path, { method: 'PATCH', headers, body: JSON.stringify(body) }, signal)).body
    },
    delete: async (path, signal) => (await send(path, { method: 'DELETE' }, signal)).body,
  }
}

async function readBounded({ body }: Response): Promise<string> {
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the rest of the response.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error(`a response of Mollie has more than ${bodyBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

// The response may be an error page of a proxy, which is not JSON.
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function fieldOf(body: unknown): string | null {
  const { field } = (body ?? {}) as { field?: unknown }
  return typeof field === 'string' ? field : null
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
