// Renders the responses of the catalog operations. A product is rendered when it changes and stored as text, so most reads render nothing.
// Only our own public origin is filled in later, because it may change with a restart.

import { createHash } from 'node:crypto'
import type { PartyEntry } from '../../contract/entries.ts'
import type {
  Measure,
  PublicCatalogCategoryListResponse,
  PublicCatalogProductDetailResponse,
  PublicCatalogProductListResponse,
  Safety,
} from '../../contract/open/catalog.ts'
import type { Mode } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { pricedMeasure } from '../../platform/kit/unitprice.ts'
import type { MakerRecord } from '../makers/maker.ts'
import { availabilityFor, availableQuantity, bestAvailability } from './availability.ts'
import type { ProductRow, PublishedProduct, SellerFacts, SkuRow } from './product.ts'

type ListRow = PublicCatalogProductListResponse['data'][number]
type Detail = PublicCatalogProductDetailResponse['data']
type ListedCategory = PublicCatalogCategoryListResponse['data'][number]

export interface ProductAnswers {
  listRow: string
  detail: string
  publicDetail: string
  etag: string
}

export type MakersBySlug = ReadonlyMap<string, MakerRecord>

// Renders the responses for one mode, because each mode has its own stock.
export function renderProduct(
  seller: SellerFacts,
  product: PublishedProduct,
  mode: Mode,
  makers: MakersBySlug,
): ProductAnswers {
  const row = listRowFor(seller, product, mode)
  const safety = safetyOf(product, makers)
  const { seoTitle, seoDescription, withdrawalExempt, digital, guarantee } = product
  const own = { seoTitle, seoDescription, withdrawalExempt, digital, guarantee, safety }
  const detail: Detail = { ...detailFor(seller, product, mode, row), ...own }
  const open: Detail = {
    ...detail,
    metadata: {},
    skus: detail.skus.map((sku) => ({ ...sku, availableQuantity: null })),
  }
  const publicDetail = storedText({ data: open })
  return {
    listRow: storedText(row),
    detail: storedText({ data: detail }),
    publicDetail,
    etag: `"${createHash('sha256').update(publicDetail).digest('base64url').slice(0, 22)}"`,
  }
}

// A placeholder for our own origin; JSON text never contains this character unescaped.
const origin = '\u0001'

export function withOrigin(stored: string, publicOrigin: string): string {
  return stored.replaceAll(origin, publicOrigin)
}

// An image under /media/ is ours; any other URL is used unchanged.
function pictureUrl(picture: string): string {
  return picture.startsWith('/media/') ? `${origin}${picture}` : picture
}

// JSON escapes the placeholder. Directly after an opening quotation mark the escape can only be our placeholder, because names and texts
// of a shop are refused if they contain control characters.
function storedText(value: object): string {
  return JSON.stringify(value).replaceAll('"\\u0001/media/', `"${origin}/media/`)
}

function listRowFor(seller: SellerFacts, product: PublishedProduct, mode: Mode): ListRow {
  const { skus, images } = product
  const prices = skus.map((sku) => sku.price)
  const [image] = images
  const cheapest = skus.find(({ price }) => price === Math.min(...prices))
  return {
    id: product.id,
    slug: product.slug,
    name: product.name,
    brand: product.brand,
    summary: product.summary,
    categories: [...product.categories],
    imageUrl: image ? pictureUrl(image.url) : null,
    imageAlt: image ? image.alt : null,
    priceRange: {
      min: { amount: Math.min(...prices), currency: seller.currency },
      max: { amount: Math.max(...prices), currency: seller.currency },
    },
    priorPrice: cheapest ? reductionOf(seller, cheapest).priorPrice : null,
    measure: cheapest ? measureView(seller, cheapest) : null,
    availability: bestAvailability(skus.map((sku) => skuAvailability(seller, sku, mode))),
    skuCount: skus.length,
    tags: [...product.tags],
    publishedAt: toInstant(product.publishedAt),
    updatedAt: toInstant(product.updatedAt),
  }
}

