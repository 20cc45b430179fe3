-- From a session to a paid order and back: hosted sessions, payments that are recorded before anyone is asked for money,
-- orders with their lines, and what is owed to shoppers.

-- Orders are numbered per merchant.
alter table merchants add column last_order_number bigint not null default 1000;

create table checkout_sessions (
  installation_id text not null references installations (id),
  id text not null,
  merchant_id text not null references merchants (id),
  cart_id text not null,
  version bigint not null check (version >= 1),
  status text not null check (status in ('open', 'processing', 'completed', 'cancelled', 'expired')),
  -- The page is found by the hash of the secret in its address; the secret itself is sealed, to be shown again while the
  -- session is open.
  secret_hash text not null unique,
  secret_sealed text not null,
  success_url text not null,
  cancel_url text,
  locale text not null,
  -- E-mail, name and phone as sealed JSON; the masked e-mail may be seen.
  customer_sealed text,
  email_masked text,
  -- Keyed hash of the normalised e-mail, for limits per customer.
  email_hash text,
  client_reference_id text,
  metadata text not null,
  hold_expires_at bigint,
  -- What is being charged, line by line, while a payment is under way: the order is placed from this, whatever the catalog
  -- says by then.
  quote text,
  cancellation text,
  last_payment_error text,
  order_id text,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint not null,
  completed_at bigint,
  cancelled_at bigint,
  primary key (installation_id, id),
  foreign key (installation_id, cart_id) references carts (installation_id, id)
);
-- A cart has one session that is not over.
create unique index checkout_sessions_of_cart on checkout_sessions (installation_id, cart_id)
  where status in ('open', 'processing');
create index checkout_sessions_by_end on checkout_sessions (expires_at) where status = 'open';

-- One attempt to collect money. The row is committed before the provider is called, and its id is the key under which the
-- provider is asked, so that asking again never charges twice.
create table payments (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  checkout_session_id text not null,
  order_id text,
  provider text not null,
  method text not null,
  amount bigint not null check (amount >= 0),
  currency text not null,
  -- processing: the provider was or will be asked and the outcome is not known here.
  status text not null check (status in ('processing', 'challenge', 'pending', 'succeeded', 'declined', 'voided')),
  -- What the provider calls it, its challenge, and the card as far as it may be seen.
  reference text,
  challenge text,
  brand text,
  last4 text,
  error_code text,
  created_at bigint not null,
  updated_at bigint not null,
  -- When to ask the provider (again) for the outcome; null when nothing is open.
  check_at bigint,
  checks bigint not null default 0,
  primary key (installation_id, id)
);
create index payments_to_check on payments (check_at) where check_at is not null;
create index payments_of_session on payments (installation_id, checkout_session_id);
create index payments_of_order on payments (installation_id, order_id) where order_id is not null;

create table orders (
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
  -- Money that went back or is on its way; never more than came.
  refunded bigint not null default 0 check (refunded >= 0),
  item_count bigint not null,
  promotion_id text,
  -- JSON: { code, name, type, amount }.
  promotion text,
  -- JSON: { optionId, label, amount }.
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
  -- The status page, found and shown like a session's page.
  secret_hash text not null unique,
  secret_sealed text not null,
  cancellation text,
  placed_at bigint not null,
  updated_at bigint not null,
  primary key (installation_id, id),
  unique (merchant_id, number),
  -- One session, one order: whatever happens twice, this does not.
  unique (installation_id, checkout_session_id),
  check (refunded <= total)
);
create index orders_newest on orders (installation_id, placed_at desc, id desc);

create table order_lines (
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
  total bigint not null check (total >= 0),
  primary key (installation_id, order_id, sku_id),
  foreign key (installation_id, order_id) references orders (installation_id, id),
  check (fulfilled <= quantity)
);

-- What happened to an order, oldest first.
create table order_timeline (
  installation_id text not null,
  order_id text not null,
  position bigint not null,
  type text not null,
  at bigint not null,
  primary key (installation_id, order_id, position),
  foreign key (installation_id, order_id) references orders (installation_id, id)
);

create table fulfillments (
  installation_id text not null,
  order_id text not null,
  id text not null,
  carrier text,
  tracking_number text,
  items text not null,
  at bigint not null,
  primary key (installation_id, order_id, id),
  foreign key (installation_id, order_id) references orders (installation_id, id)
);

-- Money that is owed to a shopper: written in the transaction that makes it owed, paid by a loop under the refund's id.
-- An order id of null: a payment that came without an order being possible any more.
create table refunds (
  installation_id text not null,
  id text not null,
  merchant_id text not null,
  order_id text,
  payment_id text not null,
  -- void: the payment is taken back before it is collected.
  kind text not null check (kind in ('refund', 'void')),
  amount bigint not null check (amount >= 0),
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text,
  created_at bigint not null,
  updated_at bigint not null,
  try_at bigint,
  tries bigint not null default 0,
  primary key (installation_id, id),
  foreign key (installation_id, payment_id) references payments (installation_id, id)
);
create index refunds_to_pay on refunds (try_at) where try_at is not null;
create index refunds_of_order on refunds (installation_id, order_id) where order_id is not null;

-- A use of a promotion, counted when the order was placed and given back at most once.
create table promotion_uses (
  merchant_id text not null,
  promotion_id text not null,
  order_id text not null,
  email_hash text,
  used_at bigint not null,
  given_back_at bigint,
  primary key (merchant_id, promotion_id, order_id),
  foreign key (merchant_id, promotion_id) references promotions (merchant_id, id)
);
create index promotion_uses_by_customer on promotion_uses (merchant_id, promotion_id, email_hash) where given_back_at is null;
