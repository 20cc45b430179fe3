// Changes a shop to match its file. What the file does not contain does not change, except that the lists of tax rates and shipping zones
// are replaced, and a SKU that is missing in its product is retired. Applying the same file again changes nothing.

import type { ProductEntry } from '../../contract/entries.ts'
import { type Remark, remarkText } from '../../contract/remarks.ts'
import {
  batchProductsMax,
  type PlanOptions,
  type ProductBatch,
  planProducts,
  type RefusedProduct,
  saveProducts,
} from '../../domain/catalog/change.ts'
import { compareAtPriceRemarks } from '../../domain/catalog/pricehistory.ts'
import { refreshStaleProducts } from '../../domain/catalog/refresh.ts'
import { lockSellerFor, sellerFactsOf } from '../../domain/catalog/seller.ts'
import { findMerchant, lockMerchant } from '../../domain/merchants/store.ts'
import {
  batchPromotionsMax,
  planPromotions,
  type RefusedPromotion,
  savePromotions,
} from '../../domain/promotions/change.ts'
import type { EndpointTools } from '../../domain/webhooks/endpoints.ts'
import type { PlannedChange } from '../../platform/audit/change.ts'
import { RowsFailed } from '../../platform/jobs/rows.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { planAgents, refuseAgents, saveAgents } from './agents.ts'
import { planApps, saveApps } from './apps.ts'
import { recountCategoriesAfter } from './counts.ts'
import { invalidEntry } from './entry.ts'
import { type Foundation, planFoundation, saveFoundation } from './foundation.ts'
import { productEntries, promotionEntries, type Recorder } from './record.ts'
import type { ShopFile } from './shopfile.ts'
import { refreshTableStatistics } from './store.ts'
import { type CreatedSecret, planWebhooks, saveWebhooks, urlProblem } from './webhooks.ts'

export interface ApplyOptions extends PlanOptions {
  // Whether to only report what would change.
  dryRun: boolean
  // Tools to create webhook endpoints, required if the file has endpoints.
  webhooks?: EndpointTools
  // Writes entries into the list of changes (default: no entries are written, as for the demo shop).
  record?: Recorder
}

export interface ApplyReport {
  merchantId: string
  changes: readonly PlannedChange[]
  refused: readonly { slug: string; reason: string }[]
  refusedPromotions: readonly { code: string; reason: string }[]
  unchangedProducts: number
  // Secrets of created endpoints. They cannot be shown again.
  secrets: readonly CreatedSecret[]
  // Warnings for the operator. The file was applied nevertheless.
  warnings: readonly string[]
}

export async function applyShop(storage: Storage, file: ShopFile, options: ApplyOptions): Promise<ApplyReport> {
  refuseWebhooks(file, options.webhooks)
  await refuseApps(storage, file)
  refuseAgents(file.agents ?? [])
  const foundation = options.dryRun
    ? await storage.read((db) => planFoundation(db, file, findMerchant(db, file.merchant.slug), options.now))
    : await storage.write((tx) => saveFoundation(tx, file, options.now, options.record))
  const { merchant, categoryIds } = foundation
  const save = (entries: ProductEntry[]) =>
    storage.write(async (tx) => {
      const batch = await saveProducts(tx, await lockSellerFor(tx, merchant), entries, categoryIds, options)
      options.record?.(tx, merchant.id, productEntries(batch.plans))
      return batch
    })
  const comingMakers = new Set(foundation.newMakers.map(({ slug }) => slug))
  const plan = (entries: ProductEntry[]) =>
    storage.read((db) => planProducts(db, sellerFactsOf(merchant), entries, { ...options, comingMakers }))
  const products = options.dryRun
    ? await eachBatch(file, plan, { isWritten: false })
    : await recountCategoriesAfter(storage, merchant.slug, () => eachBatch(file, save, { isWritten: true }))
  if (!options.dryRun) await catchUp(storage, options.now)
  if (!options.dryRun && products.changes.length > 0) await refreshTableStatistics(storage)
  const promotions = await applyPromotions(storage, file, foundation, options)
  const apps = await applyApps(storage, file, merchant.id, options)
  const agents = await applyAgents(storage, file, merchant.id, options)
  const webhooks = await applyWebhooks(storage, file, foundation, options)
  return {
    merchantId: merchant.id,
    changes: [
      ...foundation.changes,
      ...products.changes,
      ...promotions.changes,
      ...apps,
      ...agents,
      ...webhooks.changes,
    ],
    refused: products.refused.map(({ slug, reason }) => ({ slug, reason: remarkText(reason) })),
    refusedPromotions: promotions.refused.map(({ code, refusal }) => ({ code, reason: refusal.message })),
    unchangedProducts: products.unchangedProducts,
    secrets: webhooks.secrets,
    warnings: [...foundation.warnings, ...products.notes.slice(0, claimNotesMax).map(remarkText)],
  }
}

const claimNotesMax = 20

