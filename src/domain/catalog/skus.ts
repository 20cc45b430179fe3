// Changes prices and stock of many SKUs in one transaction. Each row is changed whole or not at all.

import { limits } from '../../contract/limits.ts'
import type { Mode } from '../../contract/words.ts'
import type { BulkItem } from '../../platform/audit/bulk.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { type LevelChange, type PlannedLevel, planLevels, writeLevels } from '../inventory/levels.ts'
import type { MovementActor } from '../inventory/store.ts'
import { countSkus } from './adminstore.ts'
import { auditedChangesOfPlan, planProductPatch, saveProductPlans } from './change.ts'
import { applySkuPatch } from './patch.ts'
import type { ProductRow, SellerFacts, SkuRow } from './product.ts'
import { listProductsById, listProductsOfSkus } from './store.ts'

export interface SkuChangeInput {
  skuId: string
  price?: number | undefined
  compareAtPrice?: number | null | undefined
  // The prices that the caller saw.
  expectedPrice?: number | undefined
  expectedCompareAtPrice?: number | null | undefined
  // Changes the stock by a difference, or sets it to a count if the stock is what the caller saw; never both.
  adjustBy?: number | undefined
  onHand?: number | undefined
  expectedOnHand?: number | undefined
  reason?: string | undefined
}

interface SkuWorld {
  seller: SellerFacts
  mode: Mode
  categories: readonly { id: string; slug: string }[]
  actor: MovementActor
}

// The caller must have locked the seller.
export async function changeSkus(
  tx: Tx,
  { seller, mode, categories, actor }: SkuWorld,
  asks: readonly SkuChangeInput[],
  { dryRun, context }: { dryRun: boolean; context: ChangeContext },
): Promise<BulkItem[]> {
  const owners = await listProductsOfSkus(
    tx,
    seller.id,
    asks.map(({ skuId }) => skuId),
  )
  const productIds = [...new Set(owners.map(({ productId }) => productId))]
  if (productIds.length > 0) refuseTooManySkus(await countSkus(tx, seller.id, productIds), limits.bulkSkusReadMax)
  const products = await listProductsById(tx, seller.id, productIds)
  const skuOf = new Map(products.flatMap(({ skus }) => skus.map((sku) => [sku.id, sku])))
  const priced = new Map(asks.map((ask) => [ask.skuId, pricedSku(skuOf.get(ask.skuId), ask)]))
  const counted = asks.filter(({ skuId }) => !(priced.get(skuId) instanceof Refusal)).flatMap(levelAsk)
  const levels = await planLevels(tx, { merchantId: seller.id, mode }, counted)
  const levelOf = new Map(levels.map((level) => [level.stockRow.skuId, level]))

  const refusalOf = (skuId: string): Refusal | undefined => {
    const sku = priced.get(skuId)
    return sku instanceof Refusal ? sku : levelOf.get(skuId)?.refusal
  }
  const plans = products.map((before) => planProductPatch(before, patched(before, priced, refusalOf), context.now))
  if (!dryRun) {
    await saveProductPlans(tx, seller, plans, categories, context)
    await writeLevels(tx, { merchantId: seller.id, mode }, levels, actor, context)
  }

  const changesOf = Map.groupBy<string, AuditedChange>(
    [...plans.flatMap(auditedChangesOfPlan), ...levels.flatMap((level) => stockChange(level, skuOf))],
    ({ id }) => id,
  )
  return asks.map(({ skuId }) => ({
    id: skuId,
    changes: changesOf.get(skuId) ?? [],
    refusal: refusalOf(skuId) ?? null,
  }))
}

// A product is read and rendered whole, so all of its SKUs count, not only those in the request.
export function refuseTooManySkus(skuCount: number, max: number): void {
  if (skuCount <= max) return
  const message = `The products have ${skuCount} SKUs in total, but one request can change products with at most ${max} SKUs.`
  throw refuse('change_too_large', { message, current: { skuCount, limit: max } })
}

function pricedSku(sku: SkuRow | undefined, ask: SkuChangeInput): SkuRow | Refusal {
  if (!sku) return refuse('sku_not_found')
  const { price, compareAtPrice } = sku
  if (hasMoved(price, ask.price, ask.expectedPrice))
    return refuse('price_changed', {
      message: `The current price is ${price}, which is not the price that the request expects.`,
      current: { price },
    })
  if (hasMoved(compareAtPrice, ask.compareAtPrice, ask.expectedCompareAtPrice))
    return refuse('price_changed', {
      message: `The current compare-at price is ${compareAtPrice ?? 'not set'}, which is not what the request expects.`,
      current: { compareAtPrice },
    })
  try {
    return applySkuPatch(sku, ask)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

// Whether the value has changed since the caller saw it, to something other than the wanted value.
function hasMoved(now: number | null, wanted: number | null | undefined, seen: number | null | undefined): boolean {
  return seen !== undefined && now !== seen && now !== wanted
}

function levelAsk({ skuId, adjustBy, onHand, expectedOnHand, reason }: SkuChangeInput): LevelChange[] {
  if (adjustBy !== undefined) return [{ skuId, change: { adjustBy }, reason: reason ?? null }]
  if (onHand === undefined || expectedOnHand === undefined) return []
  return [{ skuId, change: { onHand, expectedOnHand }, reason: reason ?? null }]
}

function patched(
  before: ProductRow,
  priced: ReadonlyMap<string, SkuRow | Refusal>,
  refusalOf: (skuId: string) => Refusal | undefined,
): ProductRow {
  const skus = before.skus.map((sku) => {
    const after = priced.get(sku.id)
    return after && !(after instanceof Refusal) && !refusalOf(sku.id) ? after : sku
  })
  return { ...before, skus }
}

function stockChange({ stockRow, onHand, refusal }: PlannedLevel, skuOf: ReadonlyMap<string, SkuRow>): AuditedChange[] {
  const { skuId: id } = stockRow
  if (refusal || onHand === stockRow.onHand) return []
  const members = [{ member: 'onHand', from: stockRow.onHand, to: onHand }]
  return [{ kind: 'change', what: 'stock', id, name: skuOf.get(id)?.code ?? id, members }]
}
