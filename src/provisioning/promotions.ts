// Promotions for the operator: brings them to what entries say, adds one by hand, stops it and lets it go on. How often a
// promotion was used is never touched here.

import { type Change, membersChanged } from '../audit/change.ts'
import { listCategories, listSkusByCode } from '../catalog/store.ts'
import type { PromotionEntry } from '../contract/entries.ts'
import type { PromotionType } from '../contract/words.ts'
import { lockMerchant } from '../installations/store.ts'
import { newId } from '../kit/ids.ts'
import { fromInstant, toInstant } from '../kit/instant.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import { announceIfLoweredToUses } from '../promotions/exhausted.ts'
import {
  disablePromotion,
  enablePromotion,
  findOperatorPromotion,
  insertPromotion,
  listPromotions,
  normalCode,
  type OperatorPromotion,
  type Promotion,
  updatePromotion,
} from '../promotions/store.ts'
import type { Reader, Tx } from '../storage/storage.ts'

export const batchPromotionsMax = 500

export interface PromotionSeller {
  id: string
  slug: string
  currency: string
}

// What the entries may name as eligible. SKU codes that are not here are looked up in the shop.
export interface KnownGoods {
  categories: { has(slug: string): boolean }
  skuCodes: ReadonlySet<string>
}

export interface RefusedPromotion {
  code: string
  refusal: Refusal
}

export interface PromotionBatch {
  plans: readonly PromotionPlan[]
  refused: readonly RefusedPromotion[]
}

interface PromotionPlan {
  promotion: Promotion
  write: 'insert' | 'update' | 'none'
  ability: 'disable' | 'enable' | 'none'
  // Before an update that sets another one. The merchant is locked when it is read, so no other file changes it meanwhile.
  limitBefore?: number | null
  changes: readonly Change[]
}

