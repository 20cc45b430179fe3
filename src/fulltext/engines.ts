// The full-text indexes of the engines behind one interface: write and delete the terms of a product, and find products by terms.
// This is the one place besides storage/ that asks for the engine, because SQLite (FTS5) and PostgreSQL (tsvector with GIN) have
// no text in common here. Both index the terms exactly as they are given.

import { Fragment, list, type Reader, type Tx } from '../storage/storage.ts'
import type { Term } from './terms.ts'

export interface FullText {
  // The row of `product_index` must have been written before.
  put(tx: Tx, key: ProductKey, terms: readonly string[]): void
  // To be called before the row of `product_index` is deleted.
  remove(tx: Tx, key: ProductKey): void
  // The number for a new row of `product_index`.
  readonly nextDoc: Fragment
  // The column of product_index by which a product is named in `findKeys`.
  readonly key: Fragment
  // The products that have one of these terms, in no order.
  findKeys(db: Reader, merchantId: string, terms: readonly Term[]): Promise<(string | number)[]>
  // Those among a few products, where asking for all takes long.
  findKeysAmong?(
    db: Reader,
    merchantId: string,
    terms: readonly Term[],
    productIds: readonly string[],
  ): Promise<string[]>
}

export interface ProductKey {
  merchantId: string
  productId: string
}

export function fullTextOf({ engine }: Reader): FullText {
  return engine === 'sqlite' ? sqlite : postgres
}

const sqlite: FullText = {
  nextDoc: new Fragment('(select coalesce(max(doc), 0) + 1 from product_index)'),
  put(tx, { merchantId, productId }, terms) {
    tx.send`
      insert or replace into product_index_words (rowid, words)
      select doc, ${terms.join(' ')} from product_index where merchant_id = ${merchantId} and product_id = ${productId}`
  },
  remove(tx, { merchantId, productId }) {
    tx.send`
      delete from product_index_words where rowid = (
        select doc from product_index where merchant_id = ${merchantId} and product_id = ${productId})`
  },
  key: new Fragment('doc'),
  // As one text: 10,000 rows of one number took 7.5 ms, the text takes 1.1.
  async findKeys(db, _, terms) {
    const [row] = await db.sql<{ keys: string }>`
      select json_group_array(rowid) as "keys" from product_index_words where product_index_words match ${toFts5(terms)}`
    return JSON.parse(row?.keys ?? '[]') as number[]
  },
}

const postgres: FullText = {
  nextDoc: new Fragment('null'),
  put(tx, { merchantId, productId }, terms) {
    tx.send`
      insert into product_index_words (merchant_id, product_id, words)
      values (${merchantId}, ${productId}, array_to_tsvector(string_to_array(${terms.join(' ')}, ' ')))
      on conflict (merchant_id, product_id) do update set words = excluded.words`
  },
  remove(tx, { merchantId, productId }) {
    tx.send`delete from product_index_words where merchant_id = ${merchantId} and product_id = ${productId}`
  },
  key: new Fragment('product_id'),
  async findKeys(db, merchantId, terms) {
    const [row] = await db.sql<{ keys: string | null }>`
      select string_agg(product_id, ',') as "keys" from product_index_words
      where merchant_id = ${merchantId} and words @@ cast(${toTsquery(terms)} as tsquery)`
    return row?.keys ? row.keys.split(',') : []
  },
  // A row is a kilobyte wide, so the 10,000 that a word finds are on nearly as many pages: 20 to 170 ms. The rows of a thousand
  // products are read by their key.
  async findKeysAmong(db, merchantId, terms, productIds) {
    const rows = await db.sql<{ productId: string }>`
      with among as materialized (
        select product_id, words from product_index_words
        where merchant_id = ${merchantId} and product_id in (${list(productIds)}))
      select product_id as "productId" from among where words @@ cast(${toTsquery(terms)} as tsquery)`
    return rows.map(({ productId }) => productId)
  },
}

// Terms hold no quotation marks: they are made of letters and digits.
function toFts5(terms: readonly Term[]): string {
  return terms.map(({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`).join(' OR ')
}

function toTsquery(terms: readonly Term[]): string {
  return terms.map(({ text, isPrefix }) => `'${text}'${isPrefix ? ':*' : ''}`).join(' | ')
}
