// Watches calls to payment providers, and money that is not collected or refunded as expected: one log line each, and counters for
// /metrics. Neither contains the shopper's input.

import type { PaymentAccountProblem } from '../../contract/words.ts'
import type { Log } from '../../platform/log/log.ts'
import { Counts, type Sample } from '../../platform/metrics/counts.ts'
import {
  type CallOptions,
  type CloseAnswer,
  type DescribeAnswer,
  type MissingResponse,
  missingResponseFrom,
  type ProviderEventGap,
  type ProviderFinding,
  type RefundState,
} from './port.ts'
import { createDeclineWatch, type DeclineWatch } from './trywatch.ts'

export type ProviderCall = 'start' | 'confirm' | 'lookUp' | 'refund' | 'refundState' | 'void' | 'close' | 'describe'

export interface MoneyFacts {
  provider: string
  paymentId: string
  refundId?: string
}

export interface CallFacts extends MoneyFacts {
  call: ProviderCall
}

// Events that an operator should look into. Each is counted by provider, and logged with its ids.
export type Incident =
  // A response arrived after the timeout.
  | 'late_answer'
  // A charge was approved after its payment had ended. It is refunded.
  | 'late_success'
  // A provider contradicts what it reported before.
  | 'contradiction'
  // The refund or void has failed for good: a person must act.
  | 'refund_failed'
  | 'void_failed'
  // A refund failed after it had succeeded.
  | 'refund_failed_later'
  // dispute_opened: a shopper disputes a payment at the bank, and a person should respond. dispute_lost: the dispute was decided in
  // favour of the shopper.
  | 'dispute_opened'
  | 'dispute_lost'
  // More was refunded at the provider than was paid.
  | 'refunds_exceed'
  // The refunds and disputes that a provider lists for a payment do not have the format of the port. None of them is recorded.
  | 'unreadable_standing'
  // The charged amount differs from the requested amount. The payment is not recorded as paid.
  | 'amount_differs'
  // A pending payment failed after the goods were sent.
  | 'pending_failed'
  // The outcome of a call could not be recorded. The provider will be queried again.
  | 'unrecorded'
  // A merchant's account cannot be used.
  | 'unusable_account'
  // A provider refuses the key of a merchant's account, a permission is missing, or webhooks for the account are refused.
  | 'account_problem'
  // Part of a provider's list of events could not be read. Open payments are queried on schedule, but refunds and disputes in that part
  // remain unknown.
  | 'news_left_out'

export interface ProviderWebhookFacts {
  // `none` if the account does not exist.
  provider: string
  accountId?: string
}

export type ProviderEventFacts = Required<ProviderWebhookFacts>

export type ProviderWebhookOutcome = 'accepted' | 'refused' | 'threw' | 'unknown_account'

export type CallAnswer = ProviderFinding | RefundState | CloseAnswer | DescribeAnswer

export interface PaymentWatch {
  // To be spread into the options of a call.
  listen(facts: CallFacts): Required<Pick<CallOptions<CallAnswer>, 'onAnswer' | 'onSilence' | 'onLate'>>
  // The provider of a payment is not installed, so it could not be called.
  missing(facts: CallFacts): void
  // An account cannot be used: its secrets cannot be decrypted, or its provider is not installed or could not be loaded.
  unusable(account: { provider: string; accountId: string }, error: unknown): void
  // accountProblem: a problem of an account has begun. accountUnrecorded: it could not be recorded.
  accountProblem(account: ProviderEventFacts, problem: PaymentAccountProblem): void
  accountUnrecorded(account: ProviderEventFacts, error: unknown): void
  // The outcome of a webhook. `threw`: the adapter could not read it.
  webhook(facts: ProviderWebhookFacts, outcome: ProviderWebhookOutcome, error?: unknown): void
  // The outcome of reading the provider's list of events.
  providerEvents(facts: ProviderEventFacts, outcome: 'answered' | MissingResponse): void
  providerEventsLeftOut(facts: ProviderEventFacts, reason: ProviderEventGap): void
  warn(incident: Incident, message: string, facts: MoneyFacts, more?: object): void
  error(incident: Incident, message: string, facts: MoneyFacts, error?: unknown): void
  // The VAT number of a shopper was checked. `code`: why the register did not respond; null if it did.
  vatChecked(seller: { merchantId: string }, code: string | null): void
  // The result of the VAT check could not be recorded.
  vatFailed(error: unknown): void
  readonly tries: DeclineWatch
  stats(): Readonly<Record<'calls' | 'incidents' | 'webhooks', readonly Sample[]>>
}

