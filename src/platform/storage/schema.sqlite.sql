-- The tables and indexes of SQLite as the migrations make them, for databases that are new.
-- Printed by `npm run schema:print`; not to be edited.
-- migrations: 115, j9KeeFylOpk_UOPhgmISvAQUJHKmjNL5lhxmDdJkzRk
CREATE TABLE merchants (
  id text not null primary key,
  slug text not null unique,
  name text not null,
  currency text not null,
  country text not null,
  price_tax text not null check (price_tax in ('included', 'excluded')),
  low_stock_at bigint not null check (low_stock_at >= 0),
  support_email text,
  links text not null,
   
  catalog_version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  closed_at bigint
, legal text, logo text, color text, second_factor_required bigint not null default 0, version bigint not null default 1, time_zone text not null default 'UTC', index_cut bigint not null default 0, synonyms text not null default '[]', invoices text not null default '{}', look text, shipping_tax text, customer_names text not null default 'shown');
CREATE TABLE installations (
  id text not null primary key,
  merchant_id text not null references merchants (id),
  name text not null,
  mode text not null check (mode in ('test', 'live')),
  redirect_hosts text not null,
  app_id text,
  created_at bigint not null,
  disabled_at bigint, grant_id text, granted_scopes text, approved_by text, ended_at bigint, sessions_end_at bigint,
  unique (merchant_id, name)
);
CREATE TABLE credentials (
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
, made_by text);
CREATE INDEX credentials_by_installation on credentials (installation_id, id);
CREATE TABLE categories (
  merchant_id text not null references merchants (id),
  id text not null,
  slug text not null,
  name text not null,
  description text not null,
  parent_id text,
  position bigint not null,
  image text,
   
  product_count bigint not null,
  created_at bigint not null,
  updated_at bigint not null, version bigint not null default 1,
  primary key (merchant_id, id),
  unique (merchant_id, slug),
  foreign key (merchant_id, parent_id) references categories (merchant_id, id)
);
CREATE TABLE products (
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
  updated_at bigint not null, version bigint not null default 1, archived_at bigint, folded text, description_html text, brand text, maker text, warnings text not null default '[]', guarantee text, withdrawal_exempt text, digital bigint not null default 0,
  primary key (merchant_id, id),
  unique (merchant_id, slug)
);
CREATE TABLE product_categories (
  merchant_id text not null,
  category_id text not null,
  product_id text not null,
  position bigint not null,
  primary key (merchant_id, product_id, category_id),
  foreign key (merchant_id, category_id) references categories (merchant_id, id),
  foreign key (merchant_id, product_id) references products (merchant_id, id)
);
CREATE INDEX product_categories_by_category on product_categories (merchant_id, category_id, product_id);
CREATE TABLE skus (
  merchant_id text not null,
  id text not null,
  product_id text not null,
  code text not null,
  name text not null,
  options text not null,
  position bigint not null,
  price bigint not null check (price >= 0),
  compare_at_price bigint check (compare_at_price >= 0),
  when_sold_out text not null check (when_sold_out in ('refuse', 'backorder')),
  max_per_order bigint not null check (max_per_order between 1 and 999),
  delivery text not null check (delivery in ('shipped', 'digital')),
  weight_grams bigint check (weight_grams >= 0),
  tax_class text not null,
  image text,
  created_at bigint not null,
  updated_at bigint not null,
  retired_at bigint, folded text, counted bigint not null default 1, barcode text, prior_price bigint, measure text,
  primary key (merchant_id, id),
  unique (merchant_id, code),
  foreign key (merchant_id, product_id) references products (merchant_id, id)
);
CREATE INDEX skus_by_product on skus (merchant_id, product_id, position);
CREATE TABLE tax_rates (
  merchant_id text not null references merchants (id),
  country text not null,
   
  region text not null,
  tax_class text not null,
  rate_bps bigint not null check (rate_bps between 0 and 10000),
  primary key (merchant_id, country, region, tax_class)
);
CREATE TABLE shipping_zones (
  merchant_id text not null references merchants (id),
  zone text not null,
  position bigint not null,
  countries text not null,
  options text not null,
  primary key (merchant_id, zone)
);
CREATE TABLE stock_movements (
  merchant_id text not null,
  sku_id text not null,
  id text not null,
  kind text not null check (kind in ('opening', 'set', 'sold', 'restocked')),
  delta bigint not null,
  backordered bigint not null default 0 check (backordered >= 0),
  owner_id text,
  at bigint not null, mode text not null, reason text, actor_kind text, actor_id text,
  primary key (merchant_id, sku_id, id),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
, constraint stock_movements_mode check (mode in ('test', 'live')));
CREATE INDEX stock_movements_by_owner on stock_movements (merchant_id, owner_id) where owner_id is not null;
CREATE TABLE promotions (
  merchant_id text not null references merchants (id),
  id text not null,
   
  code text not null,
  name text not null,
  type text not null check (type in ('percentage', 'fixed_amount', 'free_shipping')),
   
  value bigint not null check (value >= 0),
  currency text,
  minimum_subtotal bigint check (minimum_subtotal >= 0),
  starts_at bigint,
  ends_at bigint,
  usage_limit bigint check (usage_limit >= 0),
  customer_limit bigint check (customer_limit >= 1),
  used bigint not null check (used >= 0),
   
  categories text not null,
  sku_codes text not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint, test_used bigint not null default 0, test_version bigint not null default 1, edit_version bigint not null default 1,
  primary key (merchant_id, id),
  unique (merchant_id, code),
  check (usage_limit is null or used <= usage_limit)
, constraint promotions_test_used check (test_used >= 0));
CREATE TABLE carts (
  installation_id text not null references installations (id),
  id text not null,
  merchant_id text not null references merchants (id),
  version bigint not null check (version >= 1),
  status text not null check (status in ('open', 'locked', 'converted', 'expired')),
  currency text not null,
  promotion_id text,
  address_id text,
   
  shipping_option text,
  metadata text not null,
   
  guesses bigint not null default 0,
  guesses_since bigint not null default 0,
  checkout_session_id text,
  order_id text,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null, untold_since bigint, public_key_id text, terms text, vat text,
  primary key (installation_id, id),
  foreign key (merchant_id, promotion_id) references promotions (merchant_id, id)
);
CREATE INDEX carts_by_end on carts (expires_at) where status = 'open';
CREATE TABLE cart_lines (
  installation_id text not null,
  cart_id text not null,
  sku_id text not null,
  merchant_id text not null,
   
  position bigint not null,
  quantity bigint not null check (quantity between 1 and 999),
   
  seen_price bigint not null check (seen_price >= 0), own_price bigint,
  primary key (installation_id, cart_id, sku_id),
  foreign key (installation_id, cart_id) references carts (installation_id, id),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
);
CREATE TABLE addresses (
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
CREATE INDEX addresses_by_end on addresses (expires_at) where row_key is not null;
CREATE TABLE idempotency_keys (
  installation_id text not null,
  key text not null,
  fingerprint text not null,
   
  answer text,
  created_at bigint not null,
  primary key (installation_id, key)
);
CREATE INDEX idempotency_keys_by_age on idempotency_keys (created_at);
CREATE TABLE events (
  installation_id text not null,
  id text not null,
  type text not null,
  subject_type text not null,
  subject_id text not null,
   
  sequence bigint not null,
  body text not null,
  occurred_at bigint not null,
  primary key (installation_id, id),
  unique (installation_id, subject_type, subject_id, sequence)
);
CREATE TABLE checkout_sessions (
  installation_id text not null references installations (id),
  id text not null,
  merchant_id text not null references merchants (id),
  cart_id text not null,
  version bigint not null check (version >= 1),
  status text not null check (status in ('open', 'processing', 'completed', 'cancelled', 'expired')),
   
   
  secret_hash text not null unique,
  secret_sealed text not null,
  success_url text not null,
  cancel_url text,
  locale text not null,
   
  customer_sealed text,
  email_masked text,
   
  email_hash text,
  client_reference_id text,
  metadata text not null,
  hold_expires_at bigint,
   
   
  quote text,
  cancellation text,
  last_payment_error text,
  order_id text,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null,
  completed_at bigint,
  cancelled_at bigint, continued_by text, holds_later bigint not null default 0, holds_whole bigint not null default 0,
  primary key (installation_id, id),
  foreign key (installation_id, cart_id) references carts (installation_id, id)
);
CREATE UNIQUE INDEX checkout_sessions_of_cart on checkout_sessions (installation_id, cart_id)
  where status in ('open', 'processing');
CREATE INDEX checkout_sessions_by_end on checkout_sessions (expires_at) where status = 'open';
CREATE TABLE payments (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  checkout_session_id text not null,
  order_id text,
  provider text not null,
  method text not null,
  amount bigint not null check (amount >= 0),
  currency text not null,
   
  status text not null check (status in ('processing', 'challenge', 'pending', 'succeeded', 'declined', 'voided')),
   
  reference text,
  challenge text,
  brand text,
  last4 text,
  error_code text,
  created_at bigint not null,
  updated_at bigint not null,
   
  check_at bigint,
  checks bigint not null default 0, tried_as text, closed_by_hand_at bigint, place_sealed text, place_until bigint, settles text, looked_at bigint, account_id text, noticed_at bigint, locale text, collected bigint not null default 0, given_back bigint not null default 0, looks bigint not null default 0, looking_until bigint, looks_wanted bigint not null default 0, tried_at bigint, instrument text, moved_from text, changes_order text,
  primary key (installation_id, id)
);
CREATE INDEX payments_to_check on payments (check_at) where check_at is not null;
CREATE INDEX payments_of_session on payments (installation_id, checkout_session_id);
CREATE INDEX payments_of_order on payments (installation_id, order_id) where order_id is not null;
CREATE TABLE orders (
  installation_id text not null references installations (id),
  id text not null,
  merchant_id text not null references merchants (id),
  number text not null,
  version bigint not null check (version >= 1),
  status text not null check (status in ('placed', 'processing', 'completed', 'cancelled')),
  payment_status text not null
    check (payment_status in ('pending', 'paid', 'partially_refunded', 'refunding', 'refunded', 'voided')),
  fulfillment_status text not null check (fulfillment_status in ('unfulfilled', 'partially_fulfilled', 'fulfilled')),
  currency text not null,
  subtotal bigint not null check (subtotal >= 0),
  discount bigint not null check (discount >= 0),
  shipping bigint not null check (shipping >= 0),
  shipping_tax bigint not null check (shipping_tax >= 0),
  tax bigint not null check (tax >= 0),
  price_tax text not null check (price_tax in ('included', 'excluded')),
  total bigint not null check (total >= 0),
   
  refunded bigint not null default 0 check (refunded >= 0),
  item_count bigint not null,
  promotion_id text,
   
  promotion text,
   
  shipping_choice text,
  address_id text,
  checkout_session_id text not null,
  cart_id text not null,
  client_reference_id text,
  customer_sealed text,
  email_masked text,
  email_hash text,
  locale text not null,
  metadata text not null,
   
  secret_hash text not null unique,
  secret_sealed text not null,
  cancellation text,
  placed_at bigint not null,
  updated_at bigint not null, mode text not null, payment_due_at bigint, shipping_tax_rate_bps bigint, indexed_at bigint, counted_version bigint not null default 0, counted_refunded bigint not null default 0, customer_id text, agent_platform_id text, agent_protocol text, agent_version text, agent_proof text, shipping_taxes text, consents text not null default '[]', words_version bigint not null default 0, vat text, tax_relief text, reduced bigint not null default 0,
  primary key (installation_id, id),
  unique (merchant_id, number),
   
  unique (installation_id, checkout_session_id),
  check (refunded <= total)
, constraint orders_mode check (mode in ('test', 'live')));
CREATE INDEX orders_newest on orders (installation_id, placed_at desc, id desc);
CREATE TABLE order_lines (
  installation_id text not null,
  order_id text not null,
  sku_id text not null,
  merchant_id text not null,
  position bigint not null,
  code text not null,
  product_slug text not null,
  name text not null,
  options text not null,
  image text,
  quantity bigint not null check (quantity >= 1),
  fulfilled bigint not null default 0 check (fulfilled >= 0),
  unit_price bigint not null check (unit_price >= 0),
  subtotal bigint not null check (subtotal >= 0),
  discount bigint not null check (discount >= 0),
  tax bigint not null check (tax >= 0),
  total bigint not null check (total >= 0), tax_rate_bps bigint, measure text, withdrawal_exempt text,
  primary key (installation_id, order_id, sku_id),
  foreign key (installation_id, order_id) references orders (installation_id, id),
  check (fulfilled <= quantity)
);
CREATE TABLE order_timeline (
  installation_id text not null,
  order_id text not null,
  position bigint not null,
  type text not null,
  at bigint not null,
  primary key (installation_id, order_id, position),
  foreign key (installation_id, order_id) references orders (installation_id, id)
);
CREATE TABLE fulfillments (
  installation_id text not null,
  order_id text not null,
  id text not null,
  carrier text,
  tracking_number text,
  items text not null,
  at bigint not null, tracking_url text,
  primary key (installation_id, order_id, id),
  foreign key (installation_id, order_id) references orders (installation_id, id)
);
CREATE TABLE refunds (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  order_id text,
  payment_id text not null,
   
  kind text not null check (kind in ('refund', 'void')),
  amount bigint not null check (amount >= 0),
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text,
  created_at bigint not null,
  updated_at bigint not null,
  try_at bigint,
  tries bigint not null default 0, replaced_by text, paid_by_hand_at bigint, refused_tries bigint not null default 0, asked_at bigint, pending_at bigint, origin text not null default 'here', reference text, edit_id text, moved_to text, part_of text,
  primary key (installation_id, id),
  foreign key (installation_id, payment_id) references payments (installation_id, id)
);
CREATE INDEX refunds_to_pay on refunds (try_at) where try_at is not null;
CREATE INDEX refunds_of_order on refunds (installation_id, order_id) where order_id is not null;
CREATE TABLE promotion_uses (
  merchant_id text not null,
  promotion_id text not null,
  order_id text not null,
  email_hash text,
  used_at bigint not null,
  given_back_at bigint, mode text not null,
  primary key (merchant_id, promotion_id, order_id),
  foreign key (merchant_id, promotion_id) references promotions (merchant_id, id)
, constraint promotion_uses_mode check (mode in ('test', 'live')));
CREATE INDEX promotion_uses_by_customer on promotion_uses (merchant_id, promotion_id, email_hash) where given_back_at is null;
CREATE TABLE test_charges (
   
  key text not null primary key,
  amount bigint not null check (amount >= 0),
  currency text not null,
  state text not null check (state in ('challenge', 'approved', 'declined', 'voided')),
   
  error_code text,
  brand text,
  card_last4 text check (card_last4 is null or length(card_last4) = 4),
   
  refund_answer text not null check (refund_answer in ('given', 'refused', 'lost')),
  refunded bigint not null default 0 check (refunded >= 0),
  created_at bigint not null,
  updated_at bigint not null,
  check (refunded <= amount)
);
CREATE TABLE test_refunds (
  key text not null primary key,
  charge_key text not null references test_charges (key),
  amount bigint not null check (amount >= 0),
  created_at bigint not null
);
CREATE INDEX test_refunds_of_charge on test_refunds (charge_key);
CREATE TABLE webhook_endpoints (
  installation_id text not null references installations (id),
  id text not null,
   
   
  slot text not null,
  url text not null,
  description text not null,
   
  events text not null,
  status text not null check (status in ('enabled', 'disabled', 'paused')),
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'operator')),
   
  version bigint not null check (version >= 1),
  secret_sealed text not null,
  secret_hint text not null,
   
  previous_sealed text,
  previous_expires_at bigint,
  last_success_at bigint,
  last_failure_at bigint,
   
  consecutive_failures bigint not null check (consecutive_failures >= 0),
  failing_since bigint,
   
  resting_until bigint,
  created_at bigint not null,
  updated_at bigint not null,
  ended_at bigint, credential_id text, platform_id text,
  primary key (installation_id, id)
);
CREATE UNIQUE INDEX webhook_endpoints_by_id on webhook_endpoints (id);
CREATE UNIQUE INDEX webhook_endpoints_slot on webhook_endpoints (installation_id, slot) where ended_at is null;
CREATE TABLE webhook_deliveries (
  installation_id text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  subject_id text not null,
   
  sequence bigint not null,
   
   
  status text not null check (status in
    ('pending', 'sending', 'retrying', 'succeeded', 'failed', 'blocked', 'discarded')),
   
  attempts bigint not null check (attempts >= 0),
   
  due_at bigint,
   
  lease_id text,
  lease_expires_at bigint,
  replay_of text,
  replay_reason text,
  last_started_at bigint,
  last_took_ms bigint,
  last_status_code bigint,
  last_error text,
   
  last_answer text,
  created_at bigint not null,
  finished_at bigint,
  primary key (installation_id, id),
  foreign key (installation_id, endpoint_id) references webhook_endpoints (installation_id, id),
  foreign key (installation_id, event_id) references events (installation_id, id),
  check ((status = 'sending') = (lease_id is not null)),
  check ((status in ('pending', 'retrying')) = (due_at is not null)),
  check ((status in ('succeeded', 'failed', 'blocked', 'discarded')) = (finished_at is not null))
);
CREATE INDEX webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id)
  where status in ('pending', 'retrying');
