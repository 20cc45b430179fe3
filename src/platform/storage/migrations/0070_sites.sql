-- The shop window of a merchant that this server shows, one row for each mode. A merchant without a row has a closed one. Its installation
-- sells: carts and orders of the shop belong to it.
create table sites (
  merchant_id text not null,
  mode text not null,
  installation_id text not null,
  -- Null while it is closed.
  opened_at bigint,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, mode)
);
