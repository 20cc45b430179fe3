// The SQL of encrypted addresses. These functions cannot decrypt an address: the keys are wrapped, and only vault.ts unwraps them.
import type { AddressSummary } from '../../contract/open/carts.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { isId } from '../../platform/kit/ids.ts'
import { listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

// An address belongs to one owner (a cart or an order) of one installation, and is found only by all three ids together.
export interface AddressKey {
  readonly installationId: string
  readonly ownerId: string
  readonly id: string
}

export interface EncryptedAddress {
  readonly sealed: string
  // The wrapped key of the address; null after the address was erased.
  readonly rowKey: string | null
  readonly expiresAt: number
}

export interface VisibleAddress {
  readonly summary: AddressSummary
  readonly expiresAt: number
  // An erased address can no longer be decrypted, but its summary still exists.
  readonly isErased: boolean
}

export interface AddressRow extends AddressKey {
  readonly sealed: string
  readonly rowKey: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface NewAddressRow extends AddressRow {
  readonly summary: AddressSummary
}

export function insertAddress(tx: Tx, row: NewAddressRow): void {
  const { city, region, country, postalCodePrefix } = row.summary
  tx.send`
    insert into addresses (installation_id, id, owner_id, sealed, row_key, city, region, country, postal_code_prefix,
      created_at, expires_at)
    values (${row.installationId}, ${row.id}, ${row.ownerId}, ${row.sealed}, ${row.rowKey}, ${city}, ${region}, ${country},
      ${postalCodePrefix}, ${row.createdAt}, ${row.expiresAt})`
}

export async function findEncryptedAddress(
  db: Reader,
  { installationId, ownerId, id }: AddressKey,
): Promise<EncryptedAddress | undefined> {
  const [row] = await db.sql<EncryptedAddress>`
    select sealed, row_key as "rowKey", expires_at as "expiresAt" from addresses
    where installation_id = ${installationId} and id = ${id} and owner_id = ${ownerId}`
  return row
}

// Replaces an address by one with a new id, key and owner. Returns false if the address is missing or erased, or if another caller has
// replaced it. The summary stays.
export async function replaceAddress(
  tx: Tx,
  { installationId, ownerId, id }: AddressKey,
  row: AddressRow,
): Promise<boolean> {
  const rows = await tx.sql`
    update addresses set id = ${row.id}, owner_id = ${row.ownerId}, sealed = ${row.sealed}, row_key = ${row.rowKey},
      created_at = ${row.createdAt}, expires_at = ${row.expiresAt}
    where installation_id = ${installationId} and id = ${id} and owner_id = ${ownerId} and row_key is not null
    returning id`
  return rows.length > 0
}

export async function findAddressSummary(
  db: Reader,
  { installationId, ownerId, id }: AddressKey,
): Promise<VisibleAddress | undefined> {
  const [row] = await db.sql<AddressSummary & { expiresAt: number; erased: number }>`
    select city, region, country, postal_code_prefix as "postalCodePrefix", expires_at as "expiresAt",
      case when row_key is null then 1 else 0 end as "erased"
    from addresses
    where installation_id = ${installationId} and id = ${id} and owner_id = ${ownerId}`
  if (!row) return undefined
  const { expiresAt, erased, ...summary } = row
  return { summary, expiresAt, isErased: erased === 1 }
}

// Deletes the address of a cart, with its summary.
export function deleteAddress(tx: Tx, installationId: string, id: string): void {
  tx.send`delete from addresses where installation_id = ${installationId} and id = ${id}`
}

// Erases the address of an order except its summary, which contains the city. Without its key the ciphertext is useless; it is
// overwritten as well, in case the cipher turns out to be weak.
export function eraseAddressExceptCity(tx: Tx, installationId: string, id: string): void {
  tx.send`
    update addresses set row_key = null, sealed = ''
    where installation_id = ${installationId} and id = ${id} and row_key is not null`
}

// Erases the address of an order when the shopper is erased. Only the country and the region stay, because the order was taxed by them.
export function eraseAddressExceptRegion(tx: Tx, installationId: string, id: string): void {
  tx.send`
    update addresses set row_key = null, sealed = '', city = '', postal_code_prefix = null
    where installation_id = ${installationId} and id = ${id}`
}

// Lists expired addresses, of all installations.
export async function listExpiredAddresses(db: Reader, now: number, rowsMax: number): Promise<AddressKey[]> {
  return db.sql<AddressKey>`
    select a.installation_id as "installationId", a.id, a.owner_id as "ownerId" from addresses a
    where a.row_key is not null and a.expires_at <= ${now}
      and ${isNotDeferred('addresses', 'a.installation_id', 'a.id', now)}
    order by a.expires_at limit ${rowsMax}`
}

// Returns how many addresses were erased by this call: another node may have erased some at the same time.
export async function eraseExpiredAddresses(tx: Tx, names: readonly AddressKey[], now: number): Promise<number> {
  let erased = 0
  for (const [installationId, theirs] of Map.groupBy(names, (name) => name.installationId)) {
    const [ofOrders, others] = [theirs.filter(isOfOrder), theirs.filter((name) => !isOfOrder(name))]
    if (ofOrders.length > 0) {
      // The indexing of orders for the search takes the same locks, so it cannot index a customer whose address is erased here.
      await tx.sql`
        select id from orders where installation_id = ${installationId}
          and id in (${listFragment(ofOrders.map(({ ownerId }) => ownerId))}) order by id ${tx.forUpdate}`
      const rows = await tx.sql`
        update addresses set row_key = null, sealed = ''
        where installation_id = ${installationId} and id in (${listFragment(ofOrders.map(({ id }) => id))})
          and row_key is not null and expires_at <= ${now}
        returning id`
      erased += rows.length
      // The tokens by which the search finds the customer.
      tx.send`
        delete from search_tokens
        where installation_id = ${installationId} and order_id in (${listFragment(ofOrders.map(({ ownerId }) => ownerId))})`
    }
    if (others.length > 0) {
      const rows = await tx.sql`
        delete from addresses
        where installation_id = ${installationId} and id in (${listFragment(others.map(({ id }) => id))})
          and row_key is not null and expires_at <= ${now}
        returning id`
      erased += rows.length
    }
  }
  return erased
}

function isOfOrder({ ownerId }: AddressKey): boolean {
  return isId('ord', ownerId)
}

// Extends the expiry of an address, never shortens it.
export function extendAddressExpiry(tx: Tx, installationId: string, id: string, until: number): void {
  tx.send`
    update addresses set expires_at = ${until}
    where installation_id = ${installationId} and id = ${id} and expires_at < ${until} and row_key is not null`
}
