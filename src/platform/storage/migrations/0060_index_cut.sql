-- The catalog version with which a product last left the search index. What a server found before it, it finds anew; after other
-- changes it looks only at the products that have changed.
alter table merchants add column index_cut bigint not null default 0;
-- Only SQLite numbers its rows.
-- only postgres
drop index product_index_doc;
