// Writes a confirmed plan, a batch at a time. One transaction has the changes of a batch, its entry in the list of changes, and the position in
// the plan. If the process is killed, only whole batches are written, and the next process continues after them.

import { type AdminRefusedRow, refusedRowsMax } from '../../contract/admin/transfers.ts'
import { type Remark, remark } from '../../contract/remarks.ts'
import { announceProducts } from '../../domain/catalog/announce.ts'
import { recountCategories } from '../../domain/catalog/categories.ts'
import { planProducts, writeProducts } from '../../domain/catalog/change.ts'
import { queueRemotePictures } from '../../domain/catalog/remotepictures.ts'
import { changeSkus } from '../../domain/catalog/skus.ts'
import { insertCategory, listCategories, lockSeller } from '../../domain/catalog/store.ts'
import { raiseCatalogVersion } from '../../domain/merchants/store.ts'
import { productMoves, recordMoves } from '../../domain/redirects/change.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { type Actor, insertEntry } from '../../platform/audit/store.ts'
import { deferFailedRow, type LoopRound, type RowFailure } from '../../platform/jobs/rows.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Refusal } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import { type Storage, StorageRefused, StorageUnavailable, type Tx } from '../../platform/storage/storage.ts'
import { planMissing } from '../provisioning/missing.ts'
import { refreshTableStatistics } from '../provisioning/store.ts'
import { batchWeightMax, type ProductItem, planningWeight, type StockItem } from './plan.ts'
import { refusedRowView } from './remarkview.ts'
import {
  type DueImport,
  deleteItems,
  deletePieces,
  type ImportItem,
  listItems,
  lockWriting,
  saveWriting,
  setDone,
  type WritingProgress,
} from './store.ts'

const operation = 'confirmAdminTransfer'
// Few, so concurrent reads wait only some milliseconds: a product takes about a millisecond, and so do five stock levels. `shared`: if
// statements are round trips to a server, reads do not wait for the whole batch.
const batchProducts = { alone: 10, shared: 40 } as const
const batchLevels = 50
// After so many items, table statistics are refreshed: early and then ever more rarely, as in the command `import`.
const learnAfter = [10, 50, 250, 1_250, 6_250]

interface Written {
  changes: readonly AuditedChange[]
  refused: readonly AdminRefusedRow[]
  count: number
}

// Writes one batch. Returns whether there is more to write.
export async function writeBatch(round: LoopRound, transfer: DueImport, failures: RowFailure[]): Promise<boolean> {
  const { storage, now } = round
  try {
    return await writeItems(storage, transfer, now)
  } catch (error) {
    if (error instanceof StorageUnavailable || error instanceof StorageRefused) throw error
    await storage.rolledBack()
    return writeAlone(round, transfer, failures)
  }
}

// Writes the items of a failed batch one by one. An item that fails alone is logged and refused, and the others are written.
async function writeAlone(round: LoopRound, transfer: DueImport, failures: RowFailure[]): Promise<boolean> {
  const { storage, now } = round
  for (let count = 0; count < batchLevels; count += 1) {
    try {
      if (!(await writeItems(storage, transfer, now, 1))) return false
    } catch (error) {
      if (error instanceof StorageUnavailable || error instanceof StorageRefused) throw error
      await storage.rolledBack()
      const passed = await storage.write((tx) => passOver(tx, transfer, now))
      const key = { tenantId: transfer.merchantId, rowId: `${transfer.id} ${passed}` }
      failures.push(await deferFailedRow(round, key, error))
    }
  }
  return true
}

async function passOver(tx: Tx, transfer: DueImport, now: number): Promise<number> {
  const writing = await lockWriting(tx, transfer)
  const [item] = writing ? await listItems(tx, transfer, writing.position, 1) : []
  if (!writing || !item) return 0
  const { line, name, position } = item
  const refused = [refusedRowView({ line, name, reason: remark('not_written') })]
  await saveWriting(tx, transfer, after(writing, position, { changes: [], refused, count: 0 }), now)
  return position
}

async function writeItems(storage: Storage, transfer: DueImport, now: number, rowsMax?: number): Promise<boolean> {
  const step = await storage.write((tx) => writeSome(tx, transfer, now, rowsMax ?? batchOf(tx, transfer)))
  if (step && learnAfter.some((position) => step.from < position && position <= step.to))
    await refreshTableStatistics(storage)
  return step !== undefined
}

function batchOf({ isAlone }: Tx, { kind }: DueImport): number {
  if (kind === 'stock') return batchLevels
  return isAlone ? batchProducts.alone : batchProducts.shared
}

// Returns undefined if nothing is left to write.
async function writeSome(
  tx: Tx,
  transfer: DueImport,
  now: number,
  rowsMax: number,
): Promise<{ from: number; to: number } | undefined> {
  const writing = await lockWriting(tx, transfer)
  if (!writing) return undefined
  const found = await listItems(tx, transfer, writing.position, rowsMax)
  const last = found.at(-1)
  if (!last) {
    await finish(tx, transfer, now)
    return undefined
  }
  const items = transfer.kind === 'stock' ? found : withinWeight(found)
  const { mode, actor, requestId } = writing
  const ask: BatchAsk = {
    tx,
    seller: { merchantId: transfer.merchantId, mode },
    items,
    actor,
    context: { now, cause: requestId === null ? null : { operationId: operation, requestId } },
  }
  const written = await (transfer.kind === 'stock' ? writeLevels(ask) : writeItemProducts(ask))
  if (written.changes.length > 0)
    insertEntry(tx, {
      merchantId: transfer.merchantId,
      mode,
      actor,
      operation,
      requestId,
      changes: written.changes,
      undoes: null,
      at: now,
    })
  const to = items.at(-1)?.position ?? last.position
  await saveWriting(tx, transfer, after(writing, to, written), now)
  return { from: writing.position, to }
}

