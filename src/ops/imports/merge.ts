// Merges a product of a Shopify file into the existing product. The format cannot express all members of a product. The existing product
// is therefore written in that format and read back: a member that equals the file's was not edited, and does not change. So importing an
// export changes nothing, and editing one cell changes one member.

import type { CategoryEntry, ProductEntry, SkuEntry } from '../../contract/entries.ts'
import { type Remark, remark } from '../../contract/remarks.ts'
import { productEntry } from '../../domain/catalog/adminview.ts'
import type { ProductRow, SkuRow } from '../../domain/catalog/product.ts'
import { guardFormula } from './csv.ts'
import { type ReadProduct, readShopifyProducts, type ShopifyColumn, shopifyColumns } from './shopify.ts'
import { type ShopifyContext, shopifyRows } from './shopifyrows.ts'

export interface MergedProduct {
  entry: ProductEntry
  // Categories that the entry names.
  categories: readonly CategoryEntry[]
}

// `columns` are the columns of the file. Members without a column do not change.
export async function mergeProduct(
  before: ProductRow,
  read: ReadProduct,
  columns: ReadonlySet<ShopifyColumn>,
  context: ShopifyContext,
): Promise<MergedProduct> {
  const shown = await readBack(before, columns, context)
  const stored = productEntry(before)
  if (!shown) return { entry: read.entry, categories: read.categories }
  const said = saidOf(read.entry, shown.entry)
  // A summary that the merchant wrote is not replaced by one made from the description.
  if (before.summary !== shown.entry.summary) delete said.summary
  if (said.metadata) said.metadata = { ...stored.metadata, ...said.metadata }
  const codes = codesOf(shown.entry, before)
  const skus = read.entry.skus.map((sku) => {
    const known = codes.get(sku.code)
    const shownSku = shown.entry.skus.find(({ code }) => code === sku.code)
    return known && shownSku ? mergedSku(known, sku, shownSku, stored) : sku
  })
  const entry = { ...stored, ...said, slug: stored.slug, skus }
  // `published` from the file would contradict the stored `publishedAt`.
  if (said.published !== undefined) delete entry.publishedAt
  return { entry, categories: said.categories ? read.categories : [] }
}

// Like `mergeProduct`, for a file without prices: only changes SKUs that exist and are in the file. Also returns the codes of unknown
// SKUs.
export async function mergeChangedSkus(
  before: ProductRow,
  read: ReadProduct,
  columns: ReadonlySet<ShopifyColumn>,
  context: ShopifyContext,
): Promise<MergedProduct & { unknown: readonly string[] }> {
  const { entry, categories } = await mergeProduct(before, read, columns, context)
  const stored = productEntry(before)
  const named = new Map(entry.skus.map((sku, index) => [sku.code, { sku, stock: read.entry.skus[index]?.stock }]))
  const skus = stored.skus.map((sku) => {
    const found = named.get(sku.code)
    named.delete(sku.code)
    if (!found) return sku
    const { options: _, stock: __, ...said } = found.sku
    return { ...sku, ...said, ...(found.stock !== undefined && { stock: found.stock }) }
  })
  const { options } = stored
  return { entry: { ...entry, ...(options && { options }), skus }, categories, unknown: [...named.keys()] }
}

export const unknownProduct: Remark = { ...remark('product_without_price'), leavesOut: true }

export function unknownSku(code: string): Remark {
  return remark('sku_without_price', { sku: code.slice(0, 100) })
}

async function readBack(
  before: ProductRow,
  columns: ReadonlySet<ShopifyColumn>,
  context: ShopifyContext,
): Promise<ReadProduct | undefined> {
  const wanted = [...columns]
  const header = { line: 1, cells: wanted.map((column) => shopifyColumns[column][0]) }
  const rows = shopifyRows(before, context).map((row, index) => ({
    line: index + 2,
    cells: wanted.map((column) => guardFormula(row[column] ?? '')),
  }))
  for await (const outcome of readShopifyProducts([header, ...rows], context))
    if (outcome.kind === 'product') return outcome
  return undefined
}

type Said = { -readonly [Member in keyof ProductEntry]?: ProductEntry[Member] }

function saidOf(read: ProductEntry, shown: ProductEntry): Said {
  const said: Said = differing(read, shown)
  delete said.skus
  return said
}

// Returns the members of `read` that differ from those of `shown`.
function differing<Entry extends object>(read: Entry, shown: Entry): Partial<Entry> {
  const values = new Map<string, unknown>(Object.entries(shown))
  // The cast holds: the members are those of `read`; Object.fromEntries loses their names.
  return Object.fromEntries(
    Object.entries(read).filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(values.get(member))),
  ) as Partial<Entry>
}

// Returns SKUs by the codes that the reader gave them, which may differ from the stored codes. Rows correspond to SKUs by their order,
// unless the reader refused one.
function codesOf(shown: ProductEntry, before: ProductRow): Map<string, SkuRow> {
  if (shown.skus.length === before.skus.length)
    return new Map(shown.skus.map(({ code }, index) => [code, before.skus[index] as SkuRow]))
  return new Map(before.skus.map((sku) => [sku.code, sku]))
}

function mergedSku(known: SkuRow, read: SkuEntry, shown: SkuEntry, stored: ProductEntry): SkuEntry {
  const entry = stored.skus.find(({ code }) => code === known.code)
  const said = differing(read, shown)
  const { stock: _, code: __, ...members } = said
  // A name that was made from the option values changes with them.
  const isMade = known.name === known.options.map(({ value }) => value).join(' / ')
  const { name, ...rest } = { ...entry, ...members, code: known.code, price: members.price ?? known.price }
  return isMade && members.options !== undefined ? rest : { ...rest, ...(name !== undefined && { name }) }
}
