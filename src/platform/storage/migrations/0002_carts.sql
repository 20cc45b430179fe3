-- Carts and what keeps them right: stock that can be held, promotions, sealed addresses, keys that make a request safe to
-- repeat, and the events that tell others.

-- Units that are promised to checkout sessions; `holds` has them one by one.
alter table skus add column held bigint not null default 0 check (held >= 0);
-- Counts the stock events of the SKU; it is their sequence.
alter table skus add column stock_version bigint not null default 0;
-- Set when stock changed since the answers were rendered; a read then renders anew, and a loop catches up.
alter table listed_products add column stale_at bigint;
create index listed_products_stale on listed_products (stale_at) where stale_at is not null;

-- A row counts in skus.held for as long as it is here, also when its time is over and nobody has swept it yet.
create table holds (
  merchant_id text not null,
  sku_id text not null,
  owner_id text not null,
  quantity bigint not null check (quantity > 0),
  expires_at bigint not null,
  primary key (merchant_id, owner_id, sku_id),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
);
create index holds_by_sku on holds (merchant_id, sku_id, expires_at);
create index holds_by_end on holds (expires_at);

-- Every change of skus.on_hand; their sum is the stock. Backordered units were sold without being there.
create table stock_movements (
  merchant_id text not null,
  sku_id text not null,
  id text not null,
  kind text not null check (kind in ('opening', 'set', 'sold', 'restocked')),
  delta bigint not null,
  backordered bigint not null default 0 check (backordered >= 0),
  owner_id text,
  at bigint not null,
  primary key (merchant_id, sku_id, id),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
);
create index stock_movements_by_owner on stock_movements (merchant_id, owner_id) where owner_id is not null;
insert into stock_movements (merchant_id, sku_id, id, kind, delta, at)
  select merchant_id, id, id, 'opening', on_hand, created_at from skus where on_hand > 0;

create table promotions (
  merchant_id text not null references merchants (id),
  id text not null,
  -- Upper case, as codes are compared.
  code text not null,
  name text not null,
  type text not null check (type in ('percentage', 'fixed_amount', 'free_shipping')),
  -- Basis points for a percentage, minor units for a fixed amount, 0 for free shipping.
  value bigint not null check (value >= 0),
  currency text,
  minimum_subtotal bigint check (minimum_subtotal >= 0),
  starts_at bigint,
  ends_at bigint,
  usage_limit bigint check (usage_limit >= 0),
  customer_limit bigint check (customer_limit >= 1),
  used bigint not null check (used >= 0),
  -- JSON lists of category slugs and of SKU codes; both empty: everything is eligible.
  categories text not null,
  sku_codes text not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint,
  primary key (merchant_id, id),
  unique (merchant_id, code),
  check (usage_limit is null or used <= usage_limit)
);

create table carts (
  installation_id text not null references installations (id),
  id text not null,
  merchant_id text not null references merchants (id),
  version bigint not null check (version >= 1),
  status text not null check (status in ('open', 'locked', 'converted', 'expired')),
  currency text not null,
  promotion_id text,
  address_id text,
  -- What may be seen of the address; the rest is sealed in `addresses`.
  shipping_option text,
  metadata text not null,
  -- Codes that were refused in the minute that began at guesses_since.
  guesses bigint not null default 0,
  guesses_since bigint not null default 0,
  checkout_session_id text,
  order_id text,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null,
  primary key (installation_id, id),
  foreign key (merchant_id, promotion_id) references promotions (merchant_id, id)
);
create index carts_by_end on carts (expires_at) where status = 'open';

create table cart_lines (
  installation_id text not null,
  cart_id text not null,
  sku_id text not null,
  merchant_id text not null,
  -- Lines stand in the order in which they came.
  position bigint not null,
  quantity bigint not null check (quantity between 1 and 999),
  -- The price when the line was last written; a later change is told, never silent.
  seen_price bigint not null check (seen_price >= 0),
  primary key (installation_id, cart_id, sku_id),
  foreign key (installation_id, cart_id) references carts (installation_id, id),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
);

-- Sealed with a key of its own, which is wrapped by the root secret: without row_key nobody can read it again.
create table addresses (
  installation_id text not null,
  id text not null,
  owner_id text not null,
  sealed text not null,
  row_key text,
  city text not null,
  region text,
  country text not null,
  postal_code_prefix text,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (installation_id, id)
);
create index addresses_by_end on addresses (expires_at) where row_key is not null;

create table idempotency_keys (
  installation_id text not null,
  key text not null,
  fingerprint text not null,
  -- Null only inside the transaction that is computing it.
  answer text,
  created_at bigint not null,
  primary key (installation_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- What happened, as it is told to others: serialised once, never changed.
create table events (
  installation_id text not null,
  id text not null,
  type text not null,
  subject_type text not null,
  subject_id text not null,
  -- The version of the subject: one event for each, without gaps.
  sequence bigint not null,
  body text not null,
  occurred_at bigint not null,
  primary key (installation_id, id),
  unique (installation_id, subject_type, subject_id, sequence)
);
create index events_by_age on events (occurred_at);
