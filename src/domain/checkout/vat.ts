// What a cart and an order say of the VAT number that a shopper gives. Pure.

import type { BuyerVat } from '../../contract/parts.ts'
import type { VatStatus } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { type CartVatCheck, type VatCheck, vatStatusAt } from '../vat/check.ts'
import type { VatId } from '../vat/id.ts'
import type { VatAnswer } from '../vat/port.ts'

// Per cart, counting every number and every new try of one.
const triesMax = 10

export interface VatGiven {
  sessionId: string
  // What the cart has so far, and the number that it is about.
  before: CartVatCheck | null
  known: string | undefined
  wanted: VatId | undefined
  now: number
}

// What a cart says of the number that its shopper gives now. One that got no answer is asked for again when it is given again.
export function vatCheckFor({ sessionId, before, known, wanted, now }: VatGiven): CartVatCheck | null {
  // A number that was taken away leaves how often one was asked for: giving none in between is not a new beginning. Such a check is about
  // no session, so nothing is shown of it.
  if (!wanted) return before && answeredCheck({ ...before, sessionId: '' }, null, before.at)
  const isSame = before?.sessionId === sessionId && known === wanted.text
  if (isSame && vatStatusAt(before, now) !== 'unavailable') return before
  const tries = (before?.tries ?? 0) + 1
  const status = tries > triesMax ? 'unavailable' : 'pending'
  return { sessionId, tries, country: wanted.country, status, at: now, consultationNumber: null, nameMatch: 'unknown' }
}

// Null: the register gave no answer.
export function answeredCheck(check: CartVatCheck, answer: VatAnswer | null, now: number): CartVatCheck {
  const status: VatStatus = answer === null ? 'unavailable' : answer.isValid ? 'valid' : 'invalid'
  const { consultationNumber = null, nameMatch = 'unknown' } = answer ?? {}
  return { ...check, status, at: now, consultationNumber, nameMatch }
}

// As its order keeps it.
export function orderVatOf(check: CartVatCheck | null, sessionId: string, now: number): VatCheck | null {
  if (check?.sessionId !== sessionId) return null
  const { country, at, consultationNumber, nameMatch } = check
  const status = check.status === 'pending' ? 'unavailable' : vatStatusAt(check, now)
  return { country, status, at, consultationNumber, nameMatch }
}

export function sessionVatView(check: VatCheck, now: number): BuyerVat {
  const status = vatStatusAt(check, now)
  return { country: check.country, status, checkedAt: status === 'pending' ? null : toInstant(check.at) }
}
