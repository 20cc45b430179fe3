// Turns entries into records in normal form, with every default filled in. Pure.

import type { ProductEntry, SkuEntry } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { cutText } from '../../platform/kit/cut.ts'
import { completeMeasure } from '../../platform/kit/unitprice.ts'
import { warningText } from '../../platform/kit/warningtext.ts'
import { htmlToPlainText } from './plaintext.ts'
import type { ProductRecord, SkuRecord } from './product.ts'
import { sanitizeHtml } from './safehtml.ts'

// `keptPublishedAt`: when the stored product was published, or null; an entry that is published without a date keeps it.
export function productRecord(entry: ProductEntry, keptPublishedAt: number | null, now: number): ProductRecord {
  return {
    slug: entry.slug,
    name: entry.name,
    brand: entry.brand?.trim() || null,
    maker: entry.maker ?? null,
    warnings: (entry.warnings ?? []).map(({ language = null, text }) => ({ language, text: warningText(text) })),
    withdrawalExempt: entry.withdrawalExempt ?? null,
    digital: entry.digital ?? false,
    guarantee: entry.guarantee ? { years: entry.guarantee.years, url: entry.guarantee.url ?? null } : null,
    summary: entry.summary ?? '',
    seoTitle: entry.seoTitle?.trim() || null,
    seoDescription: entry.seoDescription?.trim() || null,
    ...descriptionsOf(entry),
    categories: entry.categories ?? [],
    tags: entry.tags ?? [],
    images: (entry.images ?? []).map(({ url, alt = '', width = null, height = null }) => ({ url, alt, width, height })),
    options: (entry.options ?? []).map(({ name, values }) => ({ name, values })),
    metadata: sorted(entry.metadata ?? {}),
    publishedAt:
      entry.published === false ? null : entry.publishedAt ? Date.parse(entry.publishedAt) : (keptPublishedAt ?? now),
    skus: entry.skus.map((sku) => skuRecord(entry, sku)),
  }
}

// Every description is normalized here before it is stored. If only the HTML is sent, the text is derived from it. If only the text is
// sent, there is no HTML.
function descriptionsOf({
  description,
  descriptionHtml,
}: ProductEntry): Pick<ProductRecord, 'description' | 'descriptionHtml'> {
  const html = descriptionHtml == null ? '' : sanitizeHtml(descriptionHtml)
  return {
    description: description || cutText(htmlToPlainText(html), limits.descriptionLengthMax),
    descriptionHtml: html === '' ? null : html,
  }
}

function skuRecord(product: ProductEntry, sku: SkuEntry): SkuRecord {
  // The options in the product's order, whatever the order in the SKU.
  const options = (product.options ?? []).flatMap(({ name }) => {
    const value = sku.options?.[name]
    return value === undefined ? [] : [{ name, value }]
  })
  return {
    code: sku.code,
    name: sku.name ?? (options.length > 0 ? options.map((option) => option.value).join(' / ') : product.name),
    options,
    price: sku.price,
    compareAtPrice: sku.compareAtPrice ?? null,
    whenSoldOut: sku.counted === false ? 'not_counted' : sku.backorder ? 'backorder' : 'refuse',
    maxPerOrder: sku.maxPerOrder ?? limits.quantityMax,
    delivery: sku.requiresShipping === false ? 'digital' : 'shipped',
    weightGrams: sku.weightGrams ?? null,
    measure: sku.measure ? completeMeasure(sku.measure) : null,
    taxClass: sku.taxClass ?? 'standard',
    image: sku.image ?? null,
    barcode: sku.barcode ?? null,
  }
}

// Sorts by name, so equal metadata compare as equal.
function sorted(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)))
}
