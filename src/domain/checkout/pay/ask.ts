// Asking a provider about one payment: within a deadline, watched, and listening for an answer that comes after it.

import { type CallOptions, callProvider, type Finding, type Outcome } from '../../payments/port.ts'
import { checkPaymentSoon, type PaymentRow } from '../../payments/store.ts'
import type { CallAnswer, CallFacts, ProviderCall } from '../../payments/watch.ts'
import type { PayTools } from '../tools.ts'
import { finishPayment } from './finish.ts'
import { nothingDue } from './settlement.ts'

export async function askProvider<Answer extends Finding>(
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

// Where there is no provider to ask: nothing is owed, or it is not installed.
export function outcomeWithoutProvider({ provider, id, amount }: PaymentRow): Outcome {
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

// An approval is believed whenever it comes, and so is the answer to a look-up: a provider that is always too slow would
// otherwise never be heard. For anything else the provider is asked once more: an adapter that was aborted may have reported
// that as a decline.
async function recordLateAnswer(
  tools: PayTools,
  payment: PaymentRow,
  call: ProviderCall,
  answer: Finding,
): Promise<void> {
  if (answer.kind === 'absent' || answer.kind === 'unknown') return
  // Its outcome is known, and what else was said may be old by now. It is looked up again by schedule.
  if (payment.status === 'succeeded') return
  const isBelieved = answer.kind === 'approved' || call === 'lookUp'
  try {
    if (isBelieved) await finishPayment(tools, payment, answer, null)
    else await tools.storage.write(async (tx) => checkPaymentSoon(tx, payment, tools.clock().getTime()))
  } catch (error) {
    // `finishPayment` has reported its own.
    if (!isBelieved)
      tools.watch.error('unrecorded', 'late answer could not be recorded', callFacts(payment, call), error)
  }
}