CREATE INDEX webhook_deliveries_open on webhook_deliveries (installation_id, endpoint_id, subject_id, sequence)
  where status in ('pending', 'sending', 'retrying');
CREATE INDEX webhook_deliveries_sending on webhook_deliveries (endpoint_id, lease_expires_at) where status = 'sending';
CREATE INDEX webhook_deliveries_newest on webhook_deliveries (installation_id, endpoint_id, id);
CREATE UNIQUE INDEX webhook_deliveries_once on webhook_deliveries (installation_id, event_id, endpoint_id)
  where replay_of is null;
CREATE UNIQUE INDEX webhook_deliveries_replay on webhook_deliveries (installation_id, replay_of)
  where replay_of is not null and status in ('pending', 'sending', 'retrying');
CREATE INDEX webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null;
CREATE TABLE webhook_attempts (
  installation_id text not null,
  delivery_id text not null,
  lease_id text not null,
  attempt bigint not null,
  started_at bigint not null,
  took_ms bigint not null,
  status_code bigint,
   
  error text not null,
   
  answer text,
  primary key (installation_id, delivery_id, lease_id),
  foreign key (installation_id, delivery_id) references webhook_deliveries (installation_id, id) on delete cascade
);
CREATE INDEX events_with_text on events (occurred_at) where body <> '';
CREATE TABLE apps (
  id text not null primary key,
  name text not null unique,
  description text not null,
   
  client_kind text not null check (client_kind in ('public', 'confidential')),
   
  jwks text,
   
  redirect_uris text not null,
  scopes text not null,
   
  mode text not null check (mode in ('test', 'live')),
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint, declared_by text, client_uri text,
  check ((client_kind = 'confidential') = (jwks is not null))
);
CREATE TABLE users (
  id text not null primary key,
  email_hash text not null unique,
  email_sealed text not null,
  password_hash text not null,
   
  sessions_from bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint
, email_unproved bigint not null default 0, name_sealed text, language text);
CREATE TABLE user_merchants (
  user_id text not null references users (id),
  merchant_id text not null references merchants (id),
  created_at bigint not null, role text not null default 'owner', scopes text,
  primary key (user_id, merchant_id)
, constraint user_merchants_role check (role in ('owner', 'staff', 'viewer')));
CREATE INDEX user_merchants_by_merchant on user_merchants (merchant_id, user_id);
CREATE TABLE oauth_artifacts (
  kind text not null,
  id text not null,
  sealed text not null,
  grant_id text,
  uid text,
  consumed_at bigint,
  expires_at bigint,
  created_at bigint not null, consumed_by text,
  primary key (kind, id)
);
CREATE INDEX oauth_artifacts_by_grant on oauth_artifacts (grant_id) where grant_id is not null;
CREATE UNIQUE INDEX oauth_artifacts_by_uid on oauth_artifacts (kind, uid) where uid is not null;
CREATE INDEX oauth_artifacts_by_end on oauth_artifacts (expires_at) where expires_at is not null;
CREATE UNIQUE INDEX installations_by_grant on installations (grant_id) where grant_id is not null;
CREATE TABLE holds (
  merchant_id text not null,
  sku_id text not null,
  owner_id text not null,
  quantity bigint not null check (quantity > 0),
  expires_at bigint not null, mode text not null,
  primary key (owner_id, merchant_id, sku_id),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
, constraint holds_mode check (mode in ('test', 'live')));
CREATE INDEX holds_by_end on holds (expires_at);
CREATE TABLE deferred_rows (
  loop text not null,
  tenant_id text not null,
  row_id text not null,
  failures bigint not null,
  wait_ms bigint not null,
  retry_at bigint not null,
  failed_at bigint not null,
   
  error_code text not null,
  primary key (tenant_id, loop, row_id)
);
CREATE INDEX installations_to_end on installations (sessions_end_at) where sessions_end_at is not null;
CREATE TABLE database_keys (
  name text not null primary key,
  sealed text not null,
  created_at bigint not null
);
CREATE INDEX refunds_failed on refunds (created_at) where status = 'failed' and replaced_by is null;
CREATE INDEX refunds_of_payment on refunds (installation_id, payment_id);
CREATE TABLE manual_methods (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  method text not null,
   
  instructions text,
   
  term_days bigint check (term_days between 1 and 365),
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint,
  primary key (merchant_id, mode, method)
);
CREATE TABLE order_numbers (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  last bigint not null,
  primary key (merchant_id, mode)
);
CREATE INDEX holds_by_sku on holds (merchant_id, sku_id, mode, expires_at);
CREATE TABLE stock (
  merchant_id text not null,
  sku_id text not null,
  mode text not null check (mode in ('test', 'live')),
   
  on_hand bigint not null check (on_hand >= 0),
   
  held bigint not null check (held >= 0),
   
  version bigint not null check (version >= 0),
  primary key (merchant_id, sku_id, mode),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
);
CREATE TABLE listed_products (
  merchant_id text not null,
  mode text not null check (mode in ('test', 'live')),
  product_id text not null,
  slug text not null,
  published_at bigint not null,
  list_row text not null,
  detail text not null,
  public_detail text not null,
  etag text not null,
  revision text not null,
  stale_at bigint,
  primary key (merchant_id, mode, slug),
  unique (merchant_id, mode, product_id),
  foreign key (merchant_id, product_id) references products (merchant_id, id)
);
CREATE INDEX listed_products_newest on listed_products (merchant_id, mode, published_at desc, product_id);
CREATE INDEX listed_products_stale on listed_products (stale_at) where stale_at is not null;
CREATE INDEX installations_live on installations (merchant_id) where mode = 'live' and disabled_at is null;
CREATE TABLE sweeps (
  name text not null primary key,
  at bigint not null
);
CREATE INDEX checkout_sessions_to_erase on checkout_sessions (updated_at)
  where status not in ('open', 'processing', 'completed') and customer_sealed is not null;
