// Compresses responses for clients that accept it (RFC 9110, 12.5.3). A response must opt in: the length of a compressed body reveals
// repetitions in it, so an attacker who controls a part of the text could guess a secret in it (BREACH). Pages for one person are not
// compressed.

import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { Lru } from '../kit/lru.ts'
import type { Outgoing } from './message.ts'

// Returns a promise only if something is compressed: most responses are not, and awaiting costs a turn of the event loop.
export type Compress = (outgoing: Outgoing, accepted: string | string[] | undefined) => Outgoing | Promise<Outgoing>

type Coding = 'br' | 'zstd' | 'gzip'
type Effort = NonNullable<Outgoing['compress']>

// In the order of preference: the coding with the smallest results first.
const codings: readonly Coding[] = ['br', 'zstd', 'gzip']

// A smaller body fits into one packet even if it is not compressed.
const bytesMin = 1_200
// Larger bodies are not compressed.
const bytesMax = 4 * 2 ** 20
const cachedBytesMax = 16 * 2 ** 20
// Compression runs in the threads that also read files. While this many compressions are in progress, responses whose compressed body is
// not cached are sent uncompressed.
const underWayMax = 32

const brotli = promisify(brotliCompress)
const zipped = promisify(gzip)
const zstd = promisify(zstdCompress)

// A page of 18 kB takes 0.3 ms at the level `fast`, and a style sheet of 30 kB 3 ms at `well`. The highest levels would take twenty times
// as long for 4 % less.
const levels: Readonly<Record<Effort, Readonly<Record<Coding, number>>>> = {
  once: { br: 4, zstd: 3, gzip: 5 },
  fast: { br: 4, zstd: 3, gzip: 5 },
  well: { br: 9, zstd: 12, gzip: 9 },
}

export function createCompress(): Compress {
  const known = new Lru<string, Buffer>(cachedBytesMax, ({ length }) => length)
  // Digests of bodies that are sent repeatedly, such as style sheets.
  const digests = new WeakMap<Buffer, string>()
  let underWay = 0

  function digestOf(body: string | Buffer): string {
    if (typeof body === 'string') return hash('sha256', body, 'base64url')
    const digest = digests.get(body) ?? hash('sha256', body, 'base64url')
    digests.set(body, digest)
    return digest
  }

  async function compressed(body: string | Buffer, coding: Coding, effort: Effort): Promise<Buffer | undefined> {
    // Not cached: a body that is never sent again would displace one that is.
    const key = effort === 'once' ? undefined : `${coding} ${effort} ${digestOf(body)}`
    const cached = key === undefined ? undefined : known.get(key)
    if (cached) return cached
    if (underWay >= underWayMax) return undefined
    underWay += 1
    try {
      const made = await encoded(body, coding, levels[effort][coding])
      if (key !== undefined) known.set(key, made)
      return made
    } finally {
      underWay -= 1
    }
  }

  async function inCoding(outgoing: Outgoing, coding: Coding, effort: Effort): Promise<Outgoing> {
    const { body, headers } = outgoing
    const made = await compressed(body, coding, effort)
    if (!made) return outgoing
    return { ...outgoing, body: made, headers: { ...headers, 'content-encoding': coding, ...weakened(headers) } }
  }

  return (outgoing, accepted) => {
    const { status, body, compress: effort, headers } = outgoing
    if (!effort || !isText.test(headers['content-type'] ?? '')) return outgoing
    const vary = headers.vary ? `${headers.vary}, accept-encoding` : 'accept-encoding'
    const coding = accepted === undefined ? undefined : codingFor(accepted)
    // The representation in the client's cache may be compressed, so the ETag is weak.
    if (status === 304 && coding !== undefined)
      return { ...outgoing, headers: { ...headers, vary, ...weakened(headers) } }
    const varying = { ...outgoing, headers: { ...headers, vary } }
    const bytes = Buffer.byteLength(body)
    if (status !== 200 || coding === undefined || bytes < bytesMin || bytes > bytesMax) return varying
    return inCoding(varying, coding, effort)
  }
}

// A strong ETag would promise identical bytes; a compressed body has the same content in other bytes (RFC 9110, 8.8.3.3).
function weakened({ etag }: Outgoing['headers']): { etag?: string } {
  return etag?.startsWith('"') ? { etag: `W/${etag}` } : {}
}

const isText =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b|application\/speculationrules\+json|image\/svg\+xml)/

function encoded(body: string | Buffer, coding: Coding, level: number): Promise<Buffer> {
  if (coding === 'gzip') return zipped(body, { level })
  if (coding === 'zstd') return zstd(body, { params: { [constants.ZSTD_c_compressionLevel]: level } })
  const text = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT }
  return brotli(body, { params: { ...text, [constants.BROTLI_PARAM_QUALITY]: level } })
}

// Returns the coding that the client prefers. If it prefers several equally, returns the one with the smallest results. Returns undefined
// if the client accepts none.
export function codingFor(accepted: string | string[] | undefined): Coding | undefined {
  const weights = new Map<string, number>()
  for (const part of String(accepted ?? '')
    .slice(0, 500)
    .split(',')) {
    const [name = '', weight = '1'] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/)
    weights.set(name.replace('x-gzip', 'gzip'), Number(weight) || 0)
  }
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = codings.toSorted((one, other) => weightOf(other) - weightOf(one))
  return best !== undefined && weightOf(best) > 0 ? best : undefined
}
