-- The content of a SKU, from which its unit price is computed: JSON with amount, unit and per. Null: none is given.
alter table skus add column measure text;
-- A loop renders all products with their new member.
update listed_products set stale_at = 0 where coalesce(stale_at, 1) <> 0;
