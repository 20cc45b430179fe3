// Which amounts a provider can express, by the provider's name. Pure, and without the code of any provider.

import { toMollieAmount } from './mollie/amounts.ts'
import { toStripeAmount } from './stripe/amounts.ts'

const countedBy: Readonly<Record<string, (amountMinor: number, currency: string) => unknown>> = {
  stripe: toStripeAmount,
  mollie: toMollieAmount,
}

// A provider that is not listed can express every amount.
export function isCountedBy(provider: string, amountMinor: number, currency: string): boolean {
  const count = Object.hasOwn(countedBy, provider) ? countedBy[provider] : undefined
  return !count || count(amountMinor, currency) !== undefined
}
