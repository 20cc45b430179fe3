-- The pages that a publishable key may be used on. A key without a row is a secret one.
create table key_origins (
  installation_id text not null,
  credential_id text not null,
  origin text not null,
  primary key (installation_id, credential_id, origin)
);
create index key_origins_by_origin on key_origins (origin);

-- The publishable key that made a cart. Null: made with a secret key, or by the server. Such keys are public, so a visitor gets
-- only carts that they made.
alter table carts add column public_key_id text;
