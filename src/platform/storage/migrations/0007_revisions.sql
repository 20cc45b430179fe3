-- Which rendering of a product this is. Whoever holds the bytes of a revision need not read its texts again.
alter table listed_products add column revision text not null default '';
update listed_products set revision = product_id;
