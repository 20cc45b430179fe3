-- Test and live are two worlds of one merchant. The catalog is shared; stock, holds, promotion uses and order numbers are
-- counted for each mode. What was counted so far was counted for both together: it stays as the live count, and what
-- belongs to test installations moves to test mode.

alter table orders add column mode text;
update orders set mode = (select i.mode from installations i where i.id = orders.installation_id);
alter table orders alter column mode set not null;
alter table orders add constraint orders_mode check (mode in ('test', 'live'));

-- The number says the mode.
update orders set number = 'T-' || number where mode = 'test';
alter table order_numbers rename to former_order_numbers;
create table order_numbers (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  last bigint not null,
  primary key (merchant_id, mode)
);
insert into order_numbers (merchant_id, mode, last) select merchant_id, 'live', last from former_order_numbers;
insert into order_numbers (merchant_id, mode, last)
  select n.merchant_id, 'test', n.last from former_order_numbers n
  where exists (
    select 1 from installations i join orders o on o.installation_id = i.id
    where i.merchant_id = n.merchant_id and i.mode = 'test');
drop table former_order_numbers;

alter table promotion_uses add column mode text;
update promotion_uses set mode = coalesce((
  select o.mode from installations i join orders o on o.installation_id = i.id and o.id = promotion_uses.order_id
  where i.merchant_id = promotion_uses.merchant_id), 'live');
alter table promotion_uses alter column mode set not null;
alter table promotion_uses add constraint promotion_uses_mode check (mode in ('test', 'live'));

-- `used` and `version` count in live mode, these two in test mode. The limit holds for each mode alone. `test_used` may
-- pass a limit that was lowered later: what was tried out must not keep the operator from lowering it.
alter table promotions add column test_used bigint not null default 0;
alter table promotions add constraint promotions_test_used check (test_used >= 0);
alter table promotions add column test_version bigint not null default 1;
update promotions set test_version = version, test_used = (
  select count(*) from promotion_uses u
  where u.merchant_id = promotions.merchant_id and u.promotion_id = promotions.id and u.mode = 'test'
    and u.given_back_at is null);
update promotions set used = used - test_used where test_used > 0;

alter table holds add column mode text;
update holds set mode = coalesce((
  select i.mode from installations i
  join checkout_sessions c on c.installation_id = i.id and c.id = holds.owner_id
  where i.merchant_id = holds.merchant_id), 'live');
alter table holds alter column mode set not null;
alter table holds add constraint holds_mode check (mode in ('test', 'live'));
drop index holds_by_sku;
create index holds_by_sku on holds (merchant_id, sku_id, mode, expires_at);

alter table stock_movements add column mode text;
update stock_movements set mode = coalesce((
  select o.mode from installations i join orders o on o.installation_id = i.id and o.id = stock_movements.owner_id
  where i.merchant_id = stock_movements.merchant_id), 'live');
alter table stock_movements alter column mode set not null;
alter table stock_movements add constraint stock_movements_mode check (mode in ('test', 'live'));
-- What test orders took stays taken in live mode, because nobody knows whether it was counted anew since.
insert into stock_movements (merchant_id, sku_id, id, mode, kind, delta, at)
  select merchant_id, sku_id, 'modes-' || sku_id, 'live', 'set', sum(delta), max(at)
  from stock_movements where mode = 'test' group by merchant_id, sku_id having sum(delta) <> 0;

-- What there is of a SKU in one mode. It is not a part of the SKU, so that a purchase in one mode never waits for one in
-- the other.
create table stock (
  merchant_id text not null,
  sku_id text not null,
  mode text not null check (mode in ('test', 'live')),
  -- The sum of its movements.
  on_hand bigint not null check (on_hand >= 0),
  -- The sum of its holds.
  held bigint not null check (held >= 0),
  -- Counts the stock events of the SKU in this mode; it is their sequence.
  version bigint not null check (version >= 0),
  primary key (merchant_id, sku_id, mode),
  foreign key (merchant_id, sku_id) references skus (merchant_id, id)
);
insert into stock (merchant_id, sku_id, mode, on_hand, held, version)
  select s.merchant_id, s.id, m.mode, s.on_hand, coalesce((
    select sum(h.quantity) from holds h
    where h.merchant_id = s.merchant_id and h.sku_id = s.id and h.mode = m.mode), 0), s.stock_version
  from skus s cross join (select 'live' as mode union all select 'test' as mode) m;
insert into stock_movements (merchant_id, sku_id, id, mode, kind, delta, at)
  select s.merchant_id, s.id, 'test-' || s.id, 'test', 'opening', s.on_hand - coalesce(v.moved, 0), s.created_at
  from skus s left join (
    select merchant_id, sku_id, sum(delta) as moved from stock_movements where mode = 'test' group by merchant_id, sku_id) v
    on v.merchant_id = s.merchant_id and v.sku_id = s.id
  where s.on_hand <> coalesce(v.moved, 0);
alter table skus drop column on_hand;
alter table skus drop column held;
alter table skus drop column stock_version;

-- Answers differ by the stock that they show, so a product that is published has a row for each mode.
alter table listed_products rename to former_listed_products;
create table listed_products (
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
-- Where units are held, the two modes differ from what was rendered for both. SQLite takes the tables of a `cross join` in
-- the order given; otherwise it would visit the whole stock of the merchant for each product.
insert into listed_products (merchant_id, mode, product_id, slug, published_at, list_row, detail, public_detail, etag,
    revision, stale_at)
  select l.merchant_id, m.mode, l.product_id, l.slug, l.published_at, l.list_row, l.detail, l.public_detail, l.etag,
    l.revision || '-' || m.mode,
    case when exists (
      select 1 from skus s cross join stock t
      where s.merchant_id = l.merchant_id and s.product_id = l.product_id
        and t.merchant_id = s.merchant_id and t.sku_id = s.id and t.held > 0) then 0 else l.stale_at end
  from former_listed_products l cross join (select 'live' as mode union all select 'test' as mode) m;
drop table former_listed_products;
create index listed_products_newest on listed_products (merchant_id, mode, published_at desc, product_id);
create index listed_products_stale on listed_products (stale_at) where stale_at is not null;

-- Whether a merchant sells in live mode.
create index installations_live on installations (merchant_id) where mode = 'live' and disabled_at is null;
