-- Makers of products, shared by both modes, at most two thousand for each merchant. Products name them by their slugs, which never change.
create table makers (
  merchant_id text not null,
  id text not null,
  slug text not null,
  name text not null,
  -- JSON list of lines.
  address text not null,
  country text not null,
  -- An e-mail address or a page.
  contact text not null,
  -- Who is responsible in the EU: JSON with name, address, country and contact; null: none is given.
  responsible text,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, id)
);
create unique index makers_slug on makers (merchant_id, slug);
-- The slug of its maker; null: none is given.
alter table products add column maker text;
-- JSON list of texts with their languages.
alter table products add column warnings text not null default '[]';
create index products_maker on products (merchant_id, maker) where maker is not null;
-- A loop renders all products with their new member.
update listed_products set stale_at = 0 where coalesce(stale_at, 1) <> 0;
