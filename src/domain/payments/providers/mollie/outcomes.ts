// Converts the state of a payment at Mollie to an outcome. Pure.

import type { PaymentErrorCode } from '../../../../contract/words.ts'
import type {
  Charge,
  ProviderDispute,
  ProviderFinding,
  ProviderOutcome,
  ProviderRefund,
  ProviderState,
  RefundAnswer,
} from '../../port.ts'
import type { MollieChargeback, MolliePayment, MollieRefund } from './objects.ts'

// https://docs.mollie.com/docs/handling-payment-status
export function mollieFindingOf(charge: Charge, payment: MolliePayment): ProviderFinding {
  assertMatchesCharge(charge, payment)
  const providerState = payment.status === 'paid' ? { providerState: providerStateOf(payment) } : {}
  return { ...mollieOutcomeOf(payment), ...providerState }
}

// A key belongs to one amount. Other facts mean a defect here, or a payment of another customer.
export function assertMatchesCharge({ key, amount, currency }: Charge, payment: MolliePayment): void {
  if (payment.key !== key || payment.amount !== amount || payment.currency !== currency)
    throw new Error(`the payment ${key} has another key, amount or currency at Mollie`)
}

// Assumed lifetime of an unpaid payment for which Mollie states no expiry.
const openMs = 3_600_000

export function mollieOutcomeOf(payment: MolliePayment): ProviderOutcome {
  const { id: reference, status, checkoutUrl, amount } = payment
  const card = cardOf(payment)
  const instrument = payment.method
  switch (status) {
    case 'paid':
      if (isTakenBack(payment)) return { kind: 'declined', code: 'provider_error', ...card }
      return { kind: 'approved', reference, collected: amount, ...card, instrument }
    case 'pending':
      return { kind: 'pending', reference, settles: 'by_provider', instrument }
    case 'open':
      // The shopper has seen the bank account and has days to pay.
      if (payment.method === 'banktransfer') return { kind: 'pending', reference, settles: 'by_provider', instrument }
      if (checkoutUrl === null) return { kind: 'unknown' }
      return {
        kind: 'redirect',
        reference,
        nextAction: { kind: 'page', url: checkoutUrl },
        until: payment.expiresAt ?? payment.createdAt + openMs,
      }
    case 'failed':
      return { kind: 'declined', code: failureCodes.get(payment.failureReason ?? '') ?? 'declined', ...card }
    case 'canceled':
      return { kind: 'declined', code: 'declined', ...card }
    case 'expired':
      return { kind: 'declined', code: 'authentication_failed', ...card }
    case 'authorized':
      // Mollie returns this status only for payments with a later capture, which this server never creates.
      throw new Error(
        `the payment ${reference} at Mollie is only authorized, but payments are created without later capture`,
      )
  }
}

// https://docs.mollie.com/reference/extra-payment-parameters, `failureReason` of cards. Suspected fraud is not mentioned, because the
// shopper may be the thief.
const failureCodes: ReadonlyMap<string, PaymentErrorCode> = new Map(
  Object.entries({
    authentication_abandoned: 'authentication_failed',
    authentication_failed: 'authentication_failed',
    authentication_required: 'authentication_failed',
    authentication_unavailable_acs: 'authentication_failed',
    card_expired: 'card_expired',
    insufficient_funds: 'insufficient_funds',
    invalid_card_holder_name: 'incorrect_details',
    invalid_card_number: 'incorrect_details',
    invalid_cvv: 'incorrect_details',
    invalid_card_type: 'method_unavailable',
  } as const),
)

function cardOf({ cardLabel, cardNumber }: MolliePayment): { brand: string | null; last4: string | null } {
  const brand = cardLabel?.toLowerCase().replaceAll(/[^a-z]+/g, '_') ?? null
  return { brand, last4: /\d{4}$/.exec(cardNumber ?? '')?.[0] ?? null }
}

// Returns the sum of the refunds that succeeded or are pending.
export function sumMollieRefunds({ refunds }: MolliePayment): number {
  const counted = refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled')
  return counted.reduce((sum, { amount }) => sum + amount, 0)
}

// Whether the refund was made for an order, and does not void the payment.
export function isOfOrder({ key, isVoid }: MollieRefund): boolean {
  return key !== null && !isVoid
}

// Whether the whole payment was refunded, but not for an order: by a void, or by the merchant in Mollie's dashboard before the order was
// placed.
function isTakenBack(payment: MolliePayment): boolean {
  return sumMollieRefunds(payment) >= payment.amount && !payment.refunds.some(isOfOrder)
}

// https://docs.mollie.com/docs/refunds. A refund that failed or was canceled at Mollie cannot succeed later: nothing is paid with its key
// any more.
export function mollieRefundAnswer({ status }: MollieRefund): RefundAnswer {
  if (status === 'refunded') return 'succeeded'
  return status === 'failed' || status === 'canceled' ? 'refused' : 'pending'
}

const refundStates: Readonly<Record<MollieRefund['status'], ProviderRefund['state']>> = {
  queued: 'pending',
  pending: 'pending',
  processing: 'pending',
  refunded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
}

function providerStateOf({ refunds, chargebacks }: MolliePayment): ProviderState {
  return {
    refunds: refunds.map(({ id, key, amount, status }) => ({
      reference: id,
      key,
      amount,
      state: refundStates[status],
    })),
    dispute: disputeOf(chargebacks),
  }
}

// A chargeback has already taken the money. The merchant contests it outside of the API, which states no deadline. Of several
// chargebacks, the first that was not reversed counts, or else the last.
function disputeOf(chargebacks: readonly MollieChargeback[]): ProviderDispute | null {
  const counted = chargebacks.find(({ isReversed }) => !isReversed) ?? chargebacks.at(-1)
  if (!counted) return null
  const { id: reference, amount, reason, isReversed } = counted
  return { reference, amount, state: isReversed ? 'won' : 'open', reason, dueAt: null }
}