export function createPaymentWatch(log: Log, clock: () => number = Date.now): PaymentWatch {
  const calls = new Counts()
  const incidents = new Counts()
  const webhooks = new Counts()
  const countCall = ({ provider, call }: Pick<CallFacts, 'provider'> & { call: string }, outcome: string) =>
    calls.raise({ provider, call, outcome })
  const countIncident = ({ provider }: Pick<MoneyFacts, 'provider'>, kind: Incident) =>
    incidents.raise({ provider, kind })

  function answered(facts: CallFacts, answer: CallAnswer): void {
    const outcome = outcomeOf(answer)
    countCall(facts, outcome)
    if (outcome === 'unknown') log.warn('payment provider gave no answer', { ...facts, reason: outcome })
    else if (outcome === 'failed' || outcome === 'refused')
      log.warn('payment provider refused the request', { ...facts })
    else if (typeof answer === 'object' && answer.kind === 'declined')
      log.info('payment declined', { ...facts, code: answer.code })
  }

  return {
    listen: (facts) => ({
      onAnswer: (answer) => answered(facts, answer),
      onSilence(silence) {
        countCall(facts, silence.reason)
        log.warn('payment provider gave no answer', { ...facts, ...silenceFields(silence) })
      },
      onLate(answer) {
        countIncident(facts, 'late_answer')
        log.warn('payment provider answered after the deadline', { ...facts, outcome: outcomeOf(answer) })
      },
    }),
    missing(facts) {
      countCall(facts, 'no_such_provider')
      log.warn('payment provider is not installed', { ...facts })
    },
    unusable({ provider, accountId }, error) {
      countIncident({ provider }, 'unusable_account')
      log.error('payment account cannot be used; run `payments check`', error, { provider, accountId })
    },
    accountProblem(facts, problem) {
      countIncident(facts, 'account_problem')
      log.warn('payment account has a problem', { ...facts, problem })
    },
    accountUnrecorded(facts, error) {
      log.error('problem of the payment account could not be recorded; retrying', error, { ...facts })
    },
    webhook(facts, outcome, error) {
      webhooks.raise({ provider: facts.provider, outcome })
      // Webhooks for accounts that do not exist are not logged, because anyone can send them.
      if (outcome === 'refused') log.warn('webhook of the payment provider was refused', { ...facts })
      if (outcome === 'threw')
        log.warn('webhook of the payment provider could not be read', {
          ...facts,
          ...silenceFields(missingResponseFrom(error)),
        })
    },
    providerEvents(facts, outcome) {
      const { provider } = facts
      countCall({ provider, call: 'news' }, outcome === 'answered' ? outcome : outcome.reason)
      if (outcome !== 'answered')
        log.warn('events of the payment provider could not be read', { ...facts, ...silenceFields(outcome) })
    },
    providerEventsLeftOut(facts, reason) {
      countIncident(facts, 'news_left_out')
      log.warn('events of the payment provider were skipped', { ...facts, reason })
    },
    warn(incident, message, facts, more = {}) {
      countIncident(facts, incident)
      log.warn(message, { ...facts, ...more })
    },
    error(incident, message, facts, error) {
      countIncident(facts, incident)
      log.error(message, error, { ...facts })
    },
    vatChecked({ merchantId }, code) {
      countCall({ provider: 'vies', call: 'checkVat' }, code === null ? 'answered' : 'unanswered')
      if (code !== null) log.warn('VAT number could not be checked; tax is charged', { merchantId, code })
    },
    vatFailed: (error) => log.error('VAT number check failed with an unexpected error', error),
    tries: createDeclineWatch(log, clock),
    stats: () => ({ calls: calls.samples(), incidents: incidents.samples(), webhooks: webhooks.samples() }),
  }
}

function outcomeOf(answer: CallAnswer): string {
  return typeof answer === 'string' ? answer : answer.kind
}

function silenceFields({ reason, error, code, frames }: MissingResponse): object {
  return { reason, thrown: error, code, frames: frames.length > 0 ? frames : undefined }
}
