// What an order needs to know about the buyer: contact, address, and whether the buyer may use the promotion again. It is checked before
// the payment, and again when the payment is approved.

import type { Tx } from '../../../platform/storage/storage.ts'
import { type Customer, decryptCustomer, emptyCustomer } from '../../orders/customer.ts'
import type { Promotion } from '../../promotions/store.ts'
import { customerHashes, listCustomerKeys } from '../customer.ts'
import { countUses, type SessionRow } from '../store.ts'
import type { PayTools } from '../tools.ts'

// Returns undefined if the contact cannot be decrypted.
export function decryptCustomerOfSession(
  { rootSecret }: PayTools,
  { id, customerSealed }: SessionRow,
): Customer | undefined {
  return decryptCustomer(rootSecret, id, customerSealed)
}

// Whether the customer has used the promotion as often as allowed. Checked again when the payment is approved, under the lock that
// counting a use takes: two payments of one customer may have begun at the same time.
export async function isOverused(
  { rootSecret }: PayTools,
  tx: Tx,
  session: SessionRow,
  { id, customerLimit }: Promotion,
): Promise<boolean> {
  const { merchantId, customerSealed, emailHash } = session
  if (customerLimit === null || emailHash === null) return false
  const { email } = decryptCustomer(rootSecret, session.id, customerSealed) ?? emptyCustomer
  const emailHashes = customerHashes(await listCustomerKeys(tx, rootSecret), rootSecret, merchantId, email)
  return (await countUses(tx, session, { promotionId: id, emailHashes })) >= customerLimit
}
