-- Codes with which shoppers sign in: mailed, for one browser, ten minutes and five tries. Rows of a day are stored, for the limits by mailbox,
-- network and shop.
create table customer_codes (
  merchant_id text not null,
  id text not null,
  mode text not null,
  mailbox_hash text not null,
  network_hash text not null,
  email_sealed text not null,
  code_hash text not null,
  link_hash text not null,
  browser_hash text not null,
  tries bigint not null default 0,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  primary key (merchant_id, id)
);
create index customer_codes_of_mailbox on customer_codes (merchant_id, mailbox_hash, created_at);
create index customer_codes_of_network on customer_codes (merchant_id, network_hash, created_at);
create index customer_codes_by_age on customer_codes (merchant_id, created_at);
create index customer_codes_of_browser on customer_codes (merchant_id, browser_hash);
-- One row for each merchant, locked while a code is counted and written, so the limits hold for requests at the same time.
create table customer_code_gates (
  merchant_id text not null,
  asked_at bigint not null,
  primary key (merchant_id)
);
-- Shoppers who have shown that a mailbox is theirs.
create table customer_sessions (
  merchant_id text not null,
  id text not null,
  mode text not null,
  token_hash text not null,
  mailbox_hash text not null,
  email_sealed text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (merchant_id, id)
);
create unique index customer_sessions_by_token on customer_sessions (merchant_id, token_hash);
create index customer_sessions_of_mailbox on customer_sessions (merchant_id, mailbox_hash);
create index customer_sessions_by_end on customer_sessions (merchant_id, expires_at);
-- The orders of a mailbox.
create index orders_of_customer on orders (merchant_id, mode, email_hash, placed_at desc, id desc) where email_hash is not null;
