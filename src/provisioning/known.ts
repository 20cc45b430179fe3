// Finds products of the shop that a file names otherwise by now: WooCommerce's file has ids and no slugs, and a slug that is made of
// name and id changes with the name.

import { listCodeOwners, listProductSlugs, listProductsBySlug } from '../catalog/store.ts'
import { inSlices } from '../kit/breath.ts'
import { inGroups } from '../kit/groups.ts'
import type { Storage } from '../storage/storage.ts'
import { type FindKnown, type MarkedProduct, markMember } from './formats/format.ts'

const slugsAtOnce = 5_000
const productsAtOnce = 100

export function findKnownIn(read: Storage['read'], merchantId: string): FindKnown {
  return async (products) => {
    const unknown = new Map<string, MarkedProduct>()
    const bySlug = new Map<string, MarkedProduct>()
    for await (const product of inSlices(products)) {
      unknown.set(product.mark, product)
      bySlug.set(product.slug, product)
    }
    const candidates = new Map<string, string>()
    for (let after = '', slugs = ['']; slugs.length > 0; after = slugs.at(-1) ?? '') {
      slugs = await read((db) => listProductSlugs(db, merchantId, after, slugsAtOnce))
      for (const slug of slugs) {
        const named = bySlug.get(slug)
        if (named) unknown.delete(named.mark)
        const mark = slug.slice(slug.lastIndexOf('-') + 1)
        if (unknown.has(mark)) candidates.set(slug, mark)
      }
    }
    const markOf = new Map<string, string>()
    for await (const { mark, codes } of inSlices(unknown.values())) for (const code of codes) markOf.set(code, mark)
    const owners = await read((db) => listCodeOwners(db, merchantId, [...markOf.keys()]))
    for (const { code, slug } of owners) candidates.set(slug, markOf.get(code) ?? '')
    const known = new Map<string, string>()
    for (const slugs of inGroups([...candidates.keys()], productsAtOnce)) {
      for (const { slug, metadata, skus } of await read((db) => listProductsBySlug(db, merchantId, slugs))) {
        const product = unknown.get(candidates.get(slug) ?? '')
        if (product && !bySlug.has(slug) && isSame(product, slug, metadata, skus)) known.set(product.mark, slug)
      }
    }
    return known
  }
}

// One that was imported before products had marks is known by the end of its slug and one of its codes.
function isSame(
  { mark, codes }: MarkedProduct,
  slug: string,
  metadata: Readonly<Record<string, string>>,
  skus: readonly { code: string }[],
): boolean {
  if (metadata[markMember] !== undefined) return metadata[markMember] === mark
  return slug.endsWith(`-${mark}`) && skus.some(({ code }) => codes.includes(code))
}
