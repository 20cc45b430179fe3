-- Orders that were placed in exchange for items of a return, with what was paid for these items and what of that went back. Stored as
-- long as the orders.
create table return_exchanges (
  merchant_id text not null,
  order_id text not null,
  installation_id text not null,
  return_id text not null,
  refund_id text not null,
  credit bigint not null,
  refunded bigint not null,
  created_at bigint not null,
  primary key (merchant_id, order_id)
);
create index return_exchanges_of_return on return_exchanges (merchant_id, return_id, created_at);
-- Money that moved from one order to another: the refund names the payment that it became, and that payment the one at the provider which
-- the money came by. What goes back of it goes back there.
alter table refunds add column moved_to text;
alter table payments add column moved_from text;
create index payments_moved on payments (installation_id, moved_from) where moved_from is not null;
