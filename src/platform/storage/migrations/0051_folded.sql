-- Names and codes as a search compares them, folded by us: the engines fold letters outside of ASCII differently. Null until a loop has
-- filled them in.
alter table products add column folded text;
alter table skus add column folded text;
create index products_not_folded on products (merchant_id, id) where folded is null;
create index skus_not_folded on skus (merchant_id, id) where folded is null;
