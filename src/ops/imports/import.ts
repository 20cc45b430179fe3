// Imports products from a product file as a stream. Each batch is one transaction. Memory holds one batch, the slugs and codes of the
// whole file (less than a kilobyte per product), and for files of some systems all rows (`holdRows`). What cannot be imported is refused
// with its line and reason, and the import continues.

import { type CategoryEntry, categoryDepthMax, type ProductEntry } from '../../contract/entries.ts'
import { type Remark, remark } from '../../contract/remarks.ts'
import { categoryChange } from '../../domain/catalog/categories.ts'
import { batchProductsMax, type RefusedProduct, saveProducts } from '../../domain/catalog/change.ts'
import { compareAtPriceRemarks } from '../../domain/catalog/pricehistory.ts'
import type { SellerFacts } from '../../domain/catalog/product.ts'
import { queueRemotePictures } from '../../domain/catalog/remotepictures.ts'
import { lockSellerFor } from '../../domain/catalog/seller.ts'
import { insertCategory, listCategories, listProductsBySlug } from '../../domain/catalog/store.ts'
import { findMerchant } from '../../domain/merchants/store.ts'
import { productMoves, recordMoves } from '../../domain/redirects/change.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { recountCategoriesAfter } from '../provisioning/counts.ts'
import { planMissing } from '../provisioning/missing.ts'
import { productEntries, type Recorder } from '../provisioning/record.ts'
import { refreshTableStatistics } from '../provisioning/store.ts'
import { withLocalPictures } from './broughtpictures.ts'
import { withOwnCodes } from './codes.ts'
import { type CsvRow, FileError } from './csv.ts'
import type { AssignedColumn } from './formats/assigned.ts'
import { readFile } from './formats/file.ts'
import { productFileRows } from './formats/formats.ts'
import { importStock } from './importstock.ts'
import { createFindKnown } from './known.ts'
import { mergeChangedSkus, unknownProduct, unknownSku } from './merge.ts'
import { type ReadProduct, readColumnsOf, readShopifyProducts, type ShopifyColumn } from './shopify.ts'
import { categoryMap } from './shopifyrows.ts'
import { isStockFile } from './stockfile.ts'

export interface RefusedRow {
  line: number
  handle: string
  reason: Remark
}

export interface ImportReport {
  // Currency of the prices, which the file does not name.
  currency: string
  created: number
  changed: number
  unchanged: number
  // The first thousand refused rows. `refusedCount` counts all.
  refused: RefusedRow[]
  refusedCount: number
  notes: Remark[]
  notesCount: number
  // Why reading stopped before the end of the file. Products before that place are imported.
  brokenOff: Remark | null
}

export interface ImportOptions {
  merchantSlug: string
  now: number
  // Whether the stock of existing SKUs is also set.
  stock: boolean
  // Encoding of the file (default: that of its byte order mark or XML declaration, otherwise UTF-8).
  encoding?: string
  // Stock of SKUs for which the file has no quantity.
  stockDefault?: number | null
  // Meanings that a person assigned to the columns of a file from an unknown system.
  assigned?: readonly AssignedColumn[] | null
  onProgress: (report: Readonly<ImportReport>) => void
  record?: Recorder
}

const reportedMax = 1_000
// After these batches, table statistics are refreshed: early and then ever more rarely, since only the order of magnitude matters.
const learnAfterBatches = [1, 5, 25, 125]

interface Batch {
  products: ReadProduct[]
  categories: Map<string, CategoryEntry>
  // Products with a refused row. SKUs that are missing in the file are not retired, since the refused row may be theirs.
  partial: Set<string>
}

function emptyBatch(): Batch {
  return { products: [], categories: new Map(), partial: new Set() }
}

