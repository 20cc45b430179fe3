// Requests to the server, which answers with pages.

import { type Fields, pause, stateOf } from './dom.ts'
import { state } from './state.ts'

// `page` is undefined if the request failed; `retryMs` says when to retry.
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

// Returns undefined for a redirect. Redirects are not followed, because they may lead to the shop, whose pages this script cannot read. A
// post that is refused with 429 is sent again after the time that the response names.
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

// Returns undefined if the page is not from this server but from a proxy, or if the server failed.
export async function pageIn(response: Response): Promise<Document | undefined> {
  if (response.status >= 500) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return stateOf(page) === undefined ? undefined : page
}
