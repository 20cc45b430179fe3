-- Who is told what happened: endpoints, and one row for each call that is owed. The row is the queue and the log in one.

create table webhook_endpoints (
  installation_id text not null references installations (id),
  id text not null,
  -- Two characters that no other living endpoint of the installation has. They end the ids of its deliveries, so that one
  -- statement can make a delivery for each endpoint.
  slot text not null,
  url text not null,
  description text not null,
  -- JSON list of names, `subject.*` and `*`.
  events text not null,
  status text not null check (status in ('enabled', 'disabled', 'paused')),
  disabled_reason text check (disabled_reason in ('gone', 'failing', 'operator')),
  -- Raised by every change that an operator or the house makes to it: the sequence of its events.
  version bigint not null check (version >= 1),
  secret_sealed text not null,
  secret_hint text not null,
  -- While a secret is being replaced, calls are signed with both.
  previous_sealed text,
  previous_expires_at bigint,
  last_success_at bigint,
  last_failure_at bigint,
  -- Calls that failed in a row, and since when.
  consecutive_failures bigint not null check (consecutive_failures >= 0),
  failing_since bigint,
  -- Nothing is sent before: the breaker is open, or the receiver asked for patience.
  resting_until bigint,
  created_at bigint not null,
  updated_at bigint not null,
  ended_at bigint,
  primary key (installation_id, id)
);
-- The dispatcher works for everybody, so its indexes name no installation.
create unique index webhook_endpoints_by_id on webhook_endpoints (id);
create unique index webhook_endpoints_slot on webhook_endpoints (installation_id, slot) where ended_at is null;

create table webhook_deliveries (
  installation_id text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  subject_id text not null,
  -- Of the event within its subject.
  sequence bigint not null,
  -- What waits for an endpoint that is not enabled is held, and for one that was removed discarded; both are seen from the
  -- endpoint, so that a long queue is paused, resumed or given up by changing one row.
  status text not null check (status in
    ('pending', 'sending', 'retrying', 'succeeded', 'failed', 'blocked', 'discarded')),
  -- Calls whose outcome is known.
  attempts bigint not null check (attempts >= 0),
  -- When it may be claimed; null while it is sent or over.
  due_at bigint,
  -- Whoever claimed it may write its outcome, and until when nobody else may claim it.
  lease_id text,
  lease_expires_at bigint,
  replay_of text,
  replay_reason text,
  last_started_at bigint,
  last_took_ms bigint,
  last_status_code bigint,
  last_error text,
  -- The first bytes of the answer that ended it.
  last_answer text,
  created_at bigint not null,
  finished_at bigint,
  primary key (installation_id, id),
  foreign key (installation_id, endpoint_id) references webhook_endpoints (installation_id, id),
  foreign key (installation_id, event_id) references events (installation_id, id),
  check ((status = 'sending') = (lease_id is not null)),
  check ((status in ('pending', 'retrying')) = (due_at is not null)),
  check ((status in ('succeeded', 'failed', 'blocked', 'discarded')) = (finished_at is not null))
);
-- What an endpoint has due.
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, id)
  where status in ('pending', 'retrying');
-- Whether an earlier event of the same subject is still under way.
create index webhook_deliveries_open on webhook_deliveries (installation_id, endpoint_id, subject_id, sequence)
  where status in ('pending', 'sending', 'retrying');
-- What is on its way: never more than the calls that all nodes can have open.
create index webhook_deliveries_sending on webhook_deliveries (endpoint_id, lease_expires_at) where status = 'sending';
-- The newest of an endpoint.
create index webhook_deliveries_newest on webhook_deliveries (installation_id, endpoint_id, id);
-- An event is told to an endpoint once, and told again on request once at a time.
create unique index webhook_deliveries_once on webhook_deliveries (installation_id, event_id, endpoint_id)
  where replay_of is null;
create unique index webhook_deliveries_replay on webhook_deliveries (installation_id, replay_of)
  where replay_of is not null and status in ('pending', 'sending', 'retrying');
-- Replays that still need the text of their event.
create index webhook_deliveries_replays on webhook_deliveries (installation_id, event_id)
  where replay_of is not null and status in ('pending', 'sending', 'retrying');
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null;

-- Every call that failed, or that a process did not live to make. The one that succeeded stands in the delivery itself.
create table webhook_attempts (
  installation_id text not null,
  delivery_id text not null,
  lease_id text not null,
  attempt bigint not null,
  started_at bigint not null,
  took_ms bigint not null,
  status_code bigint,
  -- What went wrong, in a few words.
  error text not null,
  -- The first bytes of the answer.
  answer text,
  primary key (installation_id, delivery_id, lease_id),
  foreign key (installation_id, delivery_id) references webhook_deliveries (installation_id, id) on delete cascade
);

-- The text of an event is kept for a while; that it happened is kept for good.
drop index events_by_age;
create index events_with_text on events (occurred_at) where body <> '';
