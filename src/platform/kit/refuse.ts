// Refusals. There is only one class of refusals. Their codes, statuses and messages are a table in the contract. Each API turns a refusal
// into a response of its own format, and the command line prints it.

import type { Issue } from '../../contract/issues.ts'
import { type RefusalCode, refusals } from '../../contract/refusals.ts'

export interface RefusalDetails {
  // Replaces the message of the table, for example to add numbers: "The cart is at version 8; the request expected 7."
  message?: string
  issues?: readonly Issue[]
  // What the caller needs to continue: the present status and version, the available stock, or the required scope.
  current?: Readonly<Record<string, unknown>>
  // Sent as the Retry-After header, which is not part of the contract.
  retryAfterMs?: number
  // Replaces the status of the table for requests that reach no operation: an unsupported method or HTTP version, a message of a payment
  // provider that is too large, or a key of a merchant that was moved to another cell.
  status?: 405 | 413 | 421 | 505
  // Headers of the response, such as the challenge of a 401.
  headers?: Readonly<Record<string, string>>
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails
  constructor(code: RefusalCode, details: RefusalDetails) {
    super(details.message ?? refusals[code].sentence)
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }
}

export function refuse(code: RefusalCode, details: RefusalDetails = {}): Refusal {
  return new Refusal(code, details)
}
