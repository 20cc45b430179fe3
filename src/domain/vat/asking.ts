// Asks a register of VAT numbers within bounds: few at once, each with a deadline, and of a member state not at all for a while after
// its register has failed again and again. A register that does not answer never holds up a purchase: tax is then charged.

import { createThrottle } from '../../platform/access/throttle.ts'
import { type VatAnswer, type VatQuestion, type VatRegister, VatUnanswered } from './port.ts'

// Member states take up to some seconds; a shopper waits for it.
const askMsMax = 6_000
const atOnceMax = 10
const failuresMax = 5
const restMs = 30_000
// Per merchant. VIES blocks callers that ask too much.
const merchantRate = { perSecond: 1, burst: 30 }

// Refused for what one merchant asks: others are answered.
const aboutQuestion: ReadonlySet<string> = new Set(['VIES_INVALID_REQUESTER_INFO', 'VIES_VAT_BLOCKED'])

export interface AskingParts {
  register: VatRegister
  clock: () => Date
  askMs?: number
}

export type AskVat = (merchantId: string, question: VatQuestion) => Promise<VatAnswer>

export function createAskVat({ register, clock, askMs = askMsMax }: AskingParts): AskVat {
  const throttle = createThrottle(merchantRate)
  let running = 0
  // By member state: each has its own register behind VIES.
  const failing = new Map<string, { failures: number; restsUntil: number }>()
  function countFailure(prefix: string): void {
    const failures = (failing.get(prefix)?.failures ?? 0) + 1
    failing.set(prefix, { failures, restsUntil: failures >= failuresMax ? clock().getTime() + restMs : 0 })
  }
  return async (merchantId, question) => {
    const now = clock().getTime()
    const { prefix } = question.id
    const { restsUntil = 0 } = failing.get(prefix) ?? {}
    if (now < restsUntil && restsUntil - now <= restMs) throw new VatUnanswered('RESTING')
    if (running >= atOnceMax) throw new VatUnanswered('BUSY')
    if (throttle.take(merchantId, now) > 0) throw new VatUnanswered('TOO_MANY')
    running += 1
    try {
      const answer = await register(question, AbortSignal.timeout(askMs))
      failing.delete(prefix)
      return answer
    } catch (error) {
      const unanswered = error instanceof VatUnanswered ? error : new VatUnanswered(codeOf(error))
      if (!aboutQuestion.has(unanswered.code)) countFailure(prefix)
      throw unanswered
    } finally {
      running -= 1
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && error.name === 'TimeoutError' ? 'TIMEOUT' : 'UNREACHABLE'
}
