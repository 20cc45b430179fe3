// The customer of an order, stored encrypted, and decrypted only for callers who may see customers.

import type { Address } from '../../contract/open/carts.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { tryDecryptAddress } from '../addresses/vault.ts'
import { findSealedCustomer, type OrderRow, type SealedOrderName } from './store.ts'

export interface Customer {
  email: string
  name: string
  phone: string
  // VAT number of a company in the EU. Its format was checked; whether it is registered is a `VatCheck`.
  vatId?: string
}

export const emptyCustomer: Customer = { email: '', name: '', phone: '' }

const customerPurpose = 'checkout customer'

// Encrypted for the checkout session. The order copies the encrypted text, and passes the id of the session when it decrypts it.
export function encryptCustomer(rootSecret: RootSecret, sessionId: string, customer: Customer): string {
  return encryptByRootSecret(rootSecret, customerPurpose, JSON.stringify(customer), sessionId)
}

// Returns undefined if the customer was encrypted with a version of the root secret that was removed.
export function decryptCustomer(
  rootSecret: RootSecret,
  sessionId: string,
  sealed: string | null,
): Customer | undefined {
  if (sealed === null) return emptyCustomer
  const text = decryptByRootSecret(rootSecret, customerPurpose, sealed, sessionId)
  return text === undefined ? undefined : (JSON.parse(text) as Customer)
}

export interface OrderCustomer {
  // Undefined if the customer can no longer be decrypted.
  customer: Customer | undefined
  address: Address | undefined
}

export async function decryptOrderCustomer(
  db: Reader,
  rootSecret: RootSecret,
  { installationId, id: orderId, checkoutSessionId, address }: OrderRow,
  now: number,
): Promise<OrderCustomer> {
  const sealed = await findSealedCustomer(db, { installationId, orderId })
  const name = address && { installationId, ownerId: orderId, id: address.token, now }
  return {
    customer: decryptCustomer(rootSecret, checkoutSessionId, sealed),
    address: name ? await tryDecryptAddress(db, rootSecret, name) : undefined,
  }
}

// Returns the name of the customer, or of the delivery address; undefined if neither is known any more.
export async function decryptCustomerName(
  db: Reader,
  rootSecret: RootSecret,
  { installationId, orderId, checkoutSessionId, customerSealed, addressId }: SealedOrderName,
  now: number,
): Promise<string | undefined> {
  const customer = decryptCustomer(rootSecret, checkoutSessionId, customerSealed)
  if (customer?.name || addressId === null) return customer?.name || undefined
  const address = await tryDecryptAddress(db, rootSecret, { installationId, ownerId: orderId, id: addressId, now })
  return address?.name || undefined
}
