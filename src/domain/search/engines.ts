// The full-text indexes of the engines behind one interface: write and delete the terms of a product, and find products by terms.
// This is the one place besides storage/ that asks for the engine, because SQLite (FTS5) and PostgreSQL (tsvector with GIN) have
// no text in common here. Both index the terms exactly as they are given.

import { Fragment, list, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { Term } from './terms.ts'

export interface FullText {
  // Their rows of `product_index` must have been written before. All at once: at each statement of several rows that another table
  // gets in between, FTS5 writes what it has gathered as a segment of its own, and merging those was most of the work.
  put(tx: Tx, merchantId: string, documents: readonly Document[]): void
  // To be called before their rows of `product_index` are deleted.
  remove(tx: Tx, merchantId: string, productIds: readonly string[]): void
  // The numbers for new rows of `product_index`.
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

export interface Document {
  productId: string
  // With a space between them. The same one twice does no harm.
  terms: string
}

export function fullTextOf({ engine }: Reader): FullText {
  return engine === 'sqlite' ? sqlite : postgres
}

const sqlite: FullText = {
  nextDoc: new Fragment('(select coalesce(max(doc), 0) from product_index) + row_number() over ()'),
  // In the order of their numbers, for the same reason: a smaller one begins a segment.
  put(tx, merchantId, documents) {
    tx.send`
      with given (product_id, words) as (${documentRows(tx, documents)})
      insert or replace into product_index_words (rowid, words)
      select i.doc, given.words from given cross join product_index i
      where i.merchant_id = ${merchantId} and i.product_id = given.product_id order by i.doc`
  },
  remove(tx, merchantId, productIds) {
    tx.send`
      delete from product_index_words where rowid in (
        select doc from product_index where merchant_id = ${merchantId} and product_id in (${list(productIds)}))`
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
  put(tx, merchantId, documents) {
    tx.send`
      with given (product_id, words) as (${documentRows(tx, documents)})
      insert into product_index_words (merchant_id, product_id, words)
      select cast(${merchantId} as text), product_id, array_to_tsvector(string_to_array(words, ' ')) from given
      on conflict (merchant_id, product_id) do update set words = excluded.words`
  },
  remove(tx, merchantId, productIds) {
    tx.send`
      delete from product_index_words where merchant_id = ${merchantId} and product_id in (${list(productIds)})`
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

function documentRows(tx: Tx, documents: readonly Document[]): Fragment {
  return tx.rows(
    documents.map(({ productId, terms }) => [productId, terms]),
    ['text', 'text'],
  )
}

// Terms hold no quotation marks: they are made of letters and digits.
function toFts5(terms: readonly Term[]): string {
  return terms.map(({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`).join(' OR ')
}

function toTsquery(terms: readonly Term[]): string {
  return terms.map(({ text, isPrefix }) => `'${text}'${isPrefix ? ':*' : ''}`).join(' | ')
}
