// The addresses that a shopper saves in the account: encrypted, at most twenty, one of which is the default.

import type { Address } from '../../contract/open/carts.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { labelLines } from '../orders/adminview.ts'
import {
  type AddressBookOwner,
  deleteSavedAddress,
  insertSavedAddress,
  listSavedAddresses,
  setDefaultAddress,
  updateSavedAddress,
} from './bookstore.ts'
import { lockCodeGate } from './store.ts'

export const addressBookMax = 20

const purpose = 'customer address'

export interface SavedAddress {
  id: string
  address: Address
  // The address as lines of a label.
  label: string[]
  isDefault: boolean
  createdAt: number
}

// The default address comes first. An address that was encrypted with a removed version of the root secret is left out.
export async function listAddressBook(
  db: Reader,
  rootSecret: RootSecret,
  owner: MerchantMode & { hashes: readonly string[] },
): Promise<SavedAddress[]> {
  const rows = await listSavedAddresses(db, owner)
  const opened = rows.flatMap(({ id, sealed, createdAt }) => {
    const text = decryptByRootSecret(rootSecret, purpose, sealed, id)
    if (text === undefined) return []
    const address = JSON.parse(text) as Address
    return [{ id, address, label: labelLines(address), createdAt }]
  })
  return opened.map((one, at) => ({ ...one, isDefault: at === 0 }))
}

export interface AddressBookEntry {
  // Null for a new address.
  id: string | null
  // The address after its check.
  address: Address
  isDefault: boolean
}

// An address that is already saved is not saved twice. One transaction at a time counts and writes the entries of a shop.
export async function saveToAddressBook(
  tx: Tx,
  rootSecret: RootSecret,
  owner: AddressBookOwner,
  entry: AddressBookEntry,
  now: number,
): Promise<SavedAddress | 'unknown' | 'full'> {
  await lockCodeGate(tx, owner.merchantId, now)
  const book = await listAddressBook(tx, rootSecret, owner)
  const { address } = entry
  const label = labelLines(address)
  const known = book.find((one) => (entry.id === null ? isSame(one.label, label) : one.id === entry.id))
  if (entry.id !== null && !known) return 'unknown'
  if (known) {
    const { id, createdAt } = known
    updateSavedAddress(tx, owner, { id, sealed: encryptByRootSecret(rootSecret, purpose, JSON.stringify(address), id) })
    if (entry.isDefault) setDefaultAddress(tx, owner, id, now)
    return { id, address, label, isDefault: entry.isDefault || known.isDefault, createdAt }
  }
  if ((await listSavedAddresses(tx, owner)).length >= addressBookMax) return 'full'
  const id = newId('cad')
  const sealed = encryptByRootSecret(rootSecret, purpose, JSON.stringify(address), id)
  insertSavedAddress(tx, owner, { id, sealed, chosenAt: entry.isDefault ? now : 0, createdAt: now })
  const [first] = book
  // If no address was chosen as default, the newest is the default.
  if (!entry.isDefault && first) setDefaultAddress(tx, owner, first.id, now)
  return { id, address, label, isDefault: entry.isDefault || !first, createdAt: now }
}

export async function removeFromAddressBook(tx: Tx, owner: AddressBookOwner, id: string): Promise<boolean> {
  const isKnown = (await listSavedAddresses(tx, owner)).some((row) => row.id === id)
  if (isKnown) deleteSavedAddress(tx, owner, id)
  return isKnown
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const written = (label: readonly string[]) => label.join('\n').normalize('NFKC').toLowerCase()
  return written(one) === written(other)
}
