// How the check of a buyer's VAT number stands, as a cart and an order have it. The number itself is sealed with the customer.

import type { VatNameMatch, VatStatus } from '../../contract/words.ts'

export interface VatCheck {
  // Country of the number.
  country: string
  status: VatStatus
  // When it was answered, or asked for the last time.
  at: number
  consultationNumber: string | null
  nameMatch: VatNameMatch
}

// A cart's check is about the customer of one checkout session.
export interface CartVatCheck extends VatCheck {
  sessionId: string
  // How often it was asked for.
  tries: number
}

export function vatCheckFrom<Check extends VatCheck>(text: string | null): Check | null {
  return text === null ? null : (JSON.parse(text) as Check)
}

// A check whose answer was lost with its process, or is still to come, counts as none by then.
const pendingMsMax = 30_000

export function vatStatusAt({ status, at }: Pick<VatCheck, 'status' | 'at'>, now: number): VatStatus {
  return status === 'pending' && now - at > pendingMsMax ? 'unavailable' : status
}
