-- What the merchant's people write about an order, for themselves.
create table order_notes (
  installation_id text not null,
  order_id text not null,
  id text not null,
  merchant_id text not null,
  text text not null,
  actor_kind text not null,
  actor_id text,
  at bigint not null,
  primary key (installation_id, order_id, id)
);
-- What a refund was for, where it was made by line. The row of the shipping names no SKU.
create table refund_lines (
  installation_id text not null,
  order_id text not null,
  refund_id text not null,
  sku_id text not null,
  quantity bigint not null,
  amount bigint not null,
  primary key (installation_id, order_id, refund_id, sku_id)
);
-- Orders of which something may be sent, of which money is awaited, and which were cancelled: few among many.
create index orders_to_send on orders (merchant_id, mode, placed_at desc, id desc)
  where status in ('placed', 'processing') and payment_status in ('pending', 'paid', 'partially_refunded');
create index orders_awaited on orders (merchant_id, mode, placed_at desc, id desc) where payment_status = 'pending';
create index orders_cancelled on orders (merchant_id, mode, placed_at desc, id desc) where status = 'cancelled';
