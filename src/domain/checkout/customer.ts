// Recognises a customer from one order to the next by a keyed hash of the e-mail address. The key is random and stored in the database,
// so limits per customer survive every rotation of the root secret. The hash includes the merchant, so a stolen table does not link
// shoppers across merchants.

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

// Lists all keys with which rows may have been written, the current key first; empty if no customer was ever recognised. There are older
// keys if a version of the root secret was lost, and restored later.
export function listCustomerKeys(db: Reader, rootSecret: RootSecret): Promise<KeyObject[]> {
  return listDatabaseKeys(db, rootSecret, customerKeyName)
}

export function customerHash(key: KeyObject, merchantId: string, email: string): string {
  return hmac(key, `${merchantId} ${normalizeMailbox(email)}`)
}

// Lists all hashes under which rows of this customer may be stored. The hash for new rows comes first. The last ones are those of earlier
// releases, at most two per known version of the root secret: they used a key derived from the root secret, did not include the merchant,
// and normalised addresses less strictly.
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
