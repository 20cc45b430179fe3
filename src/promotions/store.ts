// The SQL of promotions, and the form in which a code is kept and compared. Whether a promotion fits a cart is decided
// elsewhere; here a use of it is counted in its mode, never above its limit.

import type { Mode, PromotionType } from '../contract/words.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { Fragment, type Reader, type SqlValue, type Tx } from '../storage/storage.ts'

export interface Promotion {
  id: string
  // As `normalCode` makes it.
  code: string
  name: string
  type: PromotionType
  // Basis points for a percentage, minor units for a fixed amount, 0 for free shipping.
  value: number
  // In which `value` and `minimumSubtotal` are amounts; null when neither is one and every currency will do.
  currency: string | null
  minimumSubtotal: number | null
  // It is valid from startsAt on, until before endsAt.
  startsAt: number | null
  endsAt: number | null
  // Of each mode alone.
  usageLimit: number | null
  customerLimit: number | null
  // In the mode in which it was read.
  used: number
  // Category slugs and SKU codes that are eligible. Both empty: everything is.
  categories: string[]
  skuCodes: string[]
  // Of the same mode. Grows at every change, a use included, so that an event can carry it as its sequence.
  version: number
  disabledAt: number | null
}

// One form for every way to type a code: full-width letters become plain, small ones large, spaces around it fall away.
// Upper case can come apart again (ΐ becomes three characters), so it is composed once more; twice changes nothing then.
export function normalCode(text: string): string {
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

// As the operator sees it: in live mode, and how often it was used in test mode.
export interface OperatorPromotion extends Promotion {
  testUsed: number
}

export async function findOperatorPromotion(
  db: Reader,
  merchantId: string,
  code: string,
): Promise<OperatorPromotion | undefined> {
  const [promotion] = await selectOperatorPromotions(db, merchantId, 'and code = ?', [code])
  return promotion
}

// In the order of the index of codes, which is the database's own. The first page is after ''.
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

// Where a promotion is counted in a mode.
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
  const rows = await db.sql<PromotionRow & { testUsed: number }>`
    select ${promotionColumns.live}, test_used as "testUsed"
    from promotions where merchant_id = ${merchant} ${new Fragment(rest, values)}`
  return rows.map(promotionFrom)
}

// False when the merchant has a promotion of this code: the unique index lets us wait for whoever is making it.
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

// Everything but the uses and whether it is disabled, which have their own statements: new words must not undo a use.
// False when it was used more often in live mode than the new limit allows. Uses in test mode are in nobody's way.
export async function updatePromotion(tx: Tx, merchant: string, promotion: Promotion, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update promotions set name = ${promotion.name}, type = ${promotion.type}, value = ${promotion.value},
      currency = ${promotion.currency}, minimum_subtotal = ${promotion.minimumSubtotal}, starts_at = ${promotion.startsAt},
      ends_at = ${promotion.endsAt}, usage_limit = ${promotion.usageLimit}, customer_limit = ${promotion.customerLimit},
      categories = ${JSON.stringify(promotion.categories)}, sku_codes = ${JSON.stringify(promotion.skuCodes)},
      version = version + 1, test_version = test_version + 1, updated_at = ${now}
    where merchant_id = ${merchant} and id = ${promotion.id} and used <= ${promotion.usageLimit ?? Number.MAX_SAFE_INTEGER}
    returning id`
  return rows.length > 0
}

// False when it was disabled before.
export async function disablePromotion(tx: Tx, merchant: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update promotions set disabled_at = ${now}, version = version + 1, test_version = test_version + 1, updated_at = ${now}
    where merchant_id = ${merchant} and id = ${id} and disabled_at is null
    returning id`
  return rows.length > 0
}

// False when it was enabled before.
export async function enablePromotion(tx: Tx, merchant: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.sql`
    update promotions set disabled_at = null, version = version + 1, test_version = test_version + 1, updated_at = ${now}
    where merchant_id = ${merchant} and id = ${id} and disabled_at is not null
    returning id`
  return rows.length > 0
}

// Counts one use in the transaction that places the order, and answers with the promotion as it then is. Undefined when the
// limit is reached or the promotion is disabled: the guard is in the statement, so however many orders come at once, the
// limit holds.
export async function usePromotion(
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

// Once for each order that counted a use and is cancelled; a disabled promotion takes it back too.
export async function giveBackPromotion(tx: Tx, { merchantId, mode }: MerchantMode, id: string): Promise<void> {
  const { used, version } = counts[mode]
  await tx.sql`
    update promotions set ${new Fragment(`${used} = ${used} - 1, ${version} = ${version} + 1`)}
    where merchant_id = ${merchantId} and id = ${id} and ${new Fragment(used)} > 0`
}