async function eachBatch(
  file: ShopFile,
  work: (entries: ProductEntry[]) => Promise<ProductBatch>,
  { isWritten }: { isWritten: boolean },
) {
  const changes: PlannedChange[] = []
  const refused: RefusedProduct[] = []
  const notes: Remark[] = []
  let unchangedProducts = 0
  for (const entries of batches(file.products ?? [], batchProductsMax)) {
    const batch = await work(entries)
    for (const plan of batch.plans) {
      changes.push(...plan.changes)
      if (!plan.differs) unchangedProducts += 1
    }
    notes.push(...compareAtPriceRemarks(batch.plans, isWritten))
    refused.push(...batch.refused)
  }
  return { changes, refused, unchangedProducts, notes }
}

// Renders stale products, like a loop of the server, including those that a killed process left behind. A product that cannot be
// rendered, possibly of another merchant, is deferred; the loop retries and logs it.
async function catchUp(storage: Storage, now: number): Promise<void> {
  let rows: number
  do
    rows = await refreshStaleProducts(storage, now, batchProductsMax).catch((error: unknown) => {
      if (error instanceof RowsFailed) return error.rows
      throw error
    })
  while (rows > 0)
}

// Runs after the products, since promotions may name their SKUs. Responses of the catalog do not contain promotions, so no product is
// rendered again.
async function applyPromotions(
  storage: Storage,
  file: ShopFile,
  { merchant, categoryIds }: Foundation,
  { now, dryRun, record }: ApplyOptions,
) {
  const skuCodes = new Set((file.products ?? []).flatMap(({ skus }) => skus.map(({ code }) => code)))
  const goods = { categories: categoryIds, skuCodes }
  const changes: PlannedChange[] = []
  const refused: RefusedPromotion[] = []
  for (const entries of batches(file.promotions ?? [], batchPromotionsMax)) {
    const batch = dryRun
      ? await storage.read((db) => planPromotions(db, merchant, entries, goods, now))
      : await storage.write(async (tx) => {
          await lockMerchant(tx, merchant.slug)
          const saved = await savePromotions(tx, merchant, entries, goods, now)
          record?.(tx, merchant.id, promotionEntries(saved.plans))
          return saved
        })
    for (const plan of batch.plans) changes.push(...plan.changes)
    refused.push(...batch.refused)
  }
  return { changes, refused }
}

async function applyApps(
  storage: Storage,
  { apps = [] }: ShopFile,
  merchantId: string,
  { now, dryRun }: ApplyOptions,
): Promise<PlannedChange[]> {
  if (apps.length === 0) return []
  return dryRun
    ? storage.read((db) => planApps(db, apps, merchantId))
    : storage.write((tx) => saveApps(tx, apps, merchantId, now))
}

async function applyAgents(
  storage: Storage,
  { agents = [] }: ShopFile,
  merchantId: string,
  { now, dryRun, record }: ApplyOptions,
): Promise<PlannedChange[]> {
  if (agents.length === 0) return []
  return dryRun
    ? storage.read((db) => planAgents(db, agents, merchantId))
    : storage.write((tx) => saveAgents(tx, agents, merchantId, { now, record }))
}

// Runs before anything is written, so a refused file changes nothing.
async function refuseApps(storage: Storage, { merchant, apps = [] }: ShopFile): Promise<void> {
  if (apps.length === 0) return
  await storage.read(async (db) => planApps(db, apps, (await findMerchant(db, merchant.slug))?.id))
}

// Runs before anything is written. Checked here and not when the file is read, because a setting of the server decides whether private
// addresses may be called.
function refuseWebhooks({ installations = [] }: ShopFile, tools: EndpointTools | undefined): void {
  for (const [index, { webhooks = [] }] of installations.entries()) {
    for (const [at, { url }] of webhooks.entries()) {
      if (!tools) throw new TypeError('the shop file has webhook endpoints, but no webhook tools were passed to apply')
      const problem = urlProblem(url, tools)
      if (problem !== undefined)
        throw invalidEntry('webhook_endpoint_invalid', `/installations/${index}/webhooks/${at}/url`, problem)
    }
  }
}

// Runs last, in its own transaction: once a secret is created, nothing else can fail before the secret is shown.
async function applyWebhooks(
  storage: Storage,
  file: ShopFile,
  { merchant, installationIds }: Foundation,
  { now, dryRun, webhooks: tools }: ApplyOptions,
): Promise<{ changes: readonly PlannedChange[]; secrets: readonly CreatedSecret[] }> {
  const installations = (file.installations ?? [])
    .filter(({ webhooks = [] }) => webhooks.length > 0)
    .map(({ name, webhooks = [] }) => ({ installationId: installationIds.get(name) as string, entries: webhooks }))
  if (installations.length === 0 || !tools) return { changes: [], secrets: [] }
  if (dryRun) return { changes: await storage.read((db) => planWebhooks(db, installations)), secrets: [] }
  return storage.write(async (tx) => {
    await lockMerchant(tx, merchant.slug)
    return saveWebhooks(tx, installations, tools, now)
  })
}

function* batches<Entry>(entries: readonly Entry[], size: number): Generator<Entry[]> {
  for (let start = 0; start < entries.length; start += size) yield entries.slice(start, start + size)
}
