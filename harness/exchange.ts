// Sends what `fetch` sends, and reads the whole answer, for less than half of its processor time: no streams of the web.

import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { Agent, type Dispatcher, request } from 'undici'

export interface Received {
  status: number
  headers: Headers
  text: string
}

const sentByFetch: Readonly<Record<string, string>> = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
}
const decoders: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
}
const dispatcher = new Agent()

export async function exchange(url: string, init: RequestInit = {}): Promise<Received> {
  const { method = 'GET', redirect = 'follow', signal, ...rest } = init
  const headers = new Headers(rest.headers)
  const body = bodyOf(rest.body, headers)
  if (body === undefined || redirect === 'error') return byFetch(url, init)
  for (const [name, value] of Object.entries(sentByFetch)) if (!headers.has(name)) headers.set(name, value)
  const options = { method: method.toUpperCase() as Dispatcher.HttpMethod, headers: Object.fromEntries(headers), body }
  const answer = await request(url, { ...options, dispatcher, ...(signal && { signal }) }).catch((cause: unknown) => {
    throw new TypeError('fetch failed', { cause })
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  const received = new Headers()
  for (const [name, values] of Object.entries(answer.headers))
    for (const value of [values ?? []].flat()) received.append(name, value)
  const { statusCode: status } = answer
  const location = received.get('location')
  if (redirect === 'follow' && location !== null && [301, 302, 303, 307, 308].includes(status))
    return exchange(new URL(location, url).href, status < 304 ? asGet(init) : init)
  const decode = bytes.length > 0 && decoders[received.get('content-encoding') ?? '']
  return { status, headers: received, text: new TextDecoder().decode(decode ? await decode(bytes) : bytes) }
}

// Null without one, and undefined for those that only `fetch` sends.
function bodyOf(body: RequestInit['body'], headers: Headers): string | Uint8Array | null | undefined {
  if (body === undefined || body === null || body instanceof Uint8Array) return body ?? null
  const isForm = body instanceof URLSearchParams
  if (!isForm && typeof body !== 'string') return undefined
  const type = isForm ? 'application/x-www-form-urlencoded' : 'text/plain'
  if (!headers.has('content-type')) headers.set('content-type', `${type};charset=UTF-8`)
  return String(body)
}

function asGet({ method = 'GET', headers, ...init }: RequestInit): RequestInit {
  const kept = new Headers(headers)
  for (const name of ['content-type', 'content-length', 'content-encoding']) kept.delete(name)
  const { body: _, ...others } = init
  return { ...others, headers: kept, method: method.toUpperCase() === 'HEAD' ? 'HEAD' : 'GET' }
}

async function byFetch(url: string, init: RequestInit): Promise<Received> {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}
