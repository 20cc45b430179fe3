-- The tax rate of each line and of the shipping, in basis points: a receipt names it, and it cannot be found out later. Null of orders
-- that were placed before, and where nothing was shipped.
alter table order_lines add column tax_rate_bps bigint;
alter table orders add column shipping_tax_rate_bps bigint;
-- Who sells, as a receipt names it: JSON, or null.
alter table merchants add column legal text;
