// Addresses at rest. Each is sealed with a key of its own, and that key is wrapped by the root secret: a copy of the
// database alone reads none of them, and to forget the key is to erase the address. The plain text is never logged, thrown
// or kept.
import { createSecretKey, randomBytes } from 'node:crypto'
import type { Address, AddressSummary } from '../../contract/open/carts.ts'
import { handleRows } from '../../platform/jobs/rows.ts'
import { newId } from '../../platform/kit/ids.ts'
import { open, openByRoot, type RootSecret, seal, sealByRoot } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import {
  type AddressName,
  type AddressRow,
  deleteAddress,
  eraseAddress,
  eraseExpired,
  findAddressSummary,
  findSealed,
  insertAddress,
  listExpired,
  replaceAddress,
  type SealedAddress,
} from './store.ts'

// The statements that need no key are exported as they are.
export { deleteAddress, eraseAddress, findAddressSummary }

const purpose = 'address row key'
const keyBytes = 32

export interface NewAddress {
  readonly installationId: string
  // The cart or the order it is for.
  readonly ownerId: string
  readonly address: Address
  readonly summary: AddressSummary
  readonly now: number
  readonly expiresAt: number
}

// Gives the id, which is the token that stands for the address elsewhere.
export function sealAddress(tx: Tx, rootSecret: RootSecret, given: NewAddress): string {
  const { installationId, ownerId, address, summary, now, expiresAt } = given
  const row = sealedRow(rootSecret, { installationId, ownerId, address, now, expiresAt })
  insertAddress(tx, { ...row, summary })
  return row.id
}

// Under a key and an id of its own.
function sealedRow(rootSecret: RootSecret, given: Omit<NewAddress, 'summary'>): AddressRow {
  const { installationId, ownerId, address, now, expiresAt } = given
  const id = newId('adr')
  const context = contextOf({ installationId, ownerId, id })
  const key = randomBytes(keyBytes)
  const sealed = seal(createSecretKey(key), JSON.stringify(address), context)
  const rowKey = sealByRoot(rootSecret, purpose, key.toString('base64url'), context)
  return { installationId, ownerId, id, sealed, rowKey, createdAt: now, expiresAt }
}

// The version of the root secret that sealed it was given up, or the row was changed.
export class UnopenedAddress extends Error {}

export interface AddressAsk extends AddressName {
  readonly now: number
  // As it was read with what it belongs to.
  readonly row?: SealedAddress
}

// Undefined for another installation or owner, and when it is erased or has expired, swept or not.
export async function openAddress(
  db: Reader,
  rootSecret: RootSecret,
  { now, row: known, ...name }: AddressAsk,
): Promise<Address | undefined> {
  const row = known ?? (await findSealed(db, name))
  if (!row || row.rowKey === null || row.expiresAt <= now) return undefined
  const context = contextOf(name)
  const key = openByRoot(rootSecret, purpose, row.rowKey, context)
  if (key === undefined)
    throw new UnopenedAddress(`the key of ${name.id} cannot be opened: it was changed, or its secret is gone`)
  const plain = open(createSecretKey(Buffer.from(key, 'base64url')), row.sealed, context)
  if (plain === undefined) throw new UnopenedAddress(`${name.id} cannot be opened: it was changed`)
  // Only sealAddress can have sealed it.
  return JSON.parse(plain) as Address
}

// For callers that can go on without it: undefined also when it cannot be opened.
export async function tryOpenAddress(...asked: Parameters<typeof openAddress>): Promise<Address | undefined> {
  try {
    return await openAddress(...asked)
  } catch (error) {
    if (error instanceof UnopenedAddress) return undefined
    throw error
  }
}

export interface AddressMove extends AddressName {
  // As it was opened just now.
  readonly address?: Address
  readonly newOwnerId: string
  readonly now: number
  readonly expiresAt: number
}

// Hands an address on, as from a cart to its order: sealed anew under a key and a token of its own, in the place of the old one, so there
// is one of it at any time. Undefined when it could not be opened.
export async function moveAddress(tx: Tx, rootSecret: RootSecret, move: AddressMove): Promise<string | undefined> {
  const { newOwnerId, expiresAt, address = await tryOpenAddress(tx, rootSecret, move), now, ...name } = move
  if (!address) return undefined
  const { installationId } = name
  const row = sealedRow(rootSecret, { installationId, ownerId: newOwnerId, address, now, expiresAt })
  return (await replaceAddress(tx, name, row)) ? row.id : undefined
}

const batchRowsMax = 500

// Erases or deletes up to `limit` expired addresses, a batch to a transaction, and answers how many.
export async function sweepAddresses(storage: Storage, now: number, limit: number): Promise<number> {
  const expired = await storage.read((db) => listExpired(db, now, limit))
  const batches = Array.from({ length: Math.ceil(expired.length / batchRowsMax) }, (_, i) =>
    expired.slice(i * batchRowsMax, (i + 1) * batchRowsMax),
  )
  return handleRows(
    { storage, loop: 'addresses', now },
    batches,
    ({ installationId, id }) => ({ tenantId: installationId, rowId: id }),
    (names) => storage.write((tx) => eraseExpired(tx, names, now)),
  )
}

// As JSON, so no two names are written alike.
function contextOf({ installationId, ownerId, id }: AddressName): string {
  return JSON.stringify(['address', installationId, id, ownerId])
}
