-- Lists and searches of the merchant read names and slugs from the index, in the order of the list, and not from whole products. In
-- PostgreSQL an entry of an index takes 2,700 bytes, which a name may exceed.
-- only sqlite
create index products_listed on products (merchant_id, updated_at desc, id desc, folded, slug);
-- only sqlite
drop index products_changed;
-- SKUs by the beginning of their code.
-- only sqlite
create index skus_found on skus (merchant_id, folded, product_id);
-- only postgres
create index skus_found on skus (merchant_id, left(folded, 60) text_pattern_ops);
