-- Invoices and credit notes. A row is never changed; what a merchant must keep stays when a shopper is erased.
create table documents (
  merchant_id text not null references merchants (id),
  id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in ('invoice', 'credit_note')),
  -- Why it was made, and the id of the order or the refund: one document for each.
  cause text not null check (cause in ('order_paid', 'refund_paid', 'refund_failed')),
  cause_id text not null,
  installation_id text not null,
  order_id text not null,
  number text not null,
  -- In the merchant's time zone: 2026-06-01.
  day text not null,
  supply_day text not null,
  currency text not null,
  net bigint not null,
  tax bigint not null,
  total bigint not null,
  -- Where it is taxed.
  country text not null,
  -- Seller, lines, sums by rate, payment and references: JSON.
  content text not null,
  -- Name, address and VAT id of the buyer. Null where none is known.
  buyer_sealed text,
  issued_at bigint not null,
  primary key (merchant_id, id)
);
create unique index documents_of_cause on documents (merchant_id, cause, cause_id);
create unique index documents_by_number on documents (merchant_id, mode, kind, number);
create index documents_by_time on documents (merchant_id, mode, issued_at, id);
create index documents_of_order on documents (merchant_id, order_id);
-- The sums of a document by rate, for tax reports.
create table document_rates (
  merchant_id text not null,
  document_id text not null,
  -- In basis points.
  rate bigint not null,
  -- Why no tax is charged; empty where it is.
  reason text not null,
  net bigint not null,
  tax bigint not null,
  total bigint not null,
  primary key (merchant_id, document_id, rate, reason)
);
-- The last number of each series. A format with the year begins anew each year; others have the period ''.
create table document_numbers (
  merchant_id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in ('invoice', 'credit_note')),
  period text not null,
  last bigint not null,
  primary key (merchant_id, mode, kind, period)
);
-- Documents that are to be made, written with the payment or the refund. A loop makes them.
create table document_causes (
  merchant_id text not null,
  cause text not null check (cause in ('order_paid', 'refund_paid', 'refund_failed')),
  cause_id text not null,
  installation_id text not null,
  order_id text not null,
  mode text not null check (mode in ('test', 'live')),
  at bigint not null,
  primary key (merchant_id, cause, cause_id)
);
create index document_causes_by_time on document_causes (at, cause_id);
-- How numbers are written, and whether the merchant charges no tax as a small business: JSON.
alter table merchants add column invoices text not null default '{}';
