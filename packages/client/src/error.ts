// The one error that the client throws, apart from the reason of an aborted signal.

import type { AdminErrorCode, AdminErrorIssue } from './printed/admin.ts'
import type { ErrorCurrent, ErrorCode as OpenErrorCode } from './printed/open.ts'

/** A refusal of the server, or one of the last five, which the client itself says. */
export type ErrorCode =
  | OpenErrorCode
  | AdminErrorCode
  /** No answer came: no connection, or it was lost. */
  | 'connection_failed'
  /** No answer came within `timeoutMs`. */
  | 'timed_out'
  /** An answer that is not the server's: a proxy's page, a redirect. */
  | 'unexpected_answer'
  /** A webhook that is not genuine, too old, or not meant for this secret. */
  | 'webhook_invalid'
  /** The merchant declined, or the authorization server refused; `current.error` says why. */
  | 'oauth_failed'

export interface ErrorFacts {
  code: string
  message: string
  status?: number
  requestId?: string | null
  issues?: AdminErrorIssue[]
  current?: (ErrorCurrent & Record<string, unknown>) | null
}

export class CartwrightError extends Error {
  override readonly name: string = 'CartwrightError'
  /** Stable, for programs. A newer server may send codes that this union does not know yet. */
  readonly code: ErrorCode
  /** The HTTP status; 0 where no answer came. */
  readonly status: number
  /** Name it when you ask for help. */
  readonly requestId: string | null
  /** What is wrong with the request, place by place. The open surface answers with some of these codes. */
  readonly issues: readonly AdminErrorIssue[]
  /** What helps to go on: the present version, the stock that is left. */
  readonly current: (ErrorCurrent & Record<string, unknown>) | null

  constructor(
    { code, message, status = 0, requestId = null, issues = [], current = null }: ErrorFacts,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code as ErrorCode
    this.status = status
    this.requestId = requestId
    this.issues = issues
    this.current = current
  }
}
