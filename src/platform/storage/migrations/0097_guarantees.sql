-- The guarantee of durability of the producer: JSON with years and url. Null: none is given.
alter table products add column guarantee text;
-- A loop renders all products with their new member.
update listed_products set stale_at = 0 where coalesce(stale_at, 1) <> 0;
