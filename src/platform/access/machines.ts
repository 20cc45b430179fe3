// Limits what a machine caller may create: nothing with more rights or a longer life than its own credential.

import { refuse } from '../kit/refuse.ts'
import type { Reader } from '../storage/storage.ts'
import type { Principal } from './principal.ts'

// An app may only grant rights to its own installation, and only create webhook endpoints of its own installation, since these end with
// the installation. This applies to the app's token and to keys of the installation. Other keys act for the whole merchant.
export async function refuseBeyondApp(
  db: Reader,
  { merchantId, installationId: own }: Principal,
  installationId: string,
): Promise<void> {
  if (own === null || own === installationId) return
  const apps = await db.sql`
    select id from installations where id = ${own} and merchant_id = ${merchantId} and app_id is not null`
  if (apps.length > 0)
    throw refuse('scope_missing', { message: 'An app may only change what belongs to its installation.' })
}

// Returns when the caller's credential expires, or null if it never does. A token is renewed for as long as its app is installed.
export async function callerExpiresAt(db: Reader, { kind, id, installationId }: Principal): Promise<number | null> {
  if (kind !== 'key' || installationId === null) return null
  const [row] = await db.sql<{ expiresAt: number | null }>`
    select expires_at as "expiresAt" from credentials where installation_id = ${installationId} and id = ${id}`
  return row?.expiresAt ?? null
}

// Returns the id of the calling key: what a key creates is revoked with it. Null for other callers: what an app creates with a token ends
// with its installation.
export function makerKeyId({ kind, id }: Principal): string | null {
  return kind === 'key' ? id : null
}

// Returns the earlier of two expiries. Null means never.
export function earlierEnd(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.min(one, other)
}
