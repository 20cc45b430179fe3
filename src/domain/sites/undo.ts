// Undoes changes of the site.

import type { SiteStatus } from '../../contract/words.ts'
import { notUndoable, refuseIfOvertaken, reverseChange, type Undoer, valuesBefore } from '../../platform/audit/undo.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { openOrClose } from './change.ts'
import { undoContent } from './contentchange.ts'
import { undoHost } from './hostchange.ts'
import { undoPage } from './pages.ts'
import { type SiteContext, siteStatusOf } from './site.ts'
import { findStoredSite } from './store.ts'

export function siteUndoer(parts: SiteContext): Undoer {
  return {
    kinds: ['site', 'site_host', 'site_page', 'site_content'],
    async undo(ask) {
      const { tx, seller, changes, dryRun, context } = ask
      const merchant = await lockMerchantById(tx, seller.merchantId)
      if (!merchant) throw new Error(`merchant ${seller.merchantId} does not exist`)
      for (const change of changes) {
        if (change.what === 'site_content') {
          await undoContent(ask, merchant, change)
          continue
        }
        if (change.what === 'site_page') {
          await undoPage(ask, change)
          continue
        }
        if (change.what === 'site_host') {
          await undoHost(ask, parts, change)
          continue
        }
        if (change.kind !== 'change') throw notUndoable(change)
        refuseIfOvertaken(change, { status: siteStatusOf(await findStoredSite(tx, seller)) })
        const { status } = valuesBefore<{ status: SiteStatus }>(change, ['status'])
        if (!dryRun && status) await openOrClose(tx, parts, seller, status, context.now)
      }
      return changes.map(reverseChange)
    },
  }
}
