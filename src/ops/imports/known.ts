// Finds products of the shop that have another slug in the file. Files of WooCommerce and Wix have ids and no slugs, and a slug made from
// name and id changes with the name.

import { listCodeOwners, listProductSlugs, listProductsBySlug } from '../../domain/catalog/store.ts'
import { inSlices } from '../../platform/kit/breath.ts'
import { splitIntoGroups } from '../../platform/kit/groups.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { FindKnown, MarkedProduct } from './formats/format.ts'

const slugsAtOnce = 5_000
const productsAtOnce = 100

export function createFindKnown(read: Storage['read'], merchantId: string): FindKnown {
  return async (member, products) => {
    const unknown = new Map<string, MarkedProduct>()
    const bySlug = new Map<string, MarkedProduct>()
    const byEnd = new Map<string, string>()
    for await (const product of inSlices(products)) {
      unknown.set(product.mark, product)
      bySlug.set(product.slug, product)
      byEnd.set(product.end, product.mark)
    }
    const candidates = new Map<string, string>()
    for (let after = '', slugs = ['']; slugs.length > 0; after = slugs.at(-1) ?? '') {
      slugs = await read((db) => listProductSlugs(db, merchantId, after, slugsAtOnce))
      for (const slug of slugs) {
        const named = bySlug.get(slug)
        if (named) unknown.delete(named.mark)
        const mark = byEnd.get(slug.slice(slug.lastIndexOf('-') + 1))
        if (mark !== undefined && unknown.has(mark)) candidates.set(slug, mark)
      }
    }
    const markOf = new Map<string, string>()
    for await (const { mark, codes } of inSlices(unknown.values())) for (const code of codes) markOf.set(code, mark)
    const owners = await read((db) => listCodeOwners(db, merchantId, [...markOf.keys()]))
    for (const { code, slug } of owners) candidates.set(slug, markOf.get(code) ?? '')
    const known = new Map<string, string>()
    for (const slugs of splitIntoGroups([...candidates.keys()], productsAtOnce)) {
      for (const { slug, metadata, skus } of await read((db) => listProductsBySlug(db, merchantId, slugs))) {
        const product = unknown.get(candidates.get(slug) ?? '')
        if (product && !bySlug.has(slug) && isSame(product, slug, metadata[member], skus)) known.set(product.mark, slug)
      }
    }
    return known
  }
}

// A product that was imported by a release without marks is recognized by the end of its slug and one of its codes.
function isSame(
  { mark, end, codes }: MarkedProduct,
  slug: string,
  storedMark: string | undefined,
  skus: readonly { code: string }[],
): boolean {
  if (storedMark !== undefined) return storedMark === mark
  return slug.endsWith(`-${end}`) && skus.some(({ code }) => codes.includes(code))
}
