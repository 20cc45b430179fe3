// Identity of a customer: the keyed hash by which a mailbox is recognised from one order to the next. The key is a random one of the
// database, so a limit per customer survives every rotation of the root secret; the merchant is hashed with the mailbox, so a stolen
// table links no shopper across merchants.

import { createHmac, type KeyObject } from 'node:crypto'
import { normalizeMailbox } from '../../platform/kit/email.ts'
import { createDatabaseKey, type DatabaseKey, listDatabaseKeys } from '../../platform/secrets/databasekey.ts'
import { deriveKey, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'

export type CustomerKey = DatabaseKey

export const customerKeyName = 'customer e-mail'

export function createCustomerKey(rootSecret: RootSecret): CustomerKey {
  return createDatabaseKey(rootSecret, customerKeyName)
}

// All keys with which rows may have been written, the present one first; none if no customer was ever recognised. Older keys may exist:
// they were lost with a version of the root secret, and are readable again if it was restored.
export function listCustomerKeys(db: Reader, rootSecret: RootSecret): Promise<KeyObject[]> {
  return listDatabaseKeys(db, rootSecret, customerKeyName)
}

export function customerHash(key: KeyObject, merchantId: string, email: string): string {
  return hmac(key, `${merchantId} ${normalizeMailbox(email)}`)
}

// All hashes under which rows of this customer may be stored: first the one for new rows, then those of earlier releases, which used a
// key derived from the current version of the root secret, no merchant, and a weaker normal form. At most two for each version that is
// still known.
export function customerHashes(
  customerKeys: readonly KeyObject[],
  rootSecret: RootSecret,
  merchantId: string,
  email: string,
): string[] {
  const former = [email, normalizeMailbox(email)].map((text) => text.trim().toLowerCase().normalize('NFKC'))
  const keys = rootSecret.versions.map((version) => deriveKey(rootSecret, 'customer e-mail', version))
  const hashes = keys.flatMap((formerKey) => former.map((text) => hmac(formerKey, text)))
  return [...new Set([...customerKeys.map((key) => customerHash(key, merchantId, email)), ...hashes])]
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
