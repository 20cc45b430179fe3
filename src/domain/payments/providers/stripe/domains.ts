// The host of our pay page, as Stripe must know it before its frame offers wallets, Link, Klarna, PayPal and Amazon Pay there.
// https://docs.stripe.com/payments/payment-methods/pmd-registration

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

// One that is known is switched on.
export async function registerDomain(client: StripeClient, host: string, signal: AbortSignal): Promise<void> {
  await client.ask(signal, (api) => api.paymentMethodDomains.create({ domain_name: host, enabled: true }))
}

// What is missing, a sentence each for the operator. What Stripe found wrong when it last looked, it looks at again.
export async function domainProblems(client: StripeClient, host: string, signal: AbortSignal): Promise<string[]> {
  const { data } = await client.ask(signal, (api) => api.paymentMethodDomains.list({ domain_name: host, limit: 1 }))
  const [domain] = data
  const names = ways.map(([, name]) => name).join(', ')
  const help =
    'give its keys again with `payments rotate`, or add it in Stripe’s dashboard under Payment method domains'
  if (!domain) return [`Stripe does not know the domain ${host}, so it offers none of ${names} there: ${help}.`]
  if (!domain.enabled)
    return [`The domain ${host} is switched off at Stripe, so it offers none of ${names} there: ${help}.`]
  if (inactiveOf(domain).length === 0) return []
  const validated = await client.ask(signal, (api) => api.paymentMethodDomains.validate(domain.id))
  return inactiveOf(validated).map(({ name, reason }) => `Stripe does not offer ${name} on ${host} yet${reason}`)
}

function inactiveOf(domain: Stripe.PaymentMethodDomain): { name: string; reason: string }[] {
  return ways.flatMap(([way, name]) => {
    const { status, status_details: details } = domain[way]
    if (status === 'active') return []
    const reason = details?.error_message.slice(0, reasonMax)
    return [{ name, reason: reason ? `: ${reason}` : '.' }]
  })
}
