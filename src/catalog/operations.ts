// The catalog's four operations. They hand out what was rendered when it changed, and keep whole list pages in memory
// for as long as the merchant's catalog version stands still.

import type { Handler } from '../http/handler.ts'
import { Rendered } from '../http/handler.ts'
import { Lru } from '../kit/lru.ts'
import { refuse } from '../kit/refuse.ts'
import { isSlug } from '../kit/slug.ts'
import { renderCategories, withOrigin } from './answer.ts'
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

    async getApiKeyCatalogProduct({ db, caller, path: { slug } }) {
      const detail = isSlug(slug) ? await findProductDetail(db, caller.merchantId, slug) : undefined
      if (detail === undefined) throw refuse('product_not_found')
      return new Rendered(withOrigin(detail, publicOrigin()))
    },

    async getPublicMerchantProduct({ db, path }) {
      const product =
        isSlug(path.merchantSlug) && isSlug(path.productSlug) ? await findPublicProduct(db, path) : undefined
      if (!product) throw refuse('product_not_found')
      return new Rendered(withOrigin(product.publicDetail, publicOrigin()), {
        'cache-control': 'public, max-age=60, stale-while-revalidate=600',
        etag: product.etag,
        'access-control-allow-origin': '*',
      })
    },
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
