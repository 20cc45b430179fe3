-- Which platforms may pay for shoppers, how they prove who they are, and the keys by which a shop signs what it sends them.

-- approved: platforms that the merchant approved. signed: every one that proves who it is. anyone: every one with a profile, in test mode.
alter table agent_settings add column who text not null default 'approved';
-- From this total on the buyer confirms on the page. Null: never.
alter table agent_settings add column review_from bigint;
-- Until now everyone with a profile could pay in test mode.
update agent_settings set who = 'anyone' where mode = 'test';

-- seen, approved or blocked.
alter table agent_platforms add column status text not null default 'seen';
alter table agent_platforms add column version bigint not null default 1;
-- The key that was made for it.
alter table agent_platforms add column credential_id text;
create unique index agent_platforms_by_key on agent_platforms (merchant_id, credential_id) where credential_id is not null;

-- Keys of a shop, which sign answers and webhooks to platforms. One that is retired stays published for a while.
create table agent_keys (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  kid text not null,
  public_jwk text not null,
  private_sealed text not null,
  created_at bigint not null,
  retired_at bigint,
  primary key (merchant_id, mode, kid)
);

-- How the platform last proved who it is: signature or key. Null: not at all.
alter table agent_checkouts add column proof text;
