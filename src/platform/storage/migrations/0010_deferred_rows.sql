-- Rows that a loop could not handle. Until retry_at the loop passes the row over, so that it neither keeps the others waiting
-- nor fills the log. The tenant is the merchant or the installation that the row belongs to. An entry that is not renewed
-- within an hour of its time is of a row that was handled, and is deleted.
create table deferred_rows (
  loop text not null,
  tenant_id text not null,
  row_id text not null,
  failures bigint not null,
  wait_ms bigint not null,
  retry_at bigint not null,
  failed_at bigint not null,
  -- The code or the name of the last error, never its message: that may hold what belongs to a shopper.
  error_code text not null,
  primary key (tenant_id, loop, row_id)
);
