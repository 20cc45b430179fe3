-- The owner comes first in the key of holds. With the merchant first, PostgreSQL took the key for every question about a SKU
-- as long as it had no statistics, and read all holds of the shop: a cart became slower with each open checkout.
alter table holds rename to former_holds;
create table holds (
  merchant_id text not null,
  sku_id text not null,
  owner_id text not null,
  quantity bigint not null check (quantity > 0),
  expires_at bigint not null,
  primary key (owner_id, merchant_id, sku_id),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
);
insert into holds (merchant_id, sku_id, owner_id, quantity, expires_at)
  select merchant_id, sku_id, owner_id, quantity, expires_at from former_holds;
drop table former_holds;
create index holds_by_sku on holds (merchant_id, sku_id, expires_at);
create index holds_by_end on holds (expires_at);
