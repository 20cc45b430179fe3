// Who a customer is: the keyed hash by which a mailbox is recognised from one order to the next. The key is a random one of
// the database, so a limit per customer outlives every rotation of the root secret; the merchant is hashed with the
// mailbox, so a stolen table links no shopper across merchants.

import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { mailboxOf } from '../kit/email.ts'
import { deriveKey, openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'
import { onceDurable, type Reader, StorageRefused, type Tx } from '../storage/storage.ts'
import { findDatabaseKey, insertDatabaseKey, type SealedByVersion, updateDatabaseKey } from './store.ts'

// The key of this database. Made at the first call; sealed anew for versions of the root secret that it was not sealed
// for, so it is enough that a server has started once with the new version and the old one.
export type CustomerKey = (tx: Tx, now: number) => Promise<KeyObject>

const keyName = 'customer e-mail'
const keyBytes = 32
const sealPurpose = 'database key'

export function createCustomerKey(rootSecret: RootSecret): CustomerKey {
  let known: KeyObject | undefined
  return async (tx, now) => {
    if (known) return known
    const key = createSecretKey(Buffer.from(await findKeyText(tx, rootSecret, now), 'base64url'))
    onceDurable(tx, () => {
      known = key
    })
    return key
  }
}

// For whoever only looks: undefined where no customer was ever recognised.
export async function findCustomerKey(db: Reader, rootSecret: RootSecret): Promise<KeyObject | undefined> {
  const sealed = await findDatabaseKey(db, keyName)
  return sealed && createSecretKey(Buffer.from(openKey(rootSecret, sealed), 'base64url'))
}

async function findKeyText(tx: Tx, rootSecret: RootSecret, now: number): Promise<string> {
  const found = await findDatabaseKey(tx, keyName)
  if (!found) {
    insertDatabaseKey(tx, keyName, sealedFor(rootSecret, randomBytes(keyBytes).toString('base64url'), {}), now)
  }
  // Another node may have been first; then it is the other's key.
  const sealed = found ?? (await findDatabaseKey(tx, keyName))
  const text = openKey(rootSecret, sealed ?? {})
  // What an unknown version has sealed stays: a node or a command that does not know it yet must not take it away.
  const missing = rootSecret.versions.some((version) => !Object.hasOwn(sealed ?? {}, version))
  if (sealed && missing) updateDatabaseKey(tx, keyName, sealed, sealedFor(rootSecret, text, sealed))
  return text
}

function sealedFor(rootSecret: RootSecret, text: string, before: SealedByVersion): SealedByVersion {
  const sealed = rootSecret.versions.map((version) => [
    version,
    sealByRoot(rootSecret, sealPurpose, text, keyName, version),
  ])
  return { ...Object.fromEntries(sealed), ...before }
}

function openKey(rootSecret: RootSecret, sealed: SealedByVersion): string {
  for (const text of Object.values(sealed)) {
    const opened = openByRoot(rootSecret, sealPurpose, text, keyName)
    if (opened !== undefined) return opened
  }
  throw new StorageRefused('the root secret does not open the key of customers: the database was made with another one')
}

export function customerHash(key: KeyObject, merchantId: string, email: string): string {
  return hmac(key, `${merchantId} ${mailboxOf(email)}`)
}

// All hashes under which rows of this customer may be stored: first the one that rows are written with, then those of
// earlier releases, which took a key derived from the current version of the root secret, no merchant, and a weaker normal
// form. At most two for each version that is still known.
export function customerHashes(
  key: KeyObject | undefined,
  rootSecret: RootSecret,
  merchantId: string,
  email: string,
): string[] {
  const former = [email, mailboxOf(email)].map((text) => text.trim().toLowerCase().normalize('NFKC'))
  const keys = rootSecret.versions.map((version) => deriveKey(rootSecret, 'customer e-mail', version))
  const hashes = keys.flatMap((formerKey) => former.map((text) => hmac(formerKey, text)))
  return [...new Set([...(key ? [customerHash(key, merchantId, email)] : []), ...hashes])]
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
