// SKU codes of files. Codes are unique within a shop, but may repeat in other systems. A SKU whose code belongs to another product of the
// shop gets a code that is generated from its own. Every import generates the same code.

import { remark } from '../../contract/remarks.ts'
import { listCodeOwners, listProductsBySlug } from '../../domain/catalog/store.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { generateSkuCode, type ReadProduct } from './shopify.ts'
import type { StockOutcome } from './stockfile.ts'

export async function withOwnCodes(
  db: Reader,
  merchant: string,
  products: readonly ReadProduct[],
): Promise<ReadProduct[]> {
  const codes = products.flatMap(({ entry, sharedCodes }) => [
    ...entry.skus.flatMap(({ code }) => [code, ...formerCode(code)]),
    ...sharedCodes.values(),
  ])
  const owners = new Map((await listCodeOwners(db, merchant, codes)).map(({ code, slug }) => [code, slug]))
  return products.map((product) => {
    const { line, entry, sharedCodes } = product
    const notes = [...product.notes]
    const taken = new Set(entry.skus.map(({ code }) => code))
    const skus = entry.skus.map((sku) => {
      // Two SKUs of the file share a code, so this SKU got a generated one. It keeps the shared code if it has that code in the catalog.
      const shared = sharedCodes.get(sku.code)
      if (shared !== undefined && owners.get(shared) === entry.slug && !taken.has(shared))
        return { ...sku, code: shared }
      const [former] = formerCode(sku.code)
      if (former !== undefined && !owners.has(sku.code) && owners.get(former) === entry.slug)
        return { ...sku, code: former }
      const owner = owners.get(sku.code) ?? entry.slug
      if (owner === entry.slug) return sku
      const values = (entry.options ?? []).map(({ name }) => sku.options?.[name] ?? '')
      const code = generateSkuCode(sku.code, entry.slug, values)
      notes.push({ ...remark('sku_used_elsewhere', { value: sku.code, slug: owner, sku: code }), line })
      return { ...sku, code }
    })
    return { ...product, entry: { ...entry, skus }, notes }
  })
}

// Earlier releases imported the apostrophe that Shopify writes before digits as a part of the code. Such a SKU keeps its code, and with
// it its stock.
function formerCode(code: string): string[] {
  return /^\d/.test(code) ? [`'${code}`] : []
}

// A stock file may name SKUs by product and options. Returns the outcomes with the codes that these SKUs have in the catalog, which may
// differ from those in the file.
export async function withKnownCodes(
  db: Reader,
  merchant: string,
  outcomes: readonly StockOutcome[],
): Promise<StockOutcome[]> {
  const variantOf = (outcome: StockOutcome) => (outcome.kind === 'level' ? outcome.variant : undefined)
  const slugs = new Set(outcomes.flatMap((outcome) => variantOf(outcome)?.slug ?? []))
  if (slugs.size === 0) return [...outcomes]
  const products = new Map(
    (await listProductsBySlug(db, merchant, [...slugs])).map((product) => [product.slug, product]),
  )
  return outcomes.map((outcome) => {
    const variant = variantOf(outcome)
    if (!variant) return outcome
    const values = JSON.stringify(variant.values)
    const sku = products
      .get(variant.slug)
      ?.skus.find(({ options }) => JSON.stringify(options.map(({ value }) => value)) === values)
    if (sku) return { ...outcome, code: sku.code }
    if (outcome.code !== '') return outcome
    const name = [variant.slug, ...variant.values].join(' / ').slice(0, 200)
    return { kind: 'refused', line: outcome.line, code: name, reason: remark('variant_unknown') }
  })
}
