-- The key that redeemed an authorization code: a repeat by the same key is refused and ends nothing.
alter table oauth_artifacts add column consumed_by text;

-- A grant lives until its installation ends, not for five years.
update oauth_artifacts set expires_at = null where kind = 'Grant';
