-- A draft that pays what an exchange costs more: the return whose items are exchanged.
alter table drafts add column return_id text;
create index drafts_of_return on drafts (merchant_id, return_id) where return_id is not null;
-- What the shopper paid for the new order beside what was credited.
alter table return_exchanges add column paid bigint not null default 0;
