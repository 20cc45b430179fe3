-- In PostgreSQL, too, lists and searches of the merchant read names and slugs from the index. An entry of it takes 2,700 bytes, so folded
-- texts have at most 1,801 bytes since this release. Longer ones are computed again.
-- only postgres
update products set folded = null where octet_length(folded) > 1801;
-- only postgres
create index products_listed on products (merchant_id, updated_at desc, id desc, folded, slug);
-- only postgres
drop index products_changed;
