// What is asked of a register of VAT numbers, and what it answers.

import type { VatNameMatch } from '../../contract/words.ts'
import type { VatId } from './id.ts'

export interface VatQuestion {
  id: VatId
  // The seller, who gets a number by which the answer can be proven later.
  requester: VatId | null
  // The firm as the shopper named it; it is compared and not stored.
  name: string | null
}

export interface VatAnswer {
  isValid: boolean
  // By which the register finds this answer again.
  consultationNumber: string | null
  nameMatch: VatNameMatch
}

// Throws where it cannot answer, with a `code` for the log.
export type VatRegister = (question: VatQuestion, signal: AbortSignal) => Promise<VatAnswer>

export class VatUnanswered extends Error {
  override readonly name = 'VatUnanswered'
  readonly code: string

  constructor(code: string) {
    super(`a VAT number could not be checked: ${code}`)
    this.code = code
  }
}

// In test mode nothing is asked: a number of zeros is not registered, one of nines gets no answer, and every other is valid.
export async function testRegister(_merchantId: string, { id }: Pick<VatQuestion, 'id'>): Promise<VatAnswer> {
  const digits = id.number.replace(/\D/g, '')
  if (/^9+$/.test(digits)) throw new VatUnanswered('TEST_UNAVAILABLE')
  return { isValid: !/^0+$/.test(digits), consultationNumber: null, nameMatch: 'unknown' }
}
