// Queries to a register of VAT numbers, and their answers.

import type { VatNameMatch } from '../../contract/words.ts'
import type { VatId } from './id.ts'

export interface VatQuestion {
  id: VatId
  // The seller's number, with which the register returns a consultation number that proves the answer later.
  requester: VatId | null
  // The company name as the shopper typed it; it is compared and not stored.
  name: string | null
}

export interface VatAnswer {
  isValid: boolean
  // The number under which the register can find this answer again.
  consultationNumber: string | null
  nameMatch: VatNameMatch
}

// Throws VatUnanswered if there is no answer, with a `code` for the log.
export type VatRegister = (question: VatQuestion, signal: AbortSignal) => Promise<VatAnswer>

export class VatUnanswered extends Error {
  override readonly name = 'VatUnanswered'
  readonly code: string

  constructor(code: string) {
    super(`a VAT number could not be checked: ${code}`)
    this.code = code
  }
}

// In test mode no register is queried: a number of zeros is not registered, a number of nines gets no answer, and every other number is
// valid.
export async function testRegister(_merchantId: string, { id }: Pick<VatQuestion, 'id'>): Promise<VatAnswer> {
  const digits = id.number.replace(/\D/g, '')
  if (/^9+$/.test(digits)) throw new VatUnanswered('TEST_UNAVAILABLE')
  return { isValid: !/^0+$/.test(digits), consultationNumber: null, nameMatch: 'unknown' }
}
