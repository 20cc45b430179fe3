-- Letters that are owed, one for each fact. A row has neither text nor address: both are made when it is sent, from what the
-- fact left behind. `facts` is JSON of what may change before that.
create table emails (
  -- Of the merchant where the fact is of no installation.
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  kind text not null,
  -- The order, payment, parcel or refund that it is about.
  subject_id text not null,
  order_id text,
  facts text not null,
  -- By which letters to one mailbox are counted; null where the shopper was erased.
  recipient_hash text,
  status text not null,
  attempts bigint not null,
  -- When to send it, or send it again; of one that is being sent, when its lease ends; null when it has ended.
  due_at bigint,
  lease_id text,
  message_id text,
  address_masked text,
  -- What the mail server answered, or why nothing was sent.
  code text,
  created_at bigint not null,
  finished_at bigint,
  primary key (installation_id, id)
);
create unique index emails_of_fact on emails (installation_id, kind, subject_id);
create index emails_due on emails (due_at) where due_at is not null;
create index emails_of_recipient on emails (merchant_id, recipient_hash, created_at);
create index emails_of_merchant on emails (merchant_id, created_at, id);
create index emails_of_order on emails (installation_id, order_id);
create index emails_by_age on emails (created_at);
-- What a merchant has set about its letters. `kinds_off` is a JSON list of kinds.
create table mail_settings (
  merchant_id text not null primary key,
  sender_name text,
  reply_to text,
  locale text,
  kinds_off text not null,
  updated_at bigint not null
);
-- Whether a server sends letters. Without a row none are written.
create table mail_switch (
  id text not null primary key,
  is_on bigint not null,
  changed_at bigint not null
);
-- The language in which the shopper read the page.
alter table payments add column locale text;
