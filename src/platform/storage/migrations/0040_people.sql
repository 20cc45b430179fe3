-- What a person may do for a merchant (staff/roles.ts). Everyone who was here before could do all that there was.
alter table user_merchants add column role text not null default 'owner';
alter table user_merchants add constraint user_merchants_role check (role in ('owner', 'staff', 'viewer'));
-- 1: everyone who acts for the merchant signs in with a second factor.
alter table merchants add column second_factor_required bigint not null default 0;

-- Browsers in which a person is signed in. The cookie holds 32 random bytes; here is their hash.
create table user_sessions (
  id text not null primary key,
  user_id text not null references users (id),
  token_hash text not null unique,
  -- Such as `Firefox on Windows`, for the person's own list.
  browser text not null,
  has_second_factor bigint not null,
  created_at bigint not null,
  seen_at bigint not null,
  -- When the password or a passkey was last asked for.
  confirmed_at bigint not null,
  expires_at bigint not null
);
create index user_sessions_of_user on user_sessions (user_id, created_at);
create index user_sessions_by_end on user_sessions (expires_at);

-- Second factors: one authenticator app, and recovery codes. A recovery code is deleted when it is used.
create table user_factors (
  user_id text not null references users (id),
  id text not null,
  kind text not null check (kind in ('totp', 'recovery')),
  -- Of an authenticator app.
  secret_sealed text,
  -- Of an authenticator app: codes up to this 30-second step are no longer accepted.
  last_step bigint not null,
  -- Of a recovery code.
  code_hash text,
  created_at bigint not null,
  primary key (user_id, id)
);
create unique index user_factors_totp on user_factors (user_id) where kind = 'totp';
create unique index user_factors_by_code on user_factors (user_id, code_hash) where code_hash is not null;

create table user_passkeys (
  user_id text not null references users (id),
  -- The credential id, which the authenticator has made.
  id text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  name text not null,
  created_at bigint not null,
  used_at bigint,
  primary key (user_id, id)
);
create unique index user_passkeys_by_id on user_passkeys (id);

-- Links with which a person sets a password: by an invitation to a merchant, or because it was forgotten. Only the hash of the
-- secret in the link is stored. A link that was used is deleted.
create table invitations (
  id text not null primary key,
  kind text not null check (kind in ('invitation', 'password_reset')),
  token_hash text not null unique,
  -- Where the invitation leads. Of a reset that a member of the merchant made for another: that merchant.
  merchant_id text references merchants (id),
  -- Whose password is reset.
  user_id text references users (id),
  -- Who is invited.
  email_hash text,
  email_sealed text,
  role text,
  -- The user who made it; null for the operator, and for a person who forgot their own.
  created_by text,
  created_at bigint not null,
  expires_at bigint not null
);
create index invitations_of_merchant on invitations (merchant_id, created_at);
create index invitations_of_user on invitations (user_id);
create index invitations_by_end on invitations (expires_at);
