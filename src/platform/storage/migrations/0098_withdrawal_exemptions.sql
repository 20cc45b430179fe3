-- Why shoppers cannot withdraw from a contract about it; null: they can.
alter table products add column withdrawal_exempt text;
-- 1: digital content, whose supply at once needs the shopper's consent.
alter table products add column digital bigint not null default 0;
-- What held when it was bought: the content that the unit price is computed from, and why one cannot withdraw.
alter table order_lines add column measure text;
alter table order_lines add column withdrawal_exempt text;
-- What the shopper agreed to: JSON list of kind, at, textVersion and language.
alter table orders add column consents text not null default '[]';
-- A loop renders all products with their new members.
update listed_products set stale_at = 0 where coalesce(stale_at, 1) <> 0;
