// Queries a register of VAT numbers within limits: few queries at the same time, each with a deadline, and none to a member state for a
// while after its register has failed repeatedly. A register that does not respond never prevents a purchase: tax is then charged.

import { createThrottle } from '../../platform/access/throttle.ts'
import { type VatAnswer, type VatQuestion, type VatRegister, VatUnanswered } from './port.ts'

// Registers of member states take up to some seconds, and a shopper waits for the answer.
const askMsMax = 6_000
const atOnceMax = 10
const failuresMax = 5
const restMs = 30_000
// Limit per merchant. VIES blocks callers that send too many queries.
const merchantRate = { perSecond: 1, burst: 30 }

// Errors that concern one merchant's query; queries of others still succeed, so these errors do not count as failures of the register.
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
  // Failures by member state, because each has its own register behind VIES.
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