function detailFor(seller: SellerFacts, product: ProductRow, mode: Mode, row: ListRow): Detail {
  return {
    ...row,
    description: product.description,
    ...(product.descriptionHtml !== null && { descriptionHtml: product.descriptionHtml }),
    merchant: { slug: seller.slug, name: seller.name },
    media: product.images.map(({ url, alt, width, height }) => ({ url: pictureUrl(url), alt, width, height })),
    options: product.options.map(({ name, values }) => ({ name, values: [...values] })),
    skus: product.skus.map((sku) => ({
      id: sku.id,
      code: sku.code,
      name: sku.name,
      options: sku.options.map(({ name, value }) => ({ name, value })),
      price: { amount: sku.price, currency: seller.currency },
      ...reductionOf(seller, sku),
      measure: measureView(seller, sku),
      availability: skuAvailability(seller, sku, mode),
      availableQuantity: sku.whenSoldOut === 'not_counted' ? null : availableQuantity(sku.stock[mode]),
      maxPerOrder: sku.maxPerOrder,
      requiresShipping: sku.delivery === 'shipped',
      weightGrams: sku.weightGrams,
      imageUrl: sku.image === null ? null : pictureUrl(sku.image),
    })),
    metadata: { ...product.metadata },
  }
}

function safetyOf({ maker: slug, warnings }: ProductRow, makers: MakersBySlug): Safety | null {
  const maker = slug === null ? undefined : makers.get(slug)
  if (!maker && warnings.length === 0) return null
  return {
    makers: maker ? [partyView(maker)] : [],
    responsible: maker?.responsible ? [partyView(maker.responsible)] : [],
    warnings: warnings.map(({ language, text }) => ({ language, text })),
  }
}

function partyView({ name, address, country, contact }: PartyEntry) {
  return { name, address: [...address], country, contact }
}

// A compare-at price is shown only together with the prior price that the price history gives.
function reductionOf({ currency }: SellerFacts, { compareAtPrice, priorPrice }: SkuRow) {
  if (compareAtPrice === null || priorPrice === null) return { compareAtPrice: null, priorPrice: null }
  return { compareAtPrice: { amount: compareAtPrice, currency }, priorPrice: { amount: priorPrice, currency } }
}

function measureView({ currency }: SellerFacts, { measure, price }: SkuRow): Measure | null {
  const priced = pricedMeasure(measure, price)
  return priced && { ...priced, price: { amount: priced.price, currency } }
}

function skuAvailability(seller: SellerFacts, { stock, whenSoldOut }: SkuRow, mode: Mode) {
  return availabilityFor({ available: availableQuantity(stock[mode]), whenSoldOut }, seller.lowStockAt)
}

export interface CategoryRow {
  id: string
  slug: string
  name: string
  description: string
  parentId: string | null
  position: number
  image: string | null
  productCount: number
  updatedAt: number
  // Incremented by every change that the merchant makes.
  version: number
}

// Sorts in the order of the contract: position, name, id. Compares by code unit, so both database engines agree.
export function sortCategories(categories: readonly CategoryRow[]): CategoryRow[] {
  return categories.toSorted((a, b) => a.position - b.position || compare(a.name, b.name) || compare(a.id, b.id))
}

export function renderCategories(categories: readonly CategoryRow[]): string[] {
  const byId = new Map(categories.map((category) => [category.id, category]))
  return sortCategories(categories).map((category) => {
    const row: ListedCategory = {
      id: category.id,
      slug: category.slug,
      name: category.name,
      description: category.description,
      parentId: category.parentId,
      path: categoryPathTo(category, byId),
      position: category.position,
      productCount: category.productCount,
      imageUrl: category.image === null ? null : pictureUrl(category.image),
      updatedAt: toInstant(category.updatedAt),
    }
    return storedText(row)
  })
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

// More than `categoryDepthMax`; the bound only keeps a damaged tree from causing an endless loop.
const depthMax = 20

export function categoryPathTo(category: CategoryRow, byId: ReadonlyMap<string, CategoryRow>): string[] {
  const path: string[] = []
  let at: CategoryRow | undefined = category
  while (at && path.length < depthMax) {
    path.unshift(at.slug)
    at = at.parentId === null ? undefined : byId.get(at.parentId)
  }
  return path
}
