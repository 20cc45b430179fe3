// Fetches one JSON document from an untrusted server. Does not follow redirects.

import type { IncomingHttpHeaders } from 'node:http'
import { guardedGet } from '../webhooks/get.ts'

export interface FetchBounds {
  // For development: also allows http, and addresses of this machine and its networks.
  allowPrivate: boolean
  bytesMax: number
  msMax: number
}

export interface FetchedDocument {
  value: unknown
  // Whether the Content-Type is JSON.
  isJson: boolean
  // How long the document may be cached, according to its headers.
  maxAgeMs: number
}

// Returns undefined if the document cannot be fetched or parsed, for whatever reason.
export async function fetchDocument(url: string, bounds: FetchBounds): Promise<FetchedDocument | undefined> {
  const got = await guardedGet(url, { ...bounds, accept: 'application/json' })
  if (typeof got === 'string') return undefined
  try {
    const value: unknown = JSON.parse(got.bytes.toString('utf8'))
    return { value, isJson: isJson(got.headers), maxAgeMs: maxAgeOf(got.headers) }
  } catch {
    // The body is not valid JSON.
    return undefined
  }
}

// Limits how many documents the process fetches per second. Approved platforms have a limit of their own, so unknown callers cannot use
// up theirs.
export function createFetchShares(perSecondMax: number): (now: number, share: 'approved' | 'other') => boolean {
  let second = 0
  let fetches = { approved: 0, other: 0 }
  return (now, share) => {
    const current = Math.floor(now / 1_000)
    if (current !== second) [second, fetches] = [current, { approved: 0, other: 0 }]
    fetches[share] += 1
    return fetches[share] <= perSecondMax
  }
}

function isJson(headers: IncomingHttpHeaders): boolean {
  return /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i.test(headers['content-type'] ?? '')
}

function maxAgeOf(headers: IncomingHttpHeaders): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/.exec(headers['cache-control'] ?? '')?.[1]
  return Number(seconds ?? 0) * 1_000
}