CREATE INDEX checkout_sessions_without_order on checkout_sessions (updated_at) where status in ('cancelled', 'expired');
CREATE INDEX checkout_sessions_completed on checkout_sessions (updated_at) where status = 'completed';
CREATE INDEX checkout_sessions_by_cart on checkout_sessions (installation_id, cart_id);
CREATE INDEX carts_expired on carts (updated_at) where status = 'expired';
CREATE INDEX carts_converted on carts (updated_at) where status = 'converted';
CREATE INDEX events_without_text on events (occurred_at) where body = '';
CREATE INDEX webhook_deliveries_by_event on webhook_deliveries (event_id, installation_id);
CREATE INDEX credentials_revoked on credentials (revoked_at) where revoked_at is not null;
CREATE INDEX credentials_expiring on credentials (expires_at) where expires_at is not null;
CREATE TABLE root_secrets (
  version bigint not null primary key,
  check_value text not null,
  created_at bigint not null,
   
  used_at bigint
);
CREATE INDEX orders_unpaid_by_term on orders (payment_due_at)
  where payment_status = 'pending' and status = 'placed' and payment_due_at is not null;
CREATE INDEX orders_of_merchant on orders (merchant_id, mode, placed_at desc, id desc);
CREATE TABLE payment_tries (
  installation_id text not null,
  subject text not null,
   
  forgiven_at bigint not null,
  tried_at bigint not null,
  primary key (installation_id, subject)
);
CREATE INDEX payment_tries_forgiven on payment_tries (forgiven_at);
CREATE INDEX carts_untold on carts (untold_since) where untold_since is not null;
CREATE TABLE sign_in_limits (
  bucket text not null primary key,
  full_at bigint not null
);
CREATE INDEX sign_in_limits_by_end on sign_in_limits (full_at);
CREATE TABLE forgotten_root_secrets (
  version bigint not null primary key,
  forgotten_at bigint not null
);
CREATE TABLE forgotten_texts (
  installation_id text not null,
  event_id text not null,
  occurred_at bigint not null,
  primary key (installation_id, event_id)
);
CREATE INDEX forgotten_texts_by_age on forgotten_texts (occurred_at, event_id);
CREATE TABLE payment_accounts (
  merchant_id text not null,
  id text not null,
  mode text not null,
  provider text not null,
  public text not null,
  secrets_sealed text not null,
   
  previous_sealed text,
  previous_until bigint,
   
  seen_until bigint,
  ended_at bigint,
  created_at bigint not null,
  updated_at bigint not null, news_at bigint,
  primary key (merchant_id, id)
);
CREATE UNIQUE INDEX payment_accounts_living on payment_accounts (merchant_id, mode, provider) where ended_at is null;
CREATE UNIQUE INDEX payment_accounts_by_id on payment_accounts (id);
CREATE INDEX payments_by_reference on payments (merchant_id, account_id, reference) where account_id is not null;
CREATE INDEX payment_accounts_news on payment_accounts (news_at);
CREATE TABLE emails (
   
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  kind text not null,
   
  subject_id text not null,
  order_id text,
  facts text not null,
   
  recipient_hash text,
  status text not null,
  attempts bigint not null,
   
  due_at bigint,
  lease_id text,
  message_id text,
  address_masked text,
   
  code text,
  created_at bigint not null,
  finished_at bigint, sealed text,
  primary key (installation_id, id)
);
CREATE UNIQUE INDEX emails_of_fact on emails (installation_id, kind, subject_id);
CREATE INDEX emails_due on emails (due_at) where due_at is not null;
CREATE INDEX emails_of_recipient on emails (merchant_id, recipient_hash, created_at);
CREATE INDEX emails_of_merchant on emails (merchant_id, created_at, id);
CREATE INDEX emails_of_order on emails (installation_id, order_id);
CREATE INDEX emails_by_age on emails (created_at);
CREATE TABLE mail_settings (
  merchant_id text not null primary key,
  sender_name text,
  reply_to text,
  locale text,
  kinds_off text not null,
  updated_at bigint not null
);
CREATE TABLE mail_switch (
  id text not null primary key,
  is_on bigint not null,
  changed_at bigint not null
);
CREATE UNIQUE INDEX refunds_by_reference on refunds (installation_id, payment_id, reference) where reference is not null;
CREATE TABLE disputes (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  payment_id text not null,
   
  reference text not null,
  amount bigint not null check (amount >= 0),
  currency text not null,
  status text not null check (status in ('open', 'won', 'lost')),
   
  reason text,
   
  due_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (installation_id, id),
  foreign key (installation_id, payment_id) references payments (installation_id, id)
);
CREATE UNIQUE INDEX disputes_of_payment on disputes (installation_id, payment_id, reference);
CREATE INDEX disputes_open on disputes (created_at) where status = 'open';
CREATE TABLE user_sessions (
  id text not null primary key,
  user_id text not null references users (id),
  token_hash text not null unique,
   
  browser text not null,
  has_second_factor bigint not null,
  created_at bigint not null,
  seen_at bigint not null,
   
  confirmed_at bigint not null,
  expires_at bigint not null
);
CREATE INDEX user_sessions_of_user on user_sessions (user_id, created_at);
CREATE INDEX user_sessions_by_end on user_sessions (expires_at);
CREATE TABLE user_factors (
  user_id text not null references users (id),
  id text not null,
  kind text not null check (kind in ('totp', 'recovery')),
   
  secret_sealed text,
   
  last_step bigint not null,
   
  code_hash text,
  created_at bigint not null,
  primary key (user_id, id)
);
CREATE UNIQUE INDEX user_factors_totp on user_factors (user_id) where kind = 'totp';
CREATE UNIQUE INDEX user_factors_by_code on user_factors (user_id, code_hash) where code_hash is not null;
CREATE TABLE user_passkeys (
  user_id text not null references users (id),
   
  id text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  name text not null,
  created_at bigint not null,
  used_at bigint,
  primary key (user_id, id)
);
CREATE UNIQUE INDEX user_passkeys_by_id on user_passkeys (id);
CREATE TABLE invitations (
  id text not null primary key,
  kind text not null check (kind in ('invitation', 'password_reset')),
  token_hash text not null unique,
   
  merchant_id text references merchants (id),
   
  user_id text references users (id),
   
  email_hash text,
  email_sealed text,
  role text,
   
  created_by text,
  created_at bigint not null,
  expires_at bigint not null
, is_mailed bigint not null default 0, scopes text);
CREATE INDEX invitations_of_merchant on invitations (merchant_id, created_at);
CREATE INDEX invitations_of_user on invitations (user_id);
CREATE INDEX invitations_by_end on invitations (expires_at);
CREATE TABLE audit_entries (
  merchant_id text not null,
  id text not null,
   
  mode text,
  actor_kind text not null,
   
  actor_id text,
  operation text not null,
  request_id text,
  changes text not null,
   
  undoes text,
  at bigint not null, large_bytes bigint, cut_count bigint,
  primary key (merchant_id, id)
);
CREATE UNIQUE INDEX audit_entries_undoing on audit_entries (merchant_id, undoes);
CREATE INDEX audit_entries_by_actor on audit_entries (merchant_id, actor_id, id);
CREATE INDEX audit_entries_by_operation on audit_entries (merchant_id, operation, id);
CREATE INDEX audit_entries_by_age on audit_entries (at);
CREATE TABLE audit_subjects (
  merchant_id text not null,
  subject_id text not null,
  entry_id text not null,
  primary key (merchant_id, subject_id, entry_id)
);
CREATE INDEX audit_subjects_of_entry on audit_subjects (merchant_id, entry_id);
CREATE TABLE pictures (
  merchant_id text not null references merchants (id),
   
  hash text not null,
  picture_id text not null,
  kind text not null,
  width bigint not null,
  height bigint not null,
  bytes bigint not null,
   
  content text,
  created_at bigint not null, copied_at bigint, copy_problem text, copy_failures bigint not null default 0, copying_until bigint, color text,
  primary key (merchant_id, hash)
);
CREATE INDEX pictures_of_picture on pictures (merchant_id, picture_id, width, hash);
CREATE INDEX pictures_to_store on pictures (created_at) where content is not null;
CREATE TABLE order_notes (
  installation_id text not null,
  order_id text not null,
  id text not null,
  merchant_id text not null,
  text text not null,
  actor_kind text not null,
  actor_id text,
  at bigint not null,
  primary key (installation_id, order_id, id)
);
CREATE TABLE refund_lines (
  installation_id text not null,
  order_id text not null,
  refund_id text not null,
  sku_id text not null,
  quantity bigint not null,
  amount bigint not null,
  primary key (installation_id, order_id, refund_id, sku_id)
);
CREATE INDEX orders_to_send on orders (merchant_id, mode, placed_at desc, id desc)
  where status in ('placed', 'processing') and payment_status in ('pending', 'paid', 'partially_refunded');
