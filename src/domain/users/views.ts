// Saved views of lists: named filters that belong to a person in a shop. They are deleted with the membership.

import type { Tx } from '../../platform/storage/storage.ts'

export interface SavedView {
  list: string
  name: string
  // The query of the list's URL, without the question mark.
  query: string
}

interface Membership {
  merchantId: string
  userId: string
}

// Maximum number of views of a person in a shop, for all lists together.
export const savedViewsMax = 40

export function parseSavedViews(stored: string | null): readonly SavedView[] {
  return stored === null ? [] : (JSON.parse(stored) as SavedView[])
}

// Replaces a view of this name. Returns false if the person has the maximum number of views.
export async function saveView(tx: Tx, membership: Membership, view: SavedView): Promise<boolean> {
  const views = await lockViews(tx, membership)
  const others = views.filter((one) => !isSame(one, view))
  if (others.length >= savedViewsMax) return false
  await updateViews(tx, membership, [...others, view])
  return true
}

export async function removeView(tx: Tx, membership: Membership, view: Omit<SavedView, 'query'>): Promise<void> {
  const views = await lockViews(tx, membership)
  const others = views.filter((one) => !isSame(one, view))
  if (others.length < views.length) await updateViews(tx, membership, others)
}

function isSame(one: Omit<SavedView, 'query'>, other: Omit<SavedView, 'query'>): boolean {
  return one.list === other.list && one.name === other.name
}

async function lockViews(tx: Tx, { merchantId, userId }: Membership): Promise<readonly SavedView[]> {
  await tx.lockRow`select user_id from user_merchants where user_id = ${userId} and merchant_id = ${merchantId}`
  const [row] = await tx.sql<{ views: string | null }>`
    select views from user_merchants where user_id = ${userId} and merchant_id = ${merchantId}`
  return parseSavedViews(row?.views ?? null)
}

async function updateViews(tx: Tx, { merchantId, userId }: Membership, views: readonly SavedView[]): Promise<void> {
  const stored = views.length === 0 ? null : JSON.stringify(views)
  await tx.sql`
    update user_merchants set views = ${stored} where user_id = ${userId} and merchant_id = ${merchantId}`
}
