// The signed-in person, with the shops that they may manage, for pages of other folders.

import type { IncomingMessage } from 'node:http'
import { type Rights, type RightsRow, rightsFromRow } from '../../domain/users/roles.ts'
import { findSession, needsTouch, type OpenSession, touchSession } from '../../domain/users/sessions.ts'
import { findUser, merchantsPerUserMax } from '../../domain/users/users.ts'
import { parseSavedViews, type SavedView } from '../../domain/users/views.ts'
import { findCookie } from '../../platform/html/cookies.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { sessionCookie } from './visit.ts'

// A shop, with the facts that every screen needs.
export interface PersonShop extends Rights {
  id: string
  slug: string
  name: string
  // Whether all members of the shop must sign in with a second factor.
  needsSecondFactor: boolean
  timeZone: string
  currency: string
  country: string
  // Views of lists that this person saved.
  views: readonly SavedView[]
}

export interface SignedInPerson {
  userId: string
  email: string
  // Null if the person has no name.
  name: string | null
  session: OpenSession
  // Sorted by name.
  shops: readonly PersonShop[]
}

// Returns undefined if no person is signed in.
export type PersonReader = (raw: IncomingMessage) => Promise<SignedInPerson | undefined>

export interface PersonReaderParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  clock: () => Date
}

export function createPersonReader({ storage, rootSecret, publicOrigin, clock }: PersonReaderParts): PersonReader {
  return async ({ headers }) => {
    const token = findCookie(headers.cookie, sessionCookie, publicOrigin())
    if (token === undefined) return undefined
    const now = clock().getTime()
    const person = await storage.read(async (db) => {
      const session = await findSession(db, token, now)
      if (!session) return undefined
      const { userId } = session
      const [user, shops] = await Promise.all([findUser(db, rootSecret, userId), listShops(db, userId)])
      return user && { session, user, shops }
    })
    if (!person) return undefined
    const { session, user, shops } = person
    if (needsTouch(session, now)) await storage.write((tx) => touchSession(tx, session, now))
    return { userId: user.id, email: user.email, name: user.name, session, shops }
  }
}

interface PersonShopRow extends Omit<PersonShop, 'needsSecondFactor' | 'views' | keyof Rights>, RightsRow {
  needsSecondFactor: number
  views: string | null
}

async function listShops(db: Reader, userId: string): Promise<PersonShop[]> {
  const rows = await db.sql<PersonShopRow>`
    select m.id, m.slug, m.name, um.role, um.scopes, m.second_factor_required as "needsSecondFactor", m.time_zone as "timeZone",
      m.currency, m.country, um.views
    from user_merchants um
    join merchants m on m.id = um.merchant_id
    where um.user_id = ${userId} and m.closed_at is null
    order by m.name, m.id limit ${merchantsPerUserMax}`
  return rows.map((row) => ({
    ...row,
    ...rightsFromRow(row),
    needsSecondFactor: Number(row.needsSecondFactor) === 1,
    views: parseSavedViews(row.views),
  }))
}