CREATE INDEX orders_awaited on orders (merchant_id, mode, placed_at desc, id desc) where payment_status = 'pending';
CREATE INDEX orders_cancelled on orders (merchant_id, mode, placed_at desc, id desc) where status = 'cancelled';
CREATE TABLE search_tokens (
  merchant_id text not null,
  mode text not null,
  token text not null,
  installation_id text not null,
  order_id text not null,
  primary key (merchant_id, mode, token, order_id)
);
CREATE INDEX search_tokens_of_order on search_tokens (installation_id, order_id);
CREATE INDEX orders_not_indexed on orders (placed_at) where indexed_at is null;
CREATE INDEX fulfillments_by_tracking on fulfillments (installation_id, tracking_number)
  where tracking_number is not null;
CREATE INDEX refunds_failed_of_merchant on refunds (merchant_id) where status = 'failed' and replaced_by is null;
CREATE INDEX disputes_open_of_merchant on disputes (merchant_id) where status = 'open';
CREATE INDEX stock_free on stock (merchant_id, mode, (on_hand - held), sku_id);
CREATE INDEX stock_movements_newest on stock_movements (merchant_id, sku_id, mode, at desc, id desc);
CREATE TABLE sales_days (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
   
  day text not null,
   
  part text not null check (part in ('all', 'product', 'promotion', 'country')),
   
  key text not null,
  currency text not null,
  name text not null,
  orders bigint not null,
  items bigint not null,
  subtotal bigint not null,
  discount bigint not null,
  shipping bigint not null,
  tax bigint not null,
  total bigint not null,
  refunded bigint not null,
   
  unpaid bigint not null, has_month bigint not null default 0, refunded_tax bigint not null default 0,
  primary key (merchant_id, mode, part, day, key, currency)
);
CREATE INDEX orders_to_count on orders (placed_at, id) where counted_version <> version or counted_refunded <> refunded;
CREATE TABLE transfers (
  merchant_id text not null references merchants (id),
  id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in ('products', 'stock')),
   
  name text not null,
  state text not null check (state in ('receiving', 'planning', 'ready', 'writing', 'done', 'failed', 'discarded')),
  pieces bigint not null,
  received bigint not null,
   
  run text,
  run_until bigint,
   
  created bigint not null,
  changed bigint not null,
  unchanged bigint not null,
  refused bigint not null,
  changes_count bigint not null,
  changes text not null,
  refusals text not null,
  notes text not null,
   
  problem text,
   
  position bigint not null,
  written bigint not null,
   
  actor_kind text,
  actor_id text,
  request_id text,
  created_at bigint not null,
  updated_at bigint not null, interruptions bigint not null default 0, file_columns text, assigned text,
  primary key (merchant_id, id)
);
CREATE INDEX transfers_to_do on transfers (updated_at) where state in ('planning', 'writing', 'discarded');
CREATE INDEX transfers_by_age on transfers (updated_at);
CREATE TABLE transfer_pieces (
  merchant_id text not null,
  transfer_id text not null,
  piece bigint not null,
  text text not null,
  primary key (merchant_id, transfer_id, piece)
);
CREATE TABLE transfer_items (
  merchant_id text not null,
  transfer_id text not null,
  position bigint not null,
  line bigint not null,
  name text not null,
  item text not null,
  primary key (merchant_id, transfer_id, position)
);
CREATE TABLE passkey_challenges (
  challenge_hash text not null primary key,
  bound_to text not null,
  expires_at bigint not null
);
CREATE INDEX passkey_challenges_by_end on passkey_challenges (expires_at);
CREATE TABLE sales_recounts (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
   
  day text not null,
  primary key (merchant_id, mode)
);
CREATE INDEX products_not_folded on products (merchant_id, id) where folded is null;
CREATE INDEX skus_not_folded on skus (merchant_id, id) where folded is null;
CREATE INDEX webhook_endpoints_by_credential on webhook_endpoints (credential_id) where credential_id is not null;
CREATE TABLE product_index (
  merchant_id text not null,
  product_id text not null,
   
  version bigint not null,
   
  doc bigint,
   
  terms_hash text not null default '',
  published_at bigint not null,
  price_min bigint not null,
  price_max bigint not null,
  live_in_stock bigint not null check (live_in_stock in (0, 1)),
  test_in_stock bigint not null check (test_in_stock in (0, 1)),
   
  name_key text not null,
  facets text not null,
  fields text not null, changed bigint not null default 0,
  primary key (merchant_id, product_id)
);
CREATE INDEX product_index_doc on product_index (doc);
CREATE VIRTUAL TABLE product_index_words using fts5(words, content='', contentless_delete=1, detail='none', tokenize='ascii');
CREATE TABLE product_words (
  merchant_id text not null,
  word text not null,
  head text not null,
  tail text not null,
  primary key (merchant_id, word)
);
CREATE INDEX product_words_head on product_words (merchant_id, head);
CREATE INDEX product_words_tail on product_words (merchant_id, tail);
CREATE INDEX products_listed on products (merchant_id, updated_at desc, id desc, folded, slug);
CREATE INDEX skus_found on skus (merchant_id, folded, product_id);
CREATE INDEX product_index_changed on product_index (merchant_id, changed, product_id);
CREATE TABLE sales_months (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
   
  month text not null,
  part text not null check (part in ('product', 'promotion', 'country')),
  key text not null,
  currency text not null,
  name text not null,
  orders bigint not null,
  items bigint not null,
  subtotal bigint not null,
  discount bigint not null,
  shipping bigint not null,
  tax bigint not null,
  total bigint not null,
  refunded bigint not null,
  unpaid bigint not null, refunded_tax bigint not null default 0,
  primary key (merchant_id, mode, part, month, key, currency)
);
CREATE TABLE sales_summed_months (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  month text not null,
   
  days bigint,
  primary key (merchant_id, mode, month)
);
CREATE INDEX sales_months_due on sales_summed_months (month) where days is null;
CREATE TABLE key_origins (
  installation_id text not null,
  credential_id text not null,
  origin text not null,
  primary key (installation_id, credential_id, origin)
);
CREATE INDEX key_origins_by_origin on key_origins (origin);
CREATE TABLE payment_labels (
  installation_id text not null,
  payment_id text not null,
  due_at bigint not null,
  tries bigint not null default 0,
  created_at bigint not null,
  constraint payment_labels_pkey primary key (installation_id, payment_id)
);
CREATE INDEX payment_labels_due on payment_labels (due_at);
CREATE INDEX credentials_made_by on credentials (made_by) where made_by is not null;
CREATE INDEX audit_entries_large on audit_entries (merchant_id, id, large_bytes) where large_bytes is not null;
CREATE INDEX products_branded on products (merchant_id, brand, archived_at) where brand is not null;
CREATE TABLE payment_account_problems (
  merchant_id text not null,
  account_id text not null,
  kind text not null,
  since bigint not null,
  seen_at bigint not null,
  primary key (merchant_id, account_id, kind)
);
CREATE TABLE sites (
  merchant_id text not null,
  mode text not null,
  installation_id text not null,
   
  opened_at bigint,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, mode)
);
CREATE TABLE documents (
  merchant_id text not null references merchants (id),
  id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in ('invoice', 'credit_note')),
   
  cause text not null check (cause in ('order_paid', 'refund_paid', 'refund_failed')),
  cause_id text not null,
  installation_id text not null,
  order_id text not null,
  number text not null,
   
  day text not null,
  supply_day text not null,
  currency text not null,
  net bigint not null,
  tax bigint not null,
  total bigint not null,
   
  country text not null,
   
  content text not null,
   
  buyer_sealed text,
  issued_at bigint not null,
  primary key (merchant_id, id)
);
CREATE UNIQUE INDEX documents_of_cause on documents (merchant_id, cause, cause_id);
CREATE UNIQUE INDEX documents_by_number on documents (merchant_id, mode, kind, number);
CREATE INDEX documents_by_time on documents (merchant_id, mode, issued_at, id);
CREATE INDEX documents_of_order on documents (merchant_id, order_id);
CREATE TABLE document_rates (
  merchant_id text not null,
  document_id text not null,
   
  rate bigint not null,
   
  reason text not null,
  net bigint not null,
  tax bigint not null,
  total bigint not null,
  primary key (merchant_id, document_id, rate, reason)
);
CREATE TABLE document_numbers (
  merchant_id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in ('invoice', 'credit_note')),
  period text not null,
  last bigint not null,
  primary key (merchant_id, mode, kind, period)
);
CREATE TABLE document_causes (
  merchant_id text not null,
  cause text not null check (cause in ('order_paid', 'refund_paid', 'refund_failed')),
  cause_id text not null,
  installation_id text not null,
  order_id text not null,
  mode text not null check (mode in ('test', 'live')),
  at bigint not null,
  primary key (merchant_id, cause, cause_id)
);
CREATE INDEX document_causes_by_time on document_causes (at, cause_id);
CREATE TABLE returns (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  mode text not null,
  order_id text not null,
  position bigint not null,
  version bigint not null,
  status text not null,
  reason text not null,
  wish text not null,
  opened_by text not null,
  note_sealed text,
  answer text,
  label_url text,
  requested_at bigint not null,
  updated_at bigint not null,
  primary key (installation_id, id)
);
CREATE UNIQUE INDEX returns_of_order on returns (installation_id, order_id, position);
CREATE UNIQUE INDEX returns_open on returns (installation_id, order_id) where status in ('requested', 'approved', 'received');
CREATE INDEX returns_of_merchant on returns (merchant_id, mode, requested_at desc, id desc);
CREATE INDEX returns_to_do on returns (merchant_id, mode, requested_at desc, id desc)
  where status in ('requested', 'approved', 'received');
