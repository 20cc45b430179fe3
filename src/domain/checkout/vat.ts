// The VAT check of a cart and of an order. Pure.

import type { BuyerVat } from '../../contract/parts.ts'
import type { VatStatus } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { type CartVatCheck, type VatCheck, vatStatusAt } from '../vat/check.ts'
import type { VatId } from '../vat/id.ts'
import type { VatAnswer } from '../vat/port.ts'

// Maximum number of checks per cart; repeated checks of one number count too.
const triesMax = 10

export interface VatCheckInput {
  sessionId: string
  // The present check of the cart, and the VAT number that was checked.
  before: CartVatCheck | null
  known: string | undefined
  wanted: VatId | undefined
  now: number
}

// Returns the check for the number that the shopper enters now. Entering the same number again repeats the check only if the register did
// not respond.
export function vatCheckFor({ sessionId, before, known, wanted, now }: VatCheckInput): CartVatCheck | null {
  // If the number is removed, the count of checks is kept, so removing it does not reset the limit. The check then belongs to no session
  // and is not shown.
  if (!wanted) return before && applyVatAnswer({ ...before, sessionId: '' }, null, before.at)
  const isSame = before?.sessionId === sessionId && known === wanted.text
  if (isSame && vatStatusAt(before, now) !== 'unavailable') return before
  const tries = (before?.tries ?? 0) + 1
  const status = tries > triesMax ? 'unavailable' : 'pending'
  return { sessionId, tries, country: wanted.country, status, at: now, consultationNumber: null, nameMatch: 'unknown' }
}

// `answer`: null if the register did not respond.
export function applyVatAnswer(check: CartVatCheck, answer: VatAnswer | null, now: number): CartVatCheck {
  const status: VatStatus = answer === null ? 'unavailable' : answer.isValid ? 'valid' : 'invalid'
  const { consultationNumber = null, nameMatch = 'unknown' } = answer ?? {}
  return { ...check, status, at: now, consultationNumber, nameMatch }
}

// Converts the check to the form that an order stores.
export function orderVatFromCart(check: CartVatCheck | null, sessionId: string, now: number): VatCheck | null {
  if (check?.sessionId !== sessionId) return null
  const { country, at, consultationNumber, nameMatch } = check
  const status = check.status === 'pending' ? 'unavailable' : vatStatusAt(check, now)
  return { country, status, at, consultationNumber, nameMatch }
}

export function sessionVatView(check: VatCheck, now: number): BuyerVat {
  const status = vatStatusAt(check, now)
  return { country: check.country, status, checkedAt: status === 'pending' ? null : toInstant(check.at) }
}
