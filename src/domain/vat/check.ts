// The result of checking a buyer's VAT number, as stored with a cart and an order. The number itself is encrypted with the customer.

import type { VatNameMatch, VatStatus } from '../../contract/words.ts'

export interface VatCheck {
  // Country of the number.
  country: string
  status: VatStatus
  // When the result arrived, or when the number was last queried.
  at: number
  consultationNumber: string | null
  nameMatch: VatNameMatch
}

// A cart's check is about the customer of one checkout session.
export interface CartVatCheck extends VatCheck {
  sessionId: string
  // Number of queries so far.
  tries: number
}

export function parseVatCheck<Check extends VatCheck>(text: string | null): Check | null {
  return text === null ? null : (JSON.parse(text) as Check)
}

// After this time a pending check counts as unavailable: its process died, or the answer is still missing.
const pendingMsMax = 30_000

export function vatStatusAt({ status, at }: Pick<VatCheck, 'status' | 'at'>, now: number): VatStatus {
  return status === 'pending' && now - at > pendingMsMax ? 'unavailable' : status
}
