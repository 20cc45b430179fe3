// Responses to refusals, and the conversion of other errors to refusals.

import { withShortMessage } from '../../contract/issues.ts'
import { refusals } from '../../contract/refusals.ts'
import type { Surface } from '../../contract/surface.ts'
import { Refusal, refuse } from '../kit/refuse.ts'
import type { Log } from '../log/log.ts'
import { StorageOutage, StorageUnavailable } from '../storage/storage.ts'
import { jsonType, type Outgoing } from './message.ts'

export interface RefusalAnswer extends Outgoing {
  body: string
}

// An error that is not a refusal is a defect or an outage: the log gets its details, and the response does not.
export function toRefusal(error: unknown, log: Log, fields: Readonly<Record<string, unknown>>): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StorageUnavailable) {
    // The storage itself logs an outage, once.
    const level = error instanceof StorageOutage ? 'debug' : 'warn'
    log[level]('storage unavailable', { ...fields, reason: error.message })
    return unavailableRefusal()
  }
  log.error('defect', error, fields)
  return refuse('internal_error')
}

export function unavailableRefusal(): Refusal {
  return refuse('unavailable', { retryAfterMs: 1000 })
}

export function refusalAnswer(
  { errorBody }: Pick<Surface, 'errorBody'>,
  { code, message, details }: Refusal,
  requestId: string,
): RefusalAnswer {
  const { status = refusals[code].status } = details
  const { current = null } = details
  const issues = (details.issues ?? []).map(withShortMessage)
  const headers: Record<string, string> = {
    'content-type': jsonType,
    'cache-control': 'no-store',
    'x-request-id': requestId,
  }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  Object.assign(headers, details.headers)
  if (details.retryAfterMs) headers['retry-after'] = String(Math.ceil(details.retryAfterMs / 1000))
  return { status, body: JSON.stringify(errorBody({ code, message, status, requestId, issues, current })), headers }
}
