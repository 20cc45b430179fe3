// Data of the buyer that an order needs: contact, address, and whether a promotion has a use left for them. Checked before the payment,
// and again when it is approved.

import type { Tx } from '../../../platform/storage/storage.ts'
import { type Customer, decryptCustomer, emptyCustomer } from '../../orders/customer.ts'
import type { Promotion } from '../../promotions/store.ts'
import { customerHashes, listCustomerKeys } from '../customer.ts'
import { countUses, type SessionRow } from '../store.ts'
import type { PayTools } from '../tools.ts'

// Returns undefined if the data cannot be decrypted.
export function decryptCustomerOfSession(
  { rootSecret }: PayTools,
  { id, customerSealed }: SessionRow,
): Customer | undefined {
  return decryptCustomer(rootSecret, id, customerSealed)
}

// Whether this customer has no use left. The second check is made under the lock that counting the use has taken: two payments of one
// customer may have begun at the same time.
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
