// The SQL of the search index of products.

import type { Mode } from '../contract/words.ts'
import { fullTextOf, type ProductKey } from '../fulltext/engines.ts'
import { endsOf } from '../fulltext/spelling.ts'
import type { Match } from '../fulltext/terms.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { allOf, Fragment, list, type Reader, type Tx } from '../storage/storage.ts'
import type { IndexEntry } from './indexed.ts'

export function putIndexed(tx: Tx, key: ProductKey, version: number, entry: IndexEntry): void {
  const { merchantId, productId } = key
  const { inStock } = entry
  tx.send`
    insert into product_index (merchant_id, product_id, version, doc, published_at, price_min, price_max, live_in_stock,
      test_in_stock, name_key, facets, fields)
    values (${merchantId}, ${productId}, ${version}, ${fullTextOf(tx).nextDoc}, ${entry.publishedAt}, ${entry.priceMin},
      ${entry.priceMax}, ${Number(inStock.live)}, ${Number(inStock.test)}, ${entry.nameKey}, ${entry.facets},
      ${entry.fields})
    on conflict (merchant_id, product_id) do update set version = excluded.version, published_at = excluded.published_at,
      price_min = excluded.price_min, price_max = excluded.price_max, live_in_stock = excluded.live_in_stock,
      test_in_stock = excluded.test_in_stock, name_key = excluded.name_key, facets = excluded.facets,
      fields = excluded.fields`
  fullTextOf(tx).put(tx, key, entry.terms)
  if (entry.spelling.length === 0) return
  // In one order, so two transactions cannot wait for each other's words.
  const rows = tx.rows(
    entry.spelling.toSorted().map((word) => [merchantId, word, endsOf(word).head, endsOf(word).tail]),
    ['text', 'text', 'text', 'text'],
  )
  tx.send`
    with given (merchant_id, word, head, tail) as (${rows})
    insert into product_words (merchant_id, word, head, tail)
    select merchant_id, word, head, tail from given where merchant_id is not null
    on conflict (merchant_id, word) do nothing`
}

export function deleteIndexed(tx: Tx, key: ProductKey): void {
  fullTextOf(tx).remove(tx, key)
  tx.send`delete from product_index where merchant_id = ${key.merchantId} and product_id = ${key.productId}`
}

// Everything of every merchant.
export async function clearIndex(tx: Tx): Promise<void> {
  await tx.sql`delete from product_index_words`
  await tx.sql`delete from product_index`
  await tx.sql`delete from product_words`
}

const inStockColumn: Readonly<Record<Mode, Fragment>> = {
  live: new Fragment('live_in_stock'),
  test: new Fragment('test_in_stock'),
}

export function updateInStock(tx: Tx, { merchantId, mode }: MerchantMode, productId: string, isInStock: boolean): void {
  const column = inStockColumn[mode]
  tx.send`
    update product_index set ${column} = ${Number(isInStock)}
    where merchant_id = ${merchantId} and product_id = ${productId} and ${column} <> ${Number(isInStock)}`
}

export interface WalkedProduct extends ProductKey {
  // 0 if the row of the index is missing, or must go because the product is no longer published.
  isIndexed: number
}

// The next products behind this one, of all merchants, and whether the index has them as they are.
export async function listWalkedProducts(db: Reader, after: ProductKey, limit: number): Promise<WalkedProduct[]> {
  return db.sql<WalkedProduct>`
    select p.merchant_id as "merchantId", p.id as "productId",
      case when p.published_at is null and i.product_id is null then 1
        when p.published_at is not null and i.version = p.version then 1 else 0 end as "isIndexed"
    from products p left join product_index i on i.merchant_id = p.merchant_id and i.product_id = p.id
    where (p.merchant_id, p.id) > (${after.merchantId}, ${after.productId})
    order by p.merchant_id, p.id limit ${limit}`
}

export async function countIndex(db: Reader): Promise<{ missing: number; rows: number; documents: number }> {
  const [[missing], [rows], [documents]] = await Promise.all([
    db.sql<{ count: number }>`
      select count(*) as "count" from products p
      left join product_index i on i.merchant_id = p.merchant_id and i.product_id = p.id
      where (p.published_at is null and i.product_id is not null)
        or (p.published_at is not null and (i.product_id is null or i.version <> p.version))`,
    db.sql<{ count: number }>`select count(*) as "count" from product_index`,
    db.sql<{ count: number }>`select count(*) as "count" from product_index_words`,
  ])
  return { missing: missing?.count ?? 0, rows: rows?.count ?? 0, documents: documents?.count ?? 0 }
}

export interface ShopFacts {
  id: string
  version: number
  currency: string
  country: string
  // The language that the merchant set.
  locale: string | null
}

