// The open operations on sites.

import { createHash } from 'node:crypto'
import { RenderedReply } from '../../platform/http/handler.ts'
import type { OpenInterfaceHandler } from '../../platform/http/open.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isSlug } from '../../platform/kit/slug.ts'
import { findPublicSeller } from '../merchants/store.ts'
import { normalizePath } from '../redirects/paths.ts'
import { findPage } from './pagestore.ts'
import { resolveSitePath } from './resolve.ts'
import { type SiteContext, siteView } from './site.ts'

type SiteOperation = 'getSite' | 'getPage' | 'resolvePath' | 'getMerchantSite'

export function siteOperations(parts: SiteContext): { [Id in SiteOperation]: OpenInterfaceHandler<Id> } {
  return {
    async getSite({ db, caller }) {
      return { data: await siteView(db, parts, caller) }
    },

    async getPage({ db, caller, path: { slug } }) {
      const page = isSlug(slug) ? await findPage(db, caller.merchantId, slug) : undefined
      if (!page?.isPublished) throw refuse('page_not_found')
      const { title, description, body } = page
      return { data: { slug, title, description, bodyHtml: body } }
    },

    async resolvePath({ db, caller, query }) {
      const path = normalizePath(query.path)
      const found = path === undefined ? undefined : await resolveSitePath(db, caller, path)
      return { data: found ?? { kind: 'missing', path: null } }
    },

    async getMerchantSite({ db, path: { merchantSlug } }) {
      const seller = isSlug(merchantSlug) ? await findPublicSeller(db, merchantSlug) : undefined
      if (!seller) throw refuse('merchant_not_found')
      return openly({ data: await siteView(db, parts, seller) })
    },
  }
}

// Every caller gets the same bytes, so a shared cache may store them.
function openly(answer: object): RenderedReply {
  const body = JSON.stringify(answer)
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return new RenderedReply(body, {
    'cache-control': 'public, max-age=60, stale-while-revalidate=600',
    etag: `"${digest}"`,
  })
}
