// Compares a file with the shop, and stores what the file would change, a batch at a time. Changes nothing in the shop. If the process is
// killed, the next run starts from the beginning.

import { setImmediate as breathe } from 'node:timers/promises'
import {
  type AdminPlannedChange,
  type AdminRefusedRow,
  type AdminRemark,
  plannedChangesMax,
  refusedRowsMax,
  transferNotesMax,
} from '../../contract/admin/transfers.ts'
import { type CategoryEntry, categoriesMax, type ProductEntry } from '../../contract/entries.ts'
import { type Remark, remark } from '../../contract/remarks.ts'
import type { CategoryRow } from '../../domain/catalog/answer.ts'
import { planProducts } from '../../domain/catalog/change.ts'
import { compareAtPriceRemarks } from '../../domain/catalog/pricehistory.ts'
import type { ProductRow, SellerFacts } from '../../domain/catalog/product.ts'
import {
  findSeller,
  listCategories,
  listProductsBySlug,
  listProductsOfSkus,
  listSkusByCode,
} from '../../domain/catalog/store.ts'
import type { AuditedChange, MemberChange } from '../../platform/audit/change.ts'
import { createSlicePauses } from '../../platform/kit/breath.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { planMissing } from '../provisioning/missing.ts'
import { findAssignedColumns } from './assignedstore.ts'
import { withLocalPictures } from './broughtpictures.ts'
import { withKnownCodes, withOwnCodes } from './codes.ts'
import { type CsvRow, FileError } from './csv.ts'
import type { AssignedColumn } from './formats/assigned.ts'
import { readFile } from './formats/file.ts'
import { productFileRows, UnknownColumns } from './formats/formats.ts'
import { fileColumnsOf, withAssigned } from './formats/suggested.ts'
import { createFindKnown } from './known.ts'
import { type MergedProduct, mergeChangedSkus, mergeProduct, unknownProduct, unknownSku } from './merge.ts'
import { refusedRowView, remarkView } from './remarkview.ts'
import {
  type ReadProduct,
  readColumnsOf,
  readShopifyProducts,
  type ShopifyColumn,
  type ShopifyOutcome,
} from './shopify.ts'
import { categoryMap, type ShopifyContext } from './shopifyrows.ts'
import { readStock, type StockOutcome } from './stockfile.ts'
import {
  claimPlanning,
  type DueImport,
  deleteItems,
  deletePieces,
  extendPlanning,
  findPiece,
  type ImportItem,
  insertItems,
  type PlanResult,
  runMs,
  savePlan,
} from './store.ts'

// What will be written for a product or a SKU when the plan is confirmed.
export interface ProductItem {
  entry: ProductEntry
  categories: readonly CategoryEntry[]
  isPartial: boolean
  // Product version from which the plan was made, or 0 if there was no product.
  version: number
  // Undefined in plans that were made by an earlier release.
  oldPaths?: readonly string[]
}

export interface StockItem {
  skuId: string
  onHand: number
  expectedOnHand: number
}

export interface ImportTools {
  storage: Storage
  // Returns the origin of this server.
  origin: () => string
  clock: () => number
}

// Few, so concurrent reads wait only some milliseconds.
const batchProducts = 20
export const batchWeightMax = 40
const batchLevels = 100
const extendedEveryMs = 5_000
// Limits how often a file is tried that crashes the process or gets it killed.
const interruptionsMax = 3
const deletedAtOnce = 200

class Superseded extends Error {}

// Returns whether there was anything to do.
export async function planImport(tools: ImportTools, transfer: DueImport, isEnding: () => boolean): Promise<boolean> {
  const { storage, clock } = tools
  const run = newId('req')
  const interruptions = await storage.write((tx) =>
    claimPlanning(tx, transfer, { run, until: clock() + runMs, now: clock() }),
  )
  if (interruptions === undefined) return false
  // Deletes the rows that a killed run left behind.
  while ((await storage.write((tx) => deleteItems(tx, transfer, deletedAtOnce))) > 0) await breathe()
  const planning = new Planning(tools, transfer, run, isEnding)
  try {
    if (interruptions >= interruptionsMax) planning.fail(remark('reading_broken_off', { count: interruptionsMax }))
    else
      for await (const batch of planning.batches()) {
        await planning.save(batch)
        await breathe()
      }
  } catch (error) {
    if (error instanceof Superseded) {
      await storage.write((tx) => extendPlanning(tx, transfer, { run, until: null }))
      return false
    }
    if (!(error instanceof FileError)) throw error
    planning.fail(error.remark)
  }
  const plan = planning.result()
  // Another run has taken over and still needs the pieces of the file.
  if (!(await storage.write((tx) => savePlan(tx, transfer, { run, now: clock(), plan })))) return false
  // Meanings of columns may be reassigned until the plan is confirmed. Planning again needs the pieces of the file.
  if (plan.state !== 'failed' && (plan.fileColumns || transfer.assigned)) return true
  while ((await storage.write((tx) => deletePieces(tx, transfer, 1))) > 0) await breathe()
  return true
}

