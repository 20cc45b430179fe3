// Writes the search index of products that change, in the transaction of their change: all of them at once, which takes a fraction of
// what one after the other does.

import type { Tx } from '../../platform/storage/storage.ts'
import { figuresOf, hasSameTexts, textsOf } from './indexed.ts'
import { deleteIndexed, type FiguresChange, type IndexEntry, putIndexed, updateFigures } from './indexstore.ts'
import type { ProductRow, PublishedProduct, SellerFacts } from './product.ts'

export interface ProductChange {
  product: ProductRow
  // Undefined for a new product.
  before: ProductRow | undefined
}

// Each product once. The caller has locked the seller and raises the version of its catalog.
export async function writeIndex(tx: Tx, seller: SellerFacts, changes: readonly ProductChange[]): Promise<void> {
  const [entries, figures, removed]: [IndexEntry[], FiguresChange[], string[]] = [[], [], []]
  for (const { product, before } of changes) {
    const { id: productId, publishedAt } = product
    if (publishedAt === null) {
      // What is new is not there.
      if (before) removed.push(productId)
      continue
    }
    const published = { ...product, publishedAt }
    if (before && before.publishedAt !== null && hasSameTexts(before, product))
      figures.push({ productId, from: before.version, to: product.version, ...figuresOf(seller, published) })
    else entries.push(entryOf(seller, published))
  }
  deleteIndexed(tx, seller.id, removed)
  updateFigures(tx, seller.id, figures)
  putIndexed(tx, seller.id, entries)
}

export function entryOf(seller: SellerFacts, product: PublishedProduct): IndexEntry {
  return {
    productId: product.id,
    version: product.version,
    ...figuresOf(seller, product),
    ...textsOf(seller, product),
  }
}
