-- Declined payments of one checkout session, one card or one network, in one installation: `session cks_…`, `card …` and
-- `network …`, the last two as keyed hashes. A payment that is under way counts as declined until it is known. One is forgiven
-- after a while; when all are, the row is deleted.
create table payment_tries (
  installation_id text not null,
  subject text not null,
  -- When all are forgiven, and when the last was made. How many there were then follows from the two.
  forgiven_at bigint not null,
  tried_at bigint not null,
  primary key (installation_id, subject)
);
create index payment_tries_forgiven on payment_tries (forgiven_at);

-- The subjects of a payment whose outcome is not known, as a JSON list; null afterwards.
alter table payments add column tried_as text;
