-- Random keys that are made once for a database and stay, however often the root secret is rotated. `sealed` is an object:
-- the key once for each version of the root secret, under its number, so it outlives the retirement of a version.
create table database_keys (
  name text not null primary key,
  sealed text not null,
  created_at bigint not null
);