export async function importProducts(
  storage: Storage,
  chunks: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<ImportReport> {
  const merchant = await storage.read((db) => findMerchant(db, options.merchantSlug))
  if (!merchant) throw new Error(`there is no merchant ${options.merchantSlug}`)
  const { id: merchantId, slug: merchantSlug, currency } = merchant
  const report: ImportReport = {
    currency,
    created: 0,
    changed: 0,
    unchanged: 0,
    refused: [],
    refusedCount: 0,
    notes: [],
    notesCount: 0,
    brokenOff: null,
  }
  const categoryIds = new Map(
    (await storage.read((db) => listCategories(db, merchant.id))).map(({ slug, id }) => [slug, id]),
  )

  function refuseRow(row: RefusedRow): void {
    report.refusedCount += 1
    if (report.refused.length < reportedMax) report.refused.push(row)
  }

  let savedBatches = 0
  async function save(batch: Batch): Promise<void> {
    if (batch.products.length === 0) return
    const saved = await storage.write(async (tx) => {
      // Locked first, so a concurrent import does not create the same categories.
      const seller = await lockSellerFor(tx, { slug: merchantSlug, currency })
      const made = await makeMissingCategories(tx, seller.id, batch.categories, categoryIds, options.now)
      const known = new Map([...categoryIds, ...made.ids])
      const products = await withLocalPictures(tx, seller.id, await withOwnCodes(tx, seller.id, batch.products))
      const { entries, unknown } = await changedEntries(tx, seller, products)
      const placed = entries.filter((entry) => entry.categories?.every((category) => known.has(category)) ?? true)
      const { plans, refused } = await saveProducts(tx, seller, placed, known, { ...options, partial: batch.partial })
      const oldPathsOf = new Map(products.map(({ entry, oldPaths }) => [entry.slug, oldPaths]))
      const moves = plans.flatMap(({ product: { slug } }) => productMoves(slug, oldPathsOf.get(slug) ?? []))
      await recordMoves(tx, seller.id, moves, 'import', options.now)
      queueRemotePictures(
        tx,
        seller.id,
        plans.map(({ product }) => product),
        options.now,
      )
      tx.signal('remote_pictures')
      options.record?.(tx, seller.id, productEntries(plans, made.changes))
      const reason: Remark = { ...remark('category_below_depth', { max: categoryDepthMax }), leavesOut: true }
      const outside = entries.filter((entry) => !placed.includes(entry)).map((entry) => ({ slug: entry.slug, reason }))
      return {
        made,
        plans,
        refused: [...outside, ...refused, ...unknown],
        notes: [...products.flatMap(({ notes }) => notes), ...compareAtPriceRemarks(plans, true)],
      }
    })
    savedBatches += 1
    if (learnAfterBatches.includes(savedBatches)) await refreshTableStatistics(storage)
    for (const [slug, id] of saved.made.ids) categoryIds.set(slug, id)
    for (const plan of saved.plans) {
      if (!plan.differs) report.unchanged += 1
      else if (!plan.before) report.created += 1
      else report.changed += 1
    }
    for (const { slug, reason } of saved.refused) {
      const line = batch.products.find(({ entry }) => entry.slug === slug)?.line ?? 0
      refuseRow({ line, handle: slug, reason })
    }
    report.notesCount += saved.notes.length
    report.notes.push(...saved.notes.slice(0, reportedMax - report.notes.length))
    options.onProgress(report)
  }

  let columns: ReadonlySet<ShopifyColumn> = new Set()
  // Returns the entries to save. For a file without prices, these are the existing products with the changes that the file makes.
  async function changedEntries(tx: Tx, seller: SellerFacts, products: readonly ReadProduct[]) {
    const entries: ProductEntry[] = []
    const unknown: RefusedProduct[] = []
    if (!products.some(({ isPriceless }) => isPriceless))
      return { entries: products.map(({ entry }) => entry), unknown }
    const slugs = products.map(({ entry }) => entry.slug)
    const stored = new Map((await listProductsBySlug(tx, seller.id, slugs)).map((product) => [product.slug, product]))
    const context = { currency, origin: '', categories: categoryMap(await listCategories(tx, seller.id)) }
    for (const product of products) {
      const { slug } = product.entry
      const before = stored.get(slug)
      if (!before) unknown.push({ slug, reason: unknownProduct })
      else {
        const changed = await mergeChangedSkus(before, product, columns, context)
        entries.push(changed.entry)
        unknown.push(...changed.unknown.map((code) => ({ slug, reason: unknownSku(code) })))
      }
    }
    return { entries, unknown }
  }

  async function saveAll(): Promise<void> {
    const { encoding, stockDefault = null } = options
    const file = readFile(chunks, encoding === undefined ? {} : { encoding })
    let batch = emptyBatch()
    try {
      const { header, rows } = await withHeader(file)
      if (isStockFile(header) && !options.assigned) {
        const { merchantSlug, now } = options
        await importStock(storage, rows, { merchantSlug, now, report, refuseRow, record: options.record })
        options.onProgress(report)
        return
      }
      const { assigned = null } = options
      const findKnown = createFindKnown(storage.read, merchantId)
      const products = productFileRows(rows, { currency, findKnown, assigned })
      columns = readColumnsOf(header?.cells ?? [])
      for await (const outcome of readShopifyProducts(products, { currency, stockDefault })) {
        if (outcome.kind === 'refused') {
          refuseRow({ line: outcome.line, handle: outcome.handle, reason: outcome.reason })
          continue
        }
        batch.products.push(outcome)
        if (outcome.isPartial) batch.partial.add(outcome.entry.slug)
        for (const category of outcome.categories) batch.categories.set(category.slug, category)
        if (batch.products.length === batchProductsMax) {
          await save(batch)
          batch = emptyBatch()
        }
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      report.brokenOff = error.remark
    }
    await save(batch)
  }

  await recountCategoriesAfter(storage, merchantSlug, saveAll)
  return report
}

async function makeMissingCategories(
  tx: Tx,
  merchant: string,
  wanted: ReadonlyMap<string, CategoryEntry>,
  known: ReadonlyMap<string, string>,
  now: number,
): Promise<{ ids: ReadonlyMap<string, string>; changes: readonly AuditedChange[] }> {
  const missing = [...wanted.values()].filter(({ slug }) => !known.has(slug))
  if (missing.length === 0) return { ids: new Map(), changes: [] }
  const stored = await listCategories(tx, merchant)
  const { categories } = planMissing(missing, stored, now)
  for (const category of categories) await insertCategory(tx, merchant, category)
  const idOf = new Map([...stored, ...categories].map(({ slug, id }) => [slug, id]))
  const ids = missing.flatMap(({ slug }) => (idOf.has(slug) ? [[slug, idOf.get(slug) as string] as const] : []))
  return { ids: new Map(ids), changes: categories.map((category) => categoryChange(undefined, category)) }
}

// Returns the header, and an iterable of all rows including the header.
async function withHeader(
  file: AsyncGenerator<CsvRow>,
): Promise<{ header: CsvRow | undefined; rows: AsyncIterable<CsvRow> }> {
  const first = await file.next()
  const header: CsvRow | undefined = first.done ? undefined : first.value
  async function* rows(): AsyncGenerator<CsvRow> {
    if (header) yield header
    yield* file
  }
  return { header, rows: rows() }
}
