-- The key that made an endpoint by the admin API, or last changed its address there: the endpoint ends with it. Null: made by a
-- person, the operator or an app.
alter table webhook_endpoints add column credential_id text;
create index webhook_endpoints_by_credential on webhook_endpoints (credential_id) where credential_id is not null;
