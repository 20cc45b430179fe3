// The SQL of the search index of products.

import type { Mode } from '../../contract/words.ts'
import { splitIntoGroups } from '../../platform/kit/groups.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { fullTextFor } from '../search/engines.ts'
import { headAndTailOf } from '../search/spelling.ts'
import type { IndexFigures, IndexTexts } from './indexed.ts'

export interface IndexEntry extends IndexFigures, IndexTexts {
  productId: string
  // The row version of the product.
  version: number
}

// Rows in one statement: SQLite allows 32,766 values, and a row has up to ten.
const rowsMax = 256
const wordsMax = 2_048

export function putIndexEntries(tx: Tx, merchantId: string, entries: readonly IndexEntry[]): void {
  for (const some of splitIntoGroups(entries, rowsMax)) {
    const rows = tx.rows(
      some.map((entry) => [
        ...[entry.productId, entry.version, entry.publishedAt, entry.priceMin, entry.priceMax],
        ...[Number(entry.inStock.live), Number(entry.inStock.test), entry.nameKey, entry.facets, entry.fields],
      ]),
      ['text', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'text', 'text', 'text'],
    )
    // Clears the hash of the terms: an older release skips a row if the stored hash equals that of its words, and the stored hash is of
    // the words that the older release wrote last.
    tx.send`
      with given (product_id, version, published_at, price_min, price_max, live_in_stock, test_in_stock, name_key, facets,
        fields) as (${rows})
      insert into product_index (merchant_id, product_id, version, doc, published_at, price_min, price_max, live_in_stock,
        test_in_stock, name_key, facets, fields, changed)
      select cast(${merchantId} as text), product_id, version, ${fullTextFor(tx).nextDoc}, published_at, price_min, price_max,
        live_in_stock, test_in_stock, name_key, facets, fields, ${nextVersion(merchantId)}
      from given where product_id is not null
      on conflict (merchant_id, product_id) do update set version = excluded.version, published_at = excluded.published_at,
        price_min = excluded.price_min, price_max = excluded.price_max, live_in_stock = excluded.live_in_stock,
        test_in_stock = excluded.test_in_stock, name_key = excluded.name_key, facets = excluded.facets,
        fields = excluded.fields, changed = excluded.changed, terms_hash = ''`
    fullTextFor(tx).put(tx, merchantId, some)
    insertWords(tx, merchantId, new Set(some.flatMap(({ spelling }) => spelling)))
  }
}

export interface FiguresChange extends IndexFigures {
  productId: string
  // Row versions of the product before and after the change.
  from: number
  to: number
}

