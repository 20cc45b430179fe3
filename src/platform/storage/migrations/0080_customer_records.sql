-- Who bought in a shop, one row for each mailbox and mode, found by its keyed hash. A loop writes them from orders, and they go with the last
-- order that still says who ordered. `erase_asked_at`: the merchant asked to erase the person, and a loop will.
create table customers (
  merchant_id text not null,
  id text not null,
  mode text not null,
  email_hash text not null,
  last_order_at bigint not null,
  erase_asked_at bigint,
  primary key (merchant_id, id)
);
create unique index customers_by_hash on customers (merchant_id, mode, email_hash);
create index customers_by_order on customers (merchant_id, mode, last_order_at desc, id desc);
create index customers_to_erase on customers (merchant_id, erase_asked_at) where erase_asked_at is not null;
-- What the merchant's people write about a customer, for themselves.
create table customer_notes (
  merchant_id text not null,
  customer_id text not null,
  id text not null,
  text text not null,
  actor_kind text not null,
  actor_id text,
  at bigint not null,
  primary key (merchant_id, customer_id, id)
);
-- Null until a loop has found the customer, and once the person is erased.
alter table orders add column customer_id text;
create index orders_of_customer_record on orders (merchant_id, mode, customer_id, placed_at desc, id desc) where customer_id is not null;
create index orders_without_customer on orders (merchant_id, placed_at) where customer_id is null and email_hash is not null;
