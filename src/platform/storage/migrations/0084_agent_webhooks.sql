-- Platforms of agents are called when their orders change.

-- 1: they are called.
alter table agent_settings add column order_webhooks bigint not null default 1;

-- A platform of agents, which gets its own orders in the form of its protocol. Null: an endpoint of the merchant or of an app.
alter table webhook_endpoints add column platform_id text;

-- The platform that made an order, how it spoke, and how it proved who it is. Null: no agent made it. Stored with the order, since its cart
-- and its checkout are deleted before it.
alter table orders add column agent_platform_id text;
alter table orders add column agent_protocol text;
alter table orders add column agent_version text;
alter table orders add column agent_proof text;
update orders set (agent_platform_id, agent_protocol, agent_version, agent_proof) = (
  select c.platform_id, c.protocol, c.version, c.proof from agent_checkouts c
  where c.installation_id = orders.installation_id and c.session_id = orders.checkout_session_id)
  where installation_id in (select s.installation_id from agent_settings s);
