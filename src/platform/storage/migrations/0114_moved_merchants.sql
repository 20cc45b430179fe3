-- A merchant that goes to another cell, comes from one, or has gone: where its shop is now.
create table merchant_moves (
  merchant_id text not null primary key,
  slug text not null,
  state text not null check (state in ('leaving', 'arriving', 'gone')),
  -- The origin of the cell that it went to.
  origin text,
  changed_at bigint not null
);

create index merchant_moves_gone on merchant_moves (changed_at) where state = 'gone';

-- By what callers of a merchant that has gone are recognized: the public part of API keys, the digests of page secrets.
create table moved_names (
  merchant_id text not null,
  kind text not null check (kind in ('key', 'checkout', 'order')),
  name text not null,
  primary key (kind, name, merchant_id)
);

create index moved_names_of_merchant on moved_names (merchant_id);
