-- When the provider was first asked for it; null before that, and where its provider cannot be asked for the state of a refund. Its
-- key may be forgotten there a day later.
alter table refunds add column asked_at bigint;
-- When the provider last said that it is on its way.
alter table refunds add column pending_at bigint;
