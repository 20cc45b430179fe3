-- What a search of the catalog reads: one narrow row for each published product, written with it. All of it can be built again
-- from the products.
create table product_index (
  merchant_id text not null,
  product_id text not null,
  -- Of the product; another one means that the row has to be written again.
  version bigint not null,
  -- The number of its words in SQLite's full-text index. Null on PostgreSQL.
  doc bigint,
  -- A hash of what stands there, so a new price does not write it again. Empty until it is written.
  terms_hash text not null default '',
  published_at bigint not null,
  price_min bigint not null,
  price_max bigint not null,
  live_in_stock bigint not null check (live_in_stock in (0, 1)),
  test_in_stock bigint not null check (test_in_stock in (0, 1)),
  -- The folded name in hexadecimal, which every collation orders alike.
  name_key text not null,
  facets text not null,
  fields text not null,
  primary key (merchant_id, product_id)
);
create index product_index_doc on product_index (doc);
create index product_index_newest on product_index (merchant_id, published_at, product_id);
create index product_index_price on product_index (merchant_id, price_min, product_id);
create index product_index_name on product_index (merchant_id, name_key, product_id);

-- The words of each product, in the full-text index of the engine.
-- only sqlite
create virtual table product_index_words using fts5(words, content='', contentless_delete=1, detail='none', tokenize='ascii');
-- only postgres
create table product_index_words (
  merchant_id text not null,
  product_id text not null,
  words tsvector not null,
  primary key (merchant_id, product_id)
);
-- only postgres
create index product_index_words_found on product_index_words using gin (words);

-- The words that a misspelt one is corrected to, with their first and last two letters: one mistake leaves either as they are.
create table product_words (
  merchant_id text not null,
  word text not null,
  head text not null,
  tail text not null,
  primary key (merchant_id, word)
);
create index product_words_head on product_words (merchant_id, head);
create index product_words_tail on product_words (merchant_id, tail);
