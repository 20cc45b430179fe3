-- Money that people moved for an order whose payment is recorded by hand: a transfer that came in part, twice or too large, and what was
-- given back of it. Below zero: given back. An order of which the whole total came at once has one row; older ones have none.
create table money_by_hand (
  merchant_id text not null,
  order_id text not null,
  id text not null,
  amount bigint not null check (amount <> 0),
  at bigint not null,
  primary key (merchant_id, order_id, id)
);
