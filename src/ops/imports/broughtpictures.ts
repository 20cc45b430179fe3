// Replaces picture URLs in a file by the paths of pictures that an earlier import has downloaded.

import type { ProductEntry } from '../../contract/entries.ts'
import { loadLocalPicturePaths } from '../../domain/catalog/remotepictures.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import type { ReadProduct } from './shopify.ts'

export async function withLocalPictures(
  db: Reader,
  merchant: string,
  products: readonly ReadProduct[],
): Promise<ReadProduct[]> {
  const addresses = products.flatMap(({ entry }) => addressesOf(entry))
  if (addresses.length === 0) return [...products]
  const here = await loadLocalPicturePaths(db, merchant, addresses)
  return products.map((product) => ({ ...product, entry: withPictures(product.entry, here) }))
}

function addressesOf({ images = [], skus }: ProductEntry): string[] {
  return [...images.map(({ url }) => url), ...skus.flatMap(({ image }) => image ?? [])]
}

function withPictures(entry: ProductEntry, here: (address: string) => string): ProductEntry {
  return {
    ...entry,
    ...(entry.images && { images: entry.images.map((image) => ({ ...image, url: here(image.url) })) }),
    skus: entry.skus.map((sku) => (sku.image ? { ...sku, image: here(sku.image) } : sku)),
  }
}
