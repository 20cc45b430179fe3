-- The tax in what went back, by credit notes: of the day on which the order was placed. Days that have some are counted again.
alter table sales_days add column refunded_tax bigint not null default 0;
alter table sales_months add column refunded_tax bigint not null default 0;
insert into sales_recounts (merchant_id, mode, day)
  select distinct merchant_id, mode, '' from documents where kind = 'credit_note'
  on conflict (merchant_id, mode) do update set day = '';
