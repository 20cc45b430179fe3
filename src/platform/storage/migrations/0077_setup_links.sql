-- The link with which the first person of an empty server makes their account and their shop. Only the hash of its secret is here. Every
-- start of an empty server replaces the row, and the first use deletes it, so there is at most one.
create table setup_links (
  id text not null primary key,
  token_hash text not null unique,
  created_at bigint not null,
  expires_at bigint not null
);
