// Where a payment or a dispute is seen at its provider, by people who have an account there. Pure: an address to link to, which is never called.

import type { Mode } from '../../contract/words.ts'

export interface ProviderThing {
  provider: string
  mode: Mode
  reference: string
  // The provider's name for the merchant's account; null where it is not known.
  account: string | null
}

// Null where the provider has no such page, or the reference is not one of its own.
export function paymentPageOf({ provider, mode, reference, account }: ProviderThing): string | null {
  if (provider === 'stripe' && /^pi_\w{1,100}$/.test(reference))
    return stripePage(account, mode, `payments/${reference}`)
  if (provider === 'mollie' && /^tr_\w{1,100}$/.test(reference)) return molliePage(reference)
  return null
}

// Mollie shows a chargeback on the page of its payment.
export function disputePageOf(dispute: ProviderThing, paymentReference: string | null): string | null {
  const { provider, mode, reference, account } = dispute
  if (provider === 'stripe' && /^(?:dp|du)_\w{1,100}$/.test(reference))
    return stripePage(account, mode, `disputes/${reference}`)
  return paymentReference === null ? null : paymentPageOf({ ...dispute, reference: paymentReference })
}

// With the account in it, people with several land in the right one.
function stripePage(account: string | null, mode: Mode, path: string): string {
  const owner = account !== null && /^acct_\w{1,100}$/.test(account) ? `${account}/` : ''
  return `https://dashboard.stripe.com/${owner}${mode === 'test' ? 'test/' : ''}${path}`
}

function molliePage(reference: string): string {
  return `https://my.mollie.com/dashboard/payments/${reference}`
}
