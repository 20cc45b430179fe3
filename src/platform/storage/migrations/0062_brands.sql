-- The brand of a product. Null: it has none.
alter table products add column brand text;
-- Imports wrote the brand into the metadata, as the vendor. It is copied; the metadata stays as it is.
-- only sqlite
update products set brand = nullif(trim(substr(trim(replace(replace(replace(json_extract(metadata, '$.vendor'),
  char(9), ' '), char(10), ' '), char(13), ' ')), 1, 200)), '')
where metadata like '%"vendor"%';
-- PostgreSQL reads no JSON with half of a surrogate pair, which is written with an escape.
-- only postgres
update products set brand = nullif(btrim(left(btrim(translate(cast(metadata as json) ->> 'vendor', E'\t\n\r', '   ')), 200)), '')
where metadata like '%"vendor"%' and position('\u' in metadata) = 0;
-- Loops fold and index these again, and render all products with their new member.
update products set folded = null where brand is not null;
update product_index set version = 0, terms_hash = '' where exists (
  select 1 from products p
  where p.merchant_id = product_index.merchant_id and p.id = product_index.product_id and p.brand is not null);
update listed_products set stale_at = 0;
