// Registers the host of the pay page. Stripe requires this before its frame offers wallets, Link, Klarna, PayPal and Amazon Pay there.
// https://docs.stripe.com/payments/payment-methods/pmd-registration

import { type Issue, issueAt } from '../../../../contract/issues.ts'
import type { Stripe, StripeClient } from './client.ts'

const ways = [
  ['apple_pay', 'Apple Pay'],
  ['google_pay', 'Google Pay'],
  ['link', 'Link'],
  ['klarna', 'Klarna'],
  ['paypal', 'PayPal'],
  ['amazon_pay', 'Amazon Pay'],
] as const satisfies readonly (readonly [keyof Stripe.PaymentMethodDomain, string])[]

const reasonMax = 200

// Enables the domain if it is already registered.
export async function registerDomain(client: StripeClient, host: string, signal: AbortSignal): Promise<void> {
  await client.ask(signal, (api) => api.paymentMethodDomains.create({ domain_name: host, enabled: true }))
}

// Returns the problems of the domain. If Stripe's last validation failed, it is repeated first.
export async function domainProblems(client: StripeClient, host: string, signal: AbortSignal): Promise<Issue[]> {
  const { data } = await client.ask(signal, (api) => api.paymentMethodDomains.list({ domain_name: host, limit: 1 }))
  const [domain] = data
  const named = { provider: 'Stripe', value: host }
  if (!domain) return [issueAt('', 'domain_unknown', named)]
  if (!domain.enabled) return [issueAt('', 'domain_off', named)]
  if (inactiveOf(domain).length === 0) return []
  const validated = await client.ask(signal, (api) => api.paymentMethodDomains.validate(domain.id))
  return inactiveOf(validated).map((one) => issueAt('', 'wallet_inactive', { ...named, ...one }))
}

function inactiveOf(domain: Stripe.PaymentMethodDomain): { option: string; reason: string | undefined }[] {
  return ways.flatMap(([way, option]) => {
    const { status, status_details: details } = domain[way]
    return status === 'active' ? [] : [{ option, reason: details?.error_message.slice(0, reasonMax) || undefined }]
  })
}
