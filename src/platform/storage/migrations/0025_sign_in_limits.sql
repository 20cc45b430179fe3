-- Guesses at sign-in, counted for all nodes. A bucket is a keyed hash of an account, a network, or both; it is stored as the
-- instant at which it is full again, so a row whose instant has passed is the same as none.
create table sign_in_limits (
  bucket text not null primary key,
  full_at bigint not null
);
create index sign_in_limits_by_end on sign_in_limits (full_at);
