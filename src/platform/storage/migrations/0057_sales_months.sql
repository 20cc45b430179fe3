-- Sums of the days of a month, so a report of a year reads twelve rows of a product and not 365.
create table sales_months (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  -- 2026-06.
  month text not null,
  part text not null check (part in ('product', 'promotion', 'country')),
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
  unpaid bigint not null,
  primary key (merchant_id, mode, part, month, key, currency)
);
-- Which months have been summed.
create table sales_summed_months (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  month text not null,
  -- On which something was sold. Null if a day was counted again since.
  days bigint,
  primary key (merchant_id, mode, month)
);
create index sales_months_due on sales_summed_months (month) where days is null;
-- Whether the version that counted the day knows of months. The sums of a month that has another day are not used.
alter table sales_days add column has_month bigint not null default 0;
insert into sales_summed_months (merchant_id, mode, month)
  select distinct merchant_id, mode, substr(day, 1, 7) from sales_days where part = 'all';
