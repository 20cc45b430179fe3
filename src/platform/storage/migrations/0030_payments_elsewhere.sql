-- A payment may happen elsewhere: in a frame of its provider, or on its page. Where that is may hold a secret of the provider,
-- so it is sealed.
alter table payments add column place_sealed text;
alter table payments add column place_until bigint;
-- Of money that comes later: by_hand, or by_provider, which is asked for it.
alter table payments add column settles text;
-- When the provider was last asked because a shopper came back, looked at a page, or a notice came.
alter table payments add column looked_at bigint;
