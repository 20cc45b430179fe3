// The full-text indexes of the engines behind one interface: write and delete the terms of a product, and find products by terms.
// This is the one place besides storage/ that asks for the engine, because SQLite (FTS5) and PostgreSQL (tsvector with GIN) have
// no text in common here. Both index the terms exactly as they are given.

import { Fragment, type Reader, type SqlValue, type Tx } from '../storage/storage.ts'
import { hashOf, type Match, type Term } from './terms.ts'

export interface FullText {
  // The row of `product_index` must have been written before.
  put(tx: Tx, key: ProductKey, terms: readonly string[]): void
  // To be called before the row of `product_index` is deleted.
  remove(tx: Tx, key: ProductKey): void
  // The number for a new row of `product_index`.
  readonly nextDoc: Fragment
  // `from ${matching}` are rows `p` of product_index that match: all, or 20,000.
  matching(merchantId: string, match: Match): Fragment
  // A condition on rows `p` that are read in another order.
  isMatching(merchantId: string, match: Match): Fragment
}

export interface ProductKey {
  merchantId: string
  productId: string
}

export function fullTextOf({ engine }: Reader): FullText {
  return engine === 'sqlite' ? sqlite : postgres
}

// Of one question. What matches more is too broad to be gone through for a filter.
const matchesMax = 20_000

const sqlite: FullText = {
  nextDoc: new Fragment('(select coalesce(max(doc), 0) + 1 from product_index)'),
  put(tx, { merchantId, productId }, terms) {
    const words = terms.join(' ')
    const hash = hashOf(words)
    tx.send`
      insert or replace into product_index_words (rowid, words)
      select doc, ${words} from product_index
      where merchant_id = ${merchantId} and product_id = ${productId} and terms_hash <> ${hash}`
    tx.send`
      update product_index set terms_hash = ${hash}
      where merchant_id = ${merchantId} and product_id = ${productId} and terms_hash <> ${hash}`
  },
  remove(tx, { merchantId, productId }) {
    tx.send`
      delete from product_index_words where rowid = (
        select doc from product_index where merchant_id = ${merchantId} and product_id = ${productId})`
  },
  // `cross join` makes SQLite read the index first, and the plus find each row by its number.
  matching: (merchantId, match) =>
    fragment(
      `(select rowid as doc from product_index_words where product_index_words match ? order by rowid desc
          limit ${matchesMax}) f
        cross join product_index p on p.doc = f.doc and +p.merchant_id = ?`,
      [toFts5(match), merchantId],
    ),
  // The plus keeps the planner off the index of `doc`, which would lead through all that match.
  isMatching: (_, match) =>
    fragment(`+p.doc in (select rowid from product_index_words where product_index_words match ?)`, [toFts5(match)]),
}

const postgres: FullText = {
  nextDoc: new Fragment('null'),
  put(tx, { merchantId, productId }, terms) {
    tx.send`
      insert into product_index_words (merchant_id, product_id, words)
      values (${merchantId}, ${productId}, array_to_tsvector(string_to_array(${terms.join(' ')}, ' ')))
      on conflict (merchant_id, product_id) do update set words = excluded.words
        where product_index_words.words is distinct from excluded.words`
  },
  remove(tx, { merchantId, productId }) {
    tx.send`delete from product_index_words where merchant_id = ${merchantId} and product_id = ${productId}`
  },
  matching: (merchantId, match) =>
    fragment(
      `(select merchant_id, product_id from product_index_words where merchant_id = ? and words @@ cast(? as tsquery)
          limit ${matchesMax}) f
        join product_index p on p.merchant_id = f.merchant_id and p.product_id = f.product_id`,
      [merchantId, toTsquery(match)],
    ),
  isMatching: (merchantId, match) =>
    fragment(
      `exists (
        select 1 from product_index_words f
        where f.merchant_id = ? and f.product_id = p.product_id and f.words @@ cast(? as tsquery))`,
      [merchantId, toTsquery(match)],
    ),
}

function fragment(text: string, values: readonly SqlValue[]): Fragment {
  return new Fragment(text, values)
}

// Terms hold no quotation marks: they are made of letters and digits.
function toFts5(match: Match): string {
  return joined(match, ' AND ', ' OR ', ({ text, isPrefix }) => `"${text}"${isPrefix ? '*' : ''}`)
}

function toTsquery(match: Match): string {
  return joined(match, ' & ', ' | ', ({ text, isPrefix }) => `'${text}'${isPrefix ? ':*' : ''}`)
}

function joined(match: Match, and: string, or: string, write: (term: Term) => string): string {
  return match.map((terms) => `(${terms.map(write).join(or)})`).join(and)
}
