// The SQL of sealed addresses. Nothing here can read one: the keys are wrapped, and vault.ts unwraps them.
import type { AddressSummary } from '../../contract/open/carts.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { isId } from '../../platform/kit/ids.ts'
import { list, type Reader, type Tx } from '../../platform/storage/storage.ts'

// An address belongs to one owner (a cart, an order) of one installation, and is found by all three or not at all.
export interface AddressName {
  readonly installationId: string
  readonly ownerId: string
  readonly id: string
}

export interface SealedAddress {
  readonly sealed: string
  // Null once it is erased.
  readonly rowKey: string | null
  readonly expiresAt: number
}

export interface AddressFace {
  readonly summary: AddressSummary
  readonly expiresAt: number
  // Its summary stays when it can no longer be opened.
  readonly isErased: boolean
}

export interface AddressRow extends AddressName {
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

export async function findSealed(
  db: Reader,
  { installationId, ownerId, id }: AddressName,
): Promise<SealedAddress | undefined> {
  const [row] = await db.sql<SealedAddress>`
    select sealed, row_key as "rowKey", expires_at as "expiresAt" from addresses
    where installation_id = ${installationId} and id = ${id} and owner_id = ${ownerId}`
  return row
}

// Puts another in its place, if it is there and not erased, so only one can take it. What may be seen of it stays.
export async function replaceAddress(
  tx: Tx,
  { installationId, ownerId, id }: AddressName,
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
  { installationId, ownerId, id }: AddressName,
): Promise<AddressFace | undefined> {
  const [row] = await db.sql<AddressSummary & { expiresAt: number; erased: number }>`
    select city, region, country, postal_code_prefix as "postalCodePrefix", expires_at as "expiresAt",
      case when row_key is null then 1 else 0 end as "erased"
    from addresses
    where installation_id = ${installationId} and id = ${id} and owner_id = ${ownerId}`
  if (!row) return undefined
  const { expiresAt, erased, ...summary } = row
  return { summary, expiresAt, isErased: erased === 1 }
}

// For a cart: nothing of the address is left.
export function deleteAddress(tx: Tx, installationId: string, id: string): void {
  tx.send`delete from addresses where installation_id = ${installationId} and id = ${id}`
}

// For an order, which still shows the town. Without its key the text is noise; it is overwritten as well, so no later weakness of
// the cipher matters.
export function eraseAddress(tx: Tx, installationId: string, id: string): void {
  tx.send`
    update addresses set row_key = null, sealed = ''
    where installation_id = ${installationId} and id = ${id} and row_key is not null`
}

// For a shopper who is erased: only the country and its region stay, by which the order was taxed.
export function eraseWholeAddress(tx: Tx, installationId: string, id: string): void {
  tx.send`
    update addresses set row_key = null, sealed = '', city = '', postal_code_prefix = null
    where installation_id = ${installationId} and id = ${id}`
}

// Names no installation: this is housekeeping of ours, and time passes for all of them.
export async function listExpired(db: Reader, now: number, rowsMax: number): Promise<AddressName[]> {
  return db.sql<AddressName>`
    select a.installation_id as "installationId", a.id, a.owner_id as "ownerId" from addresses a
    where a.row_key is not null and a.expires_at <= ${now}
      and ${isNotDeferred('addresses', 'a.installation_id', 'a.id', now)}
    order by a.expires_at limit ${rowsMax}`
}

// Answers how many there were still to erase: another node may do so at the same time.
export async function eraseExpired(tx: Tx, names: readonly AddressName[], now: number): Promise<number> {
  let erased = 0
  for (const [installationId, theirs] of Map.groupBy(names, (name) => name.installationId)) {
    const [ofOrders, others] = [theirs.filter(isOfOrder), theirs.filter((name) => !isOfOrder(name))]
    if (ofOrders.length > 0) {
      // The search takes the same locks: it must not index a customer whose address is erased here.
      await tx.sql`
        select id from orders where installation_id = ${installationId}
          and id in (${list(ofOrders.map(({ ownerId }) => ownerId))}) order by id ${tx.forUpdate}`
      const rows = await tx.sql`
        update addresses set row_key = null, sealed = ''
        where installation_id = ${installationId} and id in (${list(ofOrders.map(({ id }) => id))})
          and row_key is not null and expires_at <= ${now}
        returning id`
      erased += rows.length
      // By these the customer was found.
      tx.send`
        delete from search_tokens
        where installation_id = ${installationId} and order_id in (${list(ofOrders.map(({ ownerId }) => ownerId))})`
    }
    if (others.length > 0) {
      const rows = await tx.sql`
        delete from addresses
        where installation_id = ${installationId} and id in (${list(others.map(({ id }) => id))})
          and row_key is not null and expires_at <= ${now}
        returning id`
      erased += rows.length
    }
  }
  return erased
}

function isOfOrder({ ownerId }: AddressName): boolean {
  return isId('ord', ownerId)
}

// Lets an address end later, never sooner.
export function keepAddress(tx: Tx, installationId: string, id: string, until: number): void {
  tx.send`
    update addresses set expires_at = ${until}
    where installation_id = ${installationId} and id = ${id} and expires_at < ${until} and row_key is not null`
}
