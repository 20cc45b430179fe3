// Changes some members of many products and SKUs at once. Pure: throws a refusal if a change is invalid.

import { limits } from '../../contract/limits.ts'
import type { PriceEnding, ProductStatus } from '../../contract/words.ts'
import { currencyExponent } from '../../platform/kit/money.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ProductRow, SkuRow } from './product.ts'

export function productStatus({
  publishedAt,
  archivedAt,
}: Pick<ProductRow, 'publishedAt' | 'archivedAt'>): ProductStatus {
  if (archivedAt !== null) return 'archived'
  return publishedAt === null ? 'hidden' : 'published'
}

export interface ProductPatch {
  status?: ProductStatus | undefined
  // Slugs of categories.
  addCategory?: string | undefined
  removeCategory?: string | undefined
  // Null removes the brand.
  brand?: string | null | undefined
  // Slug of the maker; null removes the maker.
  maker?: string | null | undefined
  addTag?: string | undefined
  removeTag?: string | undefined
  // Basis points: 500 raises every price by 5 %.
  pricePercentage?: number | undefined
  priceEnding?: PriceEnding | undefined
  // SKUs that are not shipped keep their price.
  shippedOnly?: boolean | undefined
}

const categoriesMax = 20
const tagsMax = 50

export function applyProductPatch(
  before: ProductRow,
  patch: ProductPatch,
  { now, currency }: { now: number; currency: string },
): ProductRow {
  const {
    pricePercentage: percentage,
    priceEnding,
    shippedOnly,
    addCategory,
    removeCategory,
    addTag,
    removeTag,
  } = patch
  return {
    ...before,
    ...(patch.status && instantsOf(before, patch.status, now)),
    ...(patch.brand !== undefined && { brand: patch.brand?.trim() || null }),
    ...(patch.maker !== undefined && { maker: patch.maker }),
    categories: changedList(before.categories, addCategory, removeCategory, categoriesMax),
    tags: changedList(before.tags, addTag, removeTag, tagsMax),
    skus:
      percentage === undefined
        ? before.skus
        : before.skus.map((sku) =>
            shippedOnly && sku.delivery !== 'shipped'
              ? sku
              : applySkuPatch(sku, {
                  price: roundToPriceEnding(changePriceByPercent(sku.price, percentage), priceEnding, currency),
                }),
          ),
  }
}

// A product that has the wanted status already keeps the time of its publication or archiving.
function instantsOf(
  before: ProductRow,
  status: ProductStatus,
  now: number,
): Pick<ProductRow, 'publishedAt' | 'archivedAt'> {
  if (status === 'published') return { publishedAt: before.publishedAt ?? now, archivedAt: null }
  return { publishedAt: null, archivedAt: status === 'archived' ? (before.archivedAt ?? now) : null }
}

function changedList(
  values: readonly string[],
  added: string | undefined,
  removed: string | undefined,
  max: number,
): readonly string[] {
  const left = removed === undefined ? values : values.filter((value) => value !== removed)
  if (added === undefined || left.includes(added)) return left
  if (left.length >= max) throw refuse('product_list_full', { current: { limit: max } })
  return [...left, added]
}

// Half a minor unit is rounded up.
export function changePriceByPercent(price: number, percentage: number): number {
  return Math.floor((price * (10_000 + percentage) + 5_000) / 10_000)
}

// The nearest price with this ending; of two at equal distance, the higher one. Never zero for a price above zero.
export function roundToPriceEnding(price: number, ending: PriceEnding | undefined, currency: string): number {
  if (ending === undefined || price === 0) return price
  const unit = 10 ** (currencyExponent(currency) ?? 2)
  const end = ending === 'whole' || unit < 100 ? 0 : (unit / 100) * Number(ending)
  const below = Math.floor((price - end) / unit) * unit + end
  const nearest = price - below < below + unit - price ? below : below + unit
  return nearest > 0 ? nearest : nearest + unit
}

export interface SkuPatch {
  price?: number | undefined
  compareAtPrice?: number | null | undefined
}

export function applySkuPatch(
  before: SkuRow,
  { price = before.price, compareAtPrice = before.compareAtPrice }: SkuPatch,
): SkuRow {
  if (price > limits.amountMax) throw refuse('price_not_possible', { current: { code: before.code, price } })
  if (compareAtPrice !== null && compareAtPrice <= price) {
    const message = `The compare-at price of ${before.code} must be above its price.`
    throw refuse('price_not_possible', { message, current: { code: before.code, price, compareAtPrice } })
  }
  return { ...before, price, compareAtPrice }
}
