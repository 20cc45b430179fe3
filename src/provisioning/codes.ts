// SKU codes that a file shares with other products of the shop. Codes are unique here and need not be in other systems, so
// such a SKU comes in under a code that is made of its own, the same in every import.

import { listCodeOwners } from '../catalog/store.ts'
import type { Reader } from '../storage/storage.ts'
import { madeCode, type ReadProduct } from './shopify.ts'

export async function withOwnCodes(
  db: Reader,
  merchant: string,
  products: readonly ReadProduct[],
): Promise<ReadProduct[]> {
  const codes = products.flatMap(({ entry, sharedCodes }) => [
    ...entry.skus.map(({ code }) => code),
    ...sharedCodes.values(),
  ])
  const owners = new Map((await listCodeOwners(db, merchant, codes)).map(({ code, slug }) => [code, slug]))
  return products.map((product) => {
    const { line, entry, sharedCodes } = product
    const notes = [...product.notes]
    const taken = new Set(entry.skus.map(({ code }) => code))
    const skus = entry.skus.map((sku) => {
      // The file names it after another SKU of that code, and here it is the one that has it.
      const shared = sharedCodes.get(sku.code)
      if (shared !== undefined && owners.get(shared) === entry.slug && !taken.has(shared))
        return { ...sku, code: shared }
      const owner = owners.get(sku.code) ?? entry.slug
      if (owner === entry.slug) return sku
      const values = (entry.options ?? []).map(({ name }) => sku.options?.[name] ?? '')
      const code = madeCode(sku.code, entry.slug, values)
      notes.push(`line ${line}: the SKU "${sku.code}" belongs to the product ${owner}; here it became "${code}"`)
      return { ...sku, code }
    })
    return { ...product, entry: { ...entry, skus }, notes }
  })
}
