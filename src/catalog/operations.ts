// The catalog's four operations. They hand out what was rendered when it changed, and keep whole list pages in memory
// for as long as the merchant's catalog version stands still. A product whose stock changed since is rendered anew at
// each read until the loop has caught up; a list waits for the loop.

import { createHash } from 'node:crypto'
import type { Handler } from '../http/handler.ts'
import { Rendered } from '../http/handler.ts'
import { Lru } from '../kit/lru.ts'
import { refuse } from '../kit/refuse.ts'
import { isSlug } from '../kit/slug.ts'
import { renderCategories, withOrigin } from './answer.ts'
import { currentAnswers, isStale } from './refresh.ts'
import {
  findCatalogVersion,
  findProductDetail,
  findPublicProduct,
  type ListPosition,
  listCategories,
  listProducts,
  listProductsAfter,
} from './store.ts'

const rowsMax = 100
// A page of a hundred products is 50 to 100 KB.
const keptPagesMax = 200

type CatalogOperation =
  | 'listApiKeyCatalogCategories'
  | 'listApiKeyCatalogProducts'
  | 'getApiKeyCatalogProduct'
  | 'getPublicMerchantProduct'

export function catalogOperations(publicOrigin: () => string): { [Id in CatalogOperation]: Handler<Id> } {
  const pages = new Lru<string, KeptPage>(keptPagesMax)
  const originTag = createOriginTag()

  async function keptPage(key: string, load: () => Promise<KeptPage>): Promise<KeptPage> {
    const kept = pages.get(key)
    if (kept) return kept
    const page = await load()
    pages.set(key, page)
    return page
  }

  return {
    async listApiKeyCatalogCategories({ db, caller, page }) {
      const version = await findCatalogVersion(db, caller.merchantId)
      const start = page.after === null ? 0 : Number(page.after)
      const kept = await keptPage(`categories ${caller.merchantId} ${version} ${start}`, async () => {
        const rows = renderCategories(await listCategories(db, caller.merchantId)).slice(start, start + rowsMax + 1)
        return pageOf(rows, publicOrigin(), () => String(start + rowsMax))
      })
      return listAnswer(kept, page.next)
    },

    async listApiKeyCatalogProducts({ db, caller, page }) {
      const version = await findCatalogVersion(db, caller.merchantId)
      const kept = await keptPage(`products ${caller.merchantId} ${version} ${page.after ?? ''}`, async () => {
        const rows =
          page.after === null
            ? await listProducts(db, caller.merchantId, rowsMax + 1)
            : await listProductsAfter(db, caller.merchantId, readPosition(page.after), rowsMax + 1)
        return pageOf(
          rows.map((row) => row.listRow),
          publicOrigin(),
          () => {
            const last = rows[rowsMax - 1]
            return last ? `${last.publishedAt} ${last.productId}` : ''
          },
        )
      })
      return listAnswer(kept, page.next)
    },

    async getApiKeyCatalogProduct({ db, caller, path: { slug }, now }) {
      const kept = isSlug(slug) ? await findProductDetail(db, caller.merchantId, slug) : undefined
      if (!kept) throw refuse('product_not_found')
      const { detail } = isStale(kept, now) ? await currentAnswers(db, caller.merchantId, kept.productId, now) : kept
      return new Rendered(withOrigin(detail, publicOrigin()))
    },

    async getPublicMerchantProduct({ db, path, now }) {
      const kept = isSlug(path.merchantSlug) && isSlug(path.productSlug) ? await findPublicProduct(db, path) : undefined
      if (!kept) throw refuse('product_not_found')
      const { publicDetail, etag } = isStale(kept, now)
        ? await currentAnswers(db, kept.merchantId, kept.productId, now)
        : kept
      const origin = publicOrigin()
      return new Rendered(withOrigin(publicDetail, origin), {
        'cache-control': 'public, max-age=60, stale-while-revalidate=600',
        etag: `${etag.slice(0, -1)}-${originTag(origin)}"`,
      })
    },
  }
}

// What is kept leaves our origin open, so its hash does not know it, and the bytes that are sent do.
function createOriginTag(): (origin: string) => string {
  let known: { origin: string; tag: string } | undefined
  return (origin) => {
    if (known?.origin !== origin) {
      known = { origin, tag: createHash('sha256').update(origin).digest('base64url').slice(0, 8) }
    }
    return known.tag
  }
}

// The rows of a page as one text, and where the list goes on.
interface KeptPage {
  rows: string
  count: number
  next: string | null
}

function pageOf(rows: readonly string[], publicOrigin: string, position: () => string): KeptPage {
  const shown = rows.slice(0, rowsMax)
  return {
    rows: withOrigin(shown.join(','), publicOrigin),
    count: shown.length,
    next: rows.length > rowsMax ? position() : null,
  }
}

function listAnswer({ rows, count, next }: KeptPage, link: (position: string) => string): Rendered {
  const href = next === null ? 'null' : JSON.stringify(link(next))
  return new Rendered(`{"data":[${rows}],"meta":{"count":${count},"next":${href}}}`)
}

// Only ever what this file wrote: the road has checked the signature.
function readPosition(after: string): ListPosition {
  const [publishedAt, productId] = after.split(' ')
  return { publishedAt: Number(publishedAt), productId: productId ?? '' }
}
