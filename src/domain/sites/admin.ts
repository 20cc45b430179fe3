// The admin operations on the site: its state and its hosts.

import type { siteRows } from '../../contract/admin/site.ts'
import { issueAt } from '../../contract/issues.ts'
import type { SiteStatus } from '../../contract/words.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems, versionConflict } from '../../platform/http/adminreply.ts'
import { Audited } from '../../platform/http/handler.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { lockMerchantById, type Merchant } from '../merchants/store.ts'
import { openOrClose } from './change.ts'
import { addHost, makeMain, removeHost, siteHostOf } from './hostchange.ts'
import { normalHost } from './hosts.ts'
import { setCheckAt } from './hoststore.ts'
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
    return changed(tx, caller, changes)
  }

  async function changed(tx: Tx, caller: MerchantMode, changes: readonly AuditedChange[]) {
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

    async addAdminHost({ db, caller, body, now }) {
      const host = normalHost(body.host)
      const isOwn = host === URL.parse(parts.publicOrigin())?.hostname
      if (host === undefined || isOwn) refuseProblems('', [issueAt('/host', isOwn ? 'own_host' : 'host_not_public')])
      return changed(db, caller, await addHost(db, caller.merchantId, host ?? '', now.getTime()))
    },

    async checkAdminHost({ db, caller, path: { host }, now }) {
      await lockMerchantById(db, caller.merchantId)
      await siteHostOf(db, caller.merchantId, host)
      await setCheckAt(db, caller.merchantId, host, now.getTime())
      db.signal('sites')
      return { data: await adminSiteView(db, parts, caller) }
    },

    async makeAdminHostMain({ db, caller, path: { host } }) {
      return changed(db, caller, await makeMain(db, caller.merchantId, host))
    },

    async removeAdminHost({ db, caller, path: { host } }) {
      return changed(db, caller, await removeHost(db, parts, caller.merchantId, host))
    },

    async closeAdminSite({ db, caller, body: { expectedVersion }, now }) {
      return become(db, caller, 'closed', expectedVersion, now.getTime())
    },
  }
}

function statusChange({ id, slug }: Merchant, from: SiteStatus, to: SiteStatus): AuditedChange {
  return { kind: 'change', what: 'site', id, name: slug, members: [{ member: 'status', from, to }] }
}
