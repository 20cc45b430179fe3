-- Agents: which of a merchant's worlds is open to software that buys for shoppers, who called, and what was asked for.

create table agent_settings (
  merchant_id text not null references merchants (id),
  mode text not null check (mode in ('test', 'live')),
  -- off: nothing is answered. browse: checkouts are paid on the page. buy: agents may also pay.
  level text not null check (level in ('off', 'browse', 'buy')),
  -- Whose carts, sessions and orders those of agents are.
  installation_id text not null references installations (id),
  version bigint not null,
  updated_at bigint not null,
  primary key (merchant_id, mode)
);

-- Who called: a platform is known by the address of its profile.
create table agent_platforms (
  installation_id text not null references installations (id),
  id text not null,
  merchant_id text not null,
  profile_url text not null,
  host text not null,
  first_seen_at bigint not null,
  last_seen_at bigint not null,
  primary key (installation_id, id)
);
create unique index agent_platforms_by_profile on agent_platforms (installation_id, profile_url);
create index agent_platforms_by_use on agent_platforms (last_seen_at);

-- A cart that a platform made, with its checkout session once there is one.
create table agent_checkouts (
  installation_id text not null references installations (id),
  cart_id text not null,
  session_id text,
  merchant_id text not null,
  platform_id text not null,
  protocol text not null,
  version text not null,
  -- What the platform sent, to be given back to it alone. Erased with the shopper.
  asked_sealed text,
  -- The total of the last answer: no more than this is charged.
  shown_total bigint,
  created_at bigint not null,
  primary key (installation_id, cart_id)
);
create unique index agent_checkouts_of_session on agent_checkouts (installation_id, session_id) where session_id is not null;

-- 1: stock is held from the first look at its page, or from the payment.
alter table checkout_sessions add column holds_later bigint not null default 0;
