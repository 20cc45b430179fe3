// The VAT check of a cart and of an order. Pure.

import type { BuyerVat } from '../../contract/parts.ts'
import type { VatStatus } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { type CartVatCheck, type VatCheck, vatStatusAt } from '../vat/check.ts'
import type { VatId } from '../vat/id.ts'
import type { VatAnswer } from '../vat/port.ts'

// Checks per cart, counting every number and every repetition.
const triesMax = 10

export interface VatCheckInput {
  sessionId: string
  // The present check of the cart, and the number that it concerns.
  before: CartVatCheck | null
  known: string | undefined
  wanted: VatId | undefined
  now: number
}

// The check for the number that the shopper enters now. A number for which the register gave no answer is checked again when it is
// entered again.
export function vatCheckFor({ sessionId, before, known, wanted, now }: VatCheckInput): CartVatCheck | null {
  // If the number is removed, the count of checks stays, so removing it in between does not reset the count. Such a check belongs to no
  // session, so it is not shown.
  if (!wanted) return before && applyVatAnswer({ ...before, sessionId: '' }, null, before.at)
  const isSame = before?.sessionId === sessionId && known === wanted.text
  if (isSame && vatStatusAt(before, now) !== 'unavailable') return before
  const tries = (before?.tries ?? 0) + 1
  const status = tries > triesMax ? 'unavailable' : 'pending'
  return { sessionId, tries, country: wanted.country, status, at: now, consultationNumber: null, nameMatch: 'unknown' }
}

// Null: the register gave no answer.
export function applyVatAnswer(check: CartVatCheck, answer: VatAnswer | null, now: number): CartVatCheck {
  const status: VatStatus = answer === null ? 'unavailable' : answer.isValid ? 'valid' : 'invalid'
  const { consultationNumber = null, nameMatch = 'unknown' } = answer ?? {}
  return { ...check, status, at: now, consultationNumber, nameMatch }
}

// The check in the form in which an order stores it.
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