CREATE TABLE return_lines (
  installation_id text not null,
  return_id text not null,
  sku_id text not null,
  order_id text not null,
  quantity bigint not null,
  received bigint not null default 0,
  restocked bigint not null default 0,
  primary key (installation_id, return_id, sku_id),
  constraint return_lines_received check (received >= 0 and received <= quantity),
  constraint return_lines_restocked check (restocked >= 0 and restocked <= received)
);
CREATE TABLE return_refunds (
  installation_id text not null,
  return_id text not null,
  refund_id text not null,
  primary key (installation_id, return_id, refund_id)
);
CREATE TABLE withdrawals (
  merchant_id text not null,
  mode text not null,
  id text not null,
   
  sealed text,
   
  order_number text,
   
  email_hash text,
   
  locale text not null,
  status text not null,
  outcome text,
  version bigint not null,
  received_at bigint not null,
  settled_at bigint, return_id text, return_due_at bigint,
  constraint withdrawals_pkey primary key (merchant_id, mode, id)
);
CREATE INDEX withdrawals_of_merchant on withdrawals (merchant_id, mode, received_at desc, id desc);
CREATE INDEX withdrawals_open on withdrawals (merchant_id, mode, received_at) where status = 'received';
CREATE INDEX withdrawals_by_age on withdrawals (received_at);
CREATE TABLE agent_settings (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
   
  level text not null check (level in ('off', 'browse', 'buy')),
   
  installation_id text not null references installations (id),
  version bigint not null,
  updated_at bigint not null, who text not null default 'approved', review_from bigint, order_webhooks bigint not null default 1,
  primary key (merchant_id, mode)
);
CREATE TABLE agent_platforms (
  installation_id text not null references installations (id),
  id text not null,
  merchant_id text not null,
  profile_url text not null,
  host text not null,
  first_seen_at bigint not null,
  last_seen_at bigint not null, status text not null default 'seen', version bigint not null default 1, credential_id text,
  primary key (installation_id, id)
);
CREATE UNIQUE INDEX agent_platforms_by_profile on agent_platforms (installation_id, profile_url);
CREATE INDEX agent_platforms_by_use on agent_platforms (last_seen_at);
CREATE TABLE agent_checkouts (
  installation_id text not null references installations (id),
  cart_id text not null,
  session_id text,
  merchant_id text not null,
  platform_id text not null,
  protocol text not null,
  version text not null,
   
  asked_sealed text,
   
  shown_total bigint,
  created_at bigint not null, proof text,
  primary key (installation_id, cart_id)
);
CREATE UNIQUE INDEX agent_checkouts_of_session on agent_checkouts (installation_id, session_id) where session_id is not null;
CREATE TABLE site_hosts (
  merchant_id text not null,
  host text not null,
  proof text not null,
   
  is_main bigint not null,
  proved_at bigint,
   
  check_at bigint,
  checked_at bigint,
   
  problem text,
  created_at bigint not null,
  primary key (merchant_id, host)
);
CREATE UNIQUE INDEX site_hosts_proved on site_hosts (host) where proved_at is not null;
CREATE INDEX site_hosts_due on site_hosts (check_at) where check_at is not null;
CREATE TABLE customer_codes (
  merchant_id text not null,
  id text not null,
  mode text not null,
  mailbox_hash text not null,
  network_hash text not null,
  email_sealed text not null,
  code_hash text not null,
  link_hash text not null,
  browser_hash text not null,
  tries bigint not null default 0,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint, is_known bigint not null default 0,
  primary key (merchant_id, id)
);
CREATE INDEX customer_codes_of_mailbox on customer_codes (merchant_id, mailbox_hash, created_at);
CREATE INDEX customer_codes_of_network on customer_codes (merchant_id, network_hash, created_at);
CREATE INDEX customer_codes_by_age on customer_codes (merchant_id, created_at);
CREATE INDEX customer_codes_of_browser on customer_codes (merchant_id, browser_hash);
CREATE TABLE customer_code_gates (
  merchant_id text not null,
  asked_at bigint not null,
  primary key (merchant_id)
);
CREATE TABLE customer_sessions (
  merchant_id text not null,
  id text not null,
  mode text not null,
  token_hash text not null,
  mailbox_hash text not null,
  email_sealed text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (merchant_id, id)
);
CREATE UNIQUE INDEX customer_sessions_by_token on customer_sessions (merchant_id, token_hash);
CREATE INDEX customer_sessions_of_mailbox on customer_sessions (merchant_id, mailbox_hash);
CREATE INDEX customer_sessions_by_end on customer_sessions (merchant_id, expires_at);
CREATE INDEX orders_of_customer on orders (merchant_id, mode, email_hash, placed_at desc, id desc) where email_hash is not null;
CREATE TABLE setup_links (
  id text not null primary key,
  token_hash text not null unique,
  created_at bigint not null,
  expires_at bigint not null
);
CREATE TABLE legal_texts (
  merchant_id text not null,
  kind text not null,
  language text not null,
  version bigint not null,
  text text not null,
  created_at bigint not null,
  constraint legal_texts_pkey primary key (merchant_id, kind, language, version)
);
CREATE TABLE site_pages (
  merchant_id text not null,
  slug text not null,
  title text not null,
   
  body text not null,
   
  description text not null,
   
  menu text not null,
  position bigint not null,
  is_published bigint not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, slug)
);
CREATE TABLE customers (
  merchant_id text not null,
  id text not null,
  mode text not null,
  email_hash text not null,
  last_order_at bigint not null,
  erase_asked_at bigint,
  primary key (merchant_id, id)
);
CREATE UNIQUE INDEX customers_by_hash on customers (merchant_id, mode, email_hash);
CREATE INDEX customers_by_order on customers (merchant_id, mode, last_order_at desc, id desc);
CREATE INDEX customers_to_erase on customers (merchant_id, erase_asked_at) where erase_asked_at is not null;
CREATE TABLE customer_notes (
  merchant_id text not null,
  customer_id text not null,
  id text not null,
  text text not null,
  actor_kind text not null,
  actor_id text,
  at bigint not null,
  primary key (merchant_id, customer_id, id)
);
CREATE INDEX orders_of_customer_record on orders (merchant_id, mode, customer_id, placed_at desc, id desc) where customer_id is not null;
CREATE INDEX orders_without_customer on orders (merchant_id, placed_at) where customer_id is null and email_hash is not null;
CREATE UNIQUE INDEX agent_platforms_by_key on agent_platforms (merchant_id, credential_id) where credential_id is not null;
CREATE TABLE agent_keys (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  kid text not null,
  public_jwk text not null,
  private_sealed text not null,
  created_at bigint not null,
  retired_at bigint,
  primary key (merchant_id, mode, kid)
);
CREATE TABLE price_history (
  merchant_id text not null,
  sku_id text not null,
  from_at bigint not null,
  price bigint not null,
   
  compare_at_price bigint,
  constraint price_history_pkey primary key (merchant_id, sku_id, from_at)
);
CREATE INDEX customer_codes_by_creation on customer_codes (created_at);
CREATE INDEX customer_sessions_by_expiry on customer_sessions (expires_at);
CREATE INDEX checkout_sessions_of_customer on checkout_sessions (installation_id, email_hash, id) where email_hash is not null;
CREATE TABLE drafts (
  merchant_id text not null,
  id text not null,
  mode text not null,
  installation_id text not null,
  session_id text not null,
  note text,
  created_at bigint not null, total bigint, version bigint not null default 1, emails bigint not null default 0, emailed_at bigint, changes_order text, return_id text,
  primary key (merchant_id, id)
);
CREATE INDEX drafts_by_age on drafts (merchant_id, mode, created_at desc, id desc);
CREATE UNIQUE INDEX drafts_of_session on drafts (merchant_id, installation_id, session_id);
CREATE TABLE site_contents (
  merchant_id text not null,
   
  home text,
  menus text,
   
  draft text,
  version bigint not null,
  updated_at bigint not null,
  primary key (merchant_id)
);
CREATE TABLE redirects (
  merchant_id text not null,
  id text not null,
   
  path text not null,
   
  target text,
   
  target_path text,
   
  cause text not null,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, path)
);
CREATE UNIQUE INDEX redirects_id on redirects (merchant_id, id);
CREATE INDEX redirects_target on redirects (merchant_id, target_path) where target_path is not null;
CREATE INDEX disputes_of_merchant on disputes (merchant_id, status);
CREATE TABLE money_by_hand (
  merchant_id text not null,
  order_id text not null,
  id text not null,
  amount bigint not null check (amount <> 0),
  at bigint not null,
  primary key (merchant_id, order_id, id)
);
CREATE UNIQUE INDEX apps_by_client_uri on apps (client_uri) where client_uri is not null;
CREATE INDEX orders_of_agents on orders (merchant_id, mode, placed_at desc, id desc) where agent_platform_id is not null;
CREATE INDEX withdrawals_to_return on withdrawals (merchant_id, return_due_at) where return_due_at is not null;
CREATE TABLE makers (
  merchant_id text not null,
  id text not null,
  slug text not null,
  name text not null,
   
  address text not null,
  country text not null,
   
  contact text not null,
   
  responsible text,
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, id)
);
CREATE UNIQUE INDEX makers_slug on makers (merchant_id, slug);
CREATE INDEX products_maker on products (merchant_id, maker) where maker is not null;
CREATE INDEX orders_without_words on orders (placed_at) where words_version < 2;
CREATE INDEX order_lines_of_code on order_lines (merchant_id, code, order_id);
CREATE TABLE order_edits (
  merchant_id text not null,
  id text not null,
  mode text not null check (mode in ('test', 'live')),
  installation_id text not null,
  order_id text not null,
   
  total_before bigint not null,
  total_after bigint not null,
   
  parts text not null,
  created_at bigint not null,
  primary key (merchant_id, id)
);
CREATE INDEX order_edits_of_order on order_edits (merchant_id, order_id, created_at, id);
CREATE TABLE return_exchanges (
  merchant_id text not null,
  order_id text not null,
  installation_id text not null,
  return_id text not null,
  refund_id text not null,
  credit bigint not null,
  refunded bigint not null,
  created_at bigint not null, paid bigint not null default 0,
  primary key (merchant_id, order_id)
);
CREATE INDEX return_exchanges_of_return on return_exchanges (merchant_id, return_id, created_at);
CREATE INDEX payments_moved on payments (installation_id, moved_from) where moved_from is not null;
CREATE TABLE assigned_columns (
  merchant_id text not null,
  header_digest text not null,
  assigned text not null,
  used_at bigint not null,
  primary key (merchant_id, header_digest)
);
CREATE TABLE picture_copies (
  merchant_id text not null references merchants (id),
   
  hash text not null,
  kind text not null,
  width bigint not null,
  bytes bigint not null,
  primary key (merchant_id, hash, kind, width)
);
CREATE INDEX pictures_to_copy on pictures (created_at) where copied_at is null;
CREATE INDEX drafts_of_order on drafts (merchant_id, changes_order) where changes_order is not null;
CREATE TABLE customer_browsers (
  merchant_id text not null,
  mailbox_hash text not null,
  browser_hash text not null,
  proved_at bigint not null,
  primary key (merchant_id, mailbox_hash, browser_hash)
);
CREATE INDEX customer_browsers_by_proof on customer_browsers (proved_at);
CREATE TABLE customer_addresses (
  merchant_id text not null,
  id text not null,
  mode text not null,
  email_hash text not null,
  sealed text not null,
  chosen_at bigint not null,
  created_at bigint not null,
  primary key (merchant_id, id)
);
CREATE INDEX customer_addresses_of_customer on customer_addresses (merchant_id, mode, email_hash);
CREATE INDEX drafts_of_return on drafts (merchant_id, return_id) where return_id is not null;
CREATE TABLE remote_pictures (
  merchant_id text not null references merchants (id),
   
  address_hash text not null,
  product_id text not null,
  address text not null,
   
  path text,
   
  problem text,
  failures bigint not null default 0,
   
  due_at bigint,
  created_at bigint not null,
  primary key (merchant_id, address_hash, product_id)
);
CREATE INDEX remote_pictures_due on remote_pictures (due_at) where due_at is not null;
CREATE INDEX remote_pictures_of_product on remote_pictures (merchant_id, product_id);
CREATE TABLE merchant_moves (
  merchant_id text not null primary key,
  slug text not null,
  state text not null check (state in ('leaving', 'arriving', 'gone')),
   
  origin text,
  changed_at bigint not null
);
CREATE INDEX merchant_moves_gone on merchant_moves (changed_at) where state = 'gone';
CREATE TABLE moved_names (
  merchant_id text not null,
  kind text not null check (kind in ('key', 'checkout', 'order')),
  name text not null,
  primary key (kind, name, merchant_id)
);
CREATE INDEX moved_names_of_merchant on moved_names (merchant_id);
CREATE TABLE customer_passkeys (
  merchant_id text not null,
  mode text not null,
  id text not null,
  email_hash text not null,
  email_sealed text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  created_at bigint not null,
  used_at bigint,
  primary key (merchant_id, mode, id)
);
CREATE INDEX customer_passkeys_of_customer on customer_passkeys (merchant_id, mode, email_hash);
