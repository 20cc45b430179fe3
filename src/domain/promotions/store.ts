// The SQL of promotions, and the normal form in which a code is stored and compared. Whether a promotion applies to a
// cart is decided elsewhere; here its uses are counted per mode, never above its limit.

import type { Mode, PromotionStatus, PromotionType } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type SqlValue, type Tx } from '../../platform/storage/storage.ts'

export interface Promotion {
  id: string
  // The code in the form of `normalizePromotionCode`.
  code: string
  name: string
  type: PromotionType
  // Basis points for a percentage, minor units for a fixed amount, 0 for free shipping.
  value: number
  // The currency of `value` and `minimumSubtotal`; null: the promotion applies in any currency.
  currency: string | null
  minimumSubtotal: number | null
  // Valid from startsAt (inclusive) to endsAt (exclusive).
  startsAt: number | null
  endsAt: number | null
  // Limits for each mode separately.
  usageLimit: number | null
  customerLimit: number | null
  // Uses in the mode in which the row was read.
  used: number
  // Eligible category slugs and SKU codes. If both are empty, everything is eligible.
  categories: string[]
  skuCodes: string[]
  // The promotion's version in the same mode. Incremented at every change, including a use, so an event can use it as its sequence.
  version: number
  disabledAt: number | null
}

// One form for every way to type a code: full-width letters become plain, lower case becomes upper case, surrounding
// spaces are removed. Upper-casing can decompose a character (ΐ becomes three), so the text is composed again; applying
// the function twice then changes nothing.
export function normalizePromotionCode(text: string): string {
  return text.normalize('NFKC').toUpperCase().normalize('NFKC').trim()
}

// `code` is in normal form.
export async function findPromotionByCode(
  db: Reader,
  seller: MerchantMode,
  code: string,
): Promise<Promotion | undefined> {
  const [promotion] = await selectPromotions(db, seller, 'and code = ?', [code])
  return promotion
}

export async function findPromotion(db: Reader, seller: MerchantMode, id: string): Promise<Promotion | undefined> {
  const [promotion] = await selectPromotions(db, seller, 'and id = ?', [id])
  return promotion
}

// A promotion as the operator sees it: in live mode, and with the number of uses in test mode.
export interface OperatorPromotion extends Promotion {
  testUsed: number
  // Counts edits. Unlike `version`, it does not count uses.
  editVersion: number
}

export async function findOperatorPromotion(
  db: Reader,
  merchantId: string,
  code: string,
): Promise<OperatorPromotion | undefined> {
  const [promotion] = await selectOperatorPromotions(db, merchantId, 'and code = ?', [code])
  return promotion
}

// Lists promotions in the order of the index of codes, which depends on the database. The first page starts after ''.
export async function listPromotions(
  db: Reader,
  merchantId: string,
  afterCode: string,
  limit: number,
): Promise<OperatorPromotion[]> {
  return selectOperatorPromotions(db, merchantId, 'and code > ? order by code limit ?', [afterCode, limit])
}

interface PromotionRow extends Omit<Promotion, 'categories' | 'skuCodes'> {
  categories: string
  skuCodes: string
}

function promotionFrom<Row extends PromotionRow>(row: Row) {
  return {
    ...row,
    categories: JSON.parse(row.categories) as string[],
    skuCodes: JSON.parse(row.skuCodes) as string[],
  }
}

// The columns that count a promotion in a mode.
const counts: Readonly<Record<Mode, { used: string; version: string }>> = {
  live: { used: 'used', version: 'version' },
  test: { used: 'test_used', version: 'test_version' },
}

const promotionColumns: Readonly<Record<Mode, Fragment>> = { live: columnsIn('live'), test: columnsIn('test') }

function columnsIn(mode: Mode): Fragment {
  return new Fragment(`
    id, code, name, type, value, currency, minimum_subtotal as "minimumSubtotal", starts_at as "startsAt",
    ends_at as "endsAt", usage_limit as "usageLimit", customer_limit as "customerLimit", ${counts[mode].used} as "used",
    categories, sku_codes as "skuCodes", ${counts[mode].version} as "version", disabled_at as "disabledAt"`)
}

