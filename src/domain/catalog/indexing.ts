// Writes the search index of changed products, in the transaction of their change: all products together, which is several times as fast
// as one after another.

import type { Tx } from '../../platform/storage/storage.ts'
import { hasSameTexts, indexFiguresOf, indexTextsOf } from './indexed.ts'
import { deleteIndexed, type FiguresChange, type IndexEntry, putIndexEntries, updateFigures } from './indexstore.ts'
import type { ProductRow, PublishedProduct, SellerFacts } from './product.ts'

export interface ProductChange {
  product: ProductRow
  // Undefined for a new product.
  before: ProductRow | undefined
}

// Each product may occur only once. The caller must have locked the seller, and must raise the version of its catalog.
export async function writeIndex(tx: Tx, seller: SellerFacts, changes: readonly ProductChange[]): Promise<void> {
  const [entries, figures, removed]: [IndexEntry[], FiguresChange[], string[]] = [[], [], []]
  for (const { product, before } of changes) {
    const { id: productId, publishedAt } = product
    if (publishedAt === null) {
      // A new product is not in the index.
      if (before) removed.push(productId)
      continue
    }
    const published = { ...product, publishedAt }
    if (before && before.publishedAt !== null && hasSameTexts(before, product))
      figures.push({ productId, from: before.version, to: product.version, ...indexFiguresOf(seller, published) })
    else entries.push(buildIndexEntry(seller, published))
  }
  deleteIndexed(tx, seller.id, removed)
  updateFigures(tx, seller.id, figures)
  putIndexEntries(tx, seller.id, entries)
}

export function buildIndexEntry(seller: SellerFacts, product: PublishedProduct): IndexEntry {
  return {
    productId: product.id,
    version: product.version,
    ...indexFiguresOf(seller, product),
    ...indexTextsOf(seller, product),
  }
}
