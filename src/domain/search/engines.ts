// The full-text indexes of SQLite and PostgreSQL behind one interface: writes and deletes the terms of a product, and finds products by
// terms. This is the only place besides storage/ that depends on the engine, because SQLite (FTS5) and PostgreSQL (tsvector with GIN)
// share no SQL here. Both index the terms exactly as passed.

import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { Term } from './terms.ts'

export interface FullText {
  // The rows of the products in `product_index` must have been written before. All documents are written together: if a statement on
  // another table comes between statements of several rows, FTS5 writes the collected rows as a separate segment, and merging segments
  // was most of the work.
  put(tx: Tx, merchantId: string, documents: readonly Document[]): void
  // Must be called before the rows of the products in `product_index` are deleted.
  remove(tx: Tx, merchantId: string, productIds: readonly string[]): void
  // The document numbers for new rows of `product_index`.
  readonly nextDoc: Fragment
  // The column of product_index that `findKeys` returns to identify a product.
  readonly key: Fragment
  // Returns the products that have at least one of these terms, unsorted.
  findKeys(db: Reader, merchantId: string, terms: readonly Term[]): Promise<(string | number)[]>
  // Returns the matching products among a few, for engines where finding all matches takes long.
  findKeysAmong?(
    db: Reader,
    merchantId: string,
    terms: readonly Term[],
    productIds: readonly string[],
  ): Promise<string[]>
}

export interface Document {
  productId: string
  // Terms separated by spaces. Repeated terms do no harm.
  terms: string
}

export function fullTextFor({ engine }: Reader): FullText {
  return engine === 'sqlite' ? sqlite : postgres
}

const sqlite: FullText = {
  nextDoc: new Fragment('(select coalesce(max(doc), 0) from product_index) + row_number() over ()'),
  // Sorted by document number, because a smaller number would begin a new segment.
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
        select doc from product_index where merchant_id = ${merchantId} and product_id in (${listFragment(productIds)}))`
  },
  key: new Fragment('doc'),
  // Returned as one text: 10,000 rows of one number took 7.5 ms, the text takes 1.1 ms.
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
      delete from product_index_words where merchant_id = ${merchantId} and product_id in (${listFragment(productIds)})`
  },
  key: new Fragment('product_id'),
  async findKeys(db, merchantId, terms) {
    const [row] = await db.sql<{ keys: string | null }>`
      select string_agg(product_id, ',') as "keys" from product_index_words
      where merchant_id = ${merchantId} and words @@ cast(${toTsquery(terms)} as tsquery)`
    return row?.keys ? row.keys.split(',') : []
  },
  // A row is a kilobyte wide, so 10,000 matches of a word are on nearly as many pages: 20 to 170 ms. Reading the rows of a thousand
  // products by their key is faster.
  async findKeysAmong(db, merchantId, terms, productIds) {
    const rows = await db.sql<{ productId: string }>`
      with among as materialized (
        select product_id, words from product_index_words
        where merchant_id = ${merchantId} and product_id in (${listFragment(productIds)}))
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

// Terms contain no quotation marks: only letters with their marks, digits and pictograms.
function toFts5(terms: readonly Term[]): string {
  return terms.map(({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`).join(' OR ')
}

function toTsquery(terms: readonly Term[]): string {
  return terms.map(({ text, isPrefix }) => `'${text}'${isPrefix ? ':*' : ''}`).join(' | ')
}