async function selectPromotions(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  rest: string,
  values: readonly SqlValue[],
): Promise<Promotion[]> {
  const rows = await db.sql<PromotionRow>`
    select ${promotionColumns[mode]} from promotions where merchant_id = ${merchantId} ${new Fragment(rest, values)}`
  return rows.map(promotionFrom)
}

async function selectOperatorPromotions(
  db: Reader,
  merchant: string,
  rest: string,
  values: readonly SqlValue[],
): Promise<OperatorPromotion[]> {
  const rows = await db.sql<PromotionRow & { testUsed: number; editVersion: number }>`
    select ${promotionColumns.live}, test_used as "testUsed", edit_version as "editVersion"
    from promotions where merchant_id = ${merchant} ${new Fragment(rest, values)}`
  return rows.map(promotionFrom)
}

// Returns false if the merchant has a promotion with this code: the unique index waits for a concurrent insert.
export async function insertPromotion(tx: Tx, merchant: string, promotion: Promotion, now: number): Promise<boolean> {
  const rows = await tx.sql`
    insert into promotions (merchant_id, id, code, name, type, value, currency, minimum_subtotal, starts_at, ends_at,
      usage_limit, customer_limit, used, categories, sku_codes, version, created_at, updated_at, disabled_at)
    values (${merchant}, ${promotion.id}, ${promotion.code}, ${promotion.name}, ${promotion.type}, ${promotion.value},
      ${promotion.currency}, ${promotion.minimumSubtotal}, ${promotion.startsAt}, ${promotion.endsAt},
      ${promotion.usageLimit}, ${promotion.customerLimit}, 0, ${JSON.stringify(promotion.categories)},
      ${JSON.stringify(promotion.skuCodes)}, 1, ${now}, ${now}, ${promotion.disabledAt})
    on conflict (merchant_id, code) do nothing returning id`
  return rows.length > 0
}

// Updates everything except the code, the uses and whether the promotion is disabled. The last two have their own statements, because an
// edit must not undo a use. Returns false if the promotion was used more often in live mode than the new limit allows. Uses in test mode do
// not matter.
export async function updatePromotion(tx: Tx, merchant: string, promotion: Promotion, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update promotions set name = ${promotion.name}, type = ${promotion.type}, value = ${promotion.value},
      currency = ${promotion.currency}, minimum_subtotal = ${promotion.minimumSubtotal}, starts_at = ${promotion.startsAt},
      ends_at = ${promotion.endsAt}, usage_limit = ${promotion.usageLimit}, customer_limit = ${promotion.customerLimit},
      categories = ${JSON.stringify(promotion.categories)}, sku_codes = ${JSON.stringify(promotion.skuCodes)},
      version = version + 1, test_version = test_version + 1,
      edit_version = edit_version + 1, updated_at = ${now}
    where merchant_id = ${merchant} and id = ${promotion.id} and used <= ${promotion.usageLimit ?? Number.MAX_SAFE_INTEGER}
    returning id`
  return rows.length > 0
}

// Returns false if the promotion was already disabled.
export async function disablePromotion(tx: Tx, merchant: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update promotions set disabled_at = ${now}, version = version + 1, test_version = test_version + 1,
      edit_version = edit_version + 1, updated_at = ${now}
    where merchant_id = ${merchant} and id = ${id} and disabled_at is null
    returning id`
  return rows.length > 0
}

