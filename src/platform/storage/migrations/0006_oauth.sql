-- How an app is installed: apps, the merchant's people who approve them, and what the authorization server must remember.

create table apps (
  id text not null primary key,
  name text not null unique,
  description text not null,
  -- public: proves itself by PKCE and DPoP alone. confidential: signs its requests with a key of its own.
  client_kind text not null check (client_kind in ('public', 'confidential')),
  -- Public keys of a confidential app, as a JSON Web Key Set.
  jwks text,
  -- JSON lists.
  redirect_uris text not null,
  scopes text not null,
  -- Which kind of installations it gets.
  mode text not null check (mode in ('test', 'live')),
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint,
  check ((client_kind = 'confidential') = (jwks is not null))
);

-- People who sign in for a merchant. They are found by a keyed hash of the e-mail; the e-mail itself is sealed.
create table users (
  id text not null primary key,
  email_hash text not null unique,
  email_sealed text not null,
  password_hash text not null,
  -- Who signed in before is signed out: set with a new password and when the user is disabled.
  sessions_from bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  disabled_at bigint
);

create table user_merchants (
  user_id text not null references users (id),
  merchant_id text not null references merchants (id),
  created_at bigint not null,
  primary key (user_id, merchant_id)
);
create index user_merchants_by_merchant on user_merchants (merchant_id, user_id);

-- Codes, tokens, sessions, interactions, grants and proofs that were seen. The id is a hash of the value that its holder
-- has, and what is known about it is sealed, so that this table is of no use to whoever reads it.
create table oauth_artifacts (
  kind text not null,
  id text not null,
  sealed text not null,
  grant_id text,
  uid text,
  consumed_at bigint,
  expires_at bigint,
  created_at bigint not null,
  primary key (kind, id)
);
create index oauth_artifacts_by_grant on oauth_artifacts (grant_id) where grant_id is not null;
create unique index oauth_artifacts_by_uid on oauth_artifacts (kind, uid) where uid is not null;
create index oauth_artifacts_by_end on oauth_artifacts (expires_at) where expires_at is not null;

-- One grant is one installation. It ends with the grant, and its keys with it.
alter table installations add column grant_id text;
alter table installations add column granted_scopes text;
alter table installations add column approved_by text;
alter table installations add column ended_at bigint;
create unique index installations_by_grant on installations (grant_id) where grant_id is not null;
