-- Look-ups of a payment at its provider. `looks` counts those that were begun; `looking_until` is set while one is under way, and passes
-- where its process died.
alter table payments add column looks bigint not null default 0;
alter table payments add column looking_until bigint;
-- The shopper came back: only the look-up with this number, or a later one, began after that and says how the payment stands.
alter table payments add column looks_wanted bigint not null default 0;
-- When the shopper was first known to have tried to pay elsewhere.
alter table payments add column tried_at bigint;
