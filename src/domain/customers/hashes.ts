// The hashes by which the orders and the saved addresses of a mailbox are found.

import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { type CustomerKey, customerHash, customerHashes, listCustomerKeys } from '../checkout/customer.ts'
import { listAddressBook, type SavedAddress } from './book.ts'
import type { AddressBookOwner } from './bookstore.ts'

export async function loadCustomerHashes(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId }: Pick<MerchantMode, 'merchantId'>,
  email: string,
): Promise<string[]> {
  return customerHashes(await listCustomerKeys(db, rootSecret), rootSecret, merchantId, email)
}

// The hash for new rows uses the present key, which is created if there is none yet.
export async function loadAddressBookOwner(
  tx: Tx,
  { rootSecret, customerKey }: { rootSecret: RootSecret; customerKey: CustomerKey },
  { merchantId, mode }: MerchantMode,
  { email, now }: { email: string; now: number },
): Promise<AddressBookOwner> {
  const present = customerHash(await customerKey(tx, now), merchantId, email)
  const others = await loadCustomerHashes(tx, rootSecret, { merchantId }, email)
  return { merchantId, mode, hashes: [present, ...others.filter((hash) => hash !== present)] }
}

export async function loadAddressBook(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId, mode }: MerchantMode,
  email: string,
): Promise<SavedAddress[]> {
  return listAddressBook(db, rootSecret, {
    merchantId,
    mode,
    hashes: await loadCustomerHashes(db, rootSecret, { merchantId }, email),
  })
}
