-- A keyed hash of each word by which the sealed customer of an order is found. Deleted when the address is erased.
create table search_tokens (
  merchant_id text not null,
  mode text not null,
  token text not null,
  installation_id text not null,
  order_id text not null,
  primary key (merchant_id, mode, token, order_id)
);
create index search_tokens_of_order on search_tokens (installation_id, order_id);
-- When its words were written down; null: a loop will.
alter table orders add column indexed_at bigint;
create index orders_not_indexed on orders (placed_at) where indexed_at is null;
create index fulfillments_by_tracking on fulfillments (installation_id, tracking_number)
  where tracking_number is not null;
-- Money that is owed and failed to go back, by merchant; and disputes that are open.
create index refunds_failed_of_merchant on refunds (merchant_id) where status = 'failed' and replaced_by is null;
create index disputes_open_of_merchant on disputes (merchant_id) where status = 'open';
