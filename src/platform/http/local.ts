// A client of the API inside this process: like `fetch`, but it performs operations instead of sending requests. The operations and their
// checks are the same, without HTTP, credentials and rate limits. Errors other than refusals are thrown.

import type { Principal } from '../access/principal.ts'
import { newId } from '../kit/ids.ts'
import { Refusal, refuse } from '../kit/refuse.ts'
import { jsonType } from './message.ts'
import { refusalAnswer } from './refusal.ts'
import type { MountedSurface } from './surfaces.ts'

export interface LocalRequest {
  method?: string | undefined
  body?: unknown
}

export type LocalFetch = (url: string, request: LocalRequest) => Promise<Response>

export function localFetch(
  mounted: Pick<MountedSurface, 'surface' | 'perform' | 'find'>,
  principal: Principal,
): LocalFetch {
  return async (url, { method = 'GET', body }) => {
    const { pathname, search } = new URL(url)
    const requestId = newId('req')
    try {
      const found = mounted.find(method, pathname)
      if (!found) throw refuse('route_not_found')
      const { status, body: text } = await mounted.perform(found.id, {
        ...{ principal, path: found.path, search: search.slice(1), requestId },
        body: typeof body === 'string' ? JSON.parse(body) : null,
      })
      return answer(status, String(text))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const refused = refusalAnswer(mounted.surface, error, requestId)
      return answer(refused.status, String(refused.body), refused.headers['retry-after'])
    }
  }
}

// Returns the body of a read's response, to detect changes. Returns undefined if the read is refused.
export function localBodyReader(
  mounted: Pick<MountedSurface, 'perform' | 'find'>,
  principal: Principal,
): (address: string) => Promise<string | Buffer | undefined> {
  return async (address) => {
    const [pathname = '', search = ''] = address.split('?', 2)
    const found = mounted.find('GET', pathname)
    try {
      return found && (await mounted.perform(found.id, { principal, path: found.path, search })).body
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
}

function answer(status: number, text: string, retryAfter?: string): Response {
  const headers = { 'content-type': jsonType, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) }
  return new Response(text, { status, headers })
}
