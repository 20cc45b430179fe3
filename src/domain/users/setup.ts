// The first person of an empty server: one link, printed at the start, creates an owner and their shop. Only the hash of its secret is
// stored. The link works once, within an hour, and only while there is no shop and no person.

import { createHash, randomBytes } from 'node:crypto'
import { insertEntry } from '../../platform/audit/store.ts'
import { currencyOfCountry, timeZoneOfCountry } from '../../platform/kit/countryfacts.ts'
import { newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { slugify } from '../../platform/kit/slug.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { planMerchant } from '../merchants/settings.ts'
import { insertMerchant } from '../merchants/store.ts'
import type { CreatedLink } from './invitations.ts'
import { setupPath, staffPages } from './places.ts'
import { createUser } from './users.ts'

const setupMs = 3_600_000
const onlyId = 'setup'

// Called at each start. Returns undefined if the server is not empty. The links of earlier starts no longer work.
export async function createSetupLink(tx: Tx, now: number): Promise<CreatedLink | undefined> {
  await tx.sql`delete from setup_links`
  if (await isInUse(tx)) return undefined
  const token = randomBytes(32).toString('base64url')
  const link = { id: newId('inv'), path: `${setupPath}/${token}`, expiresAt: now + setupMs }
  // There is only one row: if nodes start at the same time, the link of the last one works.
  await tx.sql`
    insert into setup_links (id, token_hash, created_at, expires_at)
    values (${onlyId}, ${hashOfToken(token)}, ${now}, ${link.expiresAt})
    on conflict (id) do update set
      token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`
  return link
}

async function isInUse(db: Reader): Promise<boolean> {
  const rows = await db.sql`
    select 1 as "one" where exists (select 1 from merchants) or exists (select 1 from users)`
  return rows.length > 0
}

function hashOfToken(token: string): string {
  return createHash('sha256').update(`setup ${token}`).digest('base64url')
}

export async function isSetupLink(db: Reader, token: string, now: number): Promise<boolean> {
  if (!/^[\w-]{43}$/.test(token)) return false
  const rows = await db.sql`
    select id from setup_links where token_hash = ${hashOfToken(token)} and expires_at > ${now}`
  return rows.length > 0 && !(await isInUse(db))
}

export interface FirstOwner {
  token: string
  email: string
  passwordHash: string
  shopName: string
  // The country in which the browser seems to be. The guide asks the owner to confirm it.
  country: string
  requestId: string
}

// If several requests use the link at the same time, the one that deletes it succeeds. The currency, taxes and everything else are set in
// the guide.
export async function useSetupLink(
  tx: Tx,
  rootSecret: RootSecret,
  { token, email, passwordHash, shopName, country, requestId }: FirstOwner,
  now: number,
): Promise<{ userId: string; slug: string }> {
  const rows = await tx.sql`
    delete from setup_links where token_hash = ${hashOfToken(token)} and expires_at > ${now} returning id`
  if (rows.length === 0 || (await isInUse(tx))) throw refuse('invitation_not_found')
  const entry = { slug: shopSlug(shopName), name: shopName, currency: currencyOfCountry(country), country }
  const settings = { ...entry, supportEmail: email, timeZone: timeZoneOfCountry(country) }
  const { merchant } = planMerchant(settings, undefined)
  if (!(await insertMerchant(tx, merchant, now))) throw refuse('invitation_not_found')
  const { id: userId } = await createUser(
    tx,
    rootSecret,
    { email, passwordHash, merchantIds: [merchant.id], role: 'owner' },
    now,
  )
  insertEntry(tx, {
    merchantId: merchant.id,
    mode: null,
    actor: { kind: 'person', id: userId },
    operation: 'setup',
    requestId,
    changes: [
      { kind: 'create', what: 'merchant', id: merchant.id, name: merchant.slug, members: [] },
      { kind: 'create', what: 'member', id: userId, name: 'owner', members: [] },
    ],
    undoes: null,
    at: now,
  })
  return { userId, slug: merchant.slug }
}

// Returns a slug that differs from the paths of the server's own pages.
function shopSlug(name: string): string {
  const slug = slugify(name) || 'shop'
  const taken = staffPages.some(({ path }) => path.split('/')[2] === slug)
  return taken || slug === 'test' ? `${slug}-shop` : slug
}
