// New objects of Stripe's API, as whole as the types of the official package demand.

import { randomBytes } from 'node:crypto'
import Stripe from 'stripe'
import { type Instrument, last4Of } from './instruments.ts'

export interface CommonFields {
  livemode: boolean
  // Epoch seconds.
  created: number
}

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

export interface IntentParams {
  amount: number
  currency: string
  automatic_payment_methods?: Stripe.PaymentIntent.AutomaticPaymentMethods
  capture_method?: Stripe.PaymentIntent.CaptureMethod
  description?: string
  metadata?: Record<string, string>
  receipt_email?: string
  statement_descriptor_suffix?: string
}

export function newIntent({ livemode, created }: CommonFields, params: IntentParams): Stripe.PaymentIntent {
  const id = newId('pi')
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: params.amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: params.automatic_payment_methods
      ? { allow_redirects: 'always', ...params.automatic_payment_methods }
      : null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: params.capture_method ?? 'automatic_async',
    client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
    confirmation_method: 'automatic',
    created,
    currency: params.currency,
    customer: null,
    customer_account: null,
    description: params.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode,
    managed_payments: null,
    metadata: params.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: params.currency === 'eur' ? ['card', 'sepa_debit'] : ['card'],
    payment_record: null,
    processing: null,
    receipt_email: params.receipt_email ?? null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: params.statement_descriptor_suffix ?? null,
    status: 'requires_payment_method',
    transfer_group: null,
  } satisfies Stripe.PaymentIntent
}

export function newCharge(
  { livemode, created }: CommonFields,
  intent: Stripe.PaymentIntent,
  instrument: Instrument,
): Stripe.Charge {
  return {
    id: newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: 'STAND-IN',
    captured: false,
    created,
    currency: intent.currency,
    customer: null,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: null,
    livemode,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: null,
    paid: false,
    payment_intent: intent.id,
    payment_method: typeof intent.payment_method === 'string' ? intent.payment_method : null,
    payment_method_details: methodDetails(instrument, intent.amount),
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'pending',
    transfer_data: null,
    transfer_group: null,
  } satisfies Stripe.Charge
}

