// Promotions as entries of a shop file or of the admin API: what a schema cannot express about them, their normal form, and
// how they are shown. Pure, except that a new promotion gets its id here.

import type { PromotionEntry } from '../../contract/entries.ts'
import { issueAt } from '../../contract/issues.ts'
import type { PromotionStatus, PromotionType } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { fromInstant, toInstant } from '../../platform/kit/instant.ts'
import { currencyExponent } from '../../platform/kit/money.ts'
import { type EntryProblem, isBlank } from '../../platform/kit/problems.ts'
import { normalizePromotionCode, type Promotion } from './store.ts'

// Codes are copied from paper and typed on telephones: only visible characters, and no spaces.
const visibleCode = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]{1,64}$/u

const valueMembers = {
  percentage: 'percentage',
  fixed_amount: 'amount',
  free_shipping: undefined,
} as const satisfies Record<PromotionType, keyof PromotionEntry | undefined>

export function* promotionProblems(promotion: PromotionEntry): Generator<EntryProblem> {
  if (isBlank(promotion.name)) yield issueAt('/name', 'blank')
  if (!visibleCode.test(normalizePromotionCode(promotion.code)))
    yield issueAt('/code', 'promotion_code', { min: 1, max: 64 })
  for (const member of ['percentage', 'amount'] as const) {
    const fits = valueMembers[promotion.type] === member
    const isGiven = promotion[member] !== undefined
    if (fits && !isGiven) yield issueAt(`/${member}`, 'needed_for_type', { type: promotion.type })
    if (!fits && isGiven) yield issueAt(`/${member}`, 'unfit_for_type', { type: promotion.type })
  }
  if (promotion.currency != null && currencyExponent(promotion.currency) === undefined)
    yield issueAt('/currency', 'unknown_currency')
  for (const member of ['startsAt', 'endsAt'] as const) {
    const text = promotion[member]
    if (text != null && fromInstant(text) === undefined) yield issueAt(`/${member}`, 'not_an_instant_in_utc')
  }
  const [startsAt, endsAt] = [fromInstant(promotion.startsAt ?? ''), fromInstant(promotion.endsAt ?? '')]
  if (startsAt !== undefined && endsAt !== undefined && startsAt >= endsAt) yield issueAt('/endsAt', 'not_after_start')
}

// The entry in normal form, with every default filled in.
export function promotionRecord(
  entry: PromotionEntry,
  before: Promotion | undefined,
  merchantCurrency: string,
  now: number,
): Promotion {
  // An amount needs a currency; a plain percentage is the same in every currency.
  const hasAmounts = entry.type === 'fixed_amount' || entry.minimumSubtotal != null
  const stopped = entry.disabled ?? (before ? before.disabledAt !== null : false)
  return {
    id: before?.id ?? newId('prm'),
    code: normalizePromotionCode(entry.code),
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
    // Sorted, so two entries with the same lists compare as equal.
    categories: (entry.categories ?? []).toSorted(),
    skuCodes: (entry.skus ?? []).toSorted(),
    version: before?.version ?? 1,
    disabledAt: stopped ? (before?.disabledAt ?? now) : null,
  }
}

// `promotionProblems` has checked that the member fits the type.
function valueFor({ type, percentage = 0, amount = 0 }: PromotionEntry): number {
  return { percentage, fixed_amount: amount, free_shipping: 0 }[type]
}

function instantOf(text: string | null | undefined): number | null {
  return text == null ? null : (fromInstant(text) ?? null)
}

// A promotion as an entry with every member.
export interface FullEntry {
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

export const entryMembers = [
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

export function promotionEntryOf(promotion: Promotion): FullEntry {
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

export function promotionStatus(promotion: Promotion, now: number): PromotionStatus {
  const { disabledAt, startsAt, endsAt, usageLimit, used } = promotion
  if (disabledAt !== null) return 'disabled'
  if (endsAt !== null && endsAt <= now) return 'expired'
  if (startsAt !== null && startsAt > now) return 'scheduled'
  return usageLimit !== null && used >= usageLimit ? 'exhausted' : 'active'
}
