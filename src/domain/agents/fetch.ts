// Reads one document of a stranger: its address is chosen by the caller and asked for from inside our network. So it is guarded like the
// receivers of webhooks: no redirects, few bytes, little time, and every address that is dialled is judged.

import { lookup as resolve } from 'node:dns'
import { type ClientRequest, get as getOpenly, type IncomingMessage } from 'node:http'
import { get } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isForbiddenAddress, targetProblem } from '../webhooks/guard.ts'

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
  if (targetProblem(url, bounds)) return undefined
  const signal = AbortSignal.timeout(bounds.msMax)
  try {
    const response = await answerOf(url, bounds, signal)
    if (response.statusCode !== 200) {
      response.destroy()
      return undefined
    }
    const text = await textOf(response, bounds.bytesMax)
    return text === undefined
      ? undefined
      : { value: JSON.parse(text), isJson: isJson(response), maxAgeMs: maxAgeOf(response) }
  } catch {
    // A host that does not answer, a broken stream or text that is not JSON: all the same to the caller.
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

function answerOf(url: string, { allowPrivate }: FetchBounds, signal: AbortSignal): Promise<IncomingMessage> {
  const lookup: LookupFunction = (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => !isForbiddenAddress(address, { allowPrivate }))
      const [first] = allowed
      if (!first) done(error ?? new Error('no address that may be called'), '', 0)
      else if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  const headers = { accept: 'application/json', 'user-agent': 'Cartwright' }
  return new Promise((take, fail) => {
    const ask = url.startsWith('http:') ? getOpenly : get
    const request: ClientRequest = ask(url, { lookup, headers, signal, agent: false }, take)
    request.on('error', fail)
  })
}

async function textOf(response: IncomingMessage, bytesMax: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bytesMax) {
      response.destroy()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i.test(headers['content-type'] ?? '')
}

function maxAgeOf({ headers }: IncomingMessage): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/.exec(headers['cache-control'] ?? '')?.[1]
  return Number(seconds ?? 0) * 1_000
}
