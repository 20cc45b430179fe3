// The hashes by which the orders and the saved addresses of a mailbox are found.

import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { type CustomerKey, customerHash, customerHashes, listCustomerKeys } from '../checkout/customer.ts'
import { listBook, type SavedAddress } from './book.ts'
import type { BookOwner } from './bookstore.ts'

export async function hashesOf(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId }: Pick<MerchantMode, 'merchantId'>,
  email: string,
): Promise<string[]> {
  return customerHashes(await listCustomerKeys(db, rootSecret), rootSecret, merchantId, email)
}

// The hash for new rows uses the present key, which is created if there is none yet.
export async function bookOwner(
  tx: Tx,
  { rootSecret, customerKey }: { rootSecret: RootSecret; customerKey: CustomerKey },
  { merchantId, mode }: MerchantMode,
  { email, now }: { email: string; now: number },
): Promise<BookOwner> {
  const present = customerHash(await customerKey(tx, now), merchantId, email)
  const others = await hashesOf(tx, rootSecret, { merchantId }, email)
  return { merchantId, mode, hashes: [present, ...others.filter((hash) => hash !== present)] }
}

export async function bookOf(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId, mode }: MerchantMode,
  email: string,
): Promise<SavedAddress[]> {
  return listBook(db, rootSecret, { merchantId, mode, hashes: await hashesOf(db, rootSecret, { merchantId }, email) })
}
