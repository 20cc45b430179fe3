-- Goods that a shopper sends back, or wants to. The position counts the returns of an order, and with the number of the order makes the
-- number of the return. The note is what the shopper wrote, sealed; the answer is the merchant's text to the shopper.
create table returns (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  mode text not null,
  order_id text not null,
  position bigint not null,
  version bigint not null,
  status text not null,
  reason text not null,
  wish text not null,
  opened_by text not null,
  note_sealed text,
  answer text,
  label_url text,
  requested_at bigint not null,
  updated_at bigint not null,
  primary key (installation_id, id)
);
create unique index returns_of_order on returns (installation_id, order_id, position);
-- At most one open change for an order.
create unique index returns_open on returns (installation_id, order_id) where status in ('requested', 'approved', 'received');
create index returns_of_merchant on returns (merchant_id, mode, requested_at desc, id desc);
create index returns_to_do on returns (merchant_id, mode, requested_at desc, id desc)
  where status in ('requested', 'approved', 'received');
-- Units that are to come back, that came, and that went into stock again.
create table return_lines (
  installation_id text not null,
  return_id text not null,
  sku_id text not null,
  order_id text not null,
  quantity bigint not null,
  received bigint not null default 0,
  restocked bigint not null default 0,
  primary key (installation_id, return_id, sku_id),
  constraint return_lines_received check (received >= 0 and received <= quantity),
  constraint return_lines_restocked check (restocked >= 0 and restocked <= received)
);
-- The refunds that were made for a return.
create table return_refunds (
  installation_id text not null,
  return_id text not null,
  refund_id text not null,
  primary key (installation_id, return_id, refund_id)
);
