// The admin operations on the site: its state, its content, its hosts and its pages.

import { type pageOperationRows, pagesMax } from '../../contract/admin/pages.ts'
import type { siteOperationRows } from '../../contract/admin/site.ts'
import { issueAt } from '../../contract/issues.ts'
import type { SiteStatus } from '../../contract/words.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems, versionConflict } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isSlug } from '../../platform/kit/slug.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { lockMerchantById, type Merchant } from '../merchants/store.ts'
import { claimPaths, recordMoves } from '../redirects/change.ts'
import { pagePath } from '../redirects/paths.ts'
import { openOrClose } from './change.ts'
import { contentProblems, draftContent, normalizeContent, publishedContent } from './content.ts'
import { changeContent, nullIfPublished } from './contentchange.ts'
import { findSiteContent } from './contentstore.ts'
import { addHost, removeHost, requestHostCheck, setMainHostAudited } from './hostchange.ts'
import { normalizeHost } from './hosts.ts'
import { pageChange, pageProblems, pageRowOf, pageView } from './pages.ts'
import { deletePage, findPage, insertPage, listPages, type PageRow, updatePage } from './pagestore.ts'
import { adminSiteView, type SiteContext, siteStatusOf, siteVersionOf } from './site.ts'
import { findStoredSite } from './store.ts'

export function adminSiteOperations(parts: SiteContext): { [Id in keyof typeof siteOperationRows]: AdminHandler<Id> } {
  async function become(tx: Tx, caller: MerchantMode, wanted: SiteStatus, expectedVersion: number, now: number) {
    const { merchant, site } = await lockSite(tx, parts, caller, expectedVersion)
    const before = siteStatusOf(site)
    const changes = before === wanted ? [] : [statusChange(merchant, before, wanted)]
    if (changes.length > 0) await openOrClose(tx, parts, caller, wanted, now)
    return siteChanged(tx, parts, caller, changes)
  }

  return {
    async getAdminSite({ db, caller }) {
      return { data: await adminSiteView(db, parts, caller) }
    },

    async replaceAdminSite({ db, caller, body: { expectedVersion, look, home, menus }, now, cause }) {
      const given = { look, home, menus }
      refuseProblems('', contentProblems(given))
      const { merchant, content } = await lockSite(db, parts, caller, expectedVersion)
      const published = publishedContent(merchant, content)
      const draft = nullIfPublished(published, normalizeContent(given))
      const context = { now: now.getTime(), cause }
      return siteChanged(db, parts, caller, await changeContent(db, merchant, { ...published, draft }, context))
    },

    async publishAdminSite({ db, caller, body: { expectedVersion }, now, cause }) {
      const { merchant, content } = await lockSite(db, parts, caller, expectedVersion)
      const wanted = draftContent(content) ?? publishedContent(merchant, content)
      const context = { now: now.getTime(), cause }
      return siteChanged(db, parts, caller, await changeContent(db, merchant, { ...wanted, draft: null }, context))
    },

    async openAdminSite({ db, caller, body: { expectedVersion }, now }) {
      return become(db, caller, 'open', expectedVersion, now.getTime())
    },

    async addAdminHost({ db, caller, body, now }) {
      const host = normalizeHost(body.host)
      const isOwn = host === URL.parse(parts.publicOrigin())?.hostname
      if (host === undefined || isOwn) refuseProblems('', [issueAt('/host', isOwn ? 'own_host' : 'host_not_public')])
      return siteChanged(db, parts, caller, await addHost(db, caller.merchantId, host ?? '', now.getTime()))
    },

    async checkAdminHost({ db, caller, path: { host }, now }) {
      return siteChanged(db, parts, caller, await requestHostCheck(db, caller.merchantId, host, now.getTime()))
    },

    async makeAdminHostMain({ db, caller, path: { host } }) {
      return siteChanged(db, parts, caller, await setMainHostAudited(db, caller.merchantId, host))
    },

    async removeAdminHost({ db, caller, path: { host } }) {
      return siteChanged(db, parts, caller, await removeHost(db, parts, caller.merchantId, host))
    },

    async closeAdminSite({ db, caller, body: { expectedVersion }, now }) {
      return become(db, caller, 'closed', expectedVersion, now.getTime())
    },
  }
}

