-- A draft that changes an order instead of making one: an edit whose difference is paid by its link. What it changes is in the terms of its cart.
alter table drafts add column changes_order text;
create index drafts_of_order on drafts (merchant_id, changes_order) where changes_order is not null;
-- The order that a payment changes when it succeeds. It is locked before the session, as everywhere.
alter table payments add column changes_order text;
