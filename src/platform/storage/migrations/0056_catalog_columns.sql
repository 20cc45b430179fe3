-- The catalog version of the merchant with which a row was written, so a server reads what has changed since it last looked.
alter table product_index add column changed bigint not null default 0;
create index product_index_changed on product_index (merchant_id, changed, product_id);
-- Searches are sorted in memory.
drop index product_index_newest;
drop index product_index_price;
drop index product_index_name;
-- Every product has a term more. A loop writes them again.
update product_index set version = 0, terms_hash = '' where version > 0;
