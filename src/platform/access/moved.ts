// Finds the new cell of a moved merchant by the keys and secrets that its callers and shoppers present.

import type { Reader, Storage } from '../storage/storage.ts'

// Kinds of names in the table `moved_names`. A name of the kind `key` is the public part of an API key; names of the other kinds are
// hashes of page secrets.
export type MovedReferenceKind = 'key' | 'checkout' | 'order'

// Returns the origin of the merchant's new cell, or undefined if no moved merchant has this key or secret.
export async function findMovedOrigin(db: Reader, kind: MovedReferenceKind, name: string): Promise<string | undefined> {
  const [row] = await db.sql<{ origin: string }>`
    select v.origin from moved_names n join merchant_moves v on v.merchant_id = n.merchant_id and v.state = 'gone'
    where n.kind = ${kind} and n.name = ${name}`
  return row?.origin
}

// Time for which callers are referred to the new cell.
const shownMs = 90 * 24 * 3_600_000
export const movesForgottenMax = 500

export function deleteOldMoves(storage: Storage, now: number): Promise<number> {
  return storage.write(async (tx) => {
    const old = await tx.sql<{ kind: string; name: string; merchantId: string }>`
      select n.kind, n.name, n.merchant_id as "merchantId" from moved_names n
      join merchant_moves v on v.merchant_id = n.merchant_id
      where v.state = 'gone' and v.changed_at < ${now - shownMs} limit ${movesForgottenMax}`
    for (const { kind, name, merchantId } of old)
      tx.send`delete from moved_names where kind = ${kind} and name = ${name} and merchant_id = ${merchantId}`
    if (old.length < movesForgottenMax)
      tx.send`
        delete from merchant_moves where state = 'gone' and changed_at < ${now - shownMs}
          and not exists (select 1 from moved_names n where n.merchant_id = merchant_moves.merchant_id)`
    return old.length
  })
}
