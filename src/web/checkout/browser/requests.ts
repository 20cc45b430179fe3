// Requests to the server, which answers with pages.

import { type Fields, pause, stateOf } from './dom.ts'
import { state } from './state.ts'

// A page or none, and when to retry.
export interface Answer {
  page?: Document | undefined
  retryMs?: number
}

const answerMsMax = 30_000
const sendsMax = 5
const waitMsMax = 10_000

export async function ask(path: string, fields: Fields | string[][]): Promise<Answer> {
  try {
    return (await post(path, fields)) ?? (await load())
  } catch {
    return {}
  }
}

export function get(path: string): Promise<Response> {
  return fetch(path, { signal: AbortSignal.timeout(answerMsMax), cache: 'no-store' })
}

export async function load(): Promise<Answer> {
  return answerOf(await get(state.base))
}

// Redirects are not followed by fetch: they may lead to the shop, whose pages our script cannot read. The answer is then undefined.
// After a 429 it waits for as long as the answer says.
async function post(path: string, fields: Fields | string[][]): Promise<Answer | undefined> {
  for (let sends = 1; ; sends += 1) {
    const response = await fetch(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    })
    if (response.type === 'opaqueredirect') return undefined
    const { page, retryMs } = await answerOf(response)
    if ((page && stateOf(page)) !== 'slow') return { page, retryMs }
    if (sends === sendsMax) return { retryMs }
    await pause(Math.min(retryMs || 1000, waitMsMax))
  }
}

async function answerOf(response: Response): Promise<Required<Answer>> {
  return { page: await pageIn(response), retryMs: 1000 * (Number(response.headers.get('retry-after')) || 0) }
}

// Undefined if it is not a page of ours: from a proxy, or from a server that is restarting.
export async function pageIn(response: Response): Promise<Document | undefined> {
  if (response.status >= 500) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return stateOf(page) === undefined ? undefined : page
}
