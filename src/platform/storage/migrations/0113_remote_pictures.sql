-- Pictures of imported products that are on another server, and are brought over to this one.
create table remote_pictures (
  merchant_id text not null references merchants (id),
  -- Of the address, which may be longer than an index takes.
  address_hash text not null,
  product_id text not null,
  address text not null,
  -- Where it is on this server. Null: it is not here yet.
  path text,
  -- Why it could not be brought over, the last time or for good.
  problem text,
  failures bigint not null default 0,
  -- When it is tried, or a node that tries it is given up. Null: it is here, or given up.
  due_at bigint,
  created_at bigint not null,
  primary key (merchant_id, address_hash, product_id)
);
create index remote_pictures_due on remote_pictures (due_at) where due_at is not null;
create index remote_pictures_of_product on remote_pictures (merchant_id, product_id);