async function lockSite(tx: Tx, parts: SiteContext, caller: MerchantMode, expectedVersion: number) {
  const merchant = await lockMerchantById(tx, caller.merchantId)
  if (!merchant) throw new Error(`merchant ${caller.merchantId} does not exist`)
  const [site, content] = [await findStoredSite(tx, caller), await findSiteContent(tx, caller.merchantId)]
  if (siteVersionOf(site, content) !== expectedVersion) throw versionConflict(await adminSiteView(tx, parts, caller))
  return { merchant, site, content }
}

async function siteChanged(tx: Tx, parts: SiteContext, caller: MerchantMode, changes: readonly AuditedChange[]) {
  return new AuditedReply(
    { data: await adminSiteView(tx, parts, caller), changes: changes.map(subjectChangeView) },
    changes,
  )
}

export function adminPageOperations(): { [Id in keyof typeof pageOperationRows]: AdminHandler<Id> } {
  return {
    async getAdminPages({ db, caller }) {
      return { data: (await listPages(db, caller.merchantId)).map(pageView) }
    },

    async getAdminPage({ db, caller, path: { slug } }) {
      const page = isSlug(slug) ? await findPage(db, caller.merchantId, slug) : undefined
      if (!page) throw refuse('page_not_found')
      return { data: pageView(page) }
    },

    async createAdminPage({ db, caller, body: { idempotencyKey: _, ...entry }, now }) {
      refuseProblems('', pageProblems(entry))
      await lockMerchantById(db, caller.merchantId)
      const pages = await listPages(db, caller.merchantId)
      if (pages.some(({ slug }) => slug === entry.slug)) throw refuse('page_exists')
      if (pages.length >= pagesMax) throw refuse('page_limit')
      const page = pageRowOf(entry, 1, now.getTime())
      await insertPage(db, caller.merchantId, page)
      await claimPaths(db, caller.merchantId, [pagePath(page.slug)])
      return pageChanged(db, page, pageChange('create', undefined, page))
    },

    async replaceAdminPage({ db, caller, path: { slug }, body, now }) {
      const { idempotencyKey: _, expectedVersion, ...members } = body
      const before = await lockPage(db, caller.merchantId, slug, expectedVersion)
      const entry = { slug, ...members }
      refuseProblems('', pageProblems(entry))
      const wanted = pageRowOf(entry, before.version + 1, now.getTime())
      const change = pageChange('change', before, wanted)
      if (change.members.length === 0) return pageChanged(db, before, change)
      await updatePage(db, caller.merchantId, wanted)
      return pageChanged(db, wanted, change)
    },

    async removeAdminPage({ db, caller, path: { slug }, body: { expectedVersion }, now }) {
      const before = await lockPage(db, caller.merchantId, slug, expectedVersion)
      await deletePage(db, caller.merchantId, slug)
      const gone = before.isPublished ? [{ from: pagePath(slug), to: null }] : []
      await recordMoves(db, caller.merchantId, gone, 'removal', now.getTime())
      return pageChanged(db, before, pageChange('retire', before, undefined))
    },
  }
}

async function lockPage(tx: Tx, merchantId: string, slug: string, expectedVersion: number): Promise<PageRow> {
  await lockMerchantById(tx, merchantId)
  const page = isSlug(slug) ? await findPage(tx, merchantId, slug) : undefined
  if (!page) throw refuse('page_not_found')
  if (page.version !== expectedVersion) throw versionConflict(pageView(page))
  return page
}

function pageChanged(tx: Tx, page: PageRow, change: AuditedChange) {
  const changes = change.kind === 'change' && change.members.length === 0 ? [] : [change]
  if (changes.length > 0) tx.signal('sites')
  return new AuditedReply({ data: pageView(page), changes: changes.map(subjectChangeView) }, changes)
}

function statusChange({ id, slug }: Merchant, from: SiteStatus, to: SiteStatus): AuditedChange {
  return { kind: 'change', what: 'site', id, name: slug, members: [{ member: 'status', from, to }] }
}
