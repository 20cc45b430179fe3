-- What is not part of the merchant's books is deleted when its time is over, oldest first. Each index here is how a sweep finds
-- what is next, or how a foreign key is checked when a row goes that it points to.

-- How far a sweep has come. `events`: events that happened up to this instant may be gone.
create table sweeps (
  name text not null primary key,
  at bigint not null
);

-- Personal data first, the session itself later. The two conditions name the same statuses in different words, so that neither
-- index is taken for the other.
create index checkout_sessions_to_erase on checkout_sessions (updated_at)
  where status not in ('open', 'processing', 'completed') and customer_sealed is not null;
create index checkout_sessions_without_order on checkout_sessions (updated_at) where status in ('cancelled', 'expired');
create index checkout_sessions_completed on checkout_sessions (updated_at) where status = 'completed';
create index checkout_sessions_by_cart on checkout_sessions (installation_id, cart_id);
create index carts_expired on carts (updated_at) where status = 'expired';
create index carts_converted on carts (updated_at) where status = 'converted';

-- The text of an event goes first, and the event itself once no delivery points to it.
create index events_without_text on events (occurred_at) where body = '';
drop index webhook_deliveries_replays;
create index webhook_deliveries_by_event on webhook_deliveries (event_id, installation_id);

create index credentials_revoked on credentials (revoked_at) where revoked_at is not null;
create index credentials_expiring on credentials (expires_at) where expires_at is not null;

-- An address that a cart no longer has left an empty row behind. From now on it goes whole.
delete from addresses where row_key is null and owner_id like 'cart%';
