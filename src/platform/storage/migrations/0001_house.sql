-- Who sells, who calls, and what is for sale. Amounts are integer minor units, instants are epoch milliseconds, lists are
-- JSON text, and a nullable instant stands where a flag would say less.

create table merchants (
  id text not null primary key,
  slug text not null unique,
  name text not null,
  currency text not null,
  country text not null,
  price_tax text not null check (price_tax in ('included', 'excluded')),
  low_stock_at bigint not null check (low_stock_at >= 0),
  support_email text,
  links text not null,
  -- Counts every change that a shopper could see in a list; caches of list pages are keyed by it.
  catalog_version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  closed_at bigint
);

create table installations (
  id text not null primary key,
  merchant_id text not null references merchants (id),
  name text not null,
  mode text not null check (mode in ('test', 'live')),
  redirect_hosts text not null,
  app_id text,
  created_at bigint not null,
  disabled_at bigint,
  unique (merchant_id, name)
);

create table credentials (
  id text not null primary key,
  installation_id text not null references installations (id),
  merchant_id text not null references merchants (id),
  name text not null,
  mode text not null check (mode in ('test', 'live')),
  lookup text not null unique,
  digest text not null,
  pepper_version bigint not null,
  prefix text not null,
  last4 text not null,
  scopes text not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  rotated_from text
);
create index credentials_by_installation on credentials (installation_id, id);

create table categories (
  merchant_id text not null references merchants (id),
  id text not null,
  slug text not null,
  name text not null,
  description text not null,
  parent_id text,
  position bigint not null,
  image text,
  -- Listed products in this category or below it, counted after each provisioning.
  product_count bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, id),
  unique (merchant_id, slug),
  foreign key (merchant_id, parent_id) references categories (merchant_id, id)
);

create table products (
  merchant_id text not null references merchants (id),
  id text not null,
  slug text not null,
  name text not null,
  summary text not null,
  description text not null,
  tags text not null,
  images text not null,
  options text not null,
  metadata text not null,
  published_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, id),
  unique (merchant_id, slug)
);

create table product_categories (
  merchant_id text not null,
  category_id text not null,
  product_id text not null,
  position bigint not null,
  primary key (merchant_id, product_id, category_id),
  foreign key (merchant_id, category_id) references categories (merchant_id, id),
  foreign key (merchant_id, product_id) references products (merchant_id, id)
);
create index product_categories_by_category on product_categories (merchant_id, category_id, product_id);

create table skus (
  merchant_id text not null,
  id text not null,
  product_id text not null,
  code text not null,
  name text not null,
  options text not null,
  position bigint not null,
  price bigint not null check (price >= 0),
  compare_at_price bigint check (compare_at_price >= 0),
  on_hand bigint not null check (on_hand >= 0),
  when_sold_out text not null check (when_sold_out in ('refuse', 'backorder')),
  max_per_order bigint not null check (max_per_order between 1 and 999),
  delivery text not null check (delivery in ('shipped', 'digital')),
  weight_grams bigint check (weight_grams >= 0),
  tax_class text not null,
  image text,
  created_at bigint not null,
  updated_at bigint not null,
  retired_at bigint,
  primary key (merchant_id, id),
  unique (merchant_id, code),
  foreign key (merchant_id, product_id) references products (merchant_id, id)
);
create index skus_by_product on skus (merchant_id, product_id, position);

-- What the catalog operations answer, rendered once per change. A product has a row here exactly while it is published,
-- so a read is one look-up and a list page is one range scan. A raw U+0001, which JSON text never holds, stands for the
-- public origin of this server.
create table listed_products (
  merchant_id text not null,
  product_id text not null,
  slug text not null,
  published_at bigint not null,
  list_row text not null,
  detail text not null,
  public_detail text not null,
  etag text not null,
  primary key (merchant_id, slug),
  unique (merchant_id, product_id),
  foreign key (merchant_id, product_id) references products (merchant_id, id)
);
create index listed_products_newest on listed_products (merchant_id, published_at desc, product_id);

create table tax_rates (
  merchant_id text not null references merchants (id),
  country text not null,
  -- An empty region is the whole country.
  region text not null,
  tax_class text not null,
  rate_bps bigint not null check (rate_bps between 0 and 10000),
  primary key (merchant_id, country, region, tax_class)
);

create table shipping_zones (
  merchant_id text not null references merchants (id),
  zone text not null,
  position bigint not null,
  countries text not null,
  options text not null,
  primary key (merchant_id, zone)
);
