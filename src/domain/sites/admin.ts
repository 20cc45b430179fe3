// The admin operations on the site: its state.

import type { siteRows } from '../../contract/admin/site.ts'
import type { SiteStatus } from '../../contract/words.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { versionConflict } from '../../platform/http/adminreply.ts'
import { Audited } from '../../platform/http/handler.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { lockMerchantById, type Merchant } from '../merchants/store.ts'
import { openOrClose } from './change.ts'
import { adminSiteView, type SiteContext, siteStatusOf } from './site.ts'
import { findStoredSite } from './store.ts'

export function adminSiteOperations(parts: SiteContext): { [Id in keyof typeof siteRows]: AdminHandler<Id> } {
  async function become(tx: Tx, caller: MerchantMode, wanted: SiteStatus, expectedVersion: number, now: number) {
    const merchant = await lockMerchantById(tx, caller.merchantId)
    if (!merchant) throw new Error(`${caller.merchantId} is called for and does not exist`)
    const site = await findStoredSite(tx, caller)
    if ((site?.version ?? 1) !== expectedVersion) throw versionConflict(await adminSiteView(tx, parts, caller))
    const before = siteStatusOf(site)
    const changes = before === wanted ? [] : [statusChange(merchant, before, wanted)]
    if (changes.length > 0) await openOrClose(tx, parts, caller, wanted, now)
    return new Audited(
      { data: await adminSiteView(tx, parts, caller), changes: changes.map(subjectChangeView) },
      changes,
    )
  }

  return {
    async getAdminSite({ db, caller }) {
      return { data: await adminSiteView(db, parts, caller) }
    },

    async openAdminSite({ db, caller, body: { expectedVersion }, now }) {
      return become(db, caller, 'open', expectedVersion, now.getTime())
    },

    async closeAdminSite({ db, caller, body: { expectedVersion }, now }) {
      return become(db, caller, 'closed', expectedVersion, now.getTime())
    },
  }
}

function statusChange({ id, slug }: Merchant, from: SiteStatus, to: SiteStatus): AuditedChange {
  return { kind: 'change', what: 'site', id, name: slug, members: [{ member: 'status', from, to }] }
}