// Returns false if the promotion was already enabled.
export async function enablePromotion(tx: Tx, merchant: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update promotions set disabled_at = null, version = version + 1, test_version = test_version + 1,
      edit_version = edit_version + 1, updated_at = ${now}
    where merchant_id = ${merchant} and id = ${id} and disabled_at is not null
    returning id`
  return rows.length > 0
}

// Counts one use in the transaction that places the order, and returns the promotion after the update. Returns undefined if the limit is
// reached or the promotion is disabled: the condition is in the statement, so the limit holds for any number of concurrent orders.
export async function countPromotionUse(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<Promotion | undefined> {
  const { used, version } = counts[mode]
  const [row] = await tx.sql<PromotionRow>`
    update promotions set ${new Fragment(`${used} = ${used} + 1, ${version} = ${version} + 1`)}
    where merchant_id = ${merchantId} and id = ${id} and disabled_at is null
      and (usage_limit is null or ${new Fragment(used)} < usage_limit)
    returning ${promotionColumns[mode]}`
  return row && promotionFrom(row)
}

export async function raisePromotionVersion(tx: Tx, { merchantId, mode }: MerchantMode, id: string): Promise<void> {
  const { version } = counts[mode]
  await tx.sql`
    update promotions set ${new Fragment(`${version} = ${version} + 1`)} where merchant_id = ${merchantId} and id = ${id}`
}

// Called once for each use that is taken back, because the order was cancelled or could not be placed. Also for a disabled promotion.
export async function releasePromotionUse(tx: Tx, { merchantId, mode }: MerchantMode, id: string): Promise<void> {
  const { used, version } = counts[mode]
  await tx.sql`
    update promotions set ${new Fragment(`${used} = ${used} - 1, ${version} = ${version} + 1`)}
    where merchant_id = ${merchantId} and id = ${id} and ${new Fragment(used)} > 0`
}

// Returns which of these SKU codes the shop has. Retired SKUs count, because a promotion may outlive them.
export async function listKnownSkuCodes(db: Reader, merchant: string, codes: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ code: string }>`
    select code from skus where merchant_id = ${merchant} and code in (${listFragment(codes)})`
  return rows.map(({ code }) => code)
}

export async function listKnownCategories(db: Reader, merchant: string, slugs: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ slug: string }>`
    select slug from categories where merchant_id = ${merchant} and slug in (${listFragment(slugs)})`
  return rows.map(({ slug }) => slug)
}

export async function findOperatorPromotionById(
  db: Reader,
  merchantId: string,
  id: string,
): Promise<OperatorPromotion | undefined> {
  const [promotion] = await selectOperatorPromotions(db, merchantId, 'and id = ?', [id])
  return promotion
}

export interface PromotionListQuery {
  // How the code begins, in normal form.
  code?: string | undefined
  status?: PromotionStatus | undefined
  afterCode: string
  now: number
  limit: number
}

// Sorted by code. Whether a promotion is exhausted depends on the mode.
export async function listPromotionsWhere(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { code, status, afterCode, now, limit }: PromotionListQuery,
): Promise<OperatorPromotion[]> {
  const conditions = [
    new Fragment('and code > ?', [afterCode]),
    ...(code === undefined
      ? []
      : [new Fragment("and code like ? escape '!'", [`${code.replaceAll(/[!%_]/g, '!$&')}%`])]),
    ...(status === undefined ? [] : [statusCondition(status, counts[mode].used, now)]),
    new Fragment('order by code limit ?', [limit]),
  ]
  return selectOperatorPromotions(
    db,
    merchantId,
    conditions.map(({ text }) => text).join(' '),
    conditions.flatMap(({ values }) => [...values]),
  )
}

// The conditions of `promotionStatus`: the first that applies counts.
function statusCondition(status: PromotionStatus, used: string, now: number): Fragment {
  if (status === 'disabled') return new Fragment('and disabled_at is not null')
  if (status === 'expired') return new Fragment('and disabled_at is null and ends_at <= ?', [now])
  const isRunning = 'and disabled_at is null and (ends_at is null or ends_at > ?)'
  if (status === 'scheduled') return new Fragment(`${isRunning} and starts_at > ?`, [now, now])
  const isUsedUp = `${status === 'active' ? 'not' : ''} (usage_limit is not null and ${used} >= usage_limit)`
  return new Fragment(`${isRunning} and (starts_at is null or starts_at <= ?) and ${isUsedUp}`, [now, now])
}

// Changes of one merchant's promotions wait for each other here. The lock is an update, because that does not block transactions that
// only reference the merchant.
export async function lockPromotionSeller(
  tx: Tx,
  merchantId: string,
): Promise<{ id: string; currency: string } | undefined> {
  const [seller] = await tx.sql<{ id: string; currency: string }>`
    update merchants set catalog_version = catalog_version where id = ${merchantId} returning id, currency`
  return seller
}
