// The URL at which people with an account at the provider see a payment or a dispute. Pure: the URL is only linked to, never called.

import type { Mode } from '../../contract/words.ts'

export interface ProviderReference {
  provider: string
  mode: Mode
  reference: string
  // The provider's id of the merchant's account; null if it is not known.
  account: string | null
}

// Returns null if the provider has no such page, or if the reference is not one of the provider's.
export function paymentPageOf({ provider, mode, reference, account }: ProviderReference): string | null {
  if (provider === 'stripe' && /^pi_\w{1,100}$/.test(reference))
    return stripePage(account, mode, `payments/${reference}`)
  if (provider === 'mollie' && /^tr_\w{1,100}$/.test(reference)) return molliePage(reference)
  return null
}

// Mollie shows a chargeback on the page of its payment.
export function disputePageOf(dispute: ProviderReference, paymentReference: string | null): string | null {
  const { provider, mode, reference, account } = dispute
  if (provider === 'stripe' && /^(?:dp|du)_\w{1,100}$/.test(reference))
    return stripePage(account, mode, `disputes/${reference}`)
  return paymentReference === null ? null : paymentPageOf({ ...dispute, reference: paymentReference })
}

// The URL contains the account, so people with several accounts see the right one.
function stripePage(account: string | null, mode: Mode, path: string): string {
  const owner = account !== null && /^acct_\w{1,100}$/.test(account) ? `${account}/` : ''
  return `https://dashboard.stripe.com/${owner}${mode === 'test' ? 'test/' : ''}${path}`
}

function molliePage(reference: string): string {
  return `https://my.mollie.com/dashboard/payments/${reference}`
}