// Product counts of categories are only updated at the end: with every batch, a category of thousands would be recounted.
async function finish(tx: Tx, transfer: DueImport, now: number): Promise<void> {
  if (transfer.kind === 'products') {
    await lockSeller(tx, transfer.merchantId)
    await recountCategories(tx, transfer.merchantId, 'all')
    // Downloads of pictures wait until the import has ended.
    tx.signal('remote_pictures')
  }
  await setDone(tx, transfer, now)
}

function after({ written, refused, refusedRows }: WritingProgress, position: number, step: Written) {
  return {
    position,
    written: written + step.count,
    refused: refused + step.refused.length,
    refusedRows: [...refusedRows, ...step.refused].slice(0, refusedRowsMax),
  }
}

// Returns the items that fit into a batch, but at least one.
function withinWeight(items: readonly ImportItem[]): ImportItem[] {
  let weight = 0
  const fitting = items.findIndex(({ item }) => {
    weight += planningWeight((JSON.parse(item) as ProductItem).entry)
    return weight > batchWeightMax
  })
  return fitting < 0 ? [...items] : items.slice(0, Math.max(1, fitting))
}

interface BatchAsk {
  tx: Tx
  seller: MerchantMode
  items: readonly ImportItem[]
  actor: Actor
  context: ChangeContext
}

async function writeItemProducts({ tx, seller: { merchantId }, items: rows, context }: BatchAsk): Promise<Written> {
  const seller = await lockSeller(tx, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} has an import but does not exist`)
  const items = rows.map((row) => ({ ...row, ...(JSON.parse(row.item) as ProductItem) }))
  const stored = await listCategories(tx, merchantId)
  const wanted = new Map(items.flatMap(({ categories }) => categories.map((category) => [category.slug, category])))
  const missing = planMissing([...wanted.values()], stored, context.now)
  for (const category of missing.categories) await insertCategory(tx, merchantId, category)
  const categoryIds = new Map([...stored, ...missing.categories].map(({ slug, id }) => [slug, id]))

  const refused: AdminRefusedRow[] = []
  const refuse = (slug: string, reason: Remark) => {
    const { line = 0 } = items.find(({ entry }) => entry.slug === slug) ?? {}
    refused.push(refusedRowView({ line, name: slug, reason }))
  }
  const placed = items.filter(({ entry }) => entry.categories?.every((slug) => categoryIds.has(slug)) ?? true)
  for (const item of items) if (!placed.includes(item)) refuse(item.entry.slug, remark('category_removed'))
  const partial = new Set(placed.filter(({ isPartial }) => isPartial).map(({ entry }) => entry.slug))
  const entries = placed.map(({ entry }) => entry)
  const batch = await planProducts(tx, seller, entries, { now: context.now, stock: false, partial })
  for (const { slug, reason } of batch.refused) refuse(slug, reason)
  const versionOf = new Map(placed.map(({ entry, version }) => [entry.slug, version]))
  const plans = batch.plans.filter(({ before, product: { slug } }) => {
    const isAsPlanned = (before?.version ?? 0) === versionOf.get(slug)
    if (!isAsPlanned) refuse(slug, remark('product_changed'))
    return isAsPlanned
  })
  const differing = plans.filter(({ differs }) => differs)
  await writeProducts(tx, seller, differing, categoryIds, context.now)
  const oldPathsOf = new Map(placed.map(({ entry, oldPaths = [] }) => [entry.slug, oldPaths]))
  const moves = plans.flatMap(({ product: { slug } }) => productMoves(slug, oldPathsOf.get(slug) ?? []))
  await recordMoves(tx, merchantId, moves, 'import', context.now)
  queueRemotePictures(
    tx,
    merchantId,
    plans.map(({ product }) => product),
    context.now,
  )
  if (differing.length + missing.categories.length > 0) await raiseCatalogVersion(tx, merchantId)
  await announceProducts(tx, merchantId, differing, context)
  return { changes: [...missing.changes, ...differing.flatMap(({ changes }) => changes)], refused, count: plans.length }
}

async function writeLevels({ tx, seller: { merchantId, mode }, items, actor, context }: BatchAsk): Promise<Written> {
  const seller = await lockSeller(tx, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} has an import but does not exist`)
  const rows = items.map((row) => ({ ...row, ask: JSON.parse(row.item) as StockItem }))
  const outcomes = await changeSkus(
    tx,
    // Categories are only needed if prices change.
    { seller, mode, categories: [], actor: { kind: actor.kind, id: actor.id ?? '' } },
    rows.map(({ ask }) => ask),
    { dryRun: false, context },
  )
  const refused = outcomes.flatMap(({ refusal }, index) => {
    const row = rows[index]
    return refusal && row ? [refusedRowView({ ...row, reason: levelRemark(refusal) })] : []
  })
  return { changes: outcomes.flatMap(({ changes }) => changes), refused, count: outcomes.length - refused.length }
}

function levelRemark({ code, message, details: { current } }: Refusal): Remark {
  if (code === 'sku_not_found') return remark('sku_unknown')
  if (code === 'stock_changed' && typeof current?.onHand === 'number')
    return remark('stock_differs', { count: current.onHand })
  return remark('not_written_because', { reason: message })
}

const deletedAtOnce = 200

// Deletes what a written import no longer needs. Returns whether there is more to delete.
export async function deleteWritten(storage: Storage, transfer: DueImport): Promise<boolean> {
  const items = await storage.write((tx) => deleteItems(tx, transfer, deletedAtOnce))
  const pieces = await storage.write((tx) => deletePieces(tx, transfer, 1))
  return items === deletedAtOnce || pieces > 0
}
