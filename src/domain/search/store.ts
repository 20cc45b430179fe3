// The SQL of search.

import { isNotDeferred } from '../../platform/jobs/store.ts'
import { foldText } from '../../platform/kit/fold.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { beginsWith, contains } from '../../platform/storage/match.ts'
import { allConditions, Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { type OrderKey, type OrderRow, orderKeysCondition } from '../orders/store.ts'
import { normalizePromotionCode } from '../promotions/store.ts'

// Incremented when the indexed words change; version 2 added beginnings of words and the city. The condition of the partial index
// contains this number.
const wordsVersion = 2

export async function listOrdersNotIndexed(db: Reader, now: number, limit: number): Promise<OrderKey[]> {
  return db.sql<OrderKey>`
    select installation_id as "installationId", id as "orderId" from orders
    where words_version < ${new Fragment(String(wordsVersion))} and ${isNotDeferred('search', 'orders.installation_id', 'orders.id', now)}
    order by placed_at limit ${limit}`
}

// An order with its encrypted customer.
export interface UnindexedOrder extends OrderKey, MerchantMode {
  checkoutSessionId: string
  customerSealed: string | null
  addressId: string | null
  // The encrypted address; null if there is none.
  sealed: string | null
  rowKey: string | null
  expiresAt: number | null
}

// Expects at least one key. The caller must have locked the orders.
export async function listSealedOrders(db: Reader, keys: readonly OrderKey[]): Promise<UnindexedOrder[]> {
  return db.sql<UnindexedOrder>`
    select o.installation_id as "installationId", o.id as "orderId", o.merchant_id as "merchantId", o.mode,
      o.checkout_session_id as "checkoutSessionId", o.customer_sealed as "customerSealed", o.address_id as "addressId",
      a.sealed, a.row_key as "rowKey", a.expires_at as "expiresAt"
    from orders o
    left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id and a.owner_id = o.id
    where ${orderKeysCondition(keys)}`
}

export interface TokenRow extends OrderKey, MerchantMode {
  token: string
}

// Maximum number of tokens per statement, because SQLite needs a parameter for each value.
const tokensMax = 1_024

export function insertTokens(tx: Tx, tokens: readonly TokenRow[]): void {
  for (let from = 0; from < tokens.length; from += tokensMax) {
    const rows = tx.rows(
      tokens
        .slice(from, from + tokensMax)
        .map(({ merchantId, mode, token, installationId, orderId }) => [
          merchantId,
          mode,
          token,
          installationId,
          orderId,
        ]),
      ['text', 'text', 'text', 'text', 'text'],
    )
    tx.send`
      with words (merchant_id, mode, token, installation_id, order_id) as (${rows})
      insert into search_tokens (merchant_id, mode, token, installation_id, order_id)
      select merchant_id, mode, token, installation_id, order_id from words where merchant_id is not null
      on conflict (merchant_id, mode, token, order_id) do nothing`
  }
}

// Expects at least one key.
export function markOrdersIndexed(tx: Tx, keys: readonly OrderKey[], now: number): void {
  tx.send`update orders as o set indexed_at = ${now}, words_version = ${wordsVersion} where ${orderKeysCondition(keys)}`
}

// For an order whose address was corrected: the old words no longer find the order, and a background job indexes it again.
export function unindexOrder(tx: Tx, { installationId, orderId }: OrderKey): void {
  tx.send`delete from search_tokens where installation_id = ${installationId} and order_id = ${orderId}`
  tx.send`update orders set words_version = 0 where installation_id = ${installationId} and id = ${orderId}`
}

// A beginning of two letters matches most orders. Of each token of the rarest word, only this many of the newest orders are read.
export const wordRowsMax = 2000

// Each word may have several tokens, of which one suffices. The search starts from the rarest word's orders, so the limit is reached only
// if all words are frequent.
export async function listOrdersOfTokens(
  db: Reader,
  seller: MerchantMode,
  words: readonly (readonly string[])[],
  limit: number,
): Promise<OrderKey[]> {
  const rarest = words.length > 1 ? await findRarest(db, seller, words) : 0
  const others = words
    .filter((_, index) => index !== rarest)
    .map((tokens) => {
      const { text, values } = listFragment(tokens)
      // A value instead of `exists`, which PostgreSQL may turn into a join that reads all rows of the word.
      return new Fragment(
        `(select 1 from search_tokens o where o.merchant_id = ? and o.mode = ? and o.token in (${text}) and o.order_id = t.order_id limit 1) = 1`,
        [seller.merchantId, seller.mode, ...values],
      )
    })
  return db.sql<OrderKey>`
    select distinct t.installation_id as "installationId", t.order_id as "orderId"
    from (${newestOf(seller, words[rarest] ?? [])}) t where ${allConditions([new Fragment('1 = 1'), ...others])}
    order by "orderId" desc limit ${limit}`
}

async function findRarest(db: Reader, seller: MerchantMode, words: readonly (readonly string[])[]): Promise<number> {
  const counts = words.map((tokens, index) => {
    const { text, values } = newestOf(seller, tokens)
    return new Fragment(`select ${index} as word, count(*) as rows from (${text}) t`, values)
  })
  const counted = new Fragment(
    counts.map(({ text }) => text).join(' union all '),
    counts.flatMap(({ values }) => [...values]),
  )
  const [rarest] = await db.sql<{ word: number }>`select c.word from (${counted}) c order by c.rows, c.word limit 1`
  return rarest?.word ?? 0
}

// Reads each token separately, because the primary key sorts only the rows of a single token by order: for two tokens, all rows would
// have to be read and sorted.
function newestOf({ merchantId, mode }: MerchantMode, tokens: readonly string[]): Fragment {
  const one = `
    select n.installation_id, n.order_id from (
      select installation_id, order_id from search_tokens where merchant_id = ? and mode = ? and token = ?
      order by order_id desc limit ${wordRowsMax}) n`
  return new Fragment(
    tokens.map(() => one).join(' union all '),
    tokens.flatMap((token) => [merchantId, mode, token]),
  )
}

const knownTokensMax = 8

// Returns which of the tokens any order has, at most eight. Reads at most `wordRowsMax` entries of the index, so a frequent token may hide
// others.
export async function listKnownTokens(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  tokens: readonly string[],
): Promise<string[]> {
  const rows = await db.sql<{ token: string }>`
    select distinct token from (
      select token from search_tokens
      where merchant_id = ${merchantId} and mode = ${mode} and token in (${listFragment(tokens)}) limit ${wordRowsMax}) known
    order by token limit ${knownTokensMax}`
  return rows.map(({ token }) => token)
}

export async function listOrdersOfTracking(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  trackingNumber: string,
  limit: number,
): Promise<OrderKey[]> {
  return db.sql<OrderKey>`
    select distinct f.installation_id as "installationId", f.order_id as "orderId"
    from installations i join fulfillments f on f.installation_id = i.id and f.tracking_number = ${trackingNumber}
    where i.merchant_id = ${merchantId} and i.mode = ${mode} order by "orderId" desc limit ${limit}`
}

// Returns the newest orders with an item of this code: in the spelling of the SKU that has the code now or, if there is none, as typed.
export async function listOrdersOfItem(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  code: string,
  limit: number,
): Promise<OrderKey[]> {
  const [sku] = await db.sql<{ code: string }>`
    select s.code from skus s
    where s.merchant_id = ${merchantId} and ${beginsWith(db, 's.folded', `${foldText(code)}\n`)} limit 1`
  return db.sql<OrderKey>`
    select l.installation_id as "installationId", l.order_id as "orderId"
    from order_lines l join installations i on i.id = l.installation_id
    where l.merchant_id = ${merchantId} and l.code = ${sku?.code ?? code} and i.mode = ${mode}
    order by l.order_id desc limit ${limit}`
}

export interface OrderMatch {
  id: string
  number: string
  status: OrderRow['status']
  paymentStatus: OrderRow['paymentStatus']
  fulfillmentStatus: OrderRow['fulfillmentStatus']
  currency: string
  total: number
  emailMasked: string | null
  city: string | null
  country: string | null
  placedAt: number
}

export async function listFoundOrders(db: Reader, keys: readonly OrderKey[]): Promise<OrderMatch[]> {
  if (keys.length === 0) return []
  const installations = [...new Set(keys.map(({ installationId }) => installationId))]
  return db.sql<OrderMatch>`
    select o.id, o.number, o.status, o.payment_status as "paymentStatus", o.fulfillment_status as "fulfillmentStatus", o.currency,
      o.total, o.email_masked as "emailMasked", a.city, a.country, o.placed_at as "placedAt"
    from orders o left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id
    where o.installation_id in (${listFragment(installations)}) and o.id in (${listFragment(keys.map(({ orderId }) => orderId))})
    order by o.placed_at desc, o.id desc`
}

export interface ProductMatch {
  id: string
  slug: string
  name: string
}

// Products whose name or brand contains the text.
export async function listFoundProducts(
  db: Reader,
  merchantId: string,
  text: string,
  limit: number,
): Promise<ProductMatch[]> {
  // The inner select reads only the index: 2 instead of 11 ms for 10,000 products.
  return db.sql<ProductMatch>`
    select p.id, p.slug, p.name
    from (
      select id, folded from products
      where merchant_id = ${merchantId} and ${contains(db, 'folded', foldText(text))}
      order by folded, id limit ${limit}) x
    cross join products p where p.merchant_id = ${merchantId} and p.id = x.id order by x.folded, x.id`
}

export interface SkuMatch {
  id: string
  code: string
  productId: string
  productName: string
}

// SKUs that are not retired and whose code begins with the text.
export async function listFoundSkus(db: Reader, merchantId: string, text: string, limit: number): Promise<SkuMatch[]> {
  return db.sql<SkuMatch>`
    select s.id, s.code, p.id as "productId", p.name as "productName"
    from skus s join products p on p.merchant_id = s.merchant_id and p.id = s.product_id
    where s.merchant_id = ${merchantId} and ${beginsWith(db, 's.folded', foldText(text))} and s.retired_at is null
    order by s.folded limit ${limit}`
}

export async function listFoundPromotions(
  db: Reader,
  merchantId: string,
  text: string,
  limit: number,
): Promise<{ id: string; code: string; name: string }[]> {
  return db.sql<{ id: string; code: string; name: string }>`
    select id, code, name from promotions
    where merchant_id = ${merchantId} and code like ${`${escaped(normalizePromotionCode(text))}%`} escape '!'
    order by code limit ${limit}`
}

function escaped(text: string): string {
  return text.replaceAll(/[!%_]/g, '!$&')
}
