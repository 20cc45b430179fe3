// What a caller that is not a person may hand on: nothing that reaches further or lasts longer than itself.

import { refuse } from '../kit/refuse.ts'
import type { Reader } from '../storage/storage.ts'
import type { Principal } from './principal.ts'

// An app, by its token or by a key of its installation, gives rights and sends events only to its own installation, with which they
// end. Other keys act for the whole merchant.
export async function refuseBeyondApp(
  db: Reader,
  { merchantId, installationId: own }: Principal,
  installationId: string,
): Promise<void> {
  if (own === null || own === installationId) return
  const apps = await db.sql`
    select id from installations where id = ${own} and merchant_id = ${merchantId} and app_id is not null`
  if (apps.length > 0)
    throw refuse('scope_missing', { message: 'An app changes only what belongs to its installation.' })
}

// When the caller ends by itself; null: never. A token is renewed for as long as its app is installed.
export async function callerEnd(db: Reader, { kind, id, installationId }: Principal): Promise<number | null> {
  if (kind !== 'key' || installationId === null) return null
  const [row] = await db.sql<{ expiresAt: number | null }>`
    select expires_at as "expiresAt" from credentials where installation_id = ${installationId} and id = ${id}`
  return row?.expiresAt ?? null
}

// The key that what is made ends with. An app by its token makes things for its own installation only, with which they end.
export function makerOf({ kind, id }: Principal): string | null {
  return kind === 'key' ? id : null
}

// The earlier of two ends.
export function earlier(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.min(one, other)
}
