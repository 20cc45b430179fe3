// Products, SKUs and categories as the merchant sees them. Pure.

import type {
  AdminCategory,
  AdminProduct,
  AdminProductSummary,
  AdminSku,
  AdminStockMovement,
} from '../../contract/admin/catalog.ts'
import type { CategoryEntry, ProductEntry } from '../../contract/entries.ts'
import type { ActorKind, Mode } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MovementRow, ProductHead, ProductSums, SkuHead } from './adminstore.ts'
import { type CategoryRow, categoryPathTo } from './answer.ts'
import { availableQuantity } from './availability.ts'
import { productStatus } from './patch.ts'
import type { ProductRow, SkuRow } from './product.ts'

export function productView(product: ProductRow, mode: Mode): AdminProduct {
  const { id, version, createdAt, updatedAt, archivedAt, skus } = product
  return {
    id,
    version,
    status: productStatus(product),
    product: productEntry(product),
    skus: skus.map((sku) => ({ id: sku.id, code: sku.code, priorPrice: sku.priorPrice, ...sku.stock[mode] })),
    createdAt: toInstant(createdAt),
    updatedAt: toInstant(updatedAt),
    archivedAt: archivedAt === null ? null : toInstant(archivedAt),
  }
}

// The entry that would create this product. Stock is not included, because it is changed separately.
export function productEntry(product: ProductRow): ProductEntry {
  const { slug, name, brand, maker, summary, seoTitle, seoDescription, description, descriptionHtml } = product
  const { publishedAt } = product
  return {
    slug,
    name,
    brand,
    maker,
    warnings: product.warnings.map((warning) => ({ ...warning })),
    withdrawalExempt: product.withdrawalExempt,
    digital: product.digital,
    guarantee: product.guarantee && { ...product.guarantee },
    summary,
    seoTitle,
    seoDescription,
    description,
    descriptionHtml,
    categories: [...product.categories],
    tags: [...product.tags],
    images: product.images.map((image) => ({ ...image })),
    options: product.options.map((option) => ({ name: option.name, values: [...option.values] })),
    published: publishedAt !== null,
    ...(publishedAt !== null && { publishedAt: toInstant(publishedAt) }),
    metadata: { ...product.metadata },
    skus: product.skus.map(skuEntry),
  }
}

function skuEntry(sku: SkuRow): ProductEntry['skus'][number] {
  return {
    code: sku.code,
    name: sku.name,
    options: Object.fromEntries(sku.options.map(({ name, value }) => [name, value])),
    price: sku.price,
    compareAtPrice: sku.compareAtPrice,
    backorder: sku.whenSoldOut === 'backorder',
    counted: sku.whenSoldOut !== 'not_counted',
    maxPerOrder: sku.maxPerOrder,
    requiresShipping: sku.delivery === 'shipped',
    weightGrams: sku.weightGrams,
    measure: sku.measure && { ...sku.measure },
    taxClass: sku.taxClass,
    image: sku.image,
    barcode: sku.barcode,
  }
}

const noSums = { priceMin: 0, priceMax: 0, skuCount: 0, onHand: 0, held: 0 }

export function productSummary(
  head: ProductHead,
  sums: ProductSums | undefined,
  categories: readonly string[],
): AdminProductSummary {
  const { priceMin, priceMax, skuCount, onHand, held } = sums ?? noSums
  return {
    id: head.id,
    slug: head.slug,
    name: head.name,
    brand: head.brand,
    status: productStatus(head),
    picture: firstImage(head.images),
    categories: [...categories],
    tags: JSON.parse(head.tags) as string[],
    priceMin,
    priceMax,
    skuCount,
    onHand,
    held,
    version: head.version,
    updatedAt: toInstant(head.updatedAt),
  }
}

export function skuView({ image, images, ...head }: SkuHead): AdminSku {
  return { ...head, picture: image ?? firstImage(images), available: availableQuantity(head) }
}

// `images`: the JSON text from the database.
function firstImage(images: string): string | null {
  const [image] = JSON.parse(images) as ProductRow['images']
  return image?.url ?? null
}

export function movementView({ ownerId, actorKind, actorId, at, ...row }: MovementRow): AdminStockMovement {
  // The cast holds because the column contains only values of `ActorKind`.
  const actor = actorKind === null || actorId === null ? null : { kind: actorKind as ActorKind, id: actorId }
  return { ...row, orderId: ownerId, actor, at: toInstant(at) }
}

export function categoryView(category: CategoryRow, byId: ReadonlyMap<string, CategoryRow>): AdminCategory {
  return {
    id: category.id,
    version: category.version,
    category: categoryEntry(category, byId),
    parentId: category.parentId,
    path: categoryPathTo(category, byId),
    productCount: category.productCount,
    updatedAt: toInstant(category.updatedAt),
  }
}

export function categoryEntry(category: CategoryRow, byId: ReadonlyMap<string, CategoryRow>): CategoryEntry {
  const { slug, name, description, position, image, parentId } = category
  return {
    slug,
    name,
    description,
    parent: parentId === null ? null : (byId.get(parentId)?.slug ?? null),
    position,
    image,
  }
}
