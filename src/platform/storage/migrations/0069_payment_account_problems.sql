-- What calls and notices show to be wrong with a merchant's account at a payment provider. A row goes when it is mended, or was not seen
-- for a day.
create table payment_account_problems (
  merchant_id text not null,
  account_id text not null,
  kind text not null,
  since bigint not null,
  seen_at bigint not null,
  primary key (merchant_id, account_id, kind)
);