type Batch = { kind: 'products'; outcomes: ShopifyOutcome[] } | { kind: 'stock'; outcomes: StockOutcome[] }

class Planning {
  readonly #tools: ImportTools
  readonly #transfer: DueImport
  readonly #run: string
  readonly #isEnding: () => boolean
  readonly #breath = createSlicePauses()
  #extendedAt: number
  readonly #plan: PlanResult & {
    changes: AdminPlannedChange[]
    refusedRows: AdminRefusedRow[]
    notes: AdminRemark[]
  } = {
    state: 'ready',
    created: 0,
    changed: 0,
    unchanged: 0,
    refused: 0,
    problem: null,
    changesCount: 0,
    changes: [],
    refusedRows: [],
    notes: [],
    fileColumns: null,
    assigned: null,
  }
  #position = 0
  #columns: ReadonlySet<ShopifyColumn> = new Set()
  // Categories of the shop, and those that the file would create.
  #categories: CategoryRow[] | undefined

  constructor(tools: ImportTools, transfer: DueImport, run: string, isEnding: () => boolean) {
    this.#tools = tools
    this.#transfer = transfer
    this.#run = run
    this.#isEnding = isEnding
    this.#extendedAt = tools.clock()
  }

  async *batches(): AsyncGenerator<Batch> {
    const { kind } = this.#transfer
    const rows = readFile(this.#chunks(), { isUtf8: true })
    if (kind === 'stock') {
      for await (const outcomes of inBatches(readStock(rows), batchLevels, () => 1)) yield { kind, outcomes }
      return
    }
    try {
      yield* this.#productBatches(rows, this.#transfer.assigned)
    } catch (error) {
      // Only the first rows were read, so nothing was planned and the file can be read again.
      if (!(error instanceof UnknownColumns)) throw error
      const assigned = await this.#assignedBefore(error)
      if (assigned) yield* this.#productBatches(readFile(this.#chunks(), { isUtf8: true }), assigned)
    }
  }

  async #assignedBefore({ header, rows }: UnknownColumns): Promise<readonly AssignedColumn[] | undefined> {
    const { storage } = this.#tools
    const columns = fileColumnsOf(header, rows)
    const assigned = await storage.read((db) => findAssignedColumns(db, this.#transfer.merchantId, columns))
    if (assigned) this.#plan.notes.push(remarkView(remark('columns_assigned_before')))
    else this.#plan.state = 'columns'
    this.#plan.assigned = assigned ?? null
    this.#plan.fileColumns = assigned ? withAssigned(columns, assigned) : columns
    return assigned
  }

  async *#productBatches(
    rows: AsyncIterable<CsvRow>,
    assigned: readonly AssignedColumn[] | null,
  ): AsyncGenerator<Batch> {
    const kind = 'products'
    const { currency } = await this.#seller()
    const findKnown = createFindKnown(this.#tools.storage.read, this.#transfer.merchantId)
    const converted = productFileRows(rows, { currency, findKnown, assigned })
    const products = readShopifyProducts(this.#noteColumns(converted), { currency, origin: this.#tools.origin() })
    const least = batchWeightMax / batchProducts
    // A refused row is only counted, so it weighs little.
    const weightOfOutcome = (outcome: ShopifyOutcome) =>
      outcome.kind === 'product' ? Math.max(least, planningWeight(outcome.entry)) : 0.1
    for await (const outcomes of inBatches(products, batchWeightMax, weightOfOutcome)) yield { kind, outcomes }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (let piece = 1; piece <= this.#transfer.pieces; piece += 1) {
      await this.#goOn()
      yield Buffer.from(await this.#tools.storage.read((db) => findPiece(db, this.#transfer, piece)))
    }
  }

  // Extends the lease of the run, since much of the file may be read before there is anything to save.
  async #goOn(): Promise<void> {
    if (this.#isEnding()) throw new Superseded()
    const { storage, clock } = this.#tools
    // The absolute value also extends the lease if the clock was set back.
    if (Math.abs(clock() - this.#extendedAt) < extendedEveryMs) return
    if (!(await storage.write((tx) => this.#extend(tx)))) throw new Superseded()
  }

  #extend(tx: Tx): Promise<boolean> {
    this.#extendedAt = this.#tools.clock()
    return extendPlanning(tx, this.#transfer, { run: this.#run, until: this.#extendedAt + runMs })
  }

  async *#noteColumns(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvRow> {
    let isHeader = true
    for await (const row of rows) {
      if (isHeader) this.#columns = readColumnsOf(row.cells)
      isHeader = false
      yield row
    }
  }

  async save(batch: Batch): Promise<void> {
    const items = batch.kind === 'stock' ? await this.#levels(batch.outcomes) : await this.#products(batch.outcomes)
    const isMine = await this.#tools.storage.write(async (tx) => {
      if (!(await this.#extend(tx))) return false
      insertItems(tx, this.#transfer, items)
      return true
    })
    if (!isMine || this.#isEnding()) throw new Superseded()
  }

  async #products(outcomes: readonly ShopifyOutcome[]): Promise<ImportItem[]> {
    const { storage, origin, clock } = this.#tools
    const now = clock()
    const seller = await this.#seller()
    this.#categories ??= await storage.read((db) => listCategories(db, seller.id))
    const found: ReadProduct[] = []
    for (const outcome of outcomes) {
      if (outcome.kind === 'product') found.push(outcome)
      else this.#refuse({ line: outcome.line, name: outcome.handle, reason: outcome.reason })
    }
    if (found.length === 0) return []
    const slugs = found.map(({ entry }) => entry.slug)
    const [read, stored] = await storage.read(async (db) => [
      await withLocalPictures(db, seller.id, await withOwnCodes(db, seller.id, found)),
      await listProductsBySlug(db, seller.id, slugs),
    ])
    // Pauses between the steps: for a product with two thousand SKUs, each takes some milliseconds.
    await this.#breath.take()
    const storedOf = new Map(stored.map((product) => [product.slug, product]))
    const context = { currency: seller.currency, origin: origin(), categories: categoryMap(this.#categories) }
    const items = new Map<string, ProductItem & { line: number; notes: readonly Remark[] }>()
    for (const outcome of read) {
      const { line, entry, isPartial, notes } = outcome
      const before = storedOf.get(entry.slug)
      if (outcome.isPriceless && !before) {
        this.#refuse({ line, name: entry.slug, reason: unknownProduct })
        continue
      }
      const merged = before ? await this.#merged(before, outcome, context) : { entry, categories: outcome.categories }
      items.set(entry.slug, {
        line,
        ...merged,
        isPartial,
        notes,
        version: before?.version ?? 0,
        oldPaths: outcome.oldPaths,
      })
      if (this.#breath.isDue()) await this.#breath.take()
    }
    this.#placeCategories(items, now)
    const entries = [...items.values()].map(({ entry }) => entry)
    const partial = new Set([...items.values()].filter(({ isPartial }) => isPartial).map(({ entry }) => entry.slug))
    await this.#breath.take()
    const { plans, refused } = await storage.read((db) =>
      planProducts(db, seller, entries, { now, stock: false, partial }),
    )
    await this.#breath.take()
    for (const { slug, reason } of refused) {
      this.#refuse({ line: items.get(slug)?.line ?? 0, name: slug, reason: { ...reason, leavesOut: true } })
      items.delete(slug)
    }
    const planned: ImportItem[] = []
    for (const plan of plans) {
      const { slug } = plan.product
      const item = items.get(slug)
      if (!item) continue
      if (!plan.differs) this.#plan.unchanged += 1
      else {
        if (plan.before) this.#plan.changed += 1
        else this.#plan.created += 1
        const { line, notes, ...rest } = item
        for (const note of [...notes, ...compareAtPriceRemarks([plan], false)])
          if (this.#plan.notes.length < transferNotesMax) this.#plan.notes.push(remarkView(note))
        for (const change of plan.changes) this.#show(line, change)
        planned.push(this.#item(line, slug, rest))
      }
    }
    return planned
  }

  async #merged(before: ProductRow, read: ReadProduct, context: ShopifyContext): Promise<MergedProduct> {
    if (!read.isPriceless) return mergeProduct(before, read, this.#columns, context)
    const { unknown, ...changed } = await mergeChangedSkus(before, read, this.#columns, context)
    for (const code of unknown) this.#refuse({ line: read.line, name: before.slug, reason: unknownSku(code) })
    return changed
  }

  // Plans the missing categories, and removes products whose category cannot be created.
  #placeCategories(items: Map<string, { line: number } & ProductItem>, now: number): void {
    for (const [slug, { line, entry, categories }] of items) {
      const stored = this.#categories ?? []
      const { categories: made, changes } = planMissing(categories, stored, now)
      const isRoom = stored.length + made.length <= categoriesMax
      const known = new Set([...stored, ...(isRoom ? made : [])].map((category) => category.slug))
      if (entry.categories?.every((category) => known.has(category)) ?? true) {
        if (made.length === 0) continue
        this.#categories = [...stored, ...made]
        for (const change of changes) this.#show(line, change)
      } else {
        const why = isRoom ? remark('category_too_deep') : remark('too_many_categories', { max: categoriesMax })
        this.#refuse({ line, name: slug, reason: { ...why, leavesOut: true } })
        items.delete(slug)
      }
    }
  }

  async #levels(read: readonly StockOutcome[]): Promise<ImportItem[]> {
    const { merchantId, mode } = this.#transfer
    const outcomes = await this.#tools.storage.read((db) => withKnownCodes(db, merchantId, read))
    const codes = outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [] : [outcome.code]))
    const known = await this.#tools.storage.read(async (db) => {
      const owners = codes.length === 0 ? [] : await listSkusByCode(db, merchantId, codes)
      // Leaves out retired SKUs.
      const sold = await listProductsOfSkus(
        db,
        merchantId,
        owners.map(({ id }) => id),
      )
      const ids = new Set(sold.map(({ skuId }) => skuId))
      return new Map(owners.filter(({ id }) => ids.has(id)).map((owner) => [owner.code, owner]))
    })
    const planned: ImportItem[] = []
    for (const outcome of outcomes) {
      const { line, code: name } = outcome
      const sku = known.get(name)
      const present = sku?.stock[mode].onHand
      if (outcome.kind === 'refused') this.#refuse({ line, name, reason: outcome.reason })
      else if (!sku || present === undefined) this.#refuse({ line, name, reason: remark('sku_unknown') })
      else if (outcome.kind === 'same' || outcome.onHand === present) this.#plan.unchanged += 1
      else if (outcome.expectedOnHand !== null && outcome.expectedOnHand !== present)
        this.#refuse({ line, name, reason: remark('stock_differs', { count: present }) })
      else {
        this.#plan.changed += 1
        const members = [{ member: 'onHand', from: present, to: outcome.onHand }]
        this.#show(line, { kind: 'change', what: 'stock', id: sku.id, name, members })
        const item: StockItem = { skuId: sku.id, onHand: outcome.onHand, expectedOnHand: present }
        planned.push(this.#item(line, name, item))
      }
    }
    return planned
  }

  #item(line: number, name: string, item: ProductItem | StockItem): ImportItem {
    this.#position += 1
    return { position: this.#position, line, name, item: JSON.stringify(item) }
  }

  #refuse(row: { line: number; name: string; reason: Remark }): void {
    this.#plan.refused += 1
    if (this.#plan.refusedRows.length < refusedRowsMax) this.#plan.refusedRows.push(refusedRowView(row))
  }

  #show(line: number, { kind, what, name, members }: Omit<AuditedChange, 'id'> & { id?: string }): void {
    this.#plan.changesCount += 1
    if (this.#plan.changes.length >= plannedChangesMax) return
    // The cast holds: only the types of planned changes are passed.
    const type = what as AdminPlannedChange['type']
    this.#plan.changes.push({ line, kind, type, name, members: members.map(cutMember) })
  }

  fail(problem: Remark): void {
    Object.assign(this.#plan, { state: 'failed', problem: remarkView(problem) })
  }

  result(): PlanResult {
    return this.#plan
  }

  async #seller(): Promise<SellerFacts> {
    const seller = await this.#tools.storage.read((db) => findSeller(db, this.#transfer.merchantId))
    if (!seller) throw new Error(`merchant ${this.#transfer.merchantId} has an import but does not exist`)
    return seller
  }
}

const shownLengthMax = 300

// Truncated, since one response may have a hundred changes of long descriptions.
function cutMember({ member, from, to }: MemberChange): AdminPlannedChange['members'][number] {
  return { member, from: cut(from), to: cut(to) }
}

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return text.length <= shownLengthMax ? (value ?? null) : `${text.slice(0, shownLengthMax).toWellFormed()}…`
}

// Returns the effort of planning or writing a product, in SKUs: a long description counts as several SKUs.
export function planningWeight({ skus, description = '', descriptionHtml }: ProductEntry): number {
  return skus.length + Math.floor((description.length + (descriptionHtml?.length ?? 0)) / 2_000)
}

// An item that would make a batch too heavy starts the next batch.
async function* inBatches<Item>(
  items: AsyncIterable<Item>,
  weightMax: number,
  weightOf: (item: Item) => number,
): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let weight = 0
  for await (const item of items) {
    const added = weightOf(item)
    if (weight + added > weightMax && batch.length > 0) {
      yield batch
      batch = []
      weight = 0
    }
    batch.push(item)
    weight += added
  }
  if (batch.length > 0) yield batch
}
