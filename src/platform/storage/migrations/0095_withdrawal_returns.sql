-- The return that a withdrawal opened, and since when a loop has to see whether it opens one. Null once it was looked at.
alter table withdrawals add column return_id text;
alter table withdrawals add column return_due_at bigint;
create index withdrawals_to_return on withdrawals (merchant_id, return_due_at) where return_due_at is not null;
