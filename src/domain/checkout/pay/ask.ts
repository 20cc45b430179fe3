// Calls a provider about one payment: with a deadline and monitoring. A response that arrives after the deadline is still recorded.

import { type CallOptions, callProvider, type ProviderFinding, type ProviderOutcome } from '../../payments/port.ts'
import { checkPaymentSoon, type PaymentRow } from '../../payments/store.ts'
import type { CallAnswer, CallFacts, ProviderCall } from '../../payments/watch.ts'
import type { PayTools } from '../tools.ts'
import { finishPayment } from './finish.ts'
import { nothingDue } from './settlement.ts'

export async function queryProvider<Answer extends ProviderFinding>(
  tools: PayTools,
  payment: PaymentRow,
  call: ProviderCall,
  question: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | { kind: 'unknown' }> {
  const options = callOptions(tools, payment, call)
  return callProvider(question, {
    ...options,
    onLate(answer) {
      options.onLate?.(answer)
      void recordLateAnswer(tools, payment, call, answer)
    },
  })
}

// Returns the outcome if no provider can be called: the amount is 0, or the provider is not installed.
export function outcomeWithoutProvider({ provider, id, amount }: PaymentRow): ProviderOutcome {
  return provider === nothingDue
    ? { kind: 'approved', reference: id, collected: amount, brand: null, last4: null }
    : { kind: 'unknown' }
}

export function callOptions(tools: PayTools, payment: PaymentRow, call: ProviderCall): CallOptions<CallAnswer> {
  const { watch, callMsMax } = tools
  return { ...watch.listen(callFacts(payment, call)), ...(callMsMax === undefined ? {} : { msMax: callMsMax }) }
}

export function callFacts(payment: PaymentRow, call: ProviderCall): CallFacts {
  return { provider: payment.provider, paymentId: payment.id, call }
}

// A late approval is accepted, and so is any late response to a look-up: otherwise a provider that is always too slow could never report
// an outcome. After any other late response the provider is queried again: an adapter that was aborted may have reported the abort as a
// decline.
async function recordLateAnswer(
  tools: PayTools,
  payment: PaymentRow,
  call: ProviderCall,
  answer: ProviderFinding,
): Promise<void> {
  if (answer.kind === 'absent' || answer.kind === 'unknown') return
  // The outcome is already known, and the rest of the response may be outdated: the payment is looked up again on schedule.
  if (payment.status === 'succeeded') return
  const isBelieved = answer.kind === 'approved' || call === 'lookUp'
  try {
    if (isBelieved) await finishPayment(tools, payment, answer, null)
    else await tools.storage.write(async (tx) => checkPaymentSoon(tx, payment, tools.clock().getTime()))
  } catch (error) {
    // `finishPayment` logs its own errors.
    if (!isBelieved)
      tools.watch.error(
        'unrecorded',
        'late answer of the payment provider could not be recorded',
        callFacts(payment, call),
        error,
      )
  }
}