export async function findShopFacts(db: Reader, merchantId: string): Promise<ShopFacts | undefined> {
  const [row] = await db.sql<ShopFacts>`
    select m.id, m.catalog_version as "version", m.currency, m.country, s.locale
    from merchants m left join mail_settings s on s.merchant_id = m.id where m.id = ${merchantId}`
  return row
}

export interface FoundRow {
  productId: string
  publishedAt: number
  priceMin: number
  priceMax: number
  inStock: number
  nameKey: string
  facets: string
  fields: string
}

export interface RowFilters {
  minPrice?: number | undefined
  maxPrice?: number | undefined
  inStock?: true | undefined
}

const columns = (mode: Mode) =>
  new Fragment(`p.product_id as "productId", p.published_at as "publishedAt", p.price_min as "priceMin",
    p.price_max as "priceMax", p.${inStockColumn[mode].text} as "inStock", p.name_key as "nameKey", p.facets, p.fields`)

// The plus keeps the planner off the indexes of prices, which would lead through half of the products for each that has the words.
function conditionsFor({ mode }: MerchantMode, { minPrice, maxPrice, inStock }: RowFilters): Fragment {
  return allOf([
    new Fragment('1 = 1'),
    ...(minPrice === undefined ? [] : [new Fragment('+p.price_max >= ?', [minPrice])]),
    ...(maxPrice === undefined ? [] : [new Fragment('+p.price_min <= ?', [maxPrice])]),
    ...(inStock ? [new Fragment(`p.${inStockColumn[mode].text} = 1`)] : []),
  ])
}

// Without words all products would be gone through for a filter that none of them fits.
const scannedMax = 20_000

function newestOf(merchantId: string): Fragment {
  const text = `(
    select * from product_index where merchant_id = ? order by published_at desc, product_id desc limit ${scannedMax}) p`
  return new Fragment(text, [merchantId])
}

// In no order.
export async function listFoundRows(
  db: Reader,
  seller: MerchantMode,
  { match, filters, limit }: { match: Match; filters: RowFilters; limit: number },
): Promise<FoundRow[]> {
  const { merchantId } = seller
  const from = match.length === 0 ? newestOf(merchantId) : fullTextOf(db).matching(merchantId, match)
  return db.sql<FoundRow>`
    select ${columns(seller.mode)} from ${from} where ${conditionsFor(seller, filters)} limit ${limit}`
}

export type Order = 'newest' | 'price_asc' | 'price_desc' | 'name'

const orders: Readonly<Record<Order, { column: string; isDescending: boolean }>> = {
  newest: { column: 'published_at', isDescending: true },
  price_asc: { column: 'price_min', isDescending: false },
  price_desc: { column: 'price_min', isDescending: true },
  name: { column: 'name_key', isDescending: false },
}

// Behind the row with this value and id.
export interface Behind {
  value: string | number
  id: string
}

// By an index of the order, so a result of any size is paged through.
export async function listFoundInOrder(
  db: Reader,
  seller: MerchantMode,
  {
    match,
    filters,
    order,
    after,
    limit,
  }: { match: Match; filters: RowFilters; order: Order; after: Behind | null; limit: number },
): Promise<FoundRow[]> {
  const { column, isDescending } = orders[order]
  const conditions = [new Fragment('p.merchant_id = ?', [seller.merchantId]), conditionsFor(seller, filters)]
  if (match.length > 0) conditions.push(fullTextOf(db).isMatching(seller.merchantId, match))
  if (after)
    conditions.push(
      new Fragment(`(p.${column}, p.product_id) ${isDescending ? '<' : '>'} (?, ?)`, [after.value, after.id]),
    )
  const direction = isDescending ? 'desc' : 'asc'
  const by = new Fragment(`p.${column} ${direction}, p.product_id ${direction}`)
  return db.sql<FoundRow>`
    select ${columns(seller.mode)} from product_index p where ${allOf(conditions)} order by ${by} limit ${limit}`
}

export async function listListRows(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  productIds: readonly string[],
): Promise<{ productId: string; listRow: string }[]> {
  if (productIds.length === 0) return []
  return db.sql<{ productId: string; listRow: string }>`
    select product_id as "productId", list_row as "listRow" from listed_products
    where merchant_id = ${merchantId} and mode = ${mode} and product_id in (${list(productIds)})`
}

// Words that begin or end as this one does.
export async function listSimilarWords(db: Reader, merchantId: string, word: string, limit: number): Promise<string[]> {
  const { head, tail } = endsOf(word)
  const rows = await db.sql<{ word: string }>`
    select * from (select word from product_words where merchant_id = ${merchantId} and head = ${head} limit ${limit}) as begins
    union
    select * from (select word from product_words where merchant_id = ${merchantId} and tail = ${tail} limit ${limit}) as ends`
  return rows.map(({ word }) => word)
}
