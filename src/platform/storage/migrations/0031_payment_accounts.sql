-- A merchant's account at a payment provider, in one mode. Its secrets are sealed; what may be shown is in `public`, as JSON. One that
-- has ended stays, for look-ups and refunds of its payments.
create table payment_accounts (
  merchant_id text not null,
  id text not null,
  mode text not null,
  provider text not null,
  public text not null,
  secrets_sealed text not null,
  -- What came before a rotation, and until when it is accepted.
  previous_sealed text,
  previous_until bigint,
  -- Up to when the provider's own list of news was read.
  seen_until bigint,
  ended_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, id)
);
create unique index payment_accounts_living on payment_accounts (merchant_id, mode, provider) where ended_at is null;
-- A notice names the account and nothing else.
create unique index payment_accounts_by_id on payment_accounts (id);
alter table payments add column account_id text;
-- When a notice said that there is news of it.
alter table payments add column noticed_at bigint;
create index payments_by_reference on payments (merchant_id, account_id, reference) where account_id is not null;
