// Reads one JSON document of a stranger. It follows no redirects.

import type { IncomingHttpHeaders } from 'node:http'
import { guardedGet } from '../webhooks/get.ts'

export interface FetchBounds {
  // Also http, and addresses of this machine and its networks: for development.
  allowPrivate: boolean
  bytesMax: number
  msMax: number
}

export interface FetchedDocument {
  value: unknown
  // Its owner says that it is JSON.
  isJson: boolean
  // How long its owner says that it stays as it is.
  maxAgeMs: number
}

// Undefined where it cannot be had, whatever the reason.
export async function fetchDocument(url: string, bounds: FetchBounds): Promise<FetchedDocument | undefined> {
  const got = await guardedGet(url, { ...bounds, accept: 'application/json' })
  if (typeof got === 'string') return undefined
  try {
    const value: unknown = JSON.parse(got.bytes.toString('utf8'))
    return { value, isJson: isJson(got.headers), maxAgeMs: maxAgeOf(got.headers) }
  } catch {
    // Text that is not JSON.
    return undefined
  }
}

// How many documents are read in a second, for the whole process. What was approved has a share of its own: strangers, however many, do
// not keep it out.
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
