// Changes promotions to the values of entries, and disables and enables them. It never changes how often a promotion was used.

import type { PromotionEntry } from '../../contract/entries.ts'
import { membersChanged, type PlannedChange } from '../../platform/audit/change.ts'
import { type Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { entryMembers, promotionEntryOf, promotionRecord } from './entry.ts'
import { announceIfLimitNowReached } from './exhausted.ts'
import {
  disablePromotion,
  enablePromotion,
  findOperatorPromotion,
  insertPromotion,
  listKnownCategories,
  listKnownSkuCodes,
  normalizePromotionCode,
  type Promotion,
  updatePromotion,
} from './store.ts'

export const batchPromotionsMax = 500

export interface PromotionSeller {
  id: string
  currency: string
}

// Eligible categories and SKUs that a shop file creates itself. All others are looked up in the shop.
export interface NewGoods {
  categories: { has(slug: string): boolean }
  skuCodes: { has(code: string): boolean }
}

export const noNewGoods: NewGoods = { categories: new Set(), skuCodes: new Set() }

export interface RefusedPromotion {
  code: string
  refusal: Refusal
}

export interface PromotionBatch {
  plans: readonly PromotionPlan[]
  refused: readonly RefusedPromotion[]
}

export interface PromotionPlan {
  promotion: Promotion
  write: 'insert' | 'update' | 'none'
  ability: 'disable' | 'enable' | 'none'
  // The limit before an update that changes it. Read with the merchant locked, so the limit cannot change before the update.
  limitBefore?: number | null
  changes: readonly PromotionChange[]
}

// A change with the id of its promotion, as the list of changes records it.
export type PromotionChange = PlannedChange & { what: 'promotion'; id: string }

// A creation is undone by disabling the promotion, so its entry records whether it was disabled from the beginning.
export function auditedChange(change: PromotionChange, { disabledAt }: Pick<Promotion, 'disabledAt'>): PromotionChange {
  if (change.kind !== 'create') return change
  return { ...change, members: [{ member: 'disabled', from: null, to: disabledAt !== null }] }
}

// Saves one batch. The caller must have locked the merchant.
export async function savePromotions(
  tx: Tx,
  seller: PromotionSeller,
  entries: readonly PromotionEntry[],
  goods: NewGoods,
  now: number,
): Promise<PromotionBatch> {
  const { plans, refused } = await planPromotions(tx, seller, entries, goods, now)
  // No write needs the result of another, so PostgreSQL receives them in one round trip.
  const refusals = await Promise.all(plans.map((plan) => writePromotion(tx, seller.id, plan, now)))
  const late = plans.flatMap(({ promotion: { code } }, index) => {
    const refusal = refusals[index]
    return refusal === undefined ? [] : [{ code, refusal }]
  })
  return { plans: plans.filter((_, index) => refusals[index] === undefined), refused: [...refused, ...late] }
}

export async function planPromotions(
  db: Reader,
  seller: PromotionSeller,
  entries: readonly PromotionEntry[],
  goods: NewGoods,
  now: number,
): Promise<PromotionBatch> {
  // One query for each code, in one round trip. A single `code in (…)` of 500 is slower: before PostgreSQL has analysed the table it
  // compares every code of the merchant with all of them (10,000 codes: 7.7 s instead of 0.6 s).
  const [missingCategories, missingSkus, ...stored] = await Promise.all([
    missingFrom(
      entries.flatMap((entry) => entry.categories ?? []),
      goods.categories,
      (slugs) => listKnownCategories(db, seller.id, slugs),
    ),
    missingFrom(
      entries.flatMap((entry) => entry.skus ?? []),
      goods.skuCodes,
      (codes) => listKnownSkuCodes(db, seller.id, codes),
    ),
    ...entries.map((entry) => findOperatorPromotion(db, seller.id, normalizePromotionCode(entry.code))),
  ])
  const plans: PromotionPlan[] = []
  const refused: RefusedPromotion[] = []
  for (const [index, entry] of entries.entries()) {
    const before = stored[index]
    const promotion = promotionRecord(entry, before, seller.currency, now)
    const category = promotion.categories.find((slug) => missingCategories.has(slug))
    const sku = promotion.skuCodes.find((code) => missingSkus.has(code))
    const { code, used, usageLimit } = promotion
    if (category !== undefined) refused.push({ code, refusal: missing('category_not_found', `category ${category}`) })
    else if (sku !== undefined) refused.push({ code, refusal: missing('sku_not_found', `SKU ${sku}`) })
    else if (usageLimit !== null && used > usageLimit) refused.push({ code, refusal: usedTooOften(usageLimit) })
    else plans.push(planPromotion(promotion, before))
  }
  return { plans, refused }
}

function missing(code: 'category_not_found' | 'sku_not_found', subject: string): Refusal {
  return refuse(code, { message: `There is no ${subject}.` })
}

const lookedUpMax = 4_000 // in one statement

async function missingFrom(
  names: readonly string[],
  known: { has(name: string): boolean },
  look: (names: readonly string[]) => Promise<string[]>,
): Promise<Set<string>> {
  const missing = new Set(names.filter((name) => !known.has(name)))
  const asked = [...missing]
  for (let start = 0; start < asked.length; start += lookedUpMax)
    for (const name of await look(asked.slice(start, start + lookedUpMax))) missing.delete(name)
  return missing
}

function usedTooOften(usageLimit: number): Refusal {
  const message = `The promotion was already used more than ${usageLimit} times: to stop its use, disable it.`
  return refuse('usage_limit_too_low', { message, current: { usageLimit } })
}

function planPromotion(promotion: Promotion, before: Promotion | undefined): PromotionPlan {
  if (!before) {
    const change = { kind: 'create', what: 'promotion', id: promotion.id, name: promotion.code, members: [] } as const
    return { promotion, write: 'insert', ability: 'none', changes: [change] }
  }
  const members = membersChanged(promotionEntryOf(before), promotionEntryOf(promotion), entryMembers)
  const differs = members.some(({ member }) => member !== 'disabled')
  const stops = members.some(({ member }) => member === 'disabled')
  return {
    promotion,
    write: differs ? 'update' : 'none',
    ...(promotion.usageLimit !== before.usageLimit && { limitBefore: before.usageLimit }),
    ability: stops ? (promotion.disabledAt === null ? 'enable' : 'disable') : 'none',
    changes:
      members.length > 0
        ? [{ kind: 'change', what: 'promotion', id: promotion.id, name: promotion.code, members }]
        : [],
  }
}

// Returns the refusal if the promotion was not written. Orders do not lock the merchant, so a use may have been counted since the plan
// was made: the statement checks again.
async function writePromotion(
  tx: Tx,
  merchant: string,
  { promotion, write, ability, limitBefore }: PromotionPlan,
  now: number,
): Promise<Refusal | undefined> {
  if (write === 'insert' && !(await insertPromotion(tx, merchant, promotion, now)))
    return refuse('promotion_exists', {
      message: 'The promotion was created by someone else at the same time: apply the file again.',
    })
  if (write === 'update' && !(await updatePromotion(tx, merchant, promotion, now)))
    return usedTooOften(promotion.usageLimit ?? 0)
  if (ability === 'disable') await disablePromotion(tx, merchant, promotion.id, now)
  if (ability === 'enable') await enablePromotion(tx, merchant, promotion.id, now)
  if (limitBefore !== undefined)
    await announceIfLimitNowReached(tx, merchant, { promotionId: promotion.id, limitBefore }, { now, cause: null })
  return undefined
}
