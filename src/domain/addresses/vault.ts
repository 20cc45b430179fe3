// Addresses at rest. Each address is encrypted with its own key, and that key is wrapped by the root secret: a copy of the database alone
// does not reveal any address, and deleting the key erases the address. The plain text is never logged, thrown or stored.
import { createSecretKey, randomBytes } from 'node:crypto'
import type { Address, AddressSummary } from '../../contract/open/carts.ts'
import { handleRows } from '../../platform/jobs/rows.ts'
import { newId } from '../../platform/kit/ids.ts'
import {
  decrypt,
  decryptByRootSecret,
  encrypt,
  encryptByRootSecret,
  type RootSecret,
} from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import {
  type AddressKey,
  type AddressRow,
  deleteAddress,
  type EncryptedAddress,
  eraseAddressExceptCity,
  eraseExpiredAddresses,
  findAddressSummary,
  findEncryptedAddress,
  insertAddress,
  listExpiredAddresses,
  replaceAddress,
} from './store.ts'

// These functions need no key, so callers may use them through this file as they are.
export { deleteAddress, eraseAddressExceptCity, findAddressSummary }

const purpose = 'address row key'
const keyBytes = 32

export interface NewAddress {
  readonly installationId: string
  // Id of the cart or order that the address belongs to.
  readonly ownerId: string
  readonly address: Address
  readonly summary: AddressSummary
  readonly now: number
  readonly expiresAt: number
}

// Returns the id of the address, by which other rows refer to it.
export function storeEncryptedAddress(tx: Tx, rootSecret: RootSecret, given: NewAddress): string {
  const { installationId, ownerId, address, summary, now, expiresAt } = given
  const row = sealedRow(rootSecret, { installationId, ownerId, address, now, expiresAt })
  insertAddress(tx, { ...row, summary })
  return row.id
}

// Encrypts the address with a new key, under a new id.
function sealedRow(rootSecret: RootSecret, given: Omit<NewAddress, 'summary'>): AddressRow {
  const { installationId, ownerId, address, now, expiresAt } = given
  const id = newId('adr')
  const context = contextOf({ installationId, ownerId, id })
  const key = randomBytes(keyBytes)
  const sealed = encrypt(createSecretKey(key), JSON.stringify(address), context)
  const rowKey = encryptByRootSecret(rootSecret, purpose, key.toString('base64url'), context)
  return { installationId, ownerId, id, sealed, rowKey, createdAt: now, expiresAt }
}

// Thrown if the address cannot be decrypted: the version of the root secret that encrypted it was removed, or the row was changed.
export class UndecryptableAddress extends Error {}

export interface AddressLookup extends AddressKey {
  readonly now: number
  // The row, if the caller has read it already together with its owner.
  readonly row?: EncryptedAddress
}

// Returns undefined if the installation or the owner is another, or if the address is erased or has expired, even if it is not swept yet.
export async function decryptAddress(
  db: Reader,
  rootSecret: RootSecret,
  { now, row: known, ...name }: AddressLookup,
): Promise<Address | undefined> {
  const row = known ?? (await findEncryptedAddress(db, name))
  if (!row || row.rowKey === null || row.expiresAt <= now) return undefined
  const context = contextOf(name)
  const key = decryptByRootSecret(rootSecret, purpose, row.rowKey, context)
  if (key === undefined)
    throw new UndecryptableAddress(
      `the key of ${name.id} cannot be decrypted: the key was altered, or its version of the root secret is missing`,
    )
  const plain = decrypt(createSecretKey(Buffer.from(key, 'base64url')), row.sealed, context)
  if (plain === undefined)
    throw new UndecryptableAddress(`the address ${name.id} cannot be decrypted: the stored text was altered`)
  // The cast holds because only this file encrypts addresses.
  return JSON.parse(plain) as Address
}

// For callers that can continue without the address: returns undefined also if the address cannot be decrypted.
export async function tryDecryptAddress(...asked: Parameters<typeof decryptAddress>): Promise<Address | undefined> {
  try {
    return await decryptAddress(...asked)
  } catch (error) {
    if (error instanceof UndecryptableAddress) return undefined
    throw error
  }
}

export interface AddressMove extends AddressKey {
  // The address, if the caller has just decrypted it.
  readonly address?: Address
  readonly newOwnerId: string
  readonly now: number
  readonly expiresAt: number
}

// Moves an address to a new owner, such as from a cart to its order. The address is encrypted with a new key under a new id and replaces
// the old row, so only one copy exists at any time. Returns undefined if the address could not be moved.
export async function moveAddress(tx: Tx, rootSecret: RootSecret, move: AddressMove): Promise<string | undefined> {
  const { newOwnerId, expiresAt, address = await tryDecryptAddress(tx, rootSecret, move), now, ...name } = move
  if (!address) return undefined
  const { installationId } = name
  const row = sealedRow(rootSecret, { installationId, ownerId: newOwnerId, address, now, expiresAt })
  return (await replaceAddress(tx, name, row)) ? row.id : undefined
}

const batchRowsMax = 500

// Erases or deletes up to `limit` expired addresses, one batch per transaction, and returns how many.
export async function sweepAddresses(storage: Storage, now: number, limit: number): Promise<number> {
  const expired = await storage.read((db) => listExpiredAddresses(db, now, limit))
  const batches = Array.from({ length: Math.ceil(expired.length / batchRowsMax) }, (_, i) =>
    expired.slice(i * batchRowsMax, (i + 1) * batchRowsMax),
  )
  return handleRows(
    { storage, loop: 'addresses', now },
    batches,
    ({ installationId, id }) => ({ tenantId: installationId, rowId: id }),
    (names) => storage.write((tx) => eraseExpiredAddresses(tx, names, now)),
  )
}

// The associated data of the ciphertext, as JSON, so two addresses never have the same text.
function contextOf({ installationId, ownerId, id }: AddressKey): string {
  return JSON.stringify(['address', installationId, id, ownerId])
}