function methodDetails(instrument: Instrument, amount: number): Stripe.Charge.PaymentMethodDetails {
  const last4 = last4Of(instrument)
  if (instrument.kind === 'sepa_debit')
    return {
      type: 'sepa_debit',
      sepa_debit: {
        bank_code: instrument.iban.slice(4, 12),
        branch_code: null,
        country: instrument.iban.slice(0, 2),
        fingerprint: `fingerprint${last4}`,
        last4,
        mandate: newId('mandate'),
      },
    }
  return {
    type: 'card',
    card: {
      amount_authorized: amount,
      authorization_code: null,
      brand: instrument.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      electronic_commerce_indicator: null,
      exp_month: 12,
      exp_year: 2034,
      fingerprint: `fingerprint${last4}`,
      funding: 'credit',
      installments: null,
      last4,
      mandate: null,
      network: instrument.brand,
      network_transaction_id: null,
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  }
}

export interface RefundParams {
  amount: number
  metadata?: Record<string, string>
  reason?: Stripe.Refund.Reason
}

export function newRefund({ created }: CommonFields, charge: Stripe.Charge, params: RefundParams): Stripe.Refund {
  return {
    id: newId('re'),
    object: 'refund',
    amount: params.amount,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created,
    currency: charge.currency,
    customer: null,
    customer_account: null,
    metadata: params.metadata ?? {},
    payment_intent: typeof charge.payment_intent === 'string' ? charge.payment_intent : null,
    payment_method: charge.payment_method,
    reason: params.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  } satisfies Stripe.Refund
}

export interface DisputeParams {
  amount: number
  reason: string
  status: Stripe.Dispute.Status
}

const answerDays = 7

export function newDispute(
  { livemode, created }: CommonFields,
  charge: Stripe.Charge,
  params: DisputeParams,
): Stripe.Dispute {
  return {
    id: newId('du'),
    object: 'dispute',
    amount: params.amount,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence(),
    evidence_details: {
      due_by: created + answerDays * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: params.status.startsWith('warning_'),
    livemode,
    metadata: {},
    payment_intent: typeof charge.payment_intent === 'string' ? charge.payment_intent : null,
    reason: params.reason,
    status: params.status,
  } satisfies Stripe.Dispute
}

function noEvidence(): Stripe.Dispute.Evidence {
  return {
    access_activity_log: null,
    billing_address: null,
    cancellation_policy: null,
    cancellation_policy_disclosure: null,
    cancellation_rebuttal: null,
    customer_communication: null,
    customer_email_address: null,
    customer_name: null,
    customer_purchase_ip: null,
    customer_signature: null,
    duplicate_charge_documentation: null,
    duplicate_charge_explanation: null,
    duplicate_charge_id: null,
    enhanced_evidence: {},
    product_description: null,
    receipt: null,
    refund_policy: null,
    refund_policy_disclosure: null,
    refund_refusal_explanation: null,
    service_date: null,
    service_documentation: null,
    shipping_address: null,
    shipping_carrier: null,
    shipping_date: null,
    shipping_documentation: null,
    shipping_tracking_number: null,
    uncategorized_file: null,
    uncategorized_text: null,
  }
}

export interface EndpointParams {
  url: string
  enabled_events: string[]
  api_version?: string
  description?: string
  metadata?: Record<string, string>
}

export function newEndpoint({ livemode, created }: CommonFields, params: EndpointParams): Stripe.WebhookEndpoint {
  return {
    id: newId('we'),
    object: 'webhook_endpoint',
    api_version: params.api_version ?? null,
    application: null,
    created,
    description: params.description ?? null,
    enabled_events: params.enabled_events,
    livemode,
    metadata: params.metadata ?? {},
    status: 'enabled',
    url: params.url,
  } satisfies Stripe.WebhookEndpoint
}

export const walletNames = ['amazon_pay', 'apple_pay', 'google_pay', 'klarna', 'link', 'paypal'] as const

export function newDomain(
  { livemode, created }: CommonFields,
  { domain_name, enabled = true }: { domain_name: string; enabled?: boolean },
): Stripe.PaymentMethodDomain {
  const active = () => ({ status: 'active' }) as const
  return {
    id: newId('pmd'),
    object: 'payment_method_domain',
    amazon_pay: active(),
    apple_pay: active(),
    created,
    domain_name,
    enabled,
    google_pay: active(),
    klarna: active(),
    link: active(),
    livemode,
    paypal: active(),
  } satisfies Stripe.PaymentMethodDomain
}

export type EventRequest = Stripe.Event.Request

export function newEvent(
  { livemode, created }: CommonFields,
  { type, object, request }: { type: Stripe.Event.Type; object: object; request: EventRequest },
): Stripe.EventBase {
  return {
    id: newId('evt'),
    object: 'event',
    api_version: Stripe.API_VERSION,
    created,
    // A picture of the object as it is now: later changes must not reach into events that were written before them.
    data: { object: structuredClone(object) as Stripe.Event.Data.Object },
    livemode,
    pending_webhooks: 0,
    request,
    type,
  } satisfies Stripe.EventBase
}

export function newAccount(id: string): Stripe.Account {
  return {
    id,
    object: 'account',
    charges_enabled: true,
    country: 'DE',
    default_currency: 'eur',
    details_submitted: true,
    email: null,
    payouts_enabled: true,
    settings: {
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      card_payments: {
        statement_descriptor_prefix: 'EXAMPLE',
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      dashboard: { display_name: null, timezone: 'Etc/UTC' },
      payments: {
        statement_descriptor: 'EXAMPLE COMPANY',
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
    },
    type: 'standard',
  } satisfies Stripe.Account
}
