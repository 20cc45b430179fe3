// Which amounts a provider can represent, by the name of the provider. Pure, and without importing any provider.

import { toMollieAmount } from './mollie/amounts.ts'
import { toStripeAmount } from './stripe/amounts.ts'

const countedBy: Readonly<Record<string, (amountMinor: number, currency: string) => unknown>> = {
  stripe: toStripeAmount,
  mollie: toMollieAmount,
}

// Providers that are not listed can represent every amount.
export function isCountedBy(provider: string, amountMinor: number, currency: string): boolean {
  const count = Object.hasOwn(countedBy, provider) ? countedBy[provider] : undefined
  return !count || count(amountMinor, currency) !== undefined
}
