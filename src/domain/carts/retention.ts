// Deletes carts after their retention period, with their lines and address. A cart that became an order is retained longer than an
// expired one, and no cart is deleted before its checkout sessions.

import { handleRows } from '../../platform/jobs/rows.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import type { CartKey } from './store.ts'

// Carts per transaction, so other transactions do not wait long.
export const cartsDeletedMax = 500

export type EndedCartStatus = 'expired' | 'converted'

// Deletes the oldest carts that ended at `endedBy` or earlier. Returns how many. Safe on several nodes at the same time.
export async function deleteCarts(
  storage: Storage,
  status: EndedCartStatus,
  { endedBy, now }: { endedBy: number; now: number },
): Promise<number> {
  const ended = await storage.read((db) => listEndedCarts(db, status, endedBy, now))
  return handleRows(
    { storage, loop: 'retention', now },
    [ended],
    ({ installationId, cartId }) => ({ tenantId: installationId, rowId: cartId }),
    (carts) => storage.write((tx) => deleteThese(tx, carts)),
  )
}

interface OldCart extends CartKey {
  addressId: string | null
}

// An ended cart never changes again, so it needs no lock.
async function deleteThese(tx: Tx, carts: readonly OldCart[]): Promise<number> {
  for (const [installationId, theirs] of Map.groupBy(carts, (cart) => cart.installationId)) {
    const cartIds = listFragment(theirs.map(({ cartId }) => cartId))
    const addressIds = theirs.flatMap(({ addressId }) => addressId ?? [])
    await tx.sql`delete from cart_lines where installation_id = ${installationId} and cart_id in (${cartIds})`
    if (addressIds.length > 0)
      await tx.sql`delete from addresses where installation_id = ${installationId} and id in (${listFragment(addressIds)})`
    await tx.sql`delete from agent_checkouts where installation_id = ${installationId} and cart_id in (${cartIds})`
    await tx.sql`delete from carts where installation_id = ${installationId} and id in (${cartIds})`
  }
  return carts.length
}

// The status is a literal: with a parameter, the database would not use the partial index.
export function listEndedCarts(db: Reader, status: EndedCartStatus, endedBy: number, now: number): Promise<OldCart[]> {
  const isDue = isNotDeferred('retention', 'c.installation_id', 'c.id', now)
  if (status === 'expired')
    return db.sql<OldCart>`
      select c.installation_id as "installationId", c.id as "cartId", c.address_id as "addressId" from carts c
      where c.status = 'expired' and c.updated_at <= ${endedBy} and ${isDue} and not exists (
        select 1 from checkout_sessions s where s.installation_id = c.installation_id and s.cart_id = c.id)
      order by c.updated_at limit ${cartsDeletedMax}`
  return db.sql<OldCart>`
    select c.installation_id as "installationId", c.id as "cartId", c.address_id as "addressId" from carts c
    where c.status = 'converted' and c.updated_at <= ${endedBy} and ${isDue} and not exists (
      select 1 from checkout_sessions s where s.installation_id = c.installation_id and s.cart_id = c.id)
    order by c.updated_at limit ${cartsDeletedMax}`
}
