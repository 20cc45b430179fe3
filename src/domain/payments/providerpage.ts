// The URL at which a member of the provider's account sees a payment or a dispute. Pure: the URL is only linked to, never called.

import type { Mode } from '../../contract/words.ts'

export interface ProviderReference {
  provider: string
  mode: Mode
  reference: string
  // The provider's id of the merchant's account; null if it is unknown.
  account: string | null
}

// Returns null if the provider has no such page, or the reference is not in its format.
export function paymentPageOf({ provider, mode, reference, account }: ProviderReference): string | null {
  if (provider === 'stripe' && /^pi_\w{1,100}$/.test(reference))
    return stripePage(account, mode, `payments/${reference}`)
  if (provider === 'mollie' && /^tr_\w{1,100}$/.test(reference)) return molliePage(reference)
  return null
}

// Mollie shows a chargeback on the page of the payment.
export function disputePageOf(dispute: ProviderReference, paymentReference: string | null): string | null {
  const { provider, mode, reference, account } = dispute
  if (provider === 'stripe' && /^(?:dp|du)_\w{1,100}$/.test(reference))
    return stripePage(account, mode, `disputes/${reference}`)
  return paymentReference === null ? null : paymentPageOf({ ...dispute, reference: paymentReference })
}

// The URL names the account, so people with several accounts see the right one.
function stripePage(account: string | null, mode: Mode, path: string): string {
  const owner = account !== null && /^acct_\w{1,100}$/.test(account) ? `${account}/` : ''
  return `https://dashboard.stripe.com/${owner}${mode === 'test' ? 'test/' : ''}${path}`
}

function molliePage(reference: string): string {
  return `https://my.mollie.com/dashboard/payments/${reference}`
}
