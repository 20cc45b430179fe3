// Changes a merchant's settings of the online store: edits and publishes the draft, and undoes both. The caller must have locked the
// merchant's row.

import type { SiteContent } from '../../contract/sitecontent.ts'
import { type AuditedChange, membersChanged } from '../../platform/audit/change.ts'
import { refuseIfOvertaken, type UndoAsk, valuesBefore } from '../../platform/audit/undo.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { announceShop } from '../merchants/shop.ts'
import { findMerchantById, type Merchant, raiseCatalogVersion, updateMerchant } from '../merchants/store.ts'
import { draftContent, lookText, publishedContent } from './content.ts'
import { findSiteContent, saveContent } from './contentstore.ts'

// The content, with the member names of the list of changes.
export interface ContentState extends SiteContent {
  draft: SiteContent | null
}

const contentMembers = ['look', 'home', 'menus', 'draft'] as const

export async function loadContentState(tx: Tx, merchant: Merchant): Promise<ContentState> {
  const row = await findSiteContent(tx, merchant.id)
  return { ...publishedContent(merchant, row), draft: draftContent(row) }
}

export async function changeContent(
  tx: Tx,
  merchant: Merchant,
  wanted: ContentState,
  context: ChangeContext,
): Promise<AuditedChange[]> {
  const before = await loadContentState(tx, merchant)
  const members = membersChanged(before, wanted, contentMembers)
  if (members.length === 0) return []
  await writeContent(tx, merchant, wanted, context)
  return [{ kind: 'change', what: 'site_content', id: merchant.id, name: merchant.slug, members }]
}

async function writeContent(tx: Tx, merchant: Merchant, wanted: ContentState, context: ChangeContext): Promise<void> {
  const { look, home, menus, draft } = wanted
  const isAutomatic = menus.head === null && menus.foot === null
  const texts = {
    home: home === null ? null : JSON.stringify(home),
    menus: isAutomatic ? null : JSON.stringify(menus),
    draft: draft === null ? null : JSON.stringify(draft),
  }
  await saveContent(tx, merchant.id, texts, context.now)
  const after = { ...merchant, logo: look.logo, color: look.color, look: lookText(look) }
  const isSameLook = after.logo === merchant.logo && after.color === merchant.color && after.look === merchant.look
  if (isSameLook) return
  await updateMerchant(tx, after, context.now)
  await raiseCatalogVersion(tx, merchant.id)
  const stored = await findMerchantById(tx, merchant.id)
  if (stored) await announceShop(tx, { id: stored.id, version: stored.version, shop: stored }, context)
}

// Returns null for a draft that equals the published content.
export function nullIfPublished(published: SiteContent, draft: SiteContent): SiteContent | null {
  return JSON.stringify(published) === JSON.stringify(draft) ? null : draft
}

// Copies a logo or colour that was changed in the settings of the shop to the draft, unless the draft has a different one. Otherwise
// publishing the draft would restore the old value.
export async function copyLookToDraft(tx: Tx, before: Merchant, after: Merchant, now: number): Promise<void> {
  const row = await findSiteContent(tx, before.id)
  const draft = draftContent(row)
  if (!row || !draft) return
  const { look } = draft
  const logo = look.logo === before.logo ? after.logo : look.logo
  const color = look.color === (before.color?.toLowerCase() ?? null) ? (after.color?.toLowerCase() ?? null) : look.color
  const carried = nullIfPublished(publishedContent(after, row), { ...draft, look: { ...look, logo, color } })
  const { home, menus } = row
  await saveContent(tx, before.id, { home, menus, draft: carried === null ? null : JSON.stringify(carried) }, now)
}

export async function undoContent(
  { tx, dryRun, context }: UndoAsk,
  merchant: Merchant,
  change: AuditedChange,
): Promise<void> {
  const present = await loadContentState(tx, merchant)
  refuseIfOvertaken(change, present)
  const wanted = { ...present, ...valuesBefore<ContentState>(change, contentMembers) }
  if (!dryRun) await writeContent(tx, merchant, wanted, context)
}
