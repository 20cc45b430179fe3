-- Changes that a merchant made to what was ordered, before it was sent. Kept as long as the order.
create table order_edits (
  merchant_id text not null,
  id text not null,
  mode text not null check (mode in ('test', 'live')),
  installation_id text not null,
  order_id text not null,
  -- What the order cost before and after.
  total_before bigint not null,
  total_after bigint not null,
  -- Units and amounts that were taken off and added, by line: JSON.
  parts text not null,
  created_at bigint not null,
  primary key (merchant_id, id)
);
create index order_edits_of_order on order_edits (merchant_id, order_id, created_at, id);
-- What was paid above the present total, because edits lowered it. It goes back by refunds that name their edit.
alter table orders add column reduced bigint not null default 0;
alter table refunds add column edit_id text;
