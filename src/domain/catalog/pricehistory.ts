// Records the prices of SKUs, in the transaction that changes them, and computes which prior prices may be shown. Only prices of
// published products count: a price that no shopper could pay was never in effect.

import { type Remark, remark } from '../../contract/remarks.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { appendPriceStep, dropOldPriceSteps, shownPriorPrice } from './priorprice.ts'
import type { ProductRow, SkuRow } from './product.ts'
import { deletePriceSteps, listPriceSteps, putPriceSteps, type SkuStep } from './store.ts'

// The part of a plan (`change.ts`) that is used here.
interface PricedPlan {
  product: ProductRow
  before: ProductRow | undefined
  skus: readonly PlannedSku[]
}

interface PlannedSku {
  sku: SkuRow
  write: 'insert' | 'update' | 'none'
}

// Returns the plans with the prior prices of their SKUs. The caller must have locked the seller, so a price history has one writer at a
// time.
export async function recordPrices<Plan extends PricedPlan>(
  tx: Tx,
  merchantId: string,
  plans: readonly Plan[],
  now: number,
): Promise<Plan[]> {
  const priced = plans.flatMap(pricedSkus)
  const known = priced.flatMap(({ sku, isNew, isPublished }) => (isPublished && !isNew ? [sku.id] : []))
  const stored = Map.groupBy(await listPriceSteps(tx, merchantId, known), ({ skuId }) => skuId)
  const put: SkuStep[] = []
  const dropped: { skuId: string; before: number }[] = []
  const priorOf = new Map<string, number | null>()
  for (const { sku, isPublished } of priced) {
    const { id: skuId, price, compareAtPrice } = sku
    if (!isPublished) {
      priorOf.set(skuId, null)
      continue
    }
    const before = stored.get(skuId) ?? []
    const steps = appendPriceStep(before, { fromAt: now, price, compareAtPrice })
    const after = dropOldPriceSteps(steps)
    priorOf.set(skuId, shownPriorPrice(after))
    const [first, last] = [after[0], after.at(-1)]
    if (!first || !last) continue
    if (before[0] && before[0].fromAt < first.fromAt) {
      dropped.push({ skuId, before: first.fromAt })
      put.push({ ...first, skuId })
    }
    if (last !== first || before.length === 0 || steps.length === 1) put.push({ ...last, skuId })
  }
  if (dropped.length > 0) await deletePriceSteps(tx, merchantId, dropped)
  await putPriceSteps(tx, merchantId, put)
  return plans.map((plan) => withPriorPrices(plan, priorOf))
}

interface PricedSku {
  sku: SkuRow
  isNew: boolean
  isPublished: boolean
}

// SKUs whose price or compare-at price changes, or that are published now.
function pricedSkus({ product, before, skus }: PricedPlan): PricedSku[] {
  const isPublished = product.publishedAt !== null
  const isShownAnew = isPublished && before?.publishedAt == null
  const known = new Map(before?.skus.map((sku) => [sku.id, sku]))
  return skus.flatMap(({ sku, write }) => {
    const was = known.get(sku.id)
    const isSame = was && was.price === sku.price && was.compareAtPrice === sku.compareAtPrice
    return isSame && !isShownAnew ? [] : [{ sku, isNew: write === 'insert', isPublished }]
  })
}

function withPriorPrices<Plan extends PricedPlan>(plan: Plan, priorOf: ReadonlyMap<string, number | null>): Plan {
  const isChanged = ({ id, priorPrice }: SkuRow) => priorOf.has(id) && priorOf.get(id) !== priorPrice
  if (!plan.skus.some(({ sku }) => isChanged(sku))) return plan
  const skus = plan.skus.map((planned) => {
    const { sku, write } = planned
    if (!isChanged(sku)) return planned
    const after = { ...sku, priorPrice: priorOf.get(sku.id) ?? null }
    return { ...planned, sku: after, write: write === 'none' ? ('update' as const) : write }
  })
  const product: ProductRow = { ...plan.product, skus: skus.map(({ sku }) => sku) }
  return { ...plan, product, skus }
}

// Remarks on compare-at prices that cannot be shown, one for each product. `isWritten`: whether the plans have their prior prices
// already; before that, only new SKUs are known to have none.
export function compareAtPriceRemarks(plans: readonly PricedPlan[], isWritten: boolean): Remark[] {
  return plans.flatMap(({ product, skus }) => {
    const unshown = skus.filter(
      ({ sku, write }) =>
        sku.compareAtPrice !== null && sku.priorPrice === null && write !== 'none' && (isWritten || write === 'insert'),
    )
    if (unshown.length === 0) return []
    const members = unshown.slice(0, codesNamedMax).map(({ sku }) => sku.code)
    const others = unshown.length - members.length
    const more = others > 0 ? others : undefined
    return [remark('compare_at_price_not_shown', { slug: product.slug, members, more })]
  })
}

const codesNamedMax = 5
