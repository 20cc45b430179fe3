-- How a merchant takes money by hand: a row for each method and mode of which the merchant has said something. Without one the
-- method is offered in test mode and not in live mode.
create table manual_methods (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  method text not null,
  -- What the shopper is told, such as the bank account.
  instructions text,
  -- An order that is not paid this many days after it was placed is cancelled; null: never.
  term_days bigint check (term_days between 1 and 365),
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint,
  primary key (merchant_id, mode, method)
);
-- Shops that sell already go on offering what they offered.
insert into manual_methods (merchant_id, mode, method, instructions, term_days, created_at, updated_at, disabled_at)
  select m.id, 'live', 'bank_transfer', null, 14, m.created_at, m.created_at, null from merchants m
  where exists (select 1 from installations i where i.merchant_id = m.id and i.mode = 'live');
insert into manual_methods (merchant_id, mode, method, instructions, term_days, created_at, updated_at, disabled_at)
  select m.id, 'live', 'cash_on_delivery', null, null, m.created_at, m.created_at, null from merchants m
  where exists (select 1 from installations i where i.merchant_id = m.id and i.mode = 'live');
