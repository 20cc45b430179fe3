-- Statements by which shoppers withdrew from a contract, as they were received. A row is never changed but to settle it, to seal it
-- anew and to erase the shopper.
create table withdrawals (
  merchant_id text not null,
  mode text not null,
  id text not null,
  -- What was typed: name, order, e-mail and items. Null once the shopper is erased.
  sealed text,
  -- The number of an order in its usual form, whether or not there is such an order; null where none was recognised.
  order_number text,
  -- Of the mailbox; null once the shopper is erased.
  email_hash text,
  -- In which the page was read.
  locale text not null,
  status text not null,
  outcome text,
  version bigint not null,
  received_at bigint not null,
  settled_at bigint,
  constraint withdrawals_pkey primary key (merchant_id, mode, id)
);

create index withdrawals_of_merchant on withdrawals (merchant_id, mode, received_at desc, id desc);
create index withdrawals_open on withdrawals (merchant_id, mode, received_at) where status = 'received';
create index withdrawals_by_age on withdrawals (received_at);
