// The billing address of a payment whose method requires one: the address that the shopper typed, or else the delivery address. It is
// sent to the provider and not stored.

import type { Address } from '../../../contract/open/carts.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { checkAddress } from '../../addresses/check.ts'
import { decryptCartAddress } from '../../carts/destination.ts'
import { needsShipping } from '../../carts/shipping.ts'
import type { Quote } from '../../carts/view.ts'
import type { CheckoutProblem, PayInput } from '../port.ts'
import type { PayTools } from '../tools.ts'

// `billing` is missing if the method requires no billing address.
export type BillingResult = { billing?: Address } | { problem: CheckoutProblem }

const nowhere: Address = { name: '', line1: '', city: '', country: '' }

export async function findBilling(
  tools: PayTools,
  tx: Tx,
  { quote, typed, now }: { quote: Quote; typed: PayInput['billing']; now: number },
): Promise<BillingResult> {
  const isSent = needsShipping(quote.lines.map(({ offer }) => offer))
  const delivery = typed || !isSent ? undefined : await decryptCartAddress(tx, tools.rootSecret, quote.cart, now)
  if (delivery) return { billing: delivery }
  const checked = checkAddress(typed ?? nowhere)
  if ('address' in checked) return { billing: checked.address }
  const issues = checked.issues.map((issue) => ({ ...issue, path: issue.path.replace('/address/', '/billing/') }))
  return { problem: { code: 'invalid', issues } }
}
