-- Sales of a day, for reports. A loop counts a day again when an order of it has changed.
create table sales_days (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  -- In the merchant's time zone: 2026-06-01.
  day text not null,
  -- What the row is about: the whole day, or a part of it.
  part text not null check (part in ('all', 'product', 'promotion', 'country')),
  -- Of the part: a slug, the id of a promotion, a country. Empty for the whole day, and where there is none.
  key text not null,
  currency text not null,
  name text not null,
  orders bigint not null,
  items bigint not null,
  subtotal bigint not null,
  discount bigint not null,
  shipping bigint not null,
  tax bigint not null,
  total bigint not null,
  refunded bigint not null,
  -- Of orders whose money is awaited.
  unpaid bigint not null,
  primary key (merchant_id, mode, part, day, key, currency)
);
-- What of an order has been counted. An order that has changed since is found by the index.
alter table orders add column counted_version bigint not null default 0;
alter table orders add column counted_refunded bigint not null default 0;
create index orders_to_count on orders (placed_at, id) where counted_version <> version or counted_refunded <> refunded;
