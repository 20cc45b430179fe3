-- What people edit has a version, so nobody overwrites what they have not seen. A product that is no longer sold is archived.
alter table products add column version bigint not null default 1;
alter table products add column archived_at bigint;
alter table categories add column version bigint not null default 1;
alter table merchants add column version bigint not null default 1;
-- IANA name. Days of reports begin there at midnight.
alter table merchants add column time_zone text not null default 'UTC';
-- `version` also counts uses; this one only counts edits.
alter table promotions add column edit_version bigint not null default 1;
-- Why stock was changed by hand, and by which user or key.
alter table stock_movements add column reason text;
alter table stock_movements add column actor_kind text;
alter table stock_movements add column actor_id text;
create index products_changed on products (merchant_id, updated_at desc, id desc);
create index stock_free on stock (merchant_id, mode, (on_hand - held), sku_id);
create index stock_movements_newest on stock_movements (merchant_id, sku_id, mode, at desc, id desc);