// One batch, in the caller's transaction.
export async function savePromotions(
  tx: Tx,
  seller: PromotionSeller,
  entries: readonly PromotionEntry[],
  goods: KnownGoods,
  now: number,
): Promise<PromotionBatch> {
  await lockMerchant(tx, seller.slug)
  const { plans, refused } = await planPromotions(tx, seller, entries, goods, now)
  // None of these depends on another's answer, so that on PostgreSQL they leave in one flight.
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
  goods: KnownGoods,
  now: number,
): Promise<PromotionBatch> {
  // One look-up for each code, all in one flight. A single `code in (…)` of 500 is no bargain: a PostgreSQL that has not
  // analysed the table yet compares every code of the merchant with all of them (10,000 codes: 7.7 s instead of 0.6 s).
  const [missingSkus, ...kept] = await Promise.all([
    missingSkuCodes(db, seller.id, entries, goods.skuCodes),
    ...entries.map((entry) => findOperatorPromotion(db, seller.id, normalCode(entry.code))),
  ])
  const plans: PromotionPlan[] = []
  const refused: RefusedPromotion[] = []
  for (const [index, entry] of entries.entries()) {
    const before = kept[index]
    const promotion = promotionRecord(entry, before, seller.currency, now)
    const category = promotion.categories.find((slug) => !goods.categories.has(slug))
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

const skuCodesMax = 4_000 // in one statement

async function missingSkuCodes(
  db: Reader,
  merchant: string,
  entries: readonly PromotionEntry[],
  known: ReadonlySet<string>,
): Promise<Set<string>> {
  const missing = new Set(entries.flatMap((entry) => entry.skus ?? []).filter((code) => !known.has(code)))
  const asked = [...missing]
  for (let start = 0; start < asked.length; start += skuCodesMax) {
    const found = await listSkusByCode(db, merchant, asked.slice(start, start + skuCodesMax))
    for (const { code } of found) missing.delete(code)
  }
  return missing
}

// The entry in normal form, with every default filled in. Pure.
export function promotionRecord(
  entry: PromotionEntry,
  before: Promotion | undefined,
  merchantCurrency: string,
  now: number,
): Promotion {
  // An amount means nothing without its currency; a plain percentage is the same in all of them.
  const hasAmounts = entry.type === 'fixed_amount' || entry.minimumSubtotal != null
  const stopped = entry.disabled ?? (before ? before.disabledAt !== null : false)
  return {
    id: before?.id ?? newId('prm'),
    code: normalCode(entry.code),
    name: entry.name,
    type: entry.type,
    value: valueFor(entry),
    currency: entry.currency ?? (hasAmounts ? merchantCurrency : null),
    minimumSubtotal: entry.minimumSubtotal ?? null,
    startsAt: instantOf(entry.startsAt),
    endsAt: instantOf(entry.endsAt),
    usageLimit: entry.usageLimit ?? null,
    customerLimit: entry.customerLimit ?? null,
    used: before?.used ?? 0,
    // Sorted, so that two files that say the same compare as the same.
    categories: (entry.categories ?? []).toSorted(),
    skuCodes: (entry.skus ?? []).toSorted(),
    version: before?.version ?? 1,
    disabledAt: stopped ? (before?.disabledAt ?? now) : null,
  }
}

// That the member fits the type was checked when the entry was read.
function valueFor({ type, percentage = 0, amount = 0 }: PromotionEntry): number {
  return { percentage, fixed_amount: amount, free_shipping: 0 }[type]
}

function instantOf(text: string | null | undefined): number | null {
  return text == null ? null : (fromInstant(text) ?? null)
}

function usedTooOften(usageLimit: number): Refusal {
  const message = `It was already used more than ${usageLimit} times: to stop it, disable it.`
  return refuse('usage_limit_too_low', { message, current: { usageLimit } })
}

function planPromotion(promotion: Promotion, before: Promotion | undefined): PromotionPlan {
  if (!before) {
    const change: Change = { kind: 'create', what: 'promotion', name: promotion.code, members: [] }
    return { promotion, write: 'insert', ability: 'none', changes: [change] }
  }
  const members = membersChanged(entryOf(before), entryOf(promotion), entryMembers)
  const differs = members.some(({ member }) => member !== 'disabled')
  const stops = members.some(({ member }) => member === 'disabled')
  return {
    promotion,
    write: differs ? 'update' : 'none',
    ...(promotion.usageLimit !== before.usageLimit && { limitBefore: before.usageLimit }),
    ability: stops ? (promotion.disabledAt === null ? 'enable' : 'disable') : 'none',
    changes: members.length > 0 ? [{ kind: 'change', what: 'promotion', name: promotion.code, members }] : [],
  }
}

// Why it was not written, if so. Orders and other operators do not wait for the merchant's row, so a use or a promotion
// may have come since we looked: the statements know.
async function writePromotion(
  tx: Tx,
  merchant: string,
  { promotion, write, ability, limitBefore }: PromotionPlan,
  now: number,
): Promise<Refusal | undefined> {
  if (write === 'insert' && !(await insertPromotion(tx, merchant, promotion, now)))
    return refuse('promotion_exists', {
      message: 'It was created by someone else at the same time: apply the file again.',
    })
  if (write === 'update' && !(await updatePromotion(tx, merchant, promotion, now)))
    return usedTooOften(promotion.usageLimit ?? 0)
  if (ability === 'disable') await disablePromotion(tx, merchant, promotion.id, now)
  if (ability === 'enable') await enablePromotion(tx, merchant, promotion.id, now)
  if (limitBefore !== undefined)
    await announceIfLoweredToUses(tx, merchant, { promotionId: promotion.id, limitBefore }, { now, cause: null })
  return undefined
}

// Adds one by hand, under the rules of a shop file.
export async function addPromotion(
  tx: Tx,
  seller: PromotionSeller,
  entry: PromotionEntry,
  now: number,
): Promise<OperatorPromotion> {
  const categories = new Set((await listCategories(tx, seller.id)).map(({ slug }) => slug))
  const { plans, refused } = await planPromotions(tx, seller, [entry], { categories, skuCodes: new Set() }, now)
  const [plan] = plans
  if (!plan) throw refused[0]?.refusal ?? new Error('a promotion was neither planned nor refused')
  const { promotion, write } = plan
  if (write === 'insert' && (await insertPromotion(tx, seller.id, promotion, now))) return { ...promotion, testUsed: 0 }
  const message = `There is already a promotion ${promotion.code}: a shop file can change it.`
  throw refuse('promotion_exists', { message })
}

// Either may be asked for twice.
export async function stopPromotion(tx: Tx, merchant: string, code: string, now: number): Promise<OperatorPromotion> {
  const { id } = await showPromotion(tx, merchant, code)
  await disablePromotion(tx, merchant, id, now)
  return showPromotion(tx, merchant, code)
}

export async function resumePromotion(tx: Tx, merchant: string, code: string, now: number): Promise<OperatorPromotion> {
  const { id } = await showPromotion(tx, merchant, code)
  await enablePromotion(tx, merchant, id, now)
  return showPromotion(tx, merchant, code)
}

export async function showPromotion(db: Reader, merchant: string, code: string): Promise<OperatorPromotion> {
  const promotion = await findOperatorPromotion(db, merchant, normalCode(code))
  if (!promotion) throw refuse('promotion_not_found', { message: `There is no promotion ${normalCode(code)}.` })
  return promotion
}

const pageMax = 1_000

// One page at a time in one snapshot: a merchant may have tens of thousands.
export async function* allPromotions(db: Reader, merchant: string): AsyncGenerator<OperatorPromotion> {
  for (let after = ''; ; ) {
    const page = await listPromotions(db, merchant, after, pageMax)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < pageMax) return
    after = last.code
  }
}

// A promotion in the words of a shop file, with everything said.
interface FullEntry {
  code: string
  name: string
  type: PromotionType
  percentage: number | null
  amount: number | null
  currency: string | null
  minimumSubtotal: number | null
  startsAt: string | null
  endsAt: string | null
  usageLimit: number | null
  customerLimit: number | null
  categories: string[]
  skus: string[]
  disabled: boolean
}

const entryMembers = [
  'name',
  'type',
  'percentage',
  'amount',
  'currency',
  'minimumSubtotal',
  'startsAt',
  'endsAt',
  'usageLimit',
  'customerLimit',
  'categories',
  'skus',
  'disabled',
] as const satisfies readonly (keyof FullEntry)[]

function entryOf(promotion: Promotion): FullEntry {
  return {
    code: promotion.code,
    name: promotion.name,
    type: promotion.type,
    percentage: promotion.type === 'percentage' ? promotion.value : null,
    amount: promotion.type === 'fixed_amount' ? promotion.value : null,
    currency: promotion.currency,
    minimumSubtotal: promotion.minimumSubtotal,
    startsAt: promotion.startsAt === null ? null : toInstant(promotion.startsAt),
    endsAt: promotion.endsAt === null ? null : toInstant(promotion.endsAt),
    usageLimit: promotion.usageLimit,
    customerLimit: promotion.customerLimit,
    categories: promotion.categories,
    skus: promotion.skuCodes,
    disabled: promotion.disabledAt !== null,
  }
}

// Whether a shopper could use it now, whatever is in the cart; the first word that is true.
export type PromotionStatus = 'disabled' | 'expired' | 'scheduled' | 'exhausted' | 'active'

export interface ShownPromotion extends FullEntry {
  id: string
  status: PromotionStatus
  // In live mode, and so is what the status says of its uses.
  used: number
  testUsed: number
  version: number
}

export function shownPromotion(promotion: OperatorPromotion, now: number): ShownPromotion {
  const { id, used, testUsed, version } = promotion
  return { id, ...entryOf(promotion), status: promotionStatus(promotion, now), used, testUsed, version }
}

export function promotionStatus(promotion: Promotion, now: number): PromotionStatus {
  const { disabledAt, startsAt, endsAt, usageLimit, used } = promotion
  if (disabledAt !== null) return 'disabled'
  if (endsAt !== null && endsAt <= now) return 'expired'
  if (startsAt !== null && startsAt > now) return 'scheduled'
  return usageLimit !== null && used >= usageLimit ? 'exhausted' : 'active'
}