// Updates prices and stock of products whose texts are unchanged. A row that was outdated before stays outdated.
export function updateFigures(tx: Tx, merchantId: string, changes: readonly FiguresChange[]): void {
  for (const some of splitIntoGroups(changes, rowsMax)) {
    const rows = tx.rows(
      some.map(({ productId, from, to, publishedAt, priceMin, priceMax, inStock }) => [
        ...[productId, from, to, publishedAt, priceMin, priceMax, Number(inStock.live), Number(inStock.test)],
      ]),
      ['text', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'],
    )
    tx.send`
      with given (product_id, version_from, version_to, published_at, price_min, price_max, live_in_stock, test_in_stock)
        as (${rows})
      update product_index set version = case when version = version_from then version_to else version end,
        published_at = given.published_at, price_min = given.price_min, price_max = given.price_max,
        live_in_stock = given.live_in_stock, test_in_stock = given.test_in_stock, changed = ${nextVersion(merchantId)}
      from given
      where product_index.merchant_id = ${merchantId} and product_index.product_id = given.product_id`
  }
}

function insertWords(tx: Tx, merchantId: string, words: ReadonlySet<string>): void {
  // Sorted, so two transactions cannot deadlock on each other's words.
  for (const some of splitIntoGroups([...words].sort(), wordsMax)) {
    const rows = tx.rows(
      some.map((word) => [word, headAndTailOf(word).head, headAndTailOf(word).tail]),
      ['text', 'text', 'text'],
    )
    tx.send`
      with given (word, head, tail) as (${rows})
      insert into product_words (merchant_id, word, head, tail)
      select cast(${merchantId} as text), word, head, tail from given where word is not null
      on conflict (merchant_id, word) do nothing`
  }
}

// The catalog version after this change. The caller must have locked the merchant, and must raise the version in the same transaction.
function nextVersion(merchantId: string): Fragment {
  return new Fragment('(select catalog_version + 1 from merchants where id = ?)', [merchantId])
}

export function deleteIndexed(tx: Tx, merchantId: string, productIds: readonly string[]): void {
  for (const some of splitIntoGroups(productIds, rowsMax)) {
    fullTextFor(tx).remove(tx, merchantId, some)
    tx.send`
      update merchants set index_cut = catalog_version + 1
      where id = ${merchantId} and exists (
        select 1 from product_index where merchant_id = ${merchantId} and product_id in (${listFragment(some)}))`
    tx.send`delete from product_index where merchant_id = ${merchantId} and product_id in (${listFragment(some)})`
  }
}

// Deletes the index of all merchants.
export async function clearIndex(tx: Tx): Promise<void> {
  // Merchants are updated first, because changes of a catalog lock the merchant first.
  await tx.sql`update merchants set index_cut = catalog_version + 1, catalog_version = catalog_version + 1`
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
    update product_index set ${column} = ${Number(isInStock)}, changed = ${nextVersion(merchantId)}
    where merchant_id = ${merchantId} and product_id = ${productId} and ${column} <> ${Number(isInStock)}`
}

export interface ProductKey {
  merchantId: string
  productId: string
}

export interface WalkedProduct extends ProductKey {
  // 0 if the index needs a change: its row is missing, outdated, or of a product that is no longer published.
  isIndexed: number
}

// Lists the next products after this one, of all merchants, and whether their rows in the index are current.
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
  // The catalog version at which a product was last removed from the index.
  cut: number
  currency: string
  country: string
  // The language that the merchant set.
  locale: string | null
}

export async function findShopFacts(db: Reader, merchantId: string): Promise<ShopFacts | undefined> {
  const [row] = await db.sql<ShopFacts>`
    select m.id, m.catalog_version as "version", m.index_cut as "cut", m.currency, m.country, s.locale
    from merchants m left join mail_settings s on s.merchant_id = m.id where m.id = ${merchantId}`
  return row
}

export async function findSynonyms(db: Reader, merchantId: string): Promise<readonly (readonly string[])[]> {
  const [row] = await db.sql<{ synonyms: string }>`select synonyms from merchants where id = ${merchantId}`
  return JSON.parse(row?.synonyms ?? '[]') as string[][]
}

// Position in a list of rows; the next page begins after it.
export interface IndexPosition {
  changed: number
  productId: string
}

export interface IndexedRow extends IndexPosition {
  // Key of the product in the full-text index.
  key: string | number
  publishedAt: number
  priceMin: number
  priceMax: number
  liveInStock: number
  testInStock: number
  nameKey: string
  facets: string
  fields: string
}

// Lists rows in the order in which they were written or, if `after` is an id, in the order of ids.
export async function listIndexRows(
  db: Reader,
  merchantId: string,
  after: IndexPosition | string,
  limit: number,
): Promise<IndexedRow[]> {
  const [order, behind] =
    typeof after === 'string'
      ? ['product_id', new Fragment('product_id > ?', [after])]
      : ['changed, product_id', new Fragment('(changed, product_id) > (?, ?)', [after.changed, after.productId])]
  return db.sql<IndexedRow>`
    select ${fullTextFor(db).key} as "key", product_id as "productId", published_at as "publishedAt", price_min as "priceMin",
      price_max as "priceMax", live_in_stock as "liveInStock", test_in_stock as "testInStock", name_key as "nameKey", facets,
      fields, changed
    from product_index where merchant_id = ${merchantId} and ${behind} order by ${new Fragment(order)} limit ${limit}`
}

export async function listListRows(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  productIds: readonly string[],
): Promise<{ productId: string; listRow: string }[]> {
  if (productIds.length === 0) return []
  return db.sql<{ productId: string; listRow: string }>`
    select product_id as "productId", list_row as "listRow" from listed_products
    where merchant_id = ${merchantId} and mode = ${mode} and product_id in (${listFragment(productIds)})`
}

// Lists indexed words with the same beginning or the same end as this word.
export async function listSimilarWords(db: Reader, merchantId: string, word: string, limit: number): Promise<string[]> {
  const { head, tail } = headAndTailOf(word)
  const rows = await db.sql<{ word: string }>`
    select * from (select word from product_words where merchant_id = ${merchantId} and head = ${head} limit ${limit}) as begins
    union
    select * from (select word from product_words where merchant_id = ${merchantId} and tail = ${tail} limit ${limit}) as ends`
  return rows.map(({ word }) => word)
}
