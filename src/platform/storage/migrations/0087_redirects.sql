-- Old paths of a merchant's shop, and where each leads. Shared by both modes. At most fifty thousand for each merchant. No target is the
-- path of another row that leads on, so one redirect is enough for every old path.
create table redirects (
  merchant_id text not null,
  id text not null,
  -- Decoded, in lower case, without a slash at the end.
  path text not null,
  -- A path of the same shop, with a query or without one; null: what was there is gone.
  target text,
  -- The target without its query.
  target_path text,
  -- What made it: merchant, rename, removal or import.
  cause text not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, path)
);
create unique index redirects_id on redirects (merchant_id, id);
create index redirects_target on redirects (merchant_id, target_path) where target_path is not null;
